/* The judge: what ranks wait for, and whether it can come. Pure: it is given pages, and who of their processes is gone.
 *
 * A rank in a collective call waits for the ranks of its communicator that have not made a call of that number; in a
 * receive, for its sender; in a send that its receive must come for, for the receiver; in MPI_Waitany, or in a receive
 * from any rank, for one of several. Three classes, never mixed. Proven: a rank is held when one that its call cannot
 * do without is gone, has left MPI or is held itself; or, where the call may do without some, when this is so of all
 * that it may wait for; and no message is underway to it that it could take. What could end no other way is left
 * standing by a greatest fixed point (held.h). Explained: what it waits for ends at ranks outside of MPI. Unknown: all
 * came, or some have no page, or a message may be underway. */
#ifndef WM_GUARD_JUDGE_H
#define WM_GUARD_JUDGE_H

#include "core/guard/disagreement.h"

enum wm_standing {
    WM_STANDS_OUTSIDE, /* not in a call that is known here */
    WM_STANDS_IN,      /* in a blocking call, of all or of messages */
    WM_STANDS_LEFT,    /* in MPI_Finalize, or beyond */
    WM_STANDS_GONE     /* its process is no more, and was not beyond MPI_Finalize */
};

enum { WM_WITNESS_ALL = -2 };

/* One rank: what of its page is asked more than once stands here. */
struct wm_stand {
    enum wm_standing standing;
    int rank;       /* in MPI_COMM_WORLD */
    uint64_t doing; /* its page's, when it was looked at */
    bool still;     /* it is in the call that it was in at the earlier look */
    bool held;      /* proven: it never comes out, … */
    int witness;    /* … for want of the rank of this page, or of all (WM_WITNESS_ALL) that it may wait for */
    struct wm_page_now now;
    struct wm_page_step step;
    uint64_t place;             /* of its call's site in the file that has it; the site, where that is not known */
    struct wm_page_entry entry; /* of the collective call that it is in */
    struct wm_page_call call;   /* valid if `known`: of a collective call */
    bool known;
    int first, missing_end; /* of the members: those who have not come to its call */
    bool threads;           /* its messages are not counted */
    int member;             /* itself; -1: not found */
};

struct wm_judgement {
    const struct wm_pages *pages;
    int count;
    struct wm_members members;
    struct wm_stand *stands; /* by page */
    struct wm_disagreement *mismatches;
    int mismatch_count;
    int held_count;                /* held ranks */
    int gone_count, waiting_count; /* gone ranks; ranks that are still in a call */
    int seen_count;                /* pages that have been begun: of the others nothing is known */
};

/* Look. `gone`: of each page. `earlier`: what stood in `doing` at an earlier look; NULL: nothing moves any more.
 * 0 or -WM_ENOMEM. */
int wm_judge(struct wm_judgement *judgement, const struct wm_pages *pages, const bool *gone, const uint64_t *earlier);
void wm_judgement_release(struct wm_judgement *judgement);

#endif
