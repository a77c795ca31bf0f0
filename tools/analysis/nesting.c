/* Nesting: finds the parts of an instance by member, and a rank's innermost region at a time. */
#include "tools/analysis/nesting.h"
#include "core/search.h"

const struct wm_region *wm_nesting_innermost(const struct wm_instance *instance, const struct wm_member_part *part,
                                             int64_t end_ns, int64_t *since_ns)
{
    const struct wm_region *regions = &instance->regions[part->first_region], *best = NULL;
    int64_t left_ns = INT64_MIN;

    for (size_t i = 0; i < part->region_count; i++) {
        const struct wm_region *region = &regions[i];

        if (region->enter_ns >= end_ns)
            continue;
        if (region->left && region->leave_ns < end_ns)
            left_ns = region->leave_ns > left_ns ? region->leave_ns : left_ns;
        else if (best == NULL || region->enter_ns >= best->enter_ns)
            best = region;
    }
    *since_ns = best != NULL && best->enter_ns > left_ns ? best->enter_ns : left_ns;
    return best != NULL ? best : regions;
}

const struct wm_member_part *wm_nesting_part(const struct wm_instance *instance, int member)
{
    const struct wm_trace_rank *ranks = instance->trace->ranks;
    const struct wm_member_part *parts = instance->parts; /* in the order of ranks */
    int32_t rank = instance->communicator->ranks[member];
    size_t at = WM_COUNT_WHILE(i, instance->part_count, ranks[parts[i].rank_index].rank < rank);

    return at < instance->part_count && ranks[parts[at].rank_index].rank == rank && parts[at].region_count > 0
               ? &parts[at]
               : NULL;
}
