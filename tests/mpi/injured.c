/* Calls of one operation, of which one goes wrong at one rank:
 *
 *   injured FAULT CALL RANK OPERATION COUNT COMMUNICATOR
 *
 * FAULT: root, count, operator, operation, type: the rank's call differs in that; absent: it leaves the call out;
 * sleep, loop: it does not come; none: the map does the harm. RANK: of the world. COMMUNICATOR: world, or back, which
 * numbers its ranks from the last one on and is called so. What returns goes on, and waits a moment in the end: the
 * guard is to see it. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { CALLS = 12, COUNT_MAX = 1 << 16 };

struct wound {
    int root, count;
    MPI_Op op;
    MPI_Datatype type;
    const char *operation;
};

static int in[2 * COUNT_MAX * 8], out[2 * COUNT_MAX * 8], ranks;

static void call(const struct wound *w, MPI_Comm comm)
{
    const char *name = w->operation;
    int n = w->count, root = w->root;

    if (strcmp(name, "barrier") == 0)
        MPI_Barrier(comm);
    else if (strcmp(name, "bcast") == 0)
        MPI_Bcast(in, n, w->type, root, comm);
    else if (strcmp(name, "reduce") == 0)
        MPI_Reduce(in, out, n, w->type, w->op, root, comm);
    else if (strcmp(name, "allreduce") == 0)
        MPI_Allreduce(in, out, n, w->type, w->op, comm);
    else if (strcmp(name, "scan") == 0)
        MPI_Scan(in, out, n, w->type, w->op, comm);
    else if (strcmp(name, "gather") == 0)
        MPI_Gather(in, n, w->type, out, n, w->type, root, comm);
    else if (strcmp(name, "scatter") == 0)
        MPI_Scatter(in, n, w->type, out, n, w->type, root, comm);
    else if (strcmp(name, "allgather") == 0)
        MPI_Allgather(in, n, w->type, out, n, w->type, comm);
    else
        MPI_Alltoall(in, n, w->type, out, n, w->type, comm);
}

static void rest(double seconds)
{
    struct timespec t = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};

    nanosleep(&t, NULL);
}

static volatile int going = 1;

/* False: the call is left out. */
static int injure(const char *fault, struct wound *w)
{
    if (strcmp(fault, "root") == 0)
        w->root = (w->root + 1) % ranks;
    else if (strcmp(fault, "count") == 0)
        w->count++;
    else if (strcmp(fault, "operator") == 0)
        w->op = MPI_MAX;
    else if (strcmp(fault, "type") == 0)
        w->type = MPI_FLOAT;
    else if (strcmp(fault, "operation") == 0)
        w->operation = strcmp(w->operation, "barrier") == 0 ? "allreduce" : "barrier";
    else if (strcmp(fault, "sleep") == 0)
        rest(60);
    else
        while (strcmp(fault, "loop") == 0 && going)
            ;
    return strcmp(fault, "absent") != 0;
}

int main(int argc, char **argv)
{
    int rank, wounded, wrong;
    MPI_Comm comm = MPI_COMM_WORLD;

    if (argc != 7)
        return 2;
    wrong = atoi(argv[2]);
    wounded = atoi(argv[3]);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (strcmp(argv[6], "back") == 0) {
        MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
        MPI_Comm_set_name(comm, "back");
    }
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    for (int i = 1; i <= CALLS; i++) {
        struct wound w = {i % ranks, atoi(argv[5]) + i % 3, MPI_SUM, MPI_INT, argv[4]};

        if (i != wrong || rank != wounded || injure(argv[1], &w))
            call(&w, comm);
    }
    rest(1.5);
    MPI_Finalize();
    return 0;
}
