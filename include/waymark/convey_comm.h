/* Conveyors over any communicator, named, so that a map's rule can tell them apart. Beyond the published interface. */
#ifndef WM_CONVEY_COMM_H
#define WM_CONVEY_COMM_H

#include <mpi.h>
#include "waymark/convey.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A conveyor over `comm`, whose ranks are the destinations. `name`, significant at rank 0, at most 63 characters, may
 * be NULL: what a rule sees as `communicator`. Collective over `comm`. NULL at all ranks after one message. */
WM_CONVEY_API convey_t *wm_convey_new(MPI_Comm comm, const char *name);
/* The same for items of up to `item_bound` bytes each, below 2^40. */
WM_CONVEY_API convey_t *wm_convey_new_elastic(MPI_Comm comm, const char *name, size_t item_bound);
/* With all that the published constructors take; `item_bound` 0: items of a fixed size. */
WM_CONVEY_API convey_t *wm_convey_new_with(MPI_Comm comm, const char *name, size_t item_bound, size_t max_bytes,
                                           const convey_alc8r_t *alloc, uint64_t options);

#ifdef __cplusplus
}
#endif

#endif
