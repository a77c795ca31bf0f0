/* A call: the arguments of one MPI collective made uniform. The doors fill it; a plan is bound to it.
 *
 * Blocking, nonblocking and persistent calls of an operation are the same call; they differ in `native` alone. */
#ifndef WM_CALL_H
#define WM_CALL_H

#include <mpi.h>
#include "waymark/operation.h"

/* Fields that an operation does not have stay zero. Pointers are the user's, never written through but for `receive`;
 * MPI_IN_PLACE, MPI_BOTTOM and handles are C's, whatever language called. */
struct wm_call {
    MPI_Comm comm;
    const void *send; /* bcast: the buffer stands in `receive` alone */
    void *receive;
    MPI_Datatype send_type, receive_type; /* bcast, reduce, allreduce, scan: `receive_type` */
    MPI_Op op;
    enum wm_operation operation;
    int root;
    int send_count, receive_count;                                          /* likewise `receive_count` */
    const int *send_counts, *send_displs, *receive_counts, *receive_displs; /* v and w forms, reduce_scatter */
    const MPI_Datatype *send_types, *receive_types;                         /* alltoallw, neighbor_alltoallw */
    const MPI_Aint *send_places, *receive_places; /* displacements of neighbor_alltoallw, which has no displs */
    const void *site;                             /* where the program's code goes on behind the call; NULL: unknown */
    MPI_Info info;                                /* persistent calls */
    /* The same call by PMPI; `request` is NULL in a blocking call, else where the new request goes. */
    int (*native)(const struct wm_call *call, MPI_Request *request);
    /* A nonblocking call as a persistent one that is not started; NULL: the library has none, or it is another call. */
    int (*init)(const struct wm_call *call, MPI_Request *request);
};

#endif
