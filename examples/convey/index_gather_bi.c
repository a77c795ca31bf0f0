/* Index gather by a biconveyor: queries and replies in one, and the replies in the order of the queries.
 *
 * Compare with index_gather.c: the item needs no number, since the k-th reply is to the k-th query; nothing is given
 * back, since answering is a function that the biconveyor calls; and there is one "done". */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include "waymark/biconvey.h"
#include "examples/convey/job.h"
#include "examples/convey/random.h"

struct gather {
    int64_t entries, queries; /* of each rank */
    uint64_t *table;          /* [entries] entry e of all stands at rank e % ranks, at place e / ranks */
    uint64_t *answer;         /* [queries] */
};

static int64_t wanted(const struct job *job, const struct gather *g, int64_t query)
{
    return random_below(job->seed, job->rank, query, g->entries * job->ranks);
}

static uint64_t entry_of(int64_t index)
{
    return random_mix((uint64_t)index);
}

/* Runs at the rank that has the entry, within its biconvey_advance. The pointers may have any alignment. */
static void look_up(const void *query, void *reply, void *context)
{
    const struct gather *g = context;
    int64_t place;

    memcpy(&place, query, sizeof place);
    memcpy(reply, &g->table[place], sizeof g->table[place]);
}

static void gather(const struct job *job, const struct gather *g, biconvey_t *b)
{
    int64_t asked = 0, answered = 0;

    while (biconvey_advance(b, asked == g->queries) > convey_DONE) {
        for (; asked < g->queries; asked++) {
            int64_t index = wanted(job, g, asked), place = index / job->ranks;

            if (biconvey_push(b, &place, index % job->ranks) != convey_OK)
                break;
        }
        while (biconvey_pull(b, &g->answer[answered]) == convey_OK)
            answered++;
    }
}

static double timed(const struct job *job, struct gather *g)
{
    biconvey_t *b = biconvey_new(SIZE_MAX, 0, NULL, 0);
    double seconds;

    if (b == NULL || biconvey_begin(b, sizeof(int64_t), sizeof(uint64_t), look_up, g) != convey_OK)
        job_give_up(job, "there is no biconveyor");
    seconds = job_seconds();
    gather(job, g, b);
    seconds = job_seconds() - seconds;
    biconvey_reset(b);
    biconvey_free(b);
    return seconds;
}

int main(int argc, char **argv)
{
    struct gather g = {.entries = 1 << 16, .queries = 1 << 20};
    const struct job_option options[] = {
        {"entries", "entries of the table at each rank", &g.entries, 1, INT64_C(1) << 30},
        {"queries", "queries that each rank makes", &g.queries, 0, INT64_C(1) << 32},
        {.name = NULL},
    };
    struct job job = {.name = "index_gather_bi",
                      .summary = "Every rank reads entries of a table dealt out over the ranks, by a biconveyor.",
                      .examples = "  mpirun -n 2 index_gather_bi --queries 4M --entries 4K\n"};
    double seconds;
    int64_t wrong = 0;

    MPI_Init(&argc, &argv);
    job_start(&job, options, argc, argv);
    g.table = job_memory(&job, g.entries, sizeof *g.table);
    g.answer = job_memory(&job, g.queries, sizeof *g.answer);
    for (int64_t i = 0; i < g.entries; i++)
        g.table[i] = entry_of(i * job.ranks + job.rank);
    seconds = timed(&job, &g);
    if (job_checks(&job, g.queries))
        for (int64_t i = 0; i < g.queries; i++)
            wrong += g.answer[i] != entry_of(wanted(&job, &g, i));
    else
        wrong = -1;
    free(g.table);
    free(g.answer);
    return job_finish(&job, "queries", g.queries * job.ranks, seconds, wrong);
}
