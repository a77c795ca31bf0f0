/* Biconveyors: each query answered once by the rank that was asked, replies in the order of the queries; misuse. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "waymark/biconvey.h"

enum { BYTES_MAX = 256 };

static int rank, ranks, faults;

static void check(int line, int right, const char *what)
{
    if (!right && faults++ < 5)
        fprintf(stderr, "biconvey: rank %d, line %d: not: %s\n", rank, line, what);
}

#define CHECK(right) check(__LINE__, right, #right)

/* Sizes, how many queries, to whom, and how many replies are pulled between two advances at most. */
struct run {
    size_t query_bytes, reply_bytes;
    int queries, pattern, pulls;
};
enum { RANDOM, ALL_TO_LAST, TO_SELF, SILENT_FIRST, PATTERNS };

static uint64_t state;
static uint64_t next_random(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state >> 33;
}

static int destination_of(const struct run *run)
{
    int any = (int)(next_random() % (uint64_t)ranks);

    return run->pattern == ALL_TO_LAST ? ranks - 1 : run->pattern == TO_SELF ? rank : any;
}

/* The bytes of a query, and of its reply, follow from its number and the ranks that push and answer it. */
static void fill(unsigned char *bytes, size_t count, uint64_t number, int from, int to)
{
    for (size_t i = 0; i < count; i++)
        bytes[i] = (unsigned char)(number + (number >> 8) + (uint64_t)from * 31 + (uint64_t)to * 57 + i);
}

static struct run current;
static long answered;

/* A reply is the query again, its bytes cut or repeated, each greater by this rank plus one. */
static void answer(const void *query, void *reply, void *context)
{
    const unsigned char *from = query;
    unsigned char *to = reply;

    CHECK(context == &current);
    for (size_t i = 0; i < current.reply_bytes; i++)
        to[i] = (unsigned char)((current.query_bytes > 0 ? from[i % current.query_bytes] : 0) + rank + 1);
    answered++;
}

static void check_reply(const unsigned char *reply, uint64_t number, int to)
{
    unsigned char query[BYTES_MAX] = {0};
    int right = 1;

    fill(query, current.query_bytes, number, rank, to);
    for (size_t i = 0; i < current.reply_bytes; i++)
        right &= reply[i] == (unsigned char)((current.query_bytes > 0 ? query[i % current.query_bytes] : 0) + to + 1);
    CHECK(right);
}

/* Whom each query went to. */
static int *asked;

static int push_some(biconvey_t *b, int count, int *pushed)
{
    unsigned char query[BYTES_MAX];
    int rc = convey_OK;

    while (*pushed < count && rc == convey_OK) {
        fill(query, current.query_bytes, (uint64_t)*pushed, rank, asked[*pushed]);
        rc = biconvey_push(b, query, asked[*pushed]);
        *pushed += rc == convey_OK;
    }
    return rc;
}

static int pull_some(biconvey_t *b, int *pulled)
{
    unsigned char reply[BYTES_MAX];
    int rc = convey_OK;

    for (int i = 0; i < current.pulls && rc == convey_OK; i++)
        if ((rc = biconvey_pull(b, reply)) == convey_OK) {
            check_reply(reply, (uint64_t)*pulled, asked[*pulled]);
            ++*pulled;
        }
    return rc;
}

static void choose(int count)
{
    for (int i = 0; i < count; i++)
        asked[i] = destination_of(&current);
}

static void check_answers(int pushed)
{
    long mine[2] = {pushed, answered}, all[2];

    MPI_Allreduce(mine, all, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    CHECK(all[0] == all[1]);
}

static void run(biconvey_t *b, const struct run *what)
{
    int count = what->pattern == SILENT_FIRST && rank == 0 ? 0 : what->queries, pushed = 0, pulled = 0, rc;
    bool near = false;

    current = *what;
    answered = 0;
    choose(count);
    CHECK(biconvey_begin(b, what->query_bytes, what->reply_bytes, answer, &current) == convey_OK);
    do {
        CHECK(near || push_some(b, count, &pushed) >= 0);
        rc = biconvey_advance(b, pushed == count);
        CHECK(rc != convey_NEAR || pushed == count);
        near = near || rc == convey_NEAR;
        CHECK(rc == convey_DONE || pull_some(b, &pulled) >= 0);
    } while (rc > convey_DONE);
    CHECK(rc == convey_DONE);
    CHECK(pulled == count);
    check_answers(pushed);
    CHECK(biconvey_reset(b) == convey_OK);
}

static void run_all(biconvey_t *b)
{
    static const struct run runs[] = {
        {8, 8, 5000, 0, 1 << 30}, {8, 8, 300, 0, 1},        {1, 16, 300, 0, 7},  {0, 4, 300, 0, 7}, {13, 0, 300, 0, 7},
        {0, 0, 300, 0, 7},        {256, 255, 300, 0, 1000}, {4, 3, 1000, 0, 50}, {16, 8, 0, 0, 1},  {8, 8, 9000, 0, 20},
    };

    CHECK(b != NULL);
    for (size_t i = 0; b != NULL && i < sizeof runs / sizeof runs[0]; i++)
        for (int pattern = 0; pattern < PATTERNS; pattern++) {
            struct run what = runs[i];

            what.pattern = pattern;
            run(b, &what);
        }
    CHECK(biconvey_free(b) == convey_OK);
}

/* Nobody is done, and each query waits for the reply to the one before. */
static void check_chain(biconvey_t *b)
{
    unsigned char query[8] = {0}, reply[8] = {0};

    current = (struct run){8, 8, 0, 0, 1};
    CHECK(biconvey_begin(b, 8, 8, answer, &current) == convey_OK);
    for (int i = 0; i < 50; i++) {
        int to = (rank + i) % ranks;

        fill(query, 8, (uint64_t)i, rank, to);
        CHECK(biconvey_push(b, query, to) == convey_OK);
        while (biconvey_pull(b, reply) != convey_OK)
            biconvey_advance(b, false);
        check_reply(reply, (uint64_t)i, to);
    }
    while (biconvey_advance(b, true) != convey_DONE)
        ;
    CHECK(biconvey_free(b) == convey_OK);
}

/* A stack: what is freed must be what was grabbed last. */
static char *blocks[64];
static int block_count;

static void *grab(void *alc8r, size_t size, const char *file, uint64_t line)
{
    CHECK(alc8r == blocks && file != NULL && line > 0 && block_count < 64);
    blocks[block_count] = aligned_alloc(64, (size + 63) / 64 * 64);
    memset(blocks[block_count], 0xa5, size);
    return blocks[block_count++];
}

static void give_back(void *alc8r, void *block)
{
    CHECK(alc8r == blocks && block_count > 0 && blocks[block_count - 1] == block);
    block_count--;
    free(block);
}

static void check_allocator(void)
{
    const convey_alc8r_t stack = {blocks, grab, give_back};
    biconvey_t *b = biconvey_new_simple(256, &stack, NULL, 0);
    int made = block_count;

    CHECK(made > 0);
    run(b, &(struct run){8, 8, 100, RANDOM, 100});
    CHECK(block_count == made);
    run(b, &(struct run){24, 40, 100, RANDOM, 100});
    CHECK(block_count == made);
    CHECK(biconvey_free(b) == convey_OK && block_count == 0);
    b = biconvey_new_simple(256, &stack, NULL, convey_opt_DYNAMIC);
    CHECK(block_count == 0);
    run(b, &(struct run){8, 8, 100, RANDOM, 100});
    CHECK(biconvey_free(b) == convey_OK && block_count == 0);
}

static void check_misuse(void)
{
    biconvey_t *b = biconvey_new_tensor(256, 1, 0, 2, NULL, convey_opt_QUIET);
    uint64_t word = 0;

    CHECK(biconvey_push(b, &word, 0) == convey_error_STATE);
    CHECK(biconvey_pull(b, &word) == convey_error_STATE);
    CHECK(biconvey_advance(b, false) == convey_error_STATE);
    CHECK(biconvey_reset(b) == convey_OK);
    CHECK(biconvey_begin(b, 8, 8, NULL, NULL) == convey_error_ARGUMENT);
    current = (struct run){8, 8, 0, 0, 1};
    CHECK(biconvey_begin(b, 8, 8, answer, &current) == convey_OK);
    CHECK(biconvey_begin(b, 8, 8, answer, &current) == convey_error_STATE);
    CHECK(biconvey_push(b, &word, -1) == convey_error_RANGE);
    CHECK(biconvey_push(b, &word, ranks) == convey_error_RANGE);
    CHECK(biconvey_push(b, NULL, 0) == convey_error_ARGUMENT);
    CHECK(biconvey_reset(b) == convey_error_STATE && biconvey_free(b) == convey_error_STATE);
    CHECK(biconvey_advance(b, true) >= convey_DONE);
    CHECK(biconvey_push(b, &word, 0) == convey_error_STATE);
    CHECK(biconvey_advance(b, false) != convey_error_STATE);
    while (biconvey_advance(b, true) > convey_DONE)
        ;
    CHECK(biconvey_advance(b, true) == convey_DONE);
    CHECK(biconvey_pull(b, &word) == convey_FAIL);
    CHECK(biconvey_push(b, &word, 0) == convey_error_STATE);
    CHECK(biconvey_reset(b) == convey_OK && biconvey_free(b) == convey_OK && biconvey_free(NULL) == convey_OK);
}

int main(int argc, char **argv)
{
    int all;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    asked = calloc(1 << 14, sizeof *asked);
    state = (uint64_t)rank * 977 + 5;
    run_all(biconvey_new(SIZE_MAX, 0, NULL, 0));
    run_all(biconvey_new(1, 0, NULL, convey_opt_DYNAMIC));
    run_all(biconvey_new_tensor(512, 1, 0, 1, NULL, 0));
    for (int local = 1; local <= ranks; local++)
        if (ranks % local == 0) {
            run_all(biconvey_new_tensor(128, 2, (size_t)local, 2, NULL, 0));
            run_all(biconvey_new_tensor(1024, 3, (size_t)local, 2, NULL, 0));
        }
    run_all(biconvey_new_simple(2048, NULL, NULL, 0));
    check_chain(biconvey_new(SIZE_MAX, 0, NULL, 0));
    check_allocator();
    check_misuse();
    MPI_Allreduce(&faults, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return all != 0;
}
