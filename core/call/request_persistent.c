/* Persistent calls: planned once, flown at each start, and completed by a carrier. */
#include <stdlib.h>
#include "core/record/control.h"
#include "core/node/progress_library.h"
#include "core/call/progress.h"
#include "core/call/request_state.h"
#include "waymark/runtime.h"

static void free_persistent(struct wm_request *r)
{
    if (!r->library) {
        wm_kept_plan_give(r->kept);
        wm_described_release(&r->described);
        wm_retained_release(&r->retained);
    }
    wm_waited_free(r->waited);
    free(r);
}

/* The carrier's message, too long for it after an error, so that the user's wait returns one. */
void wm_request_complete_carrier(struct wm_request *r)
{
    char byte = 0;

    r->active = false;
    if (r->waited != NULL)
        atomic_store_explicit(&r->waited->resting, true, memory_order_release);
    PMPI_Send(&byte, r->rc != MPI_SUCCESS, MPI_BYTE, 0, r->tag, wm_geometry_own());
    if (r->freed)
        free_persistent(r);
}

enum { BUCKETS = 256 };

static _Atomic int persistent_count;
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static struct wm_request *table[BUCKETS];

static struct wm_request **bucket(MPI_Request handle)
{
    return &table[((uintptr_t)handle >> 6) % BUCKETS];
}

static void table_add(struct wm_request *r)
{
    struct wm_request **place = bucket(r->handle);

    pthread_mutex_lock(&table_lock);
    r->next_in_table = *place;
    *place = r;
    persistent_count++;
    pthread_mutex_unlock(&table_lock);
}

/* The request, or NULL; `take`: out of the table. */
static struct wm_request *table_find(MPI_Request handle, bool take)
{
    struct wm_request **link = bucket(handle), *r;

    pthread_mutex_lock(&table_lock);
    while (*link != NULL && (*link)->handle != handle)
        link = &(*link)->next_in_table;
    r = *link;
    if (r != NULL && take) {
        *link = r->next_in_table;
        persistent_count--;
    }
    pthread_mutex_unlock(&table_lock);
    return r;
}

/* Here, and not at each start, sizes are exchanged: counts stay as they are. */
static void exchange_sizes(struct wm_request *r, const struct wm_path *path)
{
    struct wm_comm *c = r->comm;

    wm_request_begin_sizes(r, path, wm_requests_number(c));
    while (!wm_flight_over(r->flight)) {
        wm_requests_advance(c);
        wm_progress_idle();
    }
    wm_request_end_sizes(r);
    wm_cache_let_paths_go(c);
}

static int make_carrier(struct wm_request *r)
{
    static _Atomic int tags;

    r->tag = WM_OWN_TAGS + (tags++ & (WM_OWN_TAGS - 1));
    return PMPI_Recv_init(NULL, 0, MPI_BYTE, 0, r->tag, wm_geometry_own(), &r->handle);
}

/* *found: what the map says, NULL when the arguments are wrong. */
static bool plan_persistent(struct wm_request *r, const struct wm_path **found)
{
    struct wm_comm *c = r->comm;
    const struct wm_path *path;

    *found = NULL;
    wm_requests_settle(c);
    if (!wm_describe(c, &r->call, &r->described))
        return false;
    *found = path = wm_comm_path(c, &r->described.facts);
    if (path->native || c->persistent == WM_ORDINARY_FLIGHTS) {
        wm_described_release(&r->described);
        return false;
    }
    wm_retain(&r->retained, &r->described);
    wm_retain_vectors(&r->retained, &r->call, &r->described);
    r->persistent = true;
    r->number = WM_ORDINARY_FLIGHTS + c->persistent++;
    if (wm_sizes_needed(path))
        exchange_sizes(r, path);
    r->kept = wm_request_plan(c, path, &r->described.plan_call);
    wm_kept_plan_take(r->kept);
    r->binding = r->described.binding;
    return true;
}

/* Its starts are recorded as calls. Its visit is made now: the user may free the types. */
static void follow_library(struct wm_comm *c, const struct wm_call *call, MPI_Request handle)
{
    const uint32_t all = wm_trace_level_kinds(WM_TRACE_DETAIL);
    struct wm_request *r = wm_request_new(c, call, 0, all);

    r->persistent = r->library = true;
    r->handle = handle;
    if (r->waited != NULL) {
        r->waited->persistent = r->waited->library = true;
        wm_visit_make(&r->waited->visit, c->id, call, NULL, 0, wm_comm_kinds(c, all));
    }
    table_add(r);
}

static int init_with_library(struct wm_comm *c, const struct wm_call *call, const struct wm_path *path,
                             MPI_Request *request)
{
    int rc;

    wm_call_leave_to_library(c, call, path);
    rc = call->native(call, request);
    if (rc == MPI_SUCCESS && wm_process.ring != NULL && !wm_comm_is_apart(c))
        follow_library(c, call, *request);
    return rc;
}

static int start_with_library(struct wm_request *r)
{
    struct wm_waited *waited = r->waited;
    int rc;

    wm_waited_forget(r->handle); /* completed behind our back */
    wm_comm_lock(r->comm);
    r->sequence = r->comm->sequence++;
    wm_comm_unlock(r->comm);
    if (waited == NULL)
        return PMPI_Start(&r->handle);
    waited->visit.sequence = r->sequence;
    waited->visit.kinds = wm_control_begin(r->sequence);
    wm_visit_enter(&waited->visit);
    rc = PMPI_Start(&r->handle);
    if (rc != MPI_SUCCESS)
        wm_visit_leave(&waited->visit);
    else if ((waited->leaves = wm_kinds_have(waited->visit.kinds, WM_TRACE_WAIT)))
        wm_waited_list(waited, r->handle);
    return rc;
}

int wm_call_init(struct wm_comm *c, const struct wm_call *call, MPI_Request *request)
{
    uint32_t sequence, kinds;
    struct wm_request *r;
    const struct wm_path *path;
    int rc;

    wm_comm_lock(c);
    sequence = c->sequence++;
    kinds = wm_control_begin(sequence);
    if (!wm_call_has_rules(c, call) || !wm_progress_start())
        return init_with_library(c, call, NULL, request);
    r = wm_request_new(c, call, sequence, 0);
    r->kinds = kinds;
    if (!plan_persistent(r, &path)) {
        free(r);
        return init_with_library(c, call, path, request);
    }
    rc = make_carrier(r);
    *request = r->handle;
    table_add(r);
    wm_comm_unlock(c);
    return rc;
}

/* Its record of waits lasts as long as the request, and stands in the table while it is on its way. */
static void await_persistent(struct wm_request *r)
{
    if (r->waited == NULL && (r->waited = wm_waited_new(r->kinds)) != NULL)
        r->waited->persistent = true;
    if (r->waited == NULL)
        return;
    atomic_store_explicit(&r->waited->resting, false, memory_order_relaxed);
    if (wm_kinds_have(r->kinds, WM_TRACE_WAIT))
        wm_waited_list(r->waited, r->handle);
}

static int start(struct wm_request *r)
{
    struct wm_comm *c = r->comm;
    int rc;

    wm_comm_lock(c);
    rc = r->active ? MPI_ERR_REQUEST : PMPI_Start(&r->handle);
    if (rc == MPI_SUCCESS) {
        r->active = true;
        r->rc = MPI_SUCCESS;
        r->sequence = c->sequence++;
        r->kinds = wm_control_begin(r->sequence);
        wm_request_append(c, r);
        await_persistent(r);
        wm_request_fly(r);
        wm_progress_aloft(c);
        wm_requests_land(c);
    }
    wm_comm_unlock(c);
    return rc;
}

bool wm_request_start(MPI_Request *request, int *rc)
{
    struct wm_request *r;

    if (atomic_load_explicit(&persistent_count, memory_order_relaxed) == 0)
        return false;
    if ((r = table_find(*request, false)) == NULL)
        return false;
    *rc = r->library ? start_with_library(r) : start(r);
    return true;
}

bool wm_request_free(MPI_Request *request, int *rc)
{
    struct wm_request *r;
    struct wm_comm *c;

    wm_waited_forget(*request);
    if (atomic_load_explicit(&persistent_count, memory_order_relaxed) == 0)
        return false;
    if ((r = table_find(*request, true)) == NULL)
        return false;
    c = r->comm;
    wm_comm_lock(c);
    *rc = PMPI_Request_free(request);
    r->freed = true;
    if (!r->active)
        free_persistent(r);
    wm_comm_unlock(c);
    return true;
}

void wm_requests_forget(struct wm_comm *c)
{
    pthread_mutex_lock(&table_lock);
    for (int i = 0; i < BUCKETS; i++)
        for (struct wm_request **link = &table[i]; *link != NULL;) {
            struct wm_request *r = *link;

            if (r->comm != c) {
                link = &r->next_in_table;
                continue;
            }
            *link = r->next_in_table;
            persistent_count--;
            free_persistent(r);
        }
    pthread_mutex_unlock(&table_lock);
}
