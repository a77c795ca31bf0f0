/* The carriers of conveyors: one line each; and the slots of those that need nothing there. */
#include "core/convey/carrier.h"

const struct wm_carrier_class *const wm_carrier_classes[] = {&wm_carrier_mpi, &wm_carrier_shm, &wm_carrier_sync, NULL};

bool wm_carrier_no_progress(struct wm_carrier *carrier)
{
    (void)carrier;
    return false;
}

bool wm_carrier_is_idle(const struct wm_carrier *carrier)
{
    (void)carrier;
    return true;
}

int wm_carrier_no_error(const struct wm_carrier *carrier)
{
    (void)carrier;
    return MPI_SUCCESS;
}
