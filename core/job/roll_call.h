/* Roll call: a rank that has waited too long asks others who they are, and sees whom its questions reach.
 *
 * A question that the MPI library still holds has not reached its rank: over TCP the connection stands only when the
 * other process is in the library, too. So a rank that is asked has *answered*, or is *missing*: reached and silent; or
 * it is not reached, which says nothing about it. Each question is answered once, whether the roll is called at the
 * other rank or not. Who gives up tells all that it asked, by a verdict. */
#ifndef WM_ROLL_CALL_H
#define WM_ROLL_CALL_H

#include <mpi.h>
#include <stdbool.h>
#include "core/job/roll.h"

/* One rank's part. What is sent lies in it: keep it until wm_roll_call_leave says that all has left. */
struct wm_roll_call {
    int rank, ranks, tag;
    struct wm_roll_entry answer, question, verdict;
    struct wm_roll_entry *entries; /* [ranks] NULL: this rank has not asked; not valid: that rank has said nothing */
    bool *reached;                 /* [ranks] */
    MPI_Request *questions;        /* [ranks] on their way */
    int *arrived;                  /* [ranks] room for their indices */
    int asked, answered;
    bool was_asked;
    int accused; /* the rank of the verdict that was sent or has come; -1: none */
};

void wm_roll_call_init(struct wm_roll_call *call, int rank, int ranks, int tag, const struct wm_roll_entry *own);
/* Ask whom wm_roll_asks names. Returns 0 or -WM_ENOMEM. */
int wm_roll_call_begin(struct wm_roll_call *call);
/* Take what has come, and answer. Returns whether there was a sign of life: a question or an answer came, or a question
 * of this rank's reached another. */
bool wm_roll_call_progress(struct wm_roll_call *call);
/* No question of this rank is without an answer. */
bool wm_roll_call_complete(const struct wm_roll_call *call);
/* The lowest rank that is missing; -1: there is none. */
int wm_roll_call_missing(const struct wm_roll_call *call);
/* The lowest rank of those that take the roll and are there, as far as is known; who has not asked takes them all for
 * there. -1: there is none. */
int wm_roll_call_first(const struct wm_roll_call *call);
/* Tell all that were asked that this rank no longer waits for rank `accused`, so that they do not either. */
void wm_roll_call_give_up(struct wm_roll_call *call, int accused);
/* Free what it has. Returns whether all messages have left. */
bool wm_roll_call_leave(struct wm_roll_call *call);

#endif
