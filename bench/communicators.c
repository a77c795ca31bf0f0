/* What communicators cost: made and freed, and their first collective, under a map and by the MPI library, in turn, in
 * one run; then how memory grows while many are made, used once and freed.
 *
 * communicators [COUNT]: so many for the last part (60000). Run under `waymark run`: MPI_X goes by the map, PMPI_X does
 * not. Times are the slowest rank's; every sum is checked. A first collective is on a communicator whose ranks have
 * freed another one before, or, `beside others`, on one of many that live at once. Means have, too, what is made ahead
 * for later ones. `Bare joining` is the one exchange that every first call has to make, beside a native barrier. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include "bench/sample.h"

enum { SAMPLES = 1001, WARMUPS = 20, KEPT = 256, COUNT = 60000 };

static int rank, ranks;
static MPI_Group all;
static MPI_Comm kept[KEPT];
static int kept_count;

static void check_sum(double sum)
{
    if (sum == ranks * (ranks + 1) / 2.0)
        return;
    fprintf(stderr, "communicators: a wrong sum at rank %d\n", rank);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* X(name, prefix): how a measured thing is done by MPI_… and by PMPI_…; `before` prepares it, untimed. */
#define KINDS(X) X(mapped, MPI) X(own, PMPI)

enum { WORDS = 3, RANKS_MAX = 1024 };

/* What the ranks of a communicator tell each other before its first planned call, alone. */
static void bare_join(MPI_Comm *comm)
{
    static unsigned long told[WORDS * RANKS_MAX];
    unsigned long own[WORDS] = {0};

    PMPI_Allgather(own, WORDS, MPI_UNSIGNED_LONG, told, WORDS, MPI_UNSIGNED_LONG, *comm);
}

#define DEFINE(name, P)                                                                                                \
    static void name##_dup(MPI_Comm *comm)                                                                             \
    {                                                                                                                  \
        P##_Comm_dup(MPI_COMM_WORLD, comm);                                                                            \
    }                                                                                                                  \
    static void name##_split(MPI_Comm *comm)                                                                           \
    {                                                                                                                  \
        P##_Comm_split(MPI_COMM_WORLD, 0, rank, comm);                                                                 \
    }                                                                                                                  \
    static void name##_create(MPI_Comm *comm)                                                                          \
    {                                                                                                                  \
        P##_Comm_create(MPI_COMM_WORLD, all, comm);                                                                    \
    }                                                                                                                  \
    static void name##_free(MPI_Comm *comm)                                                                            \
    {                                                                                                                  \
        P##_Comm_free(comm);                                                                                           \
    }                                                                                                                  \
    static void name##_barrier(MPI_Comm *comm)                                                                         \
    {                                                                                                                  \
        P##_Barrier(*comm);                                                                                            \
    }                                                                                                                  \
    static void name##_allreduce(MPI_Comm *comm)                                                                       \
    {                                                                                                                  \
        double one = rank + 1, sum;                                                                                    \
                                                                                                                       \
        P##_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, *comm);                                                      \
        check_sum(sum);                                                                                                \
    }                                                                                                                  \
    static void name##_iallreduce(MPI_Comm *comm)                                                                      \
    {                                                                                                                  \
        double one = rank + 1, sum;                                                                                    \
        MPI_Request request;                                                                                           \
                                                                                                                       \
        P##_Iallreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, *comm, &request);                                           \
        P##_Wait(&request, MPI_STATUS_IGNORE);                                                                         \
        check_sum(sum);                                                                                                \
    }
KINDS(DEFINE)

static void mapped_join_or_barrier(MPI_Comm *comm)
{
    bare_join(comm);
}

static void own_join_or_barrier(MPI_Comm *comm)
{
    own_barrier(comm);
}

static void free_kept(void)
{
    while (kept_count > 0)
        MPI_Comm_free(&kept[--kept_count]);
}

static void keep(MPI_Comm *comm)
{
    if (kept_count == KEPT)
        free_kept();
    kept[kept_count++] = *comm;
}

typedef void action(MPI_Comm *comm);

/* A communicator is made, used, and freed; what is timed are the actions for which `timed` has a bit. */
struct part {
    const char *name;
    int timed;
    action *actions[2][3]; /* [mapped, own] */
};

#define NOTHING(kind) NULL
#define DUP(kind) kind##_dup
#define SPLIT(kind) kind##_split
#define CREATE(kind) kind##_create
#define BARRIER(kind) kind##_barrier
#define ALLREDUCE(kind) kind##_allreduce
#define IALLREDUCE(kind) kind##_iallreduce
#define FREE(kind) kind##_free
#define KEEP(kind) keep
#define JOIN_OR_BARRIER(kind) kind##_join_or_barrier

/* X(name, timed, make, use, end). */
/* clang-format off */
#define PARTS(X)                                                           \
    X("dup and free",              5, DUP,    NOTHING,    FREE)            \
    X("split and free",            5, SPLIT,  NOTHING,    FREE)            \
    X("create and free",           5, CREATE, NOTHING,    FREE)            \
    X("first barrier",             2, DUP,    BARRIER,    FREE)            \
    X("first allreduce, 8 B",      2, DUP,    ALLREDUCE,  FREE)            \
    X("first iallreduce, 8 B",     2, DUP,    IALLREDUCE, FREE)            \
    X("  barrier beside others",   2, DUP,    BARRIER,    KEEP)            \
    X("  allreduce beside others", 2, DUP,    ALLREDUCE,  KEEP)            \
    X("  iallreduce beside others", 2, DUP,    IALLREDUCE, KEEP)           \
    X("bare joining, barrier",     2, DUP,    JOIN_OR_BARRIER, KEEP)
/* clang-format on */

#define X(name, timed, make, use, end)                                                                                 \
    {name, timed, {{make(mapped), use(mapped), end(mapped)}, {make(own), use(own), end(own)}}},
static const struct part parts[] = {PARTS(X)};
#undef X

static double run(const struct part *part, int own)
{
    MPI_Comm comm;
    double seconds = 0, slowest;

    for (int i = 0; i < 3; i++) {
        double begin;

        if (part->actions[own][i] == NULL)
            continue;
        PMPI_Barrier(MPI_COMM_WORLD);
        begin = MPI_Wtime();
        part->actions[own][i](&comm);
        if (part->timed & 1 << i)
            seconds += MPI_Wtime() - begin;
    }
    PMPI_Allreduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slowest;
}

static double sum_of(const double *seconds)
{
    double sum = 0;

    for (int i = 0; i < SAMPLES; i++)
        sum += seconds[i];
    return sum;
}

static void measure(const struct part *part)
{
    static double seconds[2][SAMPLES];
    double sums[2], medians[2];

    for (int i = -WARMUPS; i < SAMPLES; i++)
        for (int own = 0; own < 2; own++)
            seconds[own][i < 0 ? 0 : i] = run(part, own);
    free_kept();
    for (int own = 0; own < 2; own++)
        sums[own] = sum_of(seconds[own]);
    for (int own = 0; own < 2; own++)
        medians[own] = bench_median(seconds[own], SAMPLES);
    if (rank == 0)
        printf("%-26s %9.2f %9.2f %8.2f %9.2f %9.2f\n", part->name, medians[0] * 1e6, medians[1] * 1e6,
               medians[0] / medians[1], sums[0] / SAMPLES * 1e6, sums[1] / SAMPLES * 1e6);
}

static long resident_kib(void)
{
    long pages = 0, resident = 0;
    FILE *statm = fopen("/proc/self/statm", "r");

    if (statm == NULL || fscanf(statm, "%ld %ld", &pages, &resident) != 2)
        resident = 0;
    if (statm != NULL)
        fclose(statm);
    return resident * 4;
}

/* From a tenth on, for the library, too, keeps what it once needed. */
static void measure_memory(int count)
{
    long before = 0, growth, most;

    for (int i = 0; i < count; i++) {
        MPI_Comm comm;

        if (i == count / 10)
            before = resident_kib();
        mapped_dup(&comm);
        mapped_allreduce(&comm);
        mapped_free(&comm);
    }
    growth = resident_kib() - before;
    PMPI_Allreduce(&growth, &most, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d made, used once and freed: memory of a rank grows by %ld KiB after the first %d\n", count, most,
               count / 10);
}

int main(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : COUNT;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    if (rank == 0)
        printf("%d ranks, medians of %d         mapped       own    ratio     means       own   (us)\n", ranks,
               SAMPLES);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        measure(&parts[i]);
    measure_memory(count);
    MPI_Group_free(&all);
    MPI_Finalize();
    return 0;
}
