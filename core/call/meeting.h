/* Meetings: where the ranks of a communicator agree which map holds from here on.
 *
 * Calls are numbered from 1 as the program makes them: blocking and nonblocking ones, the making of persistent ones,
 * and questions of conveyors. At calls 1, 2, 4, …, later about WAYMARK_RETUNE seconds apart by the rate so far, rank 0
 * writes a letter before the call is served: the epoch (core/process/epochs.h), its map if it is another one, and the
 * number of the next such call. Meetings are held in the order of the queue. So all ranks serve a call under one map,
 * and those behind it wait; what is in flight lands under its plan, and persistent requests keep theirs.
 *
 * What a nonblocking call may take for settled when it is made, whatever is queued, holds up to the next meeting that
 * was known at the last call that waited for the queue.
 *
 * Only communicators under the process's map have meetings. They are all born in epoch 0, whatever is newer elsewhere,
 * and told at their first call. Hold the communicator's lock. */
#ifndef WM_MEETING_H
#define WM_MEETING_H

#include "core/call/comm.h"

struct wm_letter;

struct wm_tuning {
    uint32_t epoch; /* of the communicator's map */
    uint64_t calls; /* made so far */
    uint64_t next;  /* the first call in the queue's order with this number or a later one begins by a meeting */
    uint64_t settled_until;     /* calls before this one know what was settled */
    uint64_t gap;               /* calls between the last meeting and `next` */
    uint64_t met_calls, met_ns; /* rank 0: the last meeting's call and time */
    struct wm_letter *letter;   /* of the meeting that is held; NULL: none is */
};

/* Let the map of a new communicator change, if maps do. */
void wm_meeting_prepare(struct wm_comm *comm);
/* Let it stay as it is from now on. No meeting is held. */
void wm_meeting_forget(struct wm_comm *comm);

/* The number of a call that is made. */
static inline uint64_t wm_meeting_turn(struct wm_comm *comm)
{
    return comm->tuning != NULL ? ++comm->tuning->calls : 0;
}

/* Hold the meeting that is due before the call of this number, which is the queue's first; true: there is none, or it
 * is over. `sequence`: its ordinal for the trace. The communicator has joined, and may have numbers for its flights.
 * Never blocks. */
bool wm_meeting_over(struct wm_comm *comm, uint64_t turn, uint32_t sequence);

/* A call waited for the queue: what is settled holds up to the next meeting. */
static inline void wm_meeting_settle(struct wm_comm *comm)
{
    comm->tuning->settled_until = comm->tuning->next;
}

/* Is there a meeting before the next call, if it is blocking? */
static inline bool wm_meeting_is_due(const struct wm_comm *comm)
{
    return comm->tuning->calls + 1 >= comm->tuning->next;
}

/* A blocking call without one: it counts. The queue is empty. */
static inline void wm_meeting_pass(struct wm_comm *comm)
{
    wm_meeting_turn(comm);
    wm_meeting_settle(comm);
}

/* May this call take for settled what is? The same on all ranks. */
static inline bool wm_meeting_is_far(const struct wm_comm *comm, uint64_t turn)
{
    return comm->tuning == NULL || turn < comm->tuning->settled_until;
}

#endif
