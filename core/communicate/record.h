/* What the trace is told of statements: each making of one whose path has a `trace`. */
#ifndef WM_COMMUNICATE_RECORD_H
#define WM_COMMUNICATE_RECORD_H

#include "core/communicate/turn.h"

struct wm_path;

/* The turn begins, under a map with rules. */
void wm_turn_record_begin(struct wm_turn *turn);
/* How the deal is carried out is known: the turn is entered, and the deal defined, if it is carried out in another way
 * than before. */
void wm_turn_record_enter(struct wm_turn *turn, const struct wm_path *path);
void wm_turn_record_leave(const struct wm_turn *turn);

#endif
