/* Regions: enters and leaves of the library's own calls, and waits. */
#include "core/record/region.h"

#include "core/record/control.h"

/* Data that this rank puts in: what the trace shows of a call that has no plan. */
static uint64_t bytes_of(const struct wm_call *call)
{
    MPI_Datatype type = call->send_count > 0 ? call->send_type : call->receive_type;
    int count = call->send_count > 0 ? call->send_count : call->receive_count, size = 0;

    if (count <= 0 || type == MPI_DATATYPE_NULL || type == 0 || PMPI_Type_size(type, &size) != MPI_SUCCESS)
        return 0;
    return (uint64_t)count * (uint64_t)size;
}

static void fill(struct wm_record_region *v, uint32_t communicator, const struct wm_call *call, uint32_t sequence,
                 uint64_t kinds)
{
    v->kinds = kinds;
    v->communicator = communicator;
    v->sequence = sequence;
    v->root = wm_operation_rooted(call->operation) ? call->root : -1;
    v->operation = (uint8_t)call->operation;
    v->bytes = 0;
    v->count = 0;
}

static void take_wrappers(struct wm_record_region *v, const struct wm_path *path)
{
    for (int i = 0; i < path->wrapper_count; i++)
        if (path->wrappers[i].class->role == WM_ROLE_TRACE)
            v->nodes[v->count++] = (uint16_t)path->wrappers[i].node;
}

void wm_record_region_make(struct wm_record_region *v, uint32_t communicator, const struct wm_call *call,
                           const struct wm_path *path, uint32_t sequence, uint64_t kinds)
{
    int wrappers = path != NULL ? path->wrapper_count : 0;

    fill(v, communicator, call, sequence, kinds);
    if (v->kinds == 0)
        return;
    v->bytes = wm_kinds_have(kinds, WM_TRACE_ENTER) ? bytes_of(call) : 0;
    if (wrappers == 0)
        v->nodes[v->count++] = 0;
    else
        take_wrappers(v, path);
}

void wm_record_region_make_statement(struct wm_record_region *v, uint32_t communicator, const struct wm_path *path,
                                     uint64_t bytes, uint32_t sequence, uint64_t kinds)
{
    fill(v, communicator, &(struct wm_call){.operation = WM_STATEMENT}, sequence, kinds);
    v->bytes = bytes;
    take_wrappers(v, path);
}

void wm_record_region_make_planned(struct wm_record_region *v, uint32_t communicator, const struct wm_call *call,
                                   const struct wm_plan *plan, uint32_t sequence, uint64_t kinds)
{
    fill(v, communicator, call, sequence, kinds);
    for (int i = 0; v->count == 0 && i < plan->step_count; i++)
        if (plan->steps[i].kind == WM_STEP_ENTER)
            v->nodes[v->count++] = plan->steps[i].node;
}

static void record(const struct wm_record_region *v, uint64_t now, enum wm_trace_kind kind, uint16_t node,
                   uint64_t argument)
{
    wm_record_at(wm_process_ring(), now, kind, v->operation, node, v->communicator, v->root, v->sequence, argument);
}

void wm_record_region_enter(const struct wm_record_region *v, uint64_t ticks)
{
    uint64_t now;

    if (!wm_kinds_have(v->kinds, WM_TRACE_ENTER) || v->count == 0)
        return;
    now = ticks > 0 ? ticks : wm_recorder_now(wm_process_ring());
    for (int i = 0; i < v->count; i++)
        record(v, now, WM_TRACE_ENTER, v->nodes[i], v->bytes);
}

void wm_record_region_leave(const struct wm_record_region *v)
{
    uint64_t now;

    if (!wm_kinds_have(v->kinds, WM_TRACE_LEAVE) || v->count == 0)
        return;
    now = wm_recorder_now(wm_process_ring());
    for (int i = v->count - 1; i >= 0; i--)
        record(v, now, WM_TRACE_LEAVE, v->nodes[i], v->bytes);
}

void wm_record_region_wait(const struct wm_record_region *v, uint64_t ticks)
{
    if (wm_kinds_have(v->kinds, WM_TRACE_WAIT) && v->count > 0)
        record(v, wm_recorder_now(wm_process_ring()), WM_TRACE_WAIT, v->nodes[0], ticks);
}
