/* A rank that waits for others in a statement says so after a while: perhaps they do not make it. */
#ifndef WM_COMMUNICATE_PATIENCE_H
#define WM_COMMUNICATE_PATIENCE_H

#include "core/communicate/turn.h"

/* Zero: it has not waited. */
struct wm_patience {
    unsigned rests;
    double since_s; /* INFINITY: it has said so */
};

enum { WM_RESTS_A_LOOK = 256 };

/* Look at the clock: say in which statement the rank waits, and for whom, when WAYMARK_PATIENCE is over. */
void wm_patience_look(struct wm_patience *p, const struct wm_turn *turn);

/* The turn has rested once more. */
static inline void wm_patience_rest(struct wm_patience *p, const struct wm_turn *turn)
{
    if (++p->rests % WM_RESTS_A_LOOK == 0)
        wm_patience_look(p, turn);
}

#endif
