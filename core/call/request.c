/* Requests: from the moment when the path is known to the end. */
#include "core/call/request.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "core/call/again.h"
#include "core/call/broadcast.h"
#include "core/call/kin.h"
#include "core/call/left.h"
#include "core/call/progress.h"
#include "core/call/question.h"
#include "core/call/verify.h"
#include "core/data/allocate.h"
#include "core/data/persistent_library.h"
#include "core/node/progress_library.h"

static void note_error(struct wm_request *r, int rc)
{
    if (r->rc == MPI_SUCCESS)
        r->rc = rc;
}

void wm_request_init(struct wm_request *r, enum wm_request_kind kind, struct wm_comm *c, const struct wm_call *call,
                     uint32_t sequence, uint64_t kinds)
{
    memset(r, 0, offsetof(struct wm_request, described)); /* all else is set before it is read */
    r->kind = kind;
    r->comm = c;
    r->call = call;
    r->sequence = sequence;
    r->kinds = kinds;
    r->inner = MPI_REQUEST_NULL;
    r->print = wm_verify_print(c);
}

bool wm_request_describe(struct wm_request *r)
{
    r->is_described = wm_describe(r->comm, r->call, &r->described);
    r->described.plan_call.shared = r->kind == WM_REQUEST_BLOCKING && r->comm->end->node->size > 1;
    return r->is_described;
}

/* Among those in flight. */
static void append(struct wm_request *r)
{
    struct wm_comm *c = r->comm;

    r->next = NULL;
    if (c->in_flight == NULL)
        c->in_flight_end = &c->in_flight;
    *c->in_flight_end = r;
    c->in_flight_end = &r->next;
}

/* --- Planning --- */

static struct wm_flight *start_flight(struct wm_request *r, const struct wm_plan *plan, struct wm_binding *binding,
                                      uint32_t number)
{
    binding->call = r->call;
    binding->sequence = r->sequence;
    binding->kinds = r->kinds;
    binding->number = number;
    binding->checked = wm_verifies_each();
    binding->print = r->print;
    return wm_engine_start(r->comm->end->engine, plan, binding);
}

/* What cannot be packed is told at the end; the others wait for the messages all the same. */
static void start_plan(struct wm_request *r)
{
    if (r->comm->stopped != 0) {
        note_error(r, r->comm->stopped);
        r->state = WM_REQUEST_IN_FLIGHT;
        return;
    }
    if (r->is_described)
        note_error(r, wm_described_load(r->comm, &r->described));
    if (r->waited != NULL)
        wm_record_region_make_planned(&r->waited->region, r->comm->id, r->call, r->kept->plan, r->sequence, r->kinds);
    r->comm->planned_calls[r->call->operation] += !r->own;
    r->flight = start_flight(r, r->kept->plan, &r->described.binding, r->number);
    r->state = WM_REQUEST_IN_FLIGHT;
}

void wm_request_fly(struct wm_request *r)
{
    if (r->kind != WM_REQUEST_PERSISTENT) {
        r->first = r->comm->flights++;
        r->number = r->first % WM_ORDINARY_FLIGHTS;
    }
    append(r);
    start_plan(r);
}

void wm_request_begin_own(struct wm_request *r)
{
    r->kept = wm_allocate_zeroed(sizeof *r->kept, "a request");
    r->kept->users = 1;
    r->kept->plan = wm_own_plan(r->comm, &r->described.plan_call);
    wm_request_fly(r);
}

/* All ranks see a plan fail alike, and none can go on. */
static struct wm_kept_plan *make_plan(struct wm_request *r)
{
    struct wm_comm *c = r->comm;
    struct wm_error error = {0};
    struct wm_kept_plan *kept =
        wm_plans_make(&c->kin->plans, r->path, &c->kin->ground->grid, c->rank, &r->described.plan_call, &error);

    if (kept != NULL)
        return kept;
    wm_map_source_quote(c->map, &error);
    wm_process_abort(&error);
}

static struct wm_kept_plan *find_plan(struct wm_request *r)
{
    struct wm_kept_plan *kept = wm_plans_find(&r->comm->kin->plans, r->path, &r->described.plan_call);

    return kept != NULL ? kept : make_plan(r);
}

/* It touches more than some pages of the node's memory. */
static bool is_heavy(const struct wm_request *r)
{
    enum { LIGHT_BYTES = 4096 };

    return !wm_operation_bytes_shared(r->call->operation) ||
           r->described.facts.bytes > LIGHT_BYTES / (uint64_t)r->comm->ranks;
}

/* A blocking call that is alone runs its plan as it will when it comes again. One thread: it waits here. */
static bool run_short(struct wm_request *r)
{
    const struct wm_comm *c = r->comm;
    struct wm_last_call *last = wm_again_remember(r->comm, r->call, r->path, r->kept, &r->described);

    if (last == NULL || wm_process.threads || c->in_flight != r || r->next != NULL ||
        !wm_again_run(r->comm, last, r->call))
        return false;
    r->state = WM_REQUEST_IN_FLIGHT;
    return true;
}

/* A persistent request waits for its first start. */
static void plan(struct wm_request *r)
{
    r->kept = find_plan(r);
    if (r->is_described && is_heavy(r))
        r->comm->end->heavy = true;
    if (r->kind == WM_REQUEST_PERSISTENT)
        r->state = WM_REQUEST_PLANNED;
    else if (r->kind != WM_REQUEST_BLOCKING || !run_short(r))
        start_plan(r);
}

/* --- Sizes --- */

static void begin_sizes(struct wm_request *r, uint32_t number)
{
    struct wm_error error = {0};
    const struct wm_plan *sizes_plan;
    struct wm_binding binding = {0};

    wm_path_take(r->path);
    if (wm_sizes_begin(&r->sizes, r->comm, r->path, &r->described, &sizes_plan, &binding, &error) < 0) {
        wm_map_source_quote(r->comm->map, &error);
        wm_process_abort(&error);
    }
    r->flight = start_flight(r, sizes_plan, &binding, number % WM_ORDINARY_FLIGHTS);
    r->state = WM_REQUEST_SIZING;
}

static void end_sizes(struct wm_request *r)
{
    struct wm_path *path = r->path;

    wm_sizes_learn(r->sizes, r->flight, &r->described);
    note_error(r, wm_engine_give(r->comm->end->engine, r->flight));
    wm_sizes_free(r->sizes);
    r->flight = NULL;
    r->sizes = NULL;
    if (r->comm->stopped == 0)
        plan(r);
    else
        start_plan(r);
    wm_path_free(path);
}

/* --- Beginnings --- */

/* A meeting and a question take two flights each, sizes one, the call one. */
bool wm_requests_may_fly(const struct wm_comm *c)
{
    const struct wm_request *r = c->in_flight;

    while (r != NULL && r->kind == WM_REQUEST_PERSISTENT)
        r = r->next;
    return r == NULL || c->flights + 6 - r->first <= WM_FLIGHTS_AT_ONCE;
}

/* A request that holds the place of one that the library does not make. */
static void hold_place(MPI_Comm user, MPI_Request *request)
{
#if WM_PERSISTENT_LIBRARY
    PMPIX_Barrier_init(user, MPI_INFO_NULL, request);
#else
    (void)user;
    (void)request;
#endif
}

/* The other ranks' requests have a place, this rank's has none: take one, which is not given to another call. */
static void take_place(MPI_Comm user)
{
    MPI_Request place = MPI_REQUEST_NULL;

    hold_place(user, &place);
    if (place != MPI_REQUEST_NULL)
        wm_persistent_library_free(&place);
}

/* What the library cannot do a plan perhaps can: its error is for native paths alone. */
void wm_request_reserve(struct wm_request *r)
{
    MPI_Comm user = r->comm->user;
    MPI_Errhandler handler;

    PMPI_Comm_get_errhandler(user, &handler);
    PMPI_Comm_set_errhandler(user, MPI_ERRORS_RETURN);
    r->native_rc = r->call->init(r->call, &r->inner);
    if (r->native_rc != MPI_SUCCESS)
        hold_place(user, &r->inner);
    else if (!wm_persistent_library_has_place(r->call, r->inner))
        take_place(user);
    PMPI_Comm_set_errhandler(user, handler);
    PMPI_Errhandler_free(&handler);
}

static void give_place_up(struct wm_request *r)
{
    if (r->inner != MPI_REQUEST_NULL)
        wm_persistent_library_free(&r->inner);
}

/* Persistent requests keep their numbers. */
void wm_request_begin(struct wm_request *r)
{
    struct wm_comm *c = r->comm;
    bool sized = wm_sizes_needed(r->path), persistent = r->kind == WM_REQUEST_PERSISTENT;
    uint32_t first = c->flights;

    give_place_up(r);
    c->flights += (uint32_t)sized + !persistent;
    r->number = persistent ? WM_ORDINARY_FLIGHTS + c->persistent++ : (first + sized) % WM_ORDINARY_FLIGHTS;
    if (sized || !persistent)
        append(r);
    if (sized)
        begin_sizes(r, first);
    else
        plan(r);
}

void wm_request_stop(struct wm_request *r)
{
    if (r->state == WM_REQUEST_ASKING)
        wm_question_drop(r->question);
    give_place_up(r);
    append(r);
    start_plan(r);
}

void wm_request_begin_native(struct wm_request *r)
{
    struct wm_comm *c = r->comm;

    if (!r->own)
        wm_left_count(c, r->call, r->path);
    if (r->waited != NULL) {
        wm_record_region_make(&r->waited->region, c->id, r->call, r->path, r->sequence, r->kinds);
        wm_record_region_enter(&r->waited->region, 0);
    }
    append(r);
    note_error(r, r->native_rc);
    if (r->rc == MPI_SUCCESS)
        note_error(r, PMPI_Start(&r->inner));
    c->native_in_flight++;
    r->state = WM_REQUEST_NATIVE;
}

/* --- The end --- */

/* No more in flight: over, or planned. */
static bool is_done(struct wm_request *r)
{
    int flag = 1;

    if (r->state == WM_REQUEST_SIZING && wm_flight_over(r->flight))
        end_sizes(r);
    switch (r->state) {
    case WM_REQUEST_NATIVE:
        if (r->rc == MPI_SUCCESS)
            note_error(r, PMPI_Test(&r->inner, &flag, MPI_STATUS_IGNORE));
        return flag;
    case WM_REQUEST_IN_FLIGHT:
        return r->flight == NULL || wm_flight_over(r->flight);
    default:
        return r->state == WM_REQUEST_PLANNED;
    }
}

static void end_flight(struct wm_request *r)
{
    if (r->flight == NULL)
        return;
    note_error(r, wm_engine_give(r->comm->end->engine, r->flight));
    r->flight = NULL;
    if (r->is_described)
        note_error(r, wm_described_unload(r->comm, &r->described));
}

/* The user's data is where it belongs, and nothing of a call that is over is held any more. */
static void end(struct wm_request *r)
{
    if (r->state == WM_REQUEST_NATIVE) {
        r->comm->native_in_flight--;
        give_place_up(r);
        if (r->waited != NULL)
            wm_record_region_leave(&r->waited->region);
    } else {
        end_flight(r);
    }
    r->state = r->kind == WM_REQUEST_PERSISTENT ? WM_REQUEST_PLANNED : WM_REQUEST_OVER;
    if (r->kind == WM_REQUEST_PERSISTENT)
        return;
    if (r->kept != NULL)
        wm_kept_plan_give(r->kept);
    if (r->is_described)
        wm_described_release(&r->described);
}

/* Take out what is done. What has ended comes into *over, in order; what is planned waits for its start. */
static void take_done(struct wm_comm *c, struct wm_request **over)
{
    struct wm_request **link = &c->in_flight;

    while (*link != NULL) {
        struct wm_request *r = *link;

        if (!is_done(r)) {
            link = &r->next;
            continue;
        }
        *link = r->next;
        r->next = NULL;
        if (r->state == WM_REQUEST_PLANNED)
            continue;
        end(r);
        *over = r;
        over = &r->next;
    }
    c->in_flight_end = link;
}

int wm_requests_end(struct wm_comm *c)
{
    struct wm_request *over = NULL;
    int count = 0;

    take_done(c, &over);
    while (over != NULL) {
        struct wm_request *r = over;

        over = r->next;
        if (r->kind != WM_REQUEST_BLOCKING)
            wm_progress_over();
        if (r->over != NULL)
            r->over(r);
        count++;
    }
    return count;
}

bool wm_request_raise(struct wm_request *r)
{
    MPI_Comm user = r->comm->user;
    MPI_Errhandler handler;
    bool returns;

    if (r->rc == MPI_SUCCESS)
        return false;
    if (user == MPI_COMM_NULL || PMPI_Comm_get_errhandler(user, &handler) != MPI_SUCCESS)
        return true;
    returns = handler == MPI_ERRORS_RETURN;
    PMPI_Errhandler_free(&handler);
    PMPI_Comm_call_errhandler(user, r->rc);
    return returns;
}
