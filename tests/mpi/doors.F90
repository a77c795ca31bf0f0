! Every door from Fortran, with results verified: compiled three times, with -DDOORS_MPIF, -DDOORS_USEMPI, -DDOORS_F08.
! Each collective is called once plainly and once in place where that is legal (bcast: from MPI_BOTTOM instead); each
! maker of communicators once. tests/mpi/doors.sh knows how many calls that are.

#ifdef DOORS_F08
#define COMM type(MPI_Comm)
#define DATATYPE type(MPI_Datatype)
#define GROUP type(MPI_Group)
! ierror is optional here, and left out.
#define IERR
#else
#define COMM integer
#define DATATYPE integer
#define GROUP integer
#define IERR , ierr
#endif

program doors
#if defined(DOORS_F08)
    use mpi_f08
    implicit none
#elif defined(DOORS_USEMPI)
    use mpi
    implicit none
#else
    implicit none
    include 'mpif.h'
#endif

    integer, parameter :: root = 1
    integer :: ierr, rank, ranks, i, provided
    COMM :: world

    call MPI_Init_thread(MPI_THREAD_FUNNELED, provided IERR)
    world = MPI_COMM_WORLD
    call MPI_Comm_rank(world, rank IERR)
    call MPI_Comm_size(world, ranks IERR)

    call MPI_Barrier(world IERR)
    call broadcast()
    call reductions()
    call gathers()
    call alltoalls()
    call scans()
    call communicators()
    call topologies()

    if (rank == 0) print '(a)', 'results right'
    call MPI_Finalize(ierr)

contains

    subroutine check(right, what)
        logical, intent(in) :: right
        character(len=*), intent(in) :: what

        if (right) return
        print '(a,i0,2a)', 'rank ', rank, ': wrong result of ', what
        call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
    end subroutine

    subroutine broadcast()
        integer, volatile :: value ! the compiler cannot see that MPI_BOTTOM reaches it
        integer(MPI_ADDRESS_KIND) :: addresses(1)
        integer :: lengths(1)
        DATATYPE :: absolute

        value = rank
        call MPI_Bcast(value, 1, MPI_INTEGER, root, world IERR)
        call check(value == root, 'bcast')

        value = 10 * rank
        call MPI_Get_address(value, addresses(1) IERR)
        lengths(1) = 1
        call MPI_Type_create_hindexed(1, lengths, addresses, MPI_INTEGER, absolute IERR)
        call MPI_Type_commit(absolute IERR)
        call MPI_Bcast(MPI_BOTTOM, 1, absolute, root, world IERR)
        call MPI_Type_free(absolute IERR)
        call check(value == 10 * root, 'bcast from MPI_BOTTOM')
    end subroutine

    subroutine reductions()
        integer :: give(2), got(2), total, counts(ranks), shares(ranks), share(1)

        total = ranks * (ranks - 1) / 2
        give = [rank, 2 * rank]
        got = -1
        call MPI_Reduce(give, got, 2, MPI_INTEGER, MPI_SUM, root, world IERR)
        if (rank == root) call check(all(got == [total, 2 * total]), 'reduce')
        got = give
        if (rank == root) then
            call MPI_Reduce(MPI_IN_PLACE, got, 2, MPI_INTEGER, MPI_SUM, root, world IERR)
            call check(all(got == [total, 2 * total]), 'reduce in place')
        else
            call MPI_Reduce(give, got, 2, MPI_INTEGER, MPI_SUM, root, world IERR)
        end if

        call MPI_Allreduce(give, got, 2, MPI_INTEGER, MPI_SUM, world IERR)
        call check(all(got == [total, 2 * total]), 'allreduce')
        got = give
        call MPI_Allreduce(MPI_IN_PLACE, got, 2, MPI_INTEGER, MPI_SUM, world IERR)
        call check(all(got == [total, 2 * total]), 'allreduce in place')

        counts = 1
        shares = [(rank + i, i = 1, ranks)]
        call MPI_Reduce_scatter(shares, share, counts, MPI_INTEGER, MPI_SUM, world IERR)
        call check(share(1) == total + ranks * (rank + 1), 'reduce_scatter')
        call MPI_Reduce_scatter(MPI_IN_PLACE, shares, counts, MPI_INTEGER, MPI_SUM, world IERR)
        call check(shares(1) == total + ranks * (rank + 1), 'reduce_scatter in place')

        shares = [(rank + i, i = 1, ranks)]
        call MPI_Reduce_scatter_block(shares, share, 1, MPI_INTEGER, MPI_SUM, world IERR)
        call check(share(1) == total + ranks * (rank + 1), 'reduce_scatter_block')
        call MPI_Reduce_scatter_block(MPI_IN_PLACE, shares, 1, MPI_INTEGER, MPI_SUM, world IERR)
        call check(shares(1) == total + ranks * (rank + 1), 'reduce_scatter_block in place')
    end subroutine

    subroutine scans()
        integer :: give(1), got(1)

        give = rank + 1
        call MPI_Scan(give, got, 1, MPI_INTEGER, MPI_SUM, world IERR)
        call check(got(1) == (rank + 1) * (rank + 2) / 2, 'scan')
        got = give
        call MPI_Scan(MPI_IN_PLACE, got, 1, MPI_INTEGER, MPI_SUM, world IERR)
        call check(got(1) == (rank + 1) * (rank + 2) / 2, 'scan in place')
        call MPI_Exscan(give, got, 1, MPI_INTEGER, MPI_SUM, world IERR)
        if (rank > 0) call check(got(1) == rank * (rank + 1) / 2, 'exscan')
        got = give
        call MPI_Exscan(MPI_IN_PLACE, got, 1, MPI_INTEGER, MPI_SUM, world IERR)
        if (rank > 0) call check(got(1) == rank * (rank + 1) / 2, 'exscan in place')
    end subroutine

    ! Gathers and scatters; the v forms use places in reverse order of ranks.
    subroutine gathers()
        integer :: mine(1), everyone(ranks), ones(ranks), backwards(ranks), forth(ranks), back(ranks)

        ones = 1
        backwards = [(ranks - i, i = 1, ranks)]
        forth = [(100 + i, i = 0, ranks - 1)]
        back = forth(ranks:1:-1)

        mine = 100 + rank
        everyone = -1
        call MPI_Gather(mine, 1, MPI_INTEGER, everyone, 1, MPI_INTEGER, root, world IERR)
        if (rank == root) call check(all(everyone == forth), 'gather')
        everyone = -1
        if (rank == root) then
            everyone(rank + 1) = mine(1)
            call MPI_Gather(MPI_IN_PLACE, 0, MPI_INTEGER, everyone, 1, MPI_INTEGER, root, world IERR)
            call check(all(everyone == forth), 'gather in place')
        else
            call MPI_Gather(mine, 1, MPI_INTEGER, everyone, 0, MPI_INTEGER, root, world IERR)
        end if

        everyone = -1
        call MPI_Gatherv(mine, 1, MPI_INTEGER, everyone, ones, backwards, MPI_INTEGER, root, world IERR)
        if (rank == root) call check(all(everyone == back), 'gatherv')
        everyone = -1
        if (rank == root) then
            everyone(ranks - rank) = mine(1)
            call MPI_Gatherv(MPI_IN_PLACE, 0, MPI_INTEGER, everyone, ones, backwards, MPI_INTEGER, root, world IERR)
            call check(all(everyone == back), 'gatherv in place')
        else
            call MPI_Gatherv(mine, 1, MPI_INTEGER, everyone, ones, backwards, MPI_INTEGER, root, world IERR)
        end if

        mine = -1
        call MPI_Scatter(forth, 1, MPI_INTEGER, mine, 1, MPI_INTEGER, root, world IERR)
        call check(mine(1) == 100 + rank, 'scatter')
        mine = -1
        if (rank == root) then
            call MPI_Scatter(forth, 1, MPI_INTEGER, MPI_IN_PLACE, 0, MPI_INTEGER, root, world IERR)
        else
            call MPI_Scatter(forth, 1, MPI_INTEGER, mine, 1, MPI_INTEGER, root, world IERR)
            call check(mine(1) == 100 + rank, 'scatter in place')
        end if

        mine = -1
        call MPI_Scatterv(back, ones, backwards, MPI_INTEGER, mine, 1, MPI_INTEGER, root, world IERR)
        call check(mine(1) == 100 + rank, 'scatterv')
        mine = -1
        if (rank == root) then
            call MPI_Scatterv(back, ones, backwards, MPI_INTEGER, MPI_IN_PLACE, 0, MPI_INTEGER, root, world IERR)
        else
            call MPI_Scatterv(back, ones, backwards, MPI_INTEGER, mine, 1, MPI_INTEGER, root, world IERR)
            call check(mine(1) == 100 + rank, 'scatterv in place')
        end if

        mine = 100 + rank
        everyone = -1
        call MPI_Allgather(mine, 1, MPI_INTEGER, everyone, 1, MPI_INTEGER, world IERR)
        call check(all(everyone == forth), 'allgather')
        everyone = -1
        everyone(rank + 1) = mine(1)
        call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, everyone, 1, MPI_INTEGER, world IERR)
        call check(all(everyone == forth), 'allgather in place')

        everyone = -1
        call MPI_Allgatherv(mine, 1, MPI_INTEGER, everyone, ones, backwards, MPI_INTEGER, world IERR)
        call check(all(everyone == back), 'allgatherv')
        everyone = -1
        everyone(ranks - rank) = mine(1)
        call MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, everyone, ones, backwards, MPI_INTEGER, world IERR)
        call check(all(everyone == back), 'allgatherv in place')
    end subroutine

    ! Rank r sends 100 r + s to rank s.
    subroutine alltoalls()
        integer :: give(ranks), got(ranks), right(ranks), ones(ranks), places(ranks), bytes(ranks)
        integer :: nothing(1)
        DATATYPE :: types(ranks), no_types(1)

        give = [(100 * rank + i, i = 0, ranks - 1)]
        right = [(100 * i + rank, i = 0, ranks - 1)]
        ones = 1
        places = [(i, i = 0, ranks - 1)]
        bytes = 4 * places
        types = MPI_INTEGER
        nothing = 0
        no_types = MPI_DATATYPE_NULL

        got = -1
        call MPI_Alltoall(give, 1, MPI_INTEGER, got, 1, MPI_INTEGER, world IERR)
        call check(all(got == right), 'alltoall')
        got = give
        call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, got, 1, MPI_INTEGER, world IERR)
        call check(all(got == right), 'alltoall in place')

        got = -1
        call MPI_Alltoallv(give, ones, places, MPI_INTEGER, got, ones, places, MPI_INTEGER, world IERR)
        call check(all(got == right), 'alltoallv')
        got = give
        call MPI_Alltoallv(MPI_IN_PLACE, nothing, nothing, MPI_DATATYPE_NULL, got, ones, places, MPI_INTEGER, &
                           world IERR)
        call check(all(got == right), 'alltoallv in place')

        got = -1
        call MPI_Alltoallw(give, ones, bytes, types, got, ones, bytes, types, world IERR)
        call check(all(got == right), 'alltoallw')
        got = give
        call MPI_Alltoallw(MPI_IN_PLACE, nothing, nothing, no_types, got, ones, bytes, types, world IERR)
        call check(all(got == right), 'alltoallw in place')
    end subroutine

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
        integer :: colour, remote

        call MPI_Comm_dup(world, made IERR)
        call expect_size(made, ranks, 'comm_dup')
        call MPI_Comm_free(made IERR)
        call check(made == MPI_COMM_NULL, 'comm_free')

        call MPI_Comm_dup_with_info(world, MPI_INFO_NULL, made IERR)
        call expect_size(made, ranks, 'comm_dup_with_info')
        call MPI_Comm_disconnect(made IERR)
        call check(made == MPI_COMM_NULL, 'comm_disconnect')

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
