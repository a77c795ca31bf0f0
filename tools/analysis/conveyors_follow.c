/* Watched items: each followed from its push, over arrivals and relays, to its last arrival. */
#include "tools/analysis/conveyors_raw.h"

#include <stdlib.h>

/* So that what belongs to one item stands together: what its records share, then where it was. */
static int compare_steps(const void *a, const void *b)
{
    const struct wm_conveyor_step *x = a, *y = b;
    int order = (x->link.conveyor > y->link.conveyor) - (x->link.conveyor < y->link.conveyor);

    order = order != 0 ? order : (x->link.run > y->link.run) - (x->link.run < y->link.run);
    order = order != 0 ? order : (x->ticks > y->ticks) - (x->ticks < y->ticks);
    order = order != 0 ? order : x->step - y->step;
    return order != 0 ? order : (x->ns > y->ns) - (x->ns < y->ns);
}

static bool of_one_item(const struct wm_conveyor_step *a, const struct wm_conveyor_step *b)
{
    return a->link.conveyor == b->link.conveyor && a->link.run == b->link.run && a->ticks == b->ticks;
}

/* Steps whose ticks agree: of one item, or of several that were pushed in one tick. */
struct group {
    const struct wm_conveyor_step *steps;
    size_t count;
};

static const struct wm_conveyor_step *find_arrival(const struct group *group, const struct wm_conveyor_step *written)
{
    for (size_t i = 0; i < group->count; i++)
        if (group->steps[i].step == WM_TRACE_STEP_ARRIVED &&
            wm_conveyor_link_compare(&group->steps[i].link, &written->link) == 0)
            return &group->steps[i];
    return NULL;
}

static const struct wm_conveyor_step *find_relay(const struct group *group, const struct wm_conveyor_step *arrival)
{
    for (size_t i = 0; i < group->count; i++)
        if (group->steps[i].step == WM_TRACE_STEP_RELAYED && group->steps[i].rank == arrival->rank &&
            group->steps[i].link.hop == arrival->link.hop + 1)
            return &group->steps[i];
    return NULL;
}

/* The way of one item: when it came to and left each hop. */
struct way {
    int first, last;
    int64_t hop_ns[WM_TRACE_HOPS_MAX], relay_ns[WM_TRACE_HOPS_MAX]; /* relay: before the hop */
    int64_t sum_ns, age_ns;
};

/* False: a step is missing. */
static bool walk(const struct wm_conveyor_totals *conveyor, const struct group *group,
                 const struct wm_conveyor_step *pushed, struct way *way)
{
    const struct wm_conveyor_step *at = pushed, *arrival;

    *way = (struct way){.first = pushed->link.hop};
    for (;;) {
        int hop = at->link.hop;

        if ((arrival = find_arrival(group, at)) == NULL)
            return false;
        way->hop_ns[hop] = arrival->ns - at->ns;
        way->sum_ns += way->hop_ns[hop];
        way->last = hop;
        way->age_ns = arrival->age_ns;
        if (hop == conveyor->hop_count - 1)
            return true;
        if ((at = find_relay(group, arrival)) == NULL)
            return false;
        way->relay_ns[hop + 1] = at->ns - arrival->ns;
        way->sum_ns += way->relay_ns[hop + 1];
    }
}

static int note_way(struct wm_conveyor_totals *conveyor, const struct way *way)
{
    int64_t residual_ns = llabs(way->age_ns - way->sum_ns);
    int rc = wm_spread_add(&conveyor->item_ns, way->sum_ns);

    conveyor->arrived++;
    if (residual_ns > conveyor->residual_ns)
        conveyor->residual_ns = residual_ns;
    for (int hop = way->first; hop <= way->last && rc == 0; hop++) {
        rc = wm_spread_add(&conveyor->hop_item_ns[hop], way->hop_ns[hop]);
        if (rc == 0 && hop > way->first)
            rc = wm_spread_add(&conveyor->relay_item_ns[hop], way->relay_ns[hop]);
    }
    return rc;
}

static int take_group(struct wm_conveyor_records *raw, const struct group *group)
{
    struct wm_conveyor_totals *conveyor = &raw->conveyors->conveyors[group->steps->link.conveyor];
    struct way way;
    int rc = 0;

    for (size_t i = 0; i < group->count && rc == 0; i++) {
        if (group->steps[i].step != WM_TRACE_STEP_PUSHED)
            continue;
        conveyor->watched++;
        if (walk(conveyor, group, &group->steps[i], &way))
            rc = note_way(conveyor, &way);
        else
            conveyor->strayed++;
    }
    return rc;
}

int wm_conveyors_follow(struct wm_conveyor_records *raw)
{
    int rc = 0;

    if (raw->step_count > 0)
        qsort(raw->steps, raw->step_count, sizeof *raw->steps, compare_steps);
    for (size_t at = 0, end; at < raw->step_count && rc == 0; at = end) {
        for (end = at; end < raw->step_count && of_one_item(&raw->steps[at], &raw->steps[end]);)
            end++;
        rc = take_group(raw, &(struct group){&raw->steps[at], end - at});
    }
    return rc;
}
