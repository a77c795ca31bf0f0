/* What one late rank costs: a collective under a map, and the MPI library's own, in turn, in one run.
 *
 * Run under `waymark run`: MPI_X goes by the map, PMPI_X does not. All ranks start together, but for one that sleeps a
 * given time first; each rank in turn is the late one. Of each call two times are taken: from the late rank's arrival
 * until everyone has left, and what the others lose: the mean time that a rank which came in time spends in the call.
 * With nobody late the first is that from the last arrival. Every result is checked. Ranks must share a clock, that is,
 * a machine. */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "bench/sample.h"

enum { BYTES = 1024, SAMPLES = 24, RANKS_MAX = 64, NOBODY = -1 };

/* `in` and `out` have room for a block of `count` longs for each rank. */
struct collective {
    const char *name;
    int (*mapped)(void), (*own)(void);
    long (*expected)(int block, int i); /* element i of block `block` of `out` */
    int (*blocks)(void);                /* blocks of `out` that mean something at this rank */
};

static int rank, ranks, count;
static long *in, *out;

#define BOTH(name, call)                                                                                               \
    static int mapped_##name(void)                                                                                     \
    {                                                                                                                  \
        return MPI_##call;                                                                                             \
    }                                                                                                                  \
    static int own_##name(void)                                                                                        \
    {                                                                                                                  \
        return PMPI_##call;                                                                                            \
    }

BOTH(barrier, Barrier(MPI_COMM_WORLD))
BOTH(bcast, Bcast(out, count, MPI_LONG, 0, MPI_COMM_WORLD))
BOTH(reduce, Reduce(in, out, count, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD))
BOTH(allreduce, Allreduce(in, out, count, MPI_LONG, MPI_SUM, MPI_COMM_WORLD))
BOTH(gather, Gather(in, count, MPI_LONG, out, count, MPI_LONG, 0, MPI_COMM_WORLD))
BOTH(scatter, Scatter(in, count, MPI_LONG, out, count, MPI_LONG, 0, MPI_COMM_WORLD))
BOTH(alltoall, Alltoall(in, count, MPI_LONG, out, count, MPI_LONG, MPI_COMM_WORLD))

/* What rank `from` has in its block `block`. */
static long brought(int from, int block, int i)
{
    return 1000000L * (from + 1) + 1000L * block + i;
}

static long from_root(int block, int i)
{
    return brought(0, block, i);
}

static long sum(int block, int i)
{
    long total = 0;

    for (int r = 0; r < ranks; r++)
        total += brought(r, block, i);
    return total;
}

static long first_of_each(int block, int i)
{
    return brought(block, 0, i);
}

static long mine_of_root(int block, int i)
{
    (void)block;
    return brought(0, rank, i);
}

static long mine_of_each(int block, int i)
{
    return brought(block, rank, i);
}

static int none(void)
{
    return 0;
}

static int one(void)
{
    return 1;
}

static int one_at_root(void)
{
    return rank == 0;
}

static int each_at_root(void)
{
    return rank == 0 ? ranks : 0;
}

static int each(void)
{
    return ranks;
}

static const struct collective collectives[] = {
    {"barrier", mapped_barrier, own_barrier, from_root, none},
    {"bcast", mapped_bcast, own_bcast, from_root, one},
    {"reduce", mapped_reduce, own_reduce, sum, one_at_root},
    {"allreduce", mapped_allreduce, own_allreduce, sum, one},
    {"gather", mapped_gather, own_gather, first_of_each, each_at_root},
    {"scatter", mapped_scatter, own_scatter, mine_of_root, one},
    {"alltoall", mapped_alltoall, own_alltoall, mine_of_each, each},
};

/* A bcast's root brings its data in `out`. */
static void fill(const struct collective *c)
{
    for (int block = 0; block < ranks; block++)
        for (int i = 0; i < count; i++) {
            in[block * count + i] = brought(rank, block, i);
            out[block * count + i] = c->own == own_bcast && rank == 0 ? in[block * count + i] : -1;
        }
}

static void check(const struct collective *c)
{
    for (int block = 0; block < c->blocks(); block++)
        for (int i = 0; i < count; i++)
            if (out[block * count + i] != c->expected(block, i)) {
                fprintf(stderr, "late: %s: element %d of block %d at rank %d is %ld, not %ld\n", c->name, i, block,
                        rank, out[block * count + i], c->expected(block, i));
                MPI_Abort(MPI_COMM_WORLD, 1);
            }
}

struct cost {
    double left_us; /* from the late rank's arrival until everyone has left */
    double lost_us; /* in the call, the mean of the ranks in time */
};

/* From everyone's times of entering and leaving; at rank 0. */
static struct cost judge(const struct collective *c, double (*times)[2], int late)
{
    double last_in = 0, last_out = 0, first_out = times[0][1];
    struct cost cost = {0, 0};

    for (int r = 0; r < ranks; r++) {
        last_in = times[r][0] > last_in ? times[r][0] : last_in;
        last_out = times[r][1] > last_out ? times[r][1] : last_out;
        first_out = times[r][1] < first_out ? times[r][1] : first_out;
        if (r != late)
            cost.lost_us += (times[r][1] - times[r][0]) / (late == NOBODY ? ranks : ranks - 1);
    }
    if (c->own == own_barrier && first_out < last_in) {
        fprintf(stderr, "late: a rank left the barrier %g us before the last had come\n", last_in - first_out);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    cost.left_us = last_out - (late == NOBODY ? last_in : times[late][0]);
    return cost;
}

static struct cost sample(const struct collective *c, int (*call)(void), int late, double late_us)
{
    struct timespec delay = {(time_t)(late_us / 1e6), (long)(late_us * 1e3) % 1000000000};
    double mine[2], all[RANKS_MAX][2];

    fill(c);
    PMPI_Barrier(MPI_COMM_WORLD);
    if (rank == late)
        nanosleep(&delay, NULL);
    mine[0] = bench_now_ns() * 1e-3;
    call();
    mine[1] = bench_now_ns() * 1e-3;
    check(c);
    PMPI_Gather(mine, 2, MPI_DOUBLE, all, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return rank == 0 ? judge(c, all, late) : (struct cost){0, 0};
}

/* Of one member of all costs. */
static double median(const struct cost *costs, size_t member)
{
    double values[SAMPLES];

    for (int i = 0; i < SAMPLES; i++)
        memcpy(&values[i], (const char *)&costs[i] + member, sizeof values[i]);
    return bench_median(values, SAMPLES);
}

/* Who comes first changes from sample to sample. */
static void measure(const struct collective *c, int late, double late_us)
{
    struct cost mapped[SAMPLES], own[SAMPLES];

    for (int i = -1; i < SAMPLES; i++)
        for (int turn = 0; turn < 2; turn++) {
            int by_map = (i + turn) & 1;
            struct cost cost = sample(c, by_map ? c->mapped : c->own, late, late_us);

            if (i >= 0) /* the first makes the plan, or the library's connections */
                (by_map ? mapped : own)[i] = cost;
        }
    if (rank == 0)
        printf("%s %d %.1f %.1f %.1f %.1f\n", c->name, late, median(mapped, offsetof(struct cost, left_us)),
               median(own, offsetof(struct cost, left_us)), median(mapped, offsetof(struct cost, lost_us)),
               median(own, offsetof(struct cost, lost_us)));
}

static const struct collective *find(const char *name)
{
    for (size_t i = 0; i < sizeof collectives / sizeof *collectives; i++)
        if (strcmp(collectives[i].name, name) == 0)
            return &collectives[i];
    return NULL;
}

static void *allocate(size_t longs)
{
    void *memory = malloc(longs * sizeof(long));

    if (memory == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return memory;
}

int main(int argc, char **argv)
{
    const struct collective *c = argc > 2 ? find(argv[1]) : NULL;
    double late_us = argc > 2 ? atof(argv[2]) : 0;
    int bytes = argc > 3 ? atoi(argv[3]) : BYTES;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    count = bytes / (int)sizeof(long);
    if (c == NULL || late_us <= 0 || count < 1 || ranks < 2 || ranks > RANKS_MAX) {
        fprintf(stderr,
                "usage: mpirun -n 2…%d waymark run -m MAP -- late COLLECTIVE MICROSECONDS-LATE [BYTES-OF-A-BLOCK]\n",
                RANKS_MAX);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    in = allocate((size_t)ranks * (size_t)count);
    out = allocate((size_t)ranks * (size_t)count);
    for (int late = NOBODY; late < ranks; late++)
        measure(c, late, late_us);
    free(in);
    free(out);
    MPI_Finalize();
    return 0;
}
