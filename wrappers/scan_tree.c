/* Scan along a tree: sums of subtrees go up, prefixes come down. */
#include "wrappers/scan.h"

struct branch {
    int parent, child_count;
    int *children; /* in the order of members */
    bool wanted;   /* the parent needs the sum of this subtree: somebody comes behind it */
    int window;    /* messages that the root of a flat tree has under way each way, 0: all */
    int *sent, *received;
    struct wm_ref *before; /* before[i]: the sum of this member and of the subtrees of its first i children */
};

static int find_children(const struct wm_shape *shape, int size, int member, int *children)
{
    int count = wm_shape_children(shape, size, 0, member, children);

    for (int i = 1; i < count; i++)
        for (int j = i; j > 0 && children[j] < children[j - 1]; j--) {
            int swap = children[j];

            children[j] = children[j - 1];
            children[j - 1] = swap;
        }
    return count;
}

/* The last member of a subtree, which is a range in all trees that scan. */
static int last_below(const struct wm_shape *shape, int size, int member)
{
    long weight = 1;

    if (member == 0 || shape->kind == WM_SHAPE_CHAIN)
        return size - 1;
    if (shape->kind == WM_SHAPE_FLAT)
        return member;
    while (member / weight % shape->radix == 0)
        weight *= shape->radix;
    return (int)(member + weight < size ? member + weight : size) - 1;
}

static bool find_branch(struct wm_planner *p, const struct wm_scan *s, const struct wm_shape *shape, struct branch *b)
{
    int size = s->group->size, self = s->group->self;
    int most = wm_shape_children_most(shape, size, 0, self);
    int *lists = wm_planner_allocate(p, sizeof *lists * (size_t)(3 * most + 1));

    *b = (struct branch){.children = lists, .sent = lists + most, .received = lists + 2 * most};
    if (lists == NULL)
        return false;
    b->wanted = last_below(shape, size, self) < size - 1;
    b->parent = wm_shape_parent(shape, size, 0, self);
    b->child_count = find_children(shape, size, self, b->children);
    b->window = shape->kind == WM_SHAPE_FLAT ? shape->radix : 0;
    b->before = wm_planner_allocate(p, sizeof *b->before * (size_t)(b->child_count + 1));
    if (b->before != NULL)
        b->before[0] = s->own;
    return b->before != NULL;
}

static int earlier_step(const struct branch *b, const int *steps, int i)
{
    return b->window > 0 && i >= b->window ? steps[i - b->window] : -1;
}

static void send_down(struct wm_planner *p, const struct wm_scan *s, struct branch *b, int child, struct wm_ref prefix)
{
    wm_planner_after(p, earlier_step(b, b->sent, child));
    b->sent[child] = wm_planner_send(p, s->group->members[b->children[child]], prefix, s->count);
}

/* Sums of the children's subtrees; nobody wants the last one's, unless the parent wants the whole. At the root what is
 * before a child is its prefix. */
static void go_up(struct wm_planner *p, const struct wm_scan *s, struct branch *b)
{
    bool root = b->parent < 0;
    int taken = b->wanted ? b->child_count : b->child_count - 1;

    if (root && b->child_count > 0)
        send_down(p, s, b, 0, s->own);
    for (int i = 0; i < taken; i++) {
        struct wm_ref sum = root ? wm_planner_arrival(p, s->count) : wm_planner_temporary(p, s->count);

        wm_planner_after(p, earlier_step(b, b->received, i));
        b->received[i] = wm_planner_recv(p, s->group->members[b->children[i]], sum, s->count);
        wm_planner_reduce(p, b->before[i], sum, s->count, true);
        b->before[i + 1] = sum;
        if (root)
            send_down(p, s, b, i + 1, sum);
    }
    if (b->wanted)
        wm_planner_send(p, s->group->members[b->parent], b->before[b->child_count], s->count);
}

/* The farthest child, with the deepest subtree, first. */
static void go_down(struct wm_planner *p, struct wm_scan *s, struct branch *b)
{
    struct wm_ref prefix = s->inclusive ? wm_planner_arrival(p, s->count) : s->home;

    wm_planner_recv(p, s->group->members[b->parent], prefix, s->count);
    for (int i = b->child_count - 1; i > 0; i--) {
        wm_planner_reduce(p, prefix, b->before[i], s->count, true);
        send_down(p, s, b, i, b->before[i]);
    }
    if (s->inclusive)
        wm_planner_reduce(p, prefix, s->home, s->count, true);
    else if (s->total || b->child_count > 0)
        s->sum = wm_scan_sum(p, s);
    if (b->child_count > 0)
        send_down(p, s, b, 0, s->inclusive ? s->home : s->sum);
}

void wm_scan_tree(struct wm_planner *p, struct wm_scan *s, const struct wm_shape *shape)
{
    struct branch b;

    if (!find_branch(p, s, shape, &b))
        return;
    go_up(p, s, &b);
    if (b.parent >= 0)
        go_down(p, s, &b);
    else
        s->sum = s->own;
}
