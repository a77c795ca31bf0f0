/* flip: a bit of some messages inside is changed when they arrive. */
#include "wrappers/faults.h"

static int plan(const struct wm_wrapper *self, struct wm_planner *p)
{
    return wm_spoil_plan(self, p, WM_FAULT_FLIP);
}

const struct wm_wrapper_class wm_wrapper_flip = {
    .name = "flip",
    .summary = "change a bit of messages on purpose, as they arrive",
    .source = "Fiala et al., \"Detection and correction of silent data corruption\", 2012 (RedMPI)",
    .services = {{.operations = WM_EVERY_COLLECTIVE, .plan = plan}},
    .role = WM_ROLE_SPOILS,
    .once = true,
    .params = wm_spoil_params,
    .param_count = WM_SPOIL_PARAMS,
};
