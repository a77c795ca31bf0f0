/* Settings: the environment, read once, in one table that the manual is made from. */
#ifndef WM_SETTINGS_H
#define WM_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include "core/error.h"
#include "tracer/tracer.h"

/* clang-format off */
#define WM_SETTINGS(X)                                                                                                     \
    X(MAP,          "",       "the path map: a file, or the name of a shipped map; unset: every call stays native ('waymark run' sets it)") \
    X(TRACE,        "",       "the directory for the trace; unset: no trace")                                                \
    X(TRACE_MODE,   "flight", "flight: a ring, the newest events stay; full: everything up to the quota")                    \
    X(TRACE_BYTES,  "32MiB",  "size of each rank's trace")                                                                   \
    X(TRACE_LEVEL,  "detail", "what is recorded: off; calls, with marks and waits; detail: their messages and steps, too. MPI_Pcontrol(0, 1 or 2) sets the same")  \
    X(TRACE_CALLS,  "",       "FIRST-LAST: of each communicator the collective calls of these numbers alone are recorded, from 0; '100-' has no end")  \
    X(TRACE_TIME,   "",       "BEGIN-END: what begins so many seconds after MPI_Init is recorded, and nothing else; '60-' has no end")  \
    X(TRACE_CLOCK,  "tsc",    "tsc where it is invariant, or monotonic: what stamps the events")                              \
    X(TRACE_SAMPLE, "10",     "of the items of a traced conveyor one in 2^k is watched on its whole way: k, from 0 to 62")     \
    X(ON_ERROR,     "abort",  "what a bad map or setting does: abort ends the job; native runs it natively, with a warning") \
    X(VERBOSE,      "0",      "1: say at the end what ran, what stayed native and why, and what the map server cost; 2: say of each new call which rule it falls under")                \
    X(MAP_DEADLINE, "10",     "seconds of processor time that the map server may take for an answer")                       \
    X(START_DEADLINE, "30",   "seconds after MPI_Init in which all ranks must have said that Waymark is loaded in them; 0: no limit")
/* clang-format on */

enum { WM_SETTING_CHARS = 1024 };

/* Plain data, so that rank 0's can be broadcast: all ranks must agree. */
struct wm_settings {
    char map[WM_SETTING_CHARS];
    char trace[WM_SETTING_CHARS];
    enum wm_trace_mode trace_mode;
    size_t trace_bytes;
    int trace_sample;
    enum wm_trace_level trace_level;
    uint32_t trace_first_call, trace_last_call; /* UINT32_MAX: no end */
    double trace_begin_s, trace_end_s;          /* INFINITY: no end */
    bool native_on_error;
    int verbose;
    double start_deadline_s;
};

/* Read WAYMARK_… . Returns 0 or -WM_EINVAL, with a sentence that names the variable. */
int wm_settings_read(struct wm_settings *settings, struct wm_error *error);

#endif
