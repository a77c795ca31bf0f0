/* The line table: hash tables of the totals by line and by edge. */
#include "tools/analysis/line_table.h"

#include <stdlib.h>
#include "core/hash.h"
#include "core/vector.h"

enum { LINE_SLOTS = 2 * WM_LINE_TABLE_LINES };

int wm_line_table_init(struct wm_line_table *line_table, int job_ranks)
{
    *line_table = (struct wm_line_table){.job_ranks = job_ranks, .edge_slot_count = 1024};
    line_table->lines = calloc(WM_LINE_TABLE_LINES, sizeof *line_table->lines);
    line_table->line_slots = calloc(LINE_SLOTS, sizeof *line_table->line_slots);
    line_table->edge_slots = calloc(line_table->edge_slot_count, sizeof *line_table->edge_slots);
    return line_table->lines && line_table->line_slots && line_table->edge_slots ? 0 : -WM_ENOMEM;
}

void wm_line_table_lines_free(struct wm_line *lines, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct wm_line *line = &lines[i];

        free(line->wait_by_rank);
        free(line->last_by_rank);
        free(line->exclusive_by_rank);
        free(line->sizes);
        wm_spread_release(&line->duration_ns);
        wm_spread_release(&line->skew_ns);
        wm_spread_release(&line->wait_ns);
        wm_spread_release(&line->service_ns);
        wm_spread_release(&line->completion_ns);
    }
    free(lines);
}

void wm_line_table_edges_free(struct wm_edge_cost *edges, size_t count)
{
    for (size_t i = 0; i < count; i++)
        wm_spread_release(&edges[i].slack_ns);
    free(edges);
}

void wm_line_table_release(struct wm_line_table *line_table)
{
    wm_line_table_lines_free(line_table->lines, line_table->line_count);
    wm_line_table_edges_free(line_table->edges, line_table->edge_count);
    free(line_table->line_slots);
    free(line_table->edge_slots);
}

struct wm_line *wm_line_table_line(struct wm_line_table *line_table, uint16_t node, uint8_t operation)
{
    size_t at = (node * 31u + operation * 977u) % LINE_SLOTS;

    for (; line_table->line_slots[at] != 0; at = (at + 1) % LINE_SLOTS) {
        struct wm_line *line = &line_table->lines[line_table->line_slots[at] - 1];

        if (line->node == node && line->operation == operation)
            return line;
    }
    if (line_table->line_count == WM_LINE_TABLE_LINES)
        return NULL;
    line_table->lines[line_table->line_count] = (struct wm_line){.node = node, .operation = operation};
    line_table->line_slots[at] = (uint32_t)++line_table->line_count;
    return &line_table->lines[line_table->line_count - 1];
}

static uint64_t edge_hash(uint16_t node, int source, int destination)
{
    uint64_t ends = (uint64_t)(uint32_t)source << 32 | (uint32_t)destination;

    return wm_hash_add(wm_hash_add(WM_HASH_BEGIN, ends), node);
}

static int grow_edge_slots(struct wm_line_table *line_table)
{
    size_t count = 2 * line_table->edge_slot_count;
    uint32_t *slots = calloc(count, sizeof *slots);

    if (slots == NULL)
        return -WM_ENOMEM;
    for (size_t i = 0; i < line_table->edge_count; i++) {
        const struct wm_edge_cost *edge = &line_table->edges[i];
        size_t at = edge_hash(edge->node, edge->source, edge->destination) & (count - 1);

        while (slots[at] != 0)
            at = (at + 1) & (count - 1);
        slots[at] = (uint32_t)i + 1;
    }
    free(line_table->edge_slots);
    line_table->edge_slots = slots;
    line_table->edge_slot_count = count;
    return 0;
}

static struct wm_edge_cost *new_edge(struct wm_line_table *line_table, uint16_t node, int source, int destination)
{
    if (wm_vector_reserve(&line_table->edges, &line_table->edge_capacity, line_table->edge_count + 1,
                          sizeof *line_table->edges) < 0)
        return NULL;
    line_table->edges[line_table->edge_count] =
        (struct wm_edge_cost){.node = node, .source = source, .destination = destination};
    return &line_table->edges[line_table->edge_count++];
}

struct wm_edge_cost *wm_line_table_edge(struct wm_line_table *line_table, uint16_t node, int source, int destination)
{
    struct wm_edge_cost *edge;
    size_t at;

    if (2 * line_table->edge_count >= line_table->edge_slot_count && grow_edge_slots(line_table) < 0) {
        line_table->out_of_memory = true;
        return NULL;
    }
    for (at = edge_hash(node, source, destination) & (line_table->edge_slot_count - 1); line_table->edge_slots[at] != 0;
         at = (at + 1) & (line_table->edge_slot_count - 1)) {
        edge = &line_table->edges[line_table->edge_slots[at] - 1];
        if (edge->node == node && edge->source == source && edge->destination == destination)
            return edge;
    }
    edge = new_edge(line_table, node, source, destination);
    if (edge == NULL)
        line_table->out_of_memory = true;
    else
        line_table->edge_slots[at] = (uint32_t)line_table->edge_count;
    return edge;
}

void wm_line_table_exclusive(struct wm_line_table *line_table, struct wm_line *line, int rank, int64_t time_ns)
{
    if (rank < 0 || rank >= line_table->job_ranks)
        return;
    if (line->exclusive_by_rank == NULL)
        line->exclusive_by_rank = calloc((size_t)line_table->job_ranks, sizeof *line->exclusive_by_rank);
    if (line->exclusive_by_rank == NULL)
        line_table->out_of_memory = true;
    else
        line->exclusive_by_rank[rank] += time_ns;
}

static void balance(struct wm_line *line, int job_ranks)
{
    int64_t most_ns = 0, sum_ns = 0;
    int count = 0;

    for (int i = 0; i < job_ranks; i++) {
        int64_t time_ns = line->exclusive_by_rank[i];

        most_ns = time_ns > most_ns ? time_ns : most_ns;
        sum_ns += time_ns;
        count += time_ns > 0;
    }
    line->imbalance = sum_ns > 0 ? (double)most_ns * count / (double)sum_ns - 1 : 0;
}

void wm_line_table_balance(struct wm_line_table *line_table)
{
    for (size_t i = 0; i < line_table->line_count; i++)
        if (line_table->lines[i].exclusive_by_rank != NULL)
            balance(&line_table->lines[i], line_table->job_ranks);
}

void wm_line_table_spread(struct wm_line_table *line_table, struct wm_spread *spread, int64_t value)
{
    if (wm_spread_add(spread, value) < 0)
        line_table->out_of_memory = true;
}

void wm_line_table_blame(struct wm_line_table *line_table, struct wm_line *line, int rank, int64_t wait_ns)
{
    if (rank < 0 || rank >= line_table->job_ranks || wait_ns <= 0)
        return;
    if (line->wait_by_rank == NULL)
        line->wait_by_rank = calloc((size_t)line_table->job_ranks, sizeof *line->wait_by_rank);
    if (line->wait_by_rank == NULL)
        line_table->out_of_memory = true;
    else
        line->wait_by_rank[rank] += wait_ns;
}

void wm_line_table_came_last(struct wm_line_table *line_table, struct wm_line *line, int rank)
{
    if (rank < 0 || rank >= line_table->job_ranks)
        return;
    if (line->last_by_rank == NULL)
        line->last_by_rank = calloc((size_t)line_table->job_ranks, sizeof *line->last_by_rank);
    if (line->last_by_rank == NULL)
        line_table->out_of_memory = true;
    else
        line->last_by_rank[rank]++;
}
