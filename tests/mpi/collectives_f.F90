! bcast, reduce, allreduce and barrier from Fortran: compiled three times, with -DDOORS_MPIF, -DDOORS_USEMPI, -DDOORS_F08.
! Numbers whose sums are exact, an operator that does not commute, MPI_IN_PLACE and MPI_BOTTOM, every root, split communicators.

#ifdef DOORS_F08
#define COMM type(MPI_Comm)
#define DATATYPE type(MPI_Datatype)
#define OPERATOR type(MPI_Op)
#define IERR
#else
#define COMM integer
#define DATATYPE integer
#define OPERATOR integer
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
    use affine
    implicit none
#elif defined(DOORS_USEMPI)
    use mpi
    use affine
    implicit none
#else
    use affine
    implicit none
    include 'mpif.h'
#endif

    integer :: ierr, rank, ranks, world_rank
    integer, parameter :: sizes(6) = [1, 2, 7, 100, 3000, 20000]
    COMM :: part

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
    end subroutine

    function share_of(member, count) result(values)
        integer, intent(in) :: member, count
        double precision :: values(count)
        integer :: i

        values = [(dble(mod(7 * i + 3 * member, 11)), i = 1, count)]
    end function

    subroutine numbers(comm, count, root)
        COMM, intent(in) :: comm
        integer, intent(in) :: count, root
        double precision, allocatable :: mine(:), got(:), total(:)
        integer :: member

        mine = share_of(rank, count)
        got = mine
        call MPI_Bcast(got, count, MPI_DOUBLE_PRECISION, root, comm IERR)
        call check(all(got == share_of(root, count)), 'bcast', root)

        total = share_of(0, count)
        do member = 1, ranks - 1
            total = total + share_of(member, count)
        end do
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

    subroutine pairs(comm, count, root)
        COMM, intent(in) :: comm
        integer, intent(in) :: count, root
        integer, allocatable :: mine(:), got(:), answer(:)
        integer :: member
        OPERATOR :: operation
        DATATYPE :: pair

        call MPI_Type_contiguous(2, MPI_INTEGER, pair IERR)
        call MPI_Type_commit(pair IERR)
        call MPI_Op_create(affine_operator, .false., operation IERR)
        mine = affine_of(rank, count)
        answer = affine_of(ranks - 1, count)
        do member = ranks - 2, 0, -1
            call compose(affine_of(member, count), answer, 2 * count)
        end do
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
end program
