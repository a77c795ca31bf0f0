/* native: the MPI library's own collective; nothing may follow it. */
#include "wrappers/parameters.h"
#include "core/plan/planner.h"

static int plan(const struct wm_wrapper *self, struct wm_planner *p)
{
    (void)self;
    wm_planner_native(p);
    return 0;
}

const struct wm_wrapper_class wm_wrapper_native = {
    .name = "native",
    .summary = "the MPI library's own collective",
    .source = "MPI-3.1 5",
    .services = {{WM_EVERY_COLLECTIVE, WM_STAGE_NONE, plan}},
    .role = WM_ROLE_NATIVE,
};
