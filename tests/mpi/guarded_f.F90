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

program guarded
  use mpi
  implicit none
  integer :: rank, comm, ierror, values(4)

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierror)
  call MPI_Comm_set_name(comm, 'module', ierror)
  values = rank
  call MPI_Bcast(values, 4, MPI_INTEGER, merge(1, 0, rank == 2), comm, ierror) ! site: module
  call by_f08(rank)
  call MPI_Finalize(ierror)
end program
