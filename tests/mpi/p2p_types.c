/* Derived datatypes at either side or both. */
#include "tests/mpi/p2p.h"

enum { COUNT = 6, INTS = 4 * COUNT, MEMORY = 600, GUARD = -77 };

/* Types of 4 integers, and where the integers of element e stand. */
enum kind { PLAIN, ROW, GAPS, BACKWARDS, RESIZED, NESTED, KINDS };

static MPI_Datatype make(enum kind kind)
{
    const int lengths[4] = {1, 1, 1, 1}, places[4] = {3, 1, 2, 0};
    MPI_Datatype type, part;

    switch (kind) {
    case PLAIN:
        MPI_Type_dup(MPI_INT, &part);
        MPI_Type_contiguous(4, part, &type);
        MPI_Type_free(&part);
        break;
    case ROW: /* in order, without gaps, but not said so */
        MPI_Type_indexed(4, lengths, (int[]){0, 1, 2, 3}, MPI_INT, &type);
        break;
    case GAPS:
        MPI_Type_vector(2, 2, 5, MPI_INT, &type);
        break;
    case BACKWARDS: /* without gaps, but not in order */
        MPI_Type_indexed(4, lengths, places, MPI_INT, &type);
        break;
    case RESIZED: /* elements stand behind one another from the end on */
        MPI_Type_contiguous(4, MPI_INT, &part);
        MPI_Type_create_resized(part, 0, -5 * (MPI_Aint)sizeof(int), &type);
        MPI_Type_free(&part);
        break;
    default: /* begins behind its address */
        MPI_Type_create_hindexed_block(1, 4, &(MPI_Aint){2 * sizeof(int)}, MPI_INT, &type);
    }
    MPI_Type_commit(&type);
    return type;
}

static int place(enum kind kind, int i)
{
    static const int backwards[4] = {3, 1, 2, 0};
    int element = i / 4, part = i % 4;

    switch (kind) {
    case GAPS:
        return element * 7 + part / 2 * 5 + part % 2;
    case BACKWARDS:
        return element * 4 + backwards[part];
    case RESIZED:
        return -element * 5 + part;
    case NESTED:
        return element * 4 + part + 2;
    default:
        return i;
    }
}

static void clear(int *memory)
{
    for (int i = 0; i < MEMORY; i++)
        memory[i] = GUARD;
}

/* So many integers have come, and nothing else was written. */
static bool has(const int *memory, const int *begin, enum kind kind, int ints, int first)
{
    int written = 0;

    for (int i = 0; i < ints; i++)
        if (begin[place(kind, i)] != first + i)
            return false;
    for (int i = 0; i < MEMORY; i++)
        written += memory[i] != GUARD;
    return written == ints;
}

static void exchange(const struct me *me, enum kind sent, enum kind received, int count, enum wm_p2p_mode mode)
{
    MPI_Datatype send_type = make(sent), receive_type = make(received);
    int out[MEMORY], in[MEMORY], *from = out + MEMORY / 2, *to = in + MEMORY / 2;
    int next = (me->rank + 1) % me->size, previous = (me->rank + me->size - 1) % me->size;
    struct wm_p2p_request *requests[2];
    MPI_Status statuses[2];

    clear(out);
    clear(in);
    for (int i = 0; i < 4 * count; i++)
        from[place(sent, i)] = 1000 * me->rank + i;
    OK(wm_p2p_irecv(to, COUNT, receive_type, previous, 1, me->comm, &requests[0]));
    OK(wm_p2p_isend(mode, from, count, send_type, next, 1, me->comm, &requests[1]));
    MPI_Type_free(&send_type);
    MPI_Type_free(&receive_type);
    OK(wm_p2p_waitall(2, requests, statuses));
    CHECK(p2p_status_is(&statuses[0], previous, 1, 16 * count));
    CHECK(has(in, to, received, 4 * count, 1000 * previous));
}

/* A receive of fewer integers than an element has. */
static void part_of_element(const struct me *me, enum kind received)
{
    MPI_Datatype type = make(received);
    int numbers[7] = {0, 1, 2, 3, 4, 5, 6}, in[MEMORY], elements;
    struct wm_p2p_request *request;
    MPI_Status status;

    clear(in);
    OK(wm_p2p_isend(WM_P2P_STANDARD, numbers, 7, MPI_INT, me->rank, 2, me->comm, &request));
    OK(wm_p2p_recv(in + MEMORY / 2, COUNT, type, me->rank, 2, me->comm, &status));
    OK(wm_p2p_wait(&request, MPI_STATUS_IGNORE));
    CHECK(has(in, in + MEMORY / 2, received, 7, 0));
    PMPI_Get_count(&status, type, &elements);
    CHECK(elements == MPI_UNDEFINED);
    PMPI_Get_elements(&status, type, &elements);
    CHECK(elements == 7);
    MPI_Type_free(&type);
}

/* Two blocks in the place of each other: the low bytes of their offsets are alike. */
static void far_out_of_order(const struct me *me)
{
    enum { HALF = 256 };
    unsigned char out[2 * HALF], in[2 * HALF];
    MPI_Datatype type;

    for (int i = 0; i < 2 * HALF; i++)
        out[i] = (unsigned char)(i / 3);
    MPI_Type_create_hindexed_block(2, HALF, (MPI_Aint[]){HALF, 0}, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    OK(wm_p2p_sendrecv(out, 2 * HALF, MPI_BYTE, me->rank, 1, in, 1, type, me->rank, 1, me->comm, MPI_STATUS_IGNORE));
    CHECK(memcmp(in, out + HALF, HALF) == 0 && memcmp(in + HALF, out, HALF) == 0);
    MPI_Type_free(&type);
}

void p2p_types(const struct me *me)
{
    void *space = malloc(10000), *was;
    int bytes;

    OK(wm_p2p_buffer_attach(me->process, space, 10000));
    for (int sent = 0; sent < KINDS; sent++)
        for (int received = 0; received < KINDS; received++)
            for (int mode = WM_P2P_STANDARD; mode <= WM_P2P_BUFFERED; mode++)
                for (int count = 0; count <= COUNT; count += COUNT - 1 - count / 2)
                    exchange(me, (enum kind)sent, (enum kind)received, count, (enum wm_p2p_mode)mode);
    for (int received = 0; received < KINDS; received++)
        part_of_element(me, (enum kind)received);
    far_out_of_order(me);
    OK(wm_p2p_buffer_detach(me->process, &was, &bytes));
    free(space);
}

/* Large, so that the message waits for its receive. */
void p2p_freed_types(const struct me *me)
{
    enum { MANY = 20000 };
    int *out = malloc(sizeof(int) * 3 * MANY), *in = calloc(3 * MANY, sizeof(int)), right = 0;
    int next = (me->rank + 1) % me->size, previous = (me->rank + me->size - 1) % me->size;
    struct wm_p2p_request *requests[2], *message = NULL;
    MPI_Datatype type;

    for (int i = 0; i < 3 * MANY; i++)
        out[i] = i;
    for (int probes = 0; probes < 2; probes++) {
        memset(in, 0, sizeof(int) * 3 * MANY);
        MPI_Type_vector(MANY, 1, 3, MPI_INT, &type);
        MPI_Type_commit(&type);
        OK(wm_p2p_isend(WM_P2P_SYNCHRONOUS, out, 1, type, next, 3, me->comm, &requests[0]));
        if (probes) {
            OK(wm_p2p_mprobe(previous, 3, me->comm, &message, MPI_STATUS_IGNORE));
            OK(wm_p2p_imrecv(in, 1, type, &message, &requests[1]));
        } else {
            OK(wm_p2p_irecv(in, 1, type, previous, 3, me->comm, &requests[1]));
        }
        MPI_Type_free(&type);
        MPI_Type_vector(7, 2, 5, MPI_SHORT, &type); /* perhaps where the other one was */
        OK(wm_p2p_waitall(2, requests, MPI_STATUSES_IGNORE));
        MPI_Type_free(&type);
        right = 0;
        for (int i = 0; i < 3 * MANY; i++)
            right += in[i] == (i % 3 == 0 ? i : 0);
        CHECK(right == 3 * MANY);
    }
    free(out);
    free(in);
}

static bool keeps_none;

/* Called for a type that is to be kept. */
int PMPI_Type_contiguous(int count, MPI_Datatype type, MPI_Datatype *made)
{
    return keeps_none ? MPI_ERR_NO_MEM : PMPI_Type_vector(1, count, count, type, made);
}

/* A type cannot be kept: a message that a probe has taken stays, and the next receive has it, without what was for the
 * first one. */
void p2p_lost_types(const struct me *me)
{
    int out[3] = {1, 2, 3}, in[3] = {0}, gaps[6] = {-1, -1, -1, -1, -1, -1}, touched = 0;
    struct wm_p2p_request *send, *message, *receive;
    MPI_Datatype type;

    MPI_Type_vector(3, 1, 2, MPI_INT, &type);
    MPI_Type_commit(&type);
    OK(wm_p2p_isend(WM_P2P_STANDARD, out, 3, MPI_INT, me->rank, 1, me->comm, &send));
    OK(wm_p2p_mprobe(me->rank, 1, me->comm, &message, MPI_STATUS_IGNORE));
    keeps_none = true;
    CHECK(wm_p2p_irecv(gaps, 1, type, me->rank, 1, me->comm, &receive) == MPI_ERR_NO_MEM);
    CHECK(wm_p2p_recv_init(gaps, 1, type, me->rank, 1, me->comm, &receive) == MPI_ERR_NO_MEM);
    CHECK(wm_p2p_imrecv(gaps, 1, type, &message, &receive) == MPI_ERR_NO_MEM && message != NULL);
    keeps_none = false;
    MPI_Type_free(&type);
    OK(wm_p2p_mrecv(in, 3, MPI_INT, &message, MPI_STATUS_IGNORE));
    OK(wm_p2p_wait(&send, MPI_STATUS_IGNORE));
    for (int i = 0; i < 6; i++)
        touched += gaps[i] != -1;
    CHECK(memcmp(in, out, sizeof in) == 0 && touched == 0);
}

void p2p_replace(const struct me *me)
{
    int next = (me->rank + 1) % me->size, previous = (me->rank + me->size - 1) % me->size;
    MPI_Status status;

    for (int kind = 0; kind < KINDS; kind++) {
        MPI_Datatype type = make((enum kind)kind);
        int memory[MEMORY], *begin = memory + MEMORY / 2;

        clear(memory);
        for (int i = 0; i < INTS; i++)
            begin[place((enum kind)kind, i)] = 1000 * me->rank + i;
        OK(wm_p2p_sendrecv_replace(begin, COUNT, type, next, 4, previous, 4, me->comm, &status));
        CHECK(p2p_status_is(&status, previous, 4, 16 * COUNT));
        CHECK(has(memory, begin, (enum kind)kind, INTS, 1000 * previous));
        MPI_Type_free(&type);
    }
}
