/* Control of the recording: how much of what begins now is recorded.
 *
 * There is a level, by WAYMARK_TRACE_LEVEL, MPI_Pcontrol or a watcher (tracer/live.h), whoever spoke last, and there
 * may be windows: numbers of calls on each communicator (runs, of a conveyor), which are the same on all ranks, and
 * seconds since MPI_Init, by each rank's clock. Outside of a window the level is off; with two windows both must hold.
 *
 * Whatever has a beginning and an end (a call, a conveyor's run) asks wm_control_begin when it begins and keeps to the
 * answer until its end, wherever the level goes meanwhile. So a trace has no call that is entered and never left, and
 * no message that is posted and never done. */
#ifndef WM_CONTROL_H
#define WM_CONTROL_H

#include "core/process/process.h"

/* The recorders are open, or about to be closed. */
void wm_control_start(void);
void wm_control_stop(void);

/* Of wm_control_begin, where there are windows. */
uint64_t wm_control_begin_in_window(uint32_t sequence);

/* Take the level that a watcher asks for. */
void wm_control_hear(void);

/* The kinds of records (WM_TRACE_KIND_BIT) of a call, or a run, that begins now with this number; 0 without a trace. */
static inline uint64_t wm_control_begin(uint32_t sequence)
{
    struct wm_recording *recording = wm_process_recording();

    if (recording == NULL)
        return 0;
    if (__builtin_expect(wm_recorder_is_asked(recording->ring), false))
        wm_control_hear();
    return __builtin_expect(wm_process.windows, false) ? wm_control_begin_in_window(sequence)
                                                       : wm_recorder_kinds(recording->ring);
}

/* Is a record of no call, a mark or a region, to be made now? There is a trace. Numbers of calls do not matter to it.
 */
bool wm_control_wants(enum wm_trace_kind kind);

#endif
