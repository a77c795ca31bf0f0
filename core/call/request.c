/* Requests: calls on their way, from the queue to their landing. */
#include "core/call/request_state.h"

#include <stdlib.h>
#include "core/data/allocate.h"
#include "core/node/progress_library.h"
#include "core/call/progress.h"
#include "waymark/runtime.h"

static void note_error(struct wm_request *r, int rc)
{
    if (r->rc == MPI_SUCCESS)
        r->rc = rc;
}

struct wm_request *wm_request_new(struct wm_comm *c, const struct wm_call *call, uint32_t sequence, uint32_t kinds)
{
    struct wm_request *r = wm_allocate_zeroed(sizeof *r, "a request");

    r->comm = c;
    r->call = *call;
    r->sequence = sequence;
    r->kinds = kinds;
    r->waited = wm_waited_new(kinds);
    r->inner = r->handle = MPI_REQUEST_NULL;
    return r;
}

/* --- Planning --- */

void wm_request_append(struct wm_comm *c, struct wm_request *r)
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

/* What cannot be packed is told at the end; the others wait for the messages all the same. */
void wm_request_fly(struct wm_request *r)
{
    struct wm_comm *c = r->comm;

    if (r->described.binding.call != NULL)
        note_error(r, wm_described_load(c, &r->described));
    r->binding.call = &r->call;
    r->binding.sequence = r->sequence;
    r->binding.kinds = r->kinds;
    if (r->waited != NULL)
        wm_visit_make_planned(&r->waited->visit, c->id, &r->call, r->kept->plan, r->sequence, r->kinds);
    r->binding.number = r->number;
    c->planned_calls[r->call.operation]++;
    r->flight = wm_engine_start(c->engine, r->kept->plan, &r->binding);
    r->state = WM_REQUEST_FLYING;
}

static void plan_and_fly(struct wm_request *r, const struct wm_path *path)
{
    r->kept = wm_request_plan(r->comm, path, &r->described.plan_call);
    wm_kept_plan_take(r->kept);
    r->binding = r->described.binding;
    wm_request_fly(r);
}

/* --- Sizes --- */

void wm_request_begin_sizes(struct wm_request *r, const struct wm_path *path, uint32_t number)
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
    r->flight = wm_engine_start(r->comm->engine, plan, &binding);
    r->state = WM_REQUEST_SIZING;
}

/* The sizes are known: r->path may be planned, and then let go. */
void wm_request_end_sizes(struct wm_request *r)
{
    wm_sizes_learn(r->sizes, r->flight, &r->described);
    note_error(r, wm_engine_land(r->comm->engine, r->flight));
    wm_sizes_free(r->sizes);
    r->flight = NULL;
    r->sizes = NULL;
}

/* --- The queue --- */

/* May another call have its flights? A question takes two, sizes one, the call one. */
bool wm_requests_air_is_free(const struct wm_comm *c)
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

    if (r->state == WM_REQUEST_QUEUED) {
        r->first = c->flights;
        if ((path = wm_cache_path(c, &r->described.facts)) != NULL)
            return path;
        r->question = wm_question_begin(c, &r->described.facts, c->flights);
        c->flights += 2;
        r->state = WM_REQUEST_ASKING;
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
        wm_visit_make(&r->waited->visit, r->comm->id, &call, path, r->sequence, r->kinds);
        wm_visit_enter(&r->waited->visit);
    }
    r->rc = call.native(&call, &r->inner);
    r->comm->native_aloft++;
    r->state = WM_REQUEST_NATIVE;
}

/* The path is known: the call goes aloft. */
static void take_off(struct wm_request *r, const struct wm_path *path)
{
    struct wm_comm *c = r->comm;
    bool sized = !path->native && wm_sizes_needed(path);
    uint32_t number = c->flights;

    c->flights += path->native ? 0 : sized ? 2 : 1;
    r->number = (number + sized) % WM_ORDINARY_FLIGHTS;
    wm_request_append(c, r);
    if (path->native)
        begin_native(r, path);
    else if (sized)
        wm_request_begin_sizes(r, path, number);
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
bool wm_requests_take_off(struct wm_comm *c)
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
        if ((r->state == WM_REQUEST_QUEUED && !wm_requests_air_is_free(c)) || (path = find_path(r)) == NULL)
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

    if (r->state == WM_REQUEST_SIZING && wm_flight_over(r->flight)) {
        wm_request_end_sizes(r);
        plan_and_fly(r, r->path);
        wm_cache_let_paths_go(r->comm);
    }
    if (r->state == WM_REQUEST_NATIVE && r->inner != MPI_REQUEST_NULL)
        note_error(r, PMPI_Test(&r->inner, &flag, MPI_STATUS_IGNORE));
    return r->state == WM_REQUEST_NATIVE ? flag : r->state == WM_REQUEST_FLYING && wm_flight_over(r->flight);
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
    if (r->state == WM_REQUEST_NATIVE) {
        r->comm->native_aloft--;
        if (r->waited != NULL)
            wm_visit_leave(&r->waited->visit);
    } else {
        land_flight(r);
    }
    r->state = WM_REQUEST_OVER;
    if (r->persistent)
        return;
    if (r->kept != NULL)
        wm_kept_plan_give(r->kept);
    if (r->described.binding.call != NULL)
        wm_described_release(&r->described);
    wm_retained_release(&r->retained);
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
        wm_request_complete_carrier(r);
    else
        PMPI_Grequest_complete(handle);
}

int wm_requests_land(struct wm_comm *c)
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

void wm_request_enqueue(struct wm_comm *c, struct wm_request *r)
{
    if (c->queue == NULL)
        c->queue_end = &c->queue;
    *c->queue_end = r;
    c->queue_end = &r->next;
}

void wm_requests_bear(struct wm_comm *c, struct wm_comm *child)
{
    static const struct wm_call none;
    struct wm_request *r = wm_request_new(c, &none, c->sequence, 0);

    r->child = child;
    wm_request_enqueue(c, r);
    wm_progress_aloft(c);
    wm_requests_take_off(c);
    wm_requests_land(c);
}

/* --- For all of them --- */

/* What has landed may make room for the queue; what has taken off may be over at once. */
int wm_requests_advance(struct wm_comm *c)
{
    int messages = !wm_comm_is_coming(c) && c->engine != NULL ? wm_engine_progress(c->engine, false) : 0, over, all = 0;
    bool begun = wm_requests_take_off(c);

    if (messages == 0 && !begun && c->native_aloft == 0)
        return 0;
    do
        all += over = wm_requests_land(c);
    while (over > 0 && wm_requests_take_off(c));
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
    while (!wm_requests_air_is_free(c)) {
        wm_requests_advance(c);
        wm_progress_idle();
    }
    return c->flights++ % WM_ORDINARY_FLIGHTS;
}

/* Count it, and give the lock back. */
void wm_call_leave_to_library(struct wm_comm *c, const struct wm_call *call, const struct wm_path *path)
{
    if (wm_call_has_rules(c, call) && !wm_progress_start()) {
        c->native_calls[call->operation]++;
        wm_native_count(call->operation, WM_NATIVE_NO_PROGRESS, 0, wm_process.threads);
    } else {
        wm_call_count_native(c, call, path);
    }
    wm_comm_unlock(c);
}
