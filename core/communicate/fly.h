/* The messages of a turn, sent, received and stored. */
#ifndef WM_FLY_H
#define WM_FLY_H

#include "core/communicate/turn.h"

/* Both ends know of all messages: receives are posted, what is sent is read and sent. Then, when all is complete, it is
 * stored. */
void wm_fly_begin(struct wm_turn *turn);
bool wm_fly_is_complete(const struct wm_turn *turn);
void wm_fly_end(struct wm_turn *turn);

/* Senders alone know: what is packed is sent. Then what comes is taken; all has come when all ranks' sends are
 * taken, which true says. Then it is stored. Source: Hoefler, Siebert, Lumsdaine, Scalable communication protocols for
 * dynamic sparse data exchange, 2010 (NBX). */
void wm_fly_senders_begin(struct wm_turn *turn);
bool wm_fly_senders_take(struct wm_turn *turn);
void wm_fly_senders_end(struct wm_turn *turn);

/* What a rank sends is evaluated, and packed for each other one. */
void wm_fly_pack(const struct wm_turn *turn);

/* Carry what senders know of by the conveyor of the statement's name, and store it; what they alone know of is packed.
 * Blocks. */
void wm_fly_conveyor(struct wm_turn *turn);
/* Free the talk's conveyors. Collective. */
void wm_conduits_free(struct wm_talk *talk);

/* Receivers alone know: they ask for what they receive. Then requests are taken by wm_fly_senders_take, and what is
 * sent is listed, so that both ends know. */
void wm_fly_requests_begin(struct wm_turn *turn);
void wm_fly_requests_end(struct wm_turn *turn);

#endif
