! Superblocks, in Fortran: the program marks the regions of its iterations, so that subranks can hide communication better.
!
!     include 'waymark/superblock.f90'        ! once, in front of a program's first unit; or compile it as a file of its own
!
!     use waymark_superblock
!
!     call wm_superblock_begin('jacobi')
!     do i = 1, iterations
!       call wm_region(wm_receive)
!       call MPI_Irecv(...)
!       call wm_region(wm_send)
!       call MPI_Isend(...)
!       call wm_region(wm_compute)
!       call MPI_Waitall(...)
!       ...
!     end do
!     call wm_superblock_end()
!
! What regions mean says <waymark/superblock.h>, whose markers these are. A program need not be linked with Waymark: where it
! does not run as subranks (`waymark run --subranks`) a marker is a test and nothing else.
module waymark_superblock
  use, intrinsic :: iso_c_binding, only: c_int, c_char, c_ptr, c_funptr, c_null_ptr, c_null_char, c_f_procpointer, c_associated
  implicit none
  private
  public :: wm_superblock_begin, wm_superblock_end, wm_region, wm_poll

  integer(c_int), parameter, public :: wm_receive = 0, wm_send = 1, wm_compute = 2, wm_pack = 3, wm_unpack = 4

  abstract interface
    subroutine marker() bind(c)
    end subroutine
    subroutine region_marker(region) bind(c)
      import :: c_int
      integer(c_int), value :: region
    end subroutine
    subroutine name_marker(name) bind(c)
      import :: c_char
      character(kind=c_char), intent(in) :: name(*)
    end subroutine
  end interface

  interface
    function dlsym(library, name) bind(c, name='dlsym')
      import :: c_ptr, c_funptr, c_char
      type(c_ptr), value :: library
      character(kind=c_char), intent(in) :: name(*)
      type(c_funptr) :: dlsym
    end function
  end interface

  ! The host's of subranks, where it is there.
  logical, save :: is_bound = .false.
  procedure(name_marker), pointer, save :: begin_there => null()
  procedure(marker), pointer, save :: end_there => null(), poll_there => null()
  procedure(region_marker), pointer, save :: region_there => null()

contains

  function find(name) result(found)
    character(*), intent(in) :: name
    type(c_funptr) :: found

    found = dlsym(c_null_ptr, name // c_null_char)
  end function

  subroutine bind_markers()
    is_bound = .true.
    if (.not. c_associated(find('wm_superblock_begin'))) return
    call c_f_procpointer(find('wm_superblock_begin'), begin_there)
    call c_f_procpointer(find('wm_superblock_end'), end_there)
    call c_f_procpointer(find('wm_superblock_region'), region_there)
    call c_f_procpointer(find('wm_superblock_poll'), poll_there)
  end subroutine

  subroutine wm_superblock_begin(name)
    character(*), intent(in) :: name

    if (.not. is_bound) call bind_markers()
    if (associated(begin_there)) call begin_there(trim(name) // c_null_char)
  end subroutine

  subroutine wm_superblock_end()
    if (.not. is_bound) call bind_markers()
    if (associated(end_there)) call end_there()
  end subroutine

  ! region: wm_receive, wm_send, wm_compute, wm_pack or wm_unpack.
  subroutine wm_region(region)
    integer(c_int), intent(in) :: region

    if (.not. is_bound) call bind_markers()
    if (associated(region_there)) call region_there(region)
  end subroutine

  ! In a long region: let messages that are under way go on. The subrank keeps the processor.
  subroutine wm_poll()
    if (.not. is_bound) call bind_markers()
    if (associated(poll_there)) call poll_there()
  end subroutine

end module waymark_superblock
