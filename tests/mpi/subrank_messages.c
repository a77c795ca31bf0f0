/* Sends, receives, requests, probes. */
#include "tests/mpi/subrank.h"

enum { LARGE = 100000 };

static int next(int rank, int size)
{
    return (rank + 1) % size;
}

static int before(int rank, int size)
{
    return (rank + size - 1) % size;
}

/* Around the ring, by every kind of send. */
void subrank_messages(int rank, int size)
{
    static int (*const sends[])(const void *, int, MPI_Datatype, int, int, MPI_Comm,
                                MPI_Request *) = {MPI_Isend, MPI_Issend, MPI_Ibsend};
    int *out = malloc(LARGE * sizeof *out), *in = malloc(LARGE * sizeof *in), bytes, large_bytes;
    char *buffer;

    MPI_Pack_size(LARGE, MPI_INT, MPI_COMM_WORLD, &large_bytes);
    bytes = 8 * (large_bytes + MPI_BSEND_OVERHEAD);
    OK(MPI_Buffer_attach(malloc((size_t)bytes), bytes));
    for (int kind = 0; kind < 3; kind++) {
        for (int count = 0; count <= LARGE; count = count == 0 ? 1 : count * 10) {
            MPI_Request request;
            MPI_Status status;
            int got;

            for (int i = 0; i < count; i++)
                out[i] = rank * 7 + i;
            OK(sends[kind](out, count, MPI_INT, next(rank, size), count, MPI_COMM_WORLD, &request));
            OK(MPI_Recv(in, count, MPI_INT, before(rank, size), count, MPI_COMM_WORLD, &status));
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
            CHECK(request == MPI_REQUEST_NULL);
            MPI_Get_count(&status, MPI_INT, &got);
            CHECK(got == count && status.MPI_SOURCE == before(rank, size) && status.MPI_TAG == count);
            for (int i = 0; i < count; i += 997)
                CHECK(in[i] == before(rank, size) * 7 + i);
        }
    }
    OK(MPI_Buffer_detach(&buffer, &bytes));
    free(buffer);
    free(out);
    free(in);
}

void subrank_requests(int rank, int size)
{
    int in[8] = {0}, out[8], flag, indices[8], count, total = 0;
    MPI_Request receives[9], sends[8], persistent;
    MPI_Status statuses[9];
    MPI_Fint numbers[9];

    for (int i = 0; i < 8; i++) {
        out[i] = rank * 10 + i;
        OK(MPI_Irecv(&in[i], 1, MPI_INT, before(rank, size), i, MPI_COMM_WORLD, &receives[i]));
    }
    receives[8] = MPI_REQUEST_NULL;
    for (int i = 8; i >= 0; i--)
        numbers[i] = MPI_Request_c2f(receives[i]);
    for (int i = 0; i < 9; i++)
        CHECK(MPI_Request_f2c(numbers[i]) == receives[i] && (i == 0 || numbers[i] != numbers[i - 1]));
    for (int i = 7; i >= 0; i--)
        OK(MPI_Isend(&out[i], 1, MPI_INT, next(rank, size), i, MPI_COMM_WORLD, &sends[i]));
    OK(MPI_Waitany(9, receives, &indices[0], statuses));
    CHECK(receives[indices[0]] == MPI_REQUEST_NULL && statuses[0].MPI_TAG == indices[0]);
    OK(MPI_Waitsome(9, receives, &count, indices, statuses));
    for (total = 1 + count; total < 8; total += count)
        OK(MPI_Testsome(9, receives, &count, indices, statuses));
    for (int i = 0; i < 8; i++)
        CHECK(in[i] == before(rank, size) * 10 + i && receives[i] == MPI_REQUEST_NULL);
    OK(MPI_Testsome(9, receives, &count, indices, statuses));
    CHECK(count == MPI_UNDEFINED);
    OK(MPI_Waitall(8, sends, MPI_STATUSES_IGNORE));
    OK(MPI_Testall(8, sends, &flag, statuses));
    CHECK(flag);

    OK(MPI_Recv_init(in, 1, MPI_INT, before(rank, size), 9, MPI_COMM_WORLD, &persistent));
    for (int i = 0; i < 3; i++) {
        OK(MPI_Start(&persistent));
        OK(MPI_Send(&i, 1, MPI_INT, next(rank, size), 9, MPI_COMM_WORLD));
        OK(MPI_Wait(&persistent, MPI_STATUS_IGNORE));
        CHECK(persistent != MPI_REQUEST_NULL && in[0] == i);
    }
    OK(MPI_Request_free(&persistent));
    OK(MPI_Irecv(in, 1, MPI_INT, rank, 77, MPI_COMM_WORLD, &receives[0]));
    OK(MPI_Cancel(&receives[0]));
    OK(MPI_Wait(&receives[0], statuses));
    MPI_Test_cancelled(statuses, &flag);
    CHECK(flag);
    OK(MPI_Sendrecv(&rank, 1, MPI_INT, next(rank, size), 3, in, 1, MPI_INT, before(rank, size), 3, MPI_COMM_WORLD,
                    statuses));
    CHECK(in[0] == before(rank, size));
}

static int query(void *extra, MPI_Status *status)
{
    status->MPI_SOURCE = *(int *)extra;
    status->MPI_TAG = 6;
    MPI_Status_set_elements(status, MPI_INT, 3);
    MPI_Status_set_cancelled(status, 0);
    return MPI_SUCCESS;
}

static int end(void *extra)
{
    *(int *)extra = -1;
    return MPI_SUCCESS;
}

static int cancel(void *extra, int complete)
{
    (void)extra;
    return complete ? MPI_ERR_OTHER : MPI_SUCCESS;
}

void subrank_generalized(int rank, int size)
{
    int extra = rank, in = -1, count;
    MPI_Request requests[2], its_own;
    MPI_Status statuses[2];

    OK(MPI_Grequest_start(query, end, cancel, &extra, &requests[0]));
    its_own = requests[0];
    OK(MPI_Irecv(&in, 1, MPI_INT, before(rank, size), 8, MPI_COMM_WORLD, &requests[1]));
    OK(MPI_Cancel(&requests[0]));
    OK(MPI_Send(&rank, 1, MPI_INT, next(rank, size), 8, MPI_COMM_WORLD));
    OK(MPI_Grequest_complete(its_own));
    OK(MPI_Waitall(2, requests, statuses));
    MPI_Get_count(&statuses[0], MPI_INT, &count);
    CHECK(statuses[0].MPI_SOURCE == rank && statuses[0].MPI_TAG == 6 && count == 3 && extra == -1);
    CHECK(in == before(rank, size) && requests[0] == MPI_REQUEST_NULL);
}

void subrank_probes(int rank, int size)
{
    MPI_Request request;
    MPI_Message message;
    MPI_Status status;
    int flag = 0, got = -1, count;

    OK(MPI_Isend(&rank, 1, MPI_INT, next(rank, size), 5, MPI_COMM_WORLD, &request));
    OK(MPI_Probe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &status));
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK(count == 1 && status.MPI_SOURCE == before(rank, size));
    while (!flag)
        OK(MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &message, &status));
    OK(MPI_Iprobe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
    CHECK(!flag);
    CHECK(MPI_Message_f2c(MPI_Message_c2f(message)) == message);
    OK(MPI_Mrecv(&got, 1, MPI_INT, &message, &status));
    CHECK(got == before(rank, size) && message == MPI_MESSAGE_NULL);
    OK(MPI_Wait(&request, &status));
    OK(MPI_Mprobe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &message, &status));
    CHECK(message == MPI_MESSAGE_NO_PROC);
    OK(MPI_Imrecv(&got, 1, MPI_INT, &message, &request));
    OK(MPI_Wait(&request, &status));
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL && request == MPI_REQUEST_NULL);
}

static unsigned draw(unsigned *state)
{
    *state = *state * 1103515245u + 12345u;
    return *state >> 8;
}

enum { ROUNDS = 40, MESSAGES = 30 };

/* All ranks draw the same messages; each sends and receives its own, received by number or by the order of a source. */
void subrank_random(int rank, int size)
{
    unsigned state = 1;

    for (int round = 0; round < ROUNDS; round++) {
        MPI_Request requests[2 * MESSAGES];
        int *buffers[2 * MESSAGES], values[2 * MESSAGES], counts[2 * MESSAGES], count = 0;
        bool receives[2 * MESSAGES], in_order = draw(&state) % 2;

        for (int i = 0; i < MESSAGES; i++) {
            int from = (int)(draw(&state) % (unsigned)size), to = (int)(draw(&state) % (unsigned)size);
            int words = 1 << draw(&state) % 14, tag = in_order ? 0 : i;

            for (int end = 0; end < 2; end++) {
                if ((end == 0 ? to : from) != rank)
                    continue;
                receives[count] = end == 0;
                counts[count] = words;
                values[count] = round * MESSAGES + i;
                buffers[count] = malloc((size_t)words * sizeof(int));
                for (int k = 0; k < words; k++)
                    buffers[count][k] = end == 0 ? -1 : values[count] + k;
                if (end == 0)
                    OK(MPI_Irecv(buffers[count], words, MPI_INT, from, tag, MPI_COMM_WORLD, &requests[count]));
                else if (draw(&state) % 2)
                    OK(MPI_Isend(buffers[count], words, MPI_INT, to, tag, MPI_COMM_WORLD, &requests[count]));
                else
                    OK(MPI_Issend(buffers[count], words, MPI_INT, to, tag, MPI_COMM_WORLD, &requests[count]));
                count++;
            }
            state = (unsigned)(round * MESSAGES + i) * 2654435761u; /* the same at all ranks again */
        }
        OK(MPI_Waitall(count, requests, MPI_STATUSES_IGNORE));
        for (int i = 0; i < count; i++) {
            for (int k = 0; receives[i] && k < counts[i]; k += 61)
                CHECK(buffers[i][k] == values[i] + k);
            free(buffers[i]);
        }
    }
}
