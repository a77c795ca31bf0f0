/* The collective operations of MPI-3.1, and what a path may do for each.
 *
 * One table: the name in a map, in a trace and in a report, the MPI function, and which way data flows. */
#ifndef WM_OPERATION_H
#define WM_OPERATION_H

#include <stdbool.h>

/* How a stage finds its leaders (core/layout.h): from the root outwards, towards a root, to everyone. */
enum wm_flow_kind { WM_FLOW_NONE, WM_FLOW_DOWN, WM_FLOW_UP, WM_FLOW_ALL };

/* clang-format off */
#define WM_OPERATIONS(X)                                                       \
    X(BARRIER,              "barrier",              "MPI_Barrier",              ALL)  \
    X(BCAST,                "bcast",                "MPI_Bcast",                DOWN) \
    X(REDUCE,               "reduce",               "MPI_Reduce",               UP)   \
    X(ALLREDUCE,            "allreduce",            "MPI_Allreduce",            ALL)  \
    X(GATHER,               "gather",               "MPI_Gather",               NONE) \
    X(GATHERV,              "gatherv",              "MPI_Gatherv",              NONE) \
    X(SCATTER,              "scatter",              "MPI_Scatter",              NONE) \
    X(SCATTERV,             "scatterv",             "MPI_Scatterv",             NONE) \
    X(ALLGATHER,            "allgather",            "MPI_Allgather",            NONE) \
    X(ALLGATHERV,           "allgatherv",           "MPI_Allgatherv",           NONE) \
    X(ALLTOALL,             "alltoall",             "MPI_Alltoall",             NONE) \
    X(ALLTOALLV,            "alltoallv",            "MPI_Alltoallv",            NONE) \
    X(ALLTOALLW,            "alltoallw",            "MPI_Alltoallw",            NONE) \
    X(REDUCE_SCATTER,       "reduce-scatter",       "MPI_Reduce_scatter",       NONE) \
    X(REDUCE_SCATTER_BLOCK, "reduce-scatter-block", "MPI_Reduce_scatter_block", NONE) \
    X(SCAN,                 "scan",                 "MPI_Scan",                 NONE) \
    X(EXSCAN,               "exscan",               "MPI_Exscan",               NONE)
/* clang-format on */

enum wm_operation {
#define X(id, name, function, flow) WM_##id,
    WM_OPERATIONS(X)
#undef X
        WM_OPERATION_COUNT
};

#define WM_OPERATION_BIT(operation) (1u << (operation))

/* The name used in maps, "allreduce". */
const char *wm_operation_name(enum wm_operation operation);
/* The MPI function, "MPI_Allreduce". */
const char *wm_operation_function(enum wm_operation operation);
enum wm_flow_kind wm_operation_flow(enum wm_operation operation);
/* The operation called `name`, or -1. */
int wm_operation_find(const char *name);
/* bcast, reduce (and later gather, scatter): `root` is meaningful. */
bool wm_operation_rooted(enum wm_operation operation);

#endif
