/* aggregate: how items of a conveyor are gathered: a buffer for each next hop, its capacity, how many of them, and when
 * one is sent on. A message of b items costs α + b·β; the capacity makes α small against b·β. In a path of messages:
 * small ones to a peer that go by MPI are put together. */
#include "core/path/design.h"
#include "core/path/message_design.h"
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

static void message(const struct wm_wrapper *self, struct wm_message_design *design)
{
    design->gather_bytes = self->values[BYTES].bytes;
}

static const char *const flushes[] = {[FULL] = "full", [STEADY] = "steady", NULL};

static const struct wm_param params[] = {
    [BYTES] = {.name = "bytes",
               .type = WM_PARAM_BYTES,
               .positional = true,
               .least = 1,
               .most = 1 << 30,
               .fallback = "16384",
               .help =
                   "conveyor: capacity of a buffer, tags included; it holds one item at least; messages: what is sent "
                   "at once, 32KiB at most"},
    [BUFFERS] = {.name = "buffers",
                 .type = WM_PARAM_COUNT,
                 .least = 1,
                 .most = WM_CONVEY_BUFFERS_MAX,
                 .fallback = "4",
                 .operations = WM_OPERATION_BIT(WM_CONVEYOR),
                 .help = "buffers of a link to another rank, 1 to 64: one is filled, the others are under way"},
    [FLUSH] = {.name = "flush",
               .type = WM_PARAM_CHOICE,
               .fallback = "full",
               .choices = flushes,
               .operations = WM_OPERATION_BIT(WM_CONVEYOR),
               .help = "full: buffers go when they are full, urgent, or the last; steady: also while nothing else is "
                       "under way on their link, so that what was pushed arrives though nobody is done"},
};

const struct wm_wrapper_class wm_wrapper_aggregate = {
    .name = "aggregate",
    .summary = "gather a conveyor's items into a buffer for each next hop; small messages that go by MPI",
    .source = "Maley, DeVinney, \"Conveyors for streaming many-to-many communication\", 2019",
    .services = {{.operations = WM_OPERATION_BIT(WM_CONVEYOR), .convey = convey},
                 {.operations = WM_MESSAGE_BITS, .message = message}},
    .once = true,
    .params = params,
    .param_count = sizeof params / sizeof params[0],
};
