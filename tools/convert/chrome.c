/* chrome: Trace Event JSON, for chrome://tracing, ui.perfetto.dev and whatever else reads it.
 *
 * A process a host, a thread a rank and one for each track beside it; states as B and E, messages as flows from where
 * they are sent to where they are received, the rest as instants. Events are written by hand: Jansson takes forty times
 * as long, and quotes the texts only. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "tools/convert/converter.h"

struct chrome {
    bool first;             /* no event was written yet */
    char **communicators;   /* quoted names, by key */
    uint32_t *tracks_named; /* by rank index: how many of its tracks have a name */
};

static void release(struct wm_converter *c)
{
    struct chrome *chrome = c->state;

    if (chrome == NULL)
        return;
    for (uint32_t i = 0; chrome->communicators != NULL && i < c->trace->communicator_count; i++)
        free(chrome->communicators[i]);
    free(chrome->communicators);
    free(chrome->tracks_named);
    free(chrome);
}

static void put(struct wm_converter *c, const char *text)
{
    wm_sink_text(c->output, text);
}

static void put_member(struct wm_converter *c, const char *name, int64_t number)
{
    put(c, name);
    wm_sink_number(c->output, number);
}

/* A name for a process or a thread, or the place of a thread among others. Takes `arguments` over. */
static int put_metadata(struct wm_converter *c, const char *name, int64_t pid, int64_t tid, json_t *arguments)
{
    struct chrome *chrome = c->state;
    json_t *event = json_pack("{ss ss sI sI so}", "ph", "M", "name", name, "pid", (json_int_t)pid, "tid",
                              (json_int_t)tid, "args", arguments);
    char *text = event != NULL ? json_dumps(event, JSON_COMPACT) : NULL;

    json_decref(event);
    if (text == NULL)
        return -WM_ENOMEM;
    put(c, chrome->first ? "\n" : ",\n");
    put(c, text);
    chrome->first = false;
    free(text);
    return 0;
}

static int64_t tid_of(const struct wm_converter *c, int rank_index, uint32_t track)
{
    return (int64_t)track * c->trace->job_ranks + c->trace->ranks[rank_index].rank + 1;
}

static int64_t pid_of(const struct wm_converter *c, int rank_index)
{
    return c->host_of[rank_index] + 1;
}

static int name_track(struct wm_converter *c, int rank_index, uint32_t track)
{
    int64_t pid = pid_of(c, rank_index), tid = tid_of(c, rank_index, track);
    int rank = c->trace->ranks[rank_index].rank;
    char name[64];
    int rc;

    if (track == 0)
        snprintf(name, sizeof name, "rank %d", rank);
    else
        snprintf(name, sizeof name, "rank %d, beside (%u)", rank, track);
    rc = put_metadata(c, "thread_name", pid, tid, json_pack("{ss}", "name", name));
    if (rc == 0)
        rc = put_metadata(c, "thread_sort_index", pid, tid,
                          json_pack("{sI}", "sort_index", (json_int_t)rank * 64 + track));
    return rc;
}

static int put_hosts(struct wm_converter *c)
{
    int rc = 0;

    for (int i = 0; i < c->host_count && rc == 0; i++) {
        char *host = wm_text_clean(c->hosts[i]);

        rc = host == NULL ? -WM_ENOMEM
                          : put_metadata(c, "process_name", i + 1, 0, json_pack("{ss+}", "name", "host ", host));
        free(host);
    }
    return rc;
}

static int begin(struct wm_converter *c)
{
    struct chrome *chrome = c->state = calloc(1, sizeof *chrome);

    if (chrome == NULL)
        return -WM_ENOMEM;
    chrome->first = true;
    chrome->communicators = calloc((size_t)c->trace->communicator_count + 1, sizeof *chrome->communicators);
    chrome->tracks_named = calloc((size_t)c->trace->rank_count, sizeof *chrome->tracks_named);
    if (chrome->communicators == NULL || chrome->tracks_named == NULL)
        return -WM_ENOMEM;
    for (uint32_t i = 0; i < c->trace->communicator_count; i++)
        if ((chrome->communicators[i] = wm_text_json(c->trace->communicators[i].name)) == NULL)
            return -WM_ENOMEM;
    put(c, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"written by\":\"waymark convert\"},\"traceEvents\":[");
    return put_hosts(c);
}

/* What every event begins with. */
static int open_event(struct wm_converter *c, const struct wm_event *event, const char *phase)
{
    struct chrome *chrome = c->state;

    for (; chrome->tracks_named[event->rank_index] <= event->track; chrome->tracks_named[event->rank_index]++)
        if (name_track(c, event->rank_index, chrome->tracks_named[event->rank_index]) < 0)
            return -WM_ENOMEM;
    put(c, ",\n{\"ph\":\"");
    put(c, phase);
    put_member(c, "\",\"pid\":", pid_of(c, event->rank_index));
    put_member(c, ",\"tid\":", tid_of(c, event->rank_index, event->track));
    put(c, ",\"ts\":");
    wm_sink_decimal(c->output, event->time_ns, 3);
    return 0;
}

static void put_category(struct wm_converter *c, const struct wm_event *event)
{
    put(c, ",\"cat\":\"");
    put(c, wm_category_name(wm_event_category(&event->record)));
    put(c, "\"");
}

/* Which call, with what: the members of "args" after the first. */
static void put_call(struct wm_converter *c, const struct wm_event *event)
{
    const struct chrome *chrome = c->state;
    int64_t bytes = wm_record_bytes(&event->record);
    int peer = wm_event_peer(c->trace, event);

    if (event->communicator < c->trace->communicator_count) {
        put(c, ",\"communicator\":");
        put(c, chrome->communicators[event->communicator]);
        put_member(c, ",\"sequence\":", event->record.sequence);
    }
    if (peer >= 0)
        put_member(c, event->record.kind <= WM_TRACE_LEAVE ? ",\"root\":" : ",\"peer\":", peer);
    if (bytes >= 0)
        put_member(c, ",\"bytes\":", bytes);
}

static int put_name_and_arguments(struct wm_converter *c, const struct wm_event *event)
{
    uint32_t number = wm_names_find(c->names, event->rank_index, &event->record);

    if (number == 0)
        return -WM_ENOMEM;
    put_category(c, event);
    put(c, ",\"name\":");
    put(c, wm_names_get(c->names, number)->json);
    put_member(c, ",\"args\":{\"rank\":", c->trace->ranks[event->rank_index].rank);
    put(c, wm_names_get(c->names, number)->place_json);
    put_call(c, event);
    return 0;
}

static int put_begin(struct wm_converter *c, const struct wm_event *event)
{
    if (open_event(c, event, "B") < 0 || put_name_and_arguments(c, event) < 0)
        return -WM_ENOMEM;
    put(c, event->cut ? ",\"cut\":true}}" : "}}");
    return 0;
}

static int put_end(struct wm_converter *c, const struct wm_event *event)
{
    if (open_event(c, event, "E") < 0)
        return -WM_ENOMEM;
    put(c, event->cut ? ",\"args\":{\"cut\":true}}" : "}");
    return 0;
}

/* The two ends of a message; posts of receives and completions of sends have no form here. */
static int put_message(struct wm_converter *c, const struct wm_event *event)
{
    bool sent = event->record.kind == WM_TRACE_SEND_POST;
    struct wm_event_message message;

    if ((!sent && event->record.kind != WM_TRACE_RECV_DONE) || !wm_event_message(c->trace, event, &message))
        return 0;
    if (open_event(c, event, sent ? "s" : "f") < 0)
        return -WM_ENOMEM;
    put(c, sent ? ",\"cat\":\"message\",\"name\":\"message\",\"id\":\""
                : ",\"bp\":\"e\",\"cat\":\"message\",\"name\":\"message\",\"id\":\"");
    put_member(c, "", event->communicator);
    put_member(c, ".", event->record.sequence);
    put_member(c, ".", message.source);
    put_member(c, ".", message.destination);
    put_member(c, ".", message.number);
    put_member(c, "\",\"args\":{\"bytes\":", (int64_t)message.bytes);
    put(c, "}}");
    return 0;
}

static int put_instant(struct wm_converter *c, const struct wm_event *event)
{
    const char *word = wm_conveyor_word(&event->record);

    if (open_event(c, event, "i") < 0)
        return -WM_ENOMEM;
    put(c, ",\"s\":\"t\"");
    if (put_name_and_arguments(c, event) < 0)
        return -WM_ENOMEM;
    if (word[0] != '\0') {
        put(c, ",\"detail\":\"");
        put(c, word);
        put(c, "\"");
    }
    if (event->record.kind == WM_TRACE_CONVEY_CLOSE)
        put_member(c, ",\"units\":", (int64_t)(event->record.argument >> 34));
    put(c, "}}");
    return 0;
}

static int take(struct wm_converter *c, const struct wm_event *event)
{
    if (event->kind == WM_EVENT_BEGIN)
        return put_begin(c, event);
    if (event->kind == WM_EVENT_END)
        return put_end(c, event);
    if (event->kind == WM_EVENT_FOLDED)
        return 0;
    if (wm_record_edge(&event->record))
        return put_message(c, event);
    return wm_event_category(&event->record) == WM_CATEGORY_TRACE ? 0 : put_instant(c, event);
}

static int begin_rank(struct wm_converter *c, int rank_index)
{
    struct chrome *chrome = c->state;

    chrome->tracks_named[rank_index] = 1;
    return name_track(c, rank_index, 0);
}

static int end(struct wm_converter *c)
{
    put(c, "\n]}\n");
    return 0;
}

const struct wm_converter_class wm_converter_chrome = {
    .name = "chrome",
    .suffix = ".json",
    .order = WM_ORDER_RANKS,
    .begin = begin,
    .begin_rank = begin_rank,
    .take = take,
    .end_rank = wm_converter_no_rank,
    .end = end,
    .release = release,
};
