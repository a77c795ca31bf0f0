/* Conveyors of every kind: drawn at random, made, put in words. */
#include <stdio.h>
#include <stdlib.h>
#include "tests/mpi/convey_cases.h"

static const char *const kind_names[KINDS] = {
    [KIND_NEW] = "new",
    [KIND_ELASTIC] = "new_elastic",
    [KIND_SIMPLE] = "new_simple",
    [KIND_TWOHOP] = "new_twohop",
    [KIND_TENSOR] = "new_tensor",
    [KIND_ETENSOR] = "new_etensor",
    [KIND_COMM] = "wm_convey_new",
    [KIND_COMM_ELASTIC] = "wm_convey_new_elastic",
    [KIND_COMM_WITH] = "wm_convey_new_with",
};

bool make_elastic(const struct make *make)
{
    return make->kind == KIND_ELASTIC || make->kind == KIND_ETENSOR || make->kind == KIND_COMM_ELASTIC ||
           (make->kind == KIND_COMM_WITH && make->item_bound > 0);
}

bool make_synchronous(const struct make *make)
{
    return make->kind == KIND_SIMPLE || make->kind == KIND_TWOHOP || getenv("CONVEY_TEST_SYNCHRONOUS") != NULL;
}

/* No map has a word on hops. */
static bool is_as_made(void)
{
    const char *map = getenv("WAYMARK_MAP");

    return map == NULL || *map == '\0' || getenv("CONVEY_TEST_AS_MADE") != NULL;
}

bool make_lockstep(const struct make *make)
{
    return getenv("CONVEY_TEST_SYNCHRONOUS") != NULL || (make_synchronous(make) && is_as_made());
}

/* Of those that choose: one hop in a group, two between groups of up to 64 ranks. */
static int chosen_hops(const struct make *make)
{
    const char *setting = getenv("CONVEY_NLOCAL");
    size_t group = make->n_local == 0 && setting != NULL ? (size_t)atoi(setting) : make->n_local;

    if (group == 0 || world_ranks % (int)group != 0)
        return 0; /* it depends on the machine */
    return group == 1 || (int)group == world_ranks ? 1 : 2;
}

int make_hops(const struct make *make)
{
    if (!is_as_made())
        return 0;
    if (make->kind == KIND_TENSOR || make->kind == KIND_ETENSOR)
        return make->order;
    if (make->kind == KIND_NEW || make->kind == KIND_ELASTIC)
        return chosen_hops(make);
    return make->kind == KIND_SIMPLE ? 1 : make->kind == KIND_TWOHOP ? 2 : 0;
}

size_t make_limit(const struct make *make)
{
    return make->kind == KIND_NEW || (make->kind == KIND_COMM_WITH && !make_elastic(make)) ? make->max_bytes : SIZE_MAX;
}

size_t random_divisor(struct rng *rng)
{
    int divisor;

    do
        divisor = 1 + rng_below(rng, world_ranks);
    while (world_ranks % divisor != 0);
    return (size_t)divisor;
}

static uint64_t random_options(struct rng *rng)
{
    static const uint64_t options[] = {0,
                                       0,
                                       0,
                                       convey_opt_RECKLESS,
                                       convey_opt_DYNAMIC,
                                       convey_opt_SCATTER,
                                       convey_opt_PROGRESS,
                                       convey_opt_COMPRESS,
                                       convey_opt_STANDARD,
                                       convey_opt_BLOCKING};
    enum { COUNT = sizeof options / sizeof options[0] };

    return options[rng_below(rng, COUNT)] | options[rng_below(rng, COUNT)];
}

/* Without elastic kinds when rigid ones are wanted, and the other way round. */
static enum kind random_kind(struct rng *rng, enum elasticity wanted)
{
    struct make make;

    do
        make = (struct make){.kind = (enum kind)rng_below(rng, KINDS), .item_bound = wanted == ELASTIC};
    while (wanted != EITHER && make_elastic(&make) != (wanted == ELASTIC));
    return make.kind;
}

struct make make_random(struct rng *rng, enum elasticity wanted)
{
    static const size_t capacities[] = {1, 8, 40, 100, 500, 1000, 4096, 20000, 32768};
    static const size_t limits[] = {1, 1000, 30000, 1 << 20, SIZE_MAX, SIZE_MAX};
    static const size_t bounds[] = {0, 1, 20, 100, 1000, 5000, 70000};
    struct make make = {.kind = random_kind(rng, wanted)};
    bool any_comm = make.kind == KIND_COMM || make.kind == KIND_COMM_ELASTIC || make.kind == KIND_COMM_WITH;

    make.place = any_comm ? rng_below(rng, PLACES) : PLACE_WORLD;
    make.order = 1 + rng_below(rng, 3);
    make.max_bytes = limits[rng_below(rng, 6)];
    make.n_local =
        make.kind == KIND_TENSOR || make.kind == KIND_ETENSOR || make.kind == KIND_TWOHOP || rng_one_in(rng, 2)
            ? random_divisor(rng)
            : 0;
    make.capacity = capacities[rng_below(rng, 9)];
    make.n_buffers = rng_one_in(rng, 3) ? 1 : 1 + (size_t)rng_below(rng, 6);
    make.item_bound = bounds[rng_below(rng, 7)];
    if (make.kind == KIND_COMM_WITH && wanted != EITHER)
        make.item_bound = wanted == ELASTIC ? make.item_bound + 1 : 0;
    make.options = random_options(rng);
    return make;
}

static convey_t *make_published(const struct make *m)
{
    switch (m->kind) {
    case KIND_NEW:
        return convey_new(m->max_bytes, m->n_local, m->alloc, m->options);
    case KIND_ELASTIC:
        return convey_new_elastic(m->item_bound, m->max_bytes, m->n_local, m->alloc, m->options);
    case KIND_SIMPLE:
        return convey_new_simple(m->capacity, m->alloc, NULL, m->options);
    case KIND_TWOHOP:
        return convey_new_twohop(m->capacity, m->n_local, m->alloc, m->options);
    case KIND_TENSOR:
        return convey_new_tensor(m->capacity, m->order, m->n_local, m->n_buffers, m->alloc, m->options);
    default:
        return convey_new_etensor(m->capacity, m->item_bound, m->order, m->n_local, m->n_buffers, m->alloc, m->options);
    }
}

convey_t *make_conveyor(const struct make *m)
{
    MPI_Comm comm = place_of(m->place)->comm;
    convey_t *c;

    if (m->kind == KIND_COMM)
        c = wm_convey_new(comm, m->capacity % 8 == 0 ? NULL : "items");
    else if (m->kind == KIND_COMM_ELASTIC)
        c = wm_convey_new_elastic(comm, "elastic items", m->item_bound);
    else if (m->kind == KIND_COMM_WITH)
        c = wm_convey_new_with(comm, "with all", m->item_bound, m->max_bytes, m->alloc, m->options);
    else
        c = make_published(m);
    CHECK(c != NULL, "%s gives no conveyor", kind_names[m->kind]);
    return c;
}

const char *make_words(const struct make *m)
{
    static char lines[8][256];
    static int turn;
    char *line = lines[turn = (turn + 1) % 8];
    int at = snprintf(line, 256, "%s on %s", kind_names[m->kind], place_of(m->place)->name);

    if (m->kind == KIND_TENSOR || m->kind == KIND_ETENSOR)
        at += snprintf(line + at, 256 - (size_t)at, " order %d buffers %zu", m->order, m->n_buffers);
    if (m->kind == KIND_SIMPLE || m->kind == KIND_TWOHOP || m->kind == KIND_TENSOR || m->kind == KIND_ETENSOR)
        at += snprintf(line + at, 256 - (size_t)at, " capacity %zu", m->capacity);
    else if (m->max_bytes != SIZE_MAX && m->kind != KIND_COMM && m->kind != KIND_COMM_ELASTIC)
        at += snprintf(line + at, 256 - (size_t)at, " max_bytes %zu", m->max_bytes);
    if (make_elastic(m))
        at += snprintf(line + at, 256 - (size_t)at, " bound %zu", m->item_bound);
    snprintf(line + at, 256 - (size_t)at, " n_local %zu options %#llx", m->n_local, (unsigned long long)m->options);
    return line;
}

const char *state_name(int state)
{
    static const char *const names[] = {"DORMANT", "WORKING", "ENDGAME", "CLEANUP", "COMPLETE"};

    return state >= 0 && state <= convey_COMPLETE ? names[state] : "no state";
}
