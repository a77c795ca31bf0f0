/* A call carried out: facts, path, plan, flight. */
#include <stdlib.h>
#include <string.h>
#include "core/call/cache.h"
#include "core/node/progress_library.h"
#include "core/record/clock_sync.h"
#include "core/call/comm.h"
#include "core/record/control.h"
#include "core/call/progress.h"
#include "core/call/request.h"
#include "waymark/runtime.h"
#include "core/call/sizes.h"
#include "core/record/visit.h"

enum { SHORT_STEPS_MAX = 4 };

static enum wm_native_reason reason_of(const struct wm_comm *c, const struct wm_call *call, const struct wm_path *path)
{
    if ((c->map->planned & WM_OPERATION_BIT(call->operation)) == 0)
        return c->map->file != NULL ? WM_NATIVE_NO_RULES : WM_NATIVE_NO_MAP;
    if (c->native_only)
        return c->native_reason;
    if (path == NULL)
        return WM_NATIVE_ARGUMENT;
    if (path->failed)
        return WM_NATIVE_MAP_FAILED;
    if (path->native && path->wrapper_count == 0)
        return WM_NATIVE_NO_MATCH;
    return path->native ? WM_NATIVE_BY_MAP : WM_NATIVE_TOO_MANY;
}

void wm_call_count_native(struct wm_comm *c, const struct wm_call *call, const struct wm_path *path)
{
    enum wm_native_reason reason = reason_of(c, call, path);

    c->native_calls[call->operation]++;
    wm_native_count(call->operation, reason,
                    reason == WM_NATIVE_BY_MAP ? path->wrappers[path->wrapper_count - 1].line : 0, wm_process.threads);
}

/* A blocking one, without the lock: what is aloft goes on meanwhile. */
static int run_native(struct wm_comm *c, const struct wm_call *call, const struct wm_path *path, uint32_t sequence,
                      uint32_t kinds)
{
    struct wm_visit visit;
    int rc;

    wm_call_count_native(c, call, path);
    wm_comm_unlock(c);
    if (kinds == 0)
        return call->native(call, NULL);
    wm_visit_make(&visit, c->id, call, path, sequence, wm_comm_kinds(c, kinds));
    wm_visit_enter(&visit);
    rc = call->native(call, NULL);
    wm_visit_leave(&visit);
    return rc;
}

/* What is aloft goes on as well. */
static void finish_among_others(struct wm_comm *c, struct wm_flight *flight)
{
    while (!wm_flight_over(flight)) {
        wm_requests_advance(c);
        if (!wm_flight_over(flight))
            wm_progress_idle();
    }
}

/* Returns the flight once it is over. */
static struct wm_flight *fly(struct wm_comm *c, const struct wm_plan *plan, struct wm_binding *binding)
{
    struct wm_flight *flight;

    binding->number = wm_requests_number(c);
    flight = wm_engine_start(c->engine, plan, binding);
    if (c->aloft == NULL)
        wm_engine_finish(c->engine, flight);
    else
        finish_among_others(c, flight);
    return flight;
}

static int fly_kept(struct wm_comm *c, struct wm_kept_plan *kept, struct wm_binding *binding)
{
    struct wm_flight *flight;

    c->planned_calls[binding->call->operation]++;
    wm_kept_plan_take(kept);
    flight = fly(c, kept->plan, binding);
    wm_kept_plan_give(kept);
    return wm_engine_land(c->engine, flight);
}

/* Of one of the two buffers, which of them is the operation's matter. */
static bool is_in_place(const struct wm_call *call)
{
    return call->send == MPI_IN_PLACE || call->receive == MPI_IN_PLACE;
}

static bool are_counts(const size_t *last, const int *counts, int ranks)
{
    for (int i = 0; i < ranks; i++)
        if (counts[i] < 0 || (size_t)counts[i] != last[i])
            return false;
    return true;
}

/* Counts that differ by rank: those of a reduce_scatter. */
static inline bool has_counts(const struct wm_last_call *last, const int *counts, int ranks)
{
    return last->counts == NULL || counts == NULL ? last->counts == NULL && counts == NULL
                                                  : are_counts(last->counts, counts, ranks);
}

static inline bool is_again(const struct wm_comm *c, const struct wm_last_call *last, const struct wm_call *call)
{
    if (last->path == NULL || last->root != call->root)
        return false;
    return last->any ||
           (last->count == call->receive_count && last->type == call->receive_type && last->op == call->op &&
            last->in_place == is_in_place(call) && last->send_count == call->send_count &&
            last->send_type == call->send_type && has_counts(last, call->receive_counts, c->ranks));
}

/* The path counts as looked up, for its age must be the same on all ranks. */
static inline void look_up_again(struct wm_comm *c, struct wm_last_call *last)
{
    last->path->used = ++c->clock;
}

static void bind_again(const struct wm_last_call *last, const struct wm_call *call, struct wm_binding *binding)
{
    binding->send = call->send;
    binding->receive = call->receive;
    binding->geometry = last->geometry;
    binding->unit_bytes = last->unit_bytes;
    binding->op = call->op;
    binding->kernel = last->kernel;
    binding->call = call;
}

struct wm_kept_plan *wm_call_recall(struct wm_comm *c, const struct wm_call *call, struct wm_binding *binding)
{
    struct wm_last_call *last = &c->last[call->operation];

    if (!is_again(c, last, call))
        return NULL;
    look_up_again(c, last);
    if (last->kept != NULL)
        bind_again(last, call, binding);
    return last->kept;
}

/* One shared step, and perhaps a copy or two between the user's buffers. */
static bool is_short(const struct wm_plan *plan, const struct wm_geometry *geometry)
{
    bool fits = plan->shared_count == 1 && plan->step_count <= SHORT_STEPS_MAX && geometry->packed;

    for (int i = 0; fits && i < plan->step_count; i++) {
        const struct wm_step *s = &plan->steps[i];

        fits = s->kind == WM_STEP_SHARED || (s->kind == WM_STEP_COPY && s->source.buffer < WM_BUFFER_TEMPORARY &&
                                             s->target.buffer < WM_BUFFER_TEMPORARY);
    }
    return fits;
}

/* Such a plan may need no engine. */
static void make_road(struct wm_comm *c, struct wm_last_call *last)
{
    const struct wm_plan *plan = last->kept->plan;
    const struct wm_shared_data data = {
        .geometry = &last->geometry, .unit_bytes = last->unit_bytes, .op = last->op, .kernel = last->kernel};
    struct wm_lanes *lanes = wm_engine_lanes(c->engine);
    struct wm_shared_lane *lane;
    struct wm_transport transport = {0};

    if (!is_short(plan, &last->geometry) ||
        (lane = wm_lanes_take(lanes, wm_lanes_group(lanes, plan->shared), 0)) == NULL)
        return;
    for (int i = 0; i < plan->step_count; i++)
        if (plan->steps[i].kind == WM_STEP_SHARED && plan->transport_count > 0)
            transport = plan->transports[plan->steps[i].transport];
    wm_shared_short_make(&last->road, lane, plan->shared, &data, &transport);
}

/* A type of no bytes may be the user's own, whose handle can come to mean another. */
static void remember(struct wm_comm *c, const struct wm_call *call, struct wm_path *path, struct wm_kept_plan *kept,
                     const struct wm_described *d)
{
    struct wm_last_call *last;
    bool any = path->native && !wm_operation_bytes_shared(call->operation);

    if ((kept != NULL && !kept->cached) || (!any && !wm_described_comes_back(d)) ||
        (call->operation == WM_BCAST && d->plan_call.count == 0))
        return;
    last = &c->last[call->operation];
    *last = (struct wm_last_call){
        .path = path,
        .kept = kept,
        .any = any,
        .counts = kept != NULL && call->operation == WM_REDUCE_SCATTER ? kept->call->data.counts : NULL,
        .count = call->receive_count,
        .send_count = call->send_count,
        .root = call->root,
        .type = call->receive_type,
        .send_type = call->send_type,
        .op = call->op,
        .in_place = is_in_place(call),
        .geometry = d->binding.geometry,
        .unit_bytes = d->binding.unit_bytes,
        .kernel = d->binding.kernel,
    };
    if (kept != NULL)
        make_road(c, last);
}

/* Errors came back on the shadow; the user's communicator decides what becomes of them. */
static int raise_error(const struct wm_call *call, int rc)
{
    if (rc != MPI_SUCCESS)
        PMPI_Comm_call_errhandler(call->comm, rc);
    return rc;
}

static int exchange_sizes(struct wm_comm *c, const struct wm_path *path, struct wm_described *d)
{
    struct wm_error error = {0};
    struct wm_binding binding = {.call = d->binding.call};
    struct wm_sizes *sizes;
    struct wm_flight *flight;
    const struct wm_plan *plan;
    int rc;

    if (wm_sizes_begin(&sizes, c, path, d, &plan, &binding, &error) < 0) {
        wm_map_source_quote(c->map, &error);
        wm_process_abort(&error);
    }
    binding.call = d->binding.call;
    binding.sequence = d->binding.sequence;
    binding.kinds = d->binding.kinds;
    flight = fly(c, plan, &binding);
    wm_sizes_learn(sizes, flight, d);
    rc = wm_engine_land(c->engine, flight);
    wm_sizes_free(sizes);
    return rc;
}

/* What cannot be packed is told at the end; the others wait for the messages all the same. */
static int run_described(struct wm_comm *c, const struct wm_call *call, struct wm_path *path, struct wm_described *d)
{
    struct wm_kept_plan *kept;
    int packed, rc;

    if (wm_sizes_needed(path) && (rc = exchange_sizes(c, path, d)) != MPI_SUCCESS)
        return rc;
    kept = wm_request_plan(c, path, &d->plan_call);
    remember(c, call, path, kept, d);
    packed = wm_described_load(c, d);
    rc = fly_kept(c, kept, &d->binding);
    if (rc == MPI_SUCCESS && (rc = packed) == MPI_SUCCESS)
        rc = wm_described_unload(c, d);
    return rc;
}

/* The long road: facts, path, plan. Gives the lock back. */
static int run_long(struct wm_comm *c, const struct wm_call *call, uint32_t sequence, uint32_t kinds)
{
    struct wm_described d;
    struct wm_path *path;
    int rc;

    if (!wm_call_has_rules(c, call) || !wm_describe(c, call, &d))
        return run_native(c, call, NULL, sequence, kinds);
    d.binding.sequence = sequence;
    d.binding.kinds = kinds;
    d.plan_call.shared = c->node->size > 1;
    path = wm_comm_path(c, &d.facts);
    if (path->native) {
        remember(c, call, path, NULL, &d);
        wm_described_release(&d);
        return run_native(c, call, path, sequence, kinds);
    }
    rc = run_described(c, call, path, &d);
    wm_comm_unlock(c);
    wm_described_release(&d);
    return raise_error(call, rc);
}

static void copy_units(const struct wm_last_call *last, const struct wm_step *step, const struct wm_call *call)
{
    const char *source = step->source.buffer == WM_BUFFER_SEND ? call->send : call->receive;

    memcpy((char *)call->receive + step->target.offset * last->unit_bytes,
           source + step->source.offset * last->unit_bytes, step->count * last->unit_bytes);
}

/* The steps in the order in which the plan lists them. The call takes its number as every flight does. */
static void run_short(struct wm_comm *c, const struct wm_call *call, struct wm_last_call *last)
{
    const struct wm_plan *plan = last->kept->plan;

    c->planned_calls[call->operation]++;
    c->flights++;
    for (int i = 0; i < plan->step_count; i++)
        if (plan->steps[i].kind == WM_STEP_SHARED)
            wm_shared_short_run(&last->road, call->send, call->receive);
        else
            copy_units(last, &plan->steps[i], call);
    wm_comm_unlock(c);
}

static int run(struct wm_comm *c, const struct wm_call *call)
{
    uint32_t sequence, kinds;
    struct wm_last_call *last = &c->last[call->operation];
    struct wm_binding binding;
    int rc;

    wm_comm_lock(c);
    sequence = c->sequence++;
    kinds = wm_control_begin(sequence);
    if (c->queue != NULL || wm_comm_is_coming(c))
        wm_requests_settle(c);
    if (!is_again(c, last, call))
        return run_long(c, call, sequence, kinds);
    look_up_again(c, last);
    if (last->kept == NULL)
        return run_native(c, call, last->path, sequence, kinds);
    if (last->road.run != NULL && c->aloft == NULL) {
        run_short(c, call, last);
        return MPI_SUCCESS;
    }
    bind_again(last, call, &binding);
    binding.sequence = sequence;
    binding.kinds = kinds;
    rc = fly_kept(c, last->kept, &binding);
    wm_comm_unlock(c);
    return raise_error(call, rc);
}

int wm_call_run(struct wm_comm *c, const struct wm_call *call)
{
    int rc = run(c, call);

    wm_clock_sync_pass(&c->extent, call, rc);
    return rc;
}
