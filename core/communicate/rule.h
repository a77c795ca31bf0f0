/* Rules: what the map says of a statement.
 *
 * A communicator whose map has rules for statements has a record. When its ranks have found out what a statement sends,
 * they tell each other how much that is at most, and rank 0 asks the map and tells the answer. It holds until who sends
 * what to whom is found out anew. */
#ifndef WM_COMMUNICATE_RULE_H
#define WM_COMMUNICATE_RULE_H

#include "core/communicate/turn.h"

/* The record of a communicator whose map has rules for statements; NULL: it has none. Collective. */
struct wm_comm *wm_rules_record(MPI_Comm comm);

/* Tell the others how much this rank sends. */
void wm_rule_measure(struct wm_turn *turn);
/* All have told it. False: the rule of the calls before holds; else rank 0 asks. */
bool wm_rule_ask(struct wm_turn *turn);
/* The answer has come. */
void wm_rule_take(struct wm_turn *turn);
/* The deal, which is known and not settled, becomes as the rule says; a rule that cannot be kept ends the job. */
void wm_rule_apply(struct wm_turn *turn);
/* What is sent from now on goes as the rule of the turn's deal says; where it says nothing, as the map says of
 * messages. */
void wm_rule_hold(const struct wm_turn *turn);
/* Its path. */
const struct wm_path *wm_rule_path(const struct wm_rule *rule);
void wm_rule_free(struct wm_rule *rule);

#endif
