! Collectives from Fortran: compiled three times, with -DDOORS_MPIF, -DDOORS_USEMPI, -DDOORS_F08; with -DDOORS_PERSISTENT
! where the MPI library has persistent collectives.
! Numbers whose sums are exact, an operator that does not commute, MPI_IN_PLACE and MPI_BOTTOM, every root, split communicators;
! nonblocking ones among messages, completed in every way there is, with types and operators freed before that.

#ifdef DOORS_F08
#define COMM type(MPI_Comm)
#define DATATYPE type(MPI_Datatype)
#define OPERATOR type(MPI_Op)
#define REQUEST type(MPI_Request)
#define STATUSES(name, count) type(MPI_Status) :: name(count)
#define STATUS_AT(name, i) name(i)
#define SOURCE_AT(name, i) name(i)%MPI_SOURCE
#define TAG_AT(name, i) name(i)%MPI_TAG
#define IERR
#else
#define COMM integer
#define DATATYPE integer
#define OPERATOR integer
#define REQUEST integer
#define STATUSES(name, count) integer :: name(MPI_STATUS_SIZE, count)
#define STATUS_AT(name, i) name(:, i)
#define SOURCE_AT(name, i) name(MPI_SOURCE, i)
#define TAG_AT(name, i) name(MPI_TAG, i)
#define IERR , ierr
#endif

module affine
#ifdef DOORS_F08
    use mpi_f08
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
#endif
    implicit none

contains

    ! Elements are pairs (a, b) that stand for x -> a x + b modulo 10007; left after right, as matrices multiply.
    subroutine compose(left, right, values)
        integer, intent(in) :: values
        integer, intent(in) :: left(values)
        integer, intent(inout) :: right(values)
        integer :: i

        do i = 1, values, 2
            right(i + 1) = mod(left(i) * right(i + 1) + left(i + 1), 10007)
            right(i) = mod(left(i) * right(i), 10007)
        end do
    end subroutine

#ifdef DOORS_F08
    subroutine affine_operator(left, right, length, datatype)
        type(c_ptr), value :: left, right
        integer :: length
        type(MPI_Datatype) :: datatype
        integer, pointer :: l(:), r(:)

        call c_f_pointer(left, l, [2 * length])
        call c_f_pointer(right, r, [2 * length])
        call compose(l, r, 2 * length)
    end subroutine
#else
    subroutine affine_operator(left, right, length, datatype)
        integer :: length, datatype
        integer :: left(2 * length), right(2 * length)

        call compose(left, right, 2 * length)
    end subroutine
#endif
end module

program collectives_f
#if defined(DOORS_F08)
    use mpi_f08
#ifdef DOORS_PERSISTENT
    use mpi_f08_ext
#endif
    use affine
    implicit none
#elif defined(DOORS_USEMPI)
    use mpi
#ifdef DOORS_PERSISTENT
    use mpi_ext
#endif
    use affine
    implicit none
#else
    use affine
    implicit none
    include 'mpif.h'
#endif

    integer :: ierr, rank, ranks, world_rank
    integer, parameter :: sizes(6) = [1, 2, 7, 100, 3000, 20000]
    integer, parameter :: begun_sizes(4) = [1, 7, 300, 3000]
    integer, parameter :: tag = 5
    character(len=16) :: planned
    COMM :: part

    call get_environment_variable('COLLECTIVES_PLANNED', planned)
    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, world_rank IERR)
    call exercise(MPI_COMM_WORLD)
    call MPI_Comm_split(MPI_COMM_WORLD, mod(world_rank, 2), -world_rank, part IERR)
    call exercise(part)
    call MPI_Comm_free(part IERR)
    call MPI_Comm_dup(MPI_COMM_WORLD, part IERR)
    call exercise(part)
    call MPI_Comm_free(part IERR)
    if (world_rank == 0) print '(a)', 'results right'
    call MPI_Finalize(ierr)

contains

    subroutine check(right, what, root)
        logical, intent(in) :: right
        character(len=*), intent(in) :: what
        integer, intent(in) :: root

        if (right) return
        print '(a,i0,3a,i0,a,i0,a)', 'rank ', rank, ': wrong result of ', what, ', root ', root, ' of ', ranks, ' ranks'
        call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
    end subroutine

    subroutine exercise(comm)
        COMM, intent(in) :: comm
        integer :: i, root

        call MPI_Comm_rank(comm, rank IERR)
        call MPI_Comm_size(comm, ranks IERR)
        do i = 1, size(sizes)
            do root = 0, ranks - 1
                call numbers(comm, sizes(i), root)
                call pairs(comm, sizes(i), root)
            end do
            call MPI_Barrier(comm IERR)
        end do
        call bottom(comm)
        do i = 1, size(begun_sizes)
            call together(comm, begun_sizes(i), .true.)
            call together(comm, begun_sizes(i), .false.)
            call in_turn(comm, begun_sizes(i), .true.)
            call in_turn(comm, begun_sizes(i), .false.)
            call tested(comm, begun_sizes(i))
#ifdef DOORS_PERSISTENT
            call prepared(comm, begun_sizes(i))
#endif
        end do
        call along_edges(comm)
    end subroutine

    function share_of(member, count) result(values)
        integer, intent(in) :: member, count
        double precision :: values(count)
        integer :: i

        values = [(dble(mod(7 * i + 3 * member, 11)), i = 1, count)]
    end function

    function total_of(members, count) result(values)
        integer, intent(in) :: members, count
        double precision :: values(count)
        integer :: member

        values = 0
        do member = 0, members - 1
            values = values + share_of(member, count)
        end do
    end function

    subroutine numbers(comm, count, root)
        COMM, intent(in) :: comm
        integer, intent(in) :: count, root
        double precision, allocatable :: mine(:), got(:), total(:)

        mine = share_of(rank, count)
        got = mine
        call MPI_Bcast(got, count, MPI_DOUBLE_PRECISION, root, comm IERR)
        call check(all(got == share_of(root, count)), 'bcast', root)

        total = total_of(ranks, count)
        got = -1
        call MPI_Allreduce(mine, got, count, MPI_DOUBLE_PRECISION, MPI_SUM, comm IERR)
        call check(all(got == total), 'allreduce', root)
        got = mine
        call MPI_Allreduce(MPI_IN_PLACE, got, count, MPI_DOUBLE_PRECISION, MPI_SUM, comm IERR)
        call check(all(got == total), 'allreduce in place', root)

        got = mine
        if (rank == root) then
            call MPI_Reduce(MPI_IN_PLACE, got, count, MPI_DOUBLE_PRECISION, MPI_SUM, root, comm IERR)
            call check(all(got == total), 'reduce in place', root)
        else
            call MPI_Reduce(mine, got, count, MPI_DOUBLE_PRECISION, MPI_SUM, root, comm IERR)
            call check(all(got == mine), 'reduce, not at the root', root)
        end if
    end subroutine

    function affine_of(member, count) result(values)
        integer, intent(in) :: member, count
        integer :: values(2 * count)
        integer :: i

        values = [(mod(5 * i + 17 * member, 101) + 1, i = 1, 2 * count)]
    end function

    function composed(count) result(values)
        integer, intent(in) :: count
        integer :: values(2 * count)
        integer :: member

        values = affine_of(ranks - 1, count)
        do member = ranks - 2, 0, -1
            call compose(affine_of(member, count), values, 2 * count)
        end do
    end function

    subroutine pairs(comm, count, root)
        COMM, intent(in) :: comm
        integer, intent(in) :: count, root
        integer, allocatable :: mine(:), got(:), answer(:)
        OPERATOR :: operation
        DATATYPE :: pair

        call MPI_Type_contiguous(2, MPI_INTEGER, pair IERR)
        call MPI_Type_commit(pair IERR)
        call MPI_Op_create(affine_operator, .false., operation IERR)
        mine = affine_of(rank, count)
        answer = composed(count)
        allocate (got(2 * count))
        got = -1
        call MPI_Reduce(mine, got, count, pair, operation, root, comm IERR)
        if (rank == root) call check(all(got == answer), 'reduce by an operator that does not commute', root)
        got = -1
        call MPI_Allreduce(mine, got, count, pair, operation, comm IERR)
        call check(all(got == answer), 'allreduce by an operator that does not commute', root)
        call MPI_Op_free(operation IERR)
        call MPI_Type_free(pair IERR)
    end subroutine

    ! Absolute addresses: an array of every third integer, its gaps left alone.
    subroutine bottom(comm)
        COMM, intent(in) :: comm
        integer, volatile :: values(30)
        integer(MPI_ADDRESS_KIND) :: address(1)
        integer :: lengths(1)
        DATATYPE :: strided, absolute

        values = rank
        call MPI_Type_vector(10, 1, 3, MPI_INTEGER, strided IERR)
        call MPI_Get_address(values, address(1) IERR)
        lengths(1) = 1
        call MPI_Type_create_hindexed(1, lengths, address, strided, absolute IERR)
        call MPI_Type_commit(absolute IERR)
        call MPI_Bcast(MPI_BOTTOM, 1, absolute, ranks - 1, comm IERR)
        call check(all(values(1:30:3) == ranks - 1), 'bcast from MPI_BOTTOM', ranks - 1)
        call check(all(values(2:30:3) == rank) .and. all(values(3:30:3) == rank), 'gaps of a bcast', ranks - 1)
        call MPI_Type_free(absolute IERR)
        call MPI_Type_free(strided IERR)
    end subroutine

    ! Nonblocking. Buffers are volatile: the compiler cannot see who changes them, nor when.

    subroutine check_null(requests, what)
        REQUEST, intent(in) :: requests(:)
        character(len=*), intent(in) :: what
        integer :: i

        do i = 1, size(requests)
            call check(requests(i) == MPI_REQUEST_NULL, what, -1)
        end do
    end subroutine

    ! What of member `member` stands in the root's buffer of a gatherv: min(count, member + 1) numbers, one left free behind.
    subroutine gathered_places(count, counts, places, room)
        integer, intent(in) :: count
        integer, volatile, intent(out) :: counts(ranks), places(ranks)
        integer, intent(out) :: room
        integer :: member

        room = 0
        do member = 0, ranks - 1
            counts(member + 1) = min(count, member + 1)
            places(member + 1) = room
            room = room + counts(member + 1) + 1
        end do
    end subroutine

    function gathered_of(count) result(values)
        integer, intent(in) :: count
        double precision :: values(ranks * (ranks + 3) / 2)
        integer, volatile :: counts(ranks), places(ranks)
        integer :: member, room

        values = -1
        call gathered_places(count, counts, places, room)
        do member = 0, ranks - 1
            values(places(member + 1) + 1:places(member + 1) + counts(member + 1)) = share_of(member, counts(member + 1))
        end do
    end function

    ! Collectives among messages, all completed at once; the receive's status tells of the message.
    subroutine together(comm, count, in_place)
        COMM, intent(in) :: comm
        integer, intent(in) :: count
        logical, intent(in) :: in_place
        double precision, volatile :: mine(count), from_left(count), total(count), summed(count), shared(count)
        double precision, volatile :: gathered(ranks * (ranks + 3) / 2)
        integer, volatile :: counts(ranks), places(ranks)
        integer :: root, left, room, received
        REQUEST :: requests(8)
        DATATYPE :: block
        STATUSES(statuses, 8)

        root = ranks - 1
        left = mod(rank + ranks - 1, ranks)
        mine = share_of(rank, count)
        summed = mine
        shared = mine
        from_left = -1
        total = -1
        gathered = -1
        call gathered_places(count, counts, places, room)
        if (in_place .and. rank == root) then
            gathered(places(rank + 1) + 1:places(rank + 1) + counts(rank + 1)) = share_of(rank, counts(rank + 1))
        end if
        call MPI_Type_contiguous(count, MPI_DOUBLE_PRECISION, block IERR)
        call MPI_Type_commit(block IERR)

        call MPI_Irecv(from_left, count, MPI_DOUBLE_PRECISION, left, tag, comm, requests(1) IERR)
        call MPI_Iallreduce(mine, total, count, MPI_DOUBLE_PRECISION, MPI_SUM, comm, requests(2) IERR)
        call MPI_Isend(mine, count, MPI_DOUBLE_PRECISION, mod(rank + 1, ranks), tag, comm, requests(3) IERR)
        call MPI_Ibcast(shared, 1, block, root, comm, requests(4) IERR)
        call MPI_Type_free(block IERR)
        if (in_place .and. rank == root) then
            call MPI_Igatherv(MPI_IN_PLACE, 0, MPI_DOUBLE_PRECISION, gathered, counts, places, MPI_DOUBLE_PRECISION, root, &
                              comm, requests(5) IERR)
        else
            call MPI_Igatherv(mine, counts(rank + 1), MPI_DOUBLE_PRECISION, gathered, counts, places, MPI_DOUBLE_PRECISION, &
                              root, comm, requests(5) IERR)
        end if
        requests(6) = MPI_REQUEST_NULL
        call MPI_Iallreduce(MPI_IN_PLACE, summed, count, MPI_DOUBLE_PRECISION, MPI_SUM, comm, requests(7) IERR)
        call MPI_Ibarrier(comm, requests(8) IERR)

        if (in_place) then
            call MPI_Waitall(8, requests, MPI_STATUSES_IGNORE IERR)
        else
            call MPI_Waitall(8, requests, statuses IERR)
            call MPI_Get_count(STATUS_AT(statuses, 1), MPI_DOUBLE_PRECISION, received IERR)
            call check(SOURCE_AT(statuses, 1) == left .and. TAG_AT(statuses, 1) == tag .and. received == count, &
                       'waitall: the status of a message', root)
        end if
        call check_null(requests, 'waitall: requests left')
        call check(all(from_left == share_of(left, count)), 'a message among collectives', root)
        call check(all(total == total_of(ranks, count)), 'iallreduce', root)
        call check(all(summed == total_of(ranks, count)), 'iallreduce in place', root)
        call check(all(shared == share_of(root, count)), 'ibcast of a type that is freed', root)
        if (rank == root) call check(all(gathered == gathered_of(count)), 'igatherv', root)
    end subroutine

    ! Every second integer of a row for each member goes; what comes stands close together. Open MPI 4.1.4's own
    ! mpi_ialltoallw keeps an array of types that it has freed, and reads it in the end unless all are predefined.
    subroutine begin_alltoallw(comm, count, give, got, counts, to_counts, to, from, types, to_types, request)
        COMM, intent(in) :: comm
        integer, intent(in) :: count
        integer, volatile :: give(2 * count * ranks), got(count * ranks)
        integer, volatile :: counts(ranks), to_counts(ranks), to(ranks), from(ranks)
        DATATYPE, volatile :: types(ranks), to_types(ranks)
        REQUEST, intent(out) :: request
        DATATYPE :: strided(ranks)
        integer :: i, member, bytes

        call MPI_Type_size(MPI_INTEGER, bytes IERR)
        give = -2
        got = -1
        do member = 0, ranks - 1
            give(2 * count * member + 1:2 * count * (member + 1):2) = [(1000 * rank + 31 * member + mod(i, 7), i = 1, count)]
            to(member + 1) = 2 * count * member * bytes
            from(member + 1) = count * member * bytes
            call MPI_Type_vector(count, 1, 2, MPI_INTEGER, strided(member + 1) IERR)
            call MPI_Type_commit(strided(member + 1) IERR)
        end do
        counts = 1
        types = strided
        to_counts = count
        to_types = MPI_INTEGER
        if (planned /= 'all') then
            do member = 0, ranks - 1
                give(2 * count * member + 1:2 * count * member + count) = give(2 * count * member + 1:2 * count * (member + 1):2)
            end do
            counts = count
            types = MPI_INTEGER
        end if
        call MPI_Ialltoallw(give, counts, to, types, got, to_counts, from, to_types, comm, request IERR)
        do member = 1, ranks ! the handles passed stay as they are
            call MPI_Type_free(strided(member) IERR)
        end do
    end subroutine

    logical function alltoallw_right(count, got)
        integer, intent(in) :: count
        integer, intent(in) :: got(count * ranks)
        integer :: i, member

        alltoallw_right = .true.
        do member = 0, ranks - 1
            alltoallw_right = alltoallw_right .and. &
                all(got(count * member + 1:count * (member + 1)) == [(1000 * member + 31 * rank + mod(i, 7), i = 1, count)])
        end do
    end function

    ! Completed one by one, by waitany, or as many as there are, by waitsome: each once.
    subroutine in_turn(comm, count, any)
        COMM, intent(in) :: comm
        integer, intent(in) :: count
        logical, intent(in) :: any
        double precision, volatile :: mine(count), prefix(count), shares(count * ranks + ranks), part(count + 1)
        double precision, volatile :: from_right(count)
        integer, volatile :: maps(2 * count), answer(2 * count), part_counts(ranks)
        integer, volatile :: give(2 * count * ranks), got(count * ranks)
        integer, volatile :: counts(ranks), to_counts(ranks), to(ranks), from(ranks)
        DATATYPE, volatile :: types(ranks), to_types(ranks)
        DATATYPE :: pair
        OPERATOR :: operation
        REQUEST :: requests(7)
        STATUSES(status, 7)
        integer :: i, right, at, index, completed, indices(7), first
        logical :: done(7)

        right = mod(rank + 1, ranks)
        mine = share_of(rank, count)
        maps = affine_of(rank, count)
        part_counts = [(count + mod(i, 2), i = 1, ranks)]
        first = sum(part_counts(1:rank))
        shares(1:sum(part_counts)) = share_of(rank, sum(part_counts))
        call MPI_Type_contiguous(2, MPI_INTEGER, pair IERR)
        call MPI_Type_commit(pair IERR)
        call MPI_Op_create(affine_operator, .false., operation IERR)

        call MPI_Iscan(mine, prefix, count, MPI_DOUBLE_PRECISION, MPI_SUM, comm, requests(1) IERR)
        call MPI_Ireduce_scatter(shares, part, part_counts, MPI_DOUBLE_PRECISION, MPI_SUM, comm, requests(2) IERR)
        call begin_alltoallw(comm, count, give, got, counts, to_counts, to, from, types, to_types, requests(3))
        call MPI_Irecv(from_right, count, MPI_DOUBLE_PRECISION, right, tag, comm, requests(4) IERR)
        call MPI_Iallreduce(maps, answer, count, pair, operation, comm, requests(5) IERR)
        call MPI_Op_free(operation IERR)
        call MPI_Type_free(pair IERR)
        call MPI_Isend(mine, count, MPI_DOUBLE_PRECISION, mod(rank + ranks - 1, ranks), tag, comm, requests(6) IERR)
        requests(7) = MPI_REQUEST_NULL

        done = .false.
        done(7) = .true.
        do
            completed = 1
            if (any) then
                call MPI_Waitany(7, requests, index, STATUS_AT(status, 1) IERR)
                if (index == MPI_UNDEFINED) exit
                indices(1) = index
            else
                call MPI_Waitsome(7, requests, completed, indices, status IERR)
                if (completed == MPI_UNDEFINED) exit
            end if
            do at = 1, completed
                index = indices(at)
                call check(index >= 1 .and. index <= 7, 'waitany or waitsome: an index', -1)
                call check(.not. done(index), 'waitany or waitsome: a request that is done already', -1)
                done(index) = .true.
                if (index == 4) call check(SOURCE_AT(status, at) == right .and. TAG_AT(status, at) == tag, &
                                           'waitany or waitsome: the status of a message', -1)
                select case (index)
                case (1)
                    call check(all(prefix == total_of(rank + 1, count)), 'iscan', -1)
                case (2)
                    call check(all(part(1:part_counts(rank + 1)) == part_of(first, part_counts(rank + 1))), &
                               'ireduce_scatter', -1)
                case (3)
                    call check(alltoallw_right(count, got), 'ialltoallw', -1)
                case (4)
                    call check(all(from_right == share_of(right, count)), 'a message in turn', -1)
                case (5)
                    call check(all(answer == composed(count)), 'iallreduce by an operator that is freed', -1)
                end select
            end do
        end do
        call check(all(done), 'waitany or waitsome: requests that never were done', -1)
        call check_null(requests, 'waitany or waitsome: requests left')
    end subroutine

    ! Numbers first+1 … first+count of everyone's shares, summed.
    function part_of(first, count) result(values)
        integer, intent(in) :: first, count
        double precision :: values(count), whole(first + count)

        whole = total_of(ranks, first + count)
        values = whole(first + 1:first + count)
    end function

    ! MPI_Wait, MPI_Test and MPI_Testall; a blocking collective, and a send whose request is given up, in between.
    subroutine tested(comm, count)
        COMM, intent(in) :: comm
        integer, intent(in) :: count
        double precision, volatile :: mine(count), prefix(count), total(count), from_left(count), shared(count)
        REQUEST :: request, requests(3)
        STATUSES(status, 3)
        logical :: flag
        integer :: left

        left = mod(rank + ranks - 1, ranks)
        mine = share_of(rank, count)
        shared = mine
        total = -1
        from_left = -1
        call MPI_Iallreduce(mine, total, count, MPI_DOUBLE_PRECISION, MPI_SUM, comm, request IERR)
        call MPI_Bcast(shared, count, MPI_DOUBLE_PRECISION, 0, comm IERR)
        call check(all(shared == share_of(0, count)), 'bcast beside an iallreduce', 0)
        call MPI_Wait(request, STATUS_AT(status, 1) IERR)
        call check(request == MPI_REQUEST_NULL, 'wait: a request left', -1)
        call check(all(total == total_of(ranks, count)), 'iallreduce, waited for', -1)

        prefix = mine
        call MPI_Iscan(MPI_IN_PLACE, prefix, count, MPI_DOUBLE_PRECISION, MPI_SUM, comm, request IERR)
        flag = .false.
        do while (.not. flag)
            call MPI_Test(request, flag, MPI_STATUS_IGNORE IERR)
        end do
        call check(request == MPI_REQUEST_NULL, 'test: a request left', -1)
        call check(all(prefix == total_of(rank + 1, count)), 'iscan in place, tested', -1)

        total = -1
        shared = mine
        call MPI_Irecv(from_left, count, MPI_DOUBLE_PRECISION, left, tag, comm, requests(1) IERR)
        call MPI_Iallreduce(mine, total, count, MPI_DOUBLE_PRECISION, MPI_SUM, comm, requests(2) IERR)
        call MPI_Ibcast(shared, count, MPI_DOUBLE_PRECISION, ranks - 1, comm, requests(3) IERR)
        call MPI_Isend(mine, count, MPI_DOUBLE_PRECISION, mod(rank + 1, ranks), tag, comm, request IERR)
        call MPI_Request_free(request IERR)
        call check(request == MPI_REQUEST_NULL, 'request_free', -1)
        flag = .false.
        do while (.not. flag)
            call MPI_Testall(3, requests, flag, status IERR)
        end do
        call check(SOURCE_AT(status, 1) == left .and. TAG_AT(status, 1) == tag, 'testall: the status of a message', -1)
        call check_null(requests, 'testall: requests left')
        call check(all(from_left == share_of(left, count)), 'a message whose send is given up', -1)
        call check(all(total == total_of(ranks, count)), 'iallreduce, tested', -1)
        call check(all(shared == share_of(ranks - 1, count)), 'ibcast, tested', -1)
        call MPI_Barrier(comm IERR) ! everyone has what was sent
    end subroutine

    ! A grid, closed where that gives a rank two neighbours; it is freed before its exchange is complete.
    subroutine along_edges(comm)
        COMM, intent(in) :: comm
        COMM :: grid
        REQUEST :: request
        integer :: dims(2), neighbours(4), i
        integer, volatile :: give(4), got(4)
        logical :: periods(2)

        dims = 0
        call MPI_Dims_create(ranks, 2, dims IERR)
        periods = [dims(1) > 2, dims(2) > 2]
        call MPI_Cart_create(comm, 2, dims, periods, .false., grid IERR)
        do i = 0, 1
            call MPI_Cart_shift(grid, i, 1, neighbours(2 * i + 1), neighbours(2 * i + 2) IERR)
        end do
        give = 10 * rank + [1, 2, 3, 4]
        got = -1
        call MPI_Ineighbor_alltoall(give, 1, MPI_INTEGER, got, 1, MPI_INTEGER, grid, request IERR)
        call MPI_Comm_free(grid IERR)
        call MPI_Wait(request, MPI_STATUS_IGNORE IERR)
        do i = 1, 4 ! what goes one way comes from the other: 1 and 2, 3 and 4 change places
            if (neighbours(i) == MPI_PROC_NULL) then
                call check(got(i) == -1, 'ineighbor_alltoall: from nobody', -1)
            else
                call check(got(i) == 10 * neighbours(i) + ieor(i - 1, 1) + 1, 'ineighbor_alltoall', -1)
            end if
        end do
    end subroutine

#ifdef DOORS_PERSISTENT
    ! The same calls thrice with other numbers, started together with messages, or alone. Open MPI 4.1.4's own persistent
    ! collectives read a type that was freed meanwhile.
    subroutine prepared(comm, count)
        COMM, intent(in) :: comm
        integer, intent(in) :: count
        double precision, volatile :: mine(count), from_left(count), total(count), shared(count), prefix(count)
        REQUEST :: requests(5)
        DATATYPE :: block
        integer :: left, turn, i, index
        logical :: flag

        left = mod(rank + ranks - 1, ranks)
        call MPI_Type_contiguous(count, MPI_DOUBLE_PRECISION, block IERR)
        call MPI_Type_commit(block IERR)
        call MPI_Recv_init(from_left, count, MPI_DOUBLE_PRECISION, left, tag, comm, requests(1) IERR)
        call MPIX_Allreduce_init(mine, total, count, MPI_DOUBLE_PRECISION, MPI_SUM, comm, MPI_INFO_NULL, requests(2) IERR)
        call MPI_Send_init(mine, count, MPI_DOUBLE_PRECISION, mod(rank + 1, ranks), tag, comm, requests(3) IERR)
        call MPIX_Bcast_init(shared, 1, block, ranks - 1, comm, MPI_INFO_NULL, requests(4) IERR)
        call MPIX_Scan_init(MPI_IN_PLACE, prefix, count, MPI_DOUBLE_PRECISION, MPI_SUM, comm, MPI_INFO_NULL, requests(5) IERR)
        if (planned == 'all') call MPI_Type_free(block IERR)
        do turn = 1, 3
            mine = turn * share_of(rank, count)
            shared = mine
            prefix = mine
            total = -1
            from_left = -1
            if (turn == 2) then
                do i = 1, 5
                    call MPI_Start(requests(i) IERR)
                end do
            else
                call MPI_Startall(5, requests IERR)
            end if
            select case (turn)
            case (1)
                call MPI_Waitall(5, requests, MPI_STATUSES_IGNORE IERR)
            case (2)
                do i = 1, 5
                    call MPI_Waitany(5, requests, index, MPI_STATUS_IGNORE IERR)
                    call check(index >= 1 .and. index <= 5, 'waitany: an index', -1)
                end do
                call MPI_Waitany(5, requests, index, MPI_STATUS_IGNORE IERR)
                call check(index == MPI_UNDEFINED, 'waitany: none is active', -1)
            case (3)
                flag = .false.
                do while (.not. flag)
                    call MPI_Testall(5, requests, flag, MPI_STATUSES_IGNORE IERR)
                end do
            end select
            call check(all(from_left == turn * share_of(left, count)), 'a message beside persistent collectives', -1)
            call check(all(total == turn * total_of(ranks, count)), 'persistent allreduce', -1)
            call check(all(shared == turn * share_of(ranks - 1, count)), 'persistent bcast of a type that is freed', -1)
            call check(all(prefix == turn * total_of(rank + 1, count)), 'persistent scan in place', -1)
        end do
        do i = 1, 5
            call MPI_Request_free(requests(i) IERR)
        end do
        if (planned /= 'all') call MPI_Type_free(block IERR)
        call check_null(requests, 'request_free of a persistent request')
    end subroutine
#endif
end program
