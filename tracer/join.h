/* Joining clocks: from the CLOCK_MONOTONIC of each machine to one clock for the whole trace. For the reader's own
 * files.
 *
 * Clocks are named by the world rank that leads those who share one. A rank shares the clock of the rank that its trace
 * names, or, where that says nothing, of a rank of the same machine (boot id; host where that is unknown). A clock that
 * was compared with another follows that one by a curve (tracer/curve.h) through all comparisons, whose errors are half
 * of the interval and the other clock's own error then; up to a clock that was compared with none, the *top*. A clock
 * may be known although its leader's files are missing, because others were compared with it. Clocks of one top are
 * synchronised; tops are joined by the wall clocks at the starts of their first ranks, as good as the machines' time
 * service: WM_JOIN_WALL_ERROR_NS.
 *
 * The common clock is that of the first rank's top. */
#ifndef WM_JOIN_H
#define WM_JOIN_H

#include "tracer/curve.h"
#include "tracer/syncs.h"

enum { WM_JOIN_WALL_ERROR_NS = 1000000000 };

struct wm_joint_clock {
    int rank;          /* world rank of the leader */
    bool known;        /* `epoch_ns` is */
    uint64_t epoch_ns; /* on this clock: its curve's x is ns since then, as is its time on its own where it is a top */
    int top;           /* index of its top */
    struct wm_curve curve;
    double shift_ns, error_ns; /* to add to times and errors of a top */
};

struct wm_join {
    int count;
    struct wm_joint_clock *clocks; /* by rank: a clock stands behind those that it was compared with */
    int *of_rank;                  /* [trace->rank_count] */
};

/* Do two ranks share CLOCK_MONOTONIC, by what they say of their machines? */
bool wm_join_same_machine(const struct wm_trace_rank *a, const struct wm_trace_rank *b);

/* Join the clocks of trace->ranks. `syncs` and `own` are theirs: the latter leads from ticks since their start to ns of
 * CLOCK_MONOTONIC since then. Sets rank->clock, trace->several_clocks and trace->synchronised; adds warnings. Returns 0
 * or -WM_ENOMEM; wm_join_release in either case. */
int wm_join_find(struct wm_join *join, struct wm_trace *trace, const struct wm_syncs *syncs,
                 const struct wm_curve *own);
void wm_join_release(struct wm_join *join);

/* Common time, in ns since some instant, at `since_ns` after `monotonic_ns` on clock `clock`; and its error. */
double wm_join_at(const struct wm_join *join, int clock, uint64_t monotonic_ns, double since_ns, double *error_ns);

#endif
