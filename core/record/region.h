/* Regions: calls whose records are not the steps of a plan. These are the library's own collectives, and the time that
 * the program spends in MPI_Wait and its like. A region is made when the call begins, and keeps what the records need.
 */
#ifndef WM_RECORD_REGION_H
#define WM_RECORD_REGION_H

#include "waymark/call.h"
#include "core/path/path.h"
#include "core/plan/plan.h"
#include "core/process/process.h"

struct wm_record_region {
    uint64_t kinds; /* of records, as of the call's beginning (core/record/control.h); 0: none, and the rest is unset */
    uint32_t communicator, sequence;
    int32_t root; /* of a statement the number of its definition */
    uint64_t bytes;
    uint8_t operation;
    uint8_t count;                        /* of the trace wrappers around the call, outermost first */
    uint16_t nodes[WM_PATH_WRAPPERS_MAX]; /* theirs in the map; 0: the call itself */
};

/* Make the region of a call that the library carries out, inside the trace wrappers of `path`; without a path it stands
 * for itself. `communicator` is the trace's number. Local. */
void wm_record_region_make(struct wm_record_region *region, uint32_t communicator, const struct wm_call *call,
                           const struct wm_path *path, uint32_t sequence, uint64_t kinds);

/* Make the region of a call that flies `plan`: the plan's own steps record all but the waiting. A plan without a trace
 * wrapper records nothing. Local. */
void wm_record_region_make_planned(struct wm_record_region *region, uint32_t communicator, const struct wm_call *call,
                                   const struct wm_plan *plan, uint32_t sequence, uint64_t kinds);

/* Make the region of a statement, inside the trace wrappers of `path`. Local. */
void wm_record_region_make_statement(struct wm_record_region *region, uint32_t communicator, const struct wm_path *path,
                                     uint64_t bytes, uint32_t sequence, uint64_t kinds);

/* Record that the region begins, at that time in ticks; 0: now. */
void wm_record_region_enter(const struct wm_record_region *region, uint64_t ticks);

/* Record that it ends now. */
void wm_record_region_leave(const struct wm_record_region *region);

/* Record that the program has its request back, after `ticks` in MPI_Wait and its like. */
void wm_record_region_wait(const struct wm_record_region *region, uint64_t ticks);

#endif
