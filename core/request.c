/* Requests: calls on their way, from the queue to their landing. */
#include "core/request.h"

#include <stdatomic.h>
#include <stdlib.h>
#include "core/control.h"
#include "core/progress.h"
#include "core/retain.h"
#include "core/runtime.h"
#include "core/sizes.h"
#include "core/waiting.h"

enum state { QUEUED, ASKING, SIZING, FLYING, NATIVE, OVER };

struct wm_request {
    struct wm_request *next; /* in the queue, or aloft */
    struct wm_comm *comm;
    struct wm_comm *child; /* no call: the shadow of this one is to be made */
    enum state state;
    struct wm_call call;
    struct wm_described described; /* empty on the short road */
    struct wm_binding binding;
    struct wm_retained retained;
    uint32_t sequence, kinds; /* kinds: of records; as of its beginning */
    struct wm_waited *waited; /* NULL: waits are not recorded; not ours any more once the user has the handle */
    uint32_t first, number;   /* of its flights: the first, that of the call itself */
    struct wm_question *question;
    const struct wm_path *path; /* while sizing */
    struct wm_sizes *sizes;
    struct wm_kept_plan *kept;
    struct wm_flight *flight;
    MPI_Request inner;  /* the library's, of a native call */
    MPI_Request handle; /* what the user holds */
    int rc;             /* MPI_SUCCESS, or the first error */
    bool error_unheard; /* the communicator's handler leaves it to the completion call */
    _Atomic bool told;  /* another thread may have landed it */

    bool persistent, active, freed;
    bool library; /* persistent, and the library's own: the trace alone follows it */
    int tag;      /* of the carrier */
    struct wm_request *next_in_table;
};

static void note_error(struct wm_request *r, int rc)
{
    if (r->rc == MPI_SUCCESS)
        r->rc = rc;
}

/* --- The generalised request --- */

/* An error that the completion call returns goes to MPI_COMM_WORLD's handler first, which would end a program whose
 * communicator has a handler of its own. */
static int error_to_return(const struct wm_request *r)
{
    MPI_Errhandler handler;
    bool fatal;

    if (!atomic_load_explicit(&r->told, memory_order_acquire) || r->rc == MPI_SUCCESS || r->error_unheard)
        return r->rc;
    PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
    fatal = handler == MPI_ERRORS_ARE_FATAL;
    PMPI_Errhandler_free(&handler);
    return fatal ? MPI_SUCCESS : r->rc;
}

static int query(void *request, MPI_Status *status)
{

    PMPI_Status_set_elements(status, MPI_BYTE, 0);
    PMPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    return error_to_return(request);
}

/* The library calls this when the call is over and the user has no handle any more. */
static int release(void *request)
{
    (void)atomic_load_explicit(&((struct wm_request *)request)->told, memory_order_acquire);
    free(request);
    return MPI_SUCCESS;
}

/* Collectives cannot be cancelled. */
static int cancel(void *request, int complete)
{
    (void)request, (void)complete;
    return MPI_ERR_REQUEST;
}

/* --- Planning --- */

static void aloft_append(struct wm_comm *c, struct wm_request *r)
{
    r->next = NULL;
    if (c->aloft == NULL)
        c->aloft_end = &c->aloft;
    *c->aloft_end = r;
    c->aloft_end = &r->next;
}

struct wm_kept_plan *wm_request_plan(struct wm_comm *c, const struct wm_path *path, const struct wm_plan_call *call)
{
    struct wm_kept_plan *kept = wm_cache_plan(c, path, call);
    struct wm_error error = {0};

    if (kept == NULL)
        kept = wm_cache_new_plan(c, path, call, &error);
    if (kept == NULL) { /* all ranks see a plan fail alike, and none can go on */
        wm_map_source_quote(c->map, &error);
        wm_process_abort(&error);
    }
    return kept;
}

/* A flight that cannot be started leaves the others waiting for ever. */
static struct wm_flight *launch(struct wm_comm *c, const struct wm_plan *plan, const struct wm_binding *binding)
{
    struct wm_flight *flight = wm_engine_start(c->engine, plan, binding);
    struct wm_error error = {0};

    if (flight == NULL) {
        wm_error_set(&error, -WM_ENOMEM, "no memory for a collective");
        wm_process_abort(&error);
    }
    return flight;
}

/* What cannot be packed is told at the end; the others wait for the messages all the same. */
static void fly(struct wm_request *r)
{
    struct wm_comm *c = r->comm;

    if (r->described.binding.call != NULL)
        note_error(r, wm_described_load(c, &r->described));
    r->binding.call = &r->call;
    r->binding.sequence = r->sequence;
    r->binding.kinds = r->kinds;
    if (r->waited != NULL)
        wm_visit_make_planned(&r->waited->visit, c, &r->call, r->kept->plan, r->sequence, r->kinds);
    r->binding.number = r->number;
    c->planned_calls[r->call.operation]++;
    r->flight = launch(c, r->kept->plan, &r->binding);
    r->state = FLYING;
}

static void plan_and_fly(struct wm_request *r, const struct wm_path *path)
{
    r->kept = wm_request_plan(r->comm, path, &r->described.plan_call);
    wm_kept_plan_take(r->kept);
    r->binding = r->described.binding;
    fly(r);
}

/* --- Sizes --- */

static void begin_sizes(struct wm_request *r, const struct wm_path *path, uint32_t number)
{
    struct wm_error error = {0};
    const struct wm_plan *plan;
    struct wm_binding binding = {0};

    wm_cache_hold_paths(r->comm);
    r->path = path;
    if (wm_sizes_begin(&r->sizes, r->comm, path, &r->described, &plan, &binding, &error) < 0) {
        wm_map_source_quote(r->comm->map, &error);
        wm_process_abort(&error);
    }
    binding.call = &r->call;
    binding.sequence = r->sequence;
    binding.kinds = r->kinds;
    binding.number = number % WM_ORDINARY_FLIGHTS;
    r->flight = launch(r->comm, plan, &binding);
    r->state = SIZING;
}

/* The sizes are known: r->path may be planned, and then let go. */
static void end_sizes(struct wm_request *r)
{
    struct wm_error error = {0};

    if (wm_sizes_learn(r->sizes, r->flight, &r->described) < 0) {
        wm_error_set(&error, -WM_ENOMEM, "no memory for the sizes of a collective");
        wm_process_abort(&error);
    }
    note_error(r, wm_engine_land(r->comm->engine, r->flight));
    wm_sizes_free(r->sizes);
    r->flight = NULL;
    r->sizes = NULL;
}

/* --- The queue --- */

/* May another call have its flights? A question takes two, sizes one, the call one. */
static bool air_is_free(const struct wm_comm *c)
{
    const struct wm_request *r = c->aloft;

    while (r != NULL && r->persistent)
        r = r->next;
    return r == NULL || c->flights + 4 - r->first <= WM_FLIGHTS_ALOFT;
}

static const struct wm_path *find_path(struct wm_request *r)
{
    struct wm_comm *c = r->comm;
    const struct wm_path *path;

    if (r->state == QUEUED) {
        r->first = c->flights;
        if ((path = wm_cache_path(c, &r->described.facts)) != NULL)
            return path;
        r->question = wm_question_begin(c, &r->described.facts, c->flights);
        c->flights += 2;
        r->state = ASKING;
    }
    return wm_question_look(r->question);
}

/* On the shadow: there, calls come in the queue's order on all ranks. */
static void begin_native(struct wm_request *r, const struct wm_path *path)
{
    struct wm_call call = r->call;

    call.comm = r->comm->shadow;
    wm_call_count_native(r->comm, &call, path);
    if (r->waited != NULL) {
        wm_visit_make(&r->waited->visit, r->comm, &call, path, r->sequence, r->kinds);
        wm_visit_enter(&r->waited->visit);
    }
    r->rc = call.native(&call, &r->inner);
    r->comm->native_aloft++;
    r->state = NATIVE;
}

/* The path is known: the call goes aloft. */
static void take_off(struct wm_request *r, const struct wm_path *path)
{
    struct wm_comm *c = r->comm;
    bool sized = !path->native && wm_sizes_needed(path);
    uint32_t number = c->flights;

    c->flights += path->native ? 0 : sized ? 2 : 1;
    r->number = (number + sized) % WM_ORDINARY_FLIGHTS;
    aloft_append(c, r);
    if (path->native)
        begin_native(r, path);
    else if (sized)
        begin_sizes(r, path, number);
    else
        plan_and_fly(r, path);
}

/* The queue stands until the child's shadow is there, for the library's calls that this takes have their order, too. */
static bool bear(struct wm_request *r)
{
    if (!wm_comm_come(r->child))
        return false;
    r->comm->queue = r->next;
    wm_progress_landed();
    free(r);
    return true;
}

/* True when a call has taken off. */
static bool begin_queue(struct wm_comm *c)
{
    struct wm_request *r;
    const struct wm_path *path;
    bool begun = false;

    while ((r = c->queue) != NULL && !wm_comm_is_coming(c)) {
        if (r->child != NULL) {
            if (!bear(r))
                break;
            continue;
        }
        if ((r->state == QUEUED && !air_is_free(c)) || (path = find_path(r)) == NULL)
            break;
        c->queue = r->next;
        take_off(r, path);
        begun = true;
    }
    return begun;
}

/* --- Landing --- */

static bool is_over(struct wm_request *r)
{
    int flag = 1;

    if (r->state == SIZING && wm_flight_over(r->flight)) {
        end_sizes(r);
        plan_and_fly(r, r->path);
        wm_cache_let_paths_go(r->comm);
    }
    if (r->state == NATIVE && r->inner != MPI_REQUEST_NULL)
        note_error(r, PMPI_Test(&r->inner, &flag, MPI_STATUS_IGNORE));
    return r->state == NATIVE ? flag : r->state == FLYING && wm_flight_over(r->flight);
}

static void land_flight(struct wm_request *r)
{
    note_error(r, wm_engine_land(r->comm->engine, r->flight));
    r->flight = NULL;
    if (r->described.binding.call != NULL)
        note_error(r, wm_described_unload(r->comm, &r->described));
}

/* The user's data is where it belongs, and nothing of ours is held any more. */
static void land(struct wm_request *r)
{
    if (r->state == NATIVE) {
        r->comm->native_aloft--;
        if (r->waited != NULL)
            wm_visit_leave(&r->waited->visit);
    } else {
        land_flight(r);
    }
    r->state = OVER;
    if (r->persistent)
        return;
    if (r->kept != NULL)
        wm_kept_plan_give(r->kept);
    if (r->described.binding.call != NULL)
        wm_described_release(&r->described);
    wm_retained_release(&r->retained);
}

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
static void complete_carrier(struct wm_request *r)
{
    char byte = 0;

    r->active = false;
    if (r->waited != NULL)
        atomic_store_explicit(&r->waited->resting, true, memory_order_release);
    PMPI_Send(&byte, r->rc != MPI_SUCCESS, MPI_BYTE, 0, r->tag, wm_geometry_own());
    if (r->freed)
        free_persistent(r);
}

/* Errors came back on the shadow; the user's communicator decides what becomes of them. */
static void raise_error(struct wm_request *r)
{
    MPI_Comm user = r->comm->user;
    MPI_Errhandler handler;

    r->error_unheard = true;
    if (user == MPI_COMM_NULL || PMPI_Comm_get_errhandler(user, &handler) != MPI_SUCCESS)
        return;
    r->error_unheard = handler == MPI_ERRORS_RETURN;
    PMPI_Errhandler_free(&handler);
    PMPI_Comm_call_errhandler(user, r->rc);
}

static void tell(struct wm_request *r)
{
    MPI_Request handle = r->handle;

    wm_progress_landed();
    if (r->rc != MPI_SUCCESS)
        raise_error(r);
    atomic_store_explicit(&r->told, true, memory_order_release);
    if (r->persistent)
        complete_carrier(r);
    else
        PMPI_Grequest_complete(handle);
}

static int land_all(struct wm_comm *c)
{
    struct wm_request **link = &c->aloft, *over = NULL, **end = &over;
    int count = 0;

    while (*link != NULL) {
        struct wm_request *r = *link;

        if (is_over(r)) {
            land(r);
            *link = r->next;
            r->next = NULL;
            *end = r;
            end = &r->next;
        } else {
            link = &r->next;
        }
    }
    c->aloft_end = link;
    while (over != NULL) {
        struct wm_request *r = over;

        over = r->next;
        tell(r);
        count++;
    }
    return count;
}

/* What has landed may make room for the queue; what has taken off may be over at once. */
int wm_requests_advance(struct wm_comm *c)
{
    int messages = !wm_comm_is_coming(c) && c->engine != NULL ? wm_engine_progress(c->engine, false) : 0, over, all = 0;
    bool begun = begin_queue(c);

    if (messages == 0 && !begun && c->native_aloft == 0)
        return 0;
    do
        all += over = land_all(c);
    while (over > 0 && begin_queue(c));
    return all;
}

void wm_requests_settle(struct wm_comm *c)
{
    wm_comm_await(c);
    while (c->queue != NULL) {
        wm_requests_advance(c);
        if (c->queue != NULL)
            wm_progress_idle();
    }
}

static bool is_aloft(const struct wm_comm *c, bool persistent)
{
    const struct wm_request *r = c->aloft;

    while (r != NULL && r->persistent && !persistent)
        r = r->next;
    return r != NULL;
}

void wm_requests_finish(struct wm_comm *c, bool persistent)
{
    wm_requests_settle(c);
    while (is_aloft(c, persistent)) {
        wm_requests_advance(c);
        wm_progress_idle();
    }
}

uint32_t wm_requests_number(struct wm_comm *c)
{
    while (!air_is_free(c)) {
        wm_requests_advance(c);
        wm_progress_idle();
    }
    return c->flights++ % WM_ORDINARY_FLIGHTS;
}

/* --- Nonblocking calls --- */

static struct wm_request *request_new(struct wm_comm *c, const struct wm_call *call, uint32_t sequence, uint32_t kinds)
{
    struct wm_request *r = calloc(1, sizeof *r);

    if (r == NULL)
        WM_BUG("no memory for a request");
    r->comm = c;
    r->call = *call;
    r->sequence = sequence;
    r->kinds = kinds;
    r->waited = wm_waited_new(kinds);
    r->inner = r->handle = MPI_REQUEST_NULL;
    return r;
}

/* The same call as last time. */
static bool short_road(struct wm_request *r)
{
    struct wm_comm *c = r->comm;

    if (c->queue != NULL || wm_comm_is_coming(c) || !air_is_free(c) ||
        (r->kept = wm_call_recall(c, &r->call, &r->binding)) == NULL || r->kept->plan->shared_count > 0)
        return false;
    wm_kept_plan_take(r->kept);
    r->first = c->flights++;
    r->number = r->first % WM_ORDINARY_FLIGHTS;
    aloft_append(c, r);
    fly(r);
    return true;
}

static void enqueue(struct wm_comm *c, struct wm_request *r)
{
    if (c->queue == NULL)
        c->queue_end = &c->queue;
    *c->queue_end = r;
    c->queue_end = &r->next;
}

void wm_requests_bear(struct wm_comm *c, struct wm_comm *child)
{
    static const struct wm_call none;
    struct wm_request *r = request_new(c, &none, c->sequence, 0);

    r->child = child;
    enqueue(c, r);
    wm_progress_aloft(c);
    begin_queue(c);
    land_all(c);
}

/* False: an argument is wrong, and the library shall say so. */
static bool set_out(struct wm_request *r)
{
    if (short_road(r))
        return true;
    if (!wm_describe(r->comm, &r->call, &r->described))
        return false;
    wm_retain(&r->retained, &r->described);
    enqueue(r->comm, r);
    begin_queue(r->comm);
    if (r->state != NATIVE) /* the library has read them */
        wm_retain_vectors(&r->retained, &r->call, &r->described);
    return true;
}

/* The library's own call has begun, or could not: the user will wait for `handle`, and only then is it known to be
 * over.
 */
static void await_native(struct wm_waited *waited, int rc, MPI_Request handle)
{
    if (waited == NULL)
        return;
    if (rc == MPI_SUCCESS) {
        waited->leaves = true;
        wm_waited_list(waited, handle);
    } else {
        wm_visit_leave(&waited->visit);
        wm_waited_free(waited);
    }
}

/* It went to the library straight away: its request is the user's. */
static int hand_over_native(struct wm_request *r, MPI_Request *request)
{
    struct wm_comm *c = r->comm;
    struct wm_request **link = &c->aloft;
    int rc = r->rc;

    while (*link != r)
        link = &(*link)->next;
    *link = r->next;
    if (c->aloft_end == &r->next)
        c->aloft_end = link;
    c->native_aloft--;
    *request = r->inner;
    await_native(r->waited, rc, r->inner);
    wm_described_release(&r->described);
    wm_retained_release(&r->retained);
    free(r);
    if (rc != MPI_SUCCESS)
        PMPI_Comm_call_errhandler(c->user, rc);
    return rc;
}

/* Count it, and give the lock back. */
static void leave_to_library(struct wm_comm *c, const struct wm_call *call, const struct wm_path *path)
{
    if (wm_call_has_rules(c, call) && !wm_progress_start()) {
        c->native_calls[call->operation]++;
        wm_native_count(call->operation, WM_NATIVE_NO_PROGRESS, 0);
    } else {
        wm_call_count_native(c, call, path);
    }
    wm_comm_unlock(c);
}

/* It begins, and the library's request is the user's. */
static int begin_with_library(struct wm_comm *c, const struct wm_call *call, uint32_t sequence, uint32_t kinds,
                              MPI_Request *request)
{
    struct wm_waited *waited = wm_waited_new(kinds);
    int rc;

    leave_to_library(c, call, NULL);
    if (waited != NULL) {
        wm_visit_make(&waited->visit, c, call, NULL, sequence, kinds);
        wm_visit_enter(&waited->visit);
    }
    rc = call->native(call, request);
    await_native(waited, rc, *request);
    return rc;
}

int wm_call_begin(struct wm_comm *c, const struct wm_call *call, MPI_Request *request)
{
    uint32_t sequence, kinds;
    struct wm_request *r;
    int rc = MPI_SUCCESS;

    wm_comm_lock(c);
    sequence = c->sequence++;
    kinds = wm_control_begin(sequence);
    if (!wm_call_has_rules(c, call) || !wm_progress_start())
        return begin_with_library(c, call, sequence, kinds, request);
    r = request_new(c, call, sequence, kinds);
    if (!set_out(r)) {
        wm_waited_free(r->waited);
        free(r);
        return begin_with_library(c, call, sequence, kinds, request);
    }
    if (r->state == NATIVE) {
        rc = hand_over_native(r, request);
    } else {
        PMPI_Grequest_start(query, release, cancel, r, &r->handle);
        *request = r->handle;
        if (r->waited != NULL)
            wm_waited_list(r->waited, r->handle);
        wm_progress_aloft(c);
    }
    land_all(c); /* calls before it, too, may have taken off now, and be over */
    wm_comm_unlock(c);
    return rc;
}

/* --- Persistent calls --- */

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

    begin_sizes(r, path, wm_requests_number(c));
    while (!wm_flight_over(r->flight)) {
        wm_requests_advance(c);
        wm_progress_idle();
    }
    end_sizes(r);
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
    struct wm_request *r = request_new(c, call, 0, all);

    r->persistent = r->library = true;
    r->handle = handle;
    if (r->waited != NULL) {
        r->waited->persistent = r->waited->library = true;
        wm_visit_make(&r->waited->visit, c, call, NULL, 0, all);
    }
    table_add(r);
}

static int init_with_library(struct wm_comm *c, const struct wm_call *call, const struct wm_path *path,
                             MPI_Request *request)
{
    int rc;

    leave_to_library(c, call, path);
    rc = call->native(call, request);
    if (rc == MPI_SUCCESS && wm_process.ring != NULL && c->native_reason != WM_NATIVE_INTERCOMM)
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
    r = request_new(c, call, sequence, 0);
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
        aloft_append(c, r);
        await_persistent(r);
        fly(r);
        wm_progress_aloft(c);
        land_all(c);
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
