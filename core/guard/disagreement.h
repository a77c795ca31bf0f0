/* Mismatches: the first call on a communicator that was not the same at all ranks.
 *
 * Chains of two ranks that differ at equal numbers prove one, whenever it is found out. What each rank called is known
 * while its page's ring has the call, or, later, from the table of what its calls looked like. */
#ifndef WM_GUARD_DISAGREEMENT_H
#define WM_GUARD_DISAGREEMENT_H

#include "core/guard/members.h"

/* Ranks that made the same call. */
struct wm_party {
    bool came;  /* they have made a call of that number */
    bool known; /* … and this is it */
    struct wm_page_call call;
    int *ranks; /* of the communicator, ascending */
    int *pages; /* theirs */
    int count;
};

struct wm_disagreement {
    uint64_t id;
    uint32_t place;                /* of the communicator in a page */
    char name[WM_PAGE_NAME_CHARS]; /* the communicator's, "" if it has none */
    int ranks;                     /* of the communicator */
    uint64_t sequence;             /* the call */
    bool exact;                    /* it is this call; else it is this one or a later one */
    bool types_only;               /* as many bytes of other types */
    struct wm_party *parties;      /* the largest one first; those who did not come last */
    int count;
};

/* Find the mismatch of the members first to end - 1, which are of one communicator. 1, 0: there is none that could be
 * seen, or -WM_ENOMEM. */
int wm_disagreement_find(struct wm_disagreement *mismatch, const struct wm_pages *pages,
                         const struct wm_members *members, int first, int end);
void wm_disagreement_release(struct wm_disagreement *mismatch);

#endif
