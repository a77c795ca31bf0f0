/* `gather` in an alltoall: one member of each group gets all that its members have for others and goes on; on the way
 * out it deals what has come for them. So the ranks of a node send as one, in larger messages: with c members that
 * bring m bytes each, in and out by a flat tree 2 ((c-1) α + (c-1) m β), and the next stage has c² blocks in a message
 * instead of one. In a tree of several levels blocks are passed on, once a level. Groups need not be alike. Open MPI
 * pull request #12387 (han: alltoall by leaders). */
#include "wrappers/alltoall.h"
#include "wrappers/shared.h"

enum { UNKNOWN = -2 };

/* The member's place in the tree, and for each other below which of its children that is, -1: not below. */
struct family {
    int parent, child_count;
    int *children, *branch;
};

/* Members are met on the way up to whoever is known. */
static int find_branch(const struct wm_group *group, const struct wm_shape *shape, int root, int *branch, int member)
{
    int parent;

    if (branch[member] != UNKNOWN)
        return branch[member];
    parent = wm_shape_parent(shape, group->size, root, member);
    if (parent == group->self)
        branch[member] = member;
    else
        branch[member] = parent < 0 ? -1 : find_branch(group, shape, root, branch, parent);
    return branch[member];
}

static bool find_family(struct wm_planner *p, const struct wm_group *group, const struct wm_shape *shape,
                        struct family *f)
{
    int root = group->leader, n = group->size;

    f->children = wm_planner_allocate(p, sizeof(int) * (size_t)n);
    f->branch = wm_planner_allocate(p, sizeof(int) * (size_t)n);
    if (f->children == NULL || f->branch == NULL)
        return false;
    f->parent = wm_shape_parent(shape, n, root, group->self);
    f->child_count = wm_shape_children(shape, n, root, group->self, f->children);
    for (int m = 0; m < n; m++)
        f->branch[m] = m == group->self ? -1 : UNKNOWN;
    for (int m = 0; m < n; m++)
        find_branch(group, shape, root, f->branch, m);
    return true;
}

/* Origins, or destinations, of all members below a child; of the whole subtree, self included, for child -1. */
static struct wm_ranks of_branch(struct wm_planner *p, const struct wm_group *group, const struct family *f, int child,
                                 struct wm_ranks (*of)(struct wm_planner *, const struct wm_group *, int))
{
    struct wm_ranks *lists = wm_planner_allocate(p, sizeof *lists * (size_t)group->size);
    int count = 0;

    for (int m = 0; m < group->size && lists != NULL; m++)
        if (child >= 0 ? f->branch[m] == child : f->branch[m] >= 0 || m == group->self)
            lists[count++] = of(p, group, m);
    return wm_ranks_unite(p, lists, count);
}

static void give(struct wm_planner *p, int peer, const struct wm_matrix *m, struct wm_bundle bundle)
{
    struct wm_ref at;
    size_t units;

    wm_parcel_add(p, m, &bundle);
    at = wm_parcel_place(p, &units);
    wm_planner_send(p, peer, at, units);
}

static void take(struct wm_planner *p, int peer, struct wm_matrix *m, struct wm_bundle bundle)
{
    size_t units;
    struct wm_ref at = wm_parcel_room(p, &bundle, 1, &units);

    wm_planner_recv(p, peer, at, units);
    wm_matrix_put(p, m, &bundle, &at);
}

/* Rows go up. The smallest subtrees are ready first. */
static void gather_rows(struct wm_planner *p, const struct wm_group *group, const struct family *f)
{
    const struct wm_matrix *held = wm_matrix_get(p);
    struct wm_bundle rows = {of_branch(p, group, f, -1, wm_matrix_origins), held->blocks.destinations};
    struct wm_matrix *all = wm_matrix_new(p, rows, held);

    for (int i = f->child_count - 1; i >= 0 && all != NULL; i--) {
        struct wm_bundle branch = {of_branch(p, group, f, f->children[i], wm_matrix_origins), rows.destinations};

        take(p, group->members[f->children[i]], all, branch);
    }
    if (f->parent >= 0 && all != NULL)
        give(p, group->members[f->parent], all, rows);
    wm_matrix_set(p, all);
}

/* Columns come down. */
static void deal_columns(struct wm_planner *p, const struct wm_group *group, const struct family *f)
{
    struct wm_bundle columns = {wm_ranks_all(p), of_branch(p, group, f, -1, wm_matrix_destinations)};
    struct wm_matrix *all = wm_matrix_new(p, columns, f->parent < 0 ? wm_matrix_get(p) : NULL);

    if (f->parent >= 0 && all != NULL)
        take(p, group->members[f->parent], all, columns);
    for (int i = 0; i < f->child_count && all != NULL; i++) {
        struct wm_bundle branch = {columns.origins, of_branch(p, group, f, f->children[i], wm_matrix_destinations)};

        give(p, group->members[f->children[i]], all, branch);
    }
    columns.destinations = wm_matrix_destinations(p, group, group->self);
    wm_matrix_set(p, wm_matrix_new(p, columns, all));
}

/* In shared memory: rows to the leader at once, columns from it. */
static void share_rows(struct wm_planner *p, const struct wm_group *group, int fan)
{
    const struct wm_matrix *held = wm_matrix_get(p);
    struct wm_ranks *origins = wm_planner_allocate(p, sizeof *origins * (size_t)group->size);
    struct wm_matrix *all = NULL;
    struct wm_draft d;

    if (origins == NULL || !wm_draft_begin(p, &d, group, fan, WM_SHARED_GATHER, group->leader))
        return;
    for (int m = 0; m < group->size; m++) {
        struct wm_bundle rows = {origins[m] = wm_matrix_origins(p, group, m), held->blocks.destinations};

        d.counts[m] = wm_bundle_units(p, &rows);
        if (m != group->self || m == group->leader)
            continue;
        wm_parcel_add(p, held, &rows);
        d.from[0] = wm_parcel_place(p, &d.counts[m]);
    }
    if (group->self == group->leader)
        all = wm_matrix_new(p, (struct wm_bundle){wm_ranks_unite(p, origins, group->size), held->blocks.destinations},
                            held);
    for (int m = 0; m < group->size && all != NULL; m++) {
        struct wm_bundle rows = {origins[m], held->blocks.destinations};
        struct wm_ref at;

        if (m == group->leader)
            continue;
        at = d.to[m] = wm_parcel_room(p, &rows, 1, &d.counts[m]);
        wm_matrix_put(p, all, &rows, &at);
    }
    wm_planner_shared(p, &d.step);
    if (all != NULL)
        wm_matrix_set(p, all);
}

static void share_columns(struct wm_planner *p, const struct wm_group *group, int fan)
{
    struct wm_bundle own = {wm_ranks_all(p), wm_matrix_destinations(p, group, group->self)};
    bool leads = group->self == group->leader;
    struct wm_matrix *column = wm_matrix_new(p, own, leads ? wm_matrix_get(p) : NULL);
    struct wm_draft d;

    if (column == NULL || !wm_draft_begin(p, &d, group, fan, WM_SHARED_SCATTER, group->leader))
        return;
    for (int m = 0; m < group->size; m++) {
        struct wm_bundle columns = {own.origins, wm_matrix_destinations(p, group, m)};

        d.counts[m] = wm_bundle_units(p, &columns);
        if (!leads || m == group->self)
            continue;
        wm_parcel_add(p, wm_matrix_get(p), &columns);
        d.from[m] = wm_parcel_place(p, &d.counts[m]);
    }
    if (!leads) {
        struct wm_ref at = d.to[0] = wm_parcel_room(p, &own, 1, &d.counts[group->self]);

        wm_matrix_put(p, column, &own, &at);
    }
    wm_planner_shared(p, &d.step);
    wm_matrix_set(p, column);
}

static int plan_shared(struct wm_planner *p, const struct wm_group *group, int fan)
{
    share_rows(p, group, fan);
    if (group->self == group->leader)
        wm_planner_next(p);
    share_columns(p, group, fan);
    return 0;
}

int wm_coalesce_plan(const struct wm_wrapper *self, struct wm_planner *p, int param)
{
    struct wm_group group = wm_planner_group(p, self);
    const struct wm_shape *shape;
    struct family f;

    if (group.self < 0)
        return 0;
    shape = wm_shape_to_move(p, self, param, &group);
    if (shape->kind == WM_SHAPE_SHARED)
        return plan_shared(p, &group, shape->radix);
    if (!find_family(p, &group, shape, &f))
        return 0;
    gather_rows(p, &group, &f);
    if (f.parent < 0)
        wm_planner_next(p);
    deal_columns(p, &group, &f);
    return 0;
}
