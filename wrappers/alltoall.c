/* alltoall: every member gives every other what is for the ranks that the other stands for; over several axes in turn,
 * blocks travel together from hop to hop. With n members that hold m bytes each:
 *   flat:      (n-1) α + (n-1)/n m β, all at once, or w sends and receives at a time
 *   pairwise:  the same, in n-1 rounds, each between pairs of members alone, so that no link is shared
 *   shared:    each member reads its parcels where they stand, (n-1)/n m β
 *   bruck:     (k-1) log_k n α + (k-1)/k log_k n m β
 * Over axes of n1 × n2 × … members: the sum, each with all m bytes. One stage of flat or pairwise copies nothing. */
#include "wrappers/alltoall.h"
#include "wrappers/parameters.h"
#include "wrappers/shared.h"

enum { AXIS, SHAPE };

struct wm_bundle wm_exchange_bundle(const struct wm_exchange *e, int from, int to)
{
    return (struct wm_bundle){e->origins[from], e->destinations[to]};
}

/* Steps that the next message waits for, and what became of it. */
static int give(struct wm_planner *p, const struct wm_exchange *e, int to, const int after[2])
{
    struct wm_bundle bundle = wm_exchange_bundle(e, e->group->self, to);
    struct wm_ref at;
    size_t units;

    wm_parcel_add(p, e->held, &bundle);
    at = wm_parcel_place(p, &units);
    wm_planner_after(p, after[0]);
    wm_planner_after(p, after[1]);
    return wm_planner_send(p, e->group->members[to], at, units);
}

static int take(struct wm_planner *p, const struct wm_exchange *e, int from, const int after[2])
{
    struct wm_bundle bundle = wm_exchange_bundle(e, from, e->group->self);
    size_t units;
    struct wm_ref at = wm_parcel_room(p, &bundle, 1, &units);
    int step;

    wm_planner_after(p, after[0]);
    wm_planner_after(p, after[1]);
    step = wm_planner_recv(p, e->group->members[from], at, units);
    wm_matrix_put(p, e->next, &bundle, &at);
    return step;
}

/* The last steps of a kind, of which a window may be under way. */
struct window {
    int size, count; /* size 0: no limit */
    int *steps;
};

static struct window new_window(struct wm_planner *p, int size)
{
    return (struct window){size, 0, wm_planner_allocate(p, sizeof(int) * (size_t)(size + 1))};
}

static int window_front(const struct window *w)
{
    return w->size > 0 && w->steps != NULL && w->count >= w->size ? w->steps[w->count % w->size] : -1;
}

static void window_add(struct window *w, int step)
{
    if (step >= 0 && w->size > 0 && w->steps != NULL)
        w->steps[w->count++ % w->size] = step;
}

/* Members are taken in turn from the neighbour on, so that none is everyone's first. */
void wm_alltoall_flat(struct wm_planner *p, const struct wm_exchange *e)
{
    int n = e->group->size, self = e->group->self;
    struct window sends = new_window(p, e->number), receives = new_window(p, e->number);

    for (int step = 1; step < n; step++) {
        window_add(&sends, give(p, e, (self + step) % n, (int[]){window_front(&sends), -1}));
        window_add(&receives, take(p, e, (self + n - step) % n, (int[]){window_front(&receives), -1}));
    }
}

/* A round begins when the one before is over. The two partners are one where the number of members is a power of 2. */
void wm_alltoall_pairwise(struct wm_planner *p, const struct wm_exchange *e)
{
    int n = e->group->size, self = e->group->self;
    bool power = (n & (n - 1)) == 0;
    int before[2] = {-1, -1};

    for (int round = 1; round < n; round++) {
        int to = power ? self ^ round : (self + round) % n, from = power ? to : (self + n - round) % n;
        int sent = give(p, e, to, before), received = take(p, e, from, before);

        before[0] = sent >= 0 ? sent : before[0];
        before[1] = received >= 0 ? received : before[1];
    }
}

/* What each member gives each other is alike. */
static bool is_even(const struct wm_exchange *e)
{
    for (int m = 1; m < e->group->size; m++)
        if (e->origins[m].count != e->origins[0].count || e->destinations[m].count != e->destinations[0].count)
            return false;
    return true;
}

/* All parcels are made up before any place is taken. */
void wm_alltoall_shared(struct wm_planner *p, const struct wm_exchange *e)
{
    int n = e->group->size, self = e->group->self;
    struct wm_draft d;

    if (!wm_draft_begin(p, &d, e->group, e->number, WM_SHARED_ALLTOALL, 0))
        return;
    for (int m = 0; m < n; m++) {
        struct wm_bundle bundle = wm_exchange_bundle(e, self, m);

        if (m == self)
            continue;
        wm_parcel_add(p, e->held, &bundle);
        d.from[m] = wm_parcel_place(p, &d.counts[m]);
        d.counts[self] = d.counts[m];
    }
    for (int m = 0; m < n; m++) {
        struct wm_bundle bundle = wm_exchange_bundle(e, m, self);
        struct wm_ref at;
        size_t units;

        if (m == self)
            continue;
        at = d.to[m] = wm_parcel_room(p, &bundle, 1, &units);
        wm_matrix_put(p, e->next, &bundle, &at);
    }
    wm_planner_shared(p, &d.step);
}

static int plan(const struct wm_wrapper *self, struct wm_planner *p)
{
    struct wm_group group = wm_planner_group(p, self);
    struct wm_exchange e = {.group = &group, .held = wm_matrix_get(p)};
    const struct wm_shape *shape;
    struct wm_ranks *origins, *destinations;

    if (group.self < 0)
        return 0;
    origins = wm_planner_allocate(p, sizeof *origins * (size_t)group.size);
    destinations = wm_planner_allocate(p, sizeof *destinations * (size_t)group.size);
    for (int m = 0; m < group.size && origins != NULL && destinations != NULL; m++) {
        origins[m] = wm_matrix_origins(p, &group, m);
        destinations[m] = wm_matrix_destinations(p, &group, m);
    }
    if (origins == NULL || destinations == NULL)
        return 0;
    e.origins = origins;
    e.destinations = destinations;
    e.next =
        wm_matrix_new(p, (struct wm_bundle){wm_ranks_unite(p, origins, group.size), destinations[group.self]}, e.held);
    if (e.next == NULL)
        return 0;
    shape = wm_shape_to_move(p, self, SHAPE, &group);
    if (shape->kind == WM_SHAPE_SHARED && !is_even(&e))
        shape = wm_shape_plain(WM_SHAPE_FLAT);
    e.number = shape->radix;
    wm_shape_class(shape, WM_SHAPE_EXCHANGES)->exchange(p, &e);
    wm_matrix_set(p, e.next);
    wm_planner_next(p);
    return 0;
}

static const struct wm_param params[] = {
    [AXIS] = WM_AXIS_PARAM,
    [SHAPE] = WM_SHAPE_PARAM("flat", WM_SHAPE_EXCHANGES),
};

const struct wm_wrapper_class wm_wrapper_alltoall = {
    .name = "alltoall",
    .summary = "every member gives every other what is for the ranks that the other stands for; all go on",
    .source = "Bruck et al., \"Efficient Algorithms for All-to-All Communications in Multiport Message-Passing "
              "Systems\", 1997; Thakur, Rabenseifner, Gropp, 2005, 4.3",
    .services = {{WM_ALLTOALL_BITS, WM_STAGE_SHARD, plan}},
    .params = params,
    .param_count = sizeof params / sizeof params[0],
};
