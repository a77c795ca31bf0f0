! The doors that take strings from Fortran: spawn, spawn_multiple, accept and connect. Compiled with -DDOORS_MPIF and
! -DDOORS_F08; run by tests/mpi/doors.sh. Started again by itself, with arguments, it tells its parents what
! they are.

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
    COMM :: parents
    character(len=256) :: self

    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call get_command_argument(0, self)
    call MPI_Comm_get_parent(parents, ierr)
    if (parents /= MPI_COMM_NULL) then
        call answer()
    else
        call spawn_one_program()
        call spawn_two_programs()
        call spawn_without_arguments()
        call accept_and_connect()
        if (rank == 0) print '(a)', 'results right'
    end if
    call MPI_Finalize(ierr)

contains

    subroutine check(right, what)
        logical, intent(in) :: right
        character(len=*), intent(in) :: what

        if (right) return
        print '(a,i0,2a)', 'rank ', rank, ': wrong result of ', what
        call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
    end subroutine

    ! A child: its number of arguments, and the length and first letter's code of the last, 0 when there is none.
    subroutine answer()
        character(len=64) :: last
        integer :: facts(3), nothing(1)

        last = achar(0)
        if (command_argument_count() > 0) call get_command_argument(command_argument_count(), last)
        facts = [command_argument_count(), merge(len_trim(last), 0, last /= achar(0)), iachar(last(1:1))]
        call MPI_Gather(facts, 3, MPI_INTEGER, nothing, 0, MPI_INTEGER, root, parents, ierr)
        call MPI_Comm_disconnect(parents, ierr)
    end subroutine

    ! What the children say, two of them; then they are left alone.
    subroutine listen(children, facts)
        COMM, intent(inout) :: children
        integer, intent(out) :: facts(6)
        integer :: nothing(1)

        facts = 0
        nothing = 0
        call MPI_Gather(nothing, 0, MPI_INTEGER, facts, 3, MPI_INTEGER, &
                        merge(MPI_ROOT, MPI_PROC_NULL, rank == root), children, ierr)
        call MPI_Comm_disconnect(children, ierr)
    end subroutine

    subroutine spawn_one_program()
        COMM :: children
        character(len=9) :: arguments(3)
        integer :: codes(2), facts(6)

        ! Blanks around an argument do not count, those inside do; elsewhere than at the root anything may stand here.
        arguments = 'x'
        if (rank == root) arguments = [character(len=9) :: '  alpha', 'be ta', '']
        call MPI_Comm_spawn(self, arguments, 2, MPI_INFO_NULL, root, MPI_COMM_WORLD, children, codes, ierr)
        call check(all(codes == MPI_SUCCESS), 'comm_spawn')
        call listen(children, facts)
        if (rank == root) call check(all(facts == [2, 5, iachar('b'), 2, 5, iachar('b')]), 'arguments of comm_spawn')
    end subroutine

    subroutine spawn_two_programs()
        COMM :: children
        character(len=256) :: commands(2)
        character(len=7) :: arguments(2, 3)
        INFO :: infos(2)
        integer :: facts(6)

        commands = self
        infos = MPI_INFO_NULL
        arguments = 'x'
        if (rank == root) then
            arguments(1, :) = [character(len=7) :: 'one', '', '']
            arguments(2, :) = [character(len=7) :: 'two', 'seconds', '']
        end if
        call MPI_Comm_spawn_multiple(merge(2, -7, rank == root), commands, arguments, [1, 1], infos, root, &
                                     MPI_COMM_WORLD, children, MPI_ERRCODES_IGNORE, ierr)
        call listen(children, facts)
        if (rank == root) call check(all(facts == [1, 3, iachar('o'), 2, 7, iachar('s')]), 'comm_spawn_multiple')
    end subroutine

    subroutine spawn_without_arguments()
        COMM :: children
        integer :: facts(6)

        call MPI_Comm_spawn(self, MPI_ARGV_NULL, 2, MPI_INFO_NULL, root, MPI_COMM_WORLD, children, MPI_ERRCODES_IGNORE, &
                            ierr)
        call listen(children, facts)
        call check(all(facts == 0), 'comm_spawn without arguments')
        call MPI_Comm_spawn_multiple(2, [self, self], MPI_ARGVS_NULL, [1, 1], [MPI_INFO_NULL, MPI_INFO_NULL], root, &
                                     MPI_COMM_WORLD, children, MPI_ERRCODES_IGNORE, ierr)
        call listen(children, facts)
        call check(all(facts == 0), 'comm_spawn_multiple without arguments')
    end subroutine

    ! Rank 0 accepts, rank 1 connects.
    subroutine accept_and_connect()
        COMM :: other
        character(len=MPI_MAX_PORT_NAME) :: port
        integer :: others

        if (rank == 0) then
            call MPI_Open_port(MPI_INFO_NULL, port, ierr)
            call MPI_Send(port, len(port), MPI_CHARACTER, 1, 0, MPI_COMM_WORLD, ierr)
            call MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, other, ierr)
            call MPI_Close_port(port, ierr)
        else if (rank == 1) then
            call MPI_Recv(port, len(port), MPI_CHARACTER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
            call MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, other, ierr)
        else
            return
        end if
        call MPI_Comm_remote_size(other, others, ierr)
        call check(others == 1, 'comm_accept and comm_connect')
        call MPI_Comm_disconnect(other, ierr)
    end subroutine
end program
