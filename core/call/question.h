/* Questions to the map under way: rank 0 asks, and the answer goes to all ranks by flights of plans of our own, so that
 * nothing but the numbers of flights must be agreed.
 *
 * Hold the communicator's lock. */
#ifndef WM_QUESTION_H
#define WM_QUESTION_H

#include "core/call/comm.h"

struct wm_question;

/* Begin to ask about facts that are complete, at all ranks of `comm`. Its flights have the numbers `number` and the one
 * after it. `aside`: rank 0 does not wait for the map server, but has a thread do so. `print`: of the call that
 * asks, where calls are verified; 0: it is none of the program's. */
struct wm_question *wm_question_begin(struct wm_comm *comm, const struct wm_facts *facts, uint32_t number, bool aside,
                                      uint64_t print);

/* Go on with it; never blocks. Returns the path, the caller's, and frees the question; NULL: it is not there yet. The
 * engine must progress meanwhile. */
struct wm_path *wm_question_look(struct wm_question *question);

/* Free it without an answer: the communicator is stopped, and its flights are over. */
void wm_question_drop(struct wm_question *question);

#endif
