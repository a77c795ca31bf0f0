/* The live view itself: looks at a directory again and again, draws, obeys keys. */
#ifndef WM_TOP_WATCH_H
#define WM_TOP_WATCH_H

#include <stdbool.h>

struct wm_watch {
    const char *directory;
    int interval_ms, stuck_ms;
    bool once;        /* one frame */
    bool until_stuck; /* end when a rank is stuck, or the job is over */
};

enum { WM_WATCH_STUCK = 1, WM_WATCH_UNREADABLE = 3 };

/* Watch, and return the exit status: 0, WM_WATCH_STUCK (with `until_stuck` alone), WM_WATCH_UNREADABLE. Does not return
 * when a signal ends it. */
int wm_watch_run(const struct wm_watch *watch);

#endif
