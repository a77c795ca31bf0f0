/* Messages of protocols: the records of each endpoint, counted. */
#include "tools/analysis/protocols.h"

#include <stdlib.h>
#include "core/error.h"

/* The endpoint of this rank's first row at `ends` that a record speaks of; NULL: there is none of that number. */
static struct wm_protocol_end *end_of(struct wm_protocol_end *ends, const struct wm_trace_rank *rank, uint32_t id)
{
    for (int i = 0; i < rank->protocol_count; i++)
        if (rank->protocols[i].id == id)
            return &ends[i];
    return NULL;
}

static void take_match(struct wm_protocol_end *end, const struct wm_trace_rank *rank,
                       const struct wm_trace_record *record)
{
    struct wm_protocol_met *met = &end->met[record->flags % WM_TRACE_MET_WAYS];
    int64_t wait_ns = wm_trace_duration_ns(rank, record->argument);

    met->count++;
    met->wait_ns += wait_ns;
    met->wait_max_ns = wait_ns > met->wait_max_ns ? wait_ns : met->wait_max_ns;
}

static void take_kept(struct wm_protocol_end *end, const struct wm_trace_rank *rank,
                      const struct wm_trace_record *record)
{
    end->kept++;
    if (record->flags != WM_TRACE_MET_COPY)
        return;
    end->copied_bytes += record->argument & 0xffffffffffu;
    end->copy_ns += wm_trace_duration_ns(rank, record->argument >> 40);
}

static bool take(struct wm_protocol_end *ends, const struct wm_trace_rank *rank, const struct wm_trace_record *record)
{
    struct wm_protocol_end *end = end_of(ends, rank, record->communicator);

    if (end == NULL)
        return false;
    if (end->node == 0)
        end->node = record->node;
    if (record->kind == WM_TRACE_MESSAGE_MATCH)
        take_match(end, rank, record);
    else if (record->kind == WM_TRACE_MESSAGE_KEPT)
        take_kept(end, rank, record);
    else if (record->kind == WM_TRACE_MESSAGE_DONE)
        ++*(record->flags == 0 ? &end->sent : &end->received);
    return true;
}

static void read_rank(struct wm_protocol_table *table, const struct wm_trace_rank *rank)
{
    struct wm_protocol_end *ends = &table->ends[table->count];
    const struct wm_trace_record *record;

    for (int i = 0; i < rank->protocol_count; i++)
        ends[i] = (struct wm_protocol_end){.definition = &rank->protocols[i], .rank = rank->rank};
    table->count += (size_t)rank->protocol_count;
    for (uint64_t number = 0; (record = wm_trace_next(rank, &number)) != NULL;) {
        const struct wm_trace_record copy = *record; /* a live job may overwrite it between a check and its use */

        if (copy.kind >= WM_TRACE_MESSAGE_POST && copy.kind <= WM_TRACE_MESSAGE_DONE)
            table->unknown += !take(ends, rank, &copy);
    }
}

int wm_protocol_table_make(struct wm_protocol_table **protocols, struct wm_trace *trace)
{
    struct wm_protocol_table *table = *protocols = calloc(1, sizeof *table);
    size_t count = 0;

    for (int i = 0; i < trace->rank_count; i++)
        count += (size_t)trace->ranks[i].protocol_count;
    if (table == NULL || (table->ends = calloc(count + 1, sizeof *table->ends)) == NULL) {
        wm_protocol_table_free(table);
        *protocols = NULL;
        return -WM_ENOMEM;
    }
    for (int i = 0; i < trace->rank_count; i++)
        if (trace->ranks[i].protocol_count > 0)
            read_rank(table, &trace->ranks[i]);
    return 0;
}

void wm_protocol_table_free(struct wm_protocol_table *table)
{
    if (table != NULL)
        free(table->ends);
    free(table);
}

static int64_t waited_ns(const struct wm_protocol_end *end)
{
    return end->met[WM_TRACE_MET_COPY].wait_ns + end->met[WM_TRACE_MET_HEADER].wait_ns;
}

static bool are_early(const struct wm_protocol_end *end)
{
    uint64_t early = end->met[WM_TRACE_MET_COPY].count + end->met[WM_TRACE_MET_HEADER].count;

    return early * 10 >= early + end->met[WM_TRACE_MET_EXPECTED].count;
}

const struct wm_protocol_end *wm_protocol_worst(const struct wm_protocol_table *table)
{
    const struct wm_protocol_end *worst = NULL;

    for (size_t i = 0; i < table->count; i++)
        if (are_early(&table->ends[i]) && waited_ns(&table->ends[i]) > (worst != NULL ? waited_ns(worst) : 0))
            worst = &table->ends[i];
    return worst;
}
