/* The operations that a map has rules for, and what a path may do for each: the collective operations of MPI-3.1, and,
 * behind them, conveyors (waymark/convey.h), messages (waymark/message.h) and statements (waymark/communicate.h).
 *
 * One table: the name in a map, in a trace and in a report, the function, which way data flows, what the data is,
 * whose is combined, whether all ranks know how much it is, whether the call has a count for each block or one for
 * all, and whether it may be in place (MPI_IN_PLACE). Collectives are planned (core/plan/planner.h), conveyors,
 * messages and statements designed (core/path/design.h, core/path/message_design.h). */
#ifndef WM_OPERATION_H
#define WM_OPERATION_H

#include <stdbool.h>

/* How a stage finds its leaders (core/path/layout.h): from the root outwards, towards a root, to everyone. */
enum wm_flow_kind { WM_FLOW_DOWN, WM_FLOW_UP, WM_FLOW_ALL };

enum wm_data_kind {
    WM_DATA_WHOLE,   /* one and the same range at every rank: bcast, reduce, allreduce, scan; barrier has a unit of none
                      */
    WM_DATA_BLOCKS,  /* a block for each rank: gather, scatter, allgather, reduce-scatter */
    WM_DATA_PAIRS,   /* a block for each pair of ranks: alltoall */
    WM_DATA_EDGES,   /* a block for each edge of the communicator's topology: neighbor-… */
    WM_DATA_ITEMS,   /* items, each for a rank of its own, for as long as a run lasts: conveyor */
    WM_DATA_MESSAGES /* messages, each for a rank of its own: messages, of a protocol; statement */
};

/* Whose contributions a rank's result combines. */
enum wm_combined_kind { WM_COMBINED_NONE, WM_COMBINED_ALL, WM_COMBINED_UP_TO_ME, WM_COMBINED_BEFORE_ME };

/* clang-format off */
#define WM_OPERATIONS(X)                                                                                          \
    X(BARRIER,              "barrier",              "MPI_Barrier",              ALL,  WHOLE,  ALL,       SHARED, ONE,    APART)  \
    X(BCAST,                "bcast",                "MPI_Bcast",                DOWN, WHOLE,  NONE,      SHARED, ONE,    APART)  \
    X(REDUCE,               "reduce",               "MPI_Reduce",               UP,   WHOLE,  ALL,       SHARED, ONE,    IN_PLACE)  \
    X(ALLREDUCE,            "allreduce",            "MPI_Allreduce",            ALL,  WHOLE,  ALL,       SHARED, ONE,    IN_PLACE)  \
    X(GATHER,               "gather",               "MPI_Gather",               UP,   BLOCKS, NONE,      SHARED, ONE,    IN_PLACE)  \
    X(GATHERV,              "gatherv",              "MPI_Gatherv",              UP,   BLOCKS, NONE,      LOCAL,  VECTOR, IN_PLACE)  \
    X(SCATTER,              "scatter",              "MPI_Scatter",              DOWN, BLOCKS, NONE,      SHARED, ONE,    IN_PLACE)  \
    X(SCATTERV,             "scatterv",             "MPI_Scatterv",             DOWN, BLOCKS, NONE,      LOCAL,  VECTOR, IN_PLACE)  \
    X(ALLGATHER,            "allgather",            "MPI_Allgather",            ALL,  BLOCKS, NONE,      SHARED, ONE,    IN_PLACE)  \
    X(ALLGATHERV,           "allgatherv",           "MPI_Allgatherv",           ALL,  BLOCKS, NONE,      SHARED, VECTOR, IN_PLACE)  \
    X(ALLTOALL,             "alltoall",             "MPI_Alltoall",             ALL,  PAIRS,  NONE,      SHARED, ONE,    IN_PLACE)  \
    X(ALLTOALLV,            "alltoallv",            "MPI_Alltoallv",            ALL,  PAIRS,  NONE,      LOCAL,  VECTOR, IN_PLACE)  \
    X(ALLTOALLW,            "alltoallw",            "MPI_Alltoallw",            ALL,  PAIRS,  NONE,      LOCAL,  VECTOR, IN_PLACE)  \
    X(REDUCE_SCATTER,       "reduce-scatter",       "MPI_Reduce_scatter",       ALL,  BLOCKS, ALL,       SHARED, VECTOR, IN_PLACE)  \
    X(REDUCE_SCATTER_BLOCK, "reduce-scatter-block", "MPI_Reduce_scatter_block", ALL,  BLOCKS, ALL,       SHARED, ONE,    IN_PLACE)  \
    X(SCAN,                 "scan",                 "MPI_Scan",                 ALL,  WHOLE,  UP_TO_ME,  SHARED, ONE,    IN_PLACE)  \
    X(EXSCAN,               "exscan",               "MPI_Exscan",               ALL,  WHOLE,  BEFORE_ME, SHARED, ONE,    IN_PLACE)  \
    X(NEIGHBOR_ALLGATHER,   "neighbor-allgather",   "MPI_Neighbor_allgather",   ALL,  EDGES,  NONE,      LOCAL,  ONE,    APART)  \
    X(NEIGHBOR_ALLGATHERV,  "neighbor-allgatherv",  "MPI_Neighbor_allgatherv",  ALL,  EDGES,  NONE,      LOCAL,  VECTOR, APART)  \
    X(NEIGHBOR_ALLTOALL,    "neighbor-alltoall",    "MPI_Neighbor_alltoall",    ALL,  EDGES,  NONE,      LOCAL,  ONE,    APART)  \
    X(NEIGHBOR_ALLTOALLV,   "neighbor-alltoallv",   "MPI_Neighbor_alltoallv",   ALL,  EDGES,  NONE,      LOCAL,  VECTOR, APART)  \
    X(NEIGHBOR_ALLTOALLW,   "neighbor-alltoallw",   "MPI_Neighbor_alltoallw",   ALL,  EDGES,  NONE,      LOCAL,  VECTOR, APART)  \
    X(CONVEYOR,             "conveyor",             "convey_new",               ALL,  ITEMS,  NONE,      SHARED, ONE,    APART)  \
    X(MESSAGES,             "messages",             "WM_PROTOCOL",              ALL,  MESSAGES, NONE,    SHARED, ONE,    APART)  \
    X(STATEMENT,            "statement",            "WM_COMMUNICATE",           ALL,  MESSAGES, NONE,    SHARED, ONE,    APART)
/* clang-format on */

enum wm_operation {
#define X(id, name, function, flow, data, combined, sizes, counts, place) WM_##id,
    WM_OPERATIONS(X)
#undef X
        WM_OPERATION_COUNT,
    WM_COLLECTIVE_COUNT = WM_CONVEYOR /* those before it */
};

#define WM_OPERATION_BIT(operation) (1u << (operation))

#define WM_EVERY_OPERATION ((1u << WM_OPERATION_COUNT) - 1)
#define WM_EVERY_COLLECTIVE ((1u << WM_COLLECTIVE_COUNT) - 1)

/* Operations that differ only in how counts and types are given. */
#define WM_GATHER_BITS (WM_OPERATION_BIT(WM_GATHER) | WM_OPERATION_BIT(WM_GATHERV))
#define WM_SCATTER_BITS (WM_OPERATION_BIT(WM_SCATTER) | WM_OPERATION_BIT(WM_SCATTERV))
#define WM_ALLGATHER_BITS (WM_OPERATION_BIT(WM_ALLGATHER) | WM_OPERATION_BIT(WM_ALLGATHERV))
#define WM_ALLTOALL_BITS                                                                                               \
    (WM_OPERATION_BIT(WM_ALLTOALL) | WM_OPERATION_BIT(WM_ALLTOALLV) | WM_OPERATION_BIT(WM_ALLTOALLW))
#define WM_REDUCE_SCATTER_BITS (WM_OPERATION_BIT(WM_REDUCE_SCATTER) | WM_OPERATION_BIT(WM_REDUCE_SCATTER_BLOCK))
#define WM_SCAN_BITS (WM_OPERATION_BIT(WM_SCAN) | WM_OPERATION_BIT(WM_EXSCAN))
#define WM_NEIGHBOR_BITS                                                                                               \
    (WM_OPERATION_BIT(WM_NEIGHBOR_ALLGATHER) | WM_OPERATION_BIT(WM_NEIGHBOR_ALLGATHERV) |                              \
     WM_OPERATION_BIT(WM_NEIGHBOR_ALLTOALL) | WM_OPERATION_BIT(WM_NEIGHBOR_ALLTOALLV) |                                \
     WM_OPERATION_BIT(WM_NEIGHBOR_ALLTOALLW))

#define WM_MESSAGE_BITS (WM_OPERATION_BIT(WM_MESSAGES) | WM_OPERATION_BIT(WM_STATEMENT))

/* The name used in maps, "allreduce". */
const char *wm_operation_name(enum wm_operation operation);
/* The function that a program calls, "MPI_Allreduce". */
const char *wm_operation_function(enum wm_operation operation);
enum wm_flow_kind wm_operation_flow(enum wm_operation operation);
enum wm_data_kind wm_operation_data(enum wm_operation operation);
enum wm_combined_kind wm_operation_combined(enum wm_operation operation);
/* Contributions are combined: by an operator, or, in a barrier, by having come. */
bool wm_operation_combines(enum wm_operation operation);
/* All ranks know the `bytes` that a rule may look at; elsewhere counts are known to some ranks only. Of a conveyor they
 * are the size of an item, or the bound of those that differ in size; of messages, of each message; of a statement, the
 * most that a rank sends. */
bool wm_operation_bytes_shared(enum wm_operation operation);
/* The call has a count for each block, so that blocks differ in size. */
bool wm_operation_takes_vectors(enum wm_operation operation);
/* MPI_IN_PLACE may stand for a buffer, of the root alone where there is one. */
bool wm_operation_in_place(enum wm_operation operation);
/* scan, exscan: what a rank gets depends on the ranks before it. */
bool wm_operation_scans(enum wm_operation operation);
/* All who get data of a rank get the same block: bcast, gather(v), allgather(v), neighbor-allgather(v), and where it is
 * combined. */
bool wm_operation_sends_one_block(enum wm_operation operation);
/* No rank's call ends before all others have begun theirs, unless there is no data: neither a root, an order of ranks,
 * a count nor a topology may leave a rank out. */
bool wm_operation_synchronises(enum wm_operation operation);
/* The operation called `name`, or -1. */
int wm_operation_find(const char *name);
/* bcast, reduce, gather(v), scatter(v): `root` is meaningful. */
bool wm_operation_rooted(enum wm_operation operation);

#endif
