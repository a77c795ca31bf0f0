/* Synchronous conveyors: every item once, in order, from its source; all ranks finish in the same call. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include "waymark/convey.h"

enum { CAPACITY = 1024, WORDS_MAX = 32 };

static int rank, ranks, faults;

static void check(int line, int right, const char *what)
{
    if (!right && faults++ < 5)
        fprintf(stderr, "convey_sync: rank %d, line %d: not: %s\n", rank, line, what);
}

#define CHECK(right) check(__LINE__, right, #right)

/* What a rank pushes: `loads` items in all; how the destinations are chosen; how many pulls it makes between two
 * advances at most. */
struct load {
    int items, pattern, pulls;
};
enum { RANDOM, ALL_TO_LAST, TO_SELF, SILENT_FIRST, PATTERNS };

static uint64_t state;
static uint64_t next_random(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state >> 33;
}

static int items_of(const struct load *load)
{
    return load->pattern == SILENT_FIRST && rank == 0 ? 0 : load->items + rank;
}

static int destination_of(const struct load *load)
{
    int any = (int)(next_random() % (uint64_t)ranks);

    return load->pattern == ALL_TO_LAST ? ranks - 1 : load->pattern == TO_SELF ? rank : any;
}

static uint64_t *sent, *got;

/* An item is the number of its pair, then words that follow from it; elastic ones are of various lengths. */
static size_t make_item(uint64_t *item, size_t words, int pe, bool elastic)
{
    uint64_t number = sent[pe];

    if (elastic)
        words = 1 + (size_t)(number * 7 + (uint64_t)pe) % words;
    for (size_t i = 0; i < words; i++)
        item[i] = number + i * 1000003u;
    return words;
}

static void check_item(const uint64_t *item, size_t words, size_t expected_words, int64_t from)
{
    uint64_t number;

    CHECK(from >= 0 && from < ranks);
    if (from < 0 || from >= ranks)
        return;
    number = got[from]++;
    CHECK(words == expected_words);
    for (size_t i = 0; i < words; i++)
        CHECK(item[i] == number + i * 1000003u);
}

static int push_some(convey_t *c, const struct load *load, size_t words, int *left, int *pe)
{
    bool elastic = (convey_features(c) & convey_ELASTIC) != 0;
    uint64_t item[WORDS_MAX];
    int rc = convey_OK;

    while (*left > 0 && rc == convey_OK) {
        size_t length = make_item(item, words, *pe, elastic);

        rc = elastic ? convey_epush(c, length * 8, item, *pe) : convey_push(c, item, *pe);
        if (rc == convey_OK) {
            sent[*pe]++;
            --*left;
            *pe = destination_of(load);
        }
    }
    return rc;
}

static int pull_elastic(convey_t *c, size_t words)
{
    convey_item_t item;
    int rc = convey_epull(c, &item);

    if (rc == convey_OK)
        check_item(item.data, item.bytes / 8, 1 + (size_t)(got[item.from] * 7 + (uint64_t)rank) % words, item.from);
    return rc;
}

/* Now and then an item is given back first. */
static int pull_fixed(convey_t *c, size_t words)
{
    int64_t from;
    const uint64_t *item = convey_apull(c, &from);

    if (item != NULL && next_random() % 5 == 0 && convey_unpull(c) == convey_OK)
        item = convey_apull(c, &from);
    if (item != NULL)
        check_item(item, words, words, from);
    return item != NULL;
}

static void pull_some(convey_t *c, const struct load *load, size_t words)
{
    bool elastic = (convey_features(c) & convey_ELASTIC) != 0;
    int rc = convey_OK;

    for (int i = 0; i < load->pulls && rc == convey_OK; i++)
        rc = elastic ? pull_elastic(c, words) : pull_fixed(c, words);
    CHECK(rc >= 0);
}

/* Everybody got what everybody sent. */
static void check_totals(void)
{
    uint64_t *expected = calloc((size_t)ranks, sizeof *expected);

    MPI_Alltoall(sent, 1, MPI_UINT64_T, expected, 1, MPI_UINT64_T, MPI_COMM_WORLD);
    for (int r = 0; r < ranks; r++)
        CHECK(expected[r] == got[r]);
    free(expected);
}

static void check_together(long calls)
{
    long least, most;

    MPI_Allreduce(&calls, &least, 1, MPI_LONG, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&calls, &most, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
    CHECK(least == most);
}

static void run(convey_t *c, const struct load *load, size_t words)
{
    int left = items_of(load), pe = destination_of(load), rc;
    long calls = 0, near = 0;

    for (int r = 0; r < ranks; r++)
        sent[r] = got[r] = 0;
    CHECK(convey_begin(c, words * 8, 8) == convey_OK);
    do {
        CHECK(push_some(c, load, words, &left, &pe) >= 0);
        rc = convey_advance(c, left == 0);
        calls++;
        near += rc == convey_NEAR;
        pull_some(c, load, words);
    } while (rc > convey_DONE);
    CHECK(rc == convey_DONE);
    check_together(calls);
    check_together(near);
    check_totals();
    CHECK(convey_statistic(c, convey_PUSHES) == items_of(load));
    CHECK(convey_statistic(c, convey_SYNCS) >= calls);
    CHECK(convey_reset(c) == convey_OK);
}

static void run_all(convey_t *c)
{
    static const size_t lengths[] = {1, 3, 32};

    for (int pattern = 0; c != NULL && pattern < PATTERNS; pattern++)
        for (int i = 0; i < 3; i++) {
            run(c, &(struct load){2000, pattern, 1 << 30}, lengths[i]);
            run(c, &(struct load){300, pattern, 3}, lengths[i]);
            run(c, &(struct load){0, pattern, 1}, lengths[i]);
        }
    CHECK(convey_free(c) == convey_OK);
}

/* Rank 0 gets one item, keeps it in hand and pulls no more: nothing comes over it, and it stops nobody. */
static void check_item_in_hand(void)
{
    convey_t *c = convey_new_simple(CAPACITY, NULL, NULL, 0);
    uint64_t item = 77, other = 99, pulled = 0;
    const uint64_t *held = NULL;
    int left = rank == 0 ? 1 : 1000, rc = c == NULL ? convey_error_NULL : convey_begin(c, 8, 8);

    while (rc > convey_DONE) {
        while (left > 0 && convey_push(c, rank == 0 ? &item : &other, rank == 0 ? 0 : ranks - 1) == convey_OK)
            left--;
        rc = convey_advance(c, left == 0);
        if (rank == 0 && held == NULL)
            held = convey_apull(c, NULL);
        while (rank == ranks - 1 && convey_pull(c, &other, NULL) == convey_OK)
            pulled++;
        CHECK(rank != 0 || held == NULL || *held == 77);
    }
    CHECK(rc == convey_DONE);
    CHECK(rank == 0 ? held != NULL : pulled == (rank == ranks - 1 ? 1000u * (unsigned)(ranks - 1) : 0));
    CHECK(convey_free(c) == convey_OK);
}

/* Steady: a query is answered though nobody is done. */
static void check_steady(void)
{
    convey_t *c = convey_new_simple(CAPACITY, NULL, NULL, convey_opt_PROGRESS);
    int next = (rank + 1) % ranks, rc = convey_OK;
    uint64_t item = (uint64_t)rank, hops = 0;
    int64_t from;

    CHECK(c != NULL && convey_begin(c, 8, 8) == convey_OK);
    CHECK((convey_features(c) & convey_STEADY) != 0);
    CHECK(convey_push(c, &item, next) == convey_OK);
    for (int step = 0; step < 4 * ranks && rc == convey_OK; step++) {
        rc = convey_advance(c, false);
        while (convey_pull(c, &item, &from) == convey_OK)
            if (++hops < (uint64_t)ranks)
                CHECK(convey_push(c, &item, next) == convey_OK);
    }
    CHECK(hops == (uint64_t)ranks && item == (uint64_t)rank);
    while (convey_advance(c, true) != convey_DONE)
        ;
    CHECK(convey_free(c) == convey_OK);
}

int main(int argc, char **argv)
{
    int all;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    sent = calloc((size_t)ranks, sizeof *sent);
    got = calloc((size_t)ranks, sizeof *got);
    state = (uint64_t)rank * 977 + 5;
    if (argc > 1) { /* the map says how */
        run_all(convey_new(SIZE_MAX, 0, NULL, 0));
        run_all(convey_new_elastic(WORDS_MAX * 8, SIZE_MAX, 0, NULL, 0));
    } else {
        run_all(convey_new_simple(CAPACITY, NULL, NULL, 0));
        run_all(convey_new_simple(1, NULL, NULL, convey_opt_DYNAMIC));
        for (int row = 1; row <= ranks; row++)
            if (ranks % row == 0)
                run_all(convey_new_twohop(CAPACITY, (size_t)row, NULL, 0));
        check_steady();
        if (ranks > 1)
            check_item_in_hand();
    }
    MPI_Allreduce(&faults, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return all != 0;
}
