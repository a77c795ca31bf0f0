/* Collectives of intercommunicators, and what else goes on in steps while its caller does something else.
 *
 * A crossing has three steps: what the rank's own group does, by a collective of its own; what crosses between the
 * groups, by messages; and what the own group does then. Each may be nothing. Between groups the first rank of each
 * speaks for it where data is combined or is the same for all; blocks go from rank to rank.
 *
 * Crossings of an intercommunicator run one after another, in the order of calls, so that the group's collectives are
 * begun in one order by all. States: waits, before, crosses, after, over. */
#ifndef WM_SUBRANK_CROSSING_H
#define WM_SUBRANK_CROSSING_H

#include "core/call/retain.h"
#include "core/data/side.h"
#include "core/subrank/rank.h"

enum wm_rank_step { WM_STEP_WAITS, WM_STEP_BEFORE, WM_STEP_CROSSES, WM_STEP_AFTER, WM_STEP_OVER };

struct wm_rank_transfer {
    bool sends;
    int peer; /* of the remote group */
    struct wm_side_block block;
};

struct wm_rank_crossing {
    struct wm_rank_crossing *next; /* of its rank's, in the order of calls */
    struct wm_rank_comm *comm, *own;
    enum wm_rank_step step;
    bool has_before, has_after;
    struct wm_call before, after; /* of the own group */
    struct wm_rank_transfer *transfers;
    int transfer_count;
    struct wm_p2p_request **requests; /* of the step: what it waits for */
    int request_count;
    void *room[3]; /* memory that it has until it is over */
    struct wm_retained retained;
    void (*then)(void *with); /* when all is done, before its request is; NULL: nothing */
    void *with;
    int error;
    struct wm_p2p_request *request; /* the caller's */
};

/* A crossing of a communicator, which may have to wait for its turn. Never NULL. */
struct wm_rank_crossing *wm_rank_crossing_new(struct wm_rank_comm *comm);
/* Add a message to its second step. */
void wm_rank_crossing_add(struct wm_rank_crossing *crossing, bool sends, int peer, const struct wm_side_block *block);
/* Begin it; the request owns it. Returns MPI_SUCCESS or an error, and it is gone. */
int wm_rank_crossing_begin(struct wm_rank_crossing *crossing, struct wm_p2p_request **request);
void wm_rank_crossing_free(struct wm_rank_crossing *crossing);

/* Those of a rank go on as far as they go. True: a step began. */
bool wm_rank_crossings_advance(struct wm_rank *rank);
/* One of the communicator's is under way. */
bool wm_rank_is_crossing(const struct wm_rank_comm *comm);

/* ---- what crosses: crossing_call.c ---- */

/* A collective of an intercommunicator. */
int wm_rank_cross(struct wm_rank_comm *comm, const struct wm_call *call);
int wm_rank_cross_begin(struct wm_rank_comm *comm, const struct wm_call *call, struct wm_p2p_request **request);

/* The greatest numbers of the own group come to `own`, those of the remote one to `remote`. Of an intracommunicator
 * all come to `own`. Both last until the request is done. */
enum { WM_RANK_NUMBERS = 2 };
struct wm_rank_numbers {
    int32_t own[WM_RANK_NUMBERS], remote[WM_RANK_NUMBERS];
};
int wm_rank_numbers_begin(struct wm_rank_comm *comm, struct wm_rank_numbers *numbers, void (*then)(void *with),
                          void *with, struct wm_p2p_request **request);
/* The same, waited for. */
int wm_rank_numbers(struct wm_rank_comm *comm, struct wm_rank_numbers *numbers);

#endif
