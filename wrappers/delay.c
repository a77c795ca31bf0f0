/* delay: what crosses an axis inside it is held until it would have come over a slow network (core/path/lag.h). A
 * message of m bytes is due no sooner than L + m / rate after it was sent. */
#include "core/path/design.h"
#include "core/path/lag.h"
#include "core/path/message_design.h"
#include "core/plan/planner.h"
#include "wrappers/parameters.h"

static int plan(const struct wm_wrapper *self, struct wm_planner *p)
{
    wm_planner_hold_messages(p, self);
    wm_planner_next(p);
    wm_planner_hold_messages(p, NULL);
    return 0;
}

static int convey(const struct wm_wrapper *self, struct wm_convey_design *design, struct wm_error *error)
{
    (void)error;
    design->delay = self;
    design->lag = wm_lag_of(self);
    return 0;
}

static void message(const struct wm_wrapper *self, struct wm_message_design *design)
{
    design->delay = self;
    design->lag = wm_lag_of(self);
}

static const struct wm_param params[] = {
    [WM_LAG_TIME] = {.name = "time",
                     .type = WM_PARAM_TIME,
                     .positional = true,
                     .required = true,
                     .help = "the network's latency: from when a message has left its sender until it is there"},
    [WM_LAG_AXIS] = {.name = "axis",
                     .type = WM_PARAM_AXIS,
                     .required = true,
                     .help = "messages between ranks of different groups on this axis are held; all: between any two"},
    [WM_LAG_MBIT] = {.name = "mbit",
                     .type = WM_PARAM_COUNT,
                     .least = 1,
                     .most = 1000000,
                     .help = "the rate of each process's link to the network, in 10^6 bits a second: its messages "
                             "leave one after another; not given: they take no time to leave"},
    [WM_LAG_JITTER] = {.name = "jitter",
                       .type = WM_PARAM_PERCENT,
                       .fallback = "0%",
                       .help = "each message's latency is longer or shorter, by at most so much of it"},
    [WM_LAG_SEED] = {.name = "seed",
                     .type = WM_PARAM_COUNT,
                     .least = 0,
                     .most = INT32_MAX,
                     .fallback = "1",
                     .help = "of jitter: the same seed gives the same message of a pair of ranks the same latency"},
};

const struct wm_wrapper_class wm_wrapper_delay = {
    .name = "delay",
    .summary = "emulate a slow network: hold what crosses an axis inside until it would have come",
    .source = "Culler et al., \"LogP\", 1993; Martin, \"Overlapping Communication with Computation\", 2018: its "
              "emulated latencies",
    .services = {{.operations = WM_EVERY_COLLECTIVE, .plan = plan},
                 {.operations = WM_OPERATION_BIT(WM_CONVEYOR), .convey = convey},
                 {.operations = WM_MESSAGE_BITS, .message = message}},
    .role = WM_ROLE_DELAY,
    .once = true,
    .params = params,
    .param_count = sizeof params / sizeof params[0],
};
