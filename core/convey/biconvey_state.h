/* The biconveyor, as its own files see it.
 *
 * Two conveyors, one of queries and one of replies. Neither carries a number: queries of one rank for another arrive in
 * order, are answered in order, and so do the replies arrive. The asking rank keeps a *window* of places, one a query
 * that has no pulled reply yet, in the order of pushes, and for every destination a list of its places; the next reply
 * from there belongs into the first of them (core/convey/biconvey_window.c).
 *
 * No deadlock: a reply always has its place, so replies are taken whenever they are there, and room for replies comes
 * back at every rank that is advanced; queries wait until replies have room; queries that find no room fail to be
 * pushed. The conveyors are steady, so that a full window does not wait for buffers to fill.
 *
 * The end: this rank is done with queries; the conveyor of queries is complete here and all of them are answered: this
 * rank is done with replies; that conveyor is complete, and the replies are pulled. */
#ifndef WM_BICONVEY_STATE_H
#define WM_BICONVEY_STATE_H

#include "waymark/biconvey.h"
#include "core/convey/store.h"

typedef void wm_biconvey_answer(const void *query, void *reply, void *context);

/* Queries that arrived together and are being answered, and the reply that was written for one, but found no room. */
struct wm_biconvey_work {
    const char *query;
    size_t left;  /* queries at `query` */
    int64_t from; /* who asked */
    bool held;    /* `reply` is for `from`, and not pushed yet; its query is not counted in `left` */
    char *reply;
};

struct wm_biconveyor {
    struct biconveyor head; /* first */
    enum convey_state state;
    convey_t *replies;
    struct wm_convey_store store; /* of the window */
    size_t max_bytes;             /* for the window */
    int64_t ranks;
    bool together; /* synchronous: all ranks finish in the same call */

    wm_biconvey_answer *answer;
    void *context;
    size_t query_bytes;
    struct wm_biconvey_work work;
    bool queries_over, replies_over; /* complete */

    void *memory;        /* of all that follows, and of work.reply */
    unsigned char *here; /* [mask + 1] 1: the place has its reply */
};

static inline struct wm_biconveyor *wm_biconveyor_of(biconvey_t *b)
{
    return (struct wm_biconveyor *)b;
}

/* ---- core/convey/biconvey_window.c ---- */

/* The bytes of any window, if replies are not very large. */
size_t wm_biconvey_window_reserve(const struct wm_biconveyor *b);
/* Make the window of a run; head.reply_bytes is set. Returns whether there was memory. Local. */
bool wm_biconvey_window_new(struct wm_biconveyor *b);
void wm_biconvey_window_free(struct wm_biconveyor *b);
/* Bring the replies that have arrived into their places, and see how far they may be pulled. 0, or a negative code. */
int wm_biconvey_collect(struct wm_biconveyor *b);

/* ---- core/convey/biconvey_answer.c ---- */

/* Answer the queries that have arrived, as far as the replies find room. 0, or a negative code. */
int wm_biconvey_answer_all(struct wm_biconveyor *b);
static inline bool wm_biconvey_owes(const struct wm_biconveyor *b)
{
    return b->work.held || b->work.left > 0;
}

#endif
