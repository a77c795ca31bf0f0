/* kill-rank: a rank dies, as by SIGKILL, when it gets to a call. */
#include "wrappers/faults.h"

static int plan(const struct wm_wrapper *self, struct wm_planner *p)
{
    return wm_strike_plan(self, p, WM_FAULT_KILL);
}

const struct wm_wrapper_class wm_wrapper_kill_rank = {
    .name = "kill-rank",
    .summary = "kill a rank's process on purpose, as SIGKILL does, when it comes to a call",
    .source = "Hadzilacos, Toueg, 1994: crash failures",
    .services = {{.operations = WM_EVERY_COLLECTIVE, .plan = plan}},
    .role = WM_ROLE_STRIKES,
    .once = true,
    .params = wm_strike_params,
    .param_count = WM_STRIKE_PARAMS,
};
