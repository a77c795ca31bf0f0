/* The MPI library's eager limits: up to which size a message is sent without waiting for its receiver. */
#ifndef WM_EAGER_H
#define WM_EAGER_H

#include <stdint.h>

struct wm_eager {
    uint64_t near_bytes, far_bytes; /* to a rank of the same node, to another node; 0: not known */
};

/* Ask the library. Local; between MPI_Init and MPI_Finalize, from one thread. What a
 * library other than Open MPI, or a network that chooses for itself (UCX, libfabric), does is not known. */
void wm_eager_read(struct wm_eager *eager);

#endif
