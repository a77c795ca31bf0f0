/* Messages: propagation and slack of those that both sides know; a receive that ends before its send betrays the
 * clocks. */
#include "tools/analysis/messages.h"

#include <stdlib.h>
#include "core/vector.h"

static void note_violation(struct wm_analysis *analysis, int64_t early_ns)
{
    if (early_ns <= 0)
        return;
    analysis->violations++;
    if (early_ns > analysis->violation_max_ns)
        analysis->violation_max_ns = early_ns;
}

static void count_on_stage(struct wm_totals *totals, const struct wm_trace_message *message, uint8_t operation)
{
    struct wm_line *line = wm_totals_line(totals, message->receive_node, operation);
    struct wm_size_cost *size;

    if (line == NULL)
        return;
    line->messages++;
    line->bytes += message->bytes;
    size = wm_line_table_size(&totals->line_table, line, message->bytes);
    if (size != NULL)
        size->messages++;
}

static struct wm_edge_cost *edge_of(struct wm_totals *totals, const struct wm_instance *instance,
                                    const struct wm_trace_message *message)
{
    return wm_line_table_edge(&totals->line_table, message->receive_node,
                              instance->communicator->ranks[message->source],
                              instance->communicator->ranks[message->destination]);
}

static void count_on_edge(struct wm_totals *totals, const struct wm_instance *instance,
                          const struct wm_trace_message *message)
{
    struct wm_edge_cost *edge = edge_of(totals, instance, message);

    if (edge == NULL)
        return;
    edge->messages++;
    edge->bytes += message->bytes;
    edge->propagation_ns += message->receive_done_ns - message->send_post_ns;
    if (edge->last_group != totals->group) {
        edge->instances++;
        edge->last_group = totals->group;
    }
}

static int compare_times(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* When a rank begins to do something: works, sends, and its leaving. Returns how many times, or a negative code. */
static int64_t find_doings(struct wm_totals *totals, const struct wm_instance *instance,
                           const struct wm_member_part *part)
{
    const struct wm_region *region = &instance->regions[part->first_region];
    int64_t *times;
    size_t count = 0;

    if (wm_vector_reserve(&totals->times, &totals->time_capacity, part->side_count + part->work_count + 1,
                          sizeof *totals->times) < 0)
        return -WM_ENOMEM;
    times = totals->times;
    for (size_t i = 0; i < part->side_count; i++) {
        const struct wm_trace_side *side = &instance->sides[part->first_side + i];

        if (!side->receive)
            times[count++] = instance->messages[side->message].send_post_ns;
    }
    for (size_t i = 0; i < part->work_count; i++)
        times[count++] = instance->works[part->first_work + i].begin_ns;
    if (region->left)
        times[count++] = region->leave_ns;
    qsort(times, count, sizeof *times, compare_times);
    return (int64_t)count;
}

/* Receives come in the order of their ends, so that what is done next only moves on. */
static void add_slacks(struct wm_totals *totals, const struct wm_instance *instance, const struct wm_member_part *part,
                       size_t doings)
{
    size_t next = 0;

    for (size_t i = 0; i < part->side_count; i++) {
        const struct wm_trace_side *side = &instance->sides[part->first_side + i];
        const struct wm_trace_message *message = &instance->messages[side->message];
        int64_t done_ns = message->receive_done_ns, early_ns;
        struct wm_edge_cost *edge;

        if (!side->receive || done_ns == WM_TIME_UNKNOWN || message->send_post_ns == WM_TIME_UNKNOWN)
            continue;
        while (next < doings && totals->times[next] < done_ns)
            next++;
        edge = edge_of(totals, instance, message);
        if (edge == NULL || next == doings)
            continue;
        early_ns = message->receive_post_ns - message->send_post_ns;
        wm_line_table_spread(&totals->line_table, &edge->slack_ns,
                             totals->times[next] - done_ns + (early_ns > 0 ? early_ns : 0));
    }
}

int wm_messages_count(struct wm_totals *totals, const struct wm_instance *instance)
{
    uint8_t operation = instance->regions[0].operation;

    for (size_t i = 0; i < instance->message_count; i++) {
        const struct wm_trace_message *message = &instance->messages[i];

        if (message->receive_done_ns == WM_TIME_UNKNOWN || message->send_post_ns == WM_TIME_UNKNOWN) {
            totals->analysis->unmatched++;
            continue;
        }
        count_on_stage(totals, message, operation);
        count_on_edge(totals, instance, message);
        note_violation(totals->analysis, message->send_post_ns - message->receive_done_ns);
    }
    for (size_t i = 0; i < instance->part_count; i++) {
        const struct wm_member_part *part = &instance->parts[i];
        int64_t doings;

        if (part->region_count == 0 || part->side_count == 0)
            continue;
        doings = find_doings(totals, instance, part);
        if (doings < 0)
            return -WM_ENOMEM;
        add_slacks(totals, instance, part, (size_t)doings);
    }
    return 0;
}
