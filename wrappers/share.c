/* Shares: how the members of a group divide a block; and windows on messages. */
#include "wrappers/shapes.h"

const struct wm_rank_set *wm_group_set(struct wm_planner *p, const struct wm_group *group, int low, int high)
{
    struct wm_rank_set *set = wm_planner_set_new(p);

    wm_planner_set_add(p, set, group, low, high);
    return set;
}

void wm_share_enter(struct wm_planner *p, const struct wm_group *group, struct wm_flow *whole)
{
    struct wm_flow *flow = wm_planner_flow(p);
    struct wm_share own = wm_planner_share(p, group, flow, group->self, group->self + 1);

    *whole = *flow;
    flow->offset += own.delta;
    flow->count = own.count;
}

void wm_share_leave(struct wm_planner *p, const struct wm_flow *whole)
{
    struct wm_flow *flow = wm_planner_flow(p);

    *flow = *whole;
    flow->value = wm_value_home(p, flow->offset);
}

struct wm_window wm_window_make(struct wm_planner *p, const struct wm_group *group, int width)
{
    struct wm_window window = {width < group->size ? width : 0, 0, NULL};

    if (window.width > 0)
        window.steps = wm_planner_allocate(p, sizeof *window.steps * (size_t)window.width);
    if (window.steps == NULL)
        window.width = 0;
    return window;
}

void wm_window_open(struct wm_planner *p, const struct wm_window *window, size_t count)
{
    if (window->next >= window->width && window->width > 0 && count > 0)
        wm_planner_after(p, window->steps[window->next % window->width]);
}

void wm_window_pass(struct wm_window *window, int step)
{
    if (window->width > 0)
        window->steps[window->next++ % window->width] = step;
}
