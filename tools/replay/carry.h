/* Carrying out: all calls of a trace in an order in which each comes after those that its ranks made before.
 *
 * An instance is carried out once all its members are in it, or wait for it; a message, once both have posted it and
 * one waits. Where ranks wait crosswise, a posted one is whose members are all in some call: there they progress it, as
 * MPI does. */
#ifndef WM_REPLAY_CARRY_H
#define WM_REPLAY_CARRY_H

#include "tools/replay/calls.h"

struct wm_replay_carrier {
    void *context;
    /* The members of an instance come then; say when they leave. 0 or -WM_E…. */
    int (*take)(void *context, size_t instance, const struct wm_replay_times *times, int64_t *leaves_ns,
                struct wm_error *error);
    /* By how much longer than in the trace its post keeps the member. */
    int64_t (*post)(void *context, size_t instance, int member);
};

/* *run_ns: from the first start to the last end. Linear in calls. 0, or -WM_E… with a sentence. */
int wm_replay_carry(const struct wm_replay_calls *calls, const struct wm_replay_carrier *carrier, int64_t *run_ns,
                    struct wm_error *error);

#endif
