/* Parts flow and large: one conveyor, one or several runs, any load, any manner of pushing and pulling. */
#include <stdlib.h>
#include "tests/mpi/convey_cases.h"

/* How ranks behave. */
struct manner {
    int burst;      /* pushes a turn at most */
    bool stubborn;  /* a push that fails is tried again before convey_advance is called */
    bool spans;     /* items for one rank that follow each other are pushed at once */
    int takes;      /* pulls a turn at most */
    int lazy_turns; /* one rank, or each, pulls in every so manieth turn only */
    bool all_lazy;
    int unpull_one_in; /* 0: never */
    bool push_first;   /* pushes before the first convey_advance */
    int late_turns;    /* turns before a rank says that it is done */
};

static struct manner manner_random(struct rng *rng)
{
    static const int bursts[] = {1, 3, 20, 1000, 100000}, takes[] = {1, 2, 10, 1000, 100000},
                     unpulls[] = {0, 0, 50, 5, 2};
    static const int lazy[] = {1, 1, 1, 3, 20};
    struct manner m = {.burst = bursts[rng_below(rng, 5)], .takes = takes[rng_below(rng, 5)]};

    m.stubborn = rng_one_in(rng, 4);
    m.spans = rng_one_in(rng, 4);
    m.lazy_turns = lazy[rng_below(rng, 5)];
    m.all_lazy = rng_one_in(rng, 2);
    m.unpull_one_in = unpulls[rng_below(rng, 5)];
    m.push_first = rng_one_in(rng, 2);
    m.late_turns = rng_one_in(rng, 4) ? rng_below(rng, 30) : 0;
    return m;
}

/* One rank's way through a run. */
struct walk {
    struct stream *s;
    const struct load *load;
    const struct manner *manner;
    int64_t next, count; /* items of the load */
    int turn;
};

/* Items from the next one on that go to the same rank, 50 at most. */
static int same_destination(const struct walk *w, int pe)
{
    int n = 1;

    while (n < 50 && w->next + n < w->count &&
           load_destination(w->load, w->s->place->rank, w->next + n, w->s->place->ranks) == pe)
        n++;
    return n;
}

static int64_t push_next(struct walk *w)
{
    int pe = load_destination(w->load, w->s->place->rank, w->next, w->s->place->ranks);

    if (w->manner->spans && !w->s->elastic)
        return stream_push_span(w->s, same_destination(w, pe), pe);
    for (int tries = w->manner->stubborn ? 3 : 1; tries > 0; tries--)
        if (stream_push(w->s, pe) == convey_OK)
            return 1;
    return 0;
}

static void push_turn(struct walk *w)
{
    int64_t pushed = 1;

    for (int i = 0; i < w->manner->burst && w->next < w->count && pushed > 0; i++) {
        pushed = push_next(w);
        w->next += pushed;
    }
}

static void unpull_sometimes(struct walk *w)
{
    if (w->manner->unpull_one_in == 0 || !rng_one_in(&w->s->rng, w->manner->unpull_one_in))
        return;
    while (stream_unpull(w->s) && rng_one_in(&w->s->rng, 2)) {
    }
}

static void pull_turn(struct walk *w)
{
    const struct manner *m = w->manner;
    bool lazy = m->all_lazy || w->s->place->rank == w->load->root % w->s->place->ranks;

    if (lazy && w->turn % m->lazy_turns != 0)
        return;
    for (int i = 0; i < m->takes && stream_take(w->s) > 0; i++)
        unpull_sometimes(w);
}

static void walk_run(struct stream *s, const struct load *load, const struct manner *m)
{
    struct walk w = {.s = s, .load = load, .manner = m, .count = load_count(load, s->place->rank, s->place->ranks)};

    if (m->push_first)
        push_turn(&w);
    while (stream_advance(s, w.next == w.count && w.turn >= m->late_turns) != convey_DONE) {
        w.turn++;
        if (w.next < w.count && s->status == convey_OK)
            push_turn(&w);
        pull_turn(&w);
        if (rng_one_in(&s->rng, 8))
            unpull_sometimes(&w);
    }
    CHECK(w.next == w.count, "complete after %lld of %lld pushes", (long long)w.next, (long long)w.count);
    stream_end(s);
}

static size_t random_item_bytes(struct rng *rng)
{
    static const size_t usual[] = {0, 1, 2, 3, 4, 7, 8, 8, 8, 12, 16, 24, 32, 48, 64, 100, 128, 192, 1000, 4096};

    if (rng_one_in(rng, 20))
        return (size_t)rng_below(rng, 65537);
    return usual[rng_below(rng, 20)];
}

static void check_life(convey_t *c, int runs, int64_t pushes)
{
    int64_t begins = convey_statistic(c, convey_BEGINS + convey_CUMULATIVE),
            pushed = convey_statistic(c, convey_PUSHES + convey_CUMULATIVE);

    CHECK(begins == runs, "%lld begins in the life of a conveyor, not %d", (long long)begins, runs);
    CHECK(pushed == pushes, "%lld pushes in the life of a conveyor, not %lld", (long long)pushed, (long long)pushes);
}

static void check_features(convey_t *c, const struct make *make)
{
    uint64_t features = convey_features(c);

    CHECK(!(features & convey_ELASTIC) == !make_elastic(make), "features %#llx", (unsigned long long)features);
    if ((make->options & convey_opt_PROGRESS) && !make_synchronous(make) && make->kind != KIND_COMM &&
        make->kind != KIND_COMM_ELASTIC)
        CHECK(features & convey_STEADY, "a steady conveyor was wanted, but features are %#llx",
              (unsigned long long)features);
    CHECK(convey_item_size(c) == 0, "an item's size before the first begin");
}

struct run {
    struct stream_form form;
    struct load load;
    struct manner manner;
};

static struct run run_random(struct rng *rng, const struct make *make, int number, size_t bytes_max)
{
    static const size_t aligns[] = {0, 1, 2, 4, 8, 16, 32, 64, 3, 128};
    struct run run = {.form = {.run = number + 1, .item_bytes = random_item_bytes(rng)}};

    if (make_elastic(make) && run.form.item_bytes > make->item_bound)
        run.form.item_bytes = make->item_bound;
    run.form.align = aligns[rng_below(rng, 10)];
    run.load = load_random(rng, 1 + (make_elastic(make) ? make->item_bound / 4 : run.form.item_bytes), bytes_max);
    run.manner = manner_random(rng);
    return run;
}

static void tell_run(const struct make *make, const struct run *run, int runs)
{
    const struct manner *m = &run->manner;

    case_is("%s, run %d of %d: %zu bytes align %zu, load %s count %lld root %d, burst %d%s%s%s late %d, takes %d, lazy "
            "%d%s, unpull %d",
            make_words(make), run->form.run, runs, run->form.item_bytes, run->form.align, load_name(&run->load),
            (long long)run->load.count, run->load.root, m->burst, m->stubborn ? " stubborn" : "",
            m->spans ? " spans" : "", m->push_first ? " first" : "", m->late_turns, m->takes, m->lazy_turns,
            m->all_lazy ? " all" : "", m->unpull_one_in);
}

static void flow_with(const struct make *make, int runs, size_t bytes_max, struct rng *rng)
{
    convey_t *c;
    struct stream s;
    int64_t pushes = 0;

    case_is("%s", make_words(make));
    if (place_of(make->place)->comm == MPI_COMM_NULL || (c = make_conveyor(make)) == NULL)
        return;
    check_features(c, make);
    for (int r = 0; r < runs; r++) {
        struct run run = run_random(rng, make, r, bytes_max);

        tell_run(make, &run, runs);
        if (!stream_begin(&s, c, make, &run.form))
            break;
        walk_run(&s, &run.load, &run.manner);
        pushes += s.pushes;
        check_life(c, r + 1, pushes);
    }
    CHECK(convey_free(c) == convey_OK, "convey_free fails");
}

static void flow(int number, struct rng *rng)
{
    struct make make = make_random(rng, EITHER);

    (void)number;
    flow_with(&make, 1 + rng_below(rng, 3), 1 << 18, rng);
}

/* A few items of many MiB. */
static void large(int number, struct rng *rng)
{
    static const size_t bounds[] = {64 << 20, 3 << 20, (5 << 20) + 3, 300000};
    struct make make = make_random(rng, ELASTIC);

    make.item_bound = bounds[number % 4];
    flow_with(&make, 1, number % 4 == 0 ? 1 : 2 * make.item_bound, rng);
}

const struct part part_flow = {"flow", 30, flow};
const struct part part_large = {"large", 4, large};
