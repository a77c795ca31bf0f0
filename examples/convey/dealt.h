/* Things dealt out over the ranks like cards: number n of all stands at rank n % ranks, at place n / ranks. */
#ifndef EXAMPLES_CONVEY_DEALT_H
#define EXAMPLES_CONVEY_DEALT_H

#include <stdint.h>
#include "examples/convey/job.h"

static inline int64_t dealt_rank(const struct job *job, int64_t number)
{
    return number % job->ranks;
}

static inline int64_t dealt_place(const struct job *job, int64_t number)
{
    return number / job->ranks;
}

/* The number of what stands at this rank's place. */
static inline int64_t dealt_number(const struct job *job, int64_t place)
{
    return place * job->ranks + job->rank;
}

/* How many of `all` this rank has. */
static inline int64_t dealt_count(const struct job *job, int64_t all)
{
    return (all + job->ranks - 1 - job->rank) / job->ranks;
}

/* All values in order at rank 0, which frees them; NULL elsewhere. `mine`: this rank's. For checks: not for many.
 * Collective. */
int64_t *dealt_gather(const struct job *job, const int64_t *mine, int64_t all);

#endif
