/* The ledger: hash tables of the accounts by line and by edge. */
#include "tools/analysis/ledger.h"

#include <stdlib.h>
#include "tools/text/vector.h"

enum { LINE_SLOTS = 2 * WM_LEDGER_LINES };

int wm_ledger_init(struct wm_ledger *ledger, int job_ranks)
{
    *ledger = (struct wm_ledger){.job_ranks = job_ranks, .edge_slot_count = 1024};
    ledger->lines = calloc(WM_LEDGER_LINES, sizeof *ledger->lines);
    ledger->line_slots = calloc(LINE_SLOTS, sizeof *ledger->line_slots);
    ledger->edge_slots = calloc(ledger->edge_slot_count, sizeof *ledger->edge_slots);
    return ledger->lines && ledger->line_slots && ledger->edge_slots ? 0 : -WM_ENOMEM;
}

void wm_ledger_lines_free(struct wm_line *lines, size_t count)
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

void wm_ledger_edges_free(struct wm_edge_cost *edges, size_t count)
{
    for (size_t i = 0; i < count; i++)
        wm_spread_release(&edges[i].slack_ns);
    free(edges);
}

void wm_ledger_release(struct wm_ledger *ledger)
{
    wm_ledger_lines_free(ledger->lines, ledger->line_count);
    wm_ledger_edges_free(ledger->edges, ledger->edge_count);
    free(ledger->line_slots);
    free(ledger->edge_slots);
}

struct wm_line *wm_ledger_line(struct wm_ledger *ledger, uint16_t node, uint8_t operation)
{
    size_t at = (node * 31u + operation * 977u) % LINE_SLOTS;

    for (; ledger->line_slots[at] != 0; at = (at + 1) % LINE_SLOTS) {
        struct wm_line *line = &ledger->lines[ledger->line_slots[at] - 1];

        if (line->node == node && line->operation == operation)
            return line;
    }
    if (ledger->line_count == WM_LEDGER_LINES)
        return NULL;
    ledger->lines[ledger->line_count] = (struct wm_line){.node = node, .operation = operation};
    ledger->line_slots[at] = (uint32_t)++ledger->line_count;
    return &ledger->lines[ledger->line_count - 1];
}

static uint64_t edge_hash(uint16_t node, int source, int destination)
{
    uint64_t hash = ((uint64_t)(uint32_t)source << 32 | (uint32_t)destination) * 0x9e3779b97f4a7c15u;

    hash = (hash ^ (hash >> 31) ^ node) * 0xbf58476d1ce4e5b9u;
    return hash ^ (hash >> 32);
}

static int grow_edge_slots(struct wm_ledger *ledger)
{
    size_t count = 2 * ledger->edge_slot_count;
    uint32_t *slots = calloc(count, sizeof *slots);

    if (slots == NULL)
        return -WM_ENOMEM;
    for (size_t i = 0; i < ledger->edge_count; i++) {
        const struct wm_edge_cost *edge = &ledger->edges[i];
        size_t at = edge_hash(edge->node, edge->source, edge->destination) & (count - 1);

        while (slots[at] != 0)
            at = (at + 1) & (count - 1);
        slots[at] = (uint32_t)i + 1;
    }
    free(ledger->edge_slots);
    ledger->edge_slots = slots;
    ledger->edge_slot_count = count;
    return 0;
}

static struct wm_edge_cost *new_edge(struct wm_ledger *ledger, uint16_t node, int source, int destination)
{
    if (wm_vector_reserve(&ledger->edges, &ledger->edge_capacity, ledger->edge_count + 1, sizeof *ledger->edges) < 0)
        return NULL;
    ledger->edges[ledger->edge_count] =
        (struct wm_edge_cost){.node = node, .source = source, .destination = destination};
    return &ledger->edges[ledger->edge_count++];
}

struct wm_edge_cost *wm_ledger_edge(struct wm_ledger *ledger, uint16_t node, int source, int destination)
{
    struct wm_edge_cost *edge;
    size_t at;

    if (2 * ledger->edge_count >= ledger->edge_slot_count && grow_edge_slots(ledger) < 0) {
        ledger->out_of_memory = true;
        return NULL;
    }
    for (at = edge_hash(node, source, destination) & (ledger->edge_slot_count - 1); ledger->edge_slots[at] != 0;
         at = (at + 1) & (ledger->edge_slot_count - 1)) {
        edge = &ledger->edges[ledger->edge_slots[at] - 1];
        if (edge->node == node && edge->source == source && edge->destination == destination)
            return edge;
    }
    edge = new_edge(ledger, node, source, destination);
    if (edge == NULL)
        ledger->out_of_memory = true;
    else
        ledger->edge_slots[at] = (uint32_t)ledger->edge_count;
    return edge;
}

void wm_ledger_exclusive(struct wm_ledger *ledger, struct wm_line *line, int rank, int64_t time_ns)
{
    if (rank < 0 || rank >= ledger->job_ranks)
        return;
    if (line->exclusive_by_rank == NULL)
        line->exclusive_by_rank = calloc((size_t)ledger->job_ranks, sizeof *line->exclusive_by_rank);
    if (line->exclusive_by_rank == NULL)
        ledger->out_of_memory = true;
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

void wm_ledger_balance(struct wm_ledger *ledger)
{
    for (size_t i = 0; i < ledger->line_count; i++)
        if (ledger->lines[i].exclusive_by_rank != NULL)
            balance(&ledger->lines[i], ledger->job_ranks);
}

void wm_ledger_spread(struct wm_ledger *ledger, struct wm_spread *spread, int64_t value)
{
    if (wm_spread_add(spread, value) < 0)
        ledger->out_of_memory = true;
}

void wm_ledger_blame(struct wm_ledger *ledger, struct wm_line *line, int rank, int64_t wait_ns)
{
    if (rank < 0 || rank >= ledger->job_ranks || wait_ns <= 0)
        return;
    if (line->wait_by_rank == NULL)
        line->wait_by_rank = calloc((size_t)ledger->job_ranks, sizeof *line->wait_by_rank);
    if (line->wait_by_rank == NULL)
        ledger->out_of_memory = true;
    else
        line->wait_by_rank[rank] += wait_ns;
}

void wm_ledger_came_last(struct wm_ledger *ledger, struct wm_line *line, int rank)
{
    if (rank < 0 || rank >= ledger->job_ranks)
        return;
    if (line->last_by_rank == NULL)
        line->last_by_rank = calloc((size_t)ledger->job_ranks, sizeof *line->last_by_rank);
    if (line->last_by_rank == NULL)
        ledger->out_of_memory = true;
    else
        line->last_by_rank[rank]++;
}
