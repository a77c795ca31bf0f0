/* A job that runs for some seconds and notes, now and then, what its clocks say and what the time really is.
 *
 * clock SECONDS DIRECTORY together|apart [killed]: `together` calls MPI_Allreduce, in which clocks may be compared,
 * `apart` MPI_Bcast alone; `killed`: the last rank dies at the end. Notes are lines "ticks monotonic truth width" in a
 * file a rank: the time stamp counter, CLOCK_MONOTONIC as the process sees it, and as the kernel has it; and how wide
 * the instant is, in nanoseconds. */
#include <mpi.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static uint64_t nanoseconds(const struct timespec *t)
{
    return (uint64_t)t->tv_sec * 1000000000u + (uint64_t)t->tv_nsec;
}

static uint64_t seen_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return nanoseconds(&t);
}

static uint64_t true_ns(void)
{
    struct timespec t;

    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
    return nanoseconds(&t);
}

static uint64_t ticks(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    return seen_ns();
#endif
}

/* The tightest of several tries: all three at one instant. */
static void note(FILE *file)
{
    uint64_t best = UINT64_MAX, best_ticks = 0, best_seen = 0, best_true = 0;

    for (int i = 0; i < 8; i++) {
        uint64_t before = true_ns(), counter = ticks(), seen = seen_ns(), after = true_ns();

        if (after - before >= best)
            continue;
        best = after - before;
        best_ticks = counter;
        best_seen = seen;
        best_true = before + best / 2;
    }
    if (best < 10000)
        fprintf(file, "%llu %llu %llu %llu\n", (unsigned long long)best_ticks, (unsigned long long)best_seen,
                (unsigned long long)best_true, (unsigned long long)best);
}

/* Is it over? Rank 0 knows. */
static int over(int together, int mine)
{
    int any = mine;

    if (together)
        MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    else
        MPI_Bcast(&any, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return any;
}

int main(int argc, char **argv)
{
    int rank, ranks, together = argc > 3 && strcmp(argv[3], "together") == 0;
    uint64_t begin_ns, last_ns = 0;
    double seconds = argc > 1 ? atof(argv[1]) : 1;
    char name[4096];
    FILE *file;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    snprintf(name, sizeof name, "%s/truth-%d", argc > 2 ? argv[2] : ".", rank);
    if ((file = fopen(name, "w")) == NULL)
        MPI_Abort(MPI_COMM_WORLD, 2);
    begin_ns = true_ns();
    while (!over(together, (double)(true_ns() - begin_ns) > seconds * 1e9)) {
        if (true_ns() - last_ns > 20000000) {
            last_ns = true_ns();
            note(file);
        }
        usleep(500); /* the processors are others' meanwhile */
    }
    fclose(file);
    MPI_Barrier(MPI_COMM_SELF);
    if (argc > 4 && rank == ranks - 1)
        raise(SIGKILL);
    if (argc > 4)
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
