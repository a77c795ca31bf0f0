/* paje: the trace format of Pajé, for ViTE and the tools of pajeng.
 *
 * Containers: the job, its hosts, their ranks, and within a rank what runs beside its calls. States are pushed and
 * popped, messages are links between ranks, marks are events. All lines are in the order of time, so ranks are merged.
 * Format: Schnorr, Stein, Chassin de Kergommeaux, "Paje trace file format", 2013. */
#include <stdlib.h>
#include <string.h>
#include "waymark/operation.h"
#include "tools/convert/converter.h"
#include "tools/convert/links.h"

enum {
    DEFINE_CONTAINER,
    DEFINE_STATE,
    DEFINE_EVENT,
    DEFINE_LINK,
    DEFINE_VALUE,
    CREATE_CONTAINER,
    DESTROY_CONTAINER,
    PUSH_STATE,
    POP_STATE,
    NEW_EVENT,
    START_LINK,
    END_LINK
};

static const char definitions[] =
    "%EventDef PajeDefineContainerType 0\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeDefineStateType 1\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeDefineEventType 2\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeDefineLinkType 3\n% Alias string\n% Type string\n% StartContainerType string\n"
    "% EndContainerType string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeDefineEntityValue 4\n% Alias string\n% Type string\n% Name string\n"
    "% Color color\n%EndEventDef\n"
    "%EventDef PajeCreateContainer 5\n% Time date\n% Alias string\n% Type string\n"
    "% Container string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeDestroyContainer 6\n% Time date\n% Type string\n% Name string\n%EndEventDef\n"
    "%EventDef PajePushState 7\n% Time date\n% Type string\n% Container string\n"
    "% Value string\n%EndEventDef\n"
    "%EventDef PajePopState 8\n% Time date\n% Type string\n% Container string\n%EndEventDef\n"
    "%EventDef PajeNewEvent 9\n% Time date\n% Type string\n% Container string\n"
    "% Value string\n%EndEventDef\n"
    "%EventDef PajeStartLink 10\n% Time date\n% Type string\n% Container string\n"
    "% StartContainer string\n% Value string\n% Key string\n%EndEventDef\n"
    "%EventDef PajeEndLink 11\n% Time date\n% Type string\n% Container string\n"
    "% EndContainer string\n% Value string\n% Key string\n%EndEventDef\n";

/* J job, H host, R rank, A what runs beside; C, B states of R and A; M marks; L messages. */
static const char types[] = "0 J 0 \"job\"\n0 H J \"host\"\n0 R H \"rank\"\n0 A R \"beside\"\n"
                            "1 C R \"call\"\n1 B A \"beside\"\n2 M R \"mark\"\n3 L J R R \"message\"\n";

/* Safe for the colour-blind; by category. */
static const char *const colors[WM_CATEGORIES] = {"0.60 0.75 0.87", "0.00 0.55 0.55", "0.90 0.55 0.10",
                                                  "0.30 0.30 0.70", "0.45 0.65 0.30", "0.80 0.30 0.30",
                                                  "0.60 0.60 0.60"};

struct paje {
    size_t told_bytes;
    unsigned char *told;   /* by name number: bit 0: as a state of ranks, bit 1: of what runs beside, bit 2: a mark */
    uint32_t *tracks_told; /* by rank index */
    int64_t last_ns;
    bool *standing; /* by world rank: it has a container */
    struct wm_links links;
    bool ended; /* the links that were left have their ends */
};

static void release(struct wm_converter *c)
{
    struct paje *p = c->state;

    if (p != NULL) {
        free(p->told);
        free(p->tracks_told);
        free(p->standing);
        wm_links_release(&p->links);
    }
    free(p);
}

/* The format knows no escapes. */
static int put_quoted(struct wm_converter *c, const char *text)
{
    char *clean = wm_text_clean(text);

    if (clean == NULL)
        return -WM_ENOMEM;
    for (char *at = clean; *at != '\0'; at++)
        *at = *at == '"' ? '\'' : (unsigned char)*at < ' ' ? ' ' : *at;
    wm_sink_text(c->output, "\"");
    wm_sink_text(c->output, clean);
    wm_sink_text(c->output, "\"");
    free(clean);
    return 0;
}

static void put_time(struct wm_converter *c, int event, int64_t time_ns)
{
    struct paje *p = c->state;

    if (time_ns > p->last_ns)
        p->last_ns = time_ns;
    wm_sink_number(c->output, event);
    wm_sink_text(c->output, " ");
    wm_sink_decimal(c->output, p->last_ns, 9);
}

/* " R3", or " A3.1" of a track beside. */
static void put_track(struct wm_converter *c, int rank, uint32_t track)
{
    wm_sink_text(c->output, track == 0 ? " R" : " A");
    wm_sink_number(c->output, rank);
    if (track > 0) {
        wm_sink_text(c->output, ".");
        wm_sink_unsigned(c->output, track);
    }
}

static int begin(struct wm_converter *c)
{
    struct paje *p = c->state = calloc(1, sizeof *p);
    int rc = 0;

    if (p == NULL || (p->standing = calloc((size_t)c->trace->job_ranks, sizeof *p->standing)) == NULL ||
        (p->tracks_told = calloc((size_t)c->trace->rank_count, sizeof *p->tracks_told)) == NULL)
        return -WM_ENOMEM;
    wm_sink_text(c->output, definitions);
    wm_sink_text(c->output, types);
    put_time(c, CREATE_CONTAINER, c->begin_ns > 0 ? c->begin_ns : 0);
    wm_sink_text(c->output, " job J 0 ");
    rc = put_quoted(c, c->trace->ranks[0].program);
    wm_sink_text(c->output, "\n");
    for (int i = 0; i < c->host_count && rc == 0; i++) {
        put_time(c, CREATE_CONTAINER, p->last_ns);
        wm_sink_print(c->output, " H%d H job ", i);
        rc = put_quoted(c, c->hosts[i]);
        wm_sink_text(c->output, "\n");
    }
    return rc;
}

static int begin_rank(struct wm_converter *c, int rank_index)
{
    struct paje *p = c->state;
    int rank = c->trace->ranks[rank_index].rank;

    p->tracks_told[rank_index] = 1;
    p->standing[rank] = true;
    put_time(c, CREATE_CONTAINER, p->last_ns);
    wm_sink_print(c->output, " R%d R H%d \"rank %d\"\n", rank, c->host_of[rank_index], rank);
    return 0;
}

static void tell_track(struct wm_converter *c, const struct wm_event *event)
{
    struct paje *p = c->state;
    int rank = c->trace->ranks[event->rank_index].rank;

    for (uint32_t *told = &p->tracks_told[event->rank_index]; *told <= event->track; ++*told) {
        put_time(c, CREATE_CONTAINER, event->time_ns);
        wm_sink_print(c->output, " A%d.%u A R%d \"rank %d, beside (%u)\"\n", rank, *told, rank, rank, *told);
    }
}

enum { TOLD_CALL, TOLD_BESIDE, TOLD_MARK };

/* Define the name as a value of a type at its first use: V, W and X with its number. 0: out of memory. */
static uint32_t tell_value(struct wm_converter *c, const struct wm_event *event, unsigned type)
{
    static const char *const heads[] = {"4 V%u C ", "4 W%u B ", "4 X%u M "};
    struct paje *p = c->state;
    uint32_t number = wm_names_find(c->names, event->rank_index, &event->record);

    if (number >= p->told_bytes) {
        size_t bytes = 2 * (size_t)number + 64;
        unsigned char *told = realloc(p->told, bytes);

        if (told == NULL)
            return 0;
        memset(told + p->told_bytes, 0, bytes - p->told_bytes);
        p->told = told;
        p->told_bytes = bytes;
    }
    if (number == 0 || p->told[number] & 1u << type)
        return number;
    p->told[number] |= (unsigned char)(1u << type);
    wm_sink_print(c->output, heads[type], number);
    if (put_quoted(c, wm_names_get(c->names, number)->text) < 0)
        return 0;
    wm_sink_print(c->output, " \"%s\"\n", colors[wm_event_category(&event->record)]);
    return number;
}

static int put_state(struct wm_converter *c, const struct wm_event *event)
{
    int rank = c->trace->ranks[event->rank_index].rank;
    unsigned type = event->track > 0 ? TOLD_BESIDE : TOLD_CALL;
    uint32_t number = 0;

    tell_track(c, event);
    if (event->kind == WM_EVENT_BEGIN && (number = tell_value(c, event, type)) == 0)
        return -WM_ENOMEM;
    put_time(c, event->kind == WM_EVENT_BEGIN ? PUSH_STATE : POP_STATE, event->time_ns);
    wm_sink_text(c->output, type == TOLD_CALL ? " C" : " B");
    put_track(c, rank, event->track);
    if (event->kind == WM_EVENT_BEGIN) {
        wm_sink_text(c->output, type == TOLD_CALL ? " V" : " W");
        wm_sink_unsigned(c->output, number);
    }
    wm_sink_text(c->output, "\n");
    return 0;
}

static void put_part(struct wm_converter *c, const char *before, uint64_t number)
{
    wm_sink_text(c->output, before);
    wm_sink_unsigned(c->output, number);
}

static void put_end(struct wm_converter *c, const struct wm_link *link, bool starts, int64_t time_ns)
{
    put_time(c, starts ? START_LINK : END_LINK, time_ns);
    wm_sink_text(c->output, " L job");
    put_track(c, starts ? link->message.source : link->message.destination, 0);
    put_part(c, " \"", link->message.bytes);
    put_part(c, " B\" ", link->communicator);
    put_part(c, ".", link->sequence);
    put_part(c, ".", (uint64_t)link->message.source);
    put_part(c, ".", (uint64_t)link->message.destination);
    put_part(c, ".", link->message.number);
    wm_sink_text(c->output, "\n");
}

static bool has_container(const struct wm_converter *c, int rank)
{
    const struct paje *p = c->state;

    return rank < c->trace->job_ranks && p->standing[rank];
}

/* Readers want both ends, the start first: a receive that seems to come before its send waits for it, and a send that
 * nobody receives ends with the trace. */
static int put_link(struct wm_converter *c, const struct wm_event *event)
{
    struct paje *p = c->state;
    bool sent = event->record.kind == WM_TRACE_SEND_POST;
    struct wm_link link = {.sent = sent, .communicator = event->communicator, .sequence = event->record.sequence};
    int rc;

    if (!wm_event_message(c->trace, event, &link.message) ||
        !has_container(c, sent ? link.message.destination : link.message.source))
        return 0;
    link.flow = wm_event_flow(event, &link.message);
    rc = wm_links_meet(&p->links, &link);
    if (rc < 0)
        return rc;
    if (sent)
        put_end(c, &link, true, event->time_ns);
    if (rc == 1)
        put_end(c, &link, false, event->time_ns);
    return 0;
}

static int put_mark(struct wm_converter *c, const struct wm_event *event)
{
    uint32_t number = tell_value(c, event, TOLD_MARK);

    if (number == 0)
        return -WM_ENOMEM;
    put_time(c, NEW_EVENT, event->time_ns);
    wm_sink_text(c->output, " M");
    put_track(c, c->trace->ranks[event->rank_index].rank, 0);
    put_part(c, " X", number);
    wm_sink_text(c->output, "\n");
    return 0;
}

static int take(struct wm_converter *c, const struct wm_event *event)
{
    if (event->kind == WM_EVENT_BEGIN || event->kind == WM_EVENT_END)
        return put_state(c, event);
    if (event->kind == WM_EVENT_FOLDED)
        return 0;
    if (event->record.kind == WM_TRACE_SEND_POST || event->record.kind == WM_TRACE_RECV_DONE)
        return put_link(c, event);
    return event->record.kind == WM_TRACE_MARK ? put_mark(c, event) : 0;
}

static void end_links(struct wm_converter *c)
{
    struct paje *p = c->state;

    for (size_t i = 0; i < p->links.slot_count && !p->ended; i++)
        if (p->links.slots[i].flow != 0 && p->links.slots[i].sent)
            put_end(c, &p->links.slots[i], false, p->last_ns);
    p->ended = true;
}

static int end_rank(struct wm_converter *c, int rank_index)
{
    struct paje *p = c->state;
    int rank = c->trace->ranks[rank_index].rank;

    end_links(c);
    for (uint32_t track = 1; track < p->tracks_told[rank_index]; track++) {
        put_time(c, DESTROY_CONTAINER, p->last_ns);
        wm_sink_print(c->output, " A A%d.%u\n", rank, track);
    }
    put_time(c, DESTROY_CONTAINER, p->last_ns);
    wm_sink_print(c->output, " R R%d\n", rank);
    return 0;
}

static int end(struct wm_converter *c)
{
    struct paje *p = c->state;

    for (int i = 0; i < c->host_count; i++) {
        put_time(c, DESTROY_CONTAINER, p->last_ns);
        wm_sink_print(c->output, " H H%d\n", i);
    }
    put_time(c, DESTROY_CONTAINER, p->last_ns);
    wm_sink_text(c->output, " J job\n");
    return 0;
}

const struct wm_converter_class wm_converter_paje = {
    .name = "paje",
    .suffix = ".trace",
    .order = WM_ORDER_TIME,
    .begin = begin,
    .begin_rank = begin_rank,
    .take = take,
    .end_rank = end_rank,
    .end = end,
    .release = release,
};
