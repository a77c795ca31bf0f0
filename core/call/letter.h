/* Letters: a text from rank 0 of a communicator to all of its ranks, by two flights of plans of our own, the first of a
 * fixed size, so that nothing but the numbers of flights must be agreed.
 *
 * States: empty, at rank 0 until it is posted; under way; there. The engine must progress meanwhile. Hold the
 * communicator's lock. */
#ifndef WM_LETTER_H
#define WM_LETTER_H

#include "core/call/comm.h"

enum { WM_LETTER_HEAD_BYTES = 4096 };

struct wm_letter {
    struct wm_comm *comm;
    uint32_t number;
    uint64_t print; /* of the call that it belongs to: ranks in other calls are found out; 0: of none */
    char *text;     /* of `length` characters, and a NUL; NULL: there is none */
    struct {
        int length; /* -1: there is no text */
        char text[WM_LETTER_HEAD_BYTES - sizeof(int)];
    } head;
    struct wm_flight *flight;
    struct wm_plan *rest_plan; /* NULL: the head is under way */
};

/* Begin one, all zeros, of which the caller has the memory: its flights have the numbers `number` and the one after it.
 * Ranks but 0 await it. */
void wm_letter_begin(struct wm_letter *letter, struct wm_comm *comm, uint32_t number);

/* Rank 0: send it. The text is taken over; NULL is allowed, and told. */
void wm_letter_post(struct wm_letter *letter, char *text);

/* Has rank 0 posted it, as far as this rank can tell? */
bool wm_letter_is_posted(const struct wm_letter *letter);

/* Go on with it; never blocks. True: it is there, and `text` holds. It was posted. */
bool wm_letter_look(struct wm_letter *letter);

/* Free what it holds. It is there. */
void wm_letter_release(struct wm_letter *letter);

/* The same while it is under way, when its flight has been given up. */
void wm_letter_drop(struct wm_letter *letter);

#endif
