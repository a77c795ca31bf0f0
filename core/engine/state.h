/* An engine and its flights, inside: what steps and progress share. */
#ifndef WM_ENGINE_STATE_H
#define WM_ENGINE_STATE_H

#include "core/engine/engine.h"
#include "core/engine/holding.h"
#include "core/shared/sharing.h"

enum { WM_STEP_DONE = -1 };

struct wm_flight {
    struct wm_flight *next; /* in the list of those under way, or of those to be used again */
    const struct wm_plan *plan;
    struct wm_binding binding;
    int left;  /* steps that are not done */
    int error; /* MPI_SUCCESS, or the first error */
    int tag_base;
    /* Of the plan's size, grown as needed. */
    int room;
    int *waiting;     /* dependencies to come, by step; WM_STEP_DONE: it is over */
    int oldest;       /* no step before it is under way */
    int *ready;       /* steps in the order in which they became ready */
    uint64_t *prints; /* by step, of a flight that is checked: what came with the message */
    int head, tail;
    int temporary_room;
    char **temporaries; /* address of unit 0 */
    char *arena;
    size_t arena_bytes;
    struct wm_sharing sharing;
    struct wm_holding holding;
};

struct wm_engine {
    struct wm_engine_parts parts;
    struct wm_lanes lanes;
    struct wm_flight *active, *idle;
    bool memory_asked; /* for the net of shared memory, which may have got none */
    bool failed;       /* a step has */
    uint64_t stamp;    /* of records that nothing but the engine's own work lies between; 0: to be taken */
};

/* To read the clock costs more than to write the record, so records between which nothing happens share a reading: from
 * when the engine is entered, or something has come back that takes time, to the next such thing. */
static inline void wm_engine_time_passes(struct wm_engine *e)
{
    e->stamp = 0;
}

static inline uint64_t wm_engine_stamp(struct wm_engine *e)
{
    if (e->stamp == 0)
        e->stamp = wm_recorder_now(e->parts.ring);
    return e->stamp;
}

static inline void wm_flight_fail(struct wm_flight *f, int rc)
{
    if (rc != MPI_SUCCESS && f->error == MPI_SUCCESS)
        f->error = rc;
}

#endif
