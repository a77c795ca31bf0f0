/* Parts chain and many: several conveyors at once. In a chain every item that comes out of one goes back to its source
 * by the next: query and response, and an acknowledgement behind it; also with a window, which only steady conveyors
 * serve. */
#include <stdlib.h>
#include "tests/mpi/convey_cases.h"

enum { LINKS_MAX = 3, MANY_MAX = 20 };

struct link {
    convey_t *c;
    struct make make;
    struct stream s;
    int owed; /* the source of an item that was taken and is not answered yet; -1: none */
};

struct chain {
    struct link links[LINKS_MAX];
    int count;
    int window;   /* queries without an answer at most; 0: any number */
    bool unpulls; /* an answer that cannot be pushed: its query is given back; otherwise it is kept */
    bool bare;    /* with a window: nothing but the waiting moves the items on */
    struct load load;
    int64_t next, total;
};

static bool may_ask(const struct chain *ch)
{
    const struct stream *first = &ch->links[0].s, *second = &ch->links[1].s;

    return ch->next < ch->total && (ch->window == 0 || first->pushes - (second->pulls - second->unpulls) < ch->window);
}

static void ask(struct chain *ch)
{
    struct stream *s = &ch->links[0].s;

    while (may_ask(ch) &&
           stream_push(s, load_destination(&ch->load, s->place->rank, ch->next, s->place->ranks)) == convey_OK)
        ch->next++;
}

/* Pull from link `l`; what comes is answered by the next link. */
static void answer(struct chain *ch, int l)
{
    struct link *link = &ch->links[l];
    struct stream *next = l + 1 < ch->count ? &ch->links[l + 1].s : NULL;

    for (;;) {
        if (link->owed < 0 && (link->s.status == convey_DONE || !stream_take_one(&link->s)))
            return;
        if (next == NULL)
            continue;
        if (link->owed < 0)
            link->owed = link->s.last_source;
        if (stream_push(next, link->owed) == convey_OK)
            link->owed = -1;
        else if (!ch->unpulls || !link->s.fresh)
            return;
        else {
            stream_unpull(&link->s);
            link->owed = -1;
            return;
        }
    }
}

/* Nothing more is to be pushed to link `l`. */
static bool is_done(const struct chain *ch, int l)
{
    if (l == 0)
        return ch->next == ch->total;
    return ch->links[l - 1].s.status == convey_DONE && ch->links[l - 1].owed < 0;
}

/* A link that is complete is left alone, or asked again: it says so again. */
static void advance(struct chain *ch, int l)
{
    struct stream *s = &ch->links[l].s;

    if (s->status == convey_DONE) {
        if (!s->synchronous && rng_one_in(&s->rng, 4)) {
            CHECK(convey_advance(s->c, true) == convey_DONE, "complete, but not on asking again");
            s->advances++;
        }
        return;
    }
    stream_advance(s, is_done(ch, l));
}

static void chain_run(struct chain *ch)
{
    struct stream *last = &ch->links[ch->count - 1].s;

    while (last->status != convey_DONE)
        for (int l = 0; l < ch->count; l++) {
            advance(ch, l);
            if (l == 0 && ch->links[0].s.status == convey_OK && !ch->links[0].s.done)
                ask(ch);
            answer(ch, l);
        }
}

/* All on the same communicator; the bounds of elastic ones stay small. */
static void chain_make(struct chain *ch, struct rng *rng)
{
    int place = rng_below(rng, 2) ? PLACE_WORLD : -1;

    for (int l = 0; l < ch->count; l++) {
        struct make *make = &ch->links[l].make;

        do
            *make = make_random(rng, EITHER);
        while (place == PLACE_WORLD ? make->place != PLACE_WORLD : make->kind < KIND_COMM);
        if (place != PLACE_WORLD)
            make->place = ch->links[0].make.place;
        if (make->item_bound > 1000)
            make->item_bound = 1000;
        if (ch->window > 0) { /* what serves a window must be told so */
            make->options |= convey_opt_PROGRESS;
            make->kind = make->kind == KIND_COMM ? KIND_COMM_WITH : make->kind;
            make->kind = make->kind == KIND_COMM_ELASTIC ? KIND_COMM_WITH : make->kind;
        }
    }
}

static bool chain_begin(struct chain *ch, struct rng *rng)
{
    bool steady = true;

    for (int l = 0; l < ch->count; l++) {
        struct link *link = &ch->links[l];
        struct stream_form form = {.slot = l, .run = 1, .item_bytes = (size_t)rng_below(rng, 50)};

        if (make_elastic(&link->make) && form.item_bytes > link->make.item_bound)
            form.item_bytes = link->make.item_bound;
        if ((link->c = make_conveyor(&link->make)) == NULL || !stream_begin(&link->s, link->c, &link->make, &form))
            return false;
        link->owed = -1;
        steady = steady && (convey_features(link->c) & convey_STEADY);
    }
    if (!steady)
        ch->window = 0;
    return true;
}

static void chain(int number, struct rng *rng)
{
    static const int windows[] = {0, 0, 1, 10};
    struct chain ch = {.count = 2 + rng_below(rng, LINKS_MAX - 1), .window = windows[number % 4]};
    const struct place *place;

    ch.unpulls = rng_one_in(rng, 2);
    chain_make(&ch, rng);
    ch.load = load_random(rng, 64, ch.window == 1 ? 1 << 13 : 1 << 15);
    place = place_of(ch.links[0].make.place);
    case_is("chain of %d, window %d, %s, load %s count %lld root %d: %s; %s; %s", ch.count, ch.window,
            ch.unpulls ? "unpulls" : "keeps", load_name(&ch.load), (long long)ch.load.count, ch.load.root,
            make_words(&ch.links[0].make), make_words(&ch.links[1].make),
            ch.count > 2 ? make_words(&ch.links[2].make) : "-");
    if (place->comm == MPI_COMM_NULL || !chain_begin(&ch, rng))
        return;
    ch.total = load_count(&ch.load, place->rank, place->ranks);
    chain_run(&ch);
    for (int l = 0; l < ch.count; l++) {
        stream_end(&ch.links[l].s);
        CHECK(convey_free(ch.links[l].c) == convey_OK, "convey_free fails");
    }
}

/* ---- many at once, each with a load of its own ---- */

struct one {
    convey_t *c;
    struct make make;
    struct stream s;
    struct load load;
    int64_t next, total;
};

static void one_begin(struct one *o, int slot, struct rng *rng)
{
    struct stream_form form = {.slot = slot, .run = 1, .item_bytes = (size_t)rng_below(rng, 70)};
    const struct place *place;

    o->make = make_random(rng, EITHER);
    o->load = load_random(rng, 100, 1 << 14);
    if (make_elastic(&o->make) && form.item_bytes > o->make.item_bound)
        form.item_bytes = o->make.item_bound;
    place = place_of(o->make.place);
    if (place->comm == MPI_COMM_NULL || (o->c = make_conveyor(&o->make)) == NULL)
        return;
    if (!stream_begin(&o->s, o->c, &o->make, &form))
        o->c = NULL;
    o->total = load_count(&o->load, place->rank, place->ranks);
}

/* One turn; false: complete. */
static bool one_turn(struct one *o)
{
    struct stream *s = &o->s;

    if (o->c == NULL || s->status == convey_DONE || stream_advance(s, o->next == o->total) == convey_DONE)
        return false;
    for (int i = 0; i < 40 && o->next < o->total && s->status == convey_OK &&
                    stream_push(s, load_destination(&o->load, s->place->rank, o->next, s->place->ranks)) == convey_OK;
         i++)
        o->next++;
    for (int i = 0; i < 30 && stream_take(s) > 0; i++) {
    }
    return true;
}

static void many(int number, struct rng *rng)
{
    struct one *ones = calloc(MANY_MAX, sizeof *ones);
    int count = number % 2 ? MANY_MAX : 2 + rng_below(rng, 6), first = rng_below(rng, count);
    bool more = true;

    case_is("%d conveyors at once", count);
    for (int i = 0; i < count; i++)
        one_begin(&ones[i], i, rng);
    while (more) {
        more = false;
        for (int i = 0; i < count; i++)
            more = one_turn(&ones[i]) || more;
    }
    for (int k = 0; k < count; k++) {
        struct one *o = &ones[(first + k * (count % 7 == 0 ? 1 : 7)) % count];

        if (o->c != NULL) {
            stream_end(&o->s);
            CHECK(convey_free(o->c) == convey_OK, "convey_free fails");
            o->c = NULL;
        }
    }
    for (int i = 0; i < count; i++) /* what the walk above left out */
        if (ones[i].c != NULL) {
            stream_end(&ones[i].s);
            CHECK(convey_free(ones[i].c) == convey_OK, "convey_free fails");
        }
    free(ones);
}

const struct part part_chain = {"chain", 16, chain};
const struct part part_many = {"many", 2, many};
