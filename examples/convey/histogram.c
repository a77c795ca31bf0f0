/* Histogram: counters are dealt out over all ranks, and every rank adds to any of them.
 *
 * The smallest program with a conveyor. An item is the place of a counter at the rank that has it. Read `count` first:
 * push until a push is refused, pull all that has come, advance; "I am done" is an argument of the advance. Items of
 * any source are pulled by spans, all that stand together at once, since nobody asks where they came from. */
#include <mpi.h>
#include <stdlib.h>
#include "waymark/convey.h"
#include "examples/convey/job.h"
#include "examples/convey/random.h"

struct histogram {
    int64_t updates, counters; /* of each rank */
    uint64_t *counter;         /* [counters] */
};

/* Counter c of all stands at rank c % ranks, at place c / ranks. */
static int64_t target(const struct job *job, const struct histogram *h, int rank, int64_t update)
{
    return random_below(job->seed, rank, update, h->counters * job->ranks);
}

static void add(const struct histogram *h, convey_t *c)
{
    const void *items;
    int64_t count;

    while ((count = convey_pull_span(c, &items, NULL)) > 0)
        for (int64_t i = 0; i < count; i++)
            h->counter[((const int64_t *)items)[i]]++;
}

static void count(const struct job *job, const struct histogram *h, convey_t *c)
{
    int64_t update = 0;

    while (convey_advance(c, update == h->updates) > convey_DONE) {
        for (; update < h->updates; update++) {
            int64_t counter = target(job, h, job->rank, update), place = counter / job->ranks;

            if (convey_push(c, &place, counter % job->ranks) != convey_OK)
                break;
        }
        add(h, c);
    }
}

/* One rank's counters, made without communication from the updates of all. */
static int64_t differences(const struct job *job, const struct histogram *h)
{
    uint64_t *serial = job_memory(job, h->counters, sizeof *serial);
    int64_t wrong = 0;

    for (int rank = 0; rank < job->ranks; rank++)
        for (int64_t update = 0; update < h->updates; update++) {
            int64_t counter = target(job, h, rank, update);

            if (counter % job->ranks == job->rank)
                serial[counter / job->ranks]++;
        }
    for (int64_t i = 0; i < h->counters; i++)
        wrong += serial[i] != h->counter[i];
    free(serial);
    return wrong;
}

int main(int argc, char **argv)
{
    struct histogram h = {.updates = 1 << 20, .counters = 1 << 12};
    const struct job_option options[] = {
        {"updates", "updates that each rank makes", &h.updates, 0, INT64_C(1) << 40},
        {"counters", "counters that each rank has", &h.counters, 1, INT64_C(1) << 30},
        {.name = NULL},
    };
    struct job job = {.name = "histogram",
                      .summary = "Counters dealt out over the ranks; every rank adds to any of them.",
                      .examples = "  mpirun -n 2 histogram --updates 16M\n"
                                  "  mpirun -n 4 waymark run -m ./mine.scm -- histogram --counters 1M\n"};
    convey_t *c;
    double seconds;
    int64_t wrong = -1;

    MPI_Init(&argc, &argv);
    job_start(&job, options, argc, argv);
    h.counter = job_memory(&job, h.counters, sizeof *h.counter);
    c = convey_new(SIZE_MAX, 0, NULL, 0);
    if (c == NULL || convey_begin(c, sizeof(int64_t), 0) != convey_OK)
        job_give_up(&job, "there is no conveyor");
    seconds = job_seconds();
    count(&job, &h, c);
    seconds = job_seconds() - seconds;
    convey_reset(c);
    convey_free(c);
    if (job_checks(&job, h.updates * job.ranks))
        wrong = differences(&job, &h);
    free(h.counter);
    return job_finish(&job, "updates", h.updates * job.ranks, seconds, wrong);
}
