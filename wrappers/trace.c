/* trace: record when a call enters and leaves the rest of the path, and every message and reduction inside. */
#include "wrappers/parameters.h"
#include "core/path/design.h"
#include "core/path/message_design.h"
#include "core/plan/planner.h"

static int plan(const struct wm_wrapper *self, struct wm_planner *p)
{
    struct wm_mark mark = wm_planner_enter(p);

    (void)self;
    wm_planner_next(p);
    wm_planner_leave(p, mark);
    return 0;
}

static int convey(const struct wm_wrapper *self, struct wm_convey_design *design, struct wm_error *error)
{
    (void)error;
    design->traced = true;
    design->trace_node = self->node;
    return 0;
}

static void message(const struct wm_wrapper *self, struct wm_message_design *design)
{
    design->traced = true;
    design->trace_node = self->node;
}

static const struct wm_param params[] = {
    {.name = "label", .type = WM_PARAM_LABEL, .positional = true, .help = "a name for the report"},
};

const struct wm_wrapper_class wm_wrapper_trace = {
    .name = "trace",
    .summary =
        "record when calls enter and leave the rest of the path, and each message inside; free when tracing is off",
    .source = "EventSpace: Bongo, Anshus, Bjørndalen, \"EventSpace\", 2003",
    .services = {{.operations = WM_EVERY_COLLECTIVE, .plan = plan},
                 {.operations = WM_OPERATION_BIT(WM_CONVEYOR), .convey = convey},
                 {.operations = WM_MESSAGE_BITS, .message = message}},
    .role = WM_ROLE_TRACE,
    .params = params,
    .param_count = sizeof params / sizeof params[0],
};
