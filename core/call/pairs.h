/* Pairs of ranks, verified: what one sends to another must be what that one receives from it. Before a call of a v or w
 * form, or among neighbours, with `full`, this is held of bytes and type signatures; behind one that copies data, of a
 * hash of the data. What goes along several edges between two ranks is added up.
 *
 * The ranks sum up, over all pairs, a number for what is sent less one for what is received: 0 says that all agree, to
 * 2^-64. Else they tell each other, and those who receive name the pairs (core/call/flaw.h). All is collective, of a
 * communicator that has joined, in its turn, with an empty queue and the lock held; but beside a nonblocking call,
 * which must not wait, they tell each other at once.
 *
 * Source: one sum in the place of P² comparisons; cf. core/communicate/agree.h. */
#ifndef WM_PAIRS_H
#define WM_PAIRS_H

#include "core/call/wait.h"
#include "core/guard/page.h"

/* What is between a pair, as one of the two believes. */
struct wm_pair_belief {
    uint64_t bytes, types;   /* types 0: any; or, of data, a hash of it, and nothing */
    uint64_t module, offset; /* of the site of the call: a hash of its file's name, and where in there */
};

/* Before a call that may wait: compare counts; other calls agree by their fingerprints. Returns MPI_SUCCESS or, alike
 * at all ranks, the error that the call is to end with and that is to be raised. */
int wm_pairs_compare(struct wm_comm *comm, const struct wm_call *call, enum wm_page_form form);

/* Beside a nonblocking call that is about to be made: compare counts meanwhile. What does not match is told, and raised
 * on the communicator, as soon as this rank knows. `sequence`: the call's. Of any communicator, with the lock held. */
void wm_pairs_compare_beside(struct wm_comm *comm, const struct wm_call *call, uint32_t sequence);

/* Hashes of what this rank sends to each, before the call, or has received from each, behind it. Local. The caller's
 * (free). */
struct wm_pair_belief *wm_pairs_content(struct wm_comm *comm, const struct wm_call *call, bool sent);

/* Behind a call: compare data with what was sent. True: what this rank has received is wrong, and has been told, as of
 * `place` in the map; NULL: it only takes part. */
bool wm_pairs_differ(struct wm_comm *comm, const struct wm_call *call, struct wm_pair_belief *sent, const char *place);

#endif
