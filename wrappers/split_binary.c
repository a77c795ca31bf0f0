/* Split binary: the members but the root form two binary trees below it; one gets the first half of the block, the
 * other the second, then each exchanges halves with the one at its place in the other tree. An odd one out gets its
 * second half from the root. n members, m bytes: log2 n (α + m/2 β), twice that where a member has two children, and
 * α + m/2 β; to be pipelined by a segment around it.
 * Pješivac-Grbović et al., "Performance Analysis of MPI Collective Operations", 2007. */
#include "wrappers/shapes.h"

/* Members are places counted from the root; the first side holds places 1 … size[0], the second those behind. */
struct split {
    const struct wm_group *group;
    int root, size[2];
    size_t offset[2], count[2]; /* of the halves */
};

/* Rank of the member with number `number` on a side, -1: the root. */
static int rank_at(const struct split *s, int side, int number)
{
    int place = number < 0 ? 0 : 1 + number + (side == 1 ? s->size[0] : 0);

    return s->group->members[(s->root + place) % s->group->size];
}

static void root_spread(struct wm_planner *p, const struct split *s)
{
    for (int side = 0; side < 2; side++)
        if (s->size[side] > 0)
            wm_planner_give(p, rank_at(s, side, 0), s->offset[side], s->count[side]);
    if (s->size[0] > s->size[1])
        wm_planner_give(p, rank_at(s, 0, s->size[0] - 1), s->offset[1], s->count[1]);
}

static void side_spread(struct wm_planner *p, const struct split *s, int side, int number)
{
    int other = 1 - side, partner = number < s->size[other] ? number : -1;

    wm_planner_take(p, rank_at(s, side, number > 0 ? (number - 1) / 2 : -1), s->offset[side], s->count[side]);
    for (int child = 2 * number + 1; child <= 2 * number + 2 && child < s->size[side]; child++)
        wm_planner_give(p, rank_at(s, side, child), s->offset[side], s->count[side]);
    if (partner >= 0)
        wm_planner_give(p, rank_at(s, other, partner), s->offset[side], s->count[side]);
    wm_planner_take(p, rank_at(s, other, partner), s->offset[other], s->count[other]);
}

void wm_split_binary_spread(struct wm_planner *p, const struct wm_group *group, const struct wm_shape *shape, int root)
{
    const struct wm_flow *flow = wm_planner_flow(p);
    int others = group->size - 1, place = (group->self - root + group->size) % group->size;
    size_t first = flow->count - flow->count / 2;
    struct split s = {group,
                      root,
                      {others - others / 2, others / 2},
                      {flow->offset, flow->offset + first},
                      {first, flow->count - first}};

    (void)shape;
    if (place == 0)
        root_spread(p, &s);
    else if (place <= s.size[0])
        side_spread(p, &s, 0, place - 1);
    else
        side_spread(p, &s, 1, place - 1 - s.size[0]);
}
