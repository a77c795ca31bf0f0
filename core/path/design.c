/* The design of a conveyor, chosen for a machine or read from a path. */
#include "core/path/design.h"

#include <string.h>

void wm_convey_design_default(struct wm_convey_design *design)
{
    *design = (struct wm_convey_design){.buffer_bytes = WM_CONVEY_BUFFER_BYTES,
                                        .buffers = WM_CONVEY_BUFFERS,
                                        .hops = 1,
                                        .axes = {WM_AXIS_ALL},
                                        .codec = WM_CODEC_NONE,
                                        .inside = WM_CHOOSE_AUTO,
                                        .between = WM_CHOOSE_AUTO};
}

/* Up to so many ranks of a group buffers of the usual size stay in the caches; up to so many in all two hops have few
 * enough links. */
enum { FEW_RANKS = 16, TWO_HOPS_RANKS = 64 };

static void shrink(struct wm_convey_design *d, int buffers)
{
    if (d->buffer_bytes == WM_CONVEY_BUFFER_BYTES) /* nobody asked for it */
        d->buffer_bytes /= 2;
    d->buffers = buffers;
}

/* A route has to name every axis that is not optional. */
static bool are_enough(const struct wm_grid *grid, int core, int node)
{
    bool enough = core >= 0 && node >= 0;

    for (int axis = 0; axis < grid->axis_count; axis++)
        enough &= axis == core || axis == node || grid->axes[axis].optional;
    return enough;
}

void wm_convey_design_suit(struct wm_convey_design *d, const struct wm_grid *grid, bool one_group)
{
    int core = wm_grid_axis_find(grid, "core"), node = wm_grid_axis_find(grid, "node"), axes[] = {core, node, core};

    d->hops = 1;
    d->axes[0] = WM_AXIS_ALL;
    if (!one_group && are_enough(grid, core, node)) {
        d->hops = grid->ranks <= TWO_HOPS_RANKS ? 2 : 3;
        memcpy(d->axes, axes, sizeof axes);
    }
    if (d->hops == 3)
        shrink(d, 1);
    else if (d->hops == 1 && grid->ranks > FEW_RANKS)
        shrink(d, 2);
}

static int place(const struct wm_wrapper *wrapper, int rc, struct wm_error *error)
{
    if (wrapper != NULL)
        wm_error_place(error, NULL, wrapper->line, wrapper->column);
    return rc;
}

static int check_synchrony(const struct wm_convey_design *design, struct wm_error *error)
{
    if (design->synchronous && design->delay != NULL)
        return place(design->delay,
                     wm_error_set(error, -WM_EMAP,
                                  "'delay' cannot hold what 'synchronous' conveyors exchange in bulk; take it out, or "
                                  "name a route"),
                     error);
    if (design->synchrony == NULL)
        return 0;
    if (design->hops > 2)
        return place(design->synchrony,
                     wm_error_set(error, -WM_EMAP,
                                  "'synchronous' exchanges in bulk over one or two hops, but the route has %d; take it "
                                  "out, or name fewer axes",
                                  design->hops),
                     error);
    if (design->steady)
        return place(design->synchrony,
                     wm_error_set(error, -WM_EMAP,
                                  "'synchronous' waits for all ranks, so what was pushed cannot arrive steadily; take "
                                  "it or #:flush 'steady out"),
                     error);
    return 0;
}

/* Hops are named, or exchanged in bulk, by the path alone: along all ranks if it does not say. */
static void forget_hops(struct wm_convey_design *design)
{
    design->synchronous = false;
    design->hops = 1;
    design->axes[0] = WM_AXIS_ALL;
}

static bool names_hops(const struct wm_path *path)
{
    struct wm_convey_design named = {0};
    struct wm_error ignored;

    for (int i = 0; i < path->wrapper_count; i++)
        path->wrappers[i].service->convey(&path->wrappers[i], &named, &ignored);
    return named.route != NULL || named.synchrony != NULL;
}

int wm_convey_design_amend(struct wm_convey_design *design, const struct wm_path *path, struct wm_error *error)
{
    if (names_hops(path))
        forget_hops(design);
    for (int i = 0; i < path->wrapper_count; i++) {
        const struct wm_wrapper *wrapper = &path->wrappers[i];
        int rc = wrapper->service->convey(wrapper, design, error);

        if (rc < 0)
            return place(wrapper, rc, error);
    }
    return check_synchrony(design, error);
}

int wm_convey_design_read(struct wm_convey_design *design, const struct wm_path *path, struct wm_error *error)
{
    wm_convey_design_default(design);
    return wm_convey_design_amend(design, path, error);
}

void wm_convey_design_hold(struct wm_convey_design *design, const struct wm_grid *grid)
{
    design->apart = design->delay != NULL ? wm_lag_groups(&design->lag, grid) : NULL;
}

int wm_convey_design_make(struct wm_convey_design *design, const struct wm_path *path, const struct wm_grid *grid,
                          struct wm_error *error)
{
    wm_convey_design_default(design);
    wm_convey_design_suit(design, grid, wm_grid_is_one_node(grid));
    if (wm_convey_design_amend(design, path, error) < 0)
        return -WM_EMAP;
    wm_convey_design_hold(design, grid);
    return 0;
}
