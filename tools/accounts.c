/* The accounts: what one instance after another cost, on the lines of the map. */
#include "tools/accounts.h"

#include <string.h>
#include "tools/vector.h"
#include "tools/waits.h"

/* A visit while it is being charged. */
struct bill {
    struct wm_accounts *accounts;
    const struct wm_instance *instance;
    const struct wm_visit *visit;
    struct wm_line *line;
    int rank;
    int64_t arrived_ns; /* the last rank it depends on has come: what is before is that rank's */
    int64_t charged_ns;
};

int wm_accounts_init(struct wm_accounts *accounts, struct wm_trace *trace, struct wm_analysis *analysis,
                     const struct wm_observer *observer)
{
    *accounts = (struct wm_accounts){.trace = trace, .analysis = analysis, .observer = observer};
    return wm_ledger_init(&accounts->ledger, trace->job_ranks);
}

void wm_accounts_release(struct wm_accounts *accounts)
{
    wm_ledger_release(&accounts->ledger);
    free(accounts->edges);
    free(accounts->visits);
    free(accounts->visit_of_member);
}

static struct wm_line *line_of(struct wm_accounts *accounts, uint16_t node, uint8_t operation)
{
    struct wm_line *line = wm_ledger_line(&accounts->ledger, node, operation);

    if (line != NULL && line->last_group != accounts->group) {
        line->calls++;
        line->last_group = accounts->group;
    }
    return line;
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
    if (piece->kind == WM_CHARGE_TRANSFER) {
        line->transfer_ns += length_ns;
        edge->transfer_ns += length_ns;
        return;
    }
    *(late ? &line->late_ns : &line->inside_ns) += length_ns;
    edge->wait_ns += length_ns;
    wm_ledger_blame(ledger, line, side->peer, length_ns);
}

/* The stage that made the edge or did the work. */
static void charge_stage(struct bill *bill, const struct wm_charge_piece *piece, bool late)
{
    uint16_t node = piece->work != NULL ? piece->work->node : piece->edge->node;
    struct wm_line *line = line_of(bill->accounts, node, bill->visit->operation);

    if (line == NULL)
        return;
    line->time_ns += piece->end_ns - piece->begin_ns;
    if (piece->kind != WM_CHARGE_WORK) {
        charge_edge(bill, line, piece, late);
        return;
    }
    line->shared = line->shared || piece->work->shared;
    *(late && piece->work->shared ? &line->late_ns : &line->work_ns) += piece->end_ns - piece->begin_ns;
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

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

/* One side of a message as the sweep wants it. False when it never ended. */
static bool make_edge(const struct wm_instance *instance, const struct wm_side *side, struct wm_charge_edge *edge)
{
    const struct wm_message *message = &instance->messages[side->message];
    int64_t begin_ns = side->receive ? message->receive_post_ns : message->send_post_ns;
    int64_t end_ns = side->receive ? message->receive_done_ns : message->send_done_ns;
    int64_t other_ns = side->receive ? message->send_post_ns : message->receive_post_ns;
    int peer = side->receive ? message->source : message->destination;

    if (end_ns == WM_TIME_UNKNOWN)
        return false;
    *edge = (struct wm_charge_edge){
        .begin_ns = begin_ns,
        .split_ns = other_ns == WM_TIME_UNKNOWN ? begin_ns : clamp(other_ns, begin_ns, end_ns),
        .end_ns = end_ns,
        .node = side->receive ? message->receive_node : message->send_node,
        .receive = side->receive,
        .peer = instance->communicator->ranks[peer],
    };
    return end_ns > begin_ns;
}

static int bill_visit(struct wm_accounts *accounts, struct wm_instance *instance, struct wm_member_part *part,
                      struct wm_visit *visit, struct wm_line *line)
{
    int64_t time_ns = visit->leave_ns - visit->enter_ns;
    uint32_t bit = 1u << (visit - &instance->visits[part->first_visit]);
    struct bill bill = {accounts,
                        instance,
                        visit,
                        line,
                        accounts->trace->ranks[visit->rank_index].rank,
                        visit->enter_ns + visit->wait_ns,
                        0};
    size_t edge_count = 0;

    if (wm_vector_reserve(&accounts->edges, &accounts->edge_capacity, part->side_count, sizeof *accounts->edges) < 0)
        return -WM_ENOMEM;
    for (size_t i = 0; i < part->side_count; i++) {
        const struct wm_side *side = &instance->sides[part->first_side + i];

        if ((side->open_visits & bit) && make_edge(instance, side, &accounts->edges[edge_count]))
            edge_count++;
    }
    wm_charge(visit->enter_ns, visit->leave_ns, accounts->edges, edge_count, instance->works + part->first_work,
              part->work_count, take_piece, &bill);
    line->visits++;
    line->pieces += visit->pieces;
    line->time_ns += time_ns;
    line->late_ns += visit->wait_ns;
    accounts->analysis->residual_ns += llabs(time_ns - visit->wait_ns - bill.charged_ns);
    if (visit->late_member >= 0)
        wm_ledger_blame(&accounts->ledger, line, instance->communicator->ranks[visit->late_member], visit->wait_ns);
    return 0;
}

/* The slowest instances, the slowest first: an insertion sort of a handful. */
static void keep_slow(struct wm_analysis *analysis, const struct wm_slow *slow)
{
    int at = analysis->slow_count;

    while (at > 0 && analysis->slow[at - 1].duration_ns < slow->duration_ns)
        at--;
    if (at == WM_SLOW_MAX)
        return;
    if (analysis->slow_count < WM_SLOW_MAX)
        analysis->slow_count++;
    memmove(&analysis->slow[at + 1], &analysis->slow[at],
            (size_t)(analysis->slow_count - 1 - at) * sizeof analysis->slow[0]);
    analysis->slow[at] = *slow;
}

/* An instance of a node as a whole: who came last, how long it took. */
static void sum_up(struct wm_accounts *accounts, const struct wm_instance *instance, struct wm_visit **visits,
                   size_t count, struct wm_line *line)
{
    const struct wm_visit *last = visits[0];
    int64_t first_ns = last->enter_ns, end_ns = last->enter_ns;
    uint64_t bytes = 0;
    struct wm_slow slow;

    for (size_t i = 0; i < count; i++) {
        if (visits[i]->enter_ns > last->enter_ns)
            last = visits[i];
        if (visits[i]->enter_ns < first_ns)
            first_ns = visits[i]->enter_ns;
        if (visits[i]->left && visits[i]->leave_ns > end_ns)
            end_ns = visits[i]->leave_ns;
        if (visits[i]->bytes > bytes)
            bytes = visits[i]->bytes;
    }
    line->bytes += bytes;
    line->visited = true;
    line->outermost |= visits[0]->outermost;
    if (count > 1)
        wm_ledger_came_last(&accounts->ledger, line, instance->communicator->ranks[last->member]);
    slow = (struct wm_slow){instance->communicator->key,
                            instance->sequence,
                            line->node,
                            line->operation,
                            bytes,
                            first_ns,
                            end_ns - first_ns,
                            last->enter_ns - first_ns,
                            instance->communicator->ranks[last->member]};
    if (visits[0]->outermost)
        keep_slow(accounts->analysis, &slow);
}

static struct wm_member_part *part_of(struct wm_instance *instance, const struct wm_visit *visit)
{
    size_t number = (size_t)(visit - instance->visits), low = 0, high = instance->part_count;

    while (high - low > 1) { /* the last part whose first visit is not after this one */
        size_t middle = low + (high - low) / 2;

        if (instance->parts[middle].first_visit <= number)
            low = middle;
        else
            high = middle;
    }
    return &instance->parts[low];
}

static int add_node(struct wm_accounts *accounts, struct wm_instance *instance, size_t count)
{
    struct wm_visit **visits = accounts->visits;
    struct wm_line *line = line_of(accounts, visits[0]->node, visits[0]->operation);

    if (line == NULL) {
        instance->unknown += count;
        return 0;
    }
    wm_waits_find(instance, visits, count, accounts->visit_of_member);
    sum_up(accounts, instance, visits, count, line);
    for (size_t i = 0; i < count; i++) {
        if (!visits[i]->left)
            instance->incomplete++;
        else if (bill_visit(accounts, instance, part_of(instance, visits[i]), visits[i], line) < 0)
            return -WM_ENOMEM;
    }
    return 0;
}

/* Messages are counted where they arrive; a receive that ends before its send begins betrays the clocks. */
static void count_messages(struct wm_accounts *accounts, const struct wm_instance *instance)
{
    struct wm_analysis *analysis = accounts->analysis;
    uint8_t operation = instance->visits[0].operation;

    for (size_t i = 0; i < instance->message_count; i++) {
        const struct wm_message *message = &instance->messages[i];
        int64_t early_ns = message->send_post_ns - message->receive_done_ns;
        struct wm_line *line;
        struct wm_edge_cost *edge;

        if (message->receive_done_ns == WM_TIME_UNKNOWN || message->send_post_ns == WM_TIME_UNKNOWN) {
            analysis->unmatched++;
            continue;
        }
        line = line_of(accounts, message->receive_node, operation);
        edge = wm_ledger_edge(&accounts->ledger, message->receive_node, instance->communicator->ranks[message->source],
                              instance->communicator->ranks[message->destination]);
        if (line != NULL) {
            line->messages++;
            line->bytes += message->bytes;
        }
        if (edge != NULL) {
            edge->messages++;
            edge->bytes += message->bytes;
        }
        if (early_ns > 0) {
            analysis->violations++;
            if (early_ns > analysis->violation_max_ns)
                analysis->violation_max_ns = early_ns;
        }
    }
}

int wm_accounts_add(struct wm_accounts *accounts, struct wm_instance *instance)
{
    size_t members = (size_t)instance->communicator->size;
    int rc = 0;

    accounts->group++;
    if (instance->visit_count == 0)
        return 0;
    if (wm_vector_reserve(&accounts->visits, &accounts->visit_capacity, instance->visit_count,
                          sizeof *accounts->visits) < 0 ||
        wm_vector_reserve(&accounts->visit_of_member, &accounts->member_capacity, members,
                          sizeof *accounts->visit_of_member) < 0)
        return -WM_ENOMEM;
    count_messages(accounts, instance);
    /* Each node's visits once: those of the node of the first visit that has not been taken, and so on. */
    for (size_t i = 0; i < instance->visit_count && rc >= 0; i++) {
        size_t count = 0;

        if (instance->visits[i].parent < 0)
            continue;
        for (size_t k = i; k < instance->visit_count; k++)
            if (instance->visits[k].parent == 0 && instance->visits[k].node == instance->visits[i].node)
                accounts->visits[count++] = &instance->visits[k];
        rc = add_node(accounts, instance, count);
        for (size_t k = 0; k < count; k++)
            accounts->visits[k]->parent = -1;
    }
    if (rc >= 0 && accounts->observer != NULL && accounts->observer->take_instance != NULL)
        rc = accounts->observer->take_instance(accounts->observer->context, instance);
    if (rc >= 0)
        rc = accounts->observer_status;
    return accounts->ledger.out_of_memory ? -WM_ENOMEM : rc;
}
