/* Steps of a flight: run, recorded, complete. A message may be split: what goes before it, when a held one is due or
 * the call's print, is a message of its own under the same tag. */
#ifndef WM_ENGINE_STEP_H
#define WM_ENGINE_STEP_H

#include "core/engine/state.h"

/* Run the steps that are ready, and those that become so. */
void wm_steps_run(struct wm_engine *engine, struct wm_flight *flight);

/* The step is over: those that wait for it alone become ready. */
void wm_step_complete(struct wm_flight *flight, int step);

/* The step's message is here, or gone; one part of it, if it is held. */
void wm_step_message_over(struct wm_engine *engine, struct wm_flight *flight, int step, int error);

/* A print has come, or is gone: its ticket has the step's number, negative. */
void wm_step_print_over(struct wm_flight *flight, int ticket, int error);

/* The net that carries its messages: without shared memory that of MPI. */
struct wm_net *wm_step_net(struct wm_engine *engine, const struct wm_step *step);

/* Is this step recorded? Decided when its call began. */
bool wm_step_is_recorded(const struct wm_flight *flight, const struct wm_step *step, enum wm_trace_kind kind);
void wm_step_record(struct wm_engine *engine, const struct wm_flight *flight, const struct wm_step *step,
                    enum wm_trace_kind kind, uint64_t argument);

/* One end of a message, if it is recorded. */
void wm_step_record_edge(struct wm_engine *engine, const struct wm_flight *flight, const struct wm_step *step,
                         enum wm_trace_kind kind);

#endif
