/* An application in time steps whose ranks are alike, unless a fault is asked for.
 *
 *   planted STEPS [slow RANK] [late-root] [coupled] [statistics BYTES]
 *
 * A step: exchange a halo with both neighbours, compute, reduce the residual over all ranks, hear the parameters of the
 * next step from rank 0, prepare them, and evaluate: each rank in turn takes the sum of BYTES of statistics, which it
 * evaluates first. `slow`: the rank computes longer. `late-root`: rank 0 prepares before it broadcasts, and nobody
 * needs it to. Statistics above the net's eager limit are the third fault: then nobody goes on to the next sum before
 * its rank has evaluated. `coupled`: the residual and the parameters are all there is, as where a step is short.
 *
 * Computing is nothing but time that passes outside of MPI, so that more ranks than processors take as long as one. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STATISTICS_MAX = 1 << 20, PARAMETERS = 16, HALO = 64, ROOT = 0 };

struct program {
    int steps, slow_rank;
    bool late_root, coupled;
    int statistics; /* numbers of 8 bytes */
    int rank, ranks;
};

static double *mine, *sums;

static void compute(long milliseconds)
{
    struct timespec time = {0, milliseconds * 1000000};

    nanosleep(&time, NULL);
}

static void exchange_halo(const struct program *p)
{
    double out[HALO] = {0}, in[HALO];
    int right = (p->rank + 1) % p->ranks, left = (p->rank + p->ranks - 1) % p->ranks;

    MPI_Sendrecv(out, HALO, MPI_DOUBLE, right, 0, in, HALO, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(out, HALO, MPI_DOUBLE, left, 1, in, HALO, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void reduce_residual(void)
{
    double residual = 1, sum;

    MPI_Allreduce(&residual, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void share_parameters(void)
{
    double parameters[PARAMETERS] = {0};

    MPI_Bcast(parameters, PARAMETERS, MPI_DOUBLE, ROOT, MPI_COMM_WORLD);
}

static void prepare(const struct program *p)
{
    bool before = p->late_root && p->rank == ROOT;

    if (before)
        compute(20);
    share_parameters();
    if (!before)
        compute(20);
}

static void evaluate(const struct program *p)
{
    for (int root = 0; root < p->ranks; root++) {
        if (p->rank == root)
            compute(10);
        MPI_Reduce(mine, sums, p->statistics, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD);
    }
}

static void step(const struct program *p)
{
    if (p->coupled) {
        reduce_residual();
        share_parameters();
        return;
    }
    exchange_halo(p);
    compute(p->rank == p->slow_rank ? 25 : 5);
    reduce_residual();
    prepare(p);
    evaluate(p);
}

static int usage(void)
{
    fputs("usage: planted STEPS [slow RANK] [late-root] [coupled] [statistics BYTES]\n", stderr);
    return 2;
}

static bool read_words(struct program *p, int argc, char **argv)
{
    if (argc < 2 || (p->steps = atoi(argv[1])) < 1)
        return false;
    for (int i = 2; i < argc; i++) {
        if (strcmp(argv[i], "late-root") == 0)
            p->late_root = true;
        else if (strcmp(argv[i], "coupled") == 0)
            p->coupled = true;
        else if (strcmp(argv[i], "slow") == 0 && i + 1 < argc)
            p->slow_rank = atoi(argv[++i]);
        else if (strcmp(argv[i], "statistics") == 0 && i + 1 < argc)
            p->statistics = atoi(argv[++i]) / (int)sizeof *mine;
        else
            return false;
    }
    return p->statistics > 0 && p->statistics * sizeof *mine <= STATISTICS_MAX;
}

int main(int argc, char **argv)
{
    struct program program = {.slow_rank = -1, .statistics = 64};

    if (!read_words(&program, argc, argv))
        return usage();
    mine = calloc(1, STATISTICS_MAX);
    sums = calloc(1, STATISTICS_MAX);
    if (mine == NULL || sums == NULL)
        return 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &program.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &program.ranks);
    for (int i = 0; i < program.steps; i++)
        step(&program);
    MPI_Finalize();
    free(mine);
    free(sums);
    return 0;
}
