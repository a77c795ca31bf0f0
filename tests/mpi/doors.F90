! Every door from Fortran, with results verified: compiled three times, with -DDOORS_MPIF, -DDOORS_USEMPI, -DDOORS_F08;
! with -DDOORS_PERSISTENT where the MPI library has persistent collectives.
! Each collective is called as doors_form.inc says, in each form of call; each maker of communicators once.

#ifdef DOORS_F08
#define COMM type(MPI_Comm)
#define DATATYPE type(MPI_Datatype)
#define GROUP type(MPI_Group)
#define REQUEST type(MPI_Request)
#define INFO type(MPI_Info)
! ierror is optional here, and left out.
#define IERR
#else
#define COMM integer
#define DATATYPE integer
#define GROUP integer
#define REQUEST integer
#define INFO integer
#define IERR , ierr
#endif

module door_checks
#if defined(DOORS_F08)
    use mpi_f08
#ifdef DOORS_PERSISTENT
    use mpi_f08_ext
#endif
    implicit none
#elif defined(DOORS_USEMPI)
    use mpi
#ifdef DOORS_PERSISTENT
    use mpi_ext
#endif
    implicit none
#else
    implicit none
    include 'mpif.h'
#endif

    integer :: ierr, rank, ranks
    COMM :: world

contains

    subroutine check(right, what)
        logical, intent(in) :: right
        character(len=*), intent(in) :: what

        if (right) return
        print '(a,i0,2a)', 'rank ', rank, ': wrong result of ', what
        call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
    end subroutine
end module

#define FORM door_run
#define TAIL IERR
#define BARRIER MPI_Barrier
#define BCAST MPI_Bcast
#define REDUCE_ MPI_Reduce
#define ALLREDUCE MPI_Allreduce
#define GATHER MPI_Gather
#define GATHERV MPI_Gatherv
#define SCATTER MPI_Scatter
#define SCATTERV MPI_Scatterv
#define ALLGATHER MPI_Allgather
#define ALLGATHERV MPI_Allgatherv
#define ALLTOALL MPI_Alltoall
#define ALLTOALLV MPI_Alltoallv
#define ALLTOALLW MPI_Alltoallw
#define REDUCE_SCATTER MPI_Reduce_scatter
#define REDUCE_SCATTER_BLOCK MPI_Reduce_scatter_block
#define SCAN_ MPI_Scan
#define EXSCAN MPI_Exscan
#define NEIGHBOR_ALLGATHER MPI_Neighbor_allgather
#define NEIGHBOR_ALLGATHERV MPI_Neighbor_allgatherv
#define NEIGHBOR_ALLTOALL MPI_Neighbor_alltoall
#define NEIGHBOR_ALLTOALLV MPI_Neighbor_alltoallv
#define NEIGHBOR_ALLTOALLW MPI_Neighbor_alltoallw
#include "doors_form.inc"
#undef FORM
#undef TAIL
#undef BARRIER
#undef BCAST
#undef REDUCE_
#undef ALLREDUCE
#undef GATHER
#undef GATHERV
#undef SCATTER
#undef SCATTERV
#undef ALLGATHER
#undef ALLGATHERV
#undef ALLTOALL
#undef ALLTOALLV
#undef ALLTOALLW
#undef REDUCE_SCATTER
#undef REDUCE_SCATTER_BLOCK
#undef SCAN_
#undef EXSCAN
#undef NEIGHBOR_ALLGATHER
#undef NEIGHBOR_ALLGATHERV
#undef NEIGHBOR_ALLTOALL
#undef NEIGHBOR_ALLTOALLV
#undef NEIGHBOR_ALLTOALLW

#define FORM door_begin
#define TAIL , request IERR
#define REQUESTED
#define BARRIER MPI_Ibarrier
#define BCAST MPI_Ibcast
#define REDUCE_ MPI_Ireduce
#define ALLREDUCE MPI_Iallreduce
#define GATHER MPI_Igather
#define GATHERV MPI_Igatherv
#define SCATTER MPI_Iscatter
#define SCATTERV MPI_Iscatterv
#define ALLGATHER MPI_Iallgather
#define ALLGATHERV MPI_Iallgatherv
#define ALLTOALL MPI_Ialltoall
#define ALLTOALLV MPI_Ialltoallv
#define ALLTOALLW MPI_Ialltoallw
#define REDUCE_SCATTER MPI_Ireduce_scatter
#define REDUCE_SCATTER_BLOCK MPI_Ireduce_scatter_block
#define SCAN_ MPI_Iscan
#define EXSCAN MPI_Iexscan
#define NEIGHBOR_ALLGATHER MPI_Ineighbor_allgather
#define NEIGHBOR_ALLGATHERV MPI_Ineighbor_allgatherv
#define NEIGHBOR_ALLTOALL MPI_Ineighbor_alltoall
#define NEIGHBOR_ALLTOALLV MPI_Ineighbor_alltoallv
#define NEIGHBOR_ALLTOALLW MPI_Ineighbor_alltoallw
#include "doors_form.inc"
#undef FORM
#undef TAIL
#undef BARRIER
#undef BCAST
#undef REDUCE_
#undef ALLREDUCE
#undef GATHER
#undef GATHERV
#undef SCATTER
#undef SCATTERV
#undef ALLGATHER
#undef ALLGATHERV
#undef ALLTOALL
#undef ALLTOALLV
#undef ALLTOALLW
#undef REDUCE_SCATTER
#undef REDUCE_SCATTER_BLOCK
#undef SCAN_
#undef EXSCAN
#undef NEIGHBOR_ALLGATHER
#undef NEIGHBOR_ALLGATHERV
#undef NEIGHBOR_ALLTOALL
#undef NEIGHBOR_ALLTOALLV
#undef NEIGHBOR_ALLTOALLW

#ifdef DOORS_PERSISTENT
#define FORM door_init
#define TAIL , MPI_INFO_NULL, request IERR
#define PREPARED
#define BARRIER MPIX_Barrier_init
#define BCAST MPIX_Bcast_init
#define REDUCE_ MPIX_Reduce_init
#define ALLREDUCE MPIX_Allreduce_init
#define GATHER MPIX_Gather_init
#define GATHERV MPIX_Gatherv_init
#define SCATTER MPIX_Scatter_init
#define SCATTERV MPIX_Scatterv_init
#define ALLGATHER MPIX_Allgather_init
#define ALLGATHERV MPIX_Allgatherv_init
#define ALLTOALL MPIX_Alltoall_init
#define ALLTOALLV MPIX_Alltoallv_init
#define ALLTOALLW MPIX_Alltoallw_init
#define REDUCE_SCATTER MPIX_Reduce_scatter_init
#define REDUCE_SCATTER_BLOCK MPIX_Reduce_scatter_block_init
#define SCAN_ MPIX_Scan_init
#define EXSCAN MPIX_Exscan_init
#define NEIGHBOR_ALLGATHER MPIX_Neighbor_allgather_init
#define NEIGHBOR_ALLGATHERV MPIX_Neighbor_allgatherv_init
#define NEIGHBOR_ALLTOALL MPIX_Neighbor_alltoall_init
#define NEIGHBOR_ALLTOALLV MPIX_Neighbor_alltoallv_init
#define NEIGHBOR_ALLTOALLW MPIX_Neighbor_alltoallw_init
#include "doors_form.inc"
#endif

program doors
    use door_checks
    use door_run, only: run_every_collective => call_every_collective
    use door_begin, only: begin_every_collective => call_every_collective
#ifdef DOORS_PERSISTENT
    use door_init, only: init_every_collective => call_every_collective
#endif
    implicit none

    integer :: i, provided

    call MPI_Init_thread(MPI_THREAD_FUNNELED, provided IERR)
    world = MPI_COMM_WORLD
    call MPI_Comm_rank(world, rank IERR)
    call MPI_Comm_size(world, ranks IERR)

    call run_every_collective()
    call begin_every_collective()
    call wait_beside_messages()
#ifdef DOORS_PERSISTENT
    call init_every_collective()
    call start_beside_messages()
#endif
    call communicators()
    call topologies()

    if (rank == 0) print '(a)', 'results right'
    call MPI_Finalize(ierr)

contains

    subroutine wait_beside_messages()
        integer, volatile :: mine, total, from_left
        REQUEST :: requests(3)

        mine = rank
        call MPI_Irecv(from_left, 1, MPI_INTEGER, mod(rank + ranks - 1, ranks), 4, world, requests(1) IERR)
        call MPI_Iallreduce(mine, total, 1, MPI_INTEGER, MPI_SUM, world, requests(2) IERR)
        call MPI_Isend(mine, 1, MPI_INTEGER, mod(rank + 1, ranks), 4, world, requests(3) IERR)
        call MPI_Waitall(3, requests, MPI_STATUSES_IGNORE IERR)
        call check(total == ranks * (ranks - 1) / 2, 'iallreduce beside messages')
        call check(from_left == mod(rank + ranks - 1, ranks), 'messages beside iallreduce')
    end subroutine

#ifdef DOORS_PERSISTENT
    subroutine start_beside_messages()
        integer, volatile :: mine, total, from_left
        REQUEST :: requests(3)
        INFO :: info

        mine = rank
        call MPI_Info_create(info IERR)
        call MPI_Recv_init(from_left, 1, MPI_INTEGER, mod(rank + ranks - 1, ranks), 4, world, requests(1) IERR)
        call MPIX_Allreduce_init(mine, total, 1, MPI_INTEGER, MPI_SUM, world, info, requests(2) IERR)
        call MPI_Send_init(mine, 1, MPI_INTEGER, mod(rank + 1, ranks), 4, world, requests(3) IERR)
        call MPI_Info_free(info IERR)
        do i = 1, 2
            total = -1
            from_left = -1
            call MPI_Startall(3, requests IERR)
            call MPI_Waitall(3, requests, MPI_STATUSES_IGNORE IERR)
            call check(total == ranks * (ranks - 1) / 2, 'persistent allreduce beside messages')
            call check(from_left == mod(rank + ranks - 1, ranks), 'messages beside a persistent allreduce')
        end do
        do i = 1, 3
            call MPI_Request_free(requests(i) IERR)
            call check(requests(i) == MPI_REQUEST_NULL, 'request_free')
        end do
    end subroutine
#endif

    subroutine expect_size(made, size_expected, what)
        COMM, intent(in) :: made
        integer, intent(in) :: size_expected
        character(len=*), intent(in) :: what
        integer :: made_size

        call MPI_Comm_size(made, made_size IERR)
        call check(made_size == size_expected, what)
    end subroutine

    subroutine communicators()
        COMM :: made, merged
        GROUP :: everyone
        REQUEST :: request
        integer :: colour, remote, length
        character(len=MPI_MAX_OBJECT_NAME) :: name

        call MPI_Comm_dup(world, made IERR)
        call expect_size(made, ranks, 'comm_dup')
        call MPI_Comm_set_name(made, 'solver' IERR)
        call MPI_Comm_get_name(made, name, length IERR)
        call check(length == 6 .and. name == 'solver', 'comm_set_name')
        call MPI_Comm_free(made IERR)
        call check(made == MPI_COMM_NULL, 'comm_free')

        call MPI_Comm_dup_with_info(world, MPI_INFO_NULL, made IERR)
        call expect_size(made, ranks, 'comm_dup_with_info')
        call MPI_Comm_disconnect(made IERR)
        call check(made == MPI_COMM_NULL, 'comm_disconnect')

        call MPI_Comm_idup(world, made, request IERR)
        call MPI_Wait(request, MPI_STATUS_IGNORE IERR)
        call expect_size(made, ranks, 'comm_idup')
        call MPI_Comm_free(made IERR)

        call MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, -rank, MPI_INFO_NULL, made IERR)
        call expect_size(made, ranks, 'comm_split_type')
        call MPI_Comm_free(made IERR)

        call MPI_Comm_group(world, everyone IERR)
        call MPI_Comm_create(world, everyone, made IERR)
        call expect_size(made, ranks, 'comm_create')
        call MPI_Comm_free(made IERR)
        call MPI_Comm_create_group(world, everyone, 7, made IERR)
        call expect_size(made, ranks, 'comm_create_group')
        call MPI_Comm_free(made IERR)
        call MPI_Group_free(everyone IERR)

        colour = merge(MPI_UNDEFINED, 0, rank == 0)
        call MPI_Comm_split(world, colour, rank, made IERR)
        if (rank == 0) then
            call check(made == MPI_COMM_NULL, 'comm_split of no colour')
        else
            call expect_size(made, ranks - 1, 'comm_split')
            call MPI_Comm_free(made IERR)
        end if

        ! Rank 0 and the rest make an intercommunicator, and then one of all, the rest first.
        call PMPI_Comm_split(world, min(rank, 1), rank, made IERR)
        remote = merge(1, 0, rank == 0)
        call MPI_Intercomm_create(made, 0, world, remote, 9, merged IERR)
        call PMPI_Comm_free(made IERR)
        made = merged
        call MPI_Comm_remote_size(made, remote IERR)
        call check(remote == merge(ranks - 1, 1, rank == 0), 'intercomm_create')
        call MPI_Intercomm_merge(made, rank == 0, merged IERR)
        call MPI_Comm_rank(merged, remote IERR)
        call check(remote == mod(rank + ranks - 1, ranks), 'intercomm_merge')
        call MPI_Comm_free(made IERR)
        call MPI_Comm_free(merged IERR)
    end subroutine

    subroutine topologies()
        COMM :: made, row
        integer :: dims(2), coords(2), neighbour(1), degree(1), weight(1), in_count, out_count
        integer :: from(1), to(1), from_weight(1), to_weight(1)
        integer :: ends(ranks), ring(ranks)
        logical :: periods(2), weighted

        dims = [ranks, 1]
        call MPI_Cart_create(world, 2, dims, [.true., .false.], .false., made IERR)
        call MPI_Cart_get(made, 2, dims, periods, coords IERR)
        call check(periods(1) .and. .not. periods(2) .and. dims(1) == ranks, 'cart_create')
        call MPI_Cart_sub(made, [.false., .true.], row IERR)
        call expect_size(row, 1, 'cart_sub')
        call MPI_Comm_free(row IERR)
        call MPI_Comm_free(made IERR)

        ends = [(i, i = 1, ranks)]
        ring = [(mod(i, ranks), i = 1, ranks)]
        call MPI_Graph_create(world, ranks, ends, ring, .false., made IERR)
        call MPI_Graph_neighbors(made, rank, 1, neighbour IERR)
        call check(neighbour(1) == ring(rank + 1), 'graph_create')
        call MPI_Comm_free(made IERR)

        neighbour = rank
        degree = 1
        call MPI_Dist_graph_create(world, 1, neighbour, degree, ring(rank + 1:rank + 1), MPI_UNWEIGHTED, &
                                   MPI_INFO_NULL, .false., made IERR)
        call MPI_Dist_graph_neighbors_count(made, in_count, out_count, weighted IERR)
        call check(in_count == 1 .and. out_count == 1 .and. .not. weighted, 'dist_graph_create')
        call MPI_Comm_free(made IERR)

        neighbour = mod(rank + ranks - 1, ranks)
        weight = 5 + rank
        call MPI_Dist_graph_create_adjacent(world, 1, neighbour, weight, 1, ring(rank + 1:rank + 1), weight, &
                                            MPI_INFO_NULL, .false., made IERR)
        call MPI_Dist_graph_neighbors(made, 1, from, from_weight, 1, to, to_weight IERR)
        call check(from(1) == neighbour(1) .and. to(1) == ring(rank + 1) .and. to_weight(1) == 5 + rank, &
                   'dist_graph_create_adjacent')
        call MPI_Comm_free(made IERR)
    end subroutine
end program
