/* What a schedule consists of; for the handler of crashes as well. */
#ifndef WM_SUBRANK_SCHEDULE_STATE_H
#define WM_SUBRANK_SCHEDULE_STATE_H

#include "core/subrank/coroutine.h"
#include "core/subrank/schedule.h"

enum wm_subrank_state { WM_SUBRANK_READY, WM_SUBRANK_ASLEEP, WM_SUBRANK_ENDED };

struct wm_subrank {
    _Alignas(64) struct wm_coroutine coroutine; /* what a switch needs is one cache line */
    struct wm_subrank *next, *before;           /* in the ring, while it is ready */
    enum wm_subrank_state state;
    bool woken;
    int number;
    struct wm_stack stack;
};

struct wm_worker {
    struct wm_schedule_parts parts;
    struct wm_subrank *subranks;
    struct wm_subrank *running; /* or about to sleep or end */
    struct wm_subrank *ring;    /* the ready one that runs, or is to run next; NULL: none is ready */
    int ready_count, alive_count;
    int rests; /* of subranks, since one went on */
    struct wm_coroutine home;
};

/* The worker that this thread is, or NULL. */
extern _Thread_local struct wm_worker *wm_worker __attribute__((tls_model("initial-exec")));

/* Have signals of crashes told with the subrank's number, in this thread, until wm_crash_ignore(). */
void wm_crash_tell(void);
void wm_crash_ignore(void);

#endif
