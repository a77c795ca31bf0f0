/* synchronous: a conveyor's ranks exchange their buffers in bulk, all of them together, over one or two hops: an
 * alltoallv among the ranks of each group of the hop's axis, instead of a message for each buffer. */
#include "core/path/design.h"
#include "wrappers/parameters.h"

static int convey(const struct wm_wrapper *self, struct wm_convey_design *design, struct wm_error *error)
{
    (void)error;
    design->synchronous = true;
    design->synchrony = self;
    return 0;
}

const struct wm_wrapper_class wm_wrapper_synchronous = {
    .name = "synchronous",
    .summary = "exchange a conveyor's buffers in bulk, all ranks of a hop together, over one or two hops",
    .source = "Maley, DeVinney, \"Conveyors for streaming many-to-many communication\", 2019, 4.1",
    .services = {{.operations = WM_OPERATION_BIT(WM_CONVEYOR), .convey = convey}},
    .once = true,
};
