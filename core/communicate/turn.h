/* Turns: one making of a statement, from its call until what it receives is stored.
 *
 * A turn goes through its states without waiting: a blocking call goes on until it is over, a nonblocking one goes on
 * in the MPI library's progress. Turns of a talk are made one after another, in the order of their calls, so that what
 * ranks ask each other meets: on a communicator of the talk's own, for the user's may be in use meanwhile. */
#ifndef WM_TURN_H
#define WM_TURN_H

#include "core/communicate/deal.h"
#include "core/record/region.h"
#include "core/statement/agreement.h"

enum wm_turn_state {
    WM_TURN_WAITS,    /* for the turns before it */
    WM_TURN_ASKS,     /* whether anything changed at any rank */
    WM_TURN_AGREES,   /* who knows of the messages */
    WM_TURN_REQUESTS, /* what receivers alone know of is asked for */
    WM_TURN_MEASURES, /* ranks tell how much they send */
    WM_TURN_RULES,    /* the map is asked what it says of the statement */
    WM_TURN_TRAVELS,  /* its messages do */
    WM_TURN_OVER
};

struct wm_arrived;

struct wm_turn {
    struct wm_turn *next;
    struct wm_talk *talk;
    struct wm_deal *deal;
    struct wm_bound *bindings;
    enum wm_turn_state state;
    bool blocking;
    uint32_t number; /* of the statement on the talk; behind its requests, of what they ask for */
    bool touched;    /* wm_deal_is_touched at the call */
    enum wm_change change;
    MPI_Request asked; /* what ranks ask each other, or the barrier of senders; MPI_REQUEST_NULL: nothing */
    int mine_changed, changed;
    uint64_t mine[WM_WORDS], all[WM_WORDS];
    struct wm_arrived *arrived; /* of senders alone, by source */
    bool barred;                /* the barrier has begun */
    MPI_Request request;        /* of a nonblocking call */
    /* Of a talk whose map has rules. */
    uint32_t sequence; /* of the communicator's calls; of records, as of its beginning */
    uint64_t kinds;
    uint64_t began; /* in ticks */
    struct wm_record_region region;
};

/* A call begins: the talk's next number is its own. */
void wm_turn_init(struct wm_turn *turn, struct wm_talk *talk, struct wm_deal *deal, struct wm_bound bindings[],
                  bool blocking);
/* Go as far as it goes without waiting. True: it is over. */
bool wm_turn_advance(struct wm_turn *turn);
/* Make all that are not over. */
void wm_turns_finish(struct wm_talk *talk);
/* No talk is left. */
void wm_turns_stop(void);

#endif
