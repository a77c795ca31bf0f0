/* A random permutation by throwing darts, on steady conveyors.
 *
 * Each rank throws its darts at a board that has twice as many places as there are darts, dealt out over all ranks. A
 * dart that hits a free place sticks; any other comes back and is thrown again. In the order of the board, the darts
 * that stick are a random permutation. A rank is done when its last dart sticks, which it learns by a reply: so what
 * was pushed must arrive though nobody is done, and the conveyors are made with convey_opt_PROGRESS. */
#include <mpi.h>
#include <stdlib.h>
#include "waymark/convey.h"
#include "examples/convey/dealt.h"
#include "examples/convey/random.h"

enum { FREE = -1 };

struct dart {
    int64_t place; /* on the board, at the rank that gets it */
    int64_t number;
};

struct game {
    const struct job *job;
    int64_t darts, places;     /* of each rank; places of the board */
    int64_t *board;            /* [places] a dart, or FREE */
    int64_t *hand, hand_count; /* darts to be thrown */
    int64_t thrown, stuck;     /* of this rank's */
    int64_t *result;           /* [darts] this rank's part of the permutation, dealt out */
};

static void throw_darts(struct game *g, convey_t *throws)
{
    for (; g->hand_count > 0; g->hand_count--, g->thrown++) {
        int64_t aim = random_below(g->job->seed, g->job->rank, g->thrown, g->places * g->job->ranks);
        struct dart dart = {dealt_place(g->job, aim), g->hand[g->hand_count - 1]};

        if (convey_push(throws, &dart, dealt_rank(g->job, aim)) != convey_OK)
            break;
    }
}

/* A reply is the dart's number: as it is if it sticks, else its complement, which is negative. */
static void catch_darts(struct game *g, convey_t *throws, convey_t *replies)
{
    struct dart dart;
    int64_t from;

    while (convey_pull(throws, &dart, &from) == convey_OK) {
        bool sticks = g->board[dart.place] == FREE;
        int64_t reply = sticks ? dart.number : ~dart.number;

        if (convey_push(replies, &reply, from) != convey_OK) {
            convey_unpull(throws);
            break;
        }
        if (sticks)
            g->board[dart.place] = dart.number;
    }
}

static void read_replies(struct game *g, convey_t *replies)
{
    int64_t reply;

    while (convey_pull(replies, &reply, NULL) == convey_OK)
        if (reply >= 0)
            g->stuck++;
        else
            g->hand[g->hand_count++] = ~reply;
}

static void play(struct game *g, convey_t *throws, convey_t *replies)
{
    bool more = true;

    while (more = convey_advance(throws, g->stuck == g->darts) > convey_DONE,
           convey_advance(replies, !more) > convey_DONE) {
        throw_darts(g, throws);
        catch_darts(g, throws, replies);
        read_replies(g, replies);
    }
}

/* The darts of the boards of all ranks, one behind the other, dealt out anew. */
static void collect(struct game *g, convey_t *c)
{
    int64_t stuck_here = 0, before = 0, place = 0;
    struct dart dart;

    for (int64_t i = 0; i < g->places; i++)
        stuck_here += g->board[i] != FREE;
    MPI_Exscan(&stuck_here, &before, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    while (convey_advance(c, place == g->places) > convey_DONE) {
        for (; place < g->places; place++) {
            if (g->board[place] == FREE)
                continue;
            dart = (struct dart){dealt_place(g->job, before), g->board[place]};
            if (convey_push(c, &dart, dealt_rank(g->job, before)) != convey_OK)
                break;
            before++;
        }
        while (convey_pull(c, &dart, NULL) == convey_OK)
            g->result[dart.place] = dart.number;
    }
}

static void begin(const struct job *job, convey_t *c, size_t item_bytes)
{
    if (c == NULL || convey_begin(c, item_bytes, 0) != convey_OK)
        job_give_up(job, "there is no conveyor");
}

static double timed(struct game *g)
{
    convey_t *throws = convey_new(SIZE_MAX, 0, NULL, convey_opt_PROGRESS);
    convey_t *replies = convey_new(SIZE_MAX, 0, NULL, convey_opt_PROGRESS);
    double seconds = job_seconds();

    begin(g->job, throws, sizeof(struct dart));
    begin(g->job, replies, sizeof(int64_t));
    play(g, throws, replies);
    convey_reset(replies);
    convey_reset(throws);
    begin(g->job, throws, sizeof(struct dart));
    collect(g, throws);
    convey_reset(throws);
    seconds = job_seconds() - seconds;
    convey_free(replies);
    convey_free(throws);
    return seconds;
}

/* At rank 0: numbers that are not there, or more than once, or out of range. */
static int64_t faults(const struct game *g)
{
    int64_t all = g->darts * g->job->ranks, wrong = 0;
    int64_t *permutation = dealt_gather(g->job, g->result, all);
    char *seen;

    if (permutation == NULL)
        return 0;
    seen = job_memory(g->job, all, 1);
    for (int64_t i = 0; i < all; i++)
        if (permutation[i] < 0 || permutation[i] >= all || seen[permutation[i]]++ > 0)
            wrong++;
    free(seen);
    free(permutation);
    return wrong;
}

static void prepare(struct game *g)
{
    g->places = 2 * g->darts;
    g->board = job_memory(g->job, g->places, sizeof *g->board);
    g->hand = job_memory(g->job, g->darts, sizeof *g->hand);
    g->result = job_memory(g->job, g->darts, sizeof *g->result);
    for (int64_t i = 0; i < g->places; i++)
        g->board[i] = FREE;
    for (int64_t i = 0; i < g->darts; i++)
        g->hand[g->hand_count++] = dealt_number(g->job, i);
}

int main(int argc, char **argv)
{
    struct game g = {.darts = 1 << 18};
    const struct job_option options[] = {
        {"darts", "numbers that each rank throws", &g.darts, 1, INT64_C(1) << 32},
        {.name = NULL},
    };
    struct job job = {.name = "permutation",
                      .summary = "A random permutation by throwing darts, on steady conveyors.",
                      .examples = "  mpirun -n 2 permutation --darts 4M\n"};
    double seconds;
    int64_t wrong;

    MPI_Init(&argc, &argv);
    job_start(&job, options, argc, argv);
    g.job = &job;
    prepare(&g);
    seconds = timed(&g);
    wrong = job_checks(&job, g.darts * job.ranks) ? faults(&g) : -1;
    free(g.board);
    free(g.hand);
    free(g.result);
    return job_finish(&job, "numbers", g.darts * job.ranks, seconds, wrong);
}
