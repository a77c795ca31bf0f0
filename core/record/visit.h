/* A visit: what the trace is told of a call whose records are not steps of a plan: the library's own, and how long the
 * program waited for a request. */
#ifndef WM_VISIT_H
#define WM_VISIT_H

#include "waymark/call.h"
#include "core/path/path.h"
#include "core/plan/plan.h"
#include "core/process/process.h"

struct wm_visit {
    uint32_t
        kinds; /* recorded, as of the call's beginning (core/record/control.h); 0: nothing is, and the rest is unset */
    uint32_t communicator, sequence;
    int32_t root;
    uint64_t bytes;
    uint8_t operation;
    uint8_t count;                        /* of trace wrappers about the call; none: 0 stands for it; from outside */
    uint16_t nodes[WM_PATH_WRAPPERS_MAX]; /* theirs */
};

/* A call that is the library's, inside the trace wrappers of `path`, or, without a path, of its own. `communicator` is
 * the trace's number. */
void wm_visit_make(struct wm_visit *visit, uint32_t communicator, const struct wm_call *call,
                   const struct wm_path *path, uint32_t sequence, uint32_t kinds);
/* The same of a call that flies `plan`, whose own steps record all but the waiting. One that no trace wrapper is about
 * records nothing. */
void wm_visit_make_planned(struct wm_visit *visit, uint32_t communicator, const struct wm_call *call,
                           const struct wm_plan *plan, uint32_t sequence, uint32_t kinds);

/* Record that it begins, or ends, now. */
void wm_visit_enter(const struct wm_visit *visit);
void wm_visit_leave(const struct wm_visit *visit);
/* The program has it back, after `ticks` in MPI_Wait and its like. */
void wm_visit_wait(const struct wm_visit *visit, uint64_t ticks);

#endif
