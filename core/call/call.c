/* Blocking calls: brief, the last one again, or a request. */
#include "core/call/again.h"
#include "core/call/buffers.h"
#include "core/call/brief.h"
#include "core/call/dead.h"
#include "core/call/join.h"
#include "core/call/left.h"
#include "core/call/pairs.h"
#include "core/call/publish.h"
#include "core/call/results.h"
#include "core/call/round.h"
#include "core/call/verify.h"
#include "core/call/wait.h"
#include "core/record/clock_sync.h"
#include "core/record/control.h"
#include "core/record/region.h"
#include "waymark/runtime.h"

/* Errors came back where nobody handles them; the user's communicator decides what becomes of them. */
static int raise_error(const struct wm_call *call, int rc)
{
    if (rc != MPI_SUCCESS)
        PMPI_Comm_call_errhandler(call->comm, rc);
    return rc;
}

/* All ranks serve a call by one path. */
static void note_path(struct wm_comm *c, const struct wm_path *path)
{
    if (wm_process.verifies)
        c->checked = path != NULL && wm_path_verifies_results(path);
}

/* The library's own. Gives the lock back first: what is in flight goes on meanwhile. */
static int run_native(struct wm_comm *c, const struct wm_call *call, const struct wm_path *path, uint32_t sequence,
                      uint64_t kinds)
{
    struct wm_record_region region;
    int rc;

    note_path(c, path);
    wm_left_count(c, call, path);
    if (wm_verifies_each() && path != NULL && c->end != NULL && (rc = wm_requests_compare(c)) != MPI_SUCCESS) {
        wm_comm_unlock(c);
        return raise_error(call, rc);
    }
    if (kinds != 0)
        wm_record_region_make(&region, c->id, call, path, sequence, wm_comm_kinds(c, kinds));
    wm_comm_unlock(c);
    if (kinds == 0)
        return call->native(call, NULL);
    wm_record_region_enter(&region, 0);
    rc = call->native(call, NULL);
    wm_record_region_leave(&region);
    return rc;
}

/* Nobody has joined before all have come: a barrier that joined is over, unless the map, as all ranks know, wants the
 * library's, or somebody wants to see its steps. */
static bool was_barrier(struct wm_request *r)
{
    const struct wm_path *path =
        r->call->operation == WM_BARRIER && !wm_process_watches() ? wm_cache_path(r->comm, &r->described.facts) : NULL;

    if (path == NULL || path->native)
        return false;
    r->comm->planned_calls[WM_BARRIER]++;
    wm_described_release(&r->described);
    return true;
}

/* Gives the lock back. */
static int run_request(struct wm_comm *c, const struct wm_call *call, uint32_t sequence, uint64_t kinds)
{
    bool joins = c->joined == WM_NOT_JOINED;
    struct wm_request r;
    int rc;

    if (wm_left_has_rules(c, call))
        wm_join(c);
    wm_verify_enter(c);
    if (!wm_left_has_rules(c, call))
        return run_native(c, call, NULL, sequence, kinds);
    if (wm_verifies_full() && (rc = wm_pairs_compare(c, call, WM_FORM_BLOCKING)) != MPI_SUCCESS) {
        wm_comm_unlock(c);
        return raise_error(call, rc);
    }
    wm_request_init(&r, WM_REQUEST_BLOCKING, c, call, sequence, kinds);
    if (!wm_request_describe(&r))
        return run_native(c, call, NULL, sequence, kinds);
    if (!joins || !was_barrier(&r)) {
        wm_request_enqueue(&r);
        wm_request_wait(&r);
    }
    wm_cache_settle(c);
    note_path(c, r.path);
    if (r.state == WM_REQUEST_LEFT)
        return run_native(c, call, r.path, sequence, kinds);
    wm_comm_unlock(c);
    return raise_error(call, r.rc);
}

static int fly_again(struct wm_comm *c, const struct wm_last_call *last, const struct wm_call *call, uint32_t sequence,
                     uint64_t kinds)
{
    struct wm_binding binding = {
        .sequence = sequence, .kinds = kinds, .checked = wm_verifies_each(), .print = wm_verify_print(c)};
    struct wm_kept_plan *kept = last->kept;
    int rc;

    wm_again_bind(last, call, &binding);
    c->planned_calls[call->operation]++;
    wm_kept_plan_take(kept);
    rc = wm_requests_fly_plan(c, kept->plan, &binding);
    wm_kept_plan_give(kept);
    return rc;
}

/* Gives the lock back. A short plan takes a flight's number as every plan does. */
static int run_again(struct wm_comm *c, struct wm_last_call *last, const struct wm_call *call, uint32_t sequence,
                     uint64_t kinds)
{
    int rc;

    note_path(c, last->path);
    if (last->kept == NULL)
        return run_native(c, call, last->path, sequence, kinds);
    if (c->in_flight == NULL && wm_again_run(c, last, call)) {
        c->flights++;
        wm_comm_unlock(c);
        return MPI_SUCCESS;
    }
    rc = fly_again(c, last, call, sequence, kinds);
    wm_comm_unlock(c);
    return raise_error(call, rc);
}

/* Under the map that holds. Gives the lock back. */
static int run_mapped(struct wm_comm *c, const struct wm_call *call, uint32_t sequence, uint64_t kinds)
{
    struct wm_last_call *last;

    if (c->unsettled)
        wm_cache_settle(c);
    last = wm_again_find(c, call);
    return last != NULL ? run_again(c, last, call, sequence, kinds) : run_request(c, call, sequence, kinds);
}

/* Under either of two maps. Gives the lock back. */
static int run_tried(struct wm_comm *c, const struct wm_call *call, uint32_t sequence, uint64_t kinds)
{
    struct wm_tried_kind *kind = wm_round_come(c, call);
    int rc = run_mapped(c, call, sequence, kinds);

    wm_comm_lock(c);
    wm_round_leave(c, kind);
    wm_comm_unlock(c);
    return rc;
}

static int run(struct wm_comm *c, const struct wm_call *call)
{
    uint32_t sequence;
    uint64_t kinds;

    wm_comm_lock(c);
    if (c->stopped != 0) {
        wm_comm_unlock(c);
        return raise_error(call, c->stopped);
    }
    wm_verify_enter(c);
    sequence = c->sequence++;
    kinds = wm_control_begin(sequence);
    if (c->queue != NULL)
        wm_requests_settle(c);
    if (c->tuning != NULL)
        wm_requests_meet(c, sequence);
    return c->trial != NULL ? run_tried(c, call, sequence, kinds) : run_mapped(c, call, sequence, kinds);
}

/* With a look at its result, if that is its turn. */
static int run_compared(struct wm_comm *c, const struct wm_call *call)
{
    struct wm_results *results = wm_results_begin(c, call);
    int rc = wm_dead_end(c, wm_verify_end(c, run(c, call)));

    return results != NULL ? wm_results_end(c, call, results, rc) : rc;
}

/* Apart from brief calls, which need few registers and little of the stack. */
static __attribute__((noinline)) int run_long(struct wm_comm *c, const struct wm_call *call)
{
    bool shown = c->shown != NULL;
    int rc, flaw;

    if (shown)
        wm_publish_call(c, call, WM_FORM_BLOCKING);
    flaw = shown ? wm_buffers_look(c, call, WM_FORM_BLOCKING) : MPI_SUCCESS;
    rc = wm_verifies_results() ? run_compared(c, call) : wm_dead_end(c, wm_verify_end(c, run(c, call)));
    if (rc == MPI_SUCCESS)
        rc = flaw;
    if (shown)
        wm_publish_left();
    wm_clock_sync_pass(&c->extent, call, rc);
    return rc;
}

int wm_call_run(struct wm_comm *c, const struct wm_call *call)
{
    int rc = MPI_SUCCESS;

    return wm_brief_run(c, call, NULL, &rc) ? rc : run_long(c, call);
}
