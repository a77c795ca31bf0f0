/* The messages of a deal, sent, received and stored. */
#ifndef WM_FLY_H
#define WM_FLY_H

#include "core/communicate/deal.h"

/* Both ends know of all messages: receives are there before data comes. */
void wm_fly_corresponding(struct wm_talk *t, struct wm_deal *d, const struct wm_bound bindings[]);
/* Senders alone know: what has come has come when all sends are taken at all ranks. Source: Hoefler, Siebert,
 * Lumsdaine, Scalable communication protocols for dynamic sparse data exchange, 2010 (NBX). */
void wm_fly_sender(struct wm_talk *t, struct wm_deal *d, const struct wm_bound bindings[]);

#endif
