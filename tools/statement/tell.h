/* Who tells of a statement's messages: each rank of what it sends; where receivers alone know of them, of what it asks
 * for. */
#ifndef WM_TOOLS_TELL_H
#define WM_TOOLS_TELL_H

#include "core/statement/traffic.h"
#include "tools/statement/names.h"

enum wm_side wm_teller(const struct wm_statement *statement);

/* List what a rank tells of, and, of a sender that `believes`, what it believes to receive. Returns as
 * wm_traffic_new. */
int wm_tell(struct wm_traffic *x, const struct wm_bound_names *names, const struct wm_statement *statement, int rank,
            bool believes, struct wm_error *error);

/* The messages that the rank of `x` tells of. */
const struct wm_parts *wm_told(const struct wm_traffic *x);
/* Tell the rank at the other end of message `i` of those, which adds it to `other`. Returns as wm_items_list. */
int wm_tell_other(struct wm_traffic *other, const struct wm_bound_names *names, const struct wm_traffic *x, size_t i,
                  struct wm_error *error);

#endif
