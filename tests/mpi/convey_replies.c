/* Parts bi and bistate: biconveyors. Replies come in the order of the queries, from whom was asked. */
#include <stdlib.h>
#include <string.h>
#include "tests/mpi/convey_cases.h"

/* One rank's run. */
struct dialogue {
    biconvey_t *b;
    uint64_t key;
    size_t query_bytes, reply_bytes;
    struct load load;
    int64_t next, total, answered;
    char *query, *reply, *right;
    int64_t answers; /* that this rank gave */
    struct rng rng;
};

static int destination(const struct dialogue *d, int64_t i)
{
    return load_destination(&d->load, world_rank, i, world_ranks);
}

/* A reply follows from the query's bytes and from who answers. */
static void make_reply(const void *query, size_t query_bytes, void *reply, size_t reply_bytes, int who, uint64_t key)
{
    uint64_t sum = key;
    const unsigned char *at = query;

    for (size_t i = 0; i < query_bytes; i++)
        sum = sum * 131 + at[i];
    item_fill(reply, reply_bytes, &(struct item_name){sum, who, who, (int64_t)(sum % 1000)});
}

static void answer(const void *query, void *reply, void *context)
{
    struct dialogue *d = context;

    make_reply(query, d->query_bytes, reply, d->reply_bytes, world_rank, d->key);
    d->answers++;
}

static void fill_query(const struct dialogue *d, int64_t i, void *query)
{
    item_fill(query, d->query_bytes, &(struct item_name){d->key, world_rank, destination(d, i), i});
}

static bool ask(struct dialogue *d)
{
    char *query = d->query + d->next % 7;
    int rc;

    if (d->next == d->total)
        return false;
    fill_query(d, d->next, query);
    rc = biconvey_push(d->b, query, destination(d, d->next));
    CHECK(rc == convey_OK || rc == convey_FAIL, "biconvey_push says %d", rc);
    memset(query, 0xee, d->query_bytes);
    d->next += rc == convey_OK;
    return rc == convey_OK;
}

static bool hear(struct dialogue *d)
{
    char *reply = d->reply + d->answered % 5;
    int rc;

    memset(reply + d->reply_bytes, 0x5a, 8);
    rc = biconvey_pull(d->b, reply);
    CHECK(rc == convey_OK || rc == convey_FAIL, "biconvey_pull says %d", rc);
    CHECK(memcmp(reply + d->reply_bytes, "ZZZZZZZZ", 8) == 0, "biconvey_pull writes behind the reply");
    if (rc != convey_OK)
        return false;
    CHECK(d->answered < d->next, "reply %lld of %lld queries", (long long)d->answered, (long long)d->next);
    fill_query(d, d->answered, d->query);
    make_reply(d->query, d->query_bytes, d->right, d->reply_bytes, destination(d, d->answered), d->key);
    CHECK(memcmp(reply, d->right, d->reply_bytes) == 0, "reply %lld, of %d, is wrong", (long long)d->answered,
          destination(d, d->answered));
    d->answered++;
    return true;
}

static void check_answers(const struct dialogue *d)
{
    int64_t both[2] = {d->answers, d->total}, all[2];

    CHECK(d->answered == d->total, "%lld replies to %lld queries", (long long)d->answered, (long long)d->total);
    MPI_Allreduce(both, all, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK(all[0] == all[1], "%lld answers to %lld queries", (long long)all[0], (long long)all[1]);
}

static int advance(struct dialogue *d, bool done, int before)
{
    int rc = biconvey_advance(d->b, done);

    CHECK(rc == convey_OK || rc == convey_NEAR || rc == convey_DONE, "biconvey_advance says %d", rc);
    CHECK(rc != convey_OK || before == convey_OK, "biconvey_advance says convey_OK after %d", before);
    return rc < 0 ? convey_DONE : rc;
}

static void talk(struct dialogue *d)
{
    static const int bursts[] = {1, 10, 100000};
    int asks = bursts[rng_below(&d->rng, 3)], hears = bursts[rng_below(&d->rng, 3)], lazy = 1 + rng_below(&d->rng, 6);
    int rc = convey_OK;

    for (int turn = 0; (rc = advance(d, d->next == d->total, rc)) != convey_DONE; turn++) {
        for (int i = 0; i < asks && rc == convey_OK && ask(d); i++) {
        }
        for (int i = 0; i < hears && turn % lazy == 0 && hear(d); i++) {
        }
    }
}

/* Each query waits for the reply to the one before, and nobody is done. */
static void talk_in_turn(struct dialogue *d)
{
    for (int i = 0; i < 50 && ask(d); i++)
        while (!hear(d))
            if (advance(d, false, convey_OK) != convey_OK)
                return;
}

static biconvey_t *make_some(struct rng *rng)
{
    struct make m = make_random(rng, RIGID);
    int which = rng_below(rng, 3);

    m.options &= ~(uint64_t)convey_opt_PROGRESS;
    case_is("biconveyor %d (new, simple, tensor) of %s", which, make_words(&m));
    m.n_local = m.n_local > 0 ? m.n_local : 1;
    if (which == 0)
        return biconvey_new(m.max_bytes, m.n_local, NULL, m.options);
    if (which == 1)
        return biconvey_new_simple(m.capacity, NULL, NULL, m.options);
    return biconvey_new_tensor(m.capacity, m.order, m.n_local, m.n_buffers, NULL, m.options);
}

static size_t random_bytes(struct rng *rng)
{
    static const size_t usual[] = {0, 1, 4, 8, 8, 8, 16, 24, 100};

    return rng_one_in(rng, 5) ? (size_t)rng_below(rng, 1001) : usual[rng_below(rng, 9)];
}

static void dialogue_run(biconvey_t *b, int run, struct rng *rng)
{
    struct dialogue d = {.b = b, .query_bytes = random_bytes(rng), .reply_bytes = random_bytes(rng)};
    int rc;

    d.key = hash_mix(case_key(), (uint64_t)run);
    d.load = load_random(rng, 1 + d.query_bytes + d.reply_bytes, 1 << 16);
    d.total = load_count(&d.load, world_rank, world_ranks);
    d.rng = case_rng_of_rank();
    d.query = calloc(1, d.query_bytes + 16);
    d.reply = calloc(1, d.reply_bytes + 16);
    d.right = calloc(1, d.reply_bytes + 16);
    rc = biconvey_begin(b, d.query_bytes, d.reply_bytes, answer, &d);
    CHECK(rc == convey_OK, "biconvey_begin of %zu and %zu bytes says %d", d.query_bytes, d.reply_bytes, rc);
    if (rc == convey_OK) {
        if (rng_one_in(rng, 3))
            talk_in_turn(&d);
        talk(&d);
        check_answers(&d);
        CHECK(biconvey_reset(b) == convey_OK, "biconvey_reset fails");
    }
    free(d.query);
    free(d.reply);
    free(d.right);
}

static void bi(int number, struct rng *rng)
{
    biconvey_t *b = make_some(rng);
    int runs = 1 + rng_below(rng, 3);

    (void)number;
    CHECK(b != NULL, "no biconveyor is made");
    for (int r = 0; b != NULL && r < runs; r++)
        dialogue_run(b, r, rng);
    if (b != NULL)
        CHECK(biconvey_free(b) == convey_OK, "biconvey_free fails");
}

/* ---- misuse ---- */

static void refused(int rc, int code, const char *what)
{
    CHECK(rc == code, "%s says %d, not %d", what, rc, code);
}

static uint64_t told; /* bit -code: this biconveyor has said it */

/* A call that must be refused, and say so if it is the first of its kind. */
#define REFUSED(call, code)                                                                                            \
    do {                                                                                                               \
        int lines, rc_;                                                                                                \
        capture_begin();                                                                                               \
        rc_ = call;                                                                                                    \
        capture_end(&lines);                                                                                           \
        refused(rc_, code, #call);                                                                                     \
        CHECK(lines == !(told & 1u << -(code)), "%s says %d lines", #call, lines);                                     \
        told |= 1u << -(code);                                                                                         \
    } while (0)

static void misuse_null(void)
{
    char bytes[8] = {0};

    told = 1u << -convey_error_NULL; /* part state had them say it */
    REFUSED(biconvey_begin(NULL, 8, 8, answer, NULL), convey_error_NULL);
    REFUSED(biconvey_push(NULL, bytes, 0), convey_error_NULL);
    REFUSED(biconvey_pull(NULL, bytes), convey_error_NULL);
    REFUSED(biconvey_advance(NULL, true), convey_error_NULL);
    REFUSED(biconvey_reset(NULL), convey_error_NULL);
    CHECK(biconvey_free(NULL) >= 0, "biconvey_free of NULL fails");
}

static void misuse_states(biconvey_t *b)
{
    struct dialogue d = {.b = b, .query_bytes = 8, .reply_bytes = 8};
    char bytes[8] = {0};
    int rc = convey_OK, got = 0;

    told = 0;
    REFUSED(biconvey_push(b, bytes, 0), convey_error_STATE);
    REFUSED(biconvey_pull(b, bytes), convey_error_STATE);
    REFUSED(biconvey_advance(b, false), convey_error_STATE);
    CHECK(biconvey_reset(b) == convey_OK, "biconvey_reset of a dormant biconveyor fails");
    REFUSED(biconvey_begin(b, 8, 8, NULL, NULL), convey_error_ARGUMENT);
    CHECK(biconvey_begin(b, 8, 8, answer, &d) == convey_OK, "biconvey_begin fails");
    REFUSED(biconvey_begin(b, 8, 8, answer, &d), convey_error_STATE);
    REFUSED(biconvey_reset(b), convey_error_STATE);
    REFUSED(biconvey_free(b), convey_error_STATE);
    REFUSED(biconvey_push(b, bytes, -1), convey_error_RANGE);
    REFUSED(biconvey_push(b, bytes, world_ranks), convey_error_RANGE);
    CHECK(biconvey_push(b, bytes, world_ranks - 1) == convey_OK, "the first push fails");
    rc = biconvey_advance(b, true);
    if (rc != convey_DONE)
        REFUSED(biconvey_push(b, bytes, 0), convey_error_STATE);
    for (; rc > 0; rc = biconvey_advance(b, false)) /* which is taken as true */
        got += biconvey_pull(b, bytes) == convey_OK;
    CHECK(rc == convey_DONE && got == 1, "%d replies, then %d", got, rc);
    REFUSED(biconvey_push(b, bytes, 0), convey_error_STATE);
    REFUSED(biconvey_begin(b, 8, 8, answer, &d), convey_error_STATE);
    CHECK(biconvey_advance(b, true) == convey_DONE, "complete, but not on asking again");
    CHECK(biconvey_reset(b) == convey_OK && biconvey_reset(b) == convey_OK, "biconvey_reset fails");
}

static void bistate(int number, struct rng *rng)
{
    biconvey_t *b = make_some(rng);

    if (number == 0)
        misuse_null();
    CHECK(b != NULL, "no biconveyor is made");
    if (b == NULL)
        return;
    misuse_states(b);
    CHECK(biconvey_free(b) == convey_OK, "biconvey_free fails");
}

const struct part part_bi = {"bi", 12, bi};
const struct part part_bistate = {"bistate", 4, bistate};
