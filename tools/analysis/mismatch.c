/* Calls that do not match: found when an instance is complete, the earliest kept. */
#include "tools/analysis/mismatch.h"

#include <stdlib.h>

bool wm_mismatch_none(const struct wm_region *a, const struct wm_region *b)
{
    return a->operation == b->operation && a->root == b->root;
}

/* The next outermost region from `at` on that agrees with `call`, or does not; NULL: none. */
static const struct wm_region *find(const struct wm_instance *instance, size_t at, const struct wm_region *call,
                                    bool agrees)
{
    for (; at < instance->region_count; at++) {
        const struct wm_region *region = &instance->regions[at];

        if (region->outermost && wm_mismatch_none(region, call) == agrees)
            return region;
    }
    return NULL;
}

static int64_t earliest(const struct wm_instance *instance)
{
    int64_t enter_ns = INT64_MAX;

    for (size_t i = 0; i < instance->region_count; i++)
        if (instance->regions[i].enter_ns < enter_ns)
            enter_ns = instance->regions[i].enter_ns;
    return enter_ns;
}

static int fill_side(struct wm_mismatch_side *side, const struct wm_instance *instance, const struct wm_region *call)
{
    *side = (struct wm_mismatch_side){
        .operation = call->operation, .root = call->root, .ranks = calloc(instance->region_count, sizeof(int))};
    if (side->ranks == NULL)
        return -WM_ENOMEM;
    for (const struct wm_region *region = find(instance, 0, call, true); region != NULL;
         region = find(instance, (size_t)(region - instance->regions) + 1, call, true))
        side->ranks[side->count++] = instance->trace->ranks[region->rank_index].rank;
    return 0;
}

int wm_mismatch_note(struct wm_analysis *analysis, const struct wm_instance *instance)
{
    struct wm_mismatch *mismatch = &analysis->mismatch;
    const struct wm_region *first = instance->region_count > 0 ? &instance->regions[0] : NULL;
    const struct wm_region *other = first != NULL ? find(instance, 0, first, false) : NULL;
    int64_t since_ns;

    if (other == NULL)
        return 0;
    since_ns = earliest(instance);
    if (mismatch->instances++ > 0 && mismatch->since_ns <= since_ns)
        return 0;
    wm_mismatch_release(mismatch);
    mismatch->communicator = instance->communicator->key;
    mismatch->sequence = instance->sequence;
    mismatch->since_ns = since_ns;
    return fill_side(&mismatch->sides[0], instance, first) < 0 ? -WM_ENOMEM
                                                               : fill_side(&mismatch->sides[1], instance, other);
}

void wm_mismatch_release(struct wm_mismatch *mismatch)
{
    for (int i = 0; i < 2; i++) {
        free(mismatch->sides[i].ranks);
        mismatch->sides[i].ranks = NULL;
    }
}
