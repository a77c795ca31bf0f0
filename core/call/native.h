/* Native calls: why a call was left to the MPI library, and how often.
 *
 * Counted for the whole process, by operation and reason; summed over the ranks at the end. Pure but for the counters,
 * which any thread may raise. */
#ifndef WM_NATIVE_H
#define WM_NATIVE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "waymark/operation.h"

/* Reason; whether the map wishes it so (ASKED) or would have had a path walked (DENIED); the sentence. */
/* clang-format off */
#define WM_NATIVE_REASONS(X)                                                                      \
    X(NO_MAP,      ASKED,  "there is no map")                                                     \
    X(NO_RULES,    ASKED,  "the map has no rules for it")                                         \
    X(NO_MATCH,    ASKED,  "no rule of the map held")                                             \
    X(BY_MAP,      ASKED,  "its rule's path ends in (native)")                                    \
    X(ARGUMENT,    ASKED,  "an argument was wrong: the MPI library is to say so")                 \
    X(INTERCOMM,   ASKED,  "on an intercommunicator, which no path serves")                       \
    X(WORLDS,      ASKED,  "on a communicator of several MPI_COMM_WORLDs, which no path serves")  \
    X(COMM_FAILED, DENIED, "on a communicator that could not be prepared for plans")              \
    X(NUMBERS,     DENIED, "on one communicator more than tags can tell apart")                   \
    X(MAP_FAILED,  DENIED, "the map failed when it was asked")                                    \
    X(NO_PROGRESS, DENIED, "nonblocking, and nothing would progress a plan")                      \
    X(UNSETTLED,   DENIED, "nonblocking, and not known to all ranks when it was made")            \
    X(TOO_MANY,    DENIED, "more persistent requests than plans serve")
/* clang-format on */

enum wm_native_reason {
#define X(id, wish, sentence) WM_NATIVE_##id,
    WM_NATIVE_REASONS(X)
#undef X
        WM_NATIVE_REASON_COUNT
};

/* Plain data, for a reduction: `calls` by MPI_SUM, `lines` by MPI_MAX. */
struct wm_native_tally {
    uint64_t calls[WM_OPERATION_COUNT][WM_NATIVE_REASON_COUNT];
    int lines[2][WM_OPERATION_COUNT]; /* of (native): the last line, and the negative of the first; INT_MIN: none */
};

enum {
    WM_NATIVE_CALL_COUNTS = WM_OPERATION_COUNT * WM_NATIVE_REASON_COUNT,
    WM_NATIVE_LINE_COUNTS = 2 * WM_OPERATION_COUNT
};

/* One call of `operation` was left to the library. `line`: where the map says (native), 0 for other reasons.
 * `threads`: others may count at the same time. */
void wm_native_count(enum wm_operation operation, enum wm_native_reason reason, int line, bool threads);

/* What this process has counted. */
void wm_native_read(struct wm_native_tally *tally);

/* Print a line for each reason that calls of `operation` had, behind `prefix`. */
void wm_native_print(FILE *out, const char *prefix, const struct wm_native_tally *tally, enum wm_operation operation);

/* When calls of `planned` operations (WM_OPERATION_BIT of those that the map has rules for) stayed native against the
 * map's wish: write one sentence that says so, without a newline, and return true. */
bool wm_native_denied(const struct wm_native_tally *tally, uint32_t planned, const char *map_file, char *out,
                      size_t out_bytes);

#endif
