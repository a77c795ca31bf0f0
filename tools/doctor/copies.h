/* Copies: the pages of ranks on other nodes, as the root of the tree has been told of them. They are in a file like
 * those of a node's ranks, which the guard has open: so `waymark doctor` on rank 0's node finds them as it finds
 * others. A page of which nothing has been told for some seconds is not begun: then nobody takes it for what is so now.
 */
#ifndef WM_DOCTOR_COPIES_H
#define WM_DOCTOR_COPIES_H

#include "core/guard/pages.h"
#include "tools/doctor/changes.h"

struct wm_copies {
    struct wm_page_map file; /* of those that are not this node's, by rank; the caller's (wm_page_unmap) */
    int memory;              /* the file, open; -1: there are none */
    struct wm_page **pages;  /* by rank; NULL: it is this node's */
    int64_t *heard_ns;       /* by rank: when it was told of */
    int ranks;
    uint64_t job;
};

/* Make room for a job of so many ranks, of which `own` are this node's. False: it cannot be had. */
bool wm_copies_init(struct wm_copies *copies, int ranks, const struct wm_pages *own);
void wm_copies_release(struct wm_copies *copies);

/* Take what the payload of WM_NEWS_PAGES says. False: it says what cannot be. */
bool wm_copies_take(struct wm_copies *copies, const struct wm_news *news, int64_t now_ns);

/* Those of one host of which nothing has been told since then are no longer begun, but for those who are gone. Returns
 * the first one of them; NULL: there are none. */
const struct wm_page *wm_copies_hide(struct wm_copies *copies, int64_t before_ns);

#endif
