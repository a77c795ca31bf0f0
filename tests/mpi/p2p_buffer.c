/* The buffer: its blocks, and the requests of what is in it. */
#include "tests/mpi/p2p.h"

static int next_of(const struct me *me)
{
    return (me->rank + 1) % me->size;
}

static int previous_of(const struct me *me)
{
    return (me->rank + me->size - 1) % me->size;
}

/* What is sent may be changed at once; blocks are used again as soon as their messages are gone. */
static void use_blocks_again(const struct me *me)
{
    enum { PIECE = 10000, ROOM = 3 * PIECE };
    unsigned char *data = malloc(PIECE), *in = malloc(PIECE), *space = malloc(ROOM);
    struct wm_p2p_request *request;
    MPI_Status status;
    void *was;
    int bytes, sent = 0, received = 0;

    OK(wm_p2p_buffer_attach(me->process, space, ROOM));
    for (int i = 0; i < 3; i++) {
        p2p_fill(data, PIECE, me->rank, sent++);
        if (i == 1) {
            OK(wm_p2p_isend(WM_P2P_BUFFERED, data, PIECE, MPI_BYTE, next_of(me), i, me->comm, &request));
            OK(wm_p2p_wait(&request, &status)); /* with nobody to receive it */
        } else {
            OK(wm_p2p_send(WM_P2P_BUFFERED, data, PIECE, MPI_BYTE, next_of(me), i, me->comm));
        }
    }
    CHECK(wm_p2p_send(WM_P2P_BUFFERED, data, 1, MPI_BYTE, next_of(me), 0, me->comm) == MPI_ERR_BUFFER);
    OK(wm_p2p_send(WM_P2P_BUFFERED, data, 0, MPI_BYTE, next_of(me), 9, me->comm));
    p2p_meet(me);
    for (int tag = 1; tag < 4; tag++) { /* the middle one, then behind it, then the first */
        OK(wm_p2p_recv(in, PIECE, MPI_BYTE, previous_of(me), tag % 3, me->comm, &status));
        CHECK(p2p_is(in, PIECE, previous_of(me), tag % 3));
        received++;
        p2p_meet(me);
        for (int tries = 0; tag == 1 && tries < 2; tries++) { /* two halves where the middle one was */
            int error;

            p2p_fill(data, PIECE / 2, me->rank, sent);
            do {
                error = wm_p2p_send(WM_P2P_BUFFERED, data, PIECE / 2, MPI_BYTE, next_of(me), 7, me->comm);
                wm_p2p_progress(me->process);
            } while (error != MPI_SUCCESS);
            sent++;
        }
    }
    OK(wm_p2p_recv(in, 0, MPI_BYTE, previous_of(me), 9, me->comm, &status));
    for (int i = 3; i < 5; i++) {
        OK(wm_p2p_recv(in, PIECE, MPI_BYTE, previous_of(me), 7, me->comm, &status));
        CHECK(p2p_is(in, PIECE / 2, previous_of(me), i));
    }
    OK(wm_p2p_send(WM_P2P_BUFFERED, data, PIECE, MPI_BYTE, me->rank, 8, me->comm));
    OK(wm_p2p_irecv(in, PIECE, MPI_BYTE, me->rank, 8, me->comm, &request));
    OK(wm_p2p_buffer_detach(me->process, &was, &bytes));
    CHECK(was == space && bytes == ROOM);
    OK(wm_p2p_wait(&request, MPI_STATUS_IGNORE));
    free(data);
    free(in);
    free(space);
}

/* What was received makes room, also while its request is not waited for. */
static void wait_later(const struct me *me)
{
    struct wm_p2p_request *sends[3];
    int space[1], in, bytes;
    void *was;

    OK(wm_p2p_buffer_attach(me->process, space, sizeof space));
    for (int i = 0; i < 3; i++) {
        OK(wm_p2p_isend(WM_P2P_BUFFERED, &i, 1, MPI_INT, me->rank, 1, me->comm, &sends[i]));
        OK(wm_p2p_recv(&in, 1, MPI_INT, me->rank, 1, me->comm, MPI_STATUS_IGNORE));
        CHECK(in == i);
    }
    OK(wm_p2p_waitall(3, sends, MPI_STATUSES_IGNORE));
    OK(wm_p2p_buffer_detach(me->process, &was, &bytes));
}

/* A request that is freed when its message is gone leaves nothing in the buffer: the next one that is made, a receive
 * that waits, is none of it. */
static void free_at_once(const struct me *me)
{
    struct wm_p2p_request *send, *receive;
    int space[2], in, waits = 0, out = 3, bytes;
    void *was;

    OK(wm_p2p_buffer_attach(me->process, space, sizeof space));
    OK(wm_p2p_irecv(&in, 1, MPI_INT, me->rank, 1, me->comm, &receive));
    OK(wm_p2p_isend(WM_P2P_BUFFERED, &out, 1, MPI_INT, me->rank, 1, me->comm, &send));
    OK(wm_p2p_wait(&receive, MPI_STATUS_IGNORE));
    OK(wm_p2p_request_free(&send));
    OK(wm_p2p_irecv(&waits, 1, MPI_INT, me->rank, 2, me->comm, &receive));
    OK(wm_p2p_buffer_detach(me->process, &was, &bytes)); /* does not wait for it */
    CHECK(was == space && waits == 0 && in == 3);
    OK(wm_p2p_send(WM_P2P_STANDARD, &out, 1, MPI_INT, me->rank, 2, me->comm));
    OK(wm_p2p_wait(&receive, MPI_STATUS_IGNORE));
    CHECK(waits == 3);
}

void p2p_buffered(const struct me *me)
{
    use_blocks_again(me);
    wait_later(me);
    free_at_once(me);
}
