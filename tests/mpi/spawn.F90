! The doors that take strings from Fortran: spawn, spawn_multiple, accept and connect. Compiled with -DDOORS_MPIF
! and -DDOORS_F08; run by tests/mpi/doors.sh over tests/mpi/pretended_spawn.c, which prints what it is given.

#ifdef DOORS_F08
#define COMM type(MPI_Comm)
#define INFO type(MPI_Info)
#else
#define COMM integer
#define INFO integer
#endif

program spawn
#ifdef DOORS_F08
    use mpi_f08
    implicit none
#else
    implicit none
    include 'mpif.h'
#endif

    integer, parameter :: root = 1
    integer :: ierr, rank
    COMM :: other

    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call spawn_one_program()
    call spawn_two_programs()
    call spawn_without_arguments()
    call accept_and_connect()
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

    subroutine check_other(what)
        character(len=*), intent(in) :: what
        integer :: order

        call MPI_Comm_compare(other, MPI_COMM_WORLD, order, ierr)
        call check(order == MPI_CONGRUENT, what)
        call MPI_Comm_disconnect(other, ierr)
    end subroutine

    ! Blanks around an argument do not count, those inside do; elsewhere than at the root anything may stand here.
    subroutine spawn_one_program()
        character(len=9) :: arguments(3)
        integer :: codes(2)

        arguments = 'x'
        if (rank == root) arguments = [character(len=9) :: '  alpha', 'be ta', '']
        call MPI_Comm_spawn(' program ', arguments, 2, MPI_INFO_NULL, root, MPI_COMM_WORLD, other, codes, ierr)
        call check(all(codes == [10, 11]), 'comm_spawn')
        call check_other('comm_spawn')
    end subroutine

    subroutine spawn_two_programs()
        character(len=6) :: commands(2)
        character(len=7) :: arguments(2, 3)
        integer :: codes(2)
        INFO :: infos(2)

        commands = [character(len=6) :: 'first', 'second']
        infos = MPI_INFO_NULL
        if (rank == root) call MPI_Info_create(infos(2), ierr)
        arguments = 'x'
        if (rank == root) then
            arguments(1, :) = [character(len=7) :: 'one', '', '']
            arguments(2, :) = [character(len=7) :: 'two', 'seconds', '']
        end if
        call MPI_Comm_spawn_multiple(merge(2, -7, rank == root), commands, arguments, [3, 4], infos, root, &
                                     MPI_COMM_WORLD, other, codes, ierr)
        call check(all(codes == [10, 11]), 'comm_spawn_multiple')
        call check_other('comm_spawn_multiple')
        if (rank == root) call MPI_Info_free(infos(2), ierr)
    end subroutine

    subroutine spawn_without_arguments()
        call MPI_Comm_spawn('bare', MPI_ARGV_NULL, 1, MPI_INFO_NULL, root, MPI_COMM_WORLD, other, &
                            MPI_ERRCODES_IGNORE, ierr)
        call check_other('comm_spawn without arguments')
        call MPI_Comm_spawn_multiple(2, ['bare', 'bear'], MPI_ARGVS_NULL, [1, 2], [MPI_INFO_NULL, MPI_INFO_NULL], &
                                     root, MPI_COMM_WORLD, other, MPI_ERRCODES_IGNORE, ierr)
        call check_other('comm_spawn_multiple without arguments')
    end subroutine

    subroutine accept_and_connect()
        character(len=MPI_MAX_PORT_NAME) :: port

        port = 'a port;with 1 name'
        call MPI_Comm_accept(port, MPI_INFO_NULL, root, MPI_COMM_WORLD, other, ierr)
        call check_other('comm_accept')
        call MPI_Comm_connect(port, MPI_INFO_NULL, root, MPI_COMM_WORLD, other, ierr)
        call check_other('comm_connect')
    end subroutine
end program
