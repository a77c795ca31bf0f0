/* csv: a row for every record, as a spreadsheet or a data frame reads it. */
#include <stdlib.h>
#include <string.h>
#include "waymark/operation.h"
#include "tools/convert/converter.h"

/* Texts that repeat, quoted once. */
struct csv {
    char **hosts;         /* by host */
    char **communicators; /* by key */
};

static const char header[] = "rank,host,time_ns,error_ns,kind,operation,file,line,column,wrapper,label,source,name,"
                             "communicator,sequence,peer,bytes,message,duration_ns,detail,value\n";

static void release(struct wm_converter *c)
{
    struct csv *csv = c->state;

    for (int i = 0; csv != NULL && csv->hosts != NULL && i < c->host_count; i++)
        free(csv->hosts[i]);
    for (uint32_t i = 0; csv != NULL && csv->communicators != NULL && i < c->trace->communicator_count; i++)
        free(csv->communicators[i]);
    if (csv != NULL) {
        free(csv->hosts);
        free(csv->communicators);
    }
    free(csv);
}

static int begin(struct wm_converter *c)
{
    struct csv *csv = c->state = calloc(1, sizeof *csv);

    if (csv == NULL)
        return -WM_ENOMEM;
    csv->hosts = calloc((size_t)c->host_count + 1, sizeof *csv->hosts);
    csv->communicators = calloc((size_t)c->trace->communicator_count + 1, sizeof *csv->communicators);
    if (csv->hosts == NULL || csv->communicators == NULL)
        return -WM_ENOMEM;
    for (int i = 0; i < c->host_count; i++)
        if ((csv->hosts[i] = wm_text_csv(c->hosts[i])) == NULL)
            return -WM_ENOMEM;
    for (uint32_t i = 0; i < c->trace->communicator_count; i++)
        if ((csv->communicators[i] = wm_text_csv(c->trace->communicators[i].name)) == NULL)
            return -WM_ENOMEM;
    wm_sink_text(c->output, header);
    return 0;
}

static void put_comma(struct wm_sink *out)
{
    wm_sink_write(out, ",", 1);
}

static void put_number(struct wm_sink *out, int64_t number)
{
    wm_sink_number(out, number);
    put_comma(out);
}

/* A field that is empty below 0. */
static void put_natural(struct wm_sink *out, int64_t number)
{
    if (number >= 0)
        wm_sink_number(out, number);
    put_comma(out);
}

static void put_text(struct wm_sink *out, const char *text)
{
    wm_sink_text(out, text);
    put_comma(out);
}

/* Which place in the map, and the names of marks and conveyors. */
static int put_place(struct wm_converter *c, const struct wm_event *event)
{
    uint32_t number = wm_names_find(c->names, event->rank_index, &event->record);
    const struct wm_name *name;

    if (number == 0)
        return -WM_ENOMEM;
    name = wm_names_get(c->names, number);
    put_text(c->output, name->operation >= 0 ? wm_operation_name((enum wm_operation)name->operation) : "");
    put_text(c->output, name->place_csv);
    put_text(c->output, name->csv);
    return 0;
}

/* Calls: from their enter; works and waits: as recorded, though their begin may lie before the window. */
static int64_t duration_of(const struct wm_converter *c, const struct wm_event *event)
{
    if (wm_record_spans(&event->record))
        return wm_record_span_ns(&c->trace->ranks[event->rank_index], &event->record);
    return event->kind == WM_EVENT_END && event->record.kind == WM_TRACE_LEAVE ? event->time_ns - event->begin_ns : -1;
}

static void put_value(struct wm_sink *out, const struct wm_trace_record *record)
{
    switch (record->kind) {
    case WM_TRACE_CONVEY_STATE: /* calls of convey_advance; those that got on */
        wm_sink_unsigned(out, record->argument & 0xffffffffu);
        break;
    case WM_TRACE_CONVEY_CLOSE: /* units */
        wm_sink_unsigned(out, record->argument >> 34);
        break;
    case WM_TRACE_CONVEY_OPEN:
    case WM_TRACE_CONVEY_TAKE:
    case WM_TRACE_CONVEY_PULL:
    case WM_TRACE_CONVEY_GIVE:
    case WM_TRACE_CONVEY_COUNT:
    case WM_TRACE_CLOCK:
    case WM_TRACE_MARK:
    case WM_TRACE_MAP_EPOCH:
    case WM_TRACE_REGION: /* ns that were computed, or idle */
        wm_sink_unsigned(out, record->argument);
        break;
    case WM_TRACE_SYNC:
        wm_sink_number(out, (int64_t)record->argument);
        break;
    case WM_TRACE_LEVEL:
        wm_sink_unsigned(out, record->flags);
        break;
    default:
        break;
    }
}

static bool belongs_to_call(const struct wm_trace_record *record)
{
    return record->kind != WM_TRACE_CLOCK && record->kind != WM_TRACE_SYNC && record->kind != WM_TRACE_LEVEL &&
           record->kind != WM_TRACE_MARK && record->kind != WM_TRACE_REGION;
}

static int take(struct wm_converter *c, const struct wm_event *event)
{
    const struct wm_trace_rank *rank = &c->trace->ranks[event->rank_index];
    const struct wm_trace_record *record = &event->record;
    const struct csv *csv = c->state;
    struct wm_sink *out = c->output;
    bool called = belongs_to_call(record), edge = wm_record_edge(record);

    if (!event->own)
        return 0;
    put_number(out, rank->rank);
    put_text(out, csv->hosts[c->host_of[event->rank_index]]);
    put_number(out, event->time_ns);
    put_number(out, wm_trace_error_ns(rank, event->time_ns));
    put_text(out, wm_trace_kind_name(record->kind));
    if (put_place(c, event) < 0)
        return -WM_ENOMEM;
    put_text(out, called && event->communicator < c->trace->communicator_count ? csv->communicators[event->communicator]
                                                                               : "");
    put_natural(out, called ? (int64_t)record->sequence : -1);
    put_natural(out, wm_event_peer(c->trace, event));
    put_natural(out, wm_record_bytes(record));
    put_natural(out, edge ? (int64_t)(record->argument >> 40) : -1);
    put_natural(out, duration_of(c, event));
    put_text(out, wm_conveyor_word(record));
    put_value(out, record);
    wm_sink_write(out, "\n", 1);
    return 0;
}

const struct wm_converter_class wm_converter_csv = {
    .name = "csv",
    .suffix = ".csv",
    .order = WM_ORDER_RANKS,
    .begin = begin,
    .begin_rank = wm_converter_no_rank,
    .take = take,
    .end_rank = wm_converter_no_rank,
    .end = wm_converter_no_frame,
    .release = release,
};
