/* route: over which ranks a conveyor's items go: a hop along each axis named, in order. A rank has as many links as the
 * axes' sizes add up to: p with `all`, nodes + cores with two hops, and with `core node core` 2 cores + nodes/cores. */
#include "core/path/design.h"
#include "wrappers/parameters.h"

static int convey(const struct wm_wrapper *self, struct wm_convey_design *design, struct wm_error *error)
{
    (void)error;
    design->hops = 0;
    for (int i = 0; i < self->class->param_count; i++)
        if (self->values[i].given)
            design->axes[design->hops++] = self->values[i].axis;
    design->route = self;
    design->route_node = self->node;
    return 0;
}

#define HOP_PARAM(which)                                                                                               \
    {                                                                                                                  \
        .name = which, .type = WM_PARAM_AXIS, .positional = true, .help = "the axis of the " which " hop"              \
    }

static const struct wm_param params[WM_CONVEY_HOPS_MAX] = {
    {.name = "first",
     .type = WM_PARAM_AXIS,
     .positional = true,
     .required = true,
     .help = "the axis of the first hop; all stands alone"},
    HOP_PARAM("second"),
    HOP_PARAM("third"),
    HOP_PARAM("fourth"),
};

const struct wm_wrapper_class wm_wrapper_route = {
    .name = "route",
    .summary = "bring a conveyor's items to their ranks in hops along all, along each axis once, or along X Y X",
    .source = "Maley, DeVinney, \"Conveyors for streaming many-to-many communication\", 2019, 4.3",
    .services = {{.operations = WM_OPERATION_BIT(WM_CONVEYOR), .convey = convey}},
    .once = true,
    .params = params,
    .param_count = sizeof params / sizeof params[0],
};
