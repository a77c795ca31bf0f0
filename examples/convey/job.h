/* What the examples share beside conveyors: reading options, taking the time, and one line of result.
 *
 * An example lists its sizes as options, calls job_start after its own MPI_Init, brackets its work by job_seconds, and
 * returns what job_finish says from main. */
#ifndef EXAMPLES_CONVEY_JOB_H
#define EXAMPLES_CONVEY_JOB_H

#include <stdbool.h>
#include <stdint.h>

/* `--name NUMBER`. A list of them ends with a NULL name. */
struct job_option {
    const char *name, *meaning;
    int64_t *value; /* holds the default */
    int64_t least, most;
};

enum job_choice { JOB_BY_SIZE, JOB_YES, JOB_NO };

struct job {
    const char *name, *summary;
    const char *examples; /* of arguments, a line each */
    int rank, ranks;
    int64_t seed;
    enum job_choice check;
};

/* Fill in rank, ranks and the options' values. `--help` ends the job with 0, a wrong option with 2 and a sentence.
 * Collective; MPI is initialised. */
void job_start(struct job *job, const struct job_option *options, int argc, char **argv);

/* The time, once all ranks are here. */
double job_seconds(void);

/* Is the answer to be checked, which takes the work of a serial run of `size`? All ranks agree. */
bool job_checks(const struct job *job, int64_t size);

/* Say it in one line at rank 0: `count` of `what`, all ranks together, took so many seconds; `wrong` of this rank's
 * results differ from what they should be (-1 at all ranks: nobody looked). Ends MPI; returns the exit status: 1 if
 * something is wrong anywhere. Collective. */
int job_finish(const struct job *job, const char *what, int64_t count, double seconds, int64_t wrong);

/* End the job because there is no memory, or no conveyor. */
_Noreturn void job_give_up(const struct job *job, const char *sentence);

/* Memory, zeroed, or the end of the job. */
void *job_memory(const struct job *job, int64_t count, int64_t bytes);

/* Of all ranks together. Collective. */
int64_t job_sum(int64_t value);
int64_t job_most(int64_t value);

#endif
