! Heat in a square, by Jacobi's iteration of 5 points, in Fortran with mpi_f08: ranks are a cartesian grid, each has a block with
! a rim around it, which gets the neighbours' outermost lines before each step.
include 'waymark/superblock.f90'

module heat
  use, intrinsic :: iso_fortran_env, only: real64, int64
  use mpi_f08
  use waymark_superblock
  implicit none

  integer, parameter :: original = 1, overlap = 2, nocomm = 3
  character(8), parameter :: variants(3) = ['original', 'overlap ', 'nocomm  ']
  integer, parameter :: largest = 16384

  ! Some of the points: those behind the first ones of each dimension, and a rim of others.
  type region
    integer :: first(2), n(2)
    real(real64), allocatable :: now(:, :), next(:, :)
  end type

  integer :: rank, ranks, length = 512, iterations = 50, variant = original
  type(region), asynchronous :: mine
  type(MPI_Comm) :: grid
  type(MPI_Datatype) :: column, row
  integer :: left, right, above, below ! neighbours

contains

  real(real64) pure function heat_at_first(i, j)
    integer, intent(in) :: i, j

    heat_at_first = real(mod(i * 7919_int64 + j * 104729_int64, 1009_int64), real64) / 1009
  end function

  subroutine fill(part, first, n)
    type(region), intent(out) :: part
    integer, intent(in) :: first(2), n(2)
    integer :: i, j

    part%first = first
    part%n = n
    allocate (part%now(0:n(1) + 1, 0:n(2) + 1))
    do j = 0, n(2) + 1
      do i = 0, n(1) + 1
        part%now(i, j) = heat_at_first(first(1) + i, first(2) + j)
      end do
    end do
    allocate (part%next, source=part%now)
  end subroutine

  subroutine sweep(part, i1, i2, j1, j2)
    type(region), intent(inout) :: part
    integer, intent(in) :: i1, i2, j1, j2
    integer :: i, j

    do j = j1, j2
      do i = i1, i2
        part%next(i, j) = 0.6_real64 * part%now(i, j) + 0.1_real64 * (part%now(i - 1, j) + part%now(i + 1, j) &
                                                                     + part%now(i, j - 1) + part%now(i, j + 1))
      end do
    end do
  end subroutine

  subroutine swap(part)
    type(region), intent(inout) :: part
    real(real64), allocatable :: was(:, :)

    call move_alloc(part%now, was)
    call move_alloc(part%next, part%now)
    call move_alloc(was, part%next)
  end subroutine

  ! ---- messages ----

  ! False: there are more ranks along a side than points.
  logical function begin()
    integer :: sides(2), at(2), n(2)

    sides = 0
    call MPI_Dims_create(ranks, 2, sides)
    begin = all(sides <= length)
    if (.not. begin) return
    call MPI_Cart_create(MPI_COMM_WORLD, 2, sides, [.false., .false.], .true., grid)
    call MPI_Comm_rank(grid, rank)
    call MPI_Cart_coords(grid, rank, 2, at)
    call MPI_Cart_shift(grid, 0, 1, above, below)
    call MPI_Cart_shift(grid, 1, 1, left, right)
    if (variant == nocomm) then
      above = MPI_PROC_NULL; below = MPI_PROC_NULL; left = MPI_PROC_NULL; right = MPI_PROC_NULL
    end if
    n = length * (at + 1) / sides - length * at / sides
    call fill(mine, length * at / sides, n)
    call MPI_Type_contiguous(n(1), MPI_REAL8, column)
    call MPI_Type_vector(n(2), 1, n(1) + 2, MPI_REAL8, row)
    call MPI_Type_commit(column)
    call MPI_Type_commit(row)
  end function

  subroutine receive_rims(requests)
    type(MPI_Request), intent(out) :: requests(4)

    call MPI_Irecv(mine%now(1, 0), 1, column, left, 1, grid, requests(1))
    call MPI_Irecv(mine%now(1, mine%n(2) + 1), 1, column, right, 2, grid, requests(2))
    call MPI_Irecv(mine%now(0, 1), 1, row, above, 3, grid, requests(3))
    call MPI_Irecv(mine%now(mine%n(1) + 1, 1), 1, row, below, 4, grid, requests(4))
  end subroutine

  subroutine send_lines(requests)
    type(MPI_Request), intent(out) :: requests(4)

    call MPI_Isend(mine%now(1, mine%n(2)), 1, column, right, 1, grid, requests(1))
    call MPI_Isend(mine%now(1, 1), 1, column, left, 2, grid, requests(2))
    call MPI_Isend(mine%now(mine%n(1), 1), 1, row, below, 3, grid, requests(3))
    call MPI_Isend(mine%now(1, 1), 1, row, above, 4, grid, requests(4))
  end subroutine

  ! ---- variants ----

  subroutine run_original()
    type(MPI_Request) :: requests(8)
    integer :: i

    call wm_superblock_begin('heat')
    do i = 1, iterations
      call wm_region(wm_receive)
      call receive_rims(requests(1:4))
      call wm_region(wm_send)
      call send_lines(requests(5:8))
      call wm_region(wm_compute)
      call MPI_Waitall(8, requests, MPI_STATUSES_IGNORE)
      call sweep(mine, 1, mine%n(1), 1, mine%n(2))
      call swap(mine)
    end do
    call wm_superblock_end()
  end subroutine

  ! Hides messages by hand: computes what needs none of them while they travel.
  subroutine run_overlap()
    type(MPI_Request) :: requests(8)
    integer :: i, n(2)

    n = mine%n
    do i = 1, iterations
      call receive_rims(requests(1:4))
      call send_lines(requests(5:8))
      call sweep(mine, 2, n(1) - 1, 2, n(2) - 1)
      call MPI_Waitall(8, requests, MPI_STATUSES_IGNORE)
      call sweep(mine, 1, n(1), 1, 1)
      call sweep(mine, 1, n(1), n(2), n(2))
      call sweep(mine, 1, 1, 2, n(2) - 1)
      call sweep(mine, n(1), n(1), 2, n(2) - 1)
      call swap(mine)
    end do
  end subroutine

  ! ---- results ----

  ! Send this rank's points to rank 0 of the grid.
  subroutine give(requests)
    type(MPI_Request), intent(out) :: requests(2)
    integer, save, asynchronous :: place(4)
    type(MPI_Datatype) :: points

    place = [mine%first, mine%n]
    call MPI_Type_create_subarray(2, mine%n + 2, mine%n, [1, 1], MPI_ORDER_FORTRAN, MPI_REAL8, points)
    call MPI_Type_commit(points)
    call MPI_Isend(place, 4, MPI_INTEGER, 0, 5, grid, requests(1))
    call MPI_Isend(mine%now, 1, points, 0, 6, grid, requests(2))
    call MPI_Type_free(points)
  end subroutine

  subroutine take(whole, from)
    real(real64), intent(inout) :: whole(length, length)
    integer, intent(in) :: from
    integer :: place(4)
    type(MPI_Datatype) :: points

    call MPI_Recv(place, 4, MPI_INTEGER, from, 5, grid, MPI_STATUS_IGNORE)
    call MPI_Type_create_subarray(2, [length, length], place(3:4), place(1:2), MPI_ORDER_FORTRAN, MPI_REAL8, points)
    call MPI_Type_commit(points)
    call MPI_Recv(whole, 1, points, from, 6, grid, MPI_STATUS_IGNORE)
    call MPI_Type_free(points)
  end subroutine

  ! How many points are not, bit by bit, as rank 0 computes them alone; and the bits of all in one number.
  subroutine compare(wrong, digest)
    integer, intent(out) :: wrong
    integer(int64), intent(out) :: digest
    type(region) :: alone
    real(real64), allocatable :: whole(:, :)
    integer :: i, j

    allocate (whole(length, length), source=-1.0_real64)
    do i = 0, ranks - 1
      call take(whole, i)
    end do
    call fill(alone, [0, 0], [length, length])
    do i = 1, iterations
      call sweep(alone, 1, length, 1, length)
      call swap(alone)
    end do
    wrong = 0
    digest = 0
    do j = 1, length
      do i = 1, length
        digest = ieor(ishftc(digest, 13), transfer(whole(i, j), digest))
        if (transfer(whole(i, j), digest) /= transfer(alone%now(i, j), digest)) wrong = wrong + 1
      end do
    end do
  end subroutine

  ! ---- the program ----

  logical function read_arguments()
    character(16) :: word
    integer :: i, status

    status = 0
    if (command_argument_count() >= 1) then
      call get_command_argument(1, word)
      variant = 0
      do i = 1, size(variants)
        if (word == variants(i)) variant = i
      end do
    end if
    if (command_argument_count() >= 2) then
      call get_command_argument(2, word)
      read (word, *, iostat=status) length
    end if
    if (command_argument_count() >= 3 .and. status == 0) then
      call get_command_argument(3, word)
      read (word, *, iostat=status) iterations
    end if
    read_arguments = command_argument_count() <= 3 .and. variant > 0 .and. status == 0 .and. length > 0 &
                     .and. length <= largest .and. iterations > 0
  end function

  ! 0, or 1: the result is wrong.
  integer function run()
    type(MPI_Request) :: requests(2)
    real(real64) :: us
    integer :: wrong
    integer(int64) :: digest

    call MPI_Barrier(grid)
    us = MPI_Wtime()
    if (variant == overlap) then
      call run_overlap()
    else
      call run_original()
    end if
    us = (MPI_Wtime() - us) * 1e6 / iterations
    call MPI_Allreduce(MPI_IN_PLACE, us, 1, MPI_REAL8, MPI_MAX, grid)
    if (rank == 0) write (*, '(a, i0, 3a, i0, a, f0.1, a)', advance='no') 'heat: ', ranks, ' ranks, ', &
      trim(variants(variant)), ', ', length, ' points a side: ', us, ' us an iteration; '
    run = 0
    if (variant == nocomm) then
      if (rank == 0) write (*, '(a)') 'wrong, as nothing was sent'
      return
    end if
    call give(requests)
    if (rank == 0) then
      call compare(wrong, digest)
      write (*, '(2a, z16.16)') trim(merge('wrong', 'right', wrong > 0)), ', digest ', digest
    end if
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call MPI_Bcast(wrong, 1, MPI_INTEGER, 0, grid)
    if (wrong > 0) run = 1
  end function

end module heat

program main
  use, intrinsic :: iso_fortran_env, only: error_unit
  use heat
  implicit none
  integer :: status

  status = 2
  call MPI_Init()
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  if (.not. read_arguments()) then
    if (rank == 0) write (error_unit, '(a, i0, a)') 'usage: heat [original | overlap | nocomm [SIZE, to ', largest, &
      ' [ITERATIONS]]]'
  else if (.not. begin()) then
    if (rank == 0) write (error_unit, '(a, i0, a, i0, a)') 'heat: ', length, ' points a side do not fit ', ranks, &
      ' ranks: each needs a point'
  else
    status = run()
  end if
  call MPI_Finalize()
  if (status /= 0) stop status, quiet=.true.
end program
