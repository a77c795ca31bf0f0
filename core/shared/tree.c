/* Trees of shared steps: clusters by caches, and the phases up and down. */
#include "core/shared/tree.h"

#include <stdlib.h>
#include <string.h>
#include "core/data/allocate.h"
#include "core/shared/lane.h"

/* --- Clusters --- */

/* In `room`: the elements of the level, the members' caches, then this member's clusters: subsets of n, fewer than n,
 * n / 2, … elements, at most one more each for rounding, and the top. */
struct wm_shared_tree *wm_shared_tree_new(int size)
{
    struct wm_shared_tree *tree;

    return wm_allocate_zeroed(sizeof *tree + sizeof *tree->room * (6 * (size_t)size + WM_SHARED_LEVELS_MAX),
                              "a group of ranks that share memory");
}

struct dealing {
    struct wm_shared_tree *tree;
    int self, fan, level;
    int *elements, count;
    int *free; /* room for clusters */
};

/* The end of the elements that share a cache with the one at `begin`; NULL: caches do not matter. */
static int run_end(const struct dealing *d, const int *caches, int begin)
{
    int end = begin + 1;

    while (end < d->count && (caches == NULL || caches[d->elements[end]] == caches[d->elements[begin]]))
        end++;
    return end;
}

static int cluster_count(const struct dealing *d, int elements)
{
    return (elements + d->fan - 1) / d->fan;
}

static bool caches_help(const struct dealing *d, const int *caches)
{
    int heads = 0;

    for (int begin = 0, end; begin < d->count; begin = end) {
        end = run_end(d, caches, begin);
        heads += cluster_count(d, end - begin);
    }
    return heads <= d->fan || (long)heads * d->fan < 2L * d->count;
}

static void keep(struct dealing *d, int low, int high)
{
    memcpy(d->free, d->elements + low, sizeof *d->free * (size_t)(high - low));
    d->tree->clusters[d->level].members = d->free;
    d->tree->clusters[d->level].count = high - low;
    d->free += high - low;
}

static bool holds(const struct dealing *d, int low, int high)
{
    for (int i = low; i < high; i++)
        if (d->elements[i] == d->self)
            return true;
    return false;
}

/* Leaves the heads as the elements; one is put down where its cluster, or one before, was. */
static void deal(struct dealing *d, const int *caches)
{
    int heads = 0;

    for (int begin = 0, end; begin < d->count; begin = end) {
        int parts;

        end = run_end(d, caches, begin);
        parts = cluster_count(d, end - begin);
        for (int p = 0; p < parts; p++) {
            int low = begin + (end - begin) * p / parts, high = begin + (end - begin) * (p + 1) / parts;

            if (holds(d, low, high))
                keep(d, low, high);
            d->elements[heads++] = d->elements[low];
        }
    }
    d->count = heads;
    d->level++;
}

void wm_shared_tree_make(struct wm_shared_tree *tree, int fan, const int *caches, int size, int self)
{
    struct dealing d = {tree, self, fan, 0, tree->room, size, tree->room + 2 * (size_t)size};

    tree->fan = fan;
    tree->height = 0;
    for (int m = 0; m < size; m++)
        d.elements[m] = m;
    while (d.count > fan) {
        deal(&d, d.level == 0 && caches_help(&d, caches) ? caches : NULL);
        tree->height += holds(&d, 0, d.count);
    }
    tree->levels = d.level;
    keep(&d, 0, d.count);
}

/* --- What members tell each other of their caches, in the lane --- */

static void tell(struct wm_shared_lane *lane)
{
    int cache = lane->find_cache != NULL ? lane->find_cache() : -1;

    lane->told = true;
    atomic_store_explicit(wm_shared_cache(lane, lane->self), (uint64_t)(cache + 2), memory_order_release);
}

static bool all_told(const struct wm_shared_lane *lane, int *caches)
{
    for (int m = 0; m < lane->size; m++) {
        uint64_t told = atomic_load_explicit(wm_shared_cache(lane, m), memory_order_acquire);

        if (told == 0)
            return false;
        caches[m] = (int)told - 2;
    }
    return true;
}

bool wm_shared_tree_ready(struct wm_shared_lane *lane, int fan)
{
    struct wm_shared_tree *tree = lane->tree;
    int *caches = tree->room + lane->size;

    if (tree->fan == fan)
        return true;
    if (!lane->told)
        tell(lane);
    if (!all_told(lane, caches))
        return false;
    wm_shared_tree_make(tree, fan, caches, lane->size, lane->self);
    return true;
}

/* --- Phases --- */

static struct wm_shared_phase make_phase(bool posts, bool reads)
{
    return (struct wm_shared_phase){
        .writers = posts ? WM_SHARED_ALL : WM_SHARED_NOBODY,
        .readers = reads ? WM_SHARED_ALL : WM_SHARED_NOBODY,
        .value = true,
    };
}

/* A head alone has nothing to combine. The head is the first, and so combines its own value where that stands, but not
 * where that is not packed. */
static struct wm_shared_phase phase_up(const struct wm_shared_tree *tree, int level, bool packed)
{
    bool head = tree->height > level && tree->clusters[level].count > 1;
    struct wm_shared_phase phase = make_phase(tree->height == level || (head && !packed), head);

    phase.combine = true;
    phase.sources = tree->clusters[level].members;
    phase.source_count = tree->clusters[level].count;
    return phase;
}

static struct wm_shared_phase phase_down(const struct wm_shared_tree *tree, int level, bool wants)
{
    struct wm_shared_phase phase = make_phase(tree->height > level, tree->height == level && wants);

    phase.sources = tree->clusters[level].members;
    phase.source_count = 1;
    return phase;
}

/* A root within the top posts, too: its own value may be overwritten before its turn comes. */
static struct wm_shared_phase phase_at_top(const struct wm_shared_tree *tree, const struct wm_shared *s)
{
    bool top = tree->height == tree->levels;
    struct wm_shared_phase phase = make_phase(top, s->kind == WM_SHARED_REDUCE ? s->self == s->root : top);

    phase.combine = phase.complete = true;
    phase.sources = tree->clusters[tree->levels].members;
    phase.source_count = tree->clusters[tree->levels].count;
    return phase;
}

static struct wm_shared_phase phase_from_root(const struct wm_shared_tree *tree, const struct wm_shared *s)
{
    bool root = s->self == s->root;
    struct wm_shared_phase phase = make_phase(root, tree->height == tree->levels && !root);

    phase.sources = &s->root;
    phase.source_count = 1;
    return phase;
}

int wm_shared_tree_phases(struct wm_shared_tree *tree, const struct wm_shared *s, bool packed)
{
    int count = 0;

    for (int level = 0; s->kind != WM_SHARED_BCAST && level < tree->levels; level++)
        tree->phases[count++] = phase_up(tree, level, packed);
    tree->phases[count++] = s->kind == WM_SHARED_BCAST ? phase_from_root(tree, s) : phase_at_top(tree, s);
    for (int level = tree->levels - 1; s->kind != WM_SHARED_REDUCE && level >= 0; level--) {
        tree->phases[count] = phase_down(tree, level, s->kind == WM_SHARED_ALLREDUCE || s->self != s->root);
        tree->phases[count++].complete = s->kind == WM_SHARED_ALLREDUCE;
    }
    return count;
}
