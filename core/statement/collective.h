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

#include "core/statement/statement.h"
#include "waymark/operation.h"

/* The operation that it is, but for the sizes of blocks; WM_OPERATION_COUNT: none. *root: the term of the one rank, -1:
 * there is none. */
enum wm_operation wm_statement_collective(const struct wm_statement *s, const struct wm_bound bindings[], int *root);

#endif
