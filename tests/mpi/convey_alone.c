/* Part alone: what a rank may do while others do nothing, and what arrives though nobody is done. */
#include <stdlib.h>
#include "tests/mpi/convey_cases.h"

/* An asynchronous conveyor: convey_advance does not wait for ranks that are elsewhere. */
static void never_waits(convey_t *c, const struct make *make, struct rng *rng)
{
    struct stream_form form = {.run = 1, .item_bytes = 8};
    const struct place *place = place_of(make->place);
    int busy = rng_below(rng, place->ranks);
    struct stream s;

    if (!stream_begin(&s, c, make, &form))
        return;
    for (int i = 0; place->rank == busy && i < 200; i++) {
        stream_push(&s, i % place->ranks);
        stream_advance(&s, false);
        stream_take(&s);
    }
    MPI_Barrier(place->comm);
    while (stream_advance(&s, true) != convey_DONE)
        stream_take(&s);
    stream_end(&s);
}

/* ---- tokens that go round before anybody says that it is done: steady, or pushed urgently ---- */

enum { ROUNDS = 3, HANDS = 64 };

struct round {
    convey_t *c;
    const struct place *place;
    bool urgent;
    int64_t hand[HANDS]; /* tokens to be passed on, the first to come first */
    int held, moves, expected;
};

static void pass_tokens(struct round *r)
{
    int next = (r->place->rank + 1) % r->place->ranks;

    while (r->held > 0 &&
           (r->urgent ? convey_push_urgent(r->c, r->hand, next) : convey_push(r->c, r->hand, next)) == convey_OK) {
        for (int i = 1; i < r->held; i++)
            r->hand[i - 1] = r->hand[i];
        r->held--;
    }
}

static void take_tokens(struct round *r)
{
    int ranks = r->place->ranks, before = (r->place->rank + ranks - 1) % ranks;
    int64_t token, from = -7;

    while (r->held < HANDS && convey_pull(r->c, &token, &from) == convey_OK) {
        r->expected = (r->expected + ranks - 1) % ranks;
        CHECK(token == r->expected && from == before, "token %lld from %lld, not %d from %d", (long long)token,
              (long long)from, r->expected, before);
        if (++r->moves < ROUNDS * ranks)
            r->hand[r->held++] = token;
    }
}

static void goes_round(convey_t *c, const struct make *make, bool urgent)
{
    const struct place *place = place_of(make->place);
    struct round r = {.c = c, .place = place, .urgent = urgent, .hand = {place->rank}, .held = 1};
    int rc;

    r.expected = place->rank;
    CHECK(convey_begin(c, sizeof r.hand[0], 0) == convey_OK, "convey_begin fails");
    while (r.moves < ROUNDS * place->ranks || r.held > 0) {
        pass_tokens(&r);
        rc = convey_advance(c, false);
        CHECK(rc == convey_OK, "convey_advance says %d while nobody is done", rc);
        take_tokens(&r);
    }
    while (convey_advance(c, true) > 0)
        take_tokens(&r);
    CHECK(r.moves == ROUNDS * place->ranks, "%d moves", r.moves);
    CHECK(convey_reset(c) == convey_OK, "convey_reset fails");
}

/* Rank 0 gets one item, keeps it in hand and pulls no more: nothing comes over it, and it stops nobody. */
static void keeps_in_hand(void)
{
    convey_t *c = convey_new_simple(1024, NULL, NULL, 0);
    int64_t item = 77, other = 99, pulled = 0, last = world_ranks - 1;
    const int64_t *held = NULL;
    int left = world_rank == 0 ? 1 : 1000, rc = c == NULL ? convey_error_NULL : convey_begin(c, sizeof item, 8);

    while (rc > convey_DONE) {
        while (left > 0 && convey_push(c, world_rank == 0 ? &item : &other, world_rank == 0 ? 0 : last) == convey_OK)
            left--;
        rc = convey_advance(c, left == 0);
        if (world_rank == 0 && held == NULL)
            held = convey_apull(c, NULL);
        while (world_rank == last && convey_pull(c, &other, NULL) == convey_OK)
            pulled++;
        CHECK(held == NULL || *held == 77, "%lld comes over an item in hand", (long long)*held);
    }
    CHECK(rc == convey_DONE, "convey_advance says %d", rc);
    CHECK(world_rank == 0 ? held != NULL : pulled == (world_rank == last ? 1000 * last : 0), "%lld items",
          (long long)pulled);
    CHECK(convey_free(c) == convey_OK, "convey_free fails");
}

static void alone(int number, struct rng *rng)
{
    struct make make;
    bool urgent = number % 3 == 1, steady = number % 3 == 2;
    convey_t *c;

    case_is("an item in hand");
    if (number == 0 && world_ranks > 1)
        keeps_in_hand();
    for (int tries = 0; tries < 100; tries++) {
        make = make_random(rng, RIGID);
        if (steady ? make.kind != KIND_COMM : !make_synchronous(&make))
            break;
    }
    if (steady)
        make.options |= convey_opt_PROGRESS;
    case_is("%s: %s", urgent ? "urgent" : steady ? "steady" : "never waits", make_words(&make));
    if (make_synchronous(&make) && !steady)
        return;
    if (place_of(make.place)->comm == MPI_COMM_NULL || (c = make_conveyor(&make)) == NULL)
        return;
    if (!urgent && !steady)
        never_waits(c, &make, rng);
    else if (urgent || (convey_features(c) & convey_STEADY))
        goes_round(c, &make, urgent);
    CHECK(convey_free(c) == convey_OK, "convey_free fails");
}

const struct part part_alone = {"alone", 9, alone};
