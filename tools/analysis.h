/* The analysis of a trace: where the time of the collectives went, by line of the map. Definitions:
 * TRACES.md, 1 to 8.
 *
 * An instance is one collective call on one communicator, seen by all its ranks; a visit is one rank's stay
 * in one trace wrapper of it (or in a native call: node 0), from the first enter to the last leave. A visit's
 * time is cut without rest into: late (waiting for the last rank on which it depends to arrive), inside
 * (waiting for the other side of an edge after that), transfer, work (operators and copies) and overhead. The
 * outermost visit's pieces are also put on the stage wrappers that made the edges; there `late` is edge
 * waiting before the last arrival.
 *
 * All times are nanoseconds summed over ranks; ranks are world ranks. */
#ifndef WM_ANALYSIS_H
#define WM_ANALYSIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "core/operation.h"
#include "tools/belts.h"
#include "tracer/reader.h"

enum { WM_SLOW_MAX = 5, WM_STUCK_MAX = 16, WM_PENDING_MAX = 8 };

/* A node of the map under one operation: a trace wrapper, a stage, or (node 0) the native calls. */
struct wm_line {
    uint16_t node;
    uint8_t operation;
    bool visited;            /* it has visits: a trace wrapper or native; else a stage */
    bool outermost;          /* of its instances' traces */
    bool shared;             /* a stage whose work was, at least in part, done in a node's shared memory */
    uint64_t calls;          /* instances */
    uint64_t visits, pieces; /* visits, and enters: more under `segment` */
    uint64_t messages;       /* stages: received */
    uint64_t bytes;          /* visited: the calls' bytes, once an instance; stages: received in messages */
    int64_t time_ns, late_ns, inside_ns, transfer_ns, work_ns, overhead_ns;
    int64_t *wait_by_rank;  /* job_ranks entries; who was waited for; NULL: nobody */
    uint64_t *last_by_rank; /* job_ranks entries; instances in which this rank came last; NULL on stages */
    uint64_t last_group;    /* private */
};

struct wm_slow {
    uint32_t communicator, sequence; /* communicator: key */
    uint16_t node;
    uint8_t operation;
    uint64_t bytes;
    int64_t begin_ns, duration_ns; /* first enter to last leave */
    int64_t skew_ns;               /* first enter to last enter */
    int last_rank;
};

struct wm_edge_cost {
    uint16_t node;
    int source, destination;
    uint64_t messages, bytes;
    int64_t wait_ns, transfer_ns; /* charged, at both ends */
};

struct wm_pending {
    int source, destination;
    uint64_t bytes;
    int64_t since_ns;
    bool receive; /* who waits: the destination, else the source */
};

/* A call that was in flight when a rank stopped without a closing record. */
struct wm_stuck {
    uint32_t communicator, sequence;
    uint16_t node;
    uint8_t operation;
    uint64_t bytes;
    int64_t since_ns;
    int inside_count, absent_count; /* ranks in it; ranks with a trace that never came */
    int *inside, *absent;
    int pending_count;
    struct wm_pending pending[WM_PENDING_MAX];
};

/* A rank without a closing record. */
struct wm_death {
    const struct wm_trace_rank *rank;
    bool inside;                        /* a call */
    int64_t last_ns;                    /* its last record */
    const struct wm_trace_record *last; /* NULL: none; only enters, leaves and edges count */
};

struct wm_analysis {
    uint64_t events, lost;
    int64_t run_ns;    /* start to end, summed over ranks */
    int64_t span_ns;   /* earliest start to latest end */
    size_t line_count; /* by operation, then line and column in the map */
    struct wm_line *lines;
    int slow_count; /* the slowest first */
    struct wm_slow slow[WM_SLOW_MAX];
    size_t edge_count; /* dearest first */
    struct wm_edge_cost *edges;
    uint64_t questions;
    int64_t question_ns, question_max_ns;
    uint64_t violations; /* receives that end before their send begins: the clocks disagree */
    int64_t violation_max_ns;
    uint64_t incomplete;    /* visits whose enter or leave is missing */
    uint64_t unmatched;     /* edges that lack the other side */
    uint64_t unknown;       /* records of unknown communicators, ranks or operations */
    struct wm_belts *belts; /* conveyors; never NULL */
    int64_t residual_ns;    /* sum of |time - its parts|; zero */
    int stuck_count, stuck_more;
    struct wm_stuck stuck[WM_STUCK_MAX];
    int death_count;
    struct wm_death *deaths;
};

/* Analyse the whole trace. Time O(n log n) and memory O(calls) in its records. 0 or -WM_ENOMEM; *analysis is
 * the caller's (wm_analysis_free) or NULL. */
int wm_analysis_make(struct wm_analysis **analysis, struct wm_trace *trace);
void wm_analysis_free(struct wm_analysis *analysis);

/* The rank with the greatest entry of wait_by_rank, and its share of their sum; -1 when nobody was waited
 * for. */
int wm_line_late_rank(const struct wm_line *line, int job_ranks, double *share);

#endif
