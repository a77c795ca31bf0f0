/* A map's text with one rule more, for calls of one operation and size class.
 *
 * The rule stands right before the one that these calls have fallen under, so that no rule before it takes them, and
 * all other calls go as they went. What else the text says, and how it is laid out, stays. */
#ifndef WM_TUNE_AMEND_H
#define WM_TUNE_AMEND_H

#include "tools/site/site.h"

struct wm_amendment {
    enum wm_operation operation;
    int size_class;    /* as in struct wm_mailbox_round */
    int ranks;         /* of the communicator */
    const char *where; /* what else is to hold: "", " uniform?", … */
    const char *path;
};

/* The sizes of a class: from `*least` on, below `*bound`; both 0: any. */
void wm_size_class_bounds(int size_class, uint64_t *least, uint64_t *bound);

/* The text of `map` with the rule; the caller's. NULL: no memory, or a map whose rules stand where none can be added,
 * with a sentence. */
char *wm_amend(const struct wm_site_map *map, const struct wm_site *site, const struct wm_amendment *amendment,
               struct wm_error *error);

#endif
