/* wan_calls: how long collectives take over a slow link, from a common start to the last rank's end, and whether they
 * are right.
 *
 * Run by bench/wan, in the lab, where all hosts have one clock. Words: sizes in bytes (8, 64 KiB and 4 MiB without),
 * and `doors`: each call is made in turn through the door (MPI_X) and past it (PMPI_X), else past it alone. Prints
 * lines OPERATION BYTES door|bare MICROSECONDS MICROSECONDS   (median and best)
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
    for (int i = 0; i < count; i++)
        in[i] = value(rank, i, turn);
    memset(out, 0xff, (size_t)count * sizeof *out);
}

static bool is_sum(int count, int turn)
{
    for (int i = 0; i < count; i++)
        if (out[i] != ranks * value(0, i, turn) + ranks * (ranks - 1) / 2)
            return false;
    return true;
}

static void allreduce_call(int count, int turn)
{
    (void)turn;
    MPI_Allreduce(in, out, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void allreduce_bare(int count, int turn)
{
    (void)turn;
    PMPI_Allreduce(in, out, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* Each rank is the root in turn. */
static void bcast_fill(int count, int turn)
{
    for (int i = 0; i < count; i++)
        in[i] = rank == turn % ranks ? value(rank, i, turn) : -1;
}

static void bcast_call(int count, int turn)
{
    MPI_Bcast(in, count, MPI_DOUBLE, turn % ranks, MPI_COMM_WORLD);
}

static void bcast_bare(int count, int turn)
{
    PMPI_Bcast(in, count, MPI_DOUBLE, turn % ranks, MPI_COMM_WORLD);
}

static bool is_roots(int count, int turn)
{
    for (int i = 0; i < count; i++)
        if (in[i] != value(turn % ranks, i, turn))
            return false;
    return true;
}

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
    {"bcast", bcast_fill, bcast_call, bcast_bare, is_roots},
};

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

    for (int turn = -1; turn < count; turn++)
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
    return bytes < 64 << 10 ? 24 : bytes < 1 << 20 ? 16 : 4;
}

/* Returns how many sizes the words name. */
static int read_sizes(char **words, int *sizes, bool *doors)
{
    int count = 0;

    for (; *words != NULL; words++) {
        int bytes = atoi(*words);

        if (strcmp(*words, "doors") == 0)
            *doors = true;
        else if (bytes >= (int)sizeof *in && bytes <= BYTES_MAX && count < SIZES_MAX)
            sizes[count++] = bytes;
    }
    return count;
}

int main(int argc, char **argv)
{
    int sizes[SIZES_MAX] = {8, 64 << 10, BYTES_MAX}, count;
    bool doors = false;

    MPI_Init(&argc, &argv);
    if ((count = read_sizes(argv + 1, sizes, &doors)) == 0)
        count = 3;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    in = malloc(BYTES_MAX);
    out = malloc(BYTES_MAX);
    measure(&operations[0], 0, turns(0), doors);
    for (int o = 1; o < 3; o++)
        for (int i = 0; i < count; i++)
            measure(&operations[o], sizes[i], turns(sizes[i]), doors);
    free(in);
    free(out);
    MPI_Finalize();
    return 0;
}
