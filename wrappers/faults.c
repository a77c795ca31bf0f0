/* Parameters that the wrappers of faults share. */
#include "wrappers/faults.h"

int wm_spoil_plan(const struct wm_wrapper *self, struct wm_planner *p, enum wm_fault_kind kind)
{
    const struct wm_fault fault = {.kind = (uint8_t)kind,
                                   .ppm = self->values[WM_SPOIL_SHARE].ppm,
                                   .seed = (uint64_t)self->values[WM_SPOIL_SEED].count,
                                   .line = self->line};

    wm_planner_spoil_messages(p, &fault);
    wm_planner_next(p);
    wm_planner_spoil_messages(p, NULL);
    return 0;
}

int wm_strike_plan(const struct wm_wrapper *self, struct wm_planner *p, enum wm_fault_kind kind)
{
    const struct wm_fault fault = {.kind = (uint8_t)kind,
                                   .rank = (int)self->values[WM_STRIKE_RANK].count,
                                   .after = self->values[WM_STRIKE_AFTER].count,
                                   .line = self->line};

    wm_planner_strike(p, &fault);
    wm_planner_next(p);
    return 0;
}

const struct wm_param wm_spoil_params[WM_SPOIL_PARAMS] = {
    [WM_SPOIL_SHARE] = {.name = "share",
                        .type = WM_PARAM_PERCENT,
                        .positional = true,
                        .required = true,
                        .help = "so many of the messages inside are hit, chosen by chance"},
    [WM_SPOIL_SEED] = {.name = "seed",
                       .type = WM_PARAM_COUNT,
                       .least = 0,
                       .most = INT32_MAX,
                       .fallback = "1",
                       .help = "of chance: the same seed hits the same messages"},
};

const struct wm_param wm_strike_params[WM_STRIKE_PARAMS] = {
    [WM_STRIKE_RANK] = {.name = "rank",
                        .type = WM_PARAM_COUNT,
                        .positional = true,
                        .required = true,
                        .least = 0,
                        .most = INT32_MAX,
                        .help = "the rank in the communicator of the call; where there is none, nothing happens"},
    [WM_STRIKE_AFTER] = {.name = "after",
                         .type = WM_PARAM_COUNT,
                         .least = 0,
                         .most = INT32_MAX,
                         .fallback = "0",
                         .help = "not before so many calls on the communicator"},
};
