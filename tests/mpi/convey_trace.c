/* Streams over a conveyor that is traced: items to pseudo-random ranks, each checked for its source and order.
 *
 * convey_trace ITEMS RUNS [elastic] [slow]: so many items a rank, in so many runs. `elastic`: of 0 to 40 bytes. `slow`:
 * all go to rank 0, which pushes none, pulls one in each advance, and sleeps 1 ms after each 64. Prints what
 * all ranks pushed. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "waymark/convey.h"
#include "waymark/convey_comm.h"

static int rank, ranks;
static int64_t *last; /* by source: the number of its last item here */
static bool elastic, slow;

static void die(const char *what)
{
    fprintf(stderr, "rank %d: %s\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void take(int64_t value, int64_t from)
{
    if (from < 0 || from >= ranks || value <= last[from])
        die("an item has the wrong source or order");
    last[from] = value;
}

static int64_t pull_fixed(convey_t *c, int64_t most)
{
    int64_t value[4], from, count = 0;

    for (; count < most && convey_pull(c, value, &from) == convey_OK; count++)
        take(value[0], from);
    return count;
}

static int64_t pull_elastic(convey_t *c)
{
    convey_item_t item;
    int64_t count = 0;

    for (; convey_epull(c, &item) == convey_OK; count++)
        if (item.bytes >= sizeof(int64_t))
            take(*(int64_t *)item.data, item.from);
    return count;
}

static int push(convey_t *c, int64_t i, int64_t pe)
{
    int64_t value[5] = {i};

    return elastic ? convey_epush(c, (size_t)(i % 6) * sizeof *value, value, pe) : convey_push(c, value, pe);
}

/* Returns items pulled. */
static int64_t run(convey_t *c, int64_t items)
{
    uint64_t random = 88172645463325252u + (uint64_t)rank;
    int64_t pushed = 0, pulled = 0, pe = -1;
    int rc;

    if (convey_begin(c, sizeof(int64_t), 0) != convey_OK)
        die("convey_begin failed");
    while ((rc = convey_advance(c, pushed == items)) != convey_DONE) {
        for (; pushed < items; pushed++) {
            if (pe < 0) {
                random = random * 6364136223846793005u + 1442695040888963407u;
                pe = slow ? 0 : (int64_t)(random >> 33) % ranks;
            }
            if (push(c, pushed, pe) != convey_OK)
                break;
            pe = -1;
        }
        pulled += elastic ? pull_elastic(c) : pull_fixed(c, slow ? 1 : INT64_MAX);
        if (slow && pulled % 64 == 1)
            usleep(1000);
    }
    if (convey_reset(c) != convey_OK)
        die("convey_reset failed");
    return pulled;
}

static bool has_word(int argc, char **argv, const char *word)
{
    bool found = false;

    for (int i = 3; i < argc; i++)
        found = found || strcmp(argv[i], word) == 0;
    return found;
}

int main(int argc, char **argv)
{
    int64_t items = argc > 1 ? atoll(argv[1]) : 10000, runs = argc > 2 ? atoll(argv[2]) : 1, mine, all;
    convey_t *c;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    elastic = has_word(argc, argv, "elastic");
    slow = has_word(argc, argv, "slow");
    last = malloc(sizeof *last * (size_t)ranks);
    c = elastic ? wm_convey_new_elastic(MPI_COMM_WORLD, "stream", 64) : wm_convey_new(MPI_COMM_WORLD, "stream");
    if (c == NULL || last == NULL)
        die("there is no conveyor");
    mine = 0;
    for (int64_t i = 0; i < runs; i++) {
        for (int r = 0; r < ranks; r++)
            last[r] = -1;
        mine += run(c, slow && rank == 0 ? 0 : items);
    }
    MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (all != items * runs * (slow ? ranks - 1 : ranks))
        die("items are lost or doubled");
    if (rank == 0)
        printf("pushed %lld\n", (long long)all);
    convey_free(c);
    free(last);
    MPI_Finalize();
    return 0;
}
