/* Siblings in a call: those of a communicator's ranks that are in one process make one call of it, once all have come.
 *
 * That is for blocking calls in which nobody gets anything before all have come (barrier, allreduce), and which every
 * sibling finds again as its last one of the operation (core/call/again.h). Who comes leaves its buffers here, and lets
 * the others run; the last one to come runs a joint plan (core/shared/joint_plan.h). Siblings that have as much to do
 * come one after the other, and the call is over when the first one goes on; else it sleeps. Other processes see no
 * difference: all other calls, and those of siblings that cannot, are run by each rank for itself. Who begins one so
 * sends those away that have come to it already, and they do, too. So nobody waits for a sibling that will not come. */
#ifndef WM_SUBRANK_SIBLINGS_H
#define WM_SUBRANK_SIBLINGS_H

#include "core/call/again.h"
#include "core/shared/joint_plan.h"
#include "core/subrank/collective.h"

/* What a sibling has of an operation. */
struct wm_sibling_way {
    struct wm_last_call *last; /* that can be run jointly, if it still has … */
    uint64_t stamp;            /* … this; 0: none can */
    struct wm_comm *record;    /* whose last call it is */
    uint64_t looked;           /* the stamp of the last call for which it has looked for a joint plan */
};

struct wm_sibling {
    struct wm_siblings *all;
    struct wm_rank_comm *comm; /* NULL: it has not met here so far, or has gone */
    struct wm_joint_rank *rank;
    bool asleep;
    struct wm_sibling_way ways[WM_COLLECTIVE_COUNT];
};

struct wm_siblings {
    struct wm_siblings *next; /* of the process's, any communicators' */
    int32_t context;
    int first, count; /* the first one's number in the world; how many there are, in the order of the communicator */
    int users;
    int come;                    /* to the call under way: */
    uint32_t ordinal;            /* its number on the communicator */
    enum wm_operation operation; /* … and operation */
    uint32_t apart;              /* the last call that some rank has begun for itself */
    uint32_t met;                /* calls that were joint, so far */
    int asleep_count;
    struct wm_joint_rank *ranks; /* [count] */
    struct wm_joint_plan plans[WM_COLLECTIVE_COUNT];
    struct wm_sibling siblings[]; /* [count] */
};

/* Nobody gets anything before all have come. */
static inline bool wm_siblings_may_meet(enum wm_operation operation)
{
    return operation == WM_BARRIER || operation == WM_ALLREDUCE;
}

/* A blocking call of the user's begins, and no other is under way at this rank: the sibling that may come to it, which
 * is the last call of its operation once more; NULL: there is none, and the rank has to run the call for itself. */
static inline struct wm_sibling *wm_sibling_that_may_come(const struct wm_rank *rank, const struct wm_rank_comm *comm,
                                                          const struct wm_call *call);
/* It comes. Returns MPI_SUCCESS, for its callers' tail calls, when the call is over. */
int wm_sibling_come(struct wm_sibling *sibling, enum wm_operation operation, const void *send, void *receive);

/* A call that was found again will be run by the rank for itself: perhaps the next one that is its equal need not be.
 */
void wm_siblings_look(struct wm_rank_comm *comm, const struct wm_last_call *last, enum wm_operation operation);

/* A rank begins a call for itself: that of this number, from 1, on the communicator. */
void wm_siblings_part(struct wm_rank_plans *plans, uint32_t ordinal);

/* The communicator goes. */
void wm_siblings_leave(struct wm_rank_plans *plans);

static inline __attribute__((always_inline)) struct wm_sibling *
wm_sibling_that_may_come(const struct wm_rank *rank, const struct wm_rank_comm *c, const struct wm_call *call)
{
    enum wm_operation operation = call->operation;
    struct wm_sibling *self;
    const struct wm_siblings *s;
    const struct wm_sibling_way *way;
    uint32_t ordinal;

    if (!wm_siblings_may_meet(operation) || c == NULL || c->plans == NULL || (self = c->plans->sibling) == NULL ||
        rank->calls != NULL)
        return NULL;
    s = self->all;
    ordinal = c->plans->begun + 1;
    if (s->come > 0 ? s->ordinal != ordinal || s->operation != operation : (int32_t)(ordinal - s->apart) <= 0)
        return NULL;
    way = &self->ways[operation];
    if (way->stamp == 0 || way->stamp != way->last->stamp || !wm_again_has_arguments(way->last, call))
        return NULL;
    return self;
}

#endif
