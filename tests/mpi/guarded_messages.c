/* Ranks that wait for messages, in groups, each on a communicator of its own, which has the case's name.
 *
 *   guarded_messages proven       circles and waits for what never comes: 28 ranks
 *   guarded_messages open FILE    waits that only look so, until the file is there: 15 ranks; ends well
 *   guarded_messages CASE [FILE]  one of them
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LARGE = 1 << 20 };

static char large[LARGE], other[LARGE];
static int small, answer;
static const char *file;
static MPI_Status status;

static bool is_there(void)
{
    usleep(10000);
    return access(file, F_OK) == 0;
}

static void await_file(void)
{
    while (!is_there())
        ;
}

/* --- Proven --- */

static void sends(MPI_Comm comm, int me, int ranks)
{
    MPI_Send(large, LARGE, MPI_CHAR, (me + 1) % ranks, 7, comm); /* site: sends */
    MPI_Recv(large, LARGE, MPI_CHAR, (me + ranks - 1) % ranks, 7, comm, &status);
}

static void receives(MPI_Comm comm, int me, int ranks)
{
    MPI_Recv(&small, 1, MPI_INT, 1 - me, 3, comm, MPI_STATUS_IGNORE); /* site: receives */
    MPI_Send(&small, ranks, MPI_INT, 1 - me, 3, comm);
}

static void leaves(MPI_Comm comm, int me, int ranks)
{
    if (me == 0)
        MPI_Recv(&small, ranks, MPI_INT, 1, 3, comm, &status); /* site: leaves */
}

static void mixed(MPI_Comm comm, int me, int ranks)
{
    if (me == 0)
        MPI_Barrier(comm); /* site: barrier */
    else
        MPI_Recv(&small, ranks, MPI_INT, 0, 3, comm, &status); /* site: mixed */
}

static void all(MPI_Comm comm, int me, int ranks)
{
    MPI_Request requests[3];

    for (int i = 0; i < 2; i++) /* of nobody: none of them is pending */
        MPI_Irecv(&answer, 1, MPI_INT, MPI_PROC_NULL, 1, comm, &requests[i]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Isend(&small, 1, MPI_INT, 1 - me, 1, comm, &requests[0]);
    MPI_Irecv(&answer, 1, MPI_INT, 1 - me, 1, comm, &requests[1]);
    MPI_Irecv(&small, ranks, MPI_INT, 1 - me, 2, comm, &requests[2]);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE); /* site: all */
}

static void any(MPI_Comm comm, int me, int ranks)
{
    MPI_Request requests[2];
    int index;

    if (me == 0) {
        MPI_Irecv(&small, 1, MPI_INT, 1, 1, comm, &requests[0]);
        MPI_Irecv(&answer, ranks, MPI_INT, 1, 2, comm, &requests[1]);
        MPI_Waitany(2, requests, &index, &status); /* site: any */
    } else
        MPI_Recv(&small, 1, MPI_INT, 0, 1, comm, &status);
}

static void source(MPI_Comm comm, int me, int ranks)
{
    if (me == 0)
        MPI_Send(&small, 1, MPI_INT, ranks - 1, 3, comm);
    if (me == ranks - 1)
        MPI_Recv(&small, 1, MPI_INT, MPI_ANY_SOURCE, 3, comm, MPI_STATUS_IGNORE);
    MPI_Recv(&small, 1, MPI_INT, MPI_ANY_SOURCE, 3, comm, &status); /* site: source */
}

static void tags(MPI_Comm comm, int me, int ranks)
{
    if (me == 0)
        MPI_Recv(&small, ranks, MPI_INT, 1, 5, comm, &status); /* site: tag-5 */
    else
        MPI_Ssend(&small, 1, MPI_INT, 0, 7, comm); /* site: tag-7 */
}

static void exchange(MPI_Comm comm, int me, int ranks)
{
    MPI_Sendrecv(&small, 1, MPI_INT, 1 - me, 1, &answer, ranks, MPI_INT, 1 - me, 2, comm, &status); /* site: exchange */
}

static void persistent(MPI_Comm comm, int me, int ranks)
{
    MPI_Request requests[2];

    MPI_Recv_init(&small, ranks, MPI_INT, 1 - me, 1, comm, &requests[0]);
    MPI_Send_init(&answer, 1, MPI_INT, 1 - me, 1, comm, &requests[1]);
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Start(&requests[0]);
    MPI_Wait(&requests[0], &status); /* site: persistent */
}

static void request(MPI_Comm comm, int me, int ranks)
{
    MPI_Request one;

    if (me == 0) {
        MPI_Ibarrier(comm, &one);
        MPI_Wait(&one, &status); /* site: request */
    } else
        MPI_Probe(0, ranks, comm, &status);
}

static void through(MPI_Comm comm, int me, int ranks)
{
    if (me < 2)
        MPI_Recv(&small, 1, MPI_INT, 1 - me, 3, comm, &status);
    else
        MPI_Recv(&small, 1, MPI_INT, (me + ranks - 1) % ranks, 4, comm, &status); /* site: through */
}

/* --- Open --- */

/* The last one computes. */
static void computes(MPI_Comm comm, int me, int ranks)
{
    if (me == ranks - 1)
        await_file();
    else
        MPI_Recv(&small, 1, MPI_INT, me + 1, 3, comm, &status); /* site: computes */
    if (me > 0)
        MPI_Send(&small, 1, MPI_INT, me - 1, 3, comm);
}

static void tests(MPI_Comm comm, int me, int ranks)
{
    MPI_Request one;
    int flag = 0;

    if (me == 0) {
        MPI_Recv(&small, ranks, MPI_INT, 1, 3, comm, &status);
        MPI_Send(&small, 1, MPI_INT, 1, 3, comm);
        return;
    }
    MPI_Irecv(&small, 1, MPI_INT, 0, 3, comm, &one);
    while (!flag && !is_there())
        MPI_Test(&one, &flag, &status);
    MPI_Send(&answer, 1, MPI_INT, 0, 3, comm);
    if (!flag)
        MPI_Wait(&one, &status);
}

/* Rank 1's send ends in rank 0's exchange, though that waits for rank 2. */
static void takes(MPI_Comm comm, int me, int ranks)
{
    if (me == 0)
        MPI_Sendrecv(large, LARGE, MPI_CHAR, 2, 1, other, LARGE, MPI_CHAR, 1, 1, comm, &status);
    else if (me == 1)
        MPI_Send(large, LARGE, MPI_CHAR, 0, 1, comm);
    else {
        await_file();
        MPI_Recv(large, LARGE, MPI_CHAR, ranks - ranks, 1, comm, &status);
    }
    if (me == 1)
        MPI_Recv(&small, 1, MPI_INT, 2, 9, comm, &status);
    if (me == 2)
        MPI_Send(&small, 1, MPI_INT, 1, 9, comm);
}

/* One of several may still come; what was begun before goes on in a blocking call. */
static void some(MPI_Comm comm, int me, int ranks)
{
    MPI_Request requests[2];
    int index;

    if (me == 0) {
        MPI_Irecv(&small, 1, MPI_INT, 1, 1, comm, &requests[0]);
        MPI_Irecv(&answer, 1, MPI_INT, 2, 1, comm, &requests[1]);
        MPI_Waitany(2, requests, &index, &status);
        MPI_Send(&small, 1, MPI_INT, 1, 2, comm);
        MPI_Wait(&requests[1 - index], &status);
        return;
    }
    if (me == 1) {
        MPI_Recv(&small, 1, MPI_INT, 0, 2, comm, &status);
        MPI_Send(&small, 1, MPI_INT, 0, 1, comm);
    } else {
        await_file();
        MPI_Send(&small, ranks - 2, MPI_INT, 0, 1, comm);
    }
}

/* Many messages of all kinds, requests that are reused, and none that is missed. */
static void traffic(MPI_Comm comm, int me, int ranks)
{
    MPI_Request requests[4];
    MPI_Message message;
    MPI_Comm copy;

    for (int round = 0; round < 300; round++) {
        int next = (me + 1) % ranks, last = (me + ranks - 1) % ranks, tag = round % 7;

        MPI_Irecv(&answer, 1, MPI_INT, round % 2 ? MPI_ANY_SOURCE : last, 200 + tag, comm, &requests[0]);
        MPI_Irecv(other, LARGE, MPI_CHAR, last, 100, comm, &requests[1]);
        MPI_Isend(large, round % 3 == 0 ? 9000 : 9, MPI_CHAR, next, 100, comm, &requests[2]);
        MPI_Issend(&small, 1, MPI_INT, next, 200 + tag, comm, &requests[3]);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        MPI_Sendrecv(&small, 1, MPI_INT, last, tag, &answer, 1, MPI_INT, next, tag, comm, MPI_STATUS_IGNORE);
        MPI_Irecv(&answer, 1, MPI_INT, next, 101, comm, &requests[0]);
        MPI_Cancel(&requests[0]);
        MPI_Wait(&requests[0], &status);
        MPI_Isend(&small, 1, MPI_INT, next, 102, comm, &requests[0]);
        MPI_Mprobe(last, 102, comm, &message, &status);
        MPI_Mrecv(&answer, 1, MPI_INT, &message, &status);
        MPI_Wait(&requests[0], &status);
        if (round % 50 != 0)
            continue;
        MPI_Comm_dup(comm, &copy);
        MPI_Sendrecv(&small, 1, MPI_INT, last, 1, &answer, 1, MPI_INT, next, 1, copy, &status);
        MPI_Comm_free(&copy);
    }
    MPI_Barrier(comm);
}

static const struct trial {
    const char *name;
    int ranks;
    void (*run)(MPI_Comm comm, int me, int ranks);
    bool open;
} trials[] = {
    {"sends", 3, sends, false},       {"receives", 2, receives, false},
    {"leaves", 2, leaves, false},     {"mixed", 2, mixed, false},
    {"all", 2, all, false},           {"any", 2, any, false},
    {"source", 3, source, false},     {"tags", 2, tags, false},
    {"exchange", 2, exchange, false}, {"persistent", 2, persistent, false},
    {"request", 2, request, false},   {"through", 4, through, false},
    {"computes", 3, computes, true},  {"tests", 2, tests, true},
    {"takes", 3, takes, true},        {"some", 3, some, true},
    {"traffic", 4, traffic, true},
};

static bool is_wanted(const struct trial *t, const char *what)
{
    return strcmp(what, t->name) == 0 || strcmp(what, t->open ? "open" : "proven") == 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int rank, first = 0, me, ranks;
    const struct trial *mine = NULL;
    MPI_Comm comm;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    file = argc > 2 ? argv[2] : "/";
    for (size_t i = 0; i < sizeof trials / sizeof trials[0]; i++) {
        if (!is_wanted(&trials[i], what))
            continue;
        if (mine == NULL && rank < first + trials[i].ranks)
            mine = &trials[i];
        first += trials[i].ranks;
    }
    MPI_Comm_split(MPI_COMM_WORLD, mine != NULL ? (int)(mine - trials) : MPI_UNDEFINED, 0, &comm);
    if (mine != NULL) {
        MPI_Comm_set_name(comm, mine->name);
        MPI_Comm_rank(comm, &me);
        MPI_Comm_size(comm, &ranks);
        mine->run(comm, me, ranks);
    }
    MPI_Finalize();
    return 0;
}
