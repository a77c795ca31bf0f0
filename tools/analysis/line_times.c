/* Line times: a region's time is cut into pieces and added to lines, edges and sizes. */
#include "tools/analysis/line_times.h"

#include <stdlib.h>
#include "tools/analysis/nesting.h"
#include "core/vector.h"

/* A region whose time is being attributed. */
struct attributed {
    struct wm_totals *totals;
    const struct wm_instance *instance;
    const struct wm_member_part *part;
    const struct wm_region *region;
    struct wm_line *line;
    int rank;
    int64_t arrived_ns; /* the last rank it depends on has come: what is before is that rank's */
    int64_t attributed_ns;
};

static void add_size(struct wm_line_table *line_table, struct wm_line *line, const struct wm_attributed_piece *piece)
{
    struct wm_size_cost *size = wm_line_table_size(line_table, line, piece->edge->bytes);
    int64_t length_ns = piece->end_ns - piece->begin_ns;

    if (size == NULL)
        return;
    if (piece->kind == WM_ATTRIBUTED_TRANSFER)
        size->transfer_ns += length_ns;
    else
        *(piece->edge->receive ? &size->late_sender_ns : &size->late_receiver_ns) += length_ns;
}

/* A wait ends at the other rank's time: by so much may the clocks have that wrong. */
static void add_doubt(struct attributed *attributed, struct wm_line *line, int other_rank, int64_t begin_ns,
                      int64_t end_ns)
{
    int64_t error_ns = wm_totals_apart_ns(attributed->totals, attributed->rank, other_rank, end_ns);

    line->error_ns += error_ns;
    line->unresolved += end_ns - begin_ns < error_ns;
}

/* Works may cut an edge's wait into several pieces; the last one stands for it. */
static bool ends_wait(const struct wm_attributed_piece *piece)
{
    return piece->kind == WM_ATTRIBUTED_WAIT && piece->end_ns == piece->edge->split_ns;
}

static void attribute_edge(struct attributed *attributed, struct wm_line *line, const struct wm_attributed_piece *piece,
                           bool late)
{
    struct wm_line_table *line_table = &attributed->totals->line_table;
    const struct wm_attributed_edge *side = piece->edge;
    int64_t length_ns = piece->end_ns - piece->begin_ns;
    struct wm_edge_cost *edge =
        wm_line_table_edge(line_table, side->node, side->receive ? side->peer : attributed->rank,
                           side->receive ? attributed->rank : side->peer);

    if (edge == NULL)
        return;
    add_size(line_table, line, piece);
    if (piece->kind == WM_ATTRIBUTED_TRANSFER) {
        line->transfer_ns += length_ns;
        edge->transfer_ns += length_ns;
        wm_line_table_exclusive(line_table, line, attributed->rank, length_ns);
        return;
    }
    *(late ? &line->late_ns : &line->inside_ns) += length_ns;
    edge->wait_ns += length_ns;
    *(side->receive ? &edge->late_sender_ns : &edge->late_receiver_ns) += length_ns;
    wm_line_table_blame(line_table, line, side->peer, length_ns);
    if (ends_wait(piece))
        add_doubt(attributed, line, side->peer, side->begin_ns, side->split_ns);
}

/* The stage that made the edge or did the work. */
static void attribute_stage(struct attributed *attributed, const struct wm_attributed_piece *piece, bool late)
{
    uint16_t node = piece->work != NULL ? piece->work->node : piece->edge->node;
    struct wm_line *line = wm_totals_line(attributed->totals, node, attributed->region->operation);
    int64_t length_ns = piece->end_ns - piece->begin_ns;

    if (line == NULL)
        return;
    line->time_ns += length_ns;
    if (piece->kind != WM_ATTRIBUTED_WORK) {
        attribute_edge(attributed, line, piece, late);
        return;
    }
    line->shared = line->shared || piece->work->shared;
    if (late && piece->work->shared) {
        line->late_ns += length_ns;
        return;
    }
    line->work_ns += length_ns;
    wm_line_table_exclusive(&attributed->totals->line_table, line, attributed->rank, length_ns);
}

/* Overhead belongs to the innermost trace wrapper around it. */
static void attribute_overhead(struct attributed *attributed, const struct wm_attributed_piece *piece)
{
    struct wm_line_table *line_table = &attributed->totals->line_table;
    int64_t end_ns = piece->end_ns, since_ns;

    while (end_ns > piece->begin_ns) {
        const struct wm_region *inner = wm_nesting_innermost(attributed->instance, attributed->part, end_ns, &since_ns);
        struct wm_line *line = wm_line_table_line(line_table, inner->node, inner->operation);

        since_ns = since_ns < piece->begin_ns ? piece->begin_ns : since_ns;
        if (line != NULL)
            wm_line_table_exclusive(line_table, line, attributed->rank, end_ns - since_ns);
        end_ns = since_ns;
    }
}

static void attribute_region(struct attributed *attributed, const struct wm_attributed_piece *piece)
{
    struct wm_line *line = attributed->line;
    int64_t *const totals[] = {
        [WM_ATTRIBUTED_WAIT] = &line->inside_ns,
        [WM_ATTRIBUTED_TRANSFER] = &line->transfer_ns,
        [WM_ATTRIBUTED_WORK] = &line->work_ns,
        [WM_ATTRIBUTED_OVERHEAD] = &line->overhead_ns,
    };

    *totals[piece->kind] += piece->end_ns - piece->begin_ns;
    attributed->attributed_ns += piece->end_ns - piece->begin_ns;
    if (ends_wait(piece))
        add_doubt(attributed, line, piece->edge->peer, piece->begin_ns, piece->end_ns);
    if (attributed->region->outermost && piece->kind == WM_ATTRIBUTED_OVERHEAD)
        attribute_overhead(attributed, piece);
}

static void show_piece(struct attributed *attributed, const struct wm_attributed_piece *piece, bool late)
{
    static const enum wm_cost_kind kinds[] = {
        [WM_ATTRIBUTED_WAIT] = WM_COST_INSIDE,
        [WM_ATTRIBUTED_TRANSFER] = WM_COST_TRANSFER,
        [WM_ATTRIBUTED_WORK] = WM_COST_WORK,
        [WM_ATTRIBUTED_OVERHEAD] = WM_COST_OVERHEAD,
    };
    struct wm_totals *totals = attributed->totals;
    struct wm_cost_piece cost = {
        .kind = late ? WM_COST_LATE : kinds[piece->kind],
        .node = piece->edge != NULL   ? piece->edge->node
                : piece->work != NULL ? piece->work->node
                                      : attributed->region->node,
        .begin_ns = piece->begin_ns,
        .end_ns = piece->end_ns,
        .edge = piece->edge,
    };

    if (totals->observer != NULL && totals->observer->take_piece != NULL && totals->observer_status == 0)
        totals->observer_status =
            totals->observer->take_piece(totals->observer->context, attributed->instance, attributed->region, &cost);
}

static void take_piece(void *context, const struct wm_attributed_piece *piece)
{
    struct attributed *attributed = context;
    struct wm_attributed_piece before = *piece, after = *piece;
    bool outermost = attributed->region->outermost, on_stage = outermost && piece->kind != WM_ATTRIBUTED_OVERHEAD;

    if (before.end_ns > attributed->arrived_ns)
        before.end_ns = attributed->arrived_ns;
    if (after.begin_ns < attributed->arrived_ns)
        after.begin_ns = attributed->arrived_ns;
    if (after.begin_ns < after.end_ns && on_stage)
        attribute_stage(attributed, &after, false);
    if (before.begin_ns < before.end_ns && on_stage)
        attribute_stage(attributed, &before, true);
    if (after.begin_ns < after.end_ns && outermost)
        show_piece(attributed, &after, false);
    if (before.begin_ns < before.end_ns && outermost)
        show_piece(attributed, &before, true);
    if (after.begin_ns < after.end_ns)
        attribute_region(attributed, &after);
}

/* Until when an edge waits for the other side. A send that was over before the receive was posted did not wait. */
static int64_t split_of(int64_t begin_ns, int64_t end_ns, int64_t other_ns, bool receive)
{
    if (other_ns == WM_TIME_UNKNOWN || other_ns < begin_ns || (!receive && other_ns > end_ns))
        return begin_ns;
    return other_ns > end_ns ? end_ns : other_ns;
}

/* One side of a message as the sweep wants it. False when it never ended. */
static bool make_edge(const struct wm_instance *instance, const struct wm_trace_side *side,
                      struct wm_attributed_edge *edge)
{
    const struct wm_trace_message *message = &instance->messages[side->message];
    int64_t begin_ns = side->receive ? message->receive_post_ns : message->send_post_ns;
    int64_t end_ns = side->receive ? message->receive_done_ns : message->send_done_ns;
    int64_t other_ns = side->receive ? message->send_post_ns : message->receive_post_ns;
    int peer = side->receive ? message->source : message->destination;

    if (end_ns == WM_TIME_UNKNOWN || end_ns <= begin_ns)
        return false;
    *edge = (struct wm_attributed_edge){
        .begin_ns = begin_ns,
        .split_ns = split_of(begin_ns, end_ns, other_ns, side->receive),
        .end_ns = end_ns,
        .node = side->receive ? message->receive_node : message->send_node,
        .receive = side->receive,
        .peer = instance->communicator->ranks[peer],
        .bytes = message->bytes,
    };
    return true;
}

/* The edges made while the region was open. Returns how many, or a negative code. */
static int64_t gather_edges(struct attributed *attributed)
{
    struct wm_totals *totals = attributed->totals;
    const struct wm_instance *instance = attributed->instance;
    const struct wm_member_part *part = attributed->part;
    uint32_t bit = 1u << (attributed->region - &instance->regions[part->first_region]);
    int64_t count = 0;

    if (wm_vector_reserve(&totals->edges, &totals->edge_capacity, part->side_count, sizeof *totals->edges) < 0)
        return -WM_ENOMEM;
    for (size_t i = part->side_count; i > 0; i--) { /* the latest first, as the sweep wants them */
        const struct wm_trace_side *side = &instance->sides[part->first_side + i - 1];

        if ((side->open_regions & bit) && make_edge(instance, side, &totals->edges[count]))
            count++;
    }
    return count;
}

int wm_line_times_add(struct wm_totals *totals, const struct wm_instance *instance, const struct wm_member_part *part,
                      const struct wm_region *region, struct wm_line *line)
{
    int64_t time_ns = region->leave_ns - region->enter_ns, edge_count;
    struct attributed attributed = {
        .totals = totals,
        .instance = instance,
        .part = part,
        .region = region,
        .line = line,
        .rank = totals->trace->ranks[region->rank_index].rank,
        .arrived_ns = region->enter_ns + region->wait_ns,
    };

    edge_count = gather_edges(&attributed);
    if (edge_count < 0)
        return -WM_ENOMEM;
    wm_attribute(region->enter_ns, region->leave_ns, totals->edges, (size_t)edge_count,
                 instance->works + part->first_work, part->work_count, take_piece, &attributed);
    line->regions++;
    line->pieces += region->pieces;
    line->time_ns += time_ns;
    line->late_ns += region->wait_ns;
    totals->analysis->residual_ns += llabs(time_ns - region->wait_ns - attributed.attributed_ns);
    if (region->wait_ns > 0) {
        int late_rank = instance->communicator->ranks[region->late_member];

        wm_line_table_blame(&totals->line_table, line, late_rank, region->wait_ns);
        add_doubt(&attributed, line, late_rank, region->enter_ns, region->enter_ns + region->wait_ns);
    }
    return 0;
}
