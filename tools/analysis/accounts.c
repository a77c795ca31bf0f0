/* The accounts: what one instance after another cost, on the lines of the map. */
#include "tools/analysis/accounts.h"

#include <string.h>
#include "tools/analysis/bill.h"
#include "tools/analysis/critical.h"
#include "tools/analysis/delays.h"
#include "tools/analysis/efficiency.h"
#include "tools/analysis/messages.h"
#include "tools/analysis/paths.h"
#include "tools/text/vector.h"
#include "tools/analysis/waits.h"

int wm_accounts_init(struct wm_accounts *accounts, struct wm_trace *trace, struct wm_analysis *analysis,
                     const struct wm_observer *observer)
{
    *accounts = (struct wm_accounts){.trace = trace, .analysis = analysis, .observer = observer};
    accounts->index_of_rank = malloc((size_t)trace->job_ranks * sizeof *accounts->index_of_rank);
    if (accounts->index_of_rank == NULL || wm_ledger_init(&accounts->ledger, trace->job_ranks) < 0 ||
        wm_history_init(&accounts->history, trace) < 0)
        return -WM_ENOMEM;
    for (int i = 0; i < trace->job_ranks; i++)
        accounts->index_of_rank[i] = -1;
    for (int i = 0; i < trace->rank_count; i++)
        accounts->index_of_rank[trace->ranks[i].rank] = i;
    return 0;
}

void wm_accounts_release(struct wm_accounts *accounts)
{
    wm_ledger_release(&accounts->ledger);
    wm_history_release(&accounts->history);
    wm_floors_release(&accounts->floors);
    free(accounts->index_of_rank);
    free(accounts->edges);
    free(accounts->times);
    free(accounts->visits);
    free(accounts->visit_of_member);
}

static const struct wm_trace_rank *find_rank(const struct wm_accounts *accounts, int rank)
{
    int index = rank >= 0 && rank < accounts->trace->job_ranks ? accounts->index_of_rank[rank] : -1;

    return index < 0 ? NULL : &accounts->trace->ranks[index];
}

int64_t wm_accounts_apart_ns(const struct wm_accounts *accounts, int rank, int other_rank, int64_t time_ns)
{
    const struct wm_trace_rank *a = find_rank(accounts, rank), *b = find_rank(accounts, other_rank);

    return a == NULL || b == NULL ? 0 : wm_trace_apart_ns(a, b, time_ns);
}

struct wm_line *wm_accounts_line(struct wm_accounts *accounts, uint16_t node, uint8_t operation)
{
    struct wm_line *line = wm_ledger_line(&accounts->ledger, node, operation);

    if (line != NULL && line->last_group != accounts->group) {
        line->calls++;
        line->last_group = accounts->group;
    }
    return line;
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

/* An instance of a node as a whole. */
struct extent {
    const struct wm_trace_visit *last;        /* to enter */
    int64_t first_ns, end_ns, first_leave_ns; /* first enter; last and first leave, or the first enter */
    uint64_t bytes;
};

static struct extent measure(struct wm_trace_visit *const *visits, size_t count)
{
    struct extent extent = {visits[0], INT64_MAX, INT64_MIN, INT64_MAX, 0};

    for (size_t i = 0; i < count; i++) {
        const struct wm_trace_visit *visit = visits[i];

        if (visit->enter_ns > extent.last->enter_ns)
            extent.last = visit;
        if (visit->enter_ns < extent.first_ns)
            extent.first_ns = visit->enter_ns;
        if (visit->left && visit->leave_ns > extent.end_ns)
            extent.end_ns = visit->leave_ns;
        if (visit->left && visit->leave_ns < extent.first_leave_ns)
            extent.first_leave_ns = visit->leave_ns;
        if (visit->bytes > extent.bytes)
            extent.bytes = visit->bytes;
    }
    if (extent.end_ns < extent.first_ns)
        extent.end_ns = extent.first_leave_ns = extent.first_ns;
    return extent;
}

/* Who came last, how long it took. */
static void sum_up(struct wm_accounts *accounts, const struct wm_instance *instance, const struct extent *extent,
                   size_t count, struct wm_line *line, bool outermost)
{
    int last_rank = instance->communicator->ranks[extent->last->member];
    struct wm_slow slow = {
        .communicator = instance->communicator->key,
        .sequence = instance->sequence,
        .node = line->node,
        .operation = line->operation,
        .bytes = extent->bytes,
        .begin_ns = extent->first_ns,
        .duration_ns = extent->end_ns - extent->first_ns,
        .skew_ns = extent->last->enter_ns - extent->first_ns,
        .last_rank = last_rank,
    };

    line->bytes += extent->bytes;
    line->visited = true;
    line->outermost |= outermost;
    if (count > 1)
        wm_ledger_came_last(&accounts->ledger, line, last_rank);
    wm_ledger_spread(&accounts->ledger, &line->duration_ns, slow.duration_ns);
    wm_ledger_spread(&accounts->ledger, &line->skew_ns, slow.skew_ns);
    if (outermost)
        keep_slow(accounts->analysis, &slow);
}

static struct wm_member_part *part_of(struct wm_instance *instance, const struct wm_trace_visit *visit)
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

/* Of a nonblocking call: how long it flew, and how long of that the program waited for it. */
static void add_flight(struct wm_line *line, const struct wm_member_part *part, const struct wm_trace_visit *visit)
{
    int64_t flight_ns = visit->leave_ns - visit->enter_ns, wait_ns = part->flight_wait_ns;

    if (!visit->outermost || part->flight_end_ns == WM_TIME_UNKNOWN)
        return;
    if (part->flight_end_ns > visit->leave_ns)
        wait_ns -= part->flight_end_ns - visit->leave_ns;
    line->flights++;
    line->flight_ns += flight_ns;
    line->flight_wait_ns += wait_ns < 0 ? 0 : wait_ns < flight_ns ? wait_ns : flight_ns;
}

/* A visit that has ended. */
static int add_visit(struct wm_accounts *accounts, struct wm_instance *instance, struct wm_trace_visit *visit,
                     const struct extent *extent, struct wm_line *line)
{
    const struct wm_member_part *part = part_of(instance, visit);
    int64_t service_ns = visit->leave_ns - visit->enter_ns - visit->wait_ns;
    int64_t able_ns = visit->enter_ns > extent->first_leave_ns ? visit->enter_ns : extent->first_leave_ns;

    wm_ledger_spread(&accounts->ledger, &line->wait_ns, visit->wait_ns);
    wm_ledger_spread(&accounts->ledger, &line->service_ns, service_ns);
    wm_ledger_spread(&accounts->ledger, &line->completion_ns, visit->leave_ns - able_ns);
    wm_floors_add(&accounts->floors, service_ns);
    add_flight(line, part, visit);
    return wm_bill_visit(accounts, instance, part, visit, line);
}

static int add_node(struct wm_accounts *accounts, struct wm_instance *instance, size_t count)
{
    struct wm_trace_visit **visits = accounts->visits;
    struct wm_line *line = wm_accounts_line(accounts, visits[0]->node, visits[0]->operation);
    struct extent extent = measure(visits, count);
    uint16_t number;

    if (line == NULL) {
        instance->unknown += count;
        return 0;
    }
    number = (uint16_t)(line - accounts->ledger.lines);
    sum_up(accounts, instance, &extent, count, line, visits[0]->outermost);
    if (wm_waits_find(instance, visits, count, accounts->visit_of_member) < 0 ||
        wm_history_add(&accounts->history, instance, visits, count, number,
                       wm_waits_synchronises(visits[0]->operation)) < 0 ||
        wm_floors_begin(&accounts->floors, number, extent.bytes, (uint32_t)count,
                        extent.last->enter_ns - extent.first_ns) < 0)
        return -WM_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        if (!visits[i]->left)
            instance->incomplete++;
        else if (add_visit(accounts, instance, visits[i], &extent, line) < 0)
            return -WM_ENOMEM;
    }
    return 0;
}

/* Each node's visits once: those of the node of the first visit that has not been taken, and so on. */
static int add_nodes(struct wm_accounts *accounts, struct wm_instance *instance)
{
    int rc = 0;

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
    return rc;
}

int wm_accounts_add(struct wm_accounts *accounts, struct wm_instance *instance)
{
    size_t members = (size_t)instance->communicator->size;
    int rc;

    accounts->group++;
    if (instance->visit_count == 0)
        return 0;
    if (wm_vector_reserve(&accounts->visits, &accounts->visit_capacity, instance->visit_count,
                          sizeof *accounts->visits) < 0 ||
        wm_vector_reserve(&accounts->visit_of_member, &accounts->member_capacity, members,
                          sizeof *accounts->visit_of_member) < 0)
        return -WM_ENOMEM;
    wm_critical_sort(instance);
    rc = wm_messages_count(accounts, instance);
    if (rc >= 0)
        rc = add_nodes(accounts, instance);
    if (rc < 0)
        return rc;
    wm_paths_add(accounts, instance);
    if (accounts->observer != NULL && accounts->observer->take_instance != NULL && accounts->observer_status == 0)
        accounts->observer_status = accounts->observer->take_instance(accounts->observer->context, instance);
    return accounts->ledger.out_of_memory ? -WM_ENOMEM : accounts->observer_status;
}

int wm_accounts_finish(struct wm_accounts *accounts)
{
    if (wm_floors_find(&accounts->floors, accounts->ledger.lines) < 0 || wm_history_finish(&accounts->history) < 0)
        return -WM_ENOMEM;
    wm_ledger_balance(&accounts->ledger);
    wm_efficiency_find(&accounts->analysis->efficiency, &accounts->history);
    return wm_delays_find(accounts->analysis, &accounts->history, &accounts->ledger);
}
