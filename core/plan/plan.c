/* Plans: made by walking the path's wrappers, and freed. */
#include "core/plan/plan.h"

#include <stdlib.h>
#include <string.h>
#include "core/plan/copying.h"
#include "core/plan/holdings.h"
#include "core/plan/planner_state.h"
#include "core/plan/value.h"

static const struct {
    const char *name;
    bool reads, writes;
} steps[WM_STEP_KIND_COUNT] = {
#define X(id, name, reads, writes, help) [WM_STEP_##id] = {name, reads, writes},
    WM_STEPS(X)
#undef X
};

const char *wm_step_name(enum wm_step_kind kind)
{
    return steps[kind].name;
}

bool wm_step_reads(enum wm_step_kind kind)
{
    return steps[kind].reads;
}

bool wm_step_writes(enum wm_step_kind kind)
{
    return steps[kind].writes;
}

struct wm_stride wm_plan_stride(const struct wm_plan *plan, const struct wm_step *step)
{
    if (step->kind != WM_STEP_COPY || step->message == 0)
        return (struct wm_stride){step->count, step->count, 0};
    return plan->strides[step->message - 1];
}

size_t wm_plan_extent(const struct wm_plan *plan, const struct wm_step *step)
{
    struct wm_stride stride = wm_plan_stride(plan, step);

    return step->count == 0 ? 0 : (step->count / stride.block - 1) * stride.distance + stride.block;
}

const struct wm_plan_call *wm_planner_call(const struct wm_planner *p)
{
    return p->call;
}

int wm_planner_rank(const struct wm_planner *p)
{
    return p->rank;
}

int wm_planner_ranks(const struct wm_planner *p)
{
    return p->layout->ranks;
}

struct wm_flow *wm_planner_flow(struct wm_planner *p)
{
    return &p->flow;
}

struct wm_group wm_planner_group(struct wm_planner *p, const struct wm_wrapper *wrapper)
{
    const struct wm_stage_layout *stage = &p->layout->stages[wrapper->stage];
    int group = stage->group[p->rank];

    if (group < 0)
        return (struct wm_group){.size = 0, .self = -1, .leader = -1, .stage = stage};
    return (struct wm_group){
        .size = stage->first[group + 1] - stage->first[group],
        .self = stage->index[p->rank],
        .leader = stage->leader[group],
        .members = &stage->members[stage->first[group]],
        .live = stage->live[group],
        .stage = stage,
    };
}

int wm_planner_meeting(const struct wm_planner *p, int peer)
{
    int own = p->rank, last = p->layout->stage_count - 1;

    for (int s = 0; s < last; s++) {
        const struct wm_stage_layout *stage = &p->layout->stages[s];
        int own_group = stage->group[own], group = stage->group[peer];

        if (own_group == group)
            return s;
        own = stage->members[stage->first[own_group] + stage->leader[own_group]];
        peer = stage->members[stage->first[group] + stage->leader[group]];
    }
    return last;
}

bool wm_planner_is_last_stage(const struct wm_planner *p, const struct wm_wrapper *stage)
{
    return stage->stage == p->path->stage_count - 1;
}

bool wm_planner_holds_result(struct wm_planner *p)
{
    for (int s = 0; wm_operation_flow(p->call->operation) == WM_FLOW_UP && s < p->path->stage_count; s++) {
        struct wm_group group;

        if (p->path->stages[s] <= p->position)
            continue;
        group = wm_planner_group(p, &p->path->wrappers[p->path->stages[s]]);
        if (group.self < 0 || group.self != group.leader || !group.live)
            return false;
    }
    return true;
}

const struct wm_rank_set *wm_planner_set(const struct wm_planner *p, const struct wm_group *group, int member)
{
    return p->call->commutative ? NULL : &group->stage->sets[group->members[member]];
}

struct wm_rank_set *wm_planner_set_new(struct wm_planner *p)
{
    struct wm_rank_set *set = p->call->commutative ? NULL : wm_planner_allocate(p, sizeof *set);

    if (set != NULL)
        *set = (struct wm_rank_set){0};
    return set;
}

/* Room for one range more. */
static bool make_set_room(struct wm_planner *p, struct wm_rank_set *set)
{
    int room = 2 * set->room + 1;
    struct wm_rank_range *ranges;

    if (set->count < set->room)
        return true;
    ranges = wm_planner_allocate(p, sizeof *ranges * (size_t)room);
    if (ranges == NULL)
        return false;
    if (set->room > 0)
        memcpy(ranges, set->ranges, sizeof *ranges * (size_t)set->room);
    set->ranges = ranges;
    set->room = room;
    return true;
}

/* The last one from `low` to `high` - 1 up to which members' sets are one range together. */
static int last_joined(const struct wm_group *group, int low, int high)
{
    int at = (int)(&group->members[low] - group->stage->members), last = low + group->stage->joined[at] - at;

    return last < high ? last : high - 1;
}

void wm_planner_set_add(struct wm_planner *p, struct wm_rank_set *set, const struct wm_group *group, int low, int high)
{
    for (int last; set != NULL && low < high; low = last + 1) {
        const struct wm_rank_set *held = wm_planner_set(p, group, low);

        last = last_joined(group, low, high);
        for (int j = 0; j < held->count && make_set_room(p, set); j++)
            wm_rank_set_add(set, held->ranges[j].low,
                            last > low ? wm_planner_set(p, group, last)->ranges[0].high : held->ranges[j].high);
    }
}

void wm_planner_next(struct wm_planner *p)
{
    int here = p->position;

    if (p->status == 0 && here + 1 < p->path->wrapper_count) {
        const struct wm_wrapper *wrapper = &p->path->wrappers[++p->position];
        int rc = wrapper->service->plan(wrapper, p);

        if (rc < 0 && p->status == 0)
            p->status = rc;
    }
    p->position = here;
}

/* Sends come first: somebody waits for them. Receives are posted behind them, before anything is computed. */
static void find_roots(struct wm_plan *plan)
{
    static const int urgency[WM_STEP_KIND_COUNT] = {[WM_STEP_SEND] = 2, [WM_STEP_RECV] = 1};

    for (int wanted = 2; wanted >= 0; wanted--)
        for (int s = 0; s < plan->step_count; s++)
            if (plan->steps[s].dependencies == 0 && urgency[plan->steps[s].kind] == wanted)
                plan->roots[plan->root_count++] = s;
}

/* Steps that wait for nothing, and, behind each step, those that wait for it. */
static void sort_steps(struct wm_planner *p)
{
    struct wm_plan *plan = p->plan;
    int *filled = calloc((size_t)plan->step_count + 1, sizeof *filled), next = 0;

    plan->successors = malloc(sizeof(int) * ((size_t)p->edge_count + 1));
    plan->roots = malloc(sizeof(int) * ((size_t)plan->step_count + 1));
    if (filled == NULL || plan->successors == NULL || plan->roots == NULL) {
        free(filled);
        p->status = wm_error_set(p->error, -WM_ENOMEM, "no memory for a plan");
        return;
    }
    for (int s = 0; s < plan->step_count; s++) {
        plan->steps[s].first_successor = next;
        next += plan->steps[s].successors;
    }
    find_roots(plan);
    for (int e = 0; e < p->edge_count; e++) {
        int from = p->edges[e].from;

        plan->successors[plan->steps[from].first_successor + filled[from]++] = p->edges[e].to;
    }
    free(filled);
}

/* Row by row. */
static void arrange_even(struct wm_planner *p, struct wm_copying *copying, struct wm_ref from, struct wm_ref to)
{
    const struct wm_order *order = p->layout->order;
    size_t each = p->call->data.each;

    for (int place = 0, row; p->status == 0 && place < order->ranks; place += row) {
        int rank = order->rank_at[place], distance = 0;

        row = order->row[place];
        if (row > 1)
            distance = order->rank_at[place + 1] - rank;
        wm_copying_add_blocks(p, copying, (struct wm_ref){from.buffer, (size_t)rank * each},
                              (struct wm_stride){each, (size_t)distance * each, 0},
                              (struct wm_ref){to.buffer, to.offset + (size_t)place * each}, (size_t)row);
    }
}

static void arrange_uneven(struct wm_planner *p, struct wm_copying *copying, struct wm_ref from, struct wm_ref to)
{
    const struct wm_order *order = p->layout->order;
    const struct wm_blocks *data = &p->call->data;
    const size_t *offsets = data->offsets;
    size_t *sums = NULL;

    if (offsets == NULL)
        offsets = sums = wm_planner_allocate(p, sizeof *sums * ((size_t)order->ranks + 1));
    for (int r = 0; sums != NULL && r < order->ranks; r++)
        sums[r + 1] = sums[r] + data->counts[r];
    for (int place = 0; p->status == 0 && place < order->ranks; place++) {
        int rank = order->rank_at[place];

        wm_copying_add(p, copying, (struct wm_ref){from.buffer, offsets[rank]},
                       (struct wm_ref){to.buffer, to.offset + wm_holdings_start(p, place)}, data->counts[rank]);
    }
}

/* Arrange the contribution to a reduce-scatter in the path's order. */
static struct wm_ref arrange(struct wm_planner *p, struct wm_ref from)
{
    const struct wm_order *order = p->layout->order;
    const struct wm_blocks *data = &p->call->data;
    struct wm_copying copying = {0};
    struct wm_ref to;

    if (order->identity || p->call->count == 0)
        return from;
    to = wm_planner_temporary(p, p->call->count);
    if (data->counts == NULL)
        arrange_even(p, &copying, from, to);
    else
        arrange_uneven(p, &copying, from, to);
    wm_copying_end(p, &copying);
    return to;
}

/* What this rank brings, or, in a scatter, what it takes. */
static void start_blocks(struct wm_planner *p)
{
    const struct wm_order *order = p->layout->order;
    const struct wm_blocks *own = p->call->send.count == 1 ? &p->call->send : &p->call->receive;

    wm_holdings_begin(p);
    if (p->status < 0)
        return;
    p->flow = (struct wm_flow){0, own->count > 0 ? wm_blocks_count(own, own->count == 1 ? 0 : p->rank) : 0, {0, NULL}};
    if (wm_planner_sizes_known(p))
        p->flow = (struct wm_flow){
            wm_holdings_start(p, order->place_of[p->rank]), wm_blocks_count(&p->call->data, p->rank), {0, NULL}};
}

static void start_flow(struct wm_planner *p)
{
    enum wm_data_kind data = wm_operation_data(p->call->operation);
    bool in_receive = p->call->in_place || p->call->operation == WM_BCAST;
    struct wm_ref at = {in_receive ? WM_BUFFER_RECEIVE : WM_BUFFER_SEND, 0};
    struct wm_run *run;

    if (data == WM_DATA_BLOCKS)
        start_blocks(p);
    if (data == WM_DATA_PAIRS)
        wm_matrix_begin(p);
    if (data != WM_DATA_WHOLE && (data != WM_DATA_BLOCKS || !wm_operation_combines(p->call->operation)))
        return;
    if (data == WM_DATA_BLOCKS)
        at = arrange(p, at);
    run = wm_planner_allocate(p, sizeof *run);
    if (run == NULL)
        return;
    *run = (struct wm_run){p->rank, p->rank, at};
    p->flow = (struct wm_flow){0, p->call->count, {1, run}};
}

/* Bring the result to where the user wants it. */
static void finish_flow(struct wm_planner *p)
{
    enum wm_operation operation = p->call->operation;
    struct wm_flow *flow = &p->flow;
    bool may_be_nothing = wm_operation_combined(operation) == WM_COMBINED_BEFORE_ME;

    if (wm_operation_data(operation) == WM_DATA_WHOLE) {
        if (wm_operation_combines(operation) && wm_planner_wants_result(p) &&
            (!may_be_nothing || flow->value.run_count > 0))
            wm_value_settle(p, &flow->value, 0, p->call->count);
    } else if (wm_operation_data(operation) == WM_DATA_BLOCKS) {
        if (wm_operation_combines(operation))
            wm_planner_hold(p);
        wm_holdings_deliver(p);
    } else if (wm_operation_data(operation) == WM_DATA_PAIRS) {
        wm_matrix_deliver(p);
    }
}

static void planner_release(struct wm_planner *p)
{
    while (p->chunks != NULL) {
        struct wm_plan_chunk *next = p->chunks->next;

        free(p->chunks);
        p->chunks = next;
    }
    for (int i = 0; i < WM_PIECES_WINDOW_MAX; i++)
        free(p->pools[i].buffers);
    wm_hazards_free(p->hazards);
    free(p->after);
    free(p->edges);
    free(p->stamp);
    free(p->follower);
    free(p->sent.seats);
    free(p->received.seats);
    free(p->pieces);
    free(p->regions);
    free(p->ranges);
}

int wm_plan_make(struct wm_plan **plan, const struct wm_path *path, const struct wm_layout *layout,
                 const struct wm_plan_call *call, int rank, struct wm_error *error)
{
    struct wm_planner p = {.path = path,
                           .layout = layout,
                           .call = call,
                           .rank = rank,
                           .error = error,
                           .position = -1,
                           .home = {-1, 0},
                           .gate = {-1, 0}};

    p.pool = &p.pools[0];
    p.plan = calloc(1, sizeof *p.plan);
    p.hazards = wm_hazards_new();
    if (p.plan == NULL || p.hazards == NULL)
        p.status = wm_error_set(error, -WM_ENOMEM, "no memory for a plan");
    wm_planner_carry(&p, WM_CHOOSE_AUTO, &(struct wm_transport){0});
    if (p.status == 0 && path->native)
        p.flow.count = call->count;
    else if (p.status == 0)
        start_flow(&p);
    wm_planner_next(&p);
    if (!path->native)
        finish_flow(&p);
    if (p.status == 0)
        sort_steps(&p);
    planner_release(&p);
    *plan = p.status == 0 ? p.plan : NULL;
    if (p.status < 0)
        wm_plan_free(p.plan);
    return p.status;
}

void wm_plan_free(struct wm_plan *plan)
{
    if (plan == NULL)
        return;
    for (int i = 0; i < plan->shared_count; i++)
        wm_shared_release(&plan->shared[i]);
    free(plan->shared);
    free(plan->strides);
    free(plan->transports);
    free(plan->steps);
    free(plan->successors);
    free(plan->temporary_units);
    free(plan->roots);
    free(plan->notes);
    free(plan);
}
