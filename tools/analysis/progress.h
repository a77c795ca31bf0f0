/* Progress: a line on a terminal that says how far a long analysis has come. */
#ifndef WM_PROGRESS_H
#define WM_PROGRESS_H

#include <stdio.h>
#include "tools/analysis/observer.h"

struct wm_progress {
    FILE *file;                      /* NULL: nobody looks */
    const struct wm_observer *inner; /* who is shown everything as well; NULL: nobody */
    int64_t begun_ns, shown_ns;
    uint64_t calls;
    struct wm_observer observer; /* to be handed to the analysis */
};

/* Begin: pass progress->observer on. The line appears on stderr, if that is a terminal, after a second. */
void wm_progress_begin(struct wm_progress *progress, const struct wm_observer *inner);
/* Wipe the line. */
void wm_progress_end(struct wm_progress *progress);

#endif
