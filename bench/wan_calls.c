/* wan_calls: how long collectives take over a slow link, from a common start to the last rank's end, and whether they
 * are right.
 *
 * Run by bench/wan, in the lab, where all hosts have one clock. Calls that are timed have been made before, of each
 * root: a first one makes a plan. Words: sizes in bytes (8, 64 KiB and 4 MiB without) of what a rank has in all, of
 * which each other one gets its share, of 8 bytes at least; names of operations (all without); and `doors`: each call
 * is made in turn through the door (MPI_X) and past it (PMPI_X), else past it alone.
 *
 * Prints lines OPERATION BYTES door|bare MICROSECONDS MICROSECONDS   (median and best)
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BYTES_MAX = 4 << 20, SAMPLES_MAX = 64, SIZES_MAX = 16 };

/* How long the ranks wait for the common start: it must reach all of them before. */
static const double lead_s = 0.02;

static int rank, ranks;
static double *in, *out;

struct operation {
    const char *name;
    void (*fill)(int count, int turn);
    void (*call)(int count, int turn);
    void (*bare)(int count, int turn);
    bool (*right)(int count, int turn);
};

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void sleep_until(double at_s)
{
    struct timespec t = {.tv_sec = (time_t)at_s, .tv_nsec = (long)(1e9 * (at_s - (double)(time_t)at_s))};

    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

static double value(int of, int i, int turn)
{
    return of + i % 1021 + turn;
}

static void fill_own(int count, int turn)
{
    int filled = count > ranks ? count : ranks; /* a block for each rank */

    for (int i = 0; i < filled; i++)
        in[i] = value(rank, i, turn);
    memset(out, 0xff, (size_t)filled * sizeof *out);
}

static bool is_sum(int count, int turn)
{
    for (int i = 0; i < count; i++)
        if (out[i] != ranks * value(0, i, turn) + ranks * (ranks - 1) / 2)
            return false;
    return true;
}

/* Each rank is the root in turn. */
static void bcast_fill(int count, int turn)
{
    for (int i = 0; i < count; i++)
        in[i] = rank == turn % ranks ? value(rank, i, turn) : -1;
}

/* What each rank has for each other one, of `count` elements in all. */
static int block(int count)
{
    return count > ranks ? count / ranks : 1;
}

static bool has_root(int count, int turn)
{
    for (int i = 0; i < count; i++)
        if (in[i] != value(turn % ranks, i, turn))
            return false;
    return true;
}

static bool is_sum_at_root(int count, int turn)
{
    return rank != turn % ranks || is_sum(count, turn);
}

static bool is_sum_until_here(int count, int turn)
{
    for (int i = 0; i < count; i++)
        if (out[i] != (rank + 1) * value(0, i, turn) + rank * (rank + 1) / 2)
            return false;
    return true;
}

static bool is_part_of_sum(int count, int turn)
{
    for (int i = 0; i < block(count); i++)
        if (out[i] != ranks * value(0, rank * block(count) + i, turn) + ranks * (ranks - 1) / 2)
            return false;
    return true;
}

/* Of each rank the block that begins at `first` there. */
static bool has_blocks(int count, int turn, int first)
{
    for (int i = 0; i < ranks * block(count); i++)
        if (out[i] != value(i / block(count), first + i % block(count), turn))
            return false;
    return true;
}

static bool is_gathered(int count, int turn)
{
    return has_blocks(count, turn, 0);
}

static bool is_gathered_at_root(int count, int turn)
{
    return rank != turn % ranks || has_blocks(count, turn, 0);
}

static bool is_transposed(int count, int turn)
{
    return has_blocks(count, turn, rank * block(count));
}

static bool is_scattered(int count, int turn)
{
    for (int i = 0; i < block(count); i++)
        if (out[i] != value(turn % ranks, rank * block(count) + i, turn))
            return false;
    return true;
}

/* A call through the door, and past it. */
#define BOTH(name, function, ...)                                                                                      \
    static void name##_call(int count, int turn)                                                                       \
    {                                                                                                                  \
        (void)count, (void)turn;                                                                                       \
        MPI_##function(__VA_ARGS__, MPI_COMM_WORLD);                                                                   \
    }                                                                                                                  \
    static void name##_bare(int count, int turn)                                                                       \
    {                                                                                                                  \
        (void)count, (void)turn;                                                                                       \
        PMPI_##function(__VA_ARGS__, MPI_COMM_WORLD);                                                                  \
    }
#define ELEMENTS count, MPI_DOUBLE
#define BLOCK block(count), MPI_DOUBLE
#define ROOT turn % ranks

BOTH(allreduce, Allreduce, in, out, ELEMENTS, MPI_SUM)
BOTH(bcast, Bcast, in, ELEMENTS, ROOT)
BOTH(reduce, Reduce, in, out, ELEMENTS, MPI_SUM, ROOT)
BOTH(scan, Scan, in, out, ELEMENTS, MPI_SUM)
BOTH(reduce_scatter_block, Reduce_scatter_block, in, out, BLOCK, MPI_SUM)
BOTH(allgather, Allgather, in, BLOCK, out, BLOCK)
BOTH(alltoall, Alltoall, in, BLOCK, out, BLOCK)
BOTH(gather, Gather, in, BLOCK, out, BLOCK, ROOT)
BOTH(scatter, Scatter, in, BLOCK, out, BLOCK, ROOT)

static void barrier_call(int count, int turn)
{
    (void)count, (void)turn;
    MPI_Barrier(MPI_COMM_WORLD);
}

static void barrier_bare(int count, int turn)
{
    (void)count, (void)turn;
    PMPI_Barrier(MPI_COMM_WORLD);
}

static const struct operation operations[] = {
    {"barrier", fill_own, barrier_call, barrier_bare, NULL},
    {"allreduce", fill_own, allreduce_call, allreduce_bare, is_sum},
    {"bcast", bcast_fill, bcast_call, bcast_bare, has_root},
    {"reduce", fill_own, reduce_call, reduce_bare, is_sum_at_root},
    {"scan", fill_own, scan_call, scan_bare, is_sum_until_here},
    {"reduce-scatter-block", fill_own, reduce_scatter_block_call, reduce_scatter_block_bare, is_part_of_sum},
    {"allgather", fill_own, allgather_call, allgather_bare, is_gathered},
    {"alltoall", fill_own, alltoall_call, alltoall_bare, is_transposed},
    {"gather", fill_own, gather_call, gather_bare, is_gathered_at_root},
    {"scatter", fill_own, scatter_call, scatter_bare, is_scattered},
};
enum { OPERATIONS = sizeof operations / sizeof *operations, BARRIER = 0 };

static void check(const struct operation *o, int count, int turn)
{
    if (o->right == NULL || o->right(count, turn))
        return;
    fprintf(stderr, "wan_calls: %s of %zu bytes is wrong at rank %d\n", o->name, (size_t)count * sizeof *in, rank);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Seconds from the common start to the last end, at rank 0; below 0 when a rank was late for the start. */
static double sample_s(const struct operation *o, bool door, int count, int turn)
{
    double start_s, own[2], last[2];

    o->fill(count, turn);
    PMPI_Barrier(MPI_COMM_WORLD);
    start_s = now_s() + lead_s;
    PMPI_Bcast(&start_s, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    own[0] = now_s() - start_s;
    sleep_until(start_s);
    if (door)
        o->call(count, turn);
    else
        o->bare(count, turn);
    own[1] = now_s() - start_s;
    check(o, count, turn);
    PMPI_Reduce(own, last, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    return last[0] > 0 ? -1 : last[1];
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

static void print_samples(const struct operation *o, int bytes, bool door, double *samples, int count)
{
    int late = 0;

    qsort(samples, (size_t)count, sizeof *samples, compare);
    while (late < count && samples[late] < 0)
        late++;
    if (rank == 0 && late < count)
        printf("%s %d %s %.1f %.1f\n", o->name, bytes, door ? "door" : "bare", 1e6 * samples[late + (count - late) / 2],
               1e6 * samples[late]);
    fflush(stdout);
}

static void measure(const struct operation *o, int bytes, int count, bool doors)
{
    double samples[2][SAMPLES_MAX];
    int elements = bytes / (int)sizeof *in;

    for (int turn = -ranks; turn < count; turn++)
        for (int door = 0; door <= doors; door++) {
            double took_s = sample_s(o, door, elements, turn + ranks);

            if (turn >= 0)
                samples[door][turn] = took_s;
        }
    for (int door = 0; door <= doors; door++)
        print_samples(o, bytes, door, samples[door], count);
}

/* Calls of a size that are timed. */
static int turns(int bytes)
{
    return bytes < 64 << 10 ? 16 : bytes < 1 << 20 ? 12 : 4;
}

struct job {
    int sizes[SIZES_MAX], size_count;
    bool wanted[OPERATIONS], doors;
};

static bool is_operation(const char *word, struct job *job)
{
    for (int o = 0; o < OPERATIONS; o++)
        if (strcmp(word, operations[o].name) == 0)
            return job->wanted[o] = true;
    return false;
}

static _Noreturn void refuse(const char *word)
{
    fprintf(stderr, "wan_calls: '%s' is neither a size of 8 to %d bytes nor an operation that is timed here\n", word,
            BYTES_MAX);
    MPI_Abort(MPI_COMM_WORLD, 2);
    abort();
}

static struct job read_words(char **words)
{
    struct job job = {.sizes = {8, 64 << 10, BYTES_MAX}};
    bool some = false;

    for (; *words != NULL; words++) {
        int bytes = atoi(*words);

        if (strcmp(*words, "doors") == 0)
            job.doors = true;
        else if (bytes >= (int)sizeof *in && bytes <= BYTES_MAX && job.size_count < SIZES_MAX)
            job.sizes[job.size_count++] = bytes;
        else if (is_operation(*words, &job))
            some = true;
        else
            refuse(*words);
    }
    for (int o = 0; o < OPERATIONS && !some; o++)
        job.wanted[o] = true;
    job.size_count = job.size_count > 0 ? job.size_count : 3;
    return job;
}

int main(int argc, char **argv)
{
    struct job job;

    MPI_Init(&argc, &argv);
    job = read_words(argv + 1);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    in = malloc(BYTES_MAX + (size_t)ranks * sizeof *in);
    out = malloc(BYTES_MAX + (size_t)ranks * sizeof *out);
    for (int o = 0; o < OPERATIONS; o++)
        for (int i = 0; job.wanted[o] && i < (o == BARRIER ? 1 : job.size_count); i++)
            measure(&operations[o], o == BARRIER ? 0 : job.sizes[i], turns(job.sizes[i]), job.doors);
    free(in);
    free(out);
    MPI_Finalize();
    return 0;
}
