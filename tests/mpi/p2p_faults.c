/* What is cancelled, truncated, sent to nobody, or wrong. */
#include "tests/mpi/p2p.h"

enum { LARGE = 50000 };

static void cancel_receives(const struct me *me)
{
    struct wm_p2p_request *requests[2], *gone;
    int number = 4, received = -1, data = -1;
    MPI_Status status;

    OK(wm_p2p_irecv(&data, 1, MPI_INT, me->rank, 8, me->comm, &requests[0]));
    OK(wm_p2p_irecv(&received, 1, MPI_INT, MPI_ANY_SOURCE, 8, me->comm, &requests[1]));
    gone = requests[0];
    OK(wm_p2p_cancel(&requests[0]));
    CHECK(requests[0] == gone);
    OK(wm_p2p_wait(&requests[0], &status));
    CHECK(p2p_is_cancelled(&status) && requests[0] == WM_P2P_REQUEST_NULL);
    OK(wm_p2p_send(WM_P2P_STANDARD, &number, 1, MPI_INT, me->rank, 8, me->comm));
    OK(wm_p2p_wait(&requests[1], &status)); /* the other one, of any source, has it */
    CHECK(received == 4 && data == -1 && !p2p_is_cancelled(&status));
    OK(wm_p2p_irecv(&data, 1, MPI_INT, me->rank, 8, me->comm, &requests[0]));
    OK(wm_p2p_send(WM_P2P_STANDARD, &number, 1, MPI_INT, me->rank, 8, me->comm));
    OK(wm_p2p_cancel(&requests[0])); /* too late */
    OK(wm_p2p_wait(&requests[0], &status));
    CHECK(!p2p_is_cancelled(&status) && data == 4);
}

/* Data that would have to be unpacked is left alone. */
static void cancel_unpacked(const struct me *me)
{
    int in[3] = {-1, -1, -1};
    struct wm_p2p_request *request;
    MPI_Datatype gaps;
    MPI_Status status;

    MPI_Type_vector(2, 1, 2, MPI_INT, &gaps);
    MPI_Type_commit(&gaps);
    OK(wm_p2p_irecv(in, 1, gaps, me->rank, 8, me->comm, &request));
    OK(wm_p2p_cancel(&request));
    OK(wm_p2p_wait(&request, &status));
    CHECK(p2p_is_cancelled(&status) && in[0] == -1 && in[2] == -1);
    MPI_Type_free(&gaps);
}

/* Of two that are sent, the first is cancelled before its receiver asks. A buffered one, too. */
static void cancel_sends(const struct me *me, enum wm_p2p_mode mode)
{
    int next = (me->rank + 1) % me->size, previous = (me->rank + me->size - 1) % me->size, flag;
    unsigned char *out = malloc(LARGE), *in = malloc(LARGE), *space = malloc(2 * LARGE);
    struct wm_p2p_request *requests[2];
    MPI_Status status;
    void *was;

    if (mode == WM_P2P_BUFFERED)
        OK(wm_p2p_buffer_attach(me->process, space, 2 * LARGE));
    p2p_fill(out, LARGE, me->rank, 1);
    OK(wm_p2p_isend(mode, out, LARGE, MPI_BYTE, next, 1, me->comm, &requests[0]));
    OK(wm_p2p_cancel(&requests[0]));
    OK(wm_p2p_isend(mode, out, LARGE, MPI_BYTE, next, 1, me->comm, &requests[1]));
    OK(wm_p2p_wait(&requests[0], &status));
    CHECK(p2p_is_cancelled(&status));
    p2p_meet(me);
    OK(wm_p2p_recv(in, LARGE, MPI_BYTE, previous, 1, me->comm, &status));
    CHECK(p2p_is(in, LARGE, previous, 1));
    OK(wm_p2p_iprobe(MPI_ANY_SOURCE, 1, me->comm, &flag, MPI_STATUS_IGNORE));
    CHECK(!flag);
    p2p_meet(me);
    OK(wm_p2p_cancel(&requests[1])); /* perhaps complete, perhaps not known to be: received all the same */
    OK(wm_p2p_wait(&requests[1], &status));
    CHECK(!p2p_is_cancelled(&status));
    if (mode == WM_P2P_BUFFERED)
        OK(wm_p2p_buffer_detach(me->process, &was, &flag));
    free(space);
    free(out);
    free(in);
}

void p2p_cancels(const struct me *me)
{
    cancel_receives(me);
    cancel_unpacked(me);
    cancel_sends(me, WM_P2P_STANDARD);
    p2p_meet(me);
    cancel_sends(me, WM_P2P_SYNCHRONOUS);
    p2p_meet(me);
    cancel_sends(me, WM_P2P_BUFFERED);
}

/* A receive has what fits, and says so; the next one is not concerned. */
void p2p_truncation(const struct me *me)
{
    int next = (me->rank + 1) % me->size, previous = (me->rank + me->size - 1) % me->size, told;
    unsigned char *out = malloc(LARGE), *in = malloc(LARGE);
    struct wm_p2p_request *requests[3];
    MPI_Status statuses[3];

    p2p_fill(out, LARGE, me->rank, 3);
    for (int sent = 100; sent <= LARGE; sent = sent == 100 ? 3000 : sent == 3000 ? LARGE : LARGE + 1) {
        memset(in, 0, LARGE);
        told = p2p_told();
        OK(wm_p2p_irecv(in, sent, MPI_BYTE, previous, 3, me->comm, &requests[0]));
        OK(wm_p2p_irecv(in + sent / 2, sent / 4, MPI_BYTE, previous, 2, me->comm, &requests[1]));
        OK(wm_p2p_isend(WM_P2P_STANDARD, out, sent, MPI_BYTE, next, 2, me->comm, &requests[2]));
        OK(wm_p2p_send(WM_P2P_STANDARD, out, sent / 2, MPI_BYTE, next, 3, me->comm));
        CHECK(wm_p2p_waitall(3, requests, statuses) == MPI_ERR_IN_STATUS);
        CHECK(statuses[0].MPI_ERROR == MPI_SUCCESS && statuses[1].MPI_ERROR == MPI_ERR_TRUNCATE);
        CHECK(statuses[2].MPI_ERROR == MPI_SUCCESS && statuses[1].MPI_TAG == 2);
        CHECK(p2p_is(in, (size_t)sent / 2, previous, 3) && p2p_is(in + sent / 2, (size_t)sent / 4, previous, 3));
        CHECK(in[sent / 2 + sent / 4] == 0 && p2p_told() > told);
        OK(wm_p2p_isend(WM_P2P_STANDARD, out, sent, MPI_BYTE, next, 2, me->comm, &requests[0]));
        CHECK(wm_p2p_recv(in, 1, MPI_BYTE, previous, 2, me->comm, &statuses[0]) == MPI_ERR_TRUNCATE);
        OK(wm_p2p_wait(&requests[0], MPI_STATUS_IGNORE));
    }
    CHECK(wm_p2p_sendrecv(out, 2, MPI_BYTE, me->rank, 4, in, 1, MPI_BYTE, me->rank, 4, me->comm, MPI_STATUS_IGNORE) ==
          MPI_ERR_TRUNCATE);
    free(out);
    free(in);
}

void p2p_nobody(const struct me *me)
{
    struct wm_p2p_request *requests[4], *message;
    MPI_Status statuses[4];
    int data = 7, flag;

    for (int mode = 0; mode < 4; mode++)
        OK(wm_p2p_send((enum wm_p2p_mode)mode, &data, 1, MPI_INT, MPI_PROC_NULL, 1, me->comm));
    OK(wm_p2p_recv(&data, 1, MPI_INT, MPI_PROC_NULL, 1, me->comm, &statuses[0]));
    CHECK(p2p_status_is(&statuses[0], MPI_PROC_NULL, MPI_ANY_TAG, 0) && data == 7);
    OK(wm_p2p_isend(WM_P2P_BUFFERED, &data, 1, MPI_INT, MPI_PROC_NULL, 1, me->comm, &requests[0]));
    OK(wm_p2p_irecv(&data, 1, MPI_INT, MPI_PROC_NULL, 1, me->comm, &requests[1]));
    OK(wm_p2p_send_init(WM_P2P_BUFFERED, &data, 1, MPI_INT, MPI_PROC_NULL, 1, me->comm, &requests[2]));
    OK(wm_p2p_recv_init(&data, 1, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, me->comm, &requests[3]));
    OK(wm_p2p_startall(2, requests + 2));
    OK(wm_p2p_waitall(4, requests, statuses));
    CHECK(p2p_status_is(&statuses[1], MPI_PROC_NULL, MPI_ANY_TAG, 0));
    CHECK(p2p_status_is(&statuses[3], MPI_PROC_NULL, MPI_ANY_TAG, 0) && data == 7);
    OK(wm_p2p_request_free(&requests[2]));
    OK(wm_p2p_request_free(&requests[3]));
    OK(wm_p2p_probe(MPI_PROC_NULL, 3, me->comm, &statuses[0]));
    OK(wm_p2p_iprobe(MPI_PROC_NULL, 3, me->comm, &flag, &statuses[1]));
    CHECK(flag && p2p_status_is(&statuses[0], MPI_PROC_NULL, MPI_ANY_TAG, 0));
    OK(wm_p2p_mprobe(MPI_PROC_NULL, 3, me->comm, &message, &statuses[0]));
    CHECK(message == &wm_p2p_message_no_proc);
    OK(wm_p2p_mrecv(&data, 1, MPI_INT, &message, &statuses[0]));
    CHECK(message == NULL && p2p_status_is(&statuses[0], MPI_PROC_NULL, MPI_ANY_TAG, 0));
    for (int how = 0; how < 3; how++) {
        OK(wm_p2p_improbe(MPI_PROC_NULL, 3, me->comm, &flag, &message, &statuses[0]));
        OK(wm_p2p_imrecv(&data, 1, MPI_INT, &message, &requests[0]));
        CHECK(flag && message == NULL && requests[0] != WM_P2P_REQUEST_NULL);
        OK(wm_p2p_cancel(&requests[0]));
        if (how == 0)
            OK(wm_p2p_request_free(&requests[0]));
        else if (how == 1)
            OK(wm_p2p_wait(&requests[0], &statuses[0]));
        else
            OK(wm_p2p_test(&requests[0], &flag, &statuses[0]));
        CHECK(requests[0] == WM_P2P_REQUEST_NULL && p2p_status_is(&statuses[0], MPI_PROC_NULL, MPI_ANY_TAG, 0));
    }
    OK(wm_p2p_sendrecv(&data, 1, MPI_INT, MPI_PROC_NULL, 1, &flag, 1, MPI_INT, MPI_PROC_NULL, 1, me->comm,
                       MPI_STATUS_IGNORE));
}

#define REFUSES(class, call) CHECK((call) == (class))

static void refuse_sends(const struct me *me, int *data, MPI_Datatype raw)
{
    const enum wm_p2p_mode mode = WM_P2P_STANDARD;
    struct wm_p2p_request *r;

    REFUSES(MPI_ERR_COMM, wm_p2p_send(mode, data, 1, MPI_INT, 0, 1, NULL));
    REFUSES(MPI_ERR_RANK, wm_p2p_send(mode, data, 1, MPI_INT, me->size, 1, me->comm));
    REFUSES(MPI_ERR_RANK, wm_p2p_send(mode, data, 1, MPI_INT, MPI_ANY_SOURCE, 1, me->comm));
    REFUSES(MPI_ERR_RANK, wm_p2p_isend(mode, data, 1, MPI_INT, -7, 1, me->comm, &r));
    REFUSES(MPI_ERR_TAG, wm_p2p_send(mode, data, 1, MPI_INT, 0, -5, me->comm));
    REFUSES(MPI_ERR_TAG, wm_p2p_send(mode, data, 1, MPI_INT, 0, MPI_ANY_TAG, me->comm));
    REFUSES(MPI_ERR_COUNT, wm_p2p_send(mode, data, -1, MPI_INT, 0, 1, me->comm));
    REFUSES(MPI_ERR_TYPE, wm_p2p_send(mode, data, 1, MPI_DATATYPE_NULL, 0, 1, me->comm));
    REFUSES(MPI_ERR_TYPE, wm_p2p_send_init(mode, data, 1, raw, 0, 1, me->comm, &r));
    REFUSES(MPI_ERR_BUFFER, wm_p2p_send(mode, NULL, 1, MPI_INT, 0, 1, me->comm));
    REFUSES(MPI_ERR_BUFFER, wm_p2p_send(WM_P2P_BUFFERED, data, 1, MPI_INT, 0, 1, me->comm));
    REFUSES(MPI_ERR_RANK, wm_p2p_sendrecv(data, 1, MPI_INT, me->size, 1, data, 1, MPI_INT, 0, 1, me->comm, NULL));
    REFUSES(MPI_ERR_TAG, wm_p2p_sendrecv_replace(data, 1, MPI_INT, 0, 1, 0, -9, me->comm, NULL));
}

static void refuse_receives(const struct me *me, int *data, MPI_Datatype raw)
{
    struct wm_p2p_request *r, *none = NULL;
    MPI_Status status;
    int flag;

    REFUSES(MPI_ERR_COMM, wm_p2p_recv(data, 1, MPI_INT, 0, 1, NULL, &status));
    REFUSES(MPI_ERR_RANK, wm_p2p_recv(data, 1, MPI_INT, me->size, 1, me->comm, &status));
    REFUSES(MPI_ERR_TAG, wm_p2p_irecv(data, 1, MPI_INT, 0, -2, me->comm, &r));
    REFUSES(MPI_ERR_COUNT, wm_p2p_irecv(data, -1, MPI_INT, 0, 1, me->comm, &r));
    REFUSES(MPI_ERR_TYPE, wm_p2p_recv_init(data, 1, raw, 0, 1, me->comm, &r));
    REFUSES(MPI_ERR_BUFFER, wm_p2p_irecv(NULL, 1, MPI_INT, 0, 1, me->comm, &r));
    REFUSES(MPI_ERR_COMM, wm_p2p_probe(0, 1, NULL, &status));
    REFUSES(MPI_ERR_RANK, wm_p2p_iprobe(me->size, 1, me->comm, &flag, &status));
    REFUSES(MPI_ERR_TAG, wm_p2p_improbe(0, -3, me->comm, &flag, &r, &status));
    REFUSES(MPI_ERR_RANK, wm_p2p_mprobe(-9, 1, me->comm, &r, &status));
    REFUSES(MPI_ERR_REQUEST, wm_p2p_mrecv(data, 1, MPI_INT, &none, &status));
    REFUSES(MPI_ERR_REQUEST, wm_p2p_imrecv(data, 1, MPI_INT, &none, &r));
}

static void refuse_requests(const struct me *me, int *data)
{
    struct wm_p2p_request *r, *none = WM_P2P_REQUEST_NULL, *requests[1];
    MPI_Status status;
    int flag, index;
    void *was;

    REFUSES(MPI_ERR_REQUEST, wm_p2p_start(&none));
    REFUSES(MPI_ERR_REQUEST, wm_p2p_cancel(&none));
    REFUSES(MPI_ERR_REQUEST, wm_p2p_request_free(&none));
    REFUSES(MPI_ERR_REQUEST, wm_p2p_wait(NULL, &status));
    REFUSES(MPI_ERR_REQUEST, wm_p2p_test(NULL, &flag, &status));
    REFUSES(MPI_ERR_COUNT, wm_p2p_waitall(-1, requests, MPI_STATUSES_IGNORE));
    REFUSES(MPI_ERR_COUNT, wm_p2p_startall(-1, requests));
    REFUSES(MPI_ERR_REQUEST, wm_p2p_waitany(1, NULL, &index, &status));
    REFUSES(MPI_ERR_COUNT, wm_p2p_testsome(-1, requests, &index, &flag, &status));
    REFUSES(MPI_ERR_REQUEST, wm_p2p_testall(1, NULL, &flag, &status));
    OK(wm_p2p_irecv(data, 1, MPI_INT, me->rank, 1, me->comm, &r));
    REFUSES(MPI_ERR_REQUEST, wm_p2p_start(&r)); /* not persistent */
    OK(wm_p2p_cancel(&r));
    OK(wm_p2p_wait(&r, &status));
    OK(wm_p2p_recv_init(data, 1, MPI_INT, me->rank, 1, me->comm, &r));
    REFUSES(MPI_ERR_REQUEST, wm_p2p_cancel(&r)); /* not active */
    OK(wm_p2p_start(&r));
    REFUSES(MPI_ERR_REQUEST, wm_p2p_start(&r)); /* active */
    OK(wm_p2p_cancel(&r));
    OK(wm_p2p_wait(&r, &status));
    OK(wm_p2p_request_free(&r));
    REFUSES(MPI_ERR_BUFFER, wm_p2p_buffer_detach(me->process, &was, &flag));
    REFUSES(MPI_ERR_ARG, wm_p2p_buffer_attach(me->process, data, -1));
    OK(wm_p2p_buffer_attach(me->process, data, 4));
    REFUSES(MPI_ERR_BUFFER, wm_p2p_buffer_attach(me->process, data, 4));
    REFUSES(MPI_ERR_BUFFER, wm_p2p_send(WM_P2P_BUFFERED, data, 2, MPI_INT, me->rank, 1, me->comm));
    OK(wm_p2p_buffer_detach(me->process, &was, &flag));
    CHECK(was == data && flag == 4);
}

void p2p_errors(const struct me *me)
{
    struct wm_p2p_process *again;
    MPI_Datatype raw;
    int data[2] = {1, 2}, flag;

    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Type_vector(2, 1, 2, MPI_INT, &raw); /* not committed */
    refuse_sends(me, data, raw);
    refuse_receives(me, data, raw);
    refuse_requests(me, data);
    MPI_Type_free(&raw);
    OK(wm_p2p_iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, me->comm, &flag, MPI_STATUS_IGNORE));
    CHECK(!flag); /* nothing of that was sent */
    REFUSES(MPI_ERR_RANK, wm_p2p_process_new(&again, me->group, me->rank, NULL));
    REFUSES(MPI_ERR_RANK, wm_p2p_process_new(&again, me->group, -1, NULL));
}
