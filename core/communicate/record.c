/* Records of statements: an enter, a leave, and what was made between them. */
#include "core/communicate/record.h"

#include "core/call/comm.h"
#include "core/path/path.h"
#include "core/record/control.h"

void wm_turn_record_begin(struct wm_turn *turn)
{
    struct wm_comm *c = turn->talk->record;

    wm_comm_lock(c);
    turn->sequence = c->sequence++;
    wm_comm_unlock(c);
    turn->kinds = wm_comm_kinds(c, wm_control_begin(turn->sequence));
    turn->region.count = 0;
    if (turn->kinds != 0)
        turn->began = wm_recorder_now(wm_process_ring());
}

static const char *carried(const struct wm_deal *d, bool blocking)
{
    if (wm_deal_is_operation(d) && blocking)
        return wm_operation_name(d->collective.operation);
    if (d->conveyed && blocking)
        return wm_operation_name(WM_CONVEYOR);
    return wm_knowledge_name(d->knowledge);
}

static void define(struct wm_turn *turn, int node)
{
    static uint32_t numbers;
    struct wm_deal *d = turn->deal;
    const char *how = carried(d, turn->blocking);

    if (d->defined == how)
        return;
    d->defined = how;
    d->number = ++numbers;
    wm_process_define(json_pack("{ss, sI, sI, si, ss, ss, ss, si, ss}", "define", "statement", "statement",
                                (json_int_t)d->number, "communicator", (json_int_t)turn->talk->record->id, "node", node,
                                "name", d->s->name, "text", d->s->text, "file", d->site->file, "line", d->site->line,
                                "carried", how));
}

/* That the rank sends; of what it alone knows, with its heads. */
static uint64_t bytes_of(const struct wm_deal *d)
{
    uint64_t bytes = 0;

    if (d->knowledge != WM_KNOWLEDGE_SENDER)
        return wm_parts_bytes(&d->traffic, &d->traffic.sends);
    for (int i = 0; i < d->sends.count; i++)
        bytes += d->sends.loads[i].bytes;
    return bytes;
}

void wm_turn_record_enter(struct wm_turn *turn, const struct wm_path *path)
{
    if (turn->kinds == 0)
        return;
    wm_record_region_make_statement(&turn->region, turn->talk->record->id, path, bytes_of(turn->deal), turn->sequence,
                                    turn->kinds);
    if (turn->region.count == 0)
        return;
    define(turn, turn->region.nodes[0]);
    turn->region.root = (int32_t)turn->deal->number;
    wm_record_region_enter(&turn->region, turn->began);
}

void wm_turn_record_leave(const struct wm_turn *turn)
{
    const struct wm_record_region *v = &turn->region;
    uint64_t now;

    if (v->count == 0)
        return;
    now = wm_recorder_now(wm_process_ring());
    if (wm_kinds_have(v->kinds, WM_TRACE_STATEMENT))
        wm_record_at(wm_process_ring(), now, WM_TRACE_STATEMENT, 0, v->nodes[0], v->communicator, v->root, v->sequence,
                     now - turn->began);
    wm_record_region_leave(v);
}
