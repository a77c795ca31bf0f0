/* Handles that the user may free while a call that names them is on its way. */
#ifndef WM_RETAIN_H
#define WM_RETAIN_H

#include "core/describe.h"

struct held_op;

struct wm_retained {
    int count;
    MPI_Request *holders; /* of types */
    struct held_op *op;
};

/* Hold the datatypes and the operator of a described call, so that they live until released. Predefined ones cost
 * nothing. Local. */
void wm_retain(struct wm_retained *retained, const struct wm_described *described);
void wm_retained_release(struct wm_retained *retained);

#endif
