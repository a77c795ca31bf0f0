/* The planner: where data stands: temporaries, homes of results, what groups have of it. */
#include "core/plan/holdings.h"
#include "core/plan/planner_state.h"

static int new_temporary(struct wm_planner *p, size_t units)
{
    if (p->status < 0 || !wm_planner_grow(p, (void **)&p->plan->temporary_units, p->plan->temporary_count,
                                          &p->temporary_room, sizeof *p->plan->temporary_units))
        return WM_BUFFER_TEMPORARY;
    p->plan->temporary_units[p->plan->temporary_count] = units;
    return WM_BUFFER_TEMPORARY + p->plan->temporary_count++;
}

/* How many messages of `units` wait at most: as many as fit WM_ARRIVALS_BYTES. */
static int arrivals_limit(const struct wm_planner *p, size_t units)
{
    size_t bytes = units * p->call->unit_bytes, fit = bytes > 0 ? WM_ARRIVALS_BYTES / bytes : WM_ARRIVALS_MAX;

    return fit < WM_ARRIVALS_MIN ? WM_ARRIVALS_MIN : fit > WM_ARRIVALS_MAX ? WM_ARRIVALS_MAX : (int)fit;
}

struct wm_ref wm_planner_arrival(struct wm_planner *p, size_t units)
{
    struct wm_pool *pool = p->pool;
    int slot = pool->arrival_next++ % arrivals_limit(p, units), buffer;
    size_t *held;

    if (slot >= pool->arrival_count) {
        slot = pool->arrival_count++;
        pool->arrivals[slot] = new_temporary(p, units);
    }
    buffer = pool->arrivals[slot];
    if (p->status == 0 && *(held = &p->plan->temporary_units[buffer - WM_BUFFER_TEMPORARY]) < units)
        *held = units;
    return (struct wm_ref){buffer, 0};
}

struct wm_ref wm_planner_temporary(struct wm_planner *p, size_t units)
{
    struct wm_pool *pool = p->pool;
    size_t *held;

    if (pool->next == pool->count) {
        if (!wm_planner_grow(p, (void **)&pool->buffers, pool->count, &pool->room, sizeof *pool->buffers))
            return (struct wm_ref){WM_BUFFER_TEMPORARY, 0};
        pool->buffers[pool->count++] = new_temporary(p, units);
    }
    if (p->status < 0)
        return (struct wm_ref){WM_BUFFER_TEMPORARY, 0};
    held = &p->plan->temporary_units[pool->buffers[pool->next] - WM_BUFFER_TEMPORARY];
    if (*held < units)
        *held = units;
    return (struct wm_ref){pool->buffers[pool->next++], 0};
}

bool wm_planner_wants_result(const struct wm_planner *p)
{
    return wm_operation_flow(p->call->operation) != WM_FLOW_UP || p->rank == p->call->root;
}

/* The result of a reduce-scatter is a block of it. */
static bool home_is_receive(const struct wm_planner *p)
{
    return wm_planner_wants_result(p) && wm_operation_data(p->call->operation) == WM_DATA_WHOLE;
}

struct wm_ref wm_planner_home(struct wm_planner *p, size_t offset)
{
    if (p->home.buffer < 0)
        p->home.buffer = home_is_receive(p) ? WM_BUFFER_RECEIVE : new_temporary(p, p->call->count);
    return (struct wm_ref){p->home.buffer, offset - p->home.first};
}

struct wm_home wm_planner_home_apart(struct wm_planner *p)
{
    struct wm_home former = p->home;

    p->home = (struct wm_home){wm_planner_temporary(p, p->flow.count).buffer, p->flow.offset};
    return former;
}

void wm_planner_home_back(struct wm_planner *p, struct wm_home former)
{
    p->home = former;
}

struct wm_ref wm_planner_given(struct wm_planner *p, size_t offset, size_t count)
{
    return p->layout->order != NULL ? wm_holdings_find(p, offset, count) : wm_planner_home(p, offset);
}

struct wm_ref wm_planner_taken(struct wm_planner *p, size_t offset, size_t count)
{
    struct wm_ref at;

    if (p->layout->order == NULL)
        return wm_planner_home(p, offset);
    if (count == 0)
        return (struct wm_ref){WM_BUFFER_TEMPORARY, 0};
    at = wm_holdings_room(p, offset, count);
    wm_holdings_put(p, offset, count, at);
    return at;
}

struct wm_ref wm_planner_settled(struct wm_planner *p, size_t offset, size_t count)
{
    struct wm_ref at;

    if (p->layout->order != NULL && wm_holdings_settle(p, offset, count, &at))
        return at;
    return wm_planner_given(p, offset, count);
}

struct wm_ref wm_planner_combined(struct wm_planner *p, const struct wm_group *group, size_t offset, size_t count)
{
    bool ends = group->stage->number == p->layout->stage_count - 1 && !p->call->in_place && count > 0;

    return p->layout->order != NULL && ends ? wm_planner_taken(p, offset, count) : wm_planner_home(p, offset);
}

void wm_planner_hold(struct wm_planner *p)
{
    struct wm_flow *flow = &p->flow;

    if (flow->value.run_count == 1)
        wm_holdings_put(p, flow->offset, flow->count, flow->value.runs[0].at);
    flow->value.run_count = 0;
}

void wm_planner_unite(struct wm_planner *p, size_t offset, size_t count)
{
    if (p->layout->order != NULL)
        wm_holdings_unite(p, offset, count);
}

struct wm_share wm_planner_share(const struct wm_planner *p, const struct wm_group *group, const struct wm_flow *flow,
                                 int low, int high)
{
    const struct wm_order *order = p->layout->order;
    size_t n = (size_t)group->size, whole = flow->count / n, rest = flow->count % n, first, last;

    if (order == NULL) {
        first = whole * (size_t)low + rest * (size_t)low / n;
        last = whole * (size_t)high + rest * (size_t)high / n;
    } else {
        int level = order->significance[group->stage->number] + 1;
        int low_place = order->place_of[group->members[low]], high_place = order->place_of[group->members[high - 1]];

        first = wm_holdings_start(p, order->low[level * order->ranks + low_place]) - flow->offset;
        last = wm_holdings_start(p, order->high[level * order->ranks + high_place]) - flow->offset;
    }
    return (struct wm_share){first, last - first};
}

struct wm_flow wm_planner_group_range(const struct wm_planner *p, const struct wm_group *group)
{
    const struct wm_order *order = p->layout->order;
    int level = order->significance[group->stage->number];
    int place = order->place_of[group->members[0]];
    size_t first = wm_holdings_start(p, order->low[level * order->ranks + place]);

    return (struct wm_flow){first, wm_holdings_start(p, order->high[level * order->ranks + place]) - first, {0, NULL}};
}

bool wm_planner_sizes_known(const struct wm_planner *p)
{
    return p->layout->order == NULL || p->call->data.count == p->layout->ranks;
}
