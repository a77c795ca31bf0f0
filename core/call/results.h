/* Results, verified: what blocking calls give is held against what the ranks gave, by means that the map's plan has no
 * part in; with `results` one call in 16 of a communicator, with `full` all; by `(verify 'results)` in a path one in
 * 16, if it is of that path.
 *
 * Copies (bcast, gather, scatter, allgather, alltoall and their v and w forms): a hash of each block, as it is sent and
 * as it is received, summed up over all pairs of ranks (core/call/pairs.h). Sums and exclusive ors of integers
 * (allreduce, reduce, reduce-scatter): the elements are weighted and summed up, by scalar code, modulo 2^64, in what
 * each rank gives and in what is got. Both are linear: the sum over ranks of the one must be the other, exactly, modulo
 * the elements' width. Other predefined operators on integers: the reduction is made once more, by messages along a
 * butterfly, and each bit compared. Floating-point allreduce: all ranks' results hash alike. NaNs, and which zero it
 * is, do not count; nor the library's own results, which may differ.
 *
 * A result that is wrong is told as a flaw (core/call/flaw.h), and the call returns MPI_ERR_OTHER. */
#ifndef WM_RESULTS_H
#define WM_RESULTS_H

#include "core/call/describe.h"
#include "core/call/verify.h"

struct wm_results;

/* A blocking call is about to be made: note what this rank gives. NULL: its result is not looked at, alike at all
 * ranks. */
struct wm_results *wm_results_begin(struct wm_comm *comm, const struct wm_call *call);

/* It has been made, and has returned `rc`: compare. Collective. Returns `rc`, or an error that has been raised. */
int wm_results_end(struct wm_comm *comm, const struct wm_call *call, struct wm_results *results, int rc);

#endif
