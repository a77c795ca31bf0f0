/* A call described: the facts that a rule may look at, what a plan depends on, and what a plan's names mean in the
 * call.
 *
 * States: described (wm_describe), sized (where the ranks had to tell each other how much there is, core/call/sizes.h),
 * loaded (user's data that no plan can name packed), unloaded (the reverse), released.
 *
 * `bytes`, for a rule: of the whole data, or of one block; where the call has a count for each block, of the blocks'
 * mean, rounded up. Where ranks need not know it (wm_operation_bytes_shared), it is 0.
 *
 * A unit is an element of the user's datatype where data is combined, else a byte; barrier has one unit of no bytes.
 * Data whose datatype is not plain bytes in order is packed, but where it is combined. */
#ifndef WM_DESCRIBE_H
#define WM_DESCRIBE_H

#include "core/call/comm.h"
#include "core/data/side.h"

struct wm_described {
    struct wm_facts facts;              /* operation, bytes, root, commutative; wm_comm_facts adds the others */
    struct wm_plan_call plan_call;      /* its vectors belong to this */
    struct wm_binding binding;          /* binding.call is the caller's */
    struct wm_side send, receive;       /* where data is moved, not combined; bcast's one buffer is `receive` */
    char *packed_send, *packed_receive; /* NULL: the user's own buffers serve */
};

/* Describe a call. Local. False: an argument is wrong, and the library shall say so (nothing to release then). */
bool wm_describe(struct wm_comm *comm, const struct wm_call *call, struct wm_described *described);

/* Can an equal call fly the same plan without being described again? Its handles never come to mean others. */
bool wm_described_comes_back(const struct wm_described *described);

/* Pack what must be packed, right before the flight. Local. Returns MPI_SUCCESS or the library's error. */
int wm_described_load(const struct wm_comm *comm, struct wm_described *described);
/* Unpack what came, once the flight is over. Local. Returns MPI_SUCCESS or the library's error. */
int wm_described_unload(const struct wm_comm *comm, struct wm_described *described);

void wm_described_release(struct wm_described *described);

/* The two sides of a call that moves data, as the caller gives them; a side that means nothing here has no blocks. */
void wm_describe_sides(struct wm_comm *comm, const struct wm_call *call, struct wm_side *send, struct wm_side *receive);

#endif
