/* stop-rank: a rank stops, as by SIGSTOP, when it gets to a call. */
#include "wrappers/faults.h"

static int plan(const struct wm_wrapper *self, struct wm_planner *p)
{
    return wm_strike_plan(self, p, WM_FAULT_STOP);
}

const struct wm_wrapper_class wm_wrapper_stop_rank = {
    .name = "stop-rank",
    .summary = "stop a rank's process on purpose, as SIGSTOP does, when it comes to a call",
    .source = "Hadzilacos, Toueg, 1994: timing failures",
    .services = {{.operations = WM_EVERY_COLLECTIVE, .plan = plan}},
    .role = WM_ROLE_STRIKES,
    .once = true,
    .params = wm_strike_params,
    .param_count = WM_STRIKE_PARAMS,
};
