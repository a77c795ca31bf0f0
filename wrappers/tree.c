/* Trees: combining towards a root, spreading from it, scattering and gathering shares along it.
 * n members, m bytes of all, height h. Combine, spread: h (α + m β [+ m γ]), and (c - 1) m β more where a member has c
 * children. Gather, scatter: h α + (n-1)/n m β. Flat with W at a time: (n-1)/W α + the same; the root alone waits, each
 * message for the one W before it, so the others' messages cannot wait for one another. W = 1 is the sequential gather
 * and barrier of Pješivac-Grbović et al., 2007. */
#include "wrappers/shapes.h"

#include <stdlib.h>
#include <string.h>
#include "core/error.h"

struct family {
    int parent; /* -1: this member is the root */
    int child_count;
    int *children;
};

/* How many messages the root has under way. */
static struct wm_window make_window(struct wm_planner *p, const struct wm_group *group, const struct wm_shape *shape)
{
    return wm_window_make(p, group, shape->kind == WM_SHAPE_FLAT ? shape->radix : 0);
}

static struct family find_family(struct wm_planner *p, const struct wm_group *group, const struct wm_shape *shape,
                                 int root)
{
    int most = wm_shape_children_most(shape, group->size, root, group->self);
    struct family f = {-1, 0, wm_planner_allocate(p, sizeof(int) * (size_t)most)};

    if (f.children == NULL)
        return f;
    f.parent = wm_shape_parent(shape, group->size, root, group->self);
    f.child_count = wm_shape_children(shape, group->size, root, group->self, f.children);
    return f;
}

/* A member and all below it, in the order of members. */
struct subtree {
    int count, room;
    int *members;
};

static bool make_room(struct wm_planner *p, struct subtree *s, int count)
{
    int *members;

    if (count <= s->room)
        return true;
    s->room = 2 * count;
    members = wm_planner_allocate(p, sizeof *members * (size_t)s->room);
    if (members != NULL && s->count > 0)
        memcpy(members, s->members, sizeof *members * (size_t)s->count);
    s->members = members;
    return members != NULL;
}

static int compare_members(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* None of no memory. */
static struct subtree find_subtree(struct wm_planner *p, const struct wm_group *group, const struct wm_shape *shape,
                                   int root, int member)
{
    struct subtree s = {0};

    if (!make_room(p, &s, 1))
        return s;
    s.members[s.count++] = member;
    for (int i = 0; i < s.count; i++) {
        int above = s.members[i];

        if (!make_room(p, &s, s.count + wm_shape_children_most(shape, group->size, root, above)))
            return (struct subtree){0};
        s.count += wm_shape_children(shape, group->size, root, above, &s.members[s.count]);
    }
    qsort(s.members, (size_t)s.count, sizeof *s.members, compare_members);
    return s;
}

static const struct wm_rank_set *subtree_set(struct wm_planner *p, const struct wm_group *group,
                                             const struct wm_shape *shape, int root, int member)
{
    struct wm_rank_set *set = wm_planner_set_new(p);
    struct subtree s = {0};

    if (set != NULL)
        s = find_subtree(p, group, shape, root, member);
    for (int i = 0; i < s.count; i++)
        wm_planner_set_add(p, set, group, s.members[i], s.members[i] + 1);
    return set;
}

/* In which order messages are taken where it is fixed: the smallest subtrees are ready first; in a flat tree all are
 * alike, and the order is that of members. */
static int child_in_turn(const struct family *f, const struct wm_shape *shape, int turn)
{
    return f->children[shape->kind == WM_SHAPE_FLAT ? turn : f->child_count - 1 - turn];
}

/* With several children the member's own value goes home before, so that any of them may be the first to be combined
 * with it. */
void wm_tree_combine(struct wm_planner *p, const struct wm_group *group, const struct wm_shape *shape, int root,
                     bool ordered)
{
    struct wm_flow *flow = wm_planner_flow(p);
    struct family f = find_family(p, group, shape, root);
    struct wm_window window = make_window(p, group, shape);

    if (f.child_count > 1 && !ordered && wm_planner_call(p)->commutative)
        wm_value_settle(p, &flow->value, flow->offset, flow->count);
    for (int turn = 0; turn < f.child_count; turn++) {
        int child = child_in_turn(&f, shape, turn);

        wm_window_open(p, &window, flow->count);
        wm_window_pass(&window, wm_value_merge(p, &flow->value, flow->offset, flow->count, group->members[child],
                                               subtree_set(p, group, shape, root, child), ordered));
    }
    if (f.parent >= 0)
        wm_value_send(p, &flow->value, flow->count, group->members[f.parent]);
}

void wm_tree_spread(struct wm_planner *p, const struct wm_group *group, const struct wm_shape *shape, int root)
{
    struct wm_flow *flow = wm_planner_flow(p);
    struct family f = find_family(p, group, shape, root);
    struct wm_window window = make_window(p, group, shape);

    if (f.parent >= 0)
        wm_planner_take(p, group->members[f.parent], flow->offset, flow->count);
    for (int i = 0; i < f.child_count; i++) {
        wm_window_open(p, &window, flow->count);
        wm_window_pass(&window, wm_planner_give(p, group->members[f.children[i]], flow->offset, flow->count));
    }
}

/* Move the shares of a subtree, one message for each run of neighbouring members. */
static void move_shares(struct wm_planner *p, const struct wm_group *group, struct subtree s, int peer,
                        struct wm_window *window, int (*move)(struct wm_planner *, int, size_t, size_t))
{
    const struct wm_flow *flow = wm_planner_flow(p);

    for (int low = 0, high; low < s.count; low = high) {
        struct wm_share share;

        for (high = low + 1; high < s.count && s.members[high] == s.members[high - 1] + 1; high++)
            ;
        share = wm_planner_share(p, group, flow, s.members[low], s.members[high - 1] + 1);
        wm_window_open(p, window, share.count);
        wm_window_pass(window, move(p, peer < 0 ? -1 : group->members[peer], flow->offset + share.delta, share.count));
    }
}

static int unite(struct wm_planner *p, int peer, size_t offset, size_t count)
{
    (void)peer;
    wm_planner_unite(p, offset, count);
    return -1;
}

/* A member below whom nobody is deals with its own share alone, and need not know the others'. */
static bool is_alone(const struct family *f, const struct wm_planner *p)
{
    return f->child_count == 0 && !wm_planner_sizes_known(p);
}

void wm_tree_scatter(struct wm_planner *p, const struct wm_group *group, const struct wm_shape *shape, int root)
{
    struct family f = find_family(p, group, shape, root);
    const struct wm_flow *flow = wm_planner_flow(p);
    struct wm_window window = make_window(p, group, shape), none = {0};

    if (f.parent >= 0 && is_alone(&f, p))
        wm_planner_take(p, group->members[f.parent], flow->offset, flow->count);
    else if (f.parent >= 0)
        move_shares(p, group, find_subtree(p, group, shape, root, group->self), f.parent, &none, wm_planner_take);
    for (int i = 0; i < f.child_count; i++)
        move_shares(p, group, find_subtree(p, group, shape, root, f.children[i]), f.children[i], &window,
                    wm_planner_give);
}

void wm_tree_gather(struct wm_planner *p, const struct wm_group *group, const struct wm_shape *shape, int root)
{
    struct family f = find_family(p, group, shape, root);
    const struct wm_flow *flow = wm_planner_flow(p);
    struct wm_window window = make_window(p, group, shape), none = {0};
    struct subtree below;

    if (f.parent >= 0 && is_alone(&f, p)) {
        wm_planner_give(p, group->members[f.parent], flow->offset, flow->count);
        return;
    }
    below = find_subtree(p, group, shape, root, group->self);
    if (f.child_count > 0)
        move_shares(p, group, below, -1, &none, unite);
    for (int turn = 0; turn < f.child_count; turn++) {
        int child = child_in_turn(&f, shape, turn);

        move_shares(p, group, find_subtree(p, group, shape, root, child), child, &window, wm_planner_take);
    }
    if (f.parent >= 0)
        move_shares(p, group, below, f.parent, &none, wm_planner_give);
}
