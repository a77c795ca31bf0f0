/* Settings: the environment, read once, in one table that the manual is made from.
 *
 * A row has the name behind WAYMARK_, the field of struct wm_settings, its type, the value where the variable is unset
 * or empty, and what it is for. The type says what the field is (WM_SETTING_FIELD_…), and how it is read (read_… in
 * core/settings.c): a type without either does not compile. */
#ifndef WM_SETTINGS_H
#define WM_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include "core/error.h"
#include "tracer/tracer.h"

/* X(name, field, type, fallback, help) */
/* clang-format off */
#define WM_SETTINGS(X)                                                                                                  \
    X(MAP, map, text, "",                                                                                               \
      "the path map: a file, or the name of a shipped map; unset: every call stays native ('waymark run' sets it)")     \
    X(TRACE, trace, text, "", "the directory for the trace; unset: no trace")                                           \
    X(TRACE_MODE, trace_mode, mode, "flight",                                                                           \
      "flight: a ring, the newest events stay; full: everything up to the quota")                                       \
    X(TRACE_BYTES, trace_bytes, bytes, "32MiB", "size of each rank's trace")                                            \
    X(TRACE_LEVEL, trace_level, level, "detail",                                                                        \
      "what is recorded: off; calls, with marks and waits; detail: their messages and steps, too. MPI_Pcontrol(0, 1 or " \
      "2) sets the same")                                                                                               \
    X(TRACE_CALLS, trace_calls, calls, "",                                                                              \
      "FIRST-LAST: of each communicator the collective calls of these numbers alone are recorded, from 0; '100-' has "  \
      "no end")                                                                                                         \
    X(TRACE_TIME, trace_time, time, "",                                                                                 \
      "BEGIN-END: what begins so many seconds after MPI_Init is recorded, and nothing else; '60-' has no end")          \
    X(TRACE_CLOCK, trace_clock, clock, "tsc", "tsc where it is invariant, or monotonic: what stamps the events")        \
    X(TRACE_SAMPLE, trace_sample, power, "10",                                                                          \
      "of the items of a traced conveyor one in 2^k is watched on its whole way: k, from 0 to 62")                      \
    X(ON_ERROR, on_error, remedy, "start",                                                                              \
      "what a bad map or setting does: start ends the job while it starts, and runs natively, with a warning, what a "  \
      "fault concerns that a rule shows later; abort ends the job then, too; native never does")                        \
    X(VERBOSE, verbose, verbosity, "0",                                                                                 \
      "1: say at the end what ran, what stayed native and why, and what the map server cost; 2: say of each new call "  \
      "which rule it falls under")                                                                                      \
    X(GUARD, guard, guard, "off",                                                                                       \
      "on: each rank keeps a page that says where it is, for 'waymark doctor'; watch: a process on each node reads "    \
      "them, too, and says on the job's stderr what is wrong; off: neither")                                            \
    X(VERIFY, verify, verify, "off",                                                                                     \
      "what becomes of collective calls that do not match; all but off have a guard that watches. watch: as soon as the " \
      "guard has named them; each: a fingerprint goes with each call's data, too, and is compared before that is used; "  \
      "results: of one call in 16 what it gives is compared with what ranks gave; "                                      \
      "full: of all calls, and buffers, counts between pairs of ranks and what is never freed are looked at, too")                         \
    X(MISMATCH, mismatch, mismatch, "error",                                                                             \
      "what verifying does then: report says so, and the job goes on as it can; error: the call ends with an MPI error " \
      "on its communicator; abort: the job ends")                                                                        \
    X(RETUNE, retune_s, seconds, "0",                                                                                   \
      "seconds between the calls at which ranks agree whether 'waymark retune' has given the job another map; 0: it "  \
      "keeps its map")                                                                                                  \
    X(MAP_DEADLINE, map_deadline_ms, deadline, "10",                                                                    \
      "seconds of processor time that the map server may take for an answer")                                           \
    X(START_DEADLINE, start_deadline_s, seconds, "30",                                                                  \
      "seconds without a sign of life after MPI_Init; then ranks are asked whether Waymark is loaded in them, and "      \
      "those that are reached and say nothing for half as long end the job; 0: no limit")                               \
    X(UNEXPECTED, unexpected_bytes, bytes, "64MiB",                                                                     \
      "memory for messages that no receive waits for, of each protocol at each rank, where the program sets no limit; " \
      "what is beyond stays with its sender")                                                                           \
    X(PATIENCE, patience_s, seconds, "60",                                                                              \
      "seconds after which a rank that waits in a statement says in which one, and for whom, and the guard of a wait "  \
      "that nothing proves to be one for ever; 0: never")                                                               \
    X(CLUSTERS, finds_clusters, flag, "1",                                                                              \
      "1: hosts are asked how far they are from each other, for a map that names 'cluster'; 0: all are in one")         \
    X(CHECK, check, flag, "0",                                                                                          \
      "1: a statement that stores into a place twice by '<<=' ends the job, with both messages; it costs some time "    \
      "where it is found out what a statement sends")                                                                   \
    X(DEFER_SENDS, defers_sends, flag, "0",                                                                             \
      "1: a compute region of a subrank does not wait for the sends before it; the next pack or send region does")

#define WM_SETTING_FIELD_text(name) char name[WM_SETTING_CHARS];
#define WM_SETTING_FIELD_mode(name) enum wm_trace_mode name;
#define WM_SETTING_FIELD_bytes(name) size_t name;
#define WM_SETTING_FIELD_level(name) enum wm_trace_level name;
#define WM_SETTING_FIELD_calls(name) struct wm_call_window name;
#define WM_SETTING_FIELD_time(name) struct wm_time_window name;
#define WM_SETTING_FIELD_clock(name) enum wm_trace_clock name;
#define WM_SETTING_FIELD_power(name) int name;
#define WM_SETTING_FIELD_remedy(name) enum wm_remedy name;
#define WM_SETTING_FIELD_verbosity(name) int name;
#define WM_SETTING_FIELD_flag(name) bool name;
#define WM_SETTING_FIELD_guard(name) enum wm_guard_wish name;
#define WM_SETTING_FIELD_verify(name) enum wm_verify_wish name;
#define WM_SETTING_FIELD_mismatch(name) enum wm_mismatch_remedy name;
#define WM_SETTING_FIELD_deadline(name) unsigned name;
#define WM_SETTING_FIELD_seconds(name) double name;
/* clang-format on */

enum { WM_SETTING_CHARS = 1024 };

/* When a fault of the map ends the job: while it starts; whenever it shows; never. */
enum wm_remedy { WM_REMEDY_START, WM_REMEDY_ABORT, WM_REMEDY_NATIVE };

/* Ranks publish where they are, or do not; and a process watches over them. */
enum wm_guard_wish { WM_GUARD_OFF, WM_GUARD_ON, WM_GUARD_WATCH };

/* How calls that do not match are found out, so that something becomes of them; and what. */
enum wm_verify_wish { WM_VERIFY_OFF, WM_VERIFY_WATCH, WM_VERIFY_EACH, WM_VERIFY_RESULTS, WM_VERIFY_FULL };
enum wm_mismatch_remedy { WM_MISMATCH_REPORT, WM_MISMATCH_ERROR, WM_MISMATCH_ABORT };

struct wm_call_window {
    uint32_t first, last; /* UINT32_MAX: no end */
};

struct wm_time_window {
    double begin_s, end_s; /* INFINITY: no end */
};

/* Plain data, so that rank 0's can be broadcast: all ranks must agree. */
struct wm_settings {
#define X(name, field, type, fallback, help) WM_SETTING_FIELD_##type(field)
    WM_SETTINGS(X)
#undef X
};

enum wm_setting {
#define X(name, field, type, fallback, help) WM_SETTING_##name,
    WM_SETTINGS(X)
#undef X
        WM_SETTING_COUNT
};

/* Read WAYMARK_… . Returns 0 or -WM_EINVAL, with a sentence that names the variable. */
int wm_settings_read(struct wm_settings *settings, struct wm_error *error);

/* The same of one of them, for a tool that needs no other. */
int wm_setting_read(struct wm_settings *settings, enum wm_setting which, struct wm_error *error);

/* Any variable's value, or `fallback` where it is not set or empty. */
const char *wm_environment_or(const char *variable, const char *fallback);

#endif
