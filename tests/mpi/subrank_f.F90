! MPI as Fortran programs call it, by mpif.h (SUBRANK_MPIF), `use mpi` (SUBRANK_USEMPI) or mpi_f08 (SUBRANK_F08): rank 0 prints
! what each rank found, which depends on the number of ranks alone. With an argument, rank 1 ends too early, by STOP or exit.
#ifdef SUBRANK_F08
#define INTERFACE use mpi_f08
#define HANDLE(kind) type(kind)
#define STATUS(name) type(MPI_Status) :: name
#define IN(status, member) status%member
#elif defined SUBRANK_USEMPI
#define INTERFACE use mpi
#endif
#ifndef SUBRANK_F08
#define HANDLE(kind) integer
#define STATUS(name) integer :: name(MPI_STATUS_SIZE)
#define IN(status, member) status(member)
#endif
#ifdef SUBRANK_MPIF
#define INTERFACE
#endif

module given
  INTERFACE
  implicit none
#ifdef SUBRANK_MPIF
  include 'mpif.h'
#endif
  integer, parameter :: long = selected_int_kind(15)
  integer(long) :: digest = 0
  integer :: copies = 0, deletions = 0, failures = 0, queries = 0
contains
  subroutine mix(number)
    integer, intent(in) :: number
    digest = modulo(digest * 31 + number, 1000000007_long)
  end subroutine

  ! a then b: a digit behind others. It does not commute.
#ifdef SUBRANK_F08
  subroutine append(left, right, length, datatype)
    use, intrinsic :: iso_c_binding
    type(c_ptr), value :: left, right
    integer :: length
    type(MPI_Datatype) :: datatype
    integer, pointer :: a(:), b(:)
    call c_f_pointer(left, a, [length])
    call c_f_pointer(right, b, [length])
    if (datatype /= MPI_INTEGER) return
    b = modulo(a * 10 + b, 100000)
  end subroutine
#else
  subroutine append(a, b, length, datatype)
    integer :: length, datatype, a(length), b(length)
    if (datatype /= MPI_INTEGER) return
    b = modulo(a * 10 + b, 100000)
  end subroutine
#endif

  subroutine copy_attribute(comm, keyval, extra, value, copied, flag, ierror)
    HANDLE(MPI_Comm) :: comm
    integer :: keyval, ierror
    integer(MPI_ADDRESS_KIND) :: extra, value, copied
    logical :: flag
    if (comm == MPI_COMM_NULL .or. keyval == MPI_KEYVAL_INVALID) return
    copies = copies + int(extra)
    copied = value + 1
    flag = .true.
    ierror = MPI_SUCCESS
  end subroutine

  subroutine delete_attribute(comm, keyval, value, extra, ierror)
    HANDLE(MPI_Comm) :: comm
    integer :: keyval, ierror
    integer(MPI_ADDRESS_KIND) :: extra, value
    if (comm == MPI_COMM_NULL .or. keyval == MPI_KEYVAL_INVALID) return
    deletions = deletions + int(extra) + int(value)
    ierror = MPI_SUCCESS
  end subroutine

#ifndef SUBRANK_F08
  subroutine copy_short(comm, keyval, extra, value, copied, flag, ierror)
    integer :: comm, keyval, extra, value, copied, ierror
    logical :: flag
    if (comm == MPI_COMM_NULL .or. keyval == MPI_KEYVAL_INVALID) return
    copied = value + extra
    flag = .true.
    ierror = MPI_SUCCESS
  end subroutine
#endif

  subroutine handle(comm, code)
    HANDLE(MPI_Comm) :: comm
    integer :: code, size, ierror
    call MPI_Comm_size(comm, size, ierror)
    if (code /= MPI_SUCCESS) failures = failures + size
  end subroutine

  subroutine query(extra, status, ierror)
    integer(MPI_ADDRESS_KIND) :: extra
    STATUS(status)
    integer :: ierror
    queries = queries + int(extra)
    call MPI_Status_set_elements(status, MPI_INTEGER, 3, ierror)
    call MPI_Status_set_cancelled(status, .false., ierror)
    IN(status, MPI_SOURCE) = MPI_UNDEFINED
    IN(status, MPI_TAG) = 9
  end subroutine

  subroutine let_go(extra, ierror)
    integer(MPI_ADDRESS_KIND) :: extra
    integer :: ierror
    queries = queries + int(extra)
    ierror = MPI_SUCCESS
  end subroutine

  subroutine cancel(extra, complete, ierror)
    integer(MPI_ADDRESS_KIND) :: extra
    logical :: complete
    integer :: ierror
    if (complete) queries = queries - int(extra)
    ierror = MPI_SUCCESS
  end subroutine
end module

program subrank_f
  use given
  implicit none
  integer :: rank, ranks, next, before, ierror, own, i
  integer, save :: kept = 7
  logical :: flag
  character(16) :: word
  integer, allocatable :: found(:)
  common /of_all/ own

  call MPI_Initialized(flag, ierror)
  call mix(merge(1, 0, flag))
  call MPI_Init(ierror)
  call MPI_Initialized(flag, ierror)
  call mix(merge(1, 0, flag))
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  call PMPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  next = modulo(rank + 1, ranks)
  before = modulo(rank - 1, ranks)
  own = rank
  kept = kept + rank
  if (command_argument_count() == 1 .and. rank == 1) then
    call get_command_argument(1, word)
    if (word == 'stop') stop 3
    call exit(4)
  end if
  call messages()
  call requests()
  call probes()
  call collectives()
  call communicators()
  call groups()
  call topologies()
  call types()
  call mix(own)
  call mix(kept)
  allocate (found(ranks))
  call MPI_Gather(int(digest), 1, MPI_INTEGER, found, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a, i0, a, i0)') 'rank ', i - 1, ' found ', found(i)
    end do
  end if
  call MPI_Finalize(ierror)
  call MPI_Finalized(flag, ierror)
  if (.not. flag) error stop

contains

  subroutine messages()
    integer :: in(4), out(4), count, bytes
    character(1), save :: space(1000)
    character(1) :: packed(64)
    STATUS(status)

    out = [rank, 2 * rank, 3 * rank, 4 * rank]
    call MPI_Sendrecv(out, 4, MPI_INTEGER, next, 10 + rank, in, 4, MPI_INTEGER, before, MPI_ANY_TAG, MPI_COMM_WORLD, &
                      status, ierror)
    call MPI_Get_count(status, MPI_INTEGER, count, ierror)
    call mix(count + IN(status, MPI_SOURCE) + IN(status, MPI_TAG))
    call mix(sum(in))
    call MPI_Sendrecv_replace(in, 4, MPI_INTEGER, next, 1, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    call mix(sum(in))
    call MPI_Buffer_attach(space, size(space), ierror)
    call MPI_Bsend(out, 2, MPI_INTEGER, before, 2, MPI_COMM_WORLD, ierror)
    call MPI_Recv(in, 2, MPI_INTEGER, next, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    call detach(bytes)
    call mix(in(1) + in(2) + bytes)
    count = 0
    call MPI_Pack(out, 3, MPI_INTEGER, packed, size(packed), count, MPI_COMM_WORLD, ierror)
    call mix(count)
    call MPI_Pack_size(3, MPI_INTEGER, MPI_COMM_WORLD, bytes, ierror)
    call mix(bytes)
    count = 0
    call MPI_Unpack(packed, size(packed), count, in, 3, MPI_INTEGER, MPI_COMM_WORLD, ierror)
    call mix(sum(in(1:3)))
  end subroutine

  subroutine detach(bytes)
#ifdef SUBRANK_F08
    use, intrinsic :: iso_c_binding, only: c_ptr, c_associated
    type(c_ptr) :: buffer
#else
    integer :: buffer
#endif
    integer, intent(out) :: bytes

    call MPI_Buffer_detach(buffer, bytes, ierror)
#ifdef SUBRANK_F08
    if (.not. c_associated(buffer)) error stop
#endif
  end subroutine

  subroutine requests()
    integer, parameter :: n = 4
    integer, asynchronous :: in(n), out(n)
    integer :: i, which, done, indices(n), total
    HANDLE(MPI_Request) :: receives(n), sends(n), one
#ifdef SUBRANK_F08
    type(MPI_Status) :: statuses(n)
#else
    integer :: statuses(MPI_STATUS_SIZE, n)
#endif
    STATUS(status)

    do i = 1, n
      out(i) = 100 * rank + i
      call MPI_Irecv(in(i), 1, MPI_INTEGER, before, i, MPI_COMM_WORLD, receives(i), ierror)
    end do
    call MPI_Isend(out(3), 1, MPI_INTEGER, next, 3, MPI_COMM_WORLD, sends(3), ierror)
    call MPI_Waitany(n, receives, which, status, ierror)
    call mix(which + IN(status, MPI_TAG))
    call mix(merge(1, 0, receives(3) == MPI_REQUEST_NULL))
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
    do i = 1, n
      if (i /= 3) call MPI_Issend(out(i), 1, MPI_INTEGER, next, i, MPI_COMM_WORLD, sends(i), ierror)
    end do
    total = 0
    do while (total < n - 1)
      call MPI_Waitsome(n, receives, done, indices, statuses, ierror)
      do i = 1, done
#ifdef SUBRANK_F08
        if (statuses(i)%MPI_TAG /= indices(i)) error stop
#else
        if (statuses(MPI_TAG, i) /= indices(i)) error stop
#endif
      end do
      total = total + done
    end do
    call mix(sum(in))
    flag = .false.
    do while (.not. flag)
      call MPI_Testall(n, sends, flag, MPI_STATUSES_IGNORE, ierror)
    end do
    call MPI_Testany(n, sends, which, flag, MPI_STATUS_IGNORE, ierror)
    call mix(merge(1, 0, flag .and. which == MPI_UNDEFINED))

    call MPI_Send_init(out, n, MPI_INTEGER, next, 5, MPI_COMM_WORLD, sends(1), ierror)
    call MPI_Recv_init(in, n, MPI_INTEGER, before, 5, MPI_COMM_WORLD, sends(2), ierror)
    do i = 1, 3
      out = out + i
      call MPI_Startall(2, sends, ierror)
      call MPI_Waitall(2, sends, MPI_STATUSES_IGNORE, ierror)
      call mix(sum(in))
    end do
    call MPI_Request_free(sends(1), ierror)
    call MPI_Request_free(sends(2), ierror)
    call mix(merge(1, 0, sends(1) == MPI_REQUEST_NULL .and. sends(2) == MPI_REQUEST_NULL))

    call MPI_Grequest_start(query, let_go, cancel, int(rank + 5, MPI_ADDRESS_KIND), one, ierror)
    call MPI_Grequest_complete(one, ierror)
    call MPI_Wait(one, status, ierror)
    call MPI_Get_count(status, MPI_INTEGER, i, ierror)
    call mix(i + IN(status, MPI_TAG) + queries)
  end subroutine

  subroutine probes()
    integer :: in
    HANDLE(MPI_Request) :: request
    HANDLE(MPI_Message) :: message
    STATUS(status)

    call MPI_Isend(rank, 1, MPI_INTEGER, next, 20, MPI_COMM_WORLD, request, ierror)
    call MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status, ierror)
    call mix(IN(status, MPI_SOURCE) + IN(status, MPI_TAG))
    flag = .false.
    do while (.not. flag)
      call MPI_Improbe(before, 20, MPI_COMM_WORLD, flag, message, status, ierror)
    end do
    call MPI_Mrecv(in, 1, MPI_INTEGER, message, MPI_STATUS_IGNORE, ierror)
    call mix(in + merge(1, 0, message == MPI_MESSAGE_NULL))
    call MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, flag, MPI_STATUS_IGNORE, ierror)
    call mix(merge(1, 0, flag))
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  end subroutine

  subroutine collectives()
    integer, asynchronous :: one, sent
    integer :: i
    integer, asynchronous :: several(ranks), others(ranks)
    integer :: counts(ranks), places(ranks)
    real(kind(1d0)) :: whole(3)
    HANDLE(MPI_Datatype) :: integers(ranks)
    HANDLE(MPI_Request) :: request
    HANDLE(MPI_Op) :: appending

    one = merge(77, 0, rank == 1)
    call MPI_Bcast(one, 1, MPI_INTEGER, 1, MPI_COMM_WORLD, ierror)
    call mix(one)
    whole = [1, 2, 3] * (rank + 1)
    call MPI_Allreduce(MPI_IN_PLACE, whole, 3, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierror)
    call mix(int(sum(whole)))
    one = rank + 1
    call MPI_Op_create(append, .false., appending, ierror)
    call MPI_Scan(MPI_IN_PLACE, one, 1, MPI_INTEGER, appending, MPI_COMM_WORLD, ierror)
    call mix(one)
    sent = rank + 1
    call MPI_Iallreduce(sent, one, 1, MPI_INTEGER, appending, MPI_COMM_WORLD, request, ierror)
    call MPI_Op_free(appending, ierror)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
    call mix(one)
    counts = 1
    places = [(4 * i, i = 0, ranks - 1)]
    integers = MPI_INTEGER
    several = [(rank * 10 + i, i = 1, ranks)]
    call MPI_Alltoallw(several, counts, places, integers, others, counts, places, integers, MPI_COMM_WORLD, ierror)
    call mix(others(ranks) + 2 * others(1))
    call MPI_Ialltoallw(others, counts, places, integers, several, counts, places, integers, MPI_COMM_WORLD, request, ierror)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
    call mix(several(ranks))
    several = -1
    several(rank + 1) = rank
    call MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, several, counts, places / 4, MPI_INTEGER, MPI_COMM_WORLD, ierror)
    call mix(sum(several))
  end subroutine

  subroutine communicators()
    HANDLE(MPI_Comm) :: half, copy
    HANDLE(MPI_Errhandler) :: handler
    integer :: size, key, short_key, length, class
    integer(MPI_ADDRESS_KIND) :: value
    character(MPI_MAX_OBJECT_NAME) :: name

    call MPI_Comm_split(MPI_COMM_WORLD, modulo(rank, 2), -rank, half, ierror)
    call MPI_Comm_rank(half, size, ierror)
    call mix(size)
    call MPI_Comm_compare(half, MPI_COMM_WORLD, size, ierror)
    call mix(merge(1, 0, size == MPI_UNEQUAL .or. ranks == 1))
    call MPI_Comm_create_keyval(copy_attribute, delete_attribute, key, 3_MPI_ADDRESS_KIND, ierror)
    call MPI_Comm_set_attr(half, key, int(rank, MPI_ADDRESS_KIND) + 2_long**40, ierror)
    call MPI_Comm_dup(half, copy, ierror)
    call MPI_Comm_get_attr(copy, key, value, flag, ierror)
    call mix(merge(int(value - 2_long**40), -1, flag))
    call MPI_Comm_set_attr(half, key, int(rank, MPI_ADDRESS_KIND), ierror)
    call MPI_Comm_get_attr(half, key, value, flag, ierror)
    call mix(int(value))
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag, ierror)
    call mix(merge(1, 0, flag .and. value >= 32767))
#ifndef SUBRANK_F08
    call MPI_Keyval_create(copy_short, MPI_NULL_DELETE_FN, short_key, 5, ierror)
    call MPI_Attr_put(copy, short_key, 6, ierror)
    call MPI_Comm_free(half, ierror)
    call MPI_Comm_dup(copy, half, ierror)
    call MPI_Attr_get(half, short_key, size, flag, ierror)
    call mix(merge(size, -1, flag))
    call MPI_Keyval_free(short_key, ierror)
#else
    short_key = 0
    call mix(11 + short_key)
#endif
    call MPI_Comm_set_name(copy, 'half of the world', ierror)
    call MPI_Comm_get_name(copy, name, length, ierror)
    call mix(length + merge(1, 0, name == 'half of the world'))
    call MPI_Comm_create_errhandler(handle, handler, ierror)
    call MPI_Comm_set_errhandler(copy, handler, ierror)
    call MPI_Errhandler_free(handler, ierror)
    call MPI_Send(rank, 1, MPI_INTEGER, ranks + 5, 1, copy, ierror)
    call MPI_Error_class(ierror, class, ierror)
    call mix(merge(1, 0, class == MPI_ERR_RANK) + failures)
    call MPI_Comm_free(copy, ierror)
    call MPI_Comm_free(half, ierror)
    call MPI_Comm_free_keyval(key, ierror)
    call mix(merge(1, 0, copy == MPI_COMM_NULL) + copies)
    call mix(merge(1, 0, deletions > 0))
  end subroutine

  subroutine groups()
    HANDLE(MPI_Group) :: all, first, others, both
    HANDLE(MPI_Comm) :: comm
    integer :: size, places(1), ranges(3, 1)

    call MPI_Comm_group(MPI_COMM_WORLD, all, ierror)
    call MPI_Group_incl(all, 1, [0], first, ierror)
    call MPI_Group_difference(all, first, others, ierror)
    call MPI_Group_size(others, size, ierror)
    call mix(size)
    call MPI_Group_union(others, first, both, ierror)
    call MPI_Group_translate_ranks(both, 1, [ranks - 1], all, places, ierror)
    call mix(places(1))
    ranges(:, 1) = [0, ranks - 1, 2]
    call MPI_Group_free(others, ierror)
    call MPI_Group_range_incl(all, 1, ranges, others, ierror)
    call MPI_Comm_create(MPI_COMM_WORLD, others, comm, ierror)
    size = -1
    if (comm /= MPI_COMM_NULL) then
      call MPI_Comm_size(comm, size, ierror)
      call MPI_Comm_free(comm, ierror)
    end if
    call mix(size)
    call MPI_Group_free(all, ierror)
    call MPI_Group_free(first, ierror)
    call MPI_Group_free(others, ierror)
    call MPI_Group_free(both, ierror)
    call mix(merge(1, 0, both == MPI_GROUP_NULL))
  end subroutine

  subroutine topologies()
    HANDLE(MPI_Comm) :: ring, graph
    integer :: low, high, sides(1), at(1), out(2), in(2), places(2), others(1), counts(2)
    integer(MPI_ADDRESS_KIND) :: bytes(2)
    HANDLE(MPI_Datatype) :: integers(2)
    logical :: periods(1)

    call MPI_Cart_create(MPI_COMM_WORLD, 1, [ranks], [.true.], .false., ring, ierror)
    call MPI_Cart_get(ring, 1, sides, periods, at, ierror)
    call MPI_Cart_shift(ring, 0, 1, low, high, ierror)
    call mix(sides(1) + at(1) + low + high + merge(1, 0, periods(1)))
    out = [10 * rank + 1, 10 * rank + 2]
    call MPI_Neighbor_alltoall(out, 1, MPI_INTEGER, in, 1, MPI_INTEGER, ring, ierror)
    call mix(in(1) + 3 * in(2))
    counts = 1
    bytes = [0_MPI_ADDRESS_KIND, 4_MPI_ADDRESS_KIND]
    integers = MPI_INTEGER
    in = 0
    call MPI_Neighbor_alltoallw(out, counts, bytes, integers, in, counts, bytes, integers, ring, ierror)
    call mix(in(1) + 3 * in(2))
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [before], MPI_UNWEIGHTED, 1, [next], MPI_UNWEIGHTED, &
                                        MPI_INFO_NULL, .false., graph, ierror)
    call MPI_Dist_graph_neighbors_count(graph, low, high, flag, ierror)
    call mix(low + high + merge(1, 0, flag))
    call MPI_Dist_graph_neighbors(graph, 1, places, MPI_UNWEIGHTED, 1, others, MPI_UNWEIGHTED, ierror)
    call mix(places(1) + others(1))
    call MPI_Comm_free(graph, ierror)
    call MPI_Comm_free(ring, ierror)
  end subroutine

  ! Of places in memory, and so from MPI_BOTTOM.
  subroutine types()
    integer, asynchronous, target :: one, two(3)
    integer(MPI_ADDRESS_KIND) :: places(2)
    HANDLE(MPI_Datatype) :: here

    one = rank
    two = [1, 2, 3] * rank
    call MPI_Get_address(one, places(1), ierror)
    call MPI_Get_address(two, places(2), ierror)
    call MPI_Type_create_struct(2, [1, 3], places, [MPI_INTEGER, MPI_INTEGER], here, ierror)
    call MPI_Type_commit(here, ierror)
    call MPI_Sendrecv_replace(MPI_BOTTOM, 1, here, next, 3, before, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    call MPI_Type_free(here, ierror)
    call mix(one + sum(two))
  end subroutine
end program
