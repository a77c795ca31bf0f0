/* The analysis of a trace: where the time of the collectives went, by line of the map. Definitions:
 * docs/definitions.md. Where they leave a choice:
 *
 *   - dependencies (2) of the v- and neighbor forms are those that the messages show (tools/analysis/reach.h). Without
 * messages (native calls, level `calls`), or with shared memory besides, the v-forms count as their plain forms; of the
 *     neighbor forms nothing is known then, and their calls have no waits.
 *   - late receiver (6): a send that was over before its receive was posted waited for nobody.
 *   - slack (10): the parent is ready when it next does something with what it received (works, sends, leaves), and
 *     propagation is counted from the receive's post where the parent was late. It is never negative; 0: critical.
 *   - small S (14): the quarter of the instances of the class (node, power of two of bytes, |P|) with the least skew.
 *   - a rank whose recording was switched off is absent from the calls of that time, and nobody waits for the absent.
 *
 * An instance is one collective call on one communicator, seen by all its ranks; a region is one rank's stay
 * in one trace wrapper of it (or in a native call: node 0), from the first enter to the last leave. A region's
 * time is cut without rest into: late (waiting for the last rank on which it depends to arrive), inside
 * (waiting for the other side of an edge after that), transfer, work (operators and copies) and overhead. The
 * outermost region's pieces are also put on the stage wrappers that made the edges; there `late` is edge
 * waiting before the last arrival.
 *
 * All times are nanoseconds summed over ranks; ranks are world ranks. */
#ifndef WM_ANALYSIS_H
#define WM_ANALYSIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "waymark/operation.h"
#include "tools/analysis/map_epochs.h"
#include "tools/analysis/conveyors.h"
#include "tools/analysis/protocols.h"
#include "tools/analysis/statements.h"
#include "tools/analysis/superblocks.h"
#include "tools/text/spread.h"
#include "tracer/reader.h"

enum { WM_SLOW_MAX = 5, WM_STUCK_MAX = 16, WM_PENDING_MAX = 8 };

/* What messages of one size cost on a stage. */
struct wm_size_cost {
    uint64_t bytes, messages;
    int64_t late_sender_ns, late_receiver_ns, transfer_ns; /* charged: at the receiver; at the sender; at both */
};

/* A node of the map under one operation: a trace wrapper, a stage, or (node 0) the native calls. */
struct wm_line {
    uint16_t node;
    uint8_t operation;
    bool visited;             /* it has regions: a trace wrapper or native; else a stage */
    bool outermost;           /* of its instances' traces */
    bool shared;              /* a stage whose work was, at least in part, done in a node's shared memory */
    uint64_t calls;           /* instances */
    uint64_t regions, pieces; /* regions, and enters: more under `segment` */
    uint64_t messages;        /* stages: received */
    uint64_t bytes;           /* visited: the calls' bytes, once an instance; stages: received in messages */
    int64_t time_ns, late_ns, inside_ns, transfer_ns, work_ns, overhead_ns;
    int64_t *wait_by_rank;               /* job_ranks entries; who was waited for; NULL: nobody */
    uint64_t *last_by_rank;              /* job_ranks entries; instances in which this rank came last; NULL on stages */
    uint64_t last_group, critical_group; /* private: the instances counted last */
    bool sizes_rounded;                  /* private: sizes are powers of two by now */

    struct wm_spread duration_ns, skew_ns; /* visited: of instances (first enter to last leave; S of definition 1) */
    struct wm_spread wait_ns, service_ns;  /* visited: of regions (W and C of definitions 3 and 4) */
    struct wm_spread completion_ns;        /* visited: of regions (definition 5) */
    int64_t *exclusive_by_rank;            /* job_ranks entries: time less waiting, charged to this node; NULL: none */
    double imbalance;                      /* greatest / mean - 1 of these, over the ranks that take part */
    int64_t floor_ns, excess_ns; /* visited: sums over regions of the floor (definition 14), and of what is above */
    uint64_t critical;           /* instances whose critical path passes this node */
    int64_t critical_ns;         /* time on critical paths */
    int64_t error_ns;            /* by how much late_ns + inside_ns may be wrong: the clocks' bounds */
    uint64_t unresolved;         /* of the waits, those below the clocks' resolution */
    size_t size_count;           /* stages: ascending; at most 64, the nearest powers of two when there are more */
    struct wm_size_cost *sizes;
    uint64_t flights;                  /* outermost: nonblocking calls that were waited for */
    int64_t flight_ns, flight_wait_ns; /* of these: start to completion; inside MPI_Wait and its like */
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
    int64_t wait_ns, transfer_ns;             /* charged, at both ends */
    int64_t late_sender_ns, late_receiver_ns; /* of the wait: at the receiver, at the sender */
    int64_t propagation_ns;                   /* sum of d - s (definition 6) */
    uint64_t instances, critical;             /* in which it occurs; whose critical path uses it */
    int64_t critical_ns;
    struct wm_spread slack_ns;           /* of its messages (definition 10) */
    uint64_t last_group, critical_group; /* private */
};

/* What a rank that others waited for had done too long since the last call that synchronised it with them (definition
 * 12). The costs of one line's delays sum to the line's late_ns (but for waits on ranks of which nothing is known). */
struct wm_delay {
    int rank;          /* who came late */
    uint16_t node;     /* where the others waited, */
    uint8_t operation; /* in what */
    bool computing;    /* it was outside of all traced calls too long; else in `cause_node` */
    uint16_t cause_node;
    uint8_t cause_operation;
    uint64_t instances;
    int64_t cost_ns;     /* of others' waits */
    int64_t excess_ns;   /* by how much it was longer at that than the mean of the other ranks, summed over instances */
    uint64_t last_group; /* private */
};

/* POP's efficiencies of the traced run, from 0 to 1; parallel = load_balance * communication, communication =
 * serialisation * transfer. Useful time is time outside of traced calls (of nonblocking ones: outside of MPI_Wait). Per
 * rank the run is what is on record of it: not what was lost, or passed while recording was off. With the longest run T
 * and the useful times u: parallel = mean u / T, load balance = mean u / max u. Serialisation and transfer are told
 * apart by an estimate of the run on an ideal network, where transfer, work and overhead of calls cost nothing and only
 * the waits for late ranks remain: T' = max (u + W); serialisation = max u / T', transfer = T' / T. All 0: unknown. */
struct wm_efficiency {
    double parallel, load_balance, communication, serialisation, transfer;
    bool messages; /* point-to-point calls are on record, and not useful */
};

struct wm_pending {
    int source, destination;
    uint64_t bytes;
    int64_t since_ns;
    bool receive;  /* who waits: the destination, else the source */
    uint16_t node; /* the stage that is to move it */
};

/* The earliest call that is not the same at all ranks: those of two calls of this number, whose operations or roots
 * differ. */
struct wm_mismatch {
    uint64_t instances; /* calls of which that holds; 0: none, and nothing else is set */
    uint32_t communicator, sequence;
    int64_t since_ns;
    struct wm_mismatch_side {
        uint8_t operation;
        int root; /* in the communicator; -1: there is none */
        int count;
        int *ranks;
    } sides[2];
};

/* A call that was in flight when a rank stopped without a closing record. */
struct wm_stuck {
    uint32_t communicator, sequence;
    uint16_t node;
    uint8_t operation;
    int root;
    uint64_t bytes;
    int64_t since_ns;
    int inside_count, absent_count; /* ranks in it; ranks with a trace that never came to it */
    int *inside, *absent;
    int pending_count;
    struct wm_pending pending[WM_PENDING_MAX];
};

/* A rank without a closing record. */
struct wm_death {
    const struct wm_trace_rank *rank;
    bool inside;                        /* a call */
    bool asks;                          /* a call's path was asked for, and not there yet */
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
    struct wm_map_epochs epochs;
    uint64_t violations; /* receives that end before their send begins: the clocks disagree */
    int64_t violation_max_ns;
    uint64_t incomplete;                     /* regions whose enter or leave is missing */
    uint64_t unmatched;                      /* edges that lack the other side */
    uint64_t unknown;                        /* records of unknown communicators, ranks or operations */
    struct wm_conveyor_table *conveyors;     /* conveyors; never NULL */
    struct wm_protocol_table *protocols;     /* likewise */
    struct wm_statement_table *statements;   /* likewise */
    struct wm_superblock_table *superblocks; /* likewise */
    int64_t residual_ns;                     /* sum of |time - its parts|; zero */
    int64_t path_residual_ns; /* sum over instances of |parts of the critical path - (e_last - a_there)|; zero */
    uint64_t path_count, path_last_on; /* instances with a critical path; of these, with the last to arrive on it */
    int64_t path_ns;
    size_t delay_count; /* dearest first */
    struct wm_delay *delays;
    struct wm_efficiency efficiency;
    uint64_t own_ns; /* an estimate of what recording cost: events times the cost of one, measured here */
    struct wm_mismatch mismatch;
    int stuck_count, stuck_more;
    struct wm_stuck stuck[WM_STUCK_MAX];
    int death_count;
    struct wm_death *deaths;
};

struct wm_observer; /* tools/analysis/observer.h */

/* Analyse the whole trace. Time O(n log n) and memory O(calls) in its records. `observer`: NULL, or who is shown each
 * instance. 0 or -WM_ENOMEM (also from the observer); *analysis is the caller's (wm_analysis_free) or NULL. */
int wm_analysis_make(struct wm_analysis **analysis, struct wm_trace *trace, const struct wm_observer *observer);
void wm_analysis_free(struct wm_analysis *analysis);

/* The rank with the greatest entry of wait_by_rank, and its share of their sum; -1 when nobody was waited
 * for. */
int wm_line_late_rank(const struct wm_line *line, int job_ranks, double *share);

#endif
