! Mismatches that return, out of Fortran: by the module mpi, and by mpi_f08.
subroutine by_f08(rank)
  use mpi_f08
  implicit none
  integer, intent(in) :: rank
  integer :: in(4), out(4)
  type(MPI_Comm) :: comm

  in = rank
  call MPI_Comm_dup(MPI_COMM_WORLD, comm)
  call MPI_Comm_set_name(comm, 'f08')
  if (rank == 1) then
    call MPI_Allreduce(in, out, 4, MPI_INTEGER, MPI_MAX, comm) ! site: f08-max
  else
    call MPI_Allreduce(in, out, 4, MPI_INTEGER, MPI_SUM, comm) ! site: f08-sum
  end if
end subroutine

! Ranks that wait for each other's messages: 2 ranks.
subroutine by_messages(rank)
  use mpi
  implicit none
  integer, intent(in) :: rank
  integer :: values(4), requests(2), ierror, status(MPI_STATUS_SIZE)

  values = rank
  call MPI_Sendrecv(values, 1, MPI_INTEGER, 1 - rank, 3, values(2), 1, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, &
                    MPI_COMM_WORLD, status, ierror)
  if (values(2) /= 1 - rank .or. status(MPI_SOURCE) /= 1 - rank .or. status(MPI_TAG) /= 3) call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
  if (rank == 0) then
    call MPI_Recv(values, 1, MPI_INTEGER, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror) ! site: receive
  else
    call MPI_Irecv(values, 1, MPI_INTEGER, 0, 5, MPI_COMM_WORLD, requests(1), ierror)
    call MPI_Irecv(values(2), 1, MPI_INTEGER, 0, 6, MPI_COMM_WORLD, requests(2), ierror)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierror) ! site: waitall
  end if
end subroutine

program guarded
  use mpi
  implicit none
  integer :: rank, comm, ierror, values(4)
  character(len=16) :: what

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call get_command_argument(1, what)
  if (what == 'messages') call by_messages(rank)
  call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierror)
  call MPI_Comm_set_name(comm, 'module', ierror)
  values = rank
  call MPI_Bcast(values, 4, MPI_INTEGER, merge(1, 0, rank == 2), comm, ierror) ! site: module
  call by_f08(rank)
  call MPI_Finalize(ierror)
end program
