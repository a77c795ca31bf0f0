/* An exchange: what all ranks send each other for a statement that goes as messages, as plans of the engine's steps, so
 * that they are carried out as any others.
 *
 * As the run time does it (core/communicate/fly.c), a rank posts its receives; then it goes through what it sends,
 * packs what does not travel in place, and sends it; when all has come and gone it stores what has not come to its
 * place. Where senders alone know of messages (fly_senders.c) each waits until it is taken; when all of a rank's are,
 * it joins a barrier of the library's, taken to be one of dissemination, and stores behind that. */
#ifndef WM_PREDICT_EXCHANGE_H
#define WM_PREDICT_EXCHANGE_H

#include "core/path/grid.h"
#include "core/path/message_design.h"
#include "core/plan/plan.h"
#include "tools/statement/plan.h"

struct wm_sim_exchange {
    const struct wm_grid *grid;
    const struct wm_statement_loads *loads;     /* by rank */
    const struct wm_message_design *designs[2]; /* of messages between nodes; within one */
    bool taken;                                 /* senders alone know of messages */
};

/* Make the plan of a rank; units are bytes. Returns 0 or -WM_ENOMEM. Free it by wm_plan_free. */
int wm_exchange_plan(struct wm_plan **plan, const struct wm_sim_exchange *exchange, int rank);

#endif
