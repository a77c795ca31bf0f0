/* Collectives: from the call to its end. */
#include "core/subrank/collective.h"
#include <stdlib.h>
#include "core/call/again.h"
#include "core/call/cache.h"
#include "core/data/allocate.h"
#include "core/p2p/process.h"
#include "core/subrank/crossing.h"
#include "core/subrank/inter.h"
#include "core/subrank/record.h"
#include "core/subrank/siblings.h"
#include "core/subrank/superblock.h"
#include "waymark/runtime.h"

static void note_error(struct wm_rank_call *k, int error)
{
    if (k->error == MPI_SUCCESS)
        k->error = error;
}

static struct wm_engine *engine_of(const struct wm_rank_call *k)
{
    return k->comm->plans->end->engine;
}

/* ---- flights ---- */

static void fly(struct wm_rank_call *k, const struct wm_plan *plan, struct wm_binding *binding, uint32_t number)
{
    binding->call = &k->call;
    binding->number = number;
    binding->sequence = k->sequence;
    binding->kinds = k->region.kinds;
    k->flight = wm_engine_start(engine_of(k), plan, binding);
}

/* All ranks see it alike, and none can go on. */
_Noreturn static void fail(const struct wm_rank_call *k, struct wm_error *error)
{
    wm_map_source_quote(k->record->map, error);
    wm_process_abort(error);
}

static void fly_call(struct wm_rank_call *k)
{
    wm_rank_record_plan(k, k->kept->plan);
    note_error(k, wm_described_load(k->record, &k->described));
    fly(k, k->kept->plan, &k->described.binding, k->persistent ? k->number : k->number % WM_ORDINARY_FLIGHTS);
}

/* One that is persistent flies when it is started. */
static void make_plan(struct wm_rank_call *k)
{
    struct wm_comm *r = k->record;
    const struct wm_plan_call *call = &k->described.plan_call;
    struct wm_error error = {0};

    k->kept = wm_plans_find(&r->kin->plans, k->path, call);
    if (k->kept == NULL)
        k->kept = wm_plans_make(&r->kin->plans, k->path, &r->kin->ground->grid, r->rank, call, &error);
    if (k->kept == NULL)
        fail(k, &error);
    if (!k->persistent)
        fly_call(k);
}

static void fly_sizes(struct wm_rank_call *k)
{
    struct wm_binding binding = {0};
    struct wm_error error = {0};
    const struct wm_plan *plan;

    if (wm_sizes_begin(&k->sizes, k->record, k->path, &k->described, &plan, &binding, &error) < 0)
        fail(k, &error);
    fly(k, plan, &binding, (k->number - 1) % WM_ORDINARY_FLIGHTS);
}

/* ---- paths ---- */

/* A path that the cache may give up before the call is over. */
static void follow(struct wm_rank_call *k, struct wm_path *path)
{
    struct wm_rank_plans *p = k->comm->plans;
    bool sized;

    wm_rank_record_path(k, path);
    if (k->native) {
        k->record = &p->own.comm;
        path = wm_rank_path(p, &k->described);
    }
    k->path = wm_path_take(path);
    k->record->planned_calls[k->call.operation] += !k->ours;
    sized = wm_sizes_needed(path);
    if (++p->planned < p->begun)
        wm_rank_wake(k->comm->rank); /* for the next one */
    p->flights += 1 + sized;
    k->number = p->flights - 1;
    if (sized)
        fly_sizes(k);
    else
        make_plan(k);
}

/* Siblings wait with the first rank for the server, as other processes do. */
static void ask(struct wm_rank_call *k)
{
    struct wm_facts facts = k->described.facts;
    uint32_t number = k->comm->plans->flights;

    k->record->sequence = k->sequence + 1;
    wm_comm_facts(k->record, &facts);
    k->comm->plans->flights += 2;
    k->question = wm_question_begin(k->record, &facts, number, false, 0);
}

static void find_path(struct wm_rank_call *k)
{
    struct wm_path *path;

    k->first = k->comm->plans->flights;
    k->record = wm_rank_record_of(k->comm, k->call.operation);
    if (k->ours || k->record == &k->comm->plans->own.comm)
        follow(k, NULL);
    else if ((path = wm_cache_path(k->record, &k->described.facts)) != NULL)
        follow(k, path);
    else
        ask(k);
}

static void look(struct wm_rank_call *k)
{
    struct wm_path *path = wm_question_look(k->question);

    if (path == NULL)
        return;
    k->question = NULL;
    follow(k, wm_cache_keep(k->record, path, true));
}

/* ---- begin, go on, end ---- */

/* What is wrong with a call that cannot be described. */
static int class_of_fault(const struct wm_rank_comm *c, const struct wm_call *call)
{
    if (wm_operation_rooted(call->operation) && (call->root < 0 || call->root >= c->size))
        return MPI_ERR_ROOT;
    if (wm_operation_combines(call->operation) && call->op == MPI_OP_NULL)
        return MPI_ERR_OP;
    if (call->send_count < 0 || call->receive_count < 0)
        return MPI_ERR_COUNT;
    if (call->send_type == MPI_DATATYPE_NULL || call->receive_type == MPI_DATATYPE_NULL)
        return MPI_ERR_TYPE;
    if (wm_operation_data(call->operation) == WM_DATA_EDGES && c->topology == NULL)
        return MPI_ERR_TOPOLOGY;
    return wm_operation_combines(call->operation) ? MPI_ERR_OP : MPI_ERR_ARG;
}

/* In one step, if all ranks share memory: what a nonblocking call of one rank waits for there others might not do in
 * time. */
static bool may_share(const struct wm_rank_comm *c)
{
    const struct wm_node *node = c->plans->end->node;

    return node->area != 0 && node->size == c->size;
}

static int begin(struct wm_rank_call *k, struct wm_rank_comm *c, const struct wm_call *call, bool ours, bool lasts)
{
    struct wm_rank_plans *p = c->plans != NULL ? c->plans : wm_rank_plans_new(c);

    *k = (struct wm_rank_call){.comm = c, .call = *call, .ours = ours};
    if (!lasts && !p->met)
        wm_rank_node_meet(c);
    if (!wm_describe(&p->own.comm, &k->call, &k->described))
        return class_of_fault(c, call);
    if (lasts) {
        wm_retain(&k->retained, &k->described);
        wm_retain_vectors(&k->retained, &k->call, &k->described);
    }
    k->described.plan_call.shared = !lasts && may_share(c);
    k->ordinal = ++p->begun;
    wm_siblings_part(p, k->ordinal);
    if (!ours)
        wm_rank_record_begin(k);
    return MPI_SUCCESS;
}

static void end_sizes(struct wm_rank_call *k)
{
    wm_sizes_learn(k->sizes, k->flight, &k->described);
    note_error(k, wm_engine_give(engine_of(k), k->flight));
    wm_sizes_free(k->sizes);
    k->sizes = NULL;
    k->flight = NULL;
    make_plan(k);
}

static void release(struct wm_rank_call *k)
{
    wm_kept_plan_give(k->kept);
    wm_path_free(k->path);
    wm_described_release(&k->described);
    wm_retained_release(&k->retained);
}

static void end(struct wm_rank_call *k)
{
    note_error(k, wm_engine_give(engine_of(k), k->flight));
    note_error(k, wm_described_unload(k->record, &k->described));
    wm_rank_record_end(k);
    k->flight = NULL;
    if (k->request == NULL && !k->ours && !wm_sizes_needed(k->path) && wm_process.recordings == NULL)
        wm_again_remember(k->record, &k->call, k->path, k->kept, &k->described);
    if (!k->persistent)
        release(k);
    else if (k->waited != NULL)
        atomic_store_explicit(&k->waited->resting, true, memory_order_release);
}

/* The first of a communicator's nonblocking ones, persistent ones among them or not. */
static struct wm_rank_call *oldest(const struct wm_rank_comm *c, bool persistent)
{
    struct wm_rank_call *k = c->rank->calls;

    while (k != NULL && (k->comm != c || (k->persistent && !persistent)))
        k = k->next;
    return k;
}

/* It is the next to find its path, and has room: a question takes two flights, sizes one, the call one. Numbers come
 * round: those under way are told apart as long as there are not more than half of them. */
static bool may_start(const struct wm_rank_call *k)
{
    const struct wm_rank_plans *p = k->comm->plans;
    const struct wm_rank_call *first = oldest(k->comm, false);

    return k->ordinal == p->planned + 1 &&
           (first == NULL || first->path == NULL || p->flights + 4 - first->first <= WM_FLIGHTS_AT_ONCE);
}

/* True: it has its path. */
static bool has_path(struct wm_rank_call *k)
{
    if (k->path == NULL && k->question == NULL && may_start(k))
        find_path(k);
    while (k->question != NULL) {
        look(k);
        if (k->question != NULL && wm_engine_progress(engine_of(k), false) == 0)
            return false;
    }
    return k->path != NULL;
}

/* As far as it goes: the rank may sleep then, and what has come wakes it. True: it is over. */
static bool advance(struct wm_rank_call *k)
{
    if (!has_path(k))
        return false;
    for (;;) {
        while (wm_engine_progress(engine_of(k), false) > 0)
            wm_rank_calls_step();
        if (!wm_flight_over(k->flight))
            return false;
        if (k->sizes == NULL)
            break;
        end_sizes(k);
    }
    end(k);
    return true;
}

/* What has come wakes the rank, but for what comes through memory, and what is held. */
static bool is_woken(const struct wm_rank_call *k)
{
    return k->kept == NULL || k->kept->plan->shared_count + k->kept->plan->held_messages == 0;
}

bool wm_rank_calls_wake(const struct wm_rank *rank)
{
    const struct wm_rank_call *k = rank->calls;

    while (k != NULL && is_woken(k))
        k = k->next;
    return k == NULL;
}

static void wait_for(const struct wm_rank_call *k)
{
    struct wm_rank *rank = k->comm->rank;

    if (!is_woken(k))
        wm_rank_rest(rank);
    else
        wm_p2p_sleep(rank->process);
}

/* A blocking call of the user's that comes again, in one step; no nonblocking one is under way. */
static bool run_again(struct wm_rank_comm *c, const struct wm_call *call)
{
    struct wm_comm *record = wm_rank_record_of(c, call->operation);
    struct wm_last_call *last = wm_again_find(record, call);

    if (last == NULL)
        return false;
    wm_siblings_look(c, last, call->operation);
    wm_siblings_part(c->plans, c->plans->begun + 1);
    if (!wm_again_run(record, last, call))
        return false;
    wm_rank_count_again(c);
    return true;
}

static int run(struct wm_rank_comm *c, const struct wm_call *call, bool ours)
{
    struct wm_rank_call k;
    int error;

    if ((error = begin(&k, c, call, ours, false)) != MPI_SUCCESS)
        return error;
    while (!advance(&k))
        wait_for(&k);
    return k.error;
}

/* ---- nonblocking ones ---- */

static int end_request(void *with)
{
    struct wm_rank_call *k = with;
    int error = k->error;

    free(k);
    return error;
}

static const struct wm_p2p_other_class requests = {.end = end_request};

static void advance_all(struct wm_rank *rank)
{
    struct wm_rank_call **link = &rank->calls, *k;

    while ((k = *link) != NULL) {
        if (!advance(k)) {
            link = &k->next;
            continue;
        }
        *link = k->next;
        wm_p2p_other_complete(k->request);
    }
}

void wm_rank_calls_advance(struct wm_rank *rank)
{
    do
        advance_all(rank);
    while (rank->crossings != NULL && wm_rank_crossings_advance(rank));
}

void wm_rank_calls_finish(const struct wm_rank_comm *c)
{
    for (wm_rank_calls_advance(c->rank); oldest(c, true) != NULL || wm_rank_is_crossing(c);
         wm_rank_calls_advance(c->rank))
        wm_p2p_sleep(c->rank->process);
}

static void add(struct wm_rank_call *k)
{
    struct wm_rank_call **link = &k->comm->rank->calls;

    while (*link != NULL)
        link = &(*link)->next;
    *link = k;
    k->next = NULL;
}

static int run_later(struct wm_rank_comm *c, const struct wm_call *call, bool ours, struct wm_p2p_request **request)
{
    struct wm_rank_call *k = wm_allocate(sizeof *k, "a collective");
    int error;

    if ((error = begin(k, c, call, ours, true)) == MPI_SUCCESS)
        error = wm_p2p_other_new(c->rank->process, &requests, k, request);
    if (error != MPI_SUCCESS) {
        free(k);
        return error;
    }
    k->request = *request;
    if ((k->waited = wm_waited_new(k->region.kinds)) != NULL)
        wm_waited_list(k->waited, (MPI_Request)*request);
    add(k);
    has_path(k); /* it flies, if it may */
    return MPI_SUCCESS;
}

/* ---- persistent ones ---- */

static bool is_planned(struct wm_rank_call *k)
{
    if (!has_path(k))
        return false;
    while (k->sizes != NULL && wm_engine_progress(engine_of(k), false) > 0)
        ;
    if (k->sizes != NULL && wm_flight_over(k->flight))
        end_sizes(k);
    return k->sizes == NULL;
}

/* Each start is a call in the trace. */
static void record_start(struct wm_rank_call *k)
{
    wm_rank_record_begin(k);
    if (k->waited == NULL && (k->waited = wm_waited_new(k->region.kinds)) != NULL)
        k->waited->persistent = true;
    if (k->waited != NULL) {
        atomic_store_explicit(&k->waited->resting, false, memory_order_relaxed);
        if (wm_kinds_have(k->region.kinds, WM_TRACE_WAIT))
            wm_waited_list(k->waited, (MPI_Request)k->request);
    }
    wm_rank_record_path(k, k->native ? NULL : k->path);
}

static int start_again(void *with)
{
    struct wm_rank_call *k = with;

    if (k->comm == NULL)
        return MPI_ERR_COMM;
    k->error = MPI_SUCCESS;
    record_start(k);
    add(k);
    if (wm_superblock_receives(k->comm->rank))
        wm_p2p_started(k->request);
    fly_call(k);
    return MPI_SUCCESS;
}

static int error_of(void *with)
{
    return ((const struct wm_rank_call *)with)->error;
}

static void free_persistent(void *with)
{
    struct wm_rank_call *k = with, **link;

    if (k->comm != NULL) {
        for (link = &k->comm->plans->persistent; *link != k;)
            link = &(*link)->next_persistent;
        *link = k->next_persistent;
        release(k);
    }
    wm_waited_free(k->waited);
    free(k);
}

static const struct wm_p2p_other_class persistent_requests = {
    .start = start_again, .end = error_of, .free = free_persistent};

void wm_rank_calls_forget(struct wm_rank_plans *p)
{
    for (struct wm_rank_call *k = p->persistent; k != NULL; k = k->next_persistent) {
        release(k);
        k->comm = NULL;
    }
}

/* Its flights have a number of their own: ranks may start several in different orders. */
static int keep(struct wm_rank_comm *c, const struct wm_call *call, struct wm_p2p_request **request)
{
    struct wm_rank_call *k = wm_allocate(sizeof *k, "a collective");
    int error;

    if ((error = begin(k, c, call, false, true)) == MPI_SUCCESS)
        error = wm_p2p_other_new(c->rank->process, &persistent_requests, k, request);
    if (error != MPI_SUCCESS) {
        free(k);
        return error;
    }
    wm_p2p_other_keep(*request);
    k->request = *request;
    k->persistent = true;
    k->region.kinds = 0;
    k->next_persistent = c->plans->persistent;
    c->plans->persistent = k;
    while (!is_planned(k))
        wait_for(k);
    k->number = WM_ORDINARY_FLIGHTS + c->plans->persistent_count++ % (WM_FLIGHT_NUMBERS - WM_ORDINARY_FLIGHTS);
    return MPI_SUCCESS;
}

/* ---- what doors call ---- */

/* Not inlined: a call that comes again saves no registers for it. */
static __attribute__((noinline)) int run_anew(struct wm_rank *rank, struct wm_rank_comm *c, const struct wm_call *call,
                                              const char *function)
{
    if (c == NULL)
        return wm_rank_return(rank, c, function, MPI_ERR_COMM);
    return wm_rank_return(rank, c, function, c->inter != NULL ? wm_rank_cross(c, call) : run(c, call, false));
}

/* With several workers; with one, the door has tried already. Not inlined, either. */
static __attribute__((noinline)) bool meet(const struct wm_rank *rank, const struct wm_rank_comm *c,
                                           const struct wm_call *call)
{
    struct wm_sibling *sibling = wm_sibling_that_may_come(rank, c, call);

    return sibling != NULL && wm_sibling_come(sibling, call->operation, call->send, call->receive) == MPI_SUCCESS;
}

int wm_rank_collective(const struct wm_call *call, const char *function)
{
    WM_RANK_ENTER(function);
    struct wm_rank_comm *c = wm_rank_comm_of(rank, call->comm);

    if (wm_worker->is_one_of_several && meet(rank, c, call))
        return MPI_SUCCESS;
    if (c != NULL && c->plans != NULL && rank->calls == NULL && run_again(c, call))
        return MPI_SUCCESS;
    return run_anew(rank, c, call, function);
}

int wm_rank_collective_begin(const struct wm_call *call, MPI_Request *request, const char *function)
{
    WM_RANK_ENTER(function);
    struct wm_rank_comm *c = wm_rank_comm_of(rank, call->comm);

    struct wm_p2p_request **made = (struct wm_p2p_request **)(void *)request;
    int error = MPI_ERR_COMM;

    *request = MPI_REQUEST_NULL;
    if (c != NULL)
        error = c->inter != NULL ? wm_rank_cross_begin(c, call, made) : run_later(c, call, false, made);
    if (error == MPI_SUCCESS && wm_superblock_receives(rank))
        wm_p2p_started(*made);
    return wm_rank_return(rank, c, function, error);
}

int wm_rank_collective_init(const struct wm_call *call, MPI_Request *request, const char *function)
{
    WM_RANK_ENTER(function);
    struct wm_rank_comm *c = wm_rank_comm_of(rank, call->comm);

    *request = MPI_REQUEST_NULL;
    if (c != NULL && c->inter != NULL)
        wm_rank_end(rank, function, "subranks have no persistent collectives between groups; call nonblocking ones");
    return wm_rank_return(rank, c, function,
                          c != NULL ? keep(c, call, (struct wm_p2p_request **)(void *)request) : MPI_ERR_COMM);
}

int wm_rank_collective_own(struct wm_rank_comm *c, const struct wm_call *call)
{
    return run(c, call, true);
}

int wm_rank_collective_later(struct wm_rank_comm *c, const struct wm_call *call, struct wm_p2p_request **request)
{
    return run_later(c, call, true, request);
}

/* Calls in flight go on with their operator. Holds nothing, as the library's own function. */
WM_RANK_DOOR int MPI_Op_free(MPI_Op *op)
{
    int rc;

    return op != NULL && wm_op_free(op, &rc) ? rc : PMPI_Op_free(op);
}
