/* aggregate: how items of a conveyor are gathered: a buffer for each next hop, its capacity, how many of them, and when
 * one is sent on. A message of b items costs α + b·β; the capacity makes α small against b·β. */
#include "core/path/design.h"
#include "wrappers/parameters.h"

enum { BYTES, BUFFERS, FLUSH };
enum { FULL, STEADY };

static int convey(const struct wm_wrapper *self, struct wm_convey_design *design, struct wm_error *error)
{
    (void)error;
    design->buffer_bytes = self->values[BYTES].bytes;
    design->buffers = (int)self->values[BUFFERS].count;
    design->steady = self->values[FLUSH].choice == STEADY;
    design->aggregate_node = self->node;
    return 0;
}

static const char *const flushes[] = {[FULL] = "full", [STEADY] = "steady", NULL};

static const struct wm_param params[] = {
    [BYTES] = {.name = "bytes",
               .type = WM_PARAM_BYTES,
               .positional = true,
               .least = 1,
               .most = 1 << 30,
               .fallback = "16384",
               .help = "capacity of a buffer, tags included; it holds one item at least"},
    [BUFFERS] = {.name = "buffers",
                 .type = WM_PARAM_COUNT,
                 .least = 1,
                 .most = WM_CONVEY_BUFFERS_MAX,
                 .fallback = "4",
                 .help = "buffers of a link to another rank, 1 to 64: one is filled, the others are under way"},
    [FLUSH] = {.name = "flush",
               .type = WM_PARAM_CHOICE,
               .fallback = "full",
               .choices = flushes,
               .help = "full: buffers go when they are full, urgent, or the last; steady: also while nothing else is "
                       "under way on their link, so that what was pushed arrives though nobody is done"},
};

const struct wm_wrapper_class wm_wrapper_aggregate = {
    .name = "aggregate",
    .summary = "gather a conveyor's items into a buffer for each next hop",
    .source = "Maley, DeVinney, \"Conveyors for streaming many-to-many communication\", 2019",
    .services = {{.operations = WM_OPERATION_BIT(WM_CONVEYOR), .convey = convey}},
    .once = true,
    .params = params,
    .param_count = sizeof params / sizeof params[0],
};
