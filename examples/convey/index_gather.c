/* Index gather: every rank wants entries of a table that is dealt out over all ranks. By two conveyors.
 *
 * Queries go over one conveyor, replies over another. Which query a reply belongs to, the item says: replies come from
 * many ranks, in any order between them. See in `gather` how the two depend on each other: a query whose reply finds no
 * room is given back by convey_unpull, and the replies' conveyor is told "done" once the queries' is complete. The same
 * by a biconveyor: index_gather_bi.c. */
#include <mpi.h>
#include <stdlib.h>
#include "waymark/convey.h"
#include "examples/convey/job.h"
#include "examples/convey/random.h"

struct query {
    int64_t number; /* the asker's */
    int64_t place;  /* the owner's */
};

struct reply {
    int64_t number;
    uint64_t entry;
};

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

static int64_t ask(const struct job *job, const struct gather *g, convey_t *queries, int64_t number)
{
    for (; number < g->queries; number++) {
        int64_t index = wanted(job, g, number);
        struct query query = {number, index / job->ranks};

        if (convey_push(queries, &query, index % job->ranks) != convey_OK)
            break;
    }
    return number;
}

static void answer(const struct gather *g, convey_t *queries, convey_t *replies)
{
    struct query query;
    int64_t asker;

    while (convey_pull(queries, &query, &asker) == convey_OK) {
        struct reply reply = {query.number, g->table[query.place]};

        if (convey_push(replies, &reply, asker) != convey_OK) {
            convey_unpull(queries);
            break;
        }
    }
}

static void gather(const struct job *job, const struct gather *g, convey_t *queries, convey_t *replies)
{
    struct reply reply;
    int64_t asked = 0;
    bool more = true;

    while (more = convey_advance(queries, asked == g->queries) > convey_DONE,
           convey_advance(replies, !more) > convey_DONE) {
        asked = ask(job, g, queries, asked);
        answer(g, queries, replies);
        while (convey_pull(replies, &reply, NULL) == convey_OK)
            g->answer[reply.number] = reply.entry;
    }
}

static convey_t *conveyor(const struct job *job, size_t item_bytes)
{
    convey_t *c = convey_new(SIZE_MAX, 0, NULL, 0);

    if (c == NULL || convey_begin(c, item_bytes, 0) != convey_OK)
        job_give_up(job, "there is no conveyor");
    return c;
}

static double timed(const struct job *job, const struct gather *g)
{
    convey_t *queries = conveyor(job, sizeof(struct query));
    convey_t *replies = conveyor(job, sizeof(struct reply));
    double seconds = job_seconds();

    gather(job, g, queries, replies);
    seconds = job_seconds() - seconds;
    convey_reset(replies);
    convey_reset(queries);
    convey_free(replies);
    convey_free(queries);
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
    struct job job = {.name = "index_gather",
                      .summary = "Every rank reads entries of a table dealt out over the ranks, by two conveyors.",
                      .examples = "  mpirun -n 2 index_gather --queries 4M --entries 4K\n"};
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
