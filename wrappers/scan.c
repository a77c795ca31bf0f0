/* scan: every member learns what all members before it, and in MPI_Scan itself, hold together. In: prefixes within the
 * group, whose last member goes on with the total; further stages scan totals, exclusively. Out: the prefix of all
 * earlier groups is broadcast from the last member and combined on the left by everyone: h (α + m β) + m γ along a tree
 * of height h. Costs of the way in: wrappers/scan.h. */
#include "wrappers/scan.h"
#include "wrappers/parameters.h"
#include "wrappers/shapes.h"

enum { AXIS, SHAPE, ORDER, OUT };

static bool same_place(struct wm_ref a, struct wm_ref b)
{
    return a.buffer == b.buffer && a.offset == b.offset;
}

static struct wm_ref copy_apart(struct wm_planner *p, struct wm_ref from, size_t count)
{
    struct wm_ref to = wm_planner_temporary(p, count);

    wm_planner_copy(p, from, to, count);
    return to;
}

struct wm_ref wm_scan_sum(struct wm_planner *p, struct wm_scan *s)
{
    if (s->group->self == 0)
        return s->own;
    if (!s->spare)
        s->own = copy_apart(p, s->own, s->count);
    s->spare = true;
    wm_planner_reduce(p, s->home, s->own, s->count, true);
    return s->own;
}

/* Make room at home: for an inclusive prefix the own contribution begins it, for an exclusive one it must leave. A
 * shared step does so by itself, but the own contribution may be wanted once more. */
static void begin(struct wm_planner *p, struct wm_scan *s, bool shared)
{
    bool in_place = same_place(s->own, s->home);

    if (s->inclusive && !in_place && !shared)
        wm_planner_copy(p, s->own, s->home, s->count);
    if (!s->inclusive && in_place && s->group->self > 0 && (s->total || !shared)) {
        s->own = copy_apart(p, s->own, s->count);
        s->spare = true;
    }
}

/* Let the last member fetch the prefix of all earlier groups from the stages to come, spread it, and put it on the left
 * of what stands at home; where nothing does, it comes there itself. */
static void fetch_earlier(struct wm_planner *p, struct wm_scan *s, const struct wm_shape *out, bool has)
{
    const struct wm_group *group = s->group;
    struct wm_flow *flow = wm_planner_flow(p);
    bool leads = group->self == group->leader, apart = has && (leads || group->live);
    struct wm_home home = {-1, 0};
    struct wm_ref earlier;

    if (apart)
        home = wm_planner_home_apart(p);
    if (leads) {
        flow->value.runs[0].at = s->inclusive ? s->home : s->sum;
        wm_planner_next(p);
    }
    if (group->live)
        wm_rooted_spread(p, group, out, group->leader);
    if (!apart)
        return;
    earlier = wm_planner_home(p, flow->offset);
    wm_planner_home_back(p, home);
    if (group->live)
        wm_planner_reduce(p, earlier, s->home, s->count, true);
}

static int plan(const struct wm_wrapper *self, struct wm_planner *p)
{
    struct wm_group group = wm_planner_group(p, self);
    struct wm_flow *flow = wm_planner_flow(p);
    const struct wm_shape *shape = wm_shape_to_scan(p, self, SHAPE, &group);
    bool last = wm_planner_is_last_stage(p, self), has;
    struct wm_scan s = {
        .group = &group,
        .count = flow->count,
        .home = wm_planner_home(p, flow->offset),
        .inclusive = wm_planner_call(p)->operation == WM_SCAN && group.stage->number == 0,
        .ordered = self->values[ORDER].choice == WM_ORDER_RANK || !wm_planner_call(p)->commutative,
    };

    if (group.self < 0 || flow->value.run_count != 1)
        return 0;
    s.own = flow->value.runs[0].at;
    s.total = !last && !s.inclusive && group.self == group.leader;
    has = s.inclusive || group.self > 0;
    begin(p, &s, shape->kind == WM_SHAPE_SHARED);
    wm_shape_class(shape, WM_SHAPE_SCANS)->scan(p, &s, shape);
    if (!last) {
        fetch_earlier(p, &s, wm_shape_to_move(p, self, OUT, &group), has);
    } else if (group.self == group.leader) {
        flow->value.run_count = 0;
        wm_planner_next(p);
    }
    flow->value.run_count = 0;
    if (has || (!last && group.live))
        flow->value = wm_value_home(p, flow->offset);
    return 0;
}

static const struct wm_param params[] = {
    [AXIS] = WM_AXIS_PARAM,
    [SHAPE] = WM_SHAPE_PARAM("butterfly", WM_SHAPE_SCANS),
    [ORDER] = WM_ORDER_PARAM,
    [OUT] = {.name = "out",
             .type = WM_PARAM_SHAPE,
             .fallback = "binomial",
             .shapes = WM_SHAPE_RETURNS,
             .help = "who talks to whom on the way out, when the prefix of earlier groups is spread"},
};

const struct wm_wrapper_class wm_wrapper_scan = {
    .name = "scan",
    .summary = "every member gets what those before it hold together; the last goes on with the total, and on the way "
               "out all put the earlier groups' before theirs",
    .source = "MPI-3.1 5.11; Sanders, Träff, \"Parallel Prefix (Scan) Algorithms for MPI\", 2006",
    .services = {{WM_SCAN_BITS, WM_STAGE_FOLD, plan}},
    .params = params,
    .param_count = sizeof params / sizeof params[0],
};
