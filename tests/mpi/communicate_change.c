/* What changes between calls of a random statement. */
#include <stdlib.h>
#include <string.h>
#include "tests/mpi/communicate_trial.h"
#include "waymark/communicate.h"

static unsigned pick_ranks(struct trial *t)
{
    return fuzz_chance(&t->random, 50) ? ALL_RANKS : 1 + (unsigned)fuzz_below(&t->random, (1u << t->s.ranks) - 1);
}

/* One of these things, if there are any. */
static int pick_of(struct trial *t, uint64_t these)
{
    int thing = (int)fuzz_below(&t->random, (size_t)t->s.thing_count);

    for (int i = 0; i < t->s.thing_count && (these >> thing & 1) == 0; i++)
        thing = (thing + 1) % t->s.thing_count;
    return thing;
}

/* Values on which who sends what to whom depends. */
static void change_choice(struct trial *t, struct memory *m, uint64_t *changed)
{
    int thing = pick_of(t, t->compiled->choosing | t->compiled->sizing);

    trial_fill(t, m, thing, (t->s.things[thing].promises & WM_IS_UNIFORM) != 0 ? ALL_RANKS : pick_ranks(t));
    *changed |= UINT64_C(1) << thing;
}

/* Longer or shorter by one in a dimension, where that is not 0. */
static void resize_at(struct trial *t, struct memory *m, int i, size_t d, unsigned ranks, bool longer)
{
    struct thing *thing = &t->s.things[i];

    for (int r = 0; r < t->s.ranks; r++)
        if ((ranks >> r & 1) != 0 && thing->extents[r][d] > 0) {
            thing->extents[r][d] += longer ? 1 : (size_t)-1;
            free(m->at[r][i]);
            if ((m->at[r][i] = malloc(thing_bytes(thing, r))) == NULL)
                abort();
        } else {
            ranks &= ~(1u << r);
        }
    trial_fill(t, m, i, ranks);
}

static bool is_array(const struct thing *thing)
{
    return thing->kind == WM_BOUND_PLACE && thing->dimensions > 0 && !thing->permutation;
}

/* An array, at all ranks or some. */
static void resize(struct trial *t, struct memory *m, uint64_t *changed)
{
    int i = pick_of(t, t->compiled->reading | t->compiled->writing);
    const struct thing *thing = &t->s.things[i];
    unsigned ranks = (thing->promises & (WM_IS_UNIFORM | WM_IS_SIZED)) != 0 ? ALL_RANKS : pick_ranks(t);

    if (!is_array(thing))
        return;
    /* A stride stays as it is. */
    resize_at(t, m, i, thing->gap > 0 ? 0 : fuzz_below(&t->random, thing->dimensions), ranks,
              fuzz_chance(&t->random, 80));
    *changed |= UINT64_C(1) << i;
}

/* All arrays whose last dimension is as long as that of one, so that as much is sent as is stored. */
static void resize_alike(struct trial *t, struct memory *m, uint64_t *changed)
{
    const struct thing *one = &t->s.things[pick_of(t, t->compiled->writing)];
    size_t extent = is_array(one) ? one->extents[0][one->dimensions - 1] : 0;
    bool longer = fuzz_chance(&t->random, 60);

    for (int i = 0; i < t->s.thing_count && extent > 0; i++) {
        size_t last = t->s.things[i].dimensions - 1u;

        if (!is_array(&t->s.things[i]) || t->s.things[i].extents[0][last] != extent ||
            (t->s.things[i].gap > 0 && last > 0))
            continue;
        resize_at(t, m, i, last, ALL_RANKS, longer);
        *changed |= UINT64_C(1) << i;
    }
}

static void change(struct trial *t, struct memory *m, uint64_t *changed)
{
    uint64_t matters = t->compiled->choosing | t->compiled->sizing;

    for (int i = 0; i < t->s.thing_count; i++)
        if ((matters >> i & 1) == 0 && (t->exact || fuzz_chance(&t->random, 60)))
            trial_fill(t, m, i, ALL_RANKS);
    if (fuzz_chance(&t->random, 35))
        change_choice(t, m, changed);
    if (fuzz_chance(&t->random, 25))
        resize(t, m, changed);
    else if (fuzz_chance(&t->random, 15))
        resize_alike(t, m, changed);
}

static void copy_of(struct memory *m, const struct trial *t)
{
    memory_new(m, &t->s);
    memory_copy(m, &t->world, &t->s);
}

/* Stable values have changed since the last call, or may have. */
static bool is_to_be_touched(const struct trial *t, uint64_t changed)
{
    uint64_t stored = t->compiled->writing & (t->compiled->choosing | t->compiled->sizing);

    for (int i = 0; i < t->s.thing_count; i++)
        if ((t->s.things[i].promises & WM_IS_STABLE) != 0 && ((changed | stored) >> i & 1) != 0)
            return true;
    return false;
}

bool trial_change(struct trial *t)
{
    static struct thing things[THINGS_MAX];
    struct memory next;
    uint64_t changed = 0;
    bool well;

    memcpy(things, t->s.things, sizeof things);
    copy_of(&next, t);
    change(t, &next, &changed);
    well = trial_list(t, &next, &changed);
    if (!well) {
        changed = 0;
        memory_free(&next, &t->s);
        memcpy(t->s.things, things, sizeof things);
        copy_of(&next, t);
        well = trial_list(t, &next, &changed);
    }
    memory_free(&t->world, &t->s);
    t->world = next;
    if (!well)
        return false;
    if (is_to_be_touched(t, changed))
        wm_touch(NULL);
    copy_of(&t->wanted, t);
    oracle_run(&t->oracle, &t->wanted);
    return true;
}
