/* Shared: the members of a group, who share a node, do a stage in one step in its memory. n members, m bytes: for a
 * small block about one exchange of cache lines, up to n of them one after the other at the root; for a large one every
 * member reads from the others what it needs: combine, reduce-scatter (n-1)/n m (β + γ) at once at all, the rest m β.
 * What cannot be done so takes the stage's default shape; all members decide that by what all of them know. */
#include "wrappers/shared.h"

bool wm_draft_begin(struct wm_planner *p, struct wm_draft *d, const struct wm_group *group, int fan,
                    enum wm_shared_kind kind, int root)
{
    size_t n = (size_t)group->size;

    d->from = wm_planner_allocate(p, sizeof *d->from * n);
    d->to = wm_planner_allocate(p, sizeof *d->to * n);
    d->counts = wm_planner_allocate(p, sizeof *d->counts * n);
    d->step = (struct wm_shared){
        .kind = (uint8_t)kind,
        .size = group->size,
        .self = group->self,
        .root = root,
        .fan = fan,
        .members = group->members,
        .from = d->from,
        .to = d->to,
        .counts = d->counts,
    };
    return d->from != NULL && d->to != NULL && d->counts != NULL;
}

/* The shares of the flow, in units. */
static void draft_shares(struct wm_planner *p, struct wm_draft *d, const struct wm_group *group)
{
    for (int i = 0; i < group->size; i++)
        d->counts[i] = wm_planner_share(p, group, wm_planner_flow(p), i, i + 1).count;
}

/* An operator that does not commute: each member has one run, and together they are one, in the order of members. */
static bool is_in_order(const struct wm_planner *p, const struct wm_group *group)
{
    int next = -1;

    for (int i = 0; i < group->size; i++) {
        const struct wm_rank_set *set = wm_planner_set(p, group, i);

        if (set->count != 1 || (i > 0 && set->ranges[0].low != next))
            return false;
        next = set->ranges[0].high + 1;
    }
    return true;
}

/* Everyone's value combined, at `at`. */
static struct wm_value combined_value(struct wm_planner *p, const struct wm_group *group, struct wm_ref at)
{
    struct wm_run *run = wm_planner_allocate(p, sizeof *run);

    if (run == NULL)
        return (struct wm_value){0, NULL};
    *run = (struct wm_run){0, wm_planner_ranks(p) - 1, at};
    if (!wm_planner_call(p)->commutative) {
        run->low = wm_planner_set(p, group, 0)->ranges[0].low;
        run->high = wm_planner_set(p, group, group->size - 1)->ranges[0].high;
    }
    return (struct wm_value){1, run};
}

/* The shape that the stage has without this one: the parameter's default, or that of its way in. */
static const struct wm_shape *default_shape(const struct wm_wrapper *self, int param)
{
    const struct wm_param *params = self->class->params;

    if (params[param].fallback == NULL)
        for (param = 0; params[param].type != WM_PARAM_SHAPE; param++)
            ;
    return wm_shape_plain((enum wm_shape_kind)wm_shape_find(params[param].fallback));
}

/* What the map says. */
static const struct wm_shape *shape_asked(const struct wm_wrapper *self, int param)
{
    const struct wm_shape *shape = self->values[param].shape;

    return shape != NULL ? shape : self->shape; /* as on the way in */
}

static const struct wm_shape *choose(const struct wm_wrapper *self, int param, bool fits)
{
    const struct wm_shape *shape = shape_asked(self, param);

    return shape->kind != WM_SHAPE_SHARED || fits ? shape : default_shape(self, param);
}

const struct wm_shape *wm_shape_to_move(struct wm_planner *p, const struct wm_wrapper *self, int param,
                                        const struct wm_group *group)
{
    return choose(self, param,
                  group->size > 1 && wm_planner_may_share(p, group) &&
                      wm_operation_bytes_shared(wm_planner_call(p)->operation));
}

static bool may_combine(struct wm_planner *p, const struct wm_group *group)
{
    return group->size > 1 && wm_planner_may_share(p, group) &&
           wm_planner_call(p)->unit_bytes <= WM_SHARED_UNIT_BYTES_MAX;
}

const struct wm_shape *wm_shape_to_combine(struct wm_planner *p, const struct wm_wrapper *self, int param,
                                           const struct wm_group *group)
{
    /* To look at the order of n members takes n² / 64 steps: only where it matters. */
    bool fits = shape_asked(self, param)->kind == WM_SHAPE_SHARED && may_combine(p, group) &&
                (wm_planner_call(p)->commutative || is_in_order(p, group));

    return choose(self, param, fits);
}

/* Groups whose members do not follow each other are refused before. */
const struct wm_shape *wm_shape_to_scan(struct wm_planner *p, const struct wm_wrapper *self, int param,
                                        const struct wm_group *group)
{
    return choose(self, param, may_combine(p, group));
}

static void combine_whole(struct wm_planner *p, const struct wm_group *group, const struct wm_shape *shape,
                          enum wm_shared_kind kind, int root)
{
    struct wm_flow *flow = wm_planner_flow(p);
    bool gets = kind == WM_SHARED_ALLREDUCE || group->self == root;
    struct wm_draft d;

    if (flow->value.run_count != 1 || !wm_draft_begin(p, &d, group, shape->radix, kind, root))
        return;
    d.counts[0] = flow->count;
    d.from[0] = flow->value.runs[0].at;
    if (gets)
        d.to[0] = wm_planner_home(p, flow->offset);
    wm_planner_shared(p, &d.step);
    if (gets)
        flow->value = combined_value(p, group, d.to[0]);
}

void wm_shared_combine(struct wm_planner *p, const struct wm_group *group, const struct wm_shape *shape, int root,
                       bool ordered)
{
    (void)ordered;
    combine_whole(p, group, shape, WM_SHARED_REDUCE, root);
}

void wm_shared_combine_all(struct wm_planner *p, const struct wm_group *group, const struct wm_shape *shape,
                           bool ordered)
{
    (void)ordered;
    combine_whole(p, group, shape, WM_SHARED_ALLREDUCE, 0);
}

void wm_shared_spread(struct wm_planner *p, const struct wm_group *group, const struct wm_shape *shape, int root)
{
    struct wm_flow *flow = wm_planner_flow(p);
    struct wm_draft d;

    if (!wm_draft_begin(p, &d, group, shape->radix, WM_SHARED_BCAST, root))
        return;
    d.counts[0] = flow->count;
    if (group->self == root)
        d.from[0] = wm_planner_given(p, flow->offset, flow->count);
    else
        d.to[0] = wm_planner_taken(p, flow->offset, flow->count);
    wm_planner_shared(p, &d.step);
}

/* Place of member i's share, as one gives or takes it. */
static struct wm_ref share_place(struct wm_planner *p, const struct wm_group *group, int i,
                                 struct wm_ref (*place)(struct wm_planner *, size_t, size_t))
{
    const struct wm_flow *flow = wm_planner_flow(p);
    struct wm_share share = wm_planner_share(p, group, flow, i, i + 1);

    return place(p, flow->offset + share.delta, share.count);
}

void wm_shared_scatter(struct wm_planner *p, const struct wm_group *group, const struct wm_shape *shape, int root)
{
    struct wm_draft d;

    if (!wm_draft_begin(p, &d, group, shape->radix, WM_SHARED_SCATTER, root))
        return;
    draft_shares(p, &d, group);
    for (int i = 0; i < group->size && group->self == root; i++)
        if (i != root)
            d.from[i] = share_place(p, group, i, wm_planner_given);
    if (group->self != root)
        d.to[0] = share_place(p, group, group->self, wm_planner_taken);
    wm_planner_shared(p, &d.step);
}

void wm_shared_gather(struct wm_planner *p, const struct wm_group *group, const struct wm_shape *shape, int root)
{
    const struct wm_flow *flow = wm_planner_flow(p);
    struct wm_draft d;

    if (!wm_draft_begin(p, &d, group, shape->radix, WM_SHARED_GATHER, root))
        return;
    draft_shares(p, &d, group);
    if (group->self == root)
        wm_planner_unite(p, flow->offset, flow->count);
    else
        d.from[0] = share_place(p, group, group->self, wm_planner_given);
    for (int i = 0; i < group->size && group->self == root; i++)
        if (i != root)
            d.to[i] = share_place(p, group, i, wm_planner_taken);
    wm_planner_shared(p, &d.step);
}

void wm_shared_shares_spread(struct wm_planner *p, const struct wm_group *group, const struct wm_shape *shape)
{
    struct wm_draft d;

    if (!wm_draft_begin(p, &d, group, shape->radix, WM_SHARED_ALLGATHER, 0))
        return;
    draft_shares(p, &d, group);
    d.from[0] = share_place(p, group, group->self, wm_planner_given);
    for (int i = 0; i < group->size; i++)
        d.to[i] = share_place(p, group, i, i == group->self ? wm_planner_settled : wm_planner_taken);
    wm_planner_shared(p, &d.step);
}

void wm_shared_shares_combine(struct wm_planner *p, const struct wm_group *group, const struct wm_shape *shape,
                              bool ordered)
{
    struct wm_flow *flow = wm_planner_flow(p);
    struct wm_share own = wm_planner_share(p, group, flow, group->self, group->self + 1);
    struct wm_draft d;

    (void)ordered;
    if (flow->value.run_count != 1 || !wm_draft_begin(p, &d, group, shape->radix, WM_SHARED_REDUCE_SCATTER, 0))
        return;
    for (int i = 0; i < group->size; i++) {
        struct wm_share share = wm_planner_share(p, group, flow, i, i + 1);

        d.counts[i] = share.count;
        d.from[i] = flow->value.runs[0].at;
        d.from[i].offset += share.delta;
    }
    d.to[0] = wm_planner_combined(p, group, flow->offset + own.delta, own.count);
    wm_planner_shared(p, &d.step);
    flow->value = combined_value(p, group, d.to[0]);
}
