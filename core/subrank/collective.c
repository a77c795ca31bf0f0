/* Collectives: from the call to its end. */
#include "core/subrank/collective.h"
#include <stdlib.h>
#include "core/call/again.h"
#include "core/data/allocate.h"
#include "core/p2p/process.h"
#include "core/subrank/superblock.h"

static void note_error(struct wm_rank_call *k, int error)
{
    if (k->error == MPI_SUCCESS)
        k->error = error;
}

static struct wm_engine *engine_of(const struct wm_rank_call *k)
{
    return k->comm->plans->record.end->engine;
}

/* ---- flights ---- */

static void fly(struct wm_rank_call *k, const struct wm_plan *plan, struct wm_binding *binding, uint32_t number)
{
    binding->call = &k->call;
    binding->number = number % WM_ORDINARY_FLIGHTS;
    k->flight = wm_engine_start(engine_of(k), plan, binding);
}

static void fly_call(struct wm_rank_call *k)
{
    struct wm_rank_plans *p = k->comm->plans;
    const struct wm_plan_call *call = &k->described.plan_call;
    struct wm_error error = {0};

    k->kept = wm_plans_find(&p->kin.plans, k->path, call);
    if (k->kept == NULL)
        k->kept = wm_plans_make(&p->kin.plans, k->path, &p->kin.grid, k->comm->self, call, &error);
    if (k->kept == NULL)
        wm_process_abort(&error);
    note_error(k, wm_described_load(&p->record, &k->described));
    fly(k, k->kept->plan, &k->described.binding, k->number);
}

static void fly_sizes(struct wm_rank_call *k)
{
    struct wm_binding binding = {0};
    struct wm_error error = {0};
    const struct wm_plan *plan;

    if (wm_sizes_begin(&k->sizes, &k->comm->plans->record, k->path, &k->described, &plan, &binding, &error) < 0)
        wm_process_abort(&error);
    fly(k, plan, &binding, k->number - 1);
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
    const struct wm_node *node = c->plans->record.end->node;

    return node->area != 0 && node->size == c->size;
}

/* All ranks of a communicator number their calls alike. */
static int begin(struct wm_rank_call *k, struct wm_rank_comm *c, const struct wm_call *call, bool lasts)
{
    bool sized;

    *k = (struct wm_rank_call){.comm = c, .call = *call};
    if (c->plans == NULL)
        c->plans = wm_rank_plans_new(c);
    if (!lasts && !c->plans->met)
        wm_rank_node_meet(c);
    if (!wm_describe(&c->plans->record, &k->call, &k->described))
        return class_of_fault(c, call);
    if (lasts) {
        wm_retain(&k->retained, &k->described);
        wm_retain_vectors(&k->retained, &k->call, &k->described);
    }
    k->described.plan_call.shared = !lasts && may_share(c);
    k->path = wm_rank_path(c->plans, &k->described);
    sized = wm_sizes_needed(k->path);
    c->plans->flights += 1 + sized;
    k->number = c->plans->flights - 1;
    if (sized)
        fly_sizes(k);
    else
        fly_call(k);
    return MPI_SUCCESS;
}

static void end_sizes(struct wm_rank_call *k)
{
    wm_sizes_learn(k->sizes, k->flight, &k->described);
    note_error(k, wm_engine_give(engine_of(k), k->flight));
    wm_sizes_free(k->sizes);
    k->sizes = NULL;
    fly_call(k);
}

static void end(struct wm_rank_call *k)
{
    note_error(k, wm_engine_give(engine_of(k), k->flight));
    note_error(k, wm_described_unload(&k->comm->plans->record, &k->described));
    k->flight = NULL;
    if (k->request == NULL && !wm_sizes_needed(k->path))
        wm_again_remember(&k->comm->plans->record, &k->call, k->path, k->kept, &k->described);
    wm_kept_plan_give(k->kept);
    wm_described_release(&k->described);
    wm_retained_release(&k->retained);
}

/* As far as it goes: the rank may sleep then, and what has come wakes it. True: it is over. */
static bool advance(struct wm_rank_call *k)
{
    for (;;) {
        while (wm_engine_progress(engine_of(k), false) > 0)
            ;
        if (!wm_flight_over(k->flight))
            return false;
        if (k->sizes == NULL)
            break;
        end_sizes(k);
    }
    end(k);
    return true;
}

/* The first of a communicator's that is not over, after all have gone on. */
static struct wm_rank_call *oldest(const struct wm_rank_comm *c)
{
    struct wm_rank_call *k;

    wm_rank_calls_advance(c->rank);
    k = c->rank->calls;
    while (k != NULL && k->comm != c)
        k = k->next;
    return k;
}

/* Numbers come round: those under way are told apart as long as there are not more than half of them. */
static void wait_for_number(const struct wm_rank_comm *c)
{
    const struct wm_rank_call *k;

    while ((k = oldest(c)) != NULL && c->plans->flights + 2 - (k->number - 1) > WM_FLIGHTS_AT_ONCE)
        wm_p2p_sleep(c->rank->process);
}

/* What has come wakes the rank, but for what comes through memory. */
static void wait_for(const struct wm_rank_call *k)
{
    struct wm_rank *rank = k->comm->rank;

    if (k->kept != NULL && k->kept->plan->shared_count > 0)
        wm_rank_rest(rank);
    else
        wm_p2p_sleep(rank->process);
}

/* A blocking call that comes again, in one step, and alone. */
static bool run_again(struct wm_rank_comm *c, const struct wm_call *call)
{
    struct wm_comm *record = c->plans != NULL ? &c->plans->record : NULL;
    struct wm_last_call *last = record != NULL && c->rank->calls == NULL ? wm_again_find(record, call) : NULL;

    if (last == NULL || !wm_again_run(record, last, call))
        return false;
    c->plans->flights++;
    return true;
}

static int run(struct wm_rank_comm *c, const struct wm_call *call)
{
    struct wm_rank_call k;
    int error;

    if (run_again(c, call))
        return MPI_SUCCESS;
    wait_for_number(c);
    if ((error = begin(&k, c, call, false)) != MPI_SUCCESS)
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

void wm_rank_calls_advance(struct wm_rank *rank)
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

void wm_rank_calls_finish(const struct wm_rank_comm *c)
{
    while (oldest(c) != NULL)
        wm_p2p_sleep(c->rank->process);
}

static int run_later(struct wm_rank_comm *c, const struct wm_call *call, struct wm_p2p_request **request)
{
    struct wm_rank_call *k = wm_allocate(sizeof *k, "a collective"), **link = &c->rank->calls;
    int error;

    wait_for_number(c);
    if ((error = begin(k, c, call, true)) == MPI_SUCCESS)
        error = wm_p2p_other_new(c->rank->process, &requests, k, request);
    if (error != MPI_SUCCESS) {
        free(k);
        return error;
    }
    if (wm_superblock_receives(c->rank))
        wm_p2p_started(*request);
    k->request = *request;
    while (*link != NULL)
        link = &(*link)->next;
    *link = k;
    return MPI_SUCCESS;
}

/* ---- what doors call ---- */

int wm_rank_collective(const struct wm_call *call, const char *function)
{
    struct wm_rank *rank = wm_rank_enter(function);
    struct wm_rank_comm *c = wm_rank_comm_of(rank, call->comm);

    return wm_rank_return(rank, c, function, c != NULL ? run(c, call) : MPI_ERR_COMM);
}

int wm_rank_collective_begin(const struct wm_call *call, MPI_Request *request, const char *function)
{
    struct wm_rank *rank = wm_rank_enter(function);
    struct wm_rank_comm *c = wm_rank_comm_of(rank, call->comm);

    *request = MPI_REQUEST_NULL;
    return wm_rank_return(rank, c, function,
                          c != NULL ? run_later(c, call, (struct wm_p2p_request **)(void *)request) : MPI_ERR_COMM);
}

int wm_rank_barrier(struct wm_rank_comm *c)
{
    return run(c, &(struct wm_call){.operation = WM_BARRIER});
}

int wm_rank_largest(struct wm_rank_comm *c, int32_t *number)
{
    return run(c, &(struct wm_call){.operation = WM_ALLREDUCE,
                                    .send = MPI_IN_PLACE,
                                    .receive = number,
                                    .receive_count = 1,
                                    .receive_type = MPI_INT32_T,
                                    .op = MPI_MAX});
}

int wm_rank_exchange(struct wm_rank_comm *c, const void *mine, void *all, size_t bytes)
{
    return run(c, &(struct wm_call){.operation = WM_ALLGATHER,
                                    .send = mine,
                                    .receive = all,
                                    .send_count = (int)bytes,
                                    .receive_count = (int)bytes,
                                    .send_type = MPI_BYTE,
                                    .receive_type = MPI_BYTE});
}

int wm_rank_exchange_each(struct wm_rank_comm *c, const void *mine, void *all, const int bytes[], const int places[])
{
    return run(c, &(struct wm_call){.operation = WM_ALLGATHERV,
                                    .send = mine,
                                    .receive = all,
                                    .send_count = bytes[c->self],
                                    .receive_counts = bytes,
                                    .receive_displs = places,
                                    .send_type = MPI_BYTE,
                                    .receive_type = MPI_BYTE});
}
