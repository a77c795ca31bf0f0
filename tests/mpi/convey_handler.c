/* Part handler: items given to a function; one that counts and checks, one that passes tokens on within the conveyor,
 * one that answers by a second conveyor. */
#include <stdlib.h>
#include <string.h>
#include "tests/mpi/convey_cases.h"

struct receiver {
    struct stream *s;
    bool sources;
};

static void receive(void *context, const void *items, size_t count, int64_t from)
{
    struct receiver *r = context;
    size_t bytes = r->s->form.item_bytes;

    CHECK(count > 0, "a handler gets no items");
    CHECK(r->sources || from == -1, "a handler that did not ask for sources gets %lld", (long long)from);
    for (size_t i = 0; i < count; i++) {
        const char *item = (const char *)items + i * bytes;

        stream_arrived(r->s, item, bytes, r->sources ? from : item_name_in(item).source);
    }
}

static void counted(convey_t *c, const struct make *make, struct rng *rng)
{
    struct stream_form form = {.run = 1, .item_bytes = 8 + (size_t)rng_below(rng, 90)};
    struct load load = load_random(rng, form.item_bytes, 1 << 17);
    const struct place *place = place_of(make->place);
    int64_t total = load_count(&load, place->rank, place->ranks), next = 0;
    struct stream s;
    struct receiver receiver = {&s, rng_one_in(rng, 2)};

    CHECK(convey_set_handler(c, receive, &receiver, receiver.sources) == convey_OK, "convey_set_handler fails");
    if (!stream_begin(&s, c, make, &form))
        return;
    while (stream_advance(&s, next == total) != convey_DONE)
        while (next < total && stream_push(&s, load_destination(&load, place->rank, next, place->ranks)) == convey_OK)
            next++;
    stream_end(&s);
    CHECK(convey_set_handler(c, NULL, NULL, false) == convey_OK, "convey_set_handler of none fails");
}

/* ---- tokens that the handler passes on ---- */

struct token {
    int32_t origin, hops;
};
enum { TOKENS = 5, HOPS = 12 };

struct ring {
    convey_t *c;
    const struct place *place;
    struct token waiting[TOKENS * 64];
    int waiting_count;
    int64_t arrived;
};

static int next_rank(const struct ring *ring)
{
    return (ring->place->rank + 1) % ring->place->ranks;
}

static void pass(struct ring *ring, struct token token)
{
    if (convey_push(ring->c, &token, next_rank(ring)) != convey_OK) {
        CHECK(ring->waiting_count < TOKENS * 64, "too many tokens wait");
        if (ring->waiting_count < TOKENS * 64)
            ring->waiting[ring->waiting_count++] = token;
    }
}

static void pass_on(void *context, const void *items, size_t count, int64_t from)
{
    struct ring *ring = context;
    int ranks = ring->place->ranks;

    CHECK(from == (ring->place->rank + ranks - 1) % ranks, "a token from %lld", (long long)from);
    for (size_t i = 0; i < count; i++) {
        struct token token;

        memcpy(&token, (const char *)items + i * sizeof token, sizeof token);
        token.hops++;
        CHECK((token.origin + token.hops) % ranks == ring->place->rank, "a token of %d after %d hops", token.origin,
              token.hops);
        ring->arrived++;
        if (token.hops < HOPS)
            pass(ring, token);
    }
}

static void retry(struct ring *ring)
{
    while (ring->waiting_count > 0 &&
           convey_push(ring->c, &ring->waiting[ring->waiting_count - 1], next_rank(ring)) == convey_OK)
        ring->waiting_count--;
}

static void passed_on(convey_t *c, const struct make *make)
{
    struct ring ring = {.c = c, .place = place_of(make->place)};

    CHECK(convey_set_handler(c, pass_on, &ring, true) == convey_OK, "convey_set_handler fails");
    CHECK(convey_begin(c, sizeof(struct token), 0) == convey_OK, "convey_begin fails");
    for (int t = 0; t < TOKENS; t++)
        pass(&ring, (struct token){ring.place->rank, 0});
    for (int rc = convey_OK; rc != convey_DONE;) {
        retry(&ring);
        rc = convey_advance(c, ring.arrived == TOKENS * HOPS && ring.waiting_count == 0);
        CHECK(rc >= 0, "convey_advance says %d", rc);
        if (rc < 0)
            break;
    }
    CHECK(ring.arrived == TOKENS * HOPS, "%lld arrivals", (long long)ring.arrived);
    CHECK(convey_statistic(c, convey_PULLS) == ring.arrived, "%lld pulls by a handler of %lld items",
          (long long)convey_statistic(c, convey_PULLS), (long long)ring.arrived);
    CHECK(convey_reset(c) == convey_OK, "convey_reset fails");
}

/* ---- answers by another conveyor ---- */

struct service {
    convey_t *answers;
    int64_t *owed; /* [ranks] answers that could not be pushed */
    int64_t owed_count;
    const struct place *place;
};

static void serve(void *context, const void *items, size_t count, int64_t from)
{
    struct service *service = context;
    int64_t answer = from + 1000;

    (void)items;
    for (size_t i = 0; i < count; i++)
        if (convey_push(service->answers, &answer, from) != convey_OK) {
            service->owed[from]++;
            service->owed_count++;
        }
}

static void serve_owed(struct service *service)
{
    for (int pe = 0; pe < service->place->ranks && service->owed_count > 0; pe++) {
        int64_t answer = pe + 1000;

        while (service->owed[pe] > 0 && convey_push(service->answers, &answer, pe) == convey_OK) {
            service->owed[pe]--;
            service->owed_count--;
        }
    }
}

static void served(convey_t *c, const struct make *make, struct rng *rng)
{
    struct make second = *make;
    struct service service = {.place = place_of(make->place)};
    struct load load = load_random(rng, 8, 1 << 14);
    int64_t total = load_count(&load, service.place->rank, service.place->ranks), next = 0, got = 0, answer;
    int asked = convey_OK, answered = convey_OK;

    service.owed = calloc((size_t)service.place->ranks, sizeof *service.owed);
    service.answers = make_conveyor(&second);
    CHECK(convey_set_handler(c, serve, &service, true) == convey_OK, "convey_set_handler fails");
    CHECK(convey_begin(c, 3, 0) == convey_OK && convey_begin(service.answers, 8, 8) == convey_OK, "convey_begin fails");
    while (answered > 0) {
        asked = asked == convey_DONE ? asked : convey_advance(c, next == total);
        while (asked == convey_OK && next < total &&
               convey_push(c, "ask", load_destination(&load, service.place->rank, next, service.place->ranks)) == 1)
            next++;
        serve_owed(&service);
        answered = convey_advance(service.answers, asked == convey_DONE && service.owed_count == 0);
        for (; answered > 0 && convey_pull(service.answers, &answer, NULL) == convey_OK; got++)
            CHECK(answer == service.place->rank + 1000, "answer %lld", (long long)answer);
    }
    CHECK(asked == convey_DONE && answered == convey_DONE, "ended by %d and %d", asked, answered);
    CHECK(got == total, "%lld answers to %lld queries", (long long)got, (long long)total);
    CHECK(convey_reset(c) == convey_OK && convey_reset(service.answers) == convey_OK, "convey_reset fails");
    CHECK(convey_free(service.answers) == convey_OK, "convey_free fails");
    free(service.owed);
}

static void handler(int number, struct rng *rng)
{
    static const char *const names[] = {"counted", "passed on", "served"};
    struct make make;
    convey_t *c;

    do
        make = make_random(rng, RIGID);
    while (number % 3 == 1 && (make_synchronous(&make) || make.kind == KIND_COMM) &&
           getenv("CONVEY_TEST_SYNCHRONOUS") == NULL);
    if (number % 3 == 1 && make_synchronous(&make))
        return; /* may wait for what is not under way */
    if (number % 3 == 1)
        make.options |= convey_opt_PROGRESS;
    case_is("items are %s: %s", names[number % 3], make_words(&make));
    if (place_of(make.place)->comm == MPI_COMM_NULL || (c = make_conveyor(&make)) == NULL)
        return;
    if (number % 3 == 0)
        counted(c, &make, rng);
    else if (number % 3 == 1)
        passed_on(c, &make);
    else
        served(c, &make, rng);
    CHECK(convey_free(c) == convey_OK, "convey_free fails");
}

const struct part part_handler = {"handler", 9, handler};
