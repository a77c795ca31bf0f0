! Statements of Fortran, by the plain functions.
program communicate_f
  use iso_c_binding
  use mpi
  implicit none

  interface
    function wm_scope_new(text, file, line) bind(c)
      import
      character(kind=c_char), intent(in) :: text(*), file(*)
      integer(c_int), value :: line
      type(c_ptr) :: wm_scope_new
    end function
    subroutine wm_scope_bind_numbers(scope, name, at, number, dimensions, extents, promises) bind(c)
      import
      type(c_ptr), value :: scope, at
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: number, dimensions, promises
      integer(c_size_t), intent(in) :: extents(*)
    end subroutine
    function wm_scope_communicate_f(scope, comm) bind(c)
      import
      type(c_ptr), value :: scope
      integer(c_int), value :: comm
      integer(c_int) :: wm_scope_communicate_f
    end function
    subroutine wm_scope_free(scope) bind(c)
      import
      type(c_ptr), value :: scope
    end subroutine
  end interface

  integer, parameter :: wm_double = 10
  integer :: rank, ranks, error, i, faults
  real(c_double), allocatable, target :: from(:, :), to(:, :)
  type(c_ptr) :: scope

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  allocate (from(2, ranks), to(2, ranks))
  from(1, :) = [(100 * rank + i, i = 0, ranks - 1)]
  from(2, :) = from(1, :) + 0.5d0
  scope = wm_scope_new("to[j]@i <<= from[i]@j where i, j in world" // c_null_char, "communicate_f.f90" // c_null_char, 44)
  call wm_scope_bind_numbers(scope, "from" // c_null_char, c_loc(from), wm_double, 2, [int(ranks, c_size_t), 2_c_size_t], 1)
  call wm_scope_bind_numbers(scope, "to" // c_null_char, c_loc(to), wm_double, 2, [int(ranks, c_size_t), 2_c_size_t], 1)
  error = wm_scope_communicate_f(scope, MPI_COMM_WORLD)
  faults = 0
  do i = 0, ranks - 1
    if (to(1, i + 1) /= 100 * i + rank .or. to(2, i + 1) /= 100 * i + rank + 0.5d0) faults = faults + 1
  end do
  call wm_scope_free(scope)
  call MPI_Finalize(error)
  if (faults > 0) stop 1
end program
