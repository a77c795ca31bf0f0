/* The design of a conveyor, read from a path. */
#include "core/path/design.h"

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

static int place(const struct wm_wrapper *wrapper, int rc, struct wm_error *error)
{
    if (wrapper != NULL)
        wm_error_place(error, NULL, wrapper->line, wrapper->column);
    return rc;
}

static int check_synchrony(const struct wm_convey_design *design, struct wm_error *error)
{
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
