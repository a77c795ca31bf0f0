! Recording switched from Fortran, and every completion call of Fortran's, for tests/mpi/control.sh.
program control
#if defined(CONTROL_F08)
  use mpi_f08
#elif defined(CONTROL_USEMPI)
  use mpi
#endif
  implicit none
#if defined(CONTROL_MPIF)
  include 'mpif.h'
#endif
#if defined(CONTROL_F08)
  type(MPI_Request) :: requests(3)
#else
  integer :: requests(3)
#endif
  integer :: ierror, me, ranks, sums(3), i, how, done, indices(3), left
  logical :: flag

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  do how = 1, 8
    if (how == 3) call MPI_Pcontrol(0)
    if (how == 5) call MPI_Pcontrol(1)
    if (how == 7) call MPI_Pcontrol(2)
    do i = 1, 3
      call MPI_Iallreduce(me, sums(i), 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, requests(i), ierror)
    end do
    left = 3
    do while (left > 0)
      select case (how)
      case (1)
        call MPI_Wait(requests(left), MPI_STATUS_IGNORE, ierror)
        left = left - 1
      case (2)
        call MPI_Waitall(3, requests, MPI_STATUSES_IGNORE, ierror)
        left = 0
      case (3)
        call MPI_Waitany(3, requests, done, MPI_STATUS_IGNORE, ierror)
        left = left - 1
      case (4)
        call MPI_Waitsome(3, requests, done, indices, MPI_STATUSES_IGNORE, ierror)
        left = left - done
      case (5)
        call MPI_Test(requests(left), flag, MPI_STATUS_IGNORE, ierror)
        if (flag) left = left - 1
      case (6)
        call MPI_Testall(3, requests, flag, MPI_STATUSES_IGNORE, ierror)
        if (flag) left = 0
      case (7)
        call MPI_Testany(3, requests, done, flag, MPI_STATUS_IGNORE, ierror)
        if (flag) left = left - 1
      case default
        call MPI_Testsome(3, requests, done, indices, MPI_STATUSES_IGNORE, ierror)
        left = left - done
      end select
    end do
    do i = 1, 3
      if (sums(i) /= ranks * (ranks - 1) / 2) print '(a)', 'control: wrong sum'
    end do
  end do
  call MPI_Barrier(MPI_COMM_WORLD, ierror)
  print '(a)', 'control: over'
#if defined(CONTROL_F08)
  call MPI_Finalize()
#else
  call MPI_Finalize(ierror)
#endif
end program control
