/* Probes, completion in all its ways, persistent requests. */
#include "tests/mpi/p2p.h"

enum { LARGE = 50000 };

static int next_of(const struct me *me)
{
    return (me->rank + 1) % me->size;
}

static int previous_of(const struct me *me)
{
    return (me->rank + me->size - 1) % me->size;
}

/* ---- probes ---- */

static void probe_and_receive(const struct me *me, int bytes)
{
    unsigned char *out = malloc(LARGE), *in = malloc(LARGE);
    struct wm_p2p_request *sends[3], *messages[2], *request;
    MPI_Status status;
    int flag;

    for (int i = 0; i < 3; i++) {
        p2p_fill(out, (size_t)bytes, me->rank, 4);
        OK(wm_p2p_isend(WM_P2P_STANDARD, out, bytes - i, MPI_BYTE, next_of(me), 10 + i, me->comm, &sends[i]));
    }
    OK(wm_p2p_probe(previous_of(me), 12, me->comm, &status));
    CHECK(p2p_status_is(&status, previous_of(me), 12, bytes - 2));
    OK(wm_p2p_probe(MPI_ANY_SOURCE, MPI_ANY_TAG, me->comm, &status)); /* leaves it there, and finds the first */
    CHECK(p2p_status_is(&status, previous_of(me), 10, bytes));
    OK(wm_p2p_mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, me->comm, &messages[0], &status));
    CHECK(p2p_status_is(&status, previous_of(me), 10, bytes));
    OK(wm_p2p_iprobe(MPI_ANY_SOURCE, 10, me->comm, &flag, &status)); /* takes it away */
    CHECK(!flag);
    OK(wm_p2p_improbe(MPI_ANY_SOURCE, 10, me->comm, &flag, &messages[1], &status));
    CHECK(!flag && messages[1] == NULL);
    OK(wm_p2p_improbe(previous_of(me), MPI_ANY_TAG, me->comm, &flag, &messages[1], &status));
    CHECK(flag && p2p_status_is(&status, previous_of(me), 11, bytes - 1));
    OK(wm_p2p_recv(in, bytes, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, me->comm, &status));
    CHECK(p2p_status_is(&status, previous_of(me), 12, bytes - 2));
    OK(wm_p2p_imrecv(in, bytes, MPI_BYTE, &messages[1], &request));
    CHECK(messages[1] == NULL);
    OK(wm_p2p_wait(&request, &status));
    CHECK(p2p_status_is(&status, previous_of(me), 11, bytes - 1));
    memset(in, 0, LARGE);
    CHECK(wm_p2p_mrecv(in, -1, MPI_BYTE, &messages[0], &status) == MPI_ERR_COUNT && messages[0] != NULL);
    OK(wm_p2p_mrecv(in, bytes, MPI_BYTE, &messages[0], &status));
    CHECK(p2p_status_is(&status, previous_of(me), 10, bytes) && p2p_is(in, (size_t)bytes, previous_of(me), 4));
    OK(wm_p2p_waitall(3, sends, MPI_STATUSES_IGNORE));
    free(out);
    free(in);
}

void p2p_probes(const struct me *me)
{
    probe_and_receive(me, 30);
    p2p_meet(me);
    probe_and_receive(me, 3900);
    p2p_meet(me);
    probe_and_receive(me, LARGE);
}

/* ---- completion ---- */

static void complete_some(const struct me *me)
{
    struct wm_p2p_request *requests[5] = {WM_P2P_REQUEST_NULL};
    MPI_Status statuses[5];
    int in[5] = {0}, out = 1, flag, index, count, indices[5];

    for (int i = 1; i < 4; i++)
        OK(wm_p2p_irecv(&in[i], 1, MPI_INT, previous_of(me), i, me->comm, &requests[i]));
    OK(wm_p2p_recv_init(&in[4], 1, MPI_INT, previous_of(me), 4, me->comm, &requests[4]));
    OK(wm_p2p_testany(5, requests, &index, &flag, &statuses[0]));
    CHECK(!flag && index == MPI_UNDEFINED);
    OK(wm_p2p_testsome(5, requests, &count, indices, statuses));
    CHECK(count == 0);
    OK(wm_p2p_testall(5, requests, &flag, statuses));
    CHECK(!flag);
    OK(wm_p2p_test(&requests[1], &flag, &statuses[0]));
    CHECK(!flag && requests[1] != WM_P2P_REQUEST_NULL);
    OK(wm_p2p_request_get_status(requests[1], &flag, &statuses[0]));
    CHECK(!flag);
    p2p_meet(me);
    OK(wm_p2p_send(WM_P2P_STANDARD, &out, 1, MPI_INT, next_of(me), 2, me->comm));
    OK(wm_p2p_waitany(5, requests, &index, &statuses[0]));
    CHECK(index == 2 && requests[2] == WM_P2P_REQUEST_NULL && in[2] == 1 &&
          p2p_status_is(&statuses[0], previous_of(me), 2, 4));
    p2p_meet(me);
    OK(wm_p2p_send(WM_P2P_STANDARD, &out, 1, MPI_INT, next_of(me), 3, me->comm));
    OK(wm_p2p_waitsome(5, requests, &count, indices, statuses));
    CHECK(count == 1 && indices[0] == 3 && p2p_status_is(&statuses[0], previous_of(me), 3, 4));
    CHECK(statuses[0].MPI_ERROR == MPI_SUCCESS);
    p2p_meet(me);
    OK(wm_p2p_send(WM_P2P_STANDARD, &out, 1, MPI_INT, next_of(me), 1, me->comm));
    for (flag = 0; !flag;)
        OK(wm_p2p_request_get_status(requests[1], &flag, &statuses[0]));
    CHECK(p2p_status_is(&statuses[0], previous_of(me), 1, 4) && requests[1] != WM_P2P_REQUEST_NULL && in[1] == 1);
    OK(wm_p2p_testall(5, requests, &flag, statuses));
    CHECK(flag && p2p_status_is_empty(&statuses[0]) && p2p_status_is_empty(&statuses[4]));
    CHECK(p2p_status_is(&statuses[1], previous_of(me), 1, 4) && requests[1] == WM_P2P_REQUEST_NULL &&
          requests[4] != WM_P2P_REQUEST_NULL);
    OK(wm_p2p_request_free(&requests[4]));
    CHECK(requests[4] == WM_P2P_REQUEST_NULL);
}

/* What is done is said of all at once; a test lets go on what it asks for. */
static void complete_all(const struct me *me)
{
    struct wm_p2p_request *requests[2];
    int in[2], out = 1, flag = 0, count, indices[2];

    for (int i = 0; i < 2; i++)
        OK(wm_p2p_irecv(&in[i], 1, MPI_INT, me->rank, i, me->comm, &requests[i]));
    for (int i = 0; i < 2; i++)
        OK(wm_p2p_send(WM_P2P_STANDARD, &out, 1, MPI_INT, me->rank, i, me->comm));
    OK(wm_p2p_waitsome(2, requests, &count, indices, MPI_STATUSES_IGNORE));
    CHECK(count == 2 && indices[0] == 0 && indices[1] == 1);
    OK(wm_p2p_irecv(&in[0], 1, MPI_INT, previous_of(me), 5, me->comm, &requests[0]));
    OK(wm_p2p_isend(WM_P2P_STANDARD, &out, 1, MPI_INT, next_of(me), 5, me->comm, &requests[1]));
    while (!flag)
        OK(wm_p2p_testall(2, requests, &flag, MPI_STATUSES_IGNORE));
    CHECK(requests[0] == WM_P2P_REQUEST_NULL && requests[1] == WM_P2P_REQUEST_NULL);
}

/* Sends that are over when they have begun: what becomes of one is nothing to the others, nor to later requests. */
static void complete_at_once(const struct me *me)
{
    struct wm_p2p_request *sends[3], *receives[3];
    MPI_Status status;
    int in[3], out[3] = {3, 4, 5}, flag;

    for (int i = 0; i < 3; i++)
        OK(wm_p2p_irecv(&in[i], 1, MPI_INT, me->rank, i, me->comm, &receives[i]));
    for (int i = 0; i < 3; i++)
        OK(wm_p2p_isend(WM_P2P_STANDARD, &out[i], 1, MPI_INT, me->rank, i, me->comm, &sends[i]));
    OK(wm_p2p_request_get_status(sends[0], &flag, &status));
    CHECK(flag && p2p_status_is_empty(&status));
    OK(wm_p2p_cancel(&sends[0]));
    OK(wm_p2p_wait(&sends[0], &status));
    CHECK(!p2p_is_cancelled(&status) && sends[0] == WM_P2P_REQUEST_NULL);
    OK(wm_p2p_request_free(&sends[1]));
    OK(wm_p2p_test(&sends[2], &flag, &status));
    CHECK(flag && p2p_status_is_empty(&status) && sends[2] == WM_P2P_REQUEST_NULL);
    OK(wm_p2p_waitall(3, receives, MPI_STATUSES_IGNORE));
    CHECK(in[0] == 3 && in[1] == 4 && in[2] == 5);
}

/* None is active. */
static void complete_none(const struct me *me)
{
    struct wm_p2p_request *requests[2] = {WM_P2P_REQUEST_NULL, WM_P2P_REQUEST_NULL};
    MPI_Status statuses[2];
    int data, flag, index;

    OK(wm_p2p_recv_init(&data, 1, MPI_INT, 0, 0, me->comm, &requests[1]));
    OK(wm_p2p_waitany(2, requests, &index, &statuses[0]));
    CHECK(index == MPI_UNDEFINED && p2p_status_is_empty(&statuses[0]));
    OK(wm_p2p_testany(2, requests, &index, &flag, &statuses[0]));
    CHECK(flag && index == MPI_UNDEFINED && p2p_status_is_empty(&statuses[0]));
    OK(wm_p2p_waitsome(2, requests, &index, &flag, statuses));
    CHECK(index == MPI_UNDEFINED);
    OK(wm_p2p_testsome(0, NULL, &index, &flag, statuses));
    CHECK(index == MPI_UNDEFINED);
    OK(wm_p2p_waitall(2, requests, statuses));
    CHECK(p2p_status_is_empty(&statuses[0]) && p2p_status_is_empty(&statuses[1]));
    for (int i = 0; i < 2; i++) {
        OK(wm_p2p_wait(&requests[i], &statuses[i]));
        CHECK(p2p_status_is_empty(&statuses[i]));
        OK(wm_p2p_test(&requests[i], &flag, &statuses[i]));
        CHECK(flag && p2p_status_is_empty(&statuses[i]));
        OK(wm_p2p_request_get_status(requests[i], &flag, &statuses[i]));
        CHECK(flag && p2p_status_is_empty(&statuses[i]));
    }
    OK(wm_p2p_request_free(&requests[1]));
}

/* A receive that is freed goes on, also where it has to be unpacked; so does a send. */
static void free_active(const struct me *me)
{
    int out[6] = {1, 2, 3, 4, 5, 6}, in[6] = {0};
    unsigned char *large = malloc(LARGE), *arrived = malloc(LARGE);
    struct wm_p2p_request *request;
    MPI_Datatype gaps;

    MPI_Type_vector(3, 1, 2, MPI_INT, &gaps);
    MPI_Type_commit(&gaps);
    OK(wm_p2p_irecv(in, 1, gaps, previous_of(me), 1, me->comm, &request));
    OK(wm_p2p_request_free(&request));
    CHECK(request == WM_P2P_REQUEST_NULL);
    MPI_Type_free(&gaps);
    p2p_fill(large, LARGE, me->rank, 6);
    OK(wm_p2p_isend(WM_P2P_STANDARD, large, LARGE, MPI_BYTE, next_of(me), 2, me->comm, &request));
    OK(wm_p2p_request_free(&request));
    p2p_meet(me);
    OK(wm_p2p_send(WM_P2P_STANDARD, out, 3, MPI_INT, next_of(me), 1, me->comm));
    OK(wm_p2p_recv(arrived, LARGE, MPI_BYTE, previous_of(me), 2, me->comm, MPI_STATUS_IGNORE));
    CHECK(p2p_is(arrived, LARGE, previous_of(me), 6));
    p2p_meet(me);
    wm_p2p_progress(me->process);
    CHECK(in[0] == 1 && in[2] == 2 && in[4] == 3 && in[1] == 0 && in[5] == 0);
    free(large);
    free(arrived);
}

void p2p_completion(const struct me *me)
{
    complete_some(me);
    p2p_meet(me);
    complete_all(me);
    complete_at_once(me);
    complete_at_once(me);
    complete_none(me);
    free_active(me);
}

/* ---- persistent ---- */

enum { STARTS = 5 };

static void start_often(const struct me *me, enum wm_p2p_mode mode, MPI_Datatype type, int count, int bytes)
{
    unsigned char *out = calloc(1, 2 * LARGE), *in = calloc(1, 2 * LARGE);
    struct wm_p2p_request *requests[2], *made[2];
    MPI_Status statuses[2];
    MPI_Datatype mine;

    MPI_Type_dup(type, &mine);
    OK(wm_p2p_recv_init(in, count, mine, MPI_ANY_SOURCE, MPI_ANY_TAG, me->comm, &requests[0]));
    OK(wm_p2p_send_init(mode, out, count, mine, next_of(me), 6, me->comm, &requests[1]));
    MPI_Type_free(&mine);
    made[0] = requests[0], made[1] = requests[1];
    for (int i = 0; i < STARTS; i++) {
        out[0] = (unsigned char)(i + me->rank);
        p2p_meet(me);
        OK(wm_p2p_start(&requests[0]));
        p2p_meet(me);
        OK(wm_p2p_startall(1, &requests[1]));
        OK(wm_p2p_waitall(2, requests, statuses));
        CHECK(requests[0] == made[0] && requests[1] == made[1]);
        CHECK(p2p_status_is(&statuses[0], previous_of(me), 6, bytes));
        CHECK(in[0] == (unsigned char)(i + previous_of(me)));
    }
    OK(wm_p2p_request_free(&requests[0]));
    OK(wm_p2p_request_free(&requests[1]));
    p2p_meet(me);
    free(out);
    free(in);
}

void p2p_persistent(const struct me *me)
{
    unsigned char *space = malloc(2 * LARGE);
    MPI_Datatype gaps;
    int bytes;
    void *was;

    OK(wm_p2p_buffer_attach(me->process, space, 2 * LARGE));
    MPI_Type_vector(LARGE / 10, 1, 2, MPI_BYTE, &gaps);
    MPI_Type_commit(&gaps);
    for (int mode = 0; mode < 4; mode++) {
        start_often(me, (enum wm_p2p_mode)mode, MPI_BYTE, 16, 16);
        start_often(me, (enum wm_p2p_mode)mode, MPI_BYTE, LARGE, LARGE);
        start_often(me, (enum wm_p2p_mode)mode, gaps, 1, LARGE / 10);
    }
    MPI_Type_free(&gaps);
    OK(wm_p2p_buffer_detach(me->process, &was, &bytes));
    free(space);
}
