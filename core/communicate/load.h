/* Loads on their way: read, sent, and checked when they have come. */
#ifndef WM_LOAD_H
#define WM_LOAD_H

#include "core/communicate/turn.h"

/* Put the parts of each peer together, as loads of no bytes. */
void wm_loads_group(struct wm_loads *loads, const struct wm_parts *parts, int me);
/* Where it is packed. */
char *wm_load_staging(struct wm_load *load);
/* Loads of items, which are packed. */
void wm_loads_of_items(struct wm_loads *loads, const struct wm_items *items, int me);
/* Read the data of what is sent. */
void wm_load_pack(const struct wm_turn *turn, struct wm_load *load);
/* Send it from `data`. */
void wm_load_send(const struct wm_turn *turn, struct wm_load *load, void *data, bool rendezvous);

/* The envelope is complete: end the job with a sentence, if something is wrong with it. */
void wm_load_check(const struct wm_turn *turn, const struct wm_talk_mail_envelope *e);
/* It is of this turn's statement, or the job ends. */
void wm_load_check_statement(const struct wm_turn *turn, const struct wm_talk_header *header);
/* The rank sends what is wrong: end the job. */
_Noreturn void wm_load_refuse(const struct wm_turn *turn, int sender, const char *what);

/* All envelopes of the loads but that to this rank itself are complete. */
static inline bool wm_loads_are_complete(const struct wm_loads *loads)
{
    for (int i = 0; i < loads->count; i++)
        if (i != loads->self && !loads->loads[i].e.message.complete)
            return false;
    return true;
}

#endif
