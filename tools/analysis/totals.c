/* The totals: what one instance after another cost, on the lines of the map. */
#include "tools/analysis/totals.h"

#include <string.h>
#include "core/search.h"
#include "tools/analysis/line_times.h"
#include "tools/analysis/critical.h"
#include "tools/analysis/delays.h"
#include "tools/analysis/efficiency.h"
#include "tools/analysis/messages.h"
#include "tools/analysis/paths.h"
#include "core/vector.h"
#include "tools/analysis/waits.h"

int wm_totals_init(struct wm_totals *totals, struct wm_trace *trace, struct wm_analysis *analysis,
                   const struct wm_observer *observer)
{
    *totals = (struct wm_totals){.trace = trace, .analysis = analysis, .observer = observer};
    totals->index_of_rank = malloc((size_t)trace->job_ranks * sizeof *totals->index_of_rank);
    if (totals->index_of_rank == NULL || wm_line_table_init(&totals->line_table, trace->job_ranks) < 0 ||
        wm_history_init(&totals->history, trace) < 0)
        return -WM_ENOMEM;
    for (int i = 0; i < trace->job_ranks; i++)
        totals->index_of_rank[i] = -1;
    for (int i = 0; i < trace->rank_count; i++)
        totals->index_of_rank[trace->ranks[i].rank] = i;
    return 0;
}

void wm_totals_release(struct wm_totals *totals)
{
    wm_line_table_release(&totals->line_table);
    wm_history_release(&totals->history);
    wm_floors_release(&totals->floors);
    free(totals->index_of_rank);
    free(totals->edges);
    free(totals->times);
    free(totals->regions);
    free(totals->region_of_member);
}

static const struct wm_trace_rank *find_rank(const struct wm_totals *totals, int rank)
{
    int index = rank >= 0 && rank < totals->trace->job_ranks ? totals->index_of_rank[rank] : -1;

    return index < 0 ? NULL : &totals->trace->ranks[index];
}

int64_t wm_totals_apart_ns(const struct wm_totals *totals, int rank, int other_rank, int64_t time_ns)
{
    const struct wm_trace_rank *a = find_rank(totals, rank), *b = find_rank(totals, other_rank);

    return a == NULL || b == NULL ? 0 : wm_trace_apart_ns(a, b, time_ns);
}

struct wm_line *wm_totals_line(struct wm_totals *totals, uint16_t node, uint8_t operation)
{
    struct wm_line *line = wm_line_table_line(&totals->line_table, node, operation);

    if (line != NULL && line->last_group != totals->group) {
        line->calls++;
        line->last_group = totals->group;
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
    const struct wm_region *last;             /* to enter */
    int64_t first_ns, end_ns, first_leave_ns; /* first enter; last and first leave, or the first enter */
    uint64_t bytes;
};

static struct extent measure(struct wm_region *const *regions, size_t count)
{
    struct extent extent = {regions[0], INT64_MAX, INT64_MIN, INT64_MAX, 0};

    for (size_t i = 0; i < count; i++) {
        const struct wm_region *region = regions[i];

        if (region->enter_ns > extent.last->enter_ns)
            extent.last = region;
        if (region->enter_ns < extent.first_ns)
            extent.first_ns = region->enter_ns;
        if (region->left && region->leave_ns > extent.end_ns)
            extent.end_ns = region->leave_ns;
        if (region->left && region->leave_ns < extent.first_leave_ns)
            extent.first_leave_ns = region->leave_ns;
        if (region->bytes > extent.bytes)
            extent.bytes = region->bytes;
    }
    if (extent.end_ns < extent.first_ns)
        extent.end_ns = extent.first_leave_ns = extent.first_ns;
    return extent;
}

/* Who came last, how long it took. */
static void sum_up(struct wm_totals *totals, const struct wm_instance *instance, const struct extent *extent,
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
        wm_line_table_came_last(&totals->line_table, line, last_rank);
    wm_line_table_spread(&totals->line_table, &line->duration_ns, slow.duration_ns);
    wm_line_table_spread(&totals->line_table, &line->skew_ns, slow.skew_ns);
    if (outermost)
        keep_slow(totals->analysis, &slow);
}

static struct wm_member_part *part_of(struct wm_instance *instance, const struct wm_region *region)
{
    size_t number = (size_t)(region - instance->regions);

    return &instance->parts[WM_LAST_WHILE(i, instance->part_count, instance->parts[i].first_region <= number)];
}

/* Of a nonblocking call: how long it flew, and how long of that the program waited for it. */
static void add_flight(struct wm_line *line, const struct wm_member_part *part, const struct wm_region *region)
{
    int64_t flight_ns = region->leave_ns - region->enter_ns, wait_ns = part->flight_wait_ns;

    if (!region->outermost || part->flight_end_ns == WM_TIME_UNKNOWN)
        return;
    if (part->flight_end_ns > region->leave_ns)
        wait_ns -= part->flight_end_ns - region->leave_ns;
    line->flights++;
    line->flight_ns += flight_ns;
    line->flight_wait_ns += wait_ns < 0 ? 0 : wait_ns < flight_ns ? wait_ns : flight_ns;
}

/* A region that has ended. */
static int add_region(struct wm_totals *totals, struct wm_instance *instance, struct wm_region *region,
                      const struct extent *extent, struct wm_line *line)
{
    const struct wm_member_part *part = part_of(instance, region);
    int64_t service_ns = region->leave_ns - region->enter_ns - region->wait_ns;
    int64_t able_ns = region->enter_ns > extent->first_leave_ns ? region->enter_ns : extent->first_leave_ns;

    wm_line_table_spread(&totals->line_table, &line->wait_ns, region->wait_ns);
    wm_line_table_spread(&totals->line_table, &line->service_ns, service_ns);
    wm_line_table_spread(&totals->line_table, &line->completion_ns, region->leave_ns - able_ns);
    wm_floors_add(&totals->floors, service_ns);
    add_flight(line, part, region);
    return wm_line_times_add(totals, instance, part, region, line);
}

static int add_node(struct wm_totals *totals, struct wm_instance *instance, size_t count)
{
    struct wm_region **regions = totals->regions;
    struct wm_line *line = wm_totals_line(totals, regions[0]->node, regions[0]->operation);
    struct extent extent = measure(regions, count);
    uint16_t number;

    if (line == NULL) {
        instance->unknown += count;
        return 0;
    }
    number = (uint16_t)(line - totals->line_table.lines);
    sum_up(totals, instance, &extent, count, line, regions[0]->outermost);
    if (wm_waits_find(instance, regions, count, totals->region_of_member) < 0 ||
        wm_history_add(&totals->history, instance, regions, count, number,
                       wm_operation_synchronises(regions[0]->operation)) < 0 ||
        wm_floors_begin(&totals->floors, number, extent.bytes, (uint32_t)count,
                        extent.last->enter_ns - extent.first_ns) < 0)
        return -WM_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        if (!regions[i]->left)
            instance->incomplete++;
        else if (add_region(totals, instance, regions[i], &extent, line) < 0)
            return -WM_ENOMEM;
    }
    return 0;
}

/* Each node's regions once: those of the node of the first region that has not been taken, and so on. */
static int add_nodes(struct wm_totals *totals, struct wm_instance *instance)
{
    int rc = 0;

    for (size_t i = 0; i < instance->region_count && rc >= 0; i++) {
        size_t count = 0;

        if (instance->regions[i].parent < 0)
            continue;
        for (size_t k = i; k < instance->region_count; k++)
            if (instance->regions[k].parent == 0 && instance->regions[k].node == instance->regions[i].node)
                totals->regions[count++] = &instance->regions[k];
        rc = add_node(totals, instance, count);
        for (size_t k = 0; k < count; k++)
            totals->regions[k]->parent = -1;
    }
    return rc;
}

int wm_totals_add(struct wm_totals *totals, struct wm_instance *instance)
{
    size_t members = (size_t)instance->communicator->size;
    int rc;

    totals->group++;
    if (instance->region_count == 0)
        return 0;
    if (wm_vector_reserve(&totals->regions, &totals->region_capacity, instance->region_count, sizeof *totals->regions) <
            0 ||
        wm_vector_reserve(&totals->region_of_member, &totals->member_capacity, members,
                          sizeof *totals->region_of_member) < 0)
        return -WM_ENOMEM;
    wm_critical_sort(instance);
    rc = wm_messages_count(totals, instance);
    if (rc >= 0)
        rc = add_nodes(totals, instance);
    if (rc < 0)
        return rc;
    wm_paths_add(totals, instance);
    if (totals->observer != NULL && totals->observer->take_instance != NULL && totals->observer_status == 0)
        totals->observer_status = totals->observer->take_instance(totals->observer->context, instance);
    return totals->line_table.out_of_memory ? -WM_ENOMEM : totals->observer_status;
}

int wm_totals_finish(struct wm_totals *totals)
{
    if (wm_floors_find(&totals->floors, totals->line_table.lines) < 0 || wm_history_finish(&totals->history) < 0)
        return -WM_ENOMEM;
    wm_line_table_balance(&totals->line_table);
    wm_efficiency_find(&totals->analysis->efficiency, &totals->history);
    return wm_delays_find(totals->analysis, &totals->history, &totals->line_table);
}
