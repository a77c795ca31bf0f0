/* What the user may free while a call that names it is in flight: handles, and, though MPI forbids it, vectors. */
#ifndef WM_RETAIN_H
#define WM_RETAIN_H

#include "core/call/describe.h"

struct held_op;

struct wm_retained {
    int count;
    MPI_Request *holders; /* of types */
    struct held_op *op;
    int vector_count;
    void *vectors[8];
};

/* Hold the datatypes and the operator of a described call, so that they live until released. Predefined ones cost
 * nothing. Local. */
void wm_retain(struct wm_retained *retained, const struct wm_described *described);
/* The same of one of them. */
void wm_retain_type(struct wm_retained *retained, MPI_Datatype type);
void wm_retain_op(struct wm_retained *retained, MPI_Op op);
/* Copy the vectors of counts, displacements and types, and let the call and its sides name the copies until released.
 * MPI wants the user's to stay, but the library itself reads them in the call, and programs (mpi4py 3.1) free them
 * then. */
void wm_retain_vectors(struct wm_retained *retained, struct wm_call *call, struct wm_described *described);
/* Give all of it back, when the call is over. */
void wm_retained_release(struct wm_retained *retained);

#endif
