/* Scan by dissemination: sums over ever longer windows that end at the member. */
#include "wrappers/scan.h"

/* Give the window at home to those whose windows it continues, then lengthen it to the left, nearest first. */
static void lengthen(struct wm_planner *p, const struct wm_scan *s, int first, int reach, int radix)
{
    const struct wm_group *group = s->group;

    for (int digit = 1; digit < radix && (long)digit * reach < group->size - group->self; digit++)
        wm_planner_send(p, group->members[group->self + digit * reach], s->home, s->count);
    for (int digit = 1; digit < radix && (long)digit * reach <= group->self - first; digit++) {
        struct wm_ref arrived = wm_planner_arrival(p, s->count);

        wm_planner_recv(p, group->members[group->self - digit * reach], arrived, s->count);
        wm_planner_reduce(p, arrived, s->home, s->count, s->ordered);
    }
}

void wm_scan_dissemination(struct wm_planner *p, struct wm_scan *s, const struct wm_shape *shape)
{
    const struct wm_group *group = s->group;
    int first = s->inclusive ? 0 : 1, radix = shape->radix;

    if (!s->inclusive && group->self + 1 < group->size)
        wm_planner_send(p, group->members[group->self + 1], s->own, s->count);
    if (!s->inclusive && group->self > 0)
        wm_planner_recv(p, group->members[group->self - 1], s->home, s->count);
    for (long reach = 1; group->self >= first && reach < group->size - first; reach *= radix)
        lengthen(p, s, first, (int)reach, radix);
    if (s->total)
        s->sum = wm_scan_sum(p, s);
}
