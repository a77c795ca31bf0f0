/* Flights of conveyors: the ranks of a session push items to each other. */
#ifndef WM_TUNE_CARRY_H
#define WM_TUNE_CARRY_H

#include "tools/tune/session.h"

/* What wm_tune_fly returns of a conveyor, at each rank. Collective: the conveyor of who flies is made when it flies for
 * the first time, and kept. */
double wm_tune_carry(struct wm_tune_session *session, const struct wm_tune_flight *flight);

/* Free the conveyors of `first` to `last`, who may fly, before their communicators. */
void wm_tune_conveyors_free(struct wm_tune_session *session, int first, int last);

#endif
