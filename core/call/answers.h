/* Answers of the map server that this process has had: a communicator like an earlier one does not ask again.
 *
 * An answer depends on the map, the facts and the grid alone. The table is small and direct-mapped: a later answer may
 * take an earlier one's place. Any thread; never waits for the map server. */
#ifndef WM_ANSWERS_H
#define WM_ANSWERS_H

#include "core/call/comm.h"

/* The answer to an equal question on an equal grid, the caller's; NULL: there is none. */
char *wm_answers_find(const struct wm_comm *comm, const struct wm_facts *facts);

/* Keep a copy of an answer. */
void wm_answers_keep(const struct wm_comm *comm, const struct wm_facts *facts, const char *text);

/* Forget all. */
void wm_answers_clear(void);

#endif
