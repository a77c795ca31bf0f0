/* A call carried out: facts, path, plan, flight. */
#include <stdlib.h>
#include "core/cache.h"
#include "core/comm.h"
#include "core/process.h"
#include "core/runtime.h"

static void record_native(struct wm_comm *c, const struct wm_call *call, enum wm_trace_kind kind, uint16_t node,
                          uint32_t sequence, uint64_t bytes)
{
    int root = wm_operation_rooted(call->operation) ? call->root : -1;

    wm_record(wm_process.ring, kind, (uint8_t)call->operation, node, c->id, root, sequence, bytes);
}

/* Data that this rank puts in: what the trace shows of a call that has no plan. */
static uint64_t native_bytes(const struct wm_call *call)
{
    MPI_Datatype type = call->send_count > 0 ? call->send_type : call->receive_type;
    int count = call->send_count > 0 ? call->send_count : call->receive_count, size = 0;

    if (count <= 0 || type == MPI_DATATYPE_NULL || type == 0 || PMPI_Type_size(type, &size) != MPI_SUCCESS)
        return 0;
    return (uint64_t)count * (uint64_t)size;
}

/* The library's own collective, inside the trace wrappers of the path, or, without a path, of its own. */
static int run_native(struct wm_comm *c, const struct wm_call *call, const struct wm_path *path, uint32_t sequence)
{
    bool traced = wm_process.ring != NULL;
    uint64_t bytes = traced ? native_bytes(call) : 0;
    int rc, count = path != NULL ? path->wrapper_count : 0;

    c->native_calls[call->operation]++;
    if (traced && count == 0)
        record_native(c, call, WM_TRACE_ENTER, 0, sequence, bytes);
    for (int i = 0; traced && i < count; i++)
        if (path->wrappers[i].class->records)
            record_native(c, call, WM_TRACE_ENTER, (uint16_t)path->wrappers[i].node, sequence, bytes);
    rc = call->native(call);
    for (int i = count - 1; traced && i >= 0; i--)
        if (path->wrappers[i].class->records)
            record_native(c, call, WM_TRACE_LEAVE, (uint16_t)path->wrappers[i].node, sequence, bytes);
    if (traced && count == 0)
        record_native(c, call, WM_TRACE_LEAVE, 0, sequence, bytes);
    return rc;
}

/* What a call is to a plan, and the facts that it alone knows (wm_comm_facts adds the others on a miss). False: an
 * argument is wrong, and the library shall say so. */
static bool describe(const struct wm_comm *c, const struct wm_call *call, struct wm_facts *facts,
                     struct wm_plan_call *plan_call, struct wm_binding *binding)
{
    bool rooted = wm_operation_rooted(call->operation),
         reduces = call->operation == WM_REDUCE || call->operation == WM_ALLREDUCE;
    struct wm_geometry *g = &binding->geometry;
    int commutative = 1;

    *plan_call = (struct wm_plan_call){.operation = call->operation,
                                       .count = 1,
                                       .root = rooted ? call->root : -1,
                                       .commutative = true,
                                       .traced = wm_process.ring != NULL};
    binding->send = call->send;
    binding->receive = call->receive;
    binding->op = call->op;
    binding->call = call;
    *g = wm_geometry_bytes();
    if (call->operation == WM_BCAST || reduces) {
        if (call->receive_count < 0 || (rooted && (call->root < 0 || call->root >= c->ranks)) ||
            wm_geometry_read(g, call->receive_type) != MPI_SUCCESS ||
            (reduces && (call->op == MPI_OP_NULL || !wm_geometry_combines(call->receive_type, call->op) ||
                         PMPI_Op_commutative(call->op, &commutative) != MPI_SUCCESS)))
            return false;
        if (call->send == MPI_IN_PLACE && rooted && reduces && call->root != c->rank)
            return false;
        plan_call->count = (size_t)call->receive_count;
        plan_call->unit_bytes = g->size;
    }
    plan_call->commutative = commutative;
    plan_call->in_place = reduces && call->send == MPI_IN_PLACE;
    facts->operation = call->operation;
    facts->bytes = plan_call->count * plan_call->unit_bytes;
    facts->root = plan_call->root;
    facts->commutative = commutative;
    return true;
}

/* A bcast's data is bytes: of the buffer itself, or, for a datatype with gaps or an order of its own, packed. */
static int pack_bcast(const struct wm_comm *c, struct wm_plan_call *plan_call, struct wm_binding *b, char **packed)
{
    struct wm_geometry g = b->geometry;
    size_t bytes = plan_call->count * g.size;

    *packed = NULL;
    b->geometry = wm_geometry_bytes();
    plan_call->unit_bytes = 1;
    plan_call->count = bytes;
    if (g.packed || bytes == 0)
        return MPI_SUCCESS;
    if ((*packed = malloc(bytes)) == NULL)
        return MPI_ERR_NO_MEM;
    b->receive = *packed;
    return c->rank == plan_call->root ? wm_geometry_pack(&g, b->call->receive, (size_t)b->call->receive_count, *packed)
                                      : MPI_SUCCESS;
}

static int unpack_bcast(const struct wm_comm *c, const struct wm_call *call, char *packed, int rc)
{
    struct wm_geometry g;

    if (rc == MPI_SUCCESS && c->rank != call->root && (rc = wm_geometry_read(&g, call->receive_type)) == MPI_SUCCESS)
        rc = wm_geometry_unpack(&g, packed, call->receive, (size_t)call->receive_count);
    free(packed);
    return rc;
}

/* All ranks see a plan fail alike, and none can go on. */
static const struct wm_plan *new_plan(struct wm_comm *c, const struct wm_path *path,
                                      const struct wm_plan_call *plan_call)
{
    struct wm_error error = {0};
    const struct wm_plan *plan = wm_cache_new_plan(c, path, plan_call, &error);

    if (plan == NULL)
        wm_process_abort(&error);
    return plan;
}

static int fly(struct wm_comm *c, const struct wm_plan *plan, const struct wm_binding *binding)
{
    struct wm_flight *flight = wm_engine_start(c->engine, plan, binding);

    c->planned_calls[binding->call->operation]++;
    if (flight == NULL)
        return MPI_ERR_NO_MEM;
    wm_engine_finish(c->engine, flight);
    return wm_engine_land(c->engine, flight);
}

/* The short road: the same call as last time. The path counts as looked up, for its age must be the same on all ranks.
 */
static const struct wm_plan *recall(struct wm_comm *c, const struct wm_call *call, struct wm_binding *binding)
{
    struct wm_last_call *last = &c->last[call->operation];

    if (last->plan == NULL || last->count != call->receive_count || last->type != call->receive_type ||
        last->op != call->op || last->root != call->root || last->in_place != (call->send == MPI_IN_PLACE))
        return NULL;
    last->path->used = ++c->clock;
    binding->send = call->send;
    binding->receive = call->receive;
    binding->geometry = last->geometry;
    binding->unit_bytes = last->unit_bytes;
    binding->op = call->op;
    binding->call = call;
    return last->plan;
}

static void remember(struct wm_comm *c, const struct wm_call *call, struct wm_path *path, const struct wm_plan *plan,
                     const struct wm_binding *binding)
{
    c->last[call->operation] = (struct wm_last_call){
        plan,
        path,
        call->receive_count,
        call->root,
        call->receive_type,
        call->op,
        call->send == MPI_IN_PLACE,
        binding->geometry,
        binding->unit_bytes,
    };
}

/* Errors came back on the shadow; the user's communicator decides what becomes of them. */
static int raise_error(const struct wm_call *call, int rc)
{
    if (rc != MPI_SUCCESS)
        PMPI_Comm_call_errhandler(call->comm, rc);
    return rc;
}

/* The long road: facts, path, plan. */
static int run_planned(struct wm_comm *c, const struct wm_call *call, struct wm_path *path,
                       struct wm_plan_call *plan_call, struct wm_binding *binding)
{
    bool comes_back = call->operation == WM_BARRIER ||
                      (binding->geometry.packed && (call->operation == WM_BCAST || wm_geometry_predefined(call->op)));
    const struct wm_plan *plan;
    char *packed = NULL;
    int rc;

    if (call->operation == WM_BCAST && (rc = pack_bcast(c, plan_call, binding, &packed)) != MPI_SUCCESS)
        return rc;
    binding->unit_bytes = plan_call->unit_bytes;
    plan = wm_cache_plan(c, path, plan_call);
    if (plan == NULL)
        plan = new_plan(c, path, plan_call);
    if (comes_back)
        remember(c, call, path, plan, binding);
    rc = fly(c, plan, binding);
    return packed != NULL ? unpack_bcast(c, call, packed, rc) : rc;
}

int wm_call_run(struct wm_comm *c, const struct wm_call *call)
{
    uint32_t sequence = c->sequence++;
    struct wm_facts facts;
    struct wm_plan_call plan_call;
    struct wm_binding binding;
    const struct wm_plan *plan;
    struct wm_path *path;

    binding.sequence = sequence;
    if ((plan = recall(c, call, &binding)) != NULL)
        return raise_error(call, fly(c, plan, &binding));
    if (c->native_only || (wm_process.planned & WM_OPERATION_BIT(call->operation)) == 0)
        return run_native(c, call, NULL, sequence);
    if (!describe(c, call, &facts, &plan_call, &binding))
        return run_native(c, call, NULL, sequence);
    path = wm_comm_path(c, &facts);
    if (path->native)
        return run_native(c, call, path, sequence);
    return raise_error(call, run_planned(c, call, path, &plan_call, &binding));
}
