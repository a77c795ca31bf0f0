/* Persistent calls: planned once, flown at each start, and completed by a carrier: a persistent receive of the process
 * from itself, to which a message is sent when the call is over. */
#include "core/call/persistent.h"

#include <pthread.h>
#include <stdlib.h>
#include "core/call/buffers.h"
#include "core/call/join.h"
#include "core/call/leak.h"
#include "core/call/left.h"
#include "core/call/pairs.h"
#include "core/call/progress.h"
#include "core/call/publish.h"
#include "core/call/retain.h"
#include "core/call/wait.h"
#include "core/data/allocate.h"
#include "core/record/control.h"
#include "waymark/runtime.h"

struct persistent {
    struct wm_request request; /* PLANNED until it is started */
    struct wm_call call;
    struct wm_retained retained;
    MPI_Request handle; /* what the user holds */
    bool freed;         /* … no more */
    bool library;       /* it is the library's own: the trace alone follows it, and of the request only the call's
                           communicator, sequence and wait are used */
    int tag;            /* of the carrier */
    struct persistent *next;
};

static void free_persistent(struct persistent *p)
{
    if (!p->library) {
        wm_kept_plan_give(p->request.kept);
        wm_described_release(&p->request.described);
        wm_retained_release(&p->retained);
    }
    wm_waited_free(p->request.waited);
    free(p);
}

/* By the carrier's message, too long for it after an error, so that the user's wait returns one. */
static void tell(struct wm_request *r)
{
    struct persistent *p = (struct persistent *)r;
    char byte = 0;

    wm_request_raise(r);
    if (r->waited != NULL)
        atomic_store_explicit(&r->waited->resting, true, memory_order_release);
    PMPI_Send(&byte, r->rc != MPI_SUCCESS, MPI_BYTE, 0, p->tag, wm_geometry_own());
    if (p->freed)
        free_persistent(p);
}

enum { BUCKETS = 256 };

static _Atomic int persistent_count;
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static struct persistent *table[BUCKETS];

static struct persistent **bucket(MPI_Request handle)
{
    return &table[((uintptr_t)handle >> 6) % BUCKETS];
}

static void table_add(struct persistent *p)
{
    struct persistent **place = bucket(p->handle);

    pthread_mutex_lock(&table_lock);
    p->next = *place;
    *place = p;
    persistent_count++;
    pthread_mutex_unlock(&table_lock);
}

/* The request, or NULL; `take`: out of the table. */
static struct persistent *table_find(MPI_Request handle, bool take)
{
    struct persistent **link = bucket(handle), *p;

    pthread_mutex_lock(&table_lock);
    while (*link != NULL && (*link)->handle != handle)
        link = &(*link)->next;
    p = *link;
    if (p != NULL && take) {
        *link = p->next;
        persistent_count--;
    }
    pthread_mutex_unlock(&table_lock);
    return p;
}

static int make_carrier(struct persistent *p)
{
    static _Atomic int tags;

    p->tag = WM_OWN_TAGS + (tags++ & (WM_OWN_TAGS - 1));
    return PMPI_Recv_init(NULL, 0, MPI_BYTE, 0, p->tag, wm_geometry_own(), &p->handle);
}

/* Sizes are exchanged here, and not at each start: counts stay as they are. *path: what the map says, NULL when the
 * arguments are wrong, or the communicator could not join. */
static bool plan_persistent(struct persistent *p, const struct wm_path **path)
{
    struct wm_request *r = &p->request;

    *path = NULL;
    wm_requests_settle(r->comm);
    wm_join(r->comm);
    if (r->comm->tuning != NULL)
        wm_requests_meet(r->comm, r->sequence);
    if (r->comm->native_only || !wm_request_describe(r))
        return false;
    wm_request_enqueue(r);
    wm_request_wait(r);
    *path = r->path;
    if (r->state == WM_REQUEST_LEFT)
        return false;
    wm_retain(&p->retained, &r->described);
    wm_retain_vectors(&p->retained, &p->call, &r->described);
    return true;
}

static struct persistent *new_persistent(struct wm_comm *c, const struct wm_call *call, uint32_t sequence,
                                         uint64_t kinds)
{
    struct persistent *p = wm_allocate_zeroed(sizeof *p, "a request");

    p->call = *call;
    wm_request_init(&p->request, WM_REQUEST_PERSISTENT, c, &p->call, sequence, kinds);
    p->request.over = tell;
    return p;
}

/* Its starts are recorded as calls. Its region is made now: the user may free the types. */
static void follow_library(struct wm_comm *c, const struct wm_call *call, MPI_Request handle)
{
    const uint64_t all = wm_trace_level_kinds(WM_TRACE_DETAIL);
    struct persistent *p = new_persistent(c, call, 0, all);
    struct wm_waited *waited = wm_waited_new(all);

    p->library = true;
    p->handle = handle;
    p->request.waited = waited;
    if (waited != NULL) {
        waited->persistent = waited->library = true;
        wm_record_region_make(&waited->region, c->id, call, NULL, 0, wm_comm_kinds(c, all));
    }
    table_add(p);
}

/* Gives the lock back. */
static int init_with_library(struct wm_comm *c, const struct wm_call *call, MPI_Request *request)
{
    int rc;

    wm_comm_unlock(c);
    rc = call->native(call, request);
    if (rc == MPI_SUCCESS)
        wm_leak_add(WM_LEAK_REQUEST, *request, call->site);
    if (rc == MPI_SUCCESS && (wm_process.recordings != NULL || wm_verifies_full()) && !wm_comm_is_apart(c))
        follow_library(c, call, *request);
    return rc;
}

static int start_with_library(struct persistent *p)
{
    struct wm_request *r = &p->request;
    struct wm_waited *waited = r->waited;
    int rc;

    wm_waited_forget(p->handle); /* completed behind our back */
    wm_comm_lock(r->comm);
    r->sequence = r->comm->sequence++;
    wm_comm_unlock(r->comm);
    if (waited == NULL)
        return PMPI_Start(&p->handle);
    waited->region.sequence = r->sequence;
    waited->region.kinds = wm_control_begin(r->sequence);
    wm_record_region_enter(&waited->region, 0);
    rc = PMPI_Start(&p->handle);
    if (rc != MPI_SUCCESS)
        wm_record_region_leave(&waited->region);
    else if ((waited->leaves = wm_kinds_have(waited->region.kinds, WM_TRACE_WAIT)))
        wm_waited_list(waited, p->handle);
    return rc;
}

static int compare_pairs(struct wm_comm *c, const struct wm_call *call)
{
    wm_requests_settle(c);
    wm_join(c);
    return c->native_only ? MPI_SUCCESS : wm_pairs_compare(c, call, WM_FORM_PERSISTENT);
}

/* The call is published. */
static int init(struct wm_comm *c, const struct wm_call *call, MPI_Request *request)
{
    uint32_t sequence;
    uint64_t kinds;
    struct persistent *p;
    const struct wm_path *path;
    int rc;

    wm_comm_lock(c);
    sequence = c->sequence++;
    kinds = wm_control_begin(sequence);
    if (!wm_left_has_rules(c, call) || !wm_requests_start()) {
        wm_left_count_idle(c, call);
        return init_with_library(c, call, request);
    }
    if (wm_verifies_full() && (rc = compare_pairs(c, call)) != MPI_SUCCESS) {
        wm_comm_unlock(c);
        PMPI_Comm_call_errhandler(call->comm, rc);
        return rc;
    }
    p = new_persistent(c, call, sequence, kinds);
    if (!plan_persistent(p, &path)) {
        free(p);
        wm_left_count(c, call, path);
        return init_with_library(c, call, request);
    }
    rc = make_carrier(p);
    *request = p->handle;
    wm_leak_add(WM_LEAK_REQUEST, *request, call->site);
    table_add(p);
    wm_comm_unlock(c);
    return rc;
}

int wm_call_init(struct wm_comm *c, const struct wm_call *call, MPI_Request *request)
{
    int flaw, rc;

    if (c->shown == NULL)
        return init(c, call, request);
    wm_publish_call(c, call, WM_FORM_PERSISTENT);
    flaw = wm_buffers_look(c, call, WM_FORM_PERSISTENT);
    rc = init(c, call, request);
    if (rc != MPI_SUCCESS)
        return rc;
    wm_buffers_began(*request);
    return flaw;
}

/* Its record of waits lasts as long as the request, and stands in the table while it is in flight. */
static void await_persistent(struct persistent *p)
{
    struct wm_request *r = &p->request;

    if (r->waited == NULL && (r->waited = wm_waited_new(r->kinds)) != NULL)
        r->waited->persistent = true;
    if (r->waited == NULL)
        return;
    atomic_store_explicit(&r->waited->resting, false, memory_order_relaxed);
    if (wm_kinds_have(r->kinds, WM_TRACE_WAIT))
        wm_waited_list(r->waited, p->handle);
}

static int start(struct persistent *p)
{
    struct wm_request *r = &p->request;
    struct wm_comm *c = r->comm;
    int rc;

    wm_comm_lock(c);
    rc = r->state != WM_REQUEST_PLANNED ? MPI_ERR_REQUEST : PMPI_Start(&p->handle);
    if (rc == MPI_SUCCESS) {
        r->rc = MPI_SUCCESS;
        r->sequence = c->sequence++;
        r->kinds = wm_control_begin(r->sequence);
        await_persistent(p);
        wm_request_fly(r);
        wm_progress_begun(c);
        wm_requests_end(c);
    }
    wm_comm_unlock(c);
    return rc;
}

bool wm_request_start(MPI_Request *request, int *rc)
{
    struct persistent *p;
    int flaw;

    if (atomic_load_explicit(&persistent_count, memory_order_relaxed) == 0)
        return false;
    if ((p = table_find(*request, false)) == NULL)
        return false;
    flaw = wm_verifies_full() ? wm_buffers_start(*request) : MPI_SUCCESS;
    *rc = p->library ? start_with_library(p) : start(p);
    if (*rc == MPI_SUCCESS)
        *rc = flaw;
    return true;
}

bool wm_request_free(MPI_Request *request, int *rc)
{
    struct persistent *p;
    struct wm_comm *c;

    wm_waited_forget(*request);
    wm_leak_remove(WM_LEAK_REQUEST, *request);
    if (atomic_load_explicit(&persistent_count, memory_order_relaxed) == 0)
        return false;
    if ((p = table_find(*request, true)) == NULL)
        return false;
    c = p->request.comm;
    wm_comm_lock(c);
    *rc = PMPI_Request_free(request);
    p->freed = true;
    if (p->library || p->request.state == WM_REQUEST_PLANNED)
        free_persistent(p);
    wm_comm_unlock(c);
    return true;
}

void wm_persistent_forget(struct wm_comm *c)
{
    pthread_mutex_lock(&table_lock);
    for (int i = 0; i < BUCKETS; i++)
        for (struct persistent **link = &table[i]; *link != NULL;) {
            struct persistent *p = *link;

            if (p->request.comm != c) {
                link = &p->next;
                continue;
            }
            *link = p->next;
            persistent_count--;
            free_persistent(p);
        }
    pthread_mutex_unlock(&table_lock);
}
