/* The bill of a visit: cuts its time into pieces and adds them to lines, edges and sizes. */
#include "tools/analysis/bill.h"

#include <stdlib.h>
#include "tools/analysis/nesting.h"
#include "tools/text/vector.h"

/* A visit while it is being charged. */
struct bill {
    struct wm_accounts *accounts;
    const struct wm_instance *instance;
    const struct wm_member_part *part;
    const struct wm_trace_visit *visit;
    struct wm_line *line;
    int rank;
    int64_t arrived_ns; /* the last rank it depends on has come: what is before is that rank's */
    int64_t charged_ns;
};

static void add_size(struct wm_ledger *ledger, struct wm_line *line, const struct wm_charge_piece *piece)
{
    struct wm_size_cost *size = wm_ledger_size(ledger, line, piece->edge->bytes);
    int64_t length_ns = piece->end_ns - piece->begin_ns;

    if (size == NULL)
        return;
    if (piece->kind == WM_CHARGE_TRANSFER)
        size->transfer_ns += length_ns;
    else
        *(piece->edge->receive ? &size->late_sender_ns : &size->late_receiver_ns) += length_ns;
}

/* A wait ends at the other rank's time: by so much may the clocks have that wrong. */
static void add_doubt(struct bill *bill, struct wm_line *line, int other_rank, int64_t begin_ns, int64_t end_ns)
{
    int64_t error_ns = wm_accounts_apart_ns(bill->accounts, bill->rank, other_rank, end_ns);

    line->error_ns += error_ns;
    line->unresolved += end_ns - begin_ns < error_ns;
}

/* Works may cut an edge's wait into several pieces; the last one stands for it. */
static bool ends_wait(const struct wm_charge_piece *piece)
{
    return piece->kind == WM_CHARGE_WAIT && piece->end_ns == piece->edge->split_ns;
}

static void charge_edge(struct bill *bill, struct wm_line *line, const struct wm_charge_piece *piece, bool late)
{
    struct wm_ledger *ledger = &bill->accounts->ledger;
    const struct wm_charge_edge *side = piece->edge;
    int64_t length_ns = piece->end_ns - piece->begin_ns;
    struct wm_edge_cost *edge = wm_ledger_edge(ledger, side->node, side->receive ? side->peer : bill->rank,
                                               side->receive ? bill->rank : side->peer);

    if (edge == NULL)
        return;
    add_size(ledger, line, piece);
    if (piece->kind == WM_CHARGE_TRANSFER) {
        line->transfer_ns += length_ns;
        edge->transfer_ns += length_ns;
        wm_ledger_exclusive(ledger, line, bill->rank, length_ns);
        return;
    }
    *(late ? &line->late_ns : &line->inside_ns) += length_ns;
    edge->wait_ns += length_ns;
    *(side->receive ? &edge->late_sender_ns : &edge->late_receiver_ns) += length_ns;
    wm_ledger_blame(ledger, line, side->peer, length_ns);
    if (ends_wait(piece))
        add_doubt(bill, line, side->peer, side->begin_ns, side->split_ns);
}

/* The stage that made the edge or did the work. */
static void charge_stage(struct bill *bill, const struct wm_charge_piece *piece, bool late)
{
    uint16_t node = piece->work != NULL ? piece->work->node : piece->edge->node;
    struct wm_line *line = wm_accounts_line(bill->accounts, node, bill->visit->operation);
    int64_t length_ns = piece->end_ns - piece->begin_ns;

    if (line == NULL)
        return;
    line->time_ns += length_ns;
    if (piece->kind != WM_CHARGE_WORK) {
        charge_edge(bill, line, piece, late);
        return;
    }
    line->shared = line->shared || piece->work->shared;
    if (late && piece->work->shared) {
        line->late_ns += length_ns;
        return;
    }
    line->work_ns += length_ns;
    wm_ledger_exclusive(&bill->accounts->ledger, line, bill->rank, length_ns);
}

/* Overhead belongs to the innermost trace wrapper around it. */
static void charge_overhead(struct bill *bill, const struct wm_charge_piece *piece)
{
    struct wm_ledger *ledger = &bill->accounts->ledger;
    int64_t end_ns = piece->end_ns, since_ns;

    while (end_ns > piece->begin_ns) {
        const struct wm_trace_visit *inner = wm_nesting_innermost(bill->instance, bill->part, end_ns, &since_ns);
        struct wm_line *line = wm_ledger_line(ledger, inner->node, inner->operation);

        since_ns = since_ns < piece->begin_ns ? piece->begin_ns : since_ns;
        if (line != NULL)
            wm_ledger_exclusive(ledger, line, bill->rank, end_ns - since_ns);
        end_ns = since_ns;
    }
}

static void charge_visit(struct bill *bill, const struct wm_charge_piece *piece)
{
    struct wm_line *line = bill->line;
    int64_t *const accounts[] = {
        [WM_CHARGE_WAIT] = &line->inside_ns,
        [WM_CHARGE_TRANSFER] = &line->transfer_ns,
        [WM_CHARGE_WORK] = &line->work_ns,
        [WM_CHARGE_OVERHEAD] = &line->overhead_ns,
    };

    *accounts[piece->kind] += piece->end_ns - piece->begin_ns;
    bill->charged_ns += piece->end_ns - piece->begin_ns;
    if (ends_wait(piece))
        add_doubt(bill, line, piece->edge->peer, piece->begin_ns, piece->end_ns);
    if (bill->visit->outermost && piece->kind == WM_CHARGE_OVERHEAD)
        charge_overhead(bill, piece);
}

static void show_piece(struct bill *bill, const struct wm_charge_piece *piece, bool late)
{
    static const enum wm_cost_kind kinds[] = {
        [WM_CHARGE_WAIT] = WM_COST_INSIDE,
        [WM_CHARGE_TRANSFER] = WM_COST_TRANSFER,
        [WM_CHARGE_WORK] = WM_COST_WORK,
        [WM_CHARGE_OVERHEAD] = WM_COST_OVERHEAD,
    };
    struct wm_accounts *accounts = bill->accounts;
    struct wm_cost_piece cost = {
        .kind = late ? WM_COST_LATE : kinds[piece->kind],
        .node = piece->edge != NULL   ? piece->edge->node
                : piece->work != NULL ? piece->work->node
                                      : bill->visit->node,
        .begin_ns = piece->begin_ns,
        .end_ns = piece->end_ns,
        .edge = piece->edge,
    };

    if (accounts->observer != NULL && accounts->observer->take_piece != NULL && accounts->observer_status == 0)
        accounts->observer_status =
            accounts->observer->take_piece(accounts->observer->context, bill->instance, bill->visit, &cost);
}

static void take_piece(void *context, const struct wm_charge_piece *piece)
{
    struct bill *bill = context;
    struct wm_charge_piece before = *piece, after = *piece;
    bool outermost = bill->visit->outermost, on_stage = outermost && piece->kind != WM_CHARGE_OVERHEAD;

    if (before.end_ns > bill->arrived_ns)
        before.end_ns = bill->arrived_ns;
    if (after.begin_ns < bill->arrived_ns)
        after.begin_ns = bill->arrived_ns;
    if (after.begin_ns < after.end_ns && on_stage)
        charge_stage(bill, &after, false);
    if (before.begin_ns < before.end_ns && on_stage)
        charge_stage(bill, &before, true);
    if (after.begin_ns < after.end_ns && outermost)
        show_piece(bill, &after, false);
    if (before.begin_ns < before.end_ns && outermost)
        show_piece(bill, &before, true);
    if (after.begin_ns < after.end_ns)
        charge_visit(bill, &after);
}

/* Until when an edge waits for the other side. A send that was over before the receive was posted did not wait. */
static int64_t split_of(int64_t begin_ns, int64_t end_ns, int64_t other_ns, bool receive)
{
    if (other_ns == WM_TIME_UNKNOWN || other_ns < begin_ns || (!receive && other_ns > end_ns))
        return begin_ns;
    return other_ns > end_ns ? end_ns : other_ns;
}

/* One side of a message as the sweep wants it. False when it never ended. */
static bool make_edge(const struct wm_instance *instance, const struct wm_trace_side *side, struct wm_charge_edge *edge)
{
    const struct wm_trace_message *message = &instance->messages[side->message];
    int64_t begin_ns = side->receive ? message->receive_post_ns : message->send_post_ns;
    int64_t end_ns = side->receive ? message->receive_done_ns : message->send_done_ns;
    int64_t other_ns = side->receive ? message->send_post_ns : message->receive_post_ns;
    int peer = side->receive ? message->source : message->destination;

    if (end_ns == WM_TIME_UNKNOWN || end_ns <= begin_ns)
        return false;
    *edge = (struct wm_charge_edge){
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

/* The edges made while the visit was open. Returns how many, or a negative code. */
static int64_t gather_edges(struct bill *bill)
{
    struct wm_accounts *accounts = bill->accounts;
    const struct wm_instance *instance = bill->instance;
    const struct wm_member_part *part = bill->part;
    uint32_t bit = 1u << (bill->visit - &instance->visits[part->first_visit]);
    int64_t count = 0;

    if (wm_vector_reserve(&accounts->edges, &accounts->edge_capacity, part->side_count, sizeof *accounts->edges) < 0)
        return -WM_ENOMEM;
    for (size_t i = part->side_count; i > 0; i--) { /* the latest first, as the sweep wants them */
        const struct wm_trace_side *side = &instance->sides[part->first_side + i - 1];

        if ((side->open_visits & bit) && make_edge(instance, side, &accounts->edges[count]))
            count++;
    }
    return count;
}

int wm_bill_visit(struct wm_accounts *accounts, const struct wm_instance *instance, const struct wm_member_part *part,
                  const struct wm_trace_visit *visit, struct wm_line *line)
{
    int64_t time_ns = visit->leave_ns - visit->enter_ns, edge_count;
    struct bill bill = {
        .accounts = accounts,
        .instance = instance,
        .part = part,
        .visit = visit,
        .line = line,
        .rank = accounts->trace->ranks[visit->rank_index].rank,
        .arrived_ns = visit->enter_ns + visit->wait_ns,
    };

    edge_count = gather_edges(&bill);
    if (edge_count < 0)
        return -WM_ENOMEM;
    wm_charge(visit->enter_ns, visit->leave_ns, accounts->edges, (size_t)edge_count, instance->works + part->first_work,
              part->work_count, take_piece, &bill);
    line->visits++;
    line->pieces += visit->pieces;
    line->time_ns += time_ns;
    line->late_ns += visit->wait_ns;
    accounts->analysis->residual_ns += llabs(time_ns - visit->wait_ns - bill.charged_ns);
    if (visit->wait_ns > 0) {
        int late_rank = instance->communicator->ranks[visit->late_member];

        wm_ledger_blame(&accounts->ledger, line, late_rank, visit->wait_ns);
        add_doubt(&bill, line, late_rank, visit->enter_ns, visit->enter_ns + visit->wait_ns);
    }
    return 0;
}
