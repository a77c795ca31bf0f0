/* Statements that are a collective operation of MPI: one reduction between one rank or all, and one rank or all, of a
 * team: of all ranks, or of a part of them.
 *
 *     from one to all     bcast; scatter, where the data depends on the receiver
 *     from all to one     gather; reduce, with an operator
 *     from all to all     allgather; alltoall; with an operator allreduce, or reduce_scatter_block where the data
 *                         depends on the receiver
 *     up to each rank     scan; exscan, of those before it, of all ranks: with an operator, where i <= j is a filter,
 *                         or the set of i is {0 ... j + 1}, or that of j {i ... ranks}
 *
 * What scans are the text says, all others the ranks' roles. All ranks come to the same answer: what it depends on is
 * the same at all of them, or promised to be. Blocks have to be of one size, too, which the text does not always show:
 * ranks have to agree on that. */
#ifndef WM_STATEMENT_COLLECTIVE_H
#define WM_STATEMENT_COLLECTIVE_H

#include "core/statement/team.h"

struct wm_collective {
    enum wm_operation operation; /* WM_OPERATION_COUNT: it is none */
    bool team;                   /* it is one of teams that are not all ranks in their order */
    int root;                    /* 0 where it has none, or is one of teams, each of which has its own */
    size_t block;                /* elements of a block */
};

/* The operation that a statement is whose ranks have these roles, but for the sizes of blocks: the same at all of them.
 */
struct wm_collective wm_roles_collective(const struct wm_roles *roles, const struct wm_statement *s,
                                         const struct wm_bound bindings[]);
/* The sizes of its blocks, in elements; where it has none *most is 0. */
void wm_traffic_blocks(const struct wm_traffic *x, size_t *least, size_t *most);

/* How many blocks the rank gives to the operation, or gets of it: of parts that are alike one. None of a rank that has
 * no part in a scan. */
size_t wm_collective_blocks(const struct wm_collective *c, const struct wm_traffic *x, bool received);
/* Say whether the operation can read blocks from where they stand, and store them where they shall be: one behind the
 * other, as they travel. `disjoint`: no place that is read is stored into. */
void wm_collective_in_place(const struct wm_collective *c, const struct wm_traffic *x, const struct wm_bound bindings[],
                            bool disjoint, bool *sent, bool *received);

#endif
