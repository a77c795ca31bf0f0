/* Where: where a rank is, as JSON.
 *
 * A collective call is {function, communicator, call: its number, root?, operator?, count?, type?, bytes?, site?,
 * file?, line?, in?}. A call that waits for messages is {function, requests?, any?, messages, site?, file?, line?,
 * in?}: requests: how many it waits for; any: for one of them; messages: [{direction: "to", "from" or "collective",
 * peer?, offset?, tag?, bytes?, waits?, underway?, communicator?, call?, function?, site?}], as far as they are known.
 * peer: the rank in MPI_COMM_WORLD, absent where any may be; offset: how far behind one's own in the communicator it
 * is, by the shorter way around; underway: messages of the pair that are sent and not received. */
#ifndef WM_DOCTOR_WHERE_H
#define WM_DOCTOR_WHERE_H

#include <jansson.h>
#include "core/guard/judge.h"

/* What a page says may be no text. */
json_t *wm_where_text(const char *chars, size_t room);

/* A collective call, without its number; with it. */
json_t *wm_where_call(const struct wm_page *page, const struct wm_page_call *call);
json_t *wm_where_numbered_call(const struct wm_page *page, const struct wm_page_call *call, uint32_t comm,
                               uint64_t sequence);

/* The call that a rank is in; NULL: none that is known. */
json_t *wm_where_now(const struct wm_judgement *judgement, int page);

/* "in" the call that it is in, or "after" the one that it made last. */
void wm_where_add(json_t *object, const struct wm_judgement *judgement, int page);

#endif
