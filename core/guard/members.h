/* Members: who of the ranks whose pages are there has which communicator, and how far it is in its calls. */
#ifndef WM_GUARD_MEMBERS_H
#define WM_GUARD_MEMBERS_H

#include "core/guard/pages.h"

/* One rank of one communicator, as it was when it was read. */
struct wm_member {
    uint64_t id; /* of the communicator */
    int page;    /* index */
    uint32_t comm;
    int rank, ranks;                       /* in the communicator, and of it */
    int first, end;                        /* of the communicator's members; `end` at the first one alone */
    uint64_t sequence, chain, types, wild; /* of its newest call */
};

struct wm_members {
    struct wm_member *list; /* by communicator, then by number of the newest call, then by page */
    int count, room;
    int *by_rank; /* members by communicator and rank in it */
};

/* Read a page, of this index, into members that are zeroed or have some; what is written meanwhile is left out. All are
 * read: sort them. 0 or -WM_ENOMEM. */
int wm_members_read(struct wm_members *members, const struct wm_page *page, int index);
int wm_members_sort(struct wm_members *members);
void wm_members_release(struct wm_members *members);

/* The end of the members of the communicator that begin at `first`. */
int wm_members_end(const struct wm_members *members, int first);

/* The end of those of a member's communicator that have not made the call of this number, which it has. */
int wm_members_before(const struct wm_members *members, int member, uint64_t sequence);

/* The chains after call `sequence` of the member, from its page's ring. False: it is not there any more. */
bool wm_member_at(const struct wm_page *page, const struct wm_member *member, uint64_t sequence,
                  struct wm_page_entry *entry);

/* How that call looked; false: this is not known any more. */
bool wm_member_call(const struct wm_page *page, const struct wm_member *member, const struct wm_page_entry *entry,
                    struct wm_page_call *call);

#endif
