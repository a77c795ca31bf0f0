/* A side of a call that moves data: the blocks of the user's send or receive buffer, with counts, displacements and
 * types as MPI gives them, and the same as bytes.
 *
 * A side is plain when every block is bytes in order (predefined types without gaps), none lies before the buffer, and
 * none that is received overlaps another (MPI forbids it, but programs do it): then a plan names the user's buffer.
 * Else its blocks are packed, one behind the other. */
#ifndef WM_SIDE_H
#define WM_SIDE_H

#include <mpi.h>
#include <stdbool.h>
#include "core/plan/planner.h"

struct wm_side {
    bool receives;
    const void *buffer; /* written through when it receives */
    int count;          /* blocks */
    int each;           /* elements of each, unless there are `counts` */
    const int *counts;
    const int *displs;      /* in extents of the type; in bytes where there are `types`; NULL: one behind the other */
    const MPI_Aint *places; /* in bytes, in the place of displs */
    MPI_Datatype type;      /* of all blocks, unless there are `types` */
    const MPI_Datatype *types;
    MPI_Datatype *own_types; /* kept for unpacking; freed by wm_side_release */
};

/* The blocks in bytes. Returns 0; -1 when an argument is wrong (negative count, no type, …): `blocks` is empty then.
 * *plain says which kind it is; `blocks` owns its vectors. Local. */
int wm_side_blocks(struct wm_side *side, struct wm_blocks *blocks, bool *plain);

/* Pack blocks first … last-1 to where `blocks` says in `packed`, and the reverse. Return MPI_SUCCESS or an error. */
int wm_side_pack(const struct wm_side *side, const struct wm_blocks *blocks, int first, int last, char *packed);
int wm_side_unpack(const struct wm_side *side, const struct wm_blocks *blocks, int first, int last, const char *packed);

/* One block as the user has it. Returns MPI_SUCCESS, MPI_ERR_TYPE or MPI_ERR_COUNT. */
struct wm_side_block {
    void *at;
    int count; /* of elements */
    MPI_Datatype type;
};
int wm_side_block(const struct wm_side *side, int block, struct wm_side_block *found);

void wm_side_release(struct wm_side *side);

#endif
