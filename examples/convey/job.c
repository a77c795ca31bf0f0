/* What the examples share beside conveyors: reading options, taking the time, and one line of result. */
#include <mpi.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "examples/convey/job.h"

/* Serial answers up to this size take about a second. */
enum { CHECKED_BY_DEFAULT = 1 << 23 };

static _Noreturn void leave(int status)
{
    MPI_Finalize();
    exit(status);
}

static _Noreturn void help(const struct job *job, const struct job_option *options)
{
    if (job->rank > 0)
        leave(0);
    printf("mpirun -n RANKS %s [OPTION ...]\n%s\n\n", job->name, job->summary);
    for (; options->name != NULL; options++)
        printf("  --%-10s NUMBER  %s (%" PRId64 ")\n", options->name, options->meaning, *options->value);
    printf("  --%-10s NUMBER  where the random numbers begin (%" PRId64 ")\n", "seed", job->seed);
    printf("  --check, --no-check     compare with a serial answer (where that takes no more than a second)\n"
           "\nA NUMBER may end with K, M or G: times 1024, once, twice or three times. Examples:\n%s",
           job->examples);
    leave(0);
}

static _Noreturn void refuse(const struct job *job, const char *argument, const char *sentence)
{
    if (job->rank == 0)
        fprintf(stderr, "%s: '%s': %s\n", job->name, argument, sentence);
    leave(2);
}

static bool read_number(const char *text, int64_t *value)
{
    static const char units[] = "KMG";
    const char *unit;
    char *end;

    *value = strtoll(text, &end, 10);
    if (end == text)
        return false;
    if (*end != '\0' && (unit = strchr(units, *end)) != NULL && *value < INT64_MAX >> 30 && *value >= 0) {
        *value <<= 10 * (unit - units + 1);
        end++;
    }
    return *end == '\0';
}

static void read_option(struct job *job, const struct job_option *options, const char *argument, const char *text)
{
    struct job_option seed = {"seed", "", &job->seed, 0, INT64_MAX};
    const struct job_option *option = options;
    int64_t value;

    while (option->name != NULL && strcmp(argument + 2, option->name) != 0)
        option++;
    if (option->name == NULL && strcmp(argument, "--seed") == 0)
        option = &seed;
    if (strncmp(argument, "--", 2) != 0 || option->name == NULL)
        refuse(job, argument, "there is no such option: see --help");
    if (text == NULL || !read_number(text, &value))
        refuse(job, argument, "a number is missing: digits, and K, M or G behind them, such as 64K");
    if (value < option->least || value > option->most)
        refuse(job, argument, "the number is too small or too large: see --help for a usual one");
    *option->value = value;
}

void job_start(struct job *job, const struct job_option *options, int argc, char **argv)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &job->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &job->ranks);
    job->seed = 1;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0)
            help(job, options);
        else if (strcmp(argv[i], "--check") == 0)
            job->check = JOB_YES;
        else if (strcmp(argv[i], "--no-check") == 0)
            job->check = JOB_NO;
        else {
            read_option(job, options, argv[i], argv[i + 1]);
            i++;
        }
    }
}

double job_seconds(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Wtime();
}

bool job_checks(const struct job *job, int64_t size)
{
    return job->check == JOB_BY_SIZE ? size <= CHECKED_BY_DEFAULT : job->check == JOB_YES;
}

int64_t job_sum(int64_t value)
{
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    return value;
}

int64_t job_most(int64_t value)
{
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    return value;
}

int job_finish(const struct job *job, const char *what, int64_t count, double seconds, int64_t wrong)
{
    wrong = job_sum(wrong);
    if (job->rank == 0) {
        printf("%s: %d ranks, %" PRId64 " %s in %.4f s: %.2f ns each at a rank, %.2f million a second; %s\n", job->name,
               job->ranks, count, what, seconds, count > 0 ? seconds * 1e9 * job->ranks / (double)count : 0,
               (double)count / seconds / 1e6,
               wrong < 0    ? "not checked"
               : wrong == 0 ? "right"
                            : "wrong");
        if (wrong > 0)
            fprintf(stderr, "%s: %" PRId64 " results differ from the serial answer\n", job->name, wrong);
    }
    MPI_Finalize();
    return wrong > 0;
}

void job_give_up(const struct job *job, const char *sentence)
{
    fprintf(stderr, "%s: rank %d: %s\n", job->name, job->rank, sentence);
    MPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}

void *job_memory(const struct job *job, int64_t count, int64_t bytes)
{
    void *memory = calloc((size_t)count + 1, (size_t)bytes);

    if (memory == NULL)
        job_give_up(job, "there is no memory for so much: take smaller sizes");
    return memory;
}
