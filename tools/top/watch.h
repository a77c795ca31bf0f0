/* The live view itself: looks at a directory again and again, draws, obeys keys. */
#ifndef WM_TOP_WATCH_H
#define WM_TOP_WATCH_H

#include <stdbool.h>
#include <stdint.h>

struct wm_watch {
    const char *directory;
    int64_t interval_ns, stuck_ns;
    int level;        /* enum wm_trace_level, which the ranks are asked to record at; -1: nobody is asked */
    bool once;        /* look once, and print what is seen */
    bool until_stuck; /* end when a rank is stuck, or the job is over */
};

enum { WM_WATCH_STUCK = 1, WM_WATCH_UNREADABLE = 3 };

/* Watch, and return the exit status: 0, WM_WATCH_STUCK (with `until_stuck` alone), WM_WATCH_UNREADABLE. Does not return
 * when a signal ends it. */
int wm_watch_run(const struct wm_watch *watch);

#endif
