/* Statements that are a collective operation of MPI: one reduction between one rank or all, and one rank or all.
 *
 *     from one to all     bcast; scatter, where the data depends on the receiver
 *     from all to one     gather; reduce, with an operator
 *     from all to all     allgather; alltoall; with an operator allreduce, or reduce_scatter_block where the data
 * depends on the receiver
 *
 * All ranks come to the same answer: what it depends on is the same at all of them, or promised to be. Blocks have to
 * be of one size, too, which the text does not always show: ranks have to agree on that. */
#ifndef WM_STATEMENT_COLLECTIVE_H
#define WM_STATEMENT_COLLECTIVE_H

#include "core/statement/traffic.h"
#include "waymark/operation.h"

struct wm_collective {
    enum wm_operation operation; /* WM_OPERATION_COUNT: it is none */
    int root;                    /* 0 where it has none */
    size_t block;                /* elements of a block */
};

/* The operation that the traffic is, but for the sizes of blocks, as far as its rank knows: the same at all of them. */
struct wm_collective wm_traffic_collective(const struct wm_traffic *x, const struct wm_bound bindings[]);
/* The sizes of its blocks, in elements; where it has none *most is 0. */
void wm_traffic_blocks(const struct wm_traffic *x, size_t *least, size_t *most);

#endif
