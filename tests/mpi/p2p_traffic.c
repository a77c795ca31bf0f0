/* Much traffic: every mode, order, communicators, random messages. */
#include "tests/mpi/p2p.h"

enum { LARGEST = 300000 };

static const int sizes[] = {0, 1, 20, 32, 33, 3000, 5000, 20000, LARGEST};
enum { SIZES = sizeof sizes / sizeof sizes[0], MODES = 4 };

static int right_of(const struct me *me)
{
    return (me->rank + 1) % me->size;
}

static int left_of(const struct me *me)
{
    return (me->rank + me->size - 1) % me->size;
}

/* In a ring: receive what the left one sends, by a mode, while the right one receives. */
static void shift(const struct me *me, enum wm_p2p_mode mode, int bytes, unsigned char *out, unsigned char *in)
{
    struct wm_p2p_request *requests[2];
    MPI_Status statuses[2];
    int number = mode * 100 + bytes % 97;

    p2p_fill(out, (size_t)bytes, me->rank, number);
    memset(in, 0, (size_t)bytes + 1);
    OK(wm_p2p_irecv(in, bytes + 1, MPI_BYTE, left_of(me), number, me->comm, &requests[0]));
    if (mode == WM_P2P_READY)
        p2p_meet(me);
    OK(wm_p2p_isend(mode, out, bytes, MPI_BYTE, right_of(me), number, me->comm, &requests[1]));
    OK(wm_p2p_waitall(2, requests, statuses));
    CHECK(requests[0] == WM_P2P_REQUEST_NULL && requests[1] == WM_P2P_REQUEST_NULL);
    CHECK(p2p_status_is(&statuses[0], left_of(me), number, bytes));
    CHECK(p2p_is(in, (size_t)bytes, left_of(me), number) && in[bytes] == 0);
}

/* Blocking: even ranks send first, odd ones receive first; of an odd number the last one does both. */
static void pass(const struct me *me, enum wm_p2p_mode mode, int bytes, unsigned char *out, unsigned char *in)
{
    bool first = me->rank % 2 == 0;
    MPI_Status status;

    p2p_fill(out, (size_t)bytes, me->rank, bytes);
    if (me->size % 2 == 1 && me->rank == me->size - 1) {
        OK(wm_p2p_sendrecv(out, bytes, MPI_BYTE, right_of(me), 5, in, bytes, MPI_BYTE, left_of(me), 5, me->comm,
                           &status));
    } else {
        if (first)
            OK(wm_p2p_send(mode, out, bytes, MPI_BYTE, right_of(me), 5, me->comm));
        OK(wm_p2p_recv(in, bytes, MPI_BYTE, left_of(me), 5, me->comm, &status));
        if (!first)
            OK(wm_p2p_send(mode, out, bytes, MPI_BYTE, right_of(me), 5, me->comm));
    }
    CHECK(p2p_status_is(&status, left_of(me), 5, bytes) && p2p_is(in, (size_t)bytes, left_of(me), bytes));
}

/* A small message is sent before there is a receive for it; a synchronous one is not. */
static void send_before(const struct me *me)
{
    int in[2], out[2] = {1, 2}, flag;
    struct wm_p2p_request *request;

    OK(wm_p2p_isend(WM_P2P_SYNCHRONOUS, &out[0], 1, MPI_INT, right_of(me), 3, me->comm, &request));
    OK(wm_p2p_send(WM_P2P_STANDARD, &out[1], 1, MPI_INT, right_of(me), 4, me->comm));
    p2p_meet(me);
    OK(wm_p2p_test(&request, &flag, MPI_STATUS_IGNORE));
    CHECK(!flag);
    p2p_meet(me);
    for (int i = 0; i < 2; i++)
        OK(wm_p2p_recv(&in[i], 1, MPI_INT, left_of(me), 3 + i, me->comm, MPI_STATUS_IGNORE));
    OK(wm_p2p_wait(&request, MPI_STATUS_IGNORE));
    CHECK(in[0] == 1 && in[1] == 2);
}

void p2p_modes(const struct me *me)
{
    unsigned char *out = malloc(LARGEST), *in = malloc(LARGEST + 1);
    void *space = malloc(3 * LARGEST), *was;
    int bytes;

    send_before(me);
    p2p_meet(me);
    OK(wm_p2p_buffer_attach(me->process, space, 3 * LARGEST));
    for (int i = 0; i < SIZES; i++)
        for (int mode = 0; mode < MODES; mode++) {
            shift(me, (enum wm_p2p_mode)mode, sizes[i], out, in);
            if (mode != WM_P2P_READY && me->size > 1)
                pass(me, (enum wm_p2p_mode)mode, sizes[i], out, in);
            p2p_meet(me);
        }
    OK(wm_p2p_buffer_detach(me->process, &was, &bytes));
    CHECK(was == space && bytes == 3 * LARGEST);
    free(space);
    free(out);
    free(in);
}

/* ---- order ---- */

enum { STREAM = 60, TAGS = 3 };

static int stream_bytes(int i)
{
    return i % 7 == 0 ? 9000 : 4 + i;
}

static void send_stream(const struct me *me, int to, struct wm_p2p_request **requests, int (*data)[4000])
{
    for (int i = 0; i < STREAM; i++) {
        data[i][0] = i;
        OK(wm_p2p_isend(i % 5 == 0 ? WM_P2P_SYNCHRONOUS : WM_P2P_STANDARD, data[i], stream_bytes(i), MPI_BYTE, to,
                        i % TAGS, me->comm, &requests[i]));
    }
}

/* By any source and any tag: of each sender in order. By one tag of one sender: in order, whatever was taken before. */
static void receive_streams(const struct me *me, int *next)
{
    static const int wild = MPI_ANY_TAG;
    int data[4000], left = me->size * STREAM, tag_next[TAGS] = {0, 1, 2};
    MPI_Status status;

    /* Of the first sender: some of tag 1 first, then all, in order. */
    for (int i = 0; i < 5; i++, left--) {
        OK(wm_p2p_recv(data, sizeof data, MPI_BYTE, 0, 1, me->comm, &status));
        CHECK(data[0] == tag_next[1] && p2p_status_is(&status, 0, 1, stream_bytes(data[0])));
        tag_next[1] += TAGS;
    }
    for (; left > 0; left--) {
        int from;

        OK(wm_p2p_recv(data, sizeof data, MPI_BYTE, MPI_ANY_SOURCE, wild, me->comm, &status));
        from = status.MPI_SOURCE;
        CHECK(status.MPI_TAG == data[0] % TAGS && p2p_status_is(&status, from, data[0] % TAGS, stream_bytes(data[0])));
        if (from == 0) {
            CHECK(data[0] == tag_next[data[0] % TAGS]);
            tag_next[data[0] % TAGS] += TAGS;
        } else {
            CHECK(data[0] == next[from]++);
        }
    }
}

/* A receive that was posted first takes first, with wildcards and without. */
static void post_in_order(const struct me *me)
{
    static const int from[] = {MPI_ANY_SOURCE, 0, MPI_ANY_SOURCE, 0}, tags[] = {7, MPI_ANY_TAG, MPI_ANY_TAG, 7};
    struct wm_p2p_request *requests[4];
    MPI_Status statuses[4];
    int data[4] = {-1, -1, -1, -1};

    if (me->rank == me->size - 1)
        for (int i = 0; i < 4; i++)
            OK(wm_p2p_irecv(&data[i], 1, MPI_INT, from[i], tags[i], me->comm, &requests[i]));
    p2p_meet(me);
    if (me->rank == 0)
        for (int i = 0; i < 4; i++)
            OK(wm_p2p_send(WM_P2P_STANDARD, &i, 1, MPI_INT, me->size - 1, 7, me->comm));
    if (me->rank < me->size - 1)
        return;
    OK(wm_p2p_waitall(4, requests, statuses));
    for (int i = 0; i < 4; i++)
        CHECK(data[i] == i && p2p_status_is(&statuses[i], 0, 7, sizeof(int)));
}

void p2p_order(const struct me *me)
{
    int count = me->size * STREAM, *next = calloc((size_t)me->size, sizeof *next);
    struct wm_p2p_request **requests = malloc((size_t)count * sizeof(struct wm_p2p_request *));
    int(*data)[4000] = malloc(sizeof(int[4000]) * STREAM);

    for (int to = 0; to < me->size; to++)
        send_stream(me, to, requests + to * STREAM, data);
    receive_streams(me, next);
    OK(wm_p2p_waitall(count, requests, MPI_STATUSES_IGNORE));
    p2p_meet(me);
    post_in_order(me);
    free(data);
    free(requests);
    free(next);
}

/* ---- communicators ---- */

/* The ranks of even and of odd numbers, as each other's remote groups. */
static void across_groups(const struct me *me)
{
    int endpoints[64], remote = 0, mine = me->rank, theirs = -1;
    struct wm_p2p_comm *inter;
    MPI_Status status;

    for (int i = 1 - me->rank % 2; i < me->size; i += 2)
        endpoints[remote++] = i;
    if (remote == 0)
        return;
    inter = wm_p2p_comm_new(me->process, 5, me->rank / 2, remote, endpoints);
    if (me->rank / 2 < remote) {
        OK(wm_p2p_sendrecv(&mine, 1, MPI_INT, me->rank / 2, 3, &theirs, 1, MPI_INT, MPI_ANY_SOURCE, 3, inter, &status));
        CHECK(theirs == endpoints[me->rank / 2] && status.MPI_SOURCE == me->rank / 2);
    }
    wm_p2p_comm_free(inter);
}

void p2p_communicators(const struct me *me)
{
    int endpoints[64], back = me->size - 1 - me->rank, data[3] = {0}, numbers[3] = {10, 20, 30};
    struct wm_p2p_comm *backwards, *comms[3];
    struct wm_p2p_request *requests[3];
    MPI_Status statuses[3];

    for (int i = 0; i < me->size; i++)
        endpoints[i] = me->size - 1 - i;
    CHECK(wm_p2p_next_context(me->process) >= 2);
    backwards = wm_p2p_comm_new(me->process, 3, back, me->size, endpoints);
    CHECK(wm_p2p_next_context(me->process) >= 4);
    comms[0] = me->comm, comms[1] = backwards, comms[2] = me->quiet;
    p2p_meet(me);
    for (int i = 2; i >= 0; i--) /* ranks of `backwards` are others */
        OK(wm_p2p_irecv(&data[i], 1, MPI_INT, MPI_ANY_SOURCE, 9, comms[i], &requests[i]));
    for (int i = 0; i < 3; i++)
        OK(wm_p2p_send(WM_P2P_STANDARD, &numbers[i], 1, MPI_INT, i == 1 ? (back + 1) % me->size : right_of(me), 9,
                       comms[i]));
    OK(wm_p2p_waitall(3, requests, statuses));
    for (int i = 0; i < 3; i++) {
        CHECK(data[i] == numbers[i]);
        CHECK(statuses[i].MPI_SOURCE == (i == 1 ? (back + me->size - 1) % me->size : left_of(me)));
    }
    wm_p2p_comm_free(backwards);
    across_groups(me);
}

/* ---- random ---- */

enum { LETTERS = 250 };

static unsigned draw(unsigned *state, unsigned below)
{
    *state = *state * 1664525 + 1013904223;
    return (*state >> 8) % below;
}

struct letter {
    int from, to, bytes, tag;
};

static struct letter draw_letter(unsigned *state, int size, int number)
{
    struct letter l = {(int)draw(state, (unsigned)size), (int)draw(state, (unsigned)size), 0, number};
    unsigned what = draw(state, 10);

    l.bytes = (int)draw(state, what < 6 ? 50 : what < 8 ? 4000 : what < 9 ? 30000 : LARGEST);
    return l;
}

/* All ranks know all letters; each starts its own in an order of its own, and completes them in several ways. */
static void complete(const struct me *me, int count, struct wm_p2p_request **requests, unsigned *own)
{
    int left = count, indices[2 * LETTERS], some, one, flag;

    while (left > 0) {
        switch (draw(own, 4)) {
        case 0:
            OK(wm_p2p_waitany(count, requests, &one, MPI_STATUS_IGNORE));
            left--;
            break;
        case 1:
            OK(wm_p2p_testsome(count, requests, &some, indices, MPI_STATUSES_IGNORE));
            left -= some;
            break;
        case 2:
            OK(wm_p2p_waitsome(count, requests, &some, indices, MPI_STATUSES_IGNORE));
            left -= some;
            break;
        default:
            OK(wm_p2p_testany(count, requests, &one, &flag, MPI_STATUS_IGNORE));
            left -= flag;
        }
    }
    for (int i = 0; i < count; i++)
        CHECK(requests[i] == WM_P2P_REQUEST_NULL);
}

void p2p_random(const struct me *me)
{
    unsigned state = 5, own = (unsigned)me->rank + 1;
    struct wm_p2p_request *requests[2 * LETTERS];
    unsigned char *data[2 * LETTERS];
    struct letter letters[2 * LETTERS];
    int count = 0;

    for (int i = 0; i < LETTERS; i++) {
        struct letter l = draw_letter(&state, me->size, i);

        for (int receives = 0; receives < 2; receives++) {
            if (me->rank != (receives ? l.to : l.from))
                continue;
            data[count] = malloc((size_t)l.bytes + 1);
            letters[count] = l;
            if (receives) {
                letters[count].from = l.from;
                OK(wm_p2p_irecv(data[count], l.bytes, MPI_BYTE, draw(&own, 2) ? l.from : MPI_ANY_SOURCE, l.tag,
                                me->comm, &requests[count]));
            } else {
                p2p_fill(data[count], (size_t)l.bytes, l.from, i);
                OK(wm_p2p_isend(draw(&own, 3) ? WM_P2P_STANDARD : WM_P2P_SYNCHRONOUS, data[count], l.bytes, MPI_BYTE,
                                l.to, l.tag, me->comm, &requests[count]));
            }
            count++;
        }
    }
    complete(me, count, requests, &own);
    for (int i = 0; i < count; i++) {
        CHECK(p2p_is(data[i], (size_t)letters[i].bytes, letters[i].from, letters[i].tag));
        free(data[i]);
    }
}
