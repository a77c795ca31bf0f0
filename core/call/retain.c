/* Handles held: types by persistent requests that are never started, for the library keeps what these name. */
#include "core/call/retain.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "core/call/leak.h"
#include "core/call/publish.h"
#include "core/data/allocate.h"
#include "core/data/geometry.h"
#include "waymark/runtime.h"

/* The user's operators that calls hold. The library keeps none for us, so the freeing waits. */
struct held_op {
    struct held_op *next;
    MPI_Op op;
    int users;
    bool freed;
};

static _Atomic int held_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct held_op *held;

static struct held_op **find_op(MPI_Op op)
{
    struct held_op **link = &held;

    while (*link != NULL && (*link)->op != op)
        link = &(*link)->next;
    return link;
}

void wm_retain_op(struct wm_retained *r, MPI_Op op)
{
    struct held_op **link;

    if (op == MPI_OP_NULL || wm_geometry_predefined(op))
        return;
    pthread_mutex_lock(&lock);
    link = find_op(op);
    if (*link == NULL) {
        *link = wm_allocate_zeroed(sizeof **link, "the operator of a collective");
        (*link)->op = op;
        held_count++;
    }
    r->op = *link;
    r->op->users++;
    pthread_mutex_unlock(&lock);
}

static void let_op_go(struct held_op *op)
{
    struct held_op **link;

    pthread_mutex_lock(&lock);
    if (--op->users == 0) {
        link = find_op(op->op);
        *link = op->next;
        held_count--;
        if (op->freed)
            PMPI_Op_free(&op->op);
        free(op);
    }
    pthread_mutex_unlock(&lock);
}

bool wm_op_free(MPI_Op *op, int *rc)
{
    struct held_op *found;

    wm_publish_op_free();
    wm_leak_remove(WM_LEAK_OPERATOR, *op);
    if (atomic_load_explicit(&held_count, memory_order_relaxed) == 0)
        return false;
    pthread_mutex_lock(&lock);
    found = *find_op(*op);
    if (found != NULL)
        found->freed = true;
    pthread_mutex_unlock(&lock);
    if (found == NULL)
        return false;
    *op = MPI_OP_NULL;
    *rc = MPI_SUCCESS;
    return true;
}

/* Room for one more; NULL without memory: then the handle is not held. */
static MPI_Request *new_holder(struct wm_retained *r)
{
    MPI_Request *grown = realloc(r->holders, sizeof *grown * (size_t)(r->count + 1));

    if (grown == NULL)
        return NULL;
    r->holders = grown;
    grown[r->count] = MPI_REQUEST_NULL;
    return &grown[r->count++];
}

void wm_retain_type(struct wm_retained *r, MPI_Datatype type)
{
    MPI_Request *holder;

    if (!wm_geometry_named(type) && (holder = new_holder(r)) != NULL)
        PMPI_Recv_init(NULL, 0, type, 0, 0, wm_geometry_own(), holder);
}

/* What means nothing at this rank need not be a handle at all. */
static void hold_side(struct wm_retained *r, const struct wm_side *side)
{
    if (side->count > 0 && side->types == NULL)
        wm_retain_type(r, side->type);
    for (int i = 0; i < side->count && side->types != NULL; i++) /* those of empty blocks, too, are looked at later */
        wm_retain_type(r, side->types[i]);
}

void wm_retain(struct wm_retained *r, const struct wm_described *described)
{
    const struct wm_call *call = described->binding.call;

    if (call->operation == WM_BARRIER)
        return;
    if (wm_operation_combines(call->operation)) {
        wm_retain_type(r, call->receive_type);
        wm_retain_op(r, call->op);
    } else {
        hold_side(r, &described->send);
        hold_side(r, &described->receive);
    }
}

/* The user's own stays where there is no vector. */
static const void *keep(struct wm_retained *r, const void *vector, int count, size_t element_bytes)
{
    void *copy;

    if (vector == NULL || count <= 0)
        return vector;
    copy = wm_allocate((size_t)count * element_bytes, "the counts of a collective");
    r->vectors[r->vector_count++] = copy;
    return memcpy(copy, vector, (size_t)count * element_bytes);
}

static void keep_side(struct wm_retained *r, struct wm_side *s)
{
    s->counts = keep(r, s->counts, s->count, sizeof *s->counts);
    s->displs = keep(r, s->displs, s->count, sizeof *s->displs);
    s->places = keep(r, s->places, s->count, sizeof *s->places);
    s->types = keep(r, s->types, s->count, sizeof *s->types);
}

void wm_retain_vectors(struct wm_retained *r, struct wm_call *call, struct wm_described *d)
{
    if (wm_operation_combines(call->operation)) {
        if (wm_operation_takes_vectors(call->operation))
            call->receive_counts = keep(r, call->receive_counts, d->plan_call.data.count, sizeof *call->receive_counts);
        return;
    }
    if (d->send.count > 0) {
        keep_side(r, &d->send);
        call->send_counts = d->send.counts;
        call->send_displs = d->send.displs;
        call->send_places = d->send.places;
        call->send_types = d->send.types;
    }
    if (d->receive.count > 0) {
        keep_side(r, &d->receive);
        call->receive_counts = d->receive.counts;
        call->receive_displs = d->receive.displs;
        call->receive_places = d->receive.places;
        call->receive_types = d->receive.types;
    }
}

void wm_retained_release(struct wm_retained *r)
{
    for (int i = 0; i < r->vector_count; i++)
        free(r->vectors[i]);
    for (int i = 0; i < r->count; i++)
        if (r->holders[i] != MPI_REQUEST_NULL)
            PMPI_Request_free(&r->holders[i]);
    free(r->holders);
    if (r->op != NULL)
        let_op_go(r->op);
    *r = (struct wm_retained){0};
}
