/* Changes: what of its ranks' pages a guard tells those above.
 *
 * A page is told by pieces, of which those go out that are others than were told before. Of each page each round says
 * whether its rank moves; its contents are told when it stands still in a call, has found a flaw, ends MPI, or is gone;
 * those of the others in turn, a few a round. Contents are told as they all stood at one time: those of a rank that
 * moves while they are read are left for another round. */
#ifndef WM_DOCTOR_CHANGES_H
#define WM_DOCTOR_CHANGES_H

#include "tools/doctor/tree.h"

enum { WM_PIECE_BYTES = 64, WM_PIECES = sizeof(struct wm_page) / WM_PIECE_BYTES };

/* Pages are compared by larger parts first. */
enum { WM_PART_BYTES = WM_PAGE_ALIGNMENT, WM_PARTS = sizeof(struct wm_page) / WM_PART_BYTES };

/* Of a page, in a frame of WM_NEWS_PAGES: then so many pieces, in ascending order. */
struct wm_page_change {
    int32_t rank;
    uint16_t pieces;
    uint16_t more; /* not 0: further pieces of this look at the page follow; `doing` does not hold yet */
    uint64_t doing, tick, process;
};

struct wm_page_piece {
    uint32_t index;
    uint8_t bytes[WM_PIECE_BYTES];
};

struct wm_changes {
    struct wm_page **pages; /* of this node */
    int count;
    struct wm_page *told; /* … as they were told */
    uint64_t *doing;      /* … when they were looked at last */
    uint32_t *rounds;     /* … in which it was the same */
    char *processes;      /* … what they did when they were asked last */
    struct wm_page *look; /* one of them, as it stood at one time, in parts that differ from what was told */
    bool differs[WM_PARTS];
    int turn;      /* whose contents are next to be told, whatever it does */
    size_t pieces; /* told in this round, but of pages told for the first time */
    uint8_t *frame;
    size_t bytes;
};

/* False: no memory. The list stays the caller's. */
bool wm_changes_init(struct wm_changes *changes, struct wm_page **pages, int count);
void wm_changes_release(struct wm_changes *changes);

/* Another guard may be above from now on: all is to be told again. */
void wm_changes_forget(struct wm_changes *changes);

/* Tell what has changed. */
void wm_changes_tell(struct wm_changes *changes, struct wm_tree *tree);

#endif
