/* lose: some messages inside are never sent, so that who waits for them waits for ever. */
#include "wrappers/faults.h"

static int plan(const struct wm_wrapper *self, struct wm_planner *p)
{
    return wm_spoil_plan(self, p, WM_FAULT_LOSE);
}

const struct wm_wrapper_class wm_wrapper_lose = {
    .name = "lose",
    .summary = "lose messages on purpose: they are not sent, and who waits for them waits for ever",
    .source = "Hadzilacos, Toueg, \"A modular approach to fault-tolerant broadcasts\", 1994: omission failures",
    .services = {{.operations = WM_EVERY_COLLECTIVE, .plan = plan}},
    .role = WM_ROLE_SPOILS,
    .once = true,
    .params = wm_spoil_params,
    .param_count = WM_SPOIL_PARAMS,
};
