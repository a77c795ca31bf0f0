/* Asking the map: what rank 0 of a communicator does with a question, and all ranks with the answer's text. How the
 * text comes to all is a question's matter (core/call/question.h). */
#ifndef WM_ASK_H
#define WM_ASK_H

#include "core/call/comm.h"

/* Rank 0: ask the map server, complete the answer and check that it serves this communicator. Returns the answer's
 * text, which the caller frees, or NULL with the error filled. *cost_ns: what it took. Blocks; calls no MPI, so that a
 * thread of its own may ask. */
char *wm_ask_server(struct wm_comm *comm, const struct wm_facts *facts, uint64_t *cost_ns, struct wm_error *error);

/* The path of an answer's text, the caller's; NULL: there was no answer, and the path is native. Local. */
struct wm_path *wm_ask_parse(struct wm_comm *comm, const char *text, const struct wm_facts *facts);

/* Look at all that the map says for this communicator, so that what is wrong is said before the job starts. Where that
 * takes longer than one answer may, the rest waits for calls that ask for it, and rank 0 says so. Of a communicator
 * that has joined, all ranks keep the paths of collectives that hold for every call, settled. Collective; rank 0 asks,
 * and its `error` has the sentence. Returns the same on all ranks: 0 or -WM_E… */
int wm_ask_check_map(struct wm_comm *comm, struct wm_error *error);

#endif
