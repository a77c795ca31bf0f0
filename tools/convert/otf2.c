/* otf2: an archive for Vampir, Scalasca, ViTE and otf2-print, written by libotf2.
 *
 * A location group a rank; its location 0 holds the calls, others what runs beside them. A call is an Enter, an
 * MpiCollectiveBegin, what happens in it, an MpiCollectiveEnd and a Leave; wrappers within it and works are plain
 * regions. Edges are MpiIsend and MpiIrecvRequest when posted, MpiIsendComplete and MpiIrecv when done; the tag tells
 * the call and the message, so that both ends match in any order. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "waymark/operation.h"
#include "tools/convert/otf2_archive.h"
#include "core/vector.h"

enum { CHUNK_BYTES = 1 << 18, LOOK_EVENTS = 4096, TAG_SEQUENCES = 1 << 7 };

int wm_otf2_check(struct wm_otf2 *otf2, OTF2_ErrorCode code)
{
    if (code == OTF2_SUCCESS)
        return 0;
    if (otf2->failure == OTF2_SUCCESS)
        otf2->failure = code;
    return -WM_ETRACE;
}

OTF2_LocationRef wm_otf2_location(int rank, uint32_t track)
{
    return (uint64_t)track << 32 | (uint32_t)rank;
}

/* libotf2 would print its own. The first complaint is the cause; what a function returns often is a consequence. */
static OTF2_ErrorCode keep_quiet(void *data, const char *file, uint64_t line, const char *function, OTF2_ErrorCode code,
                                 const char *format, va_list arguments)
{
    struct wm_otf2 *otf2 = data;

    (void)file, (void)line, (void)function, (void)format, (void)arguments;
    if (code > OTF2_SUCCESS) /* below are warnings */
        wm_otf2_check(otf2, code);
    return code;
}

static OTF2_FlushType flush_always(void *data, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool final)
{
    (void)data, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}

static const OTF2_FlushCallbacks flush_callbacks = {.otf2_pre_flush = flush_always};

static void release(struct wm_converter *c)
{
    struct wm_otf2 *otf2 = c->state;

    if (otf2 == NULL)
        return;
    if (otf2->attributes != NULL)
        OTF2_AttributeList_Delete(otf2->attributes);
    if (otf2->archive != NULL)
        OTF2_Archive_Close(otf2->archive);
    OTF2_Error_RegisterCallback(NULL, NULL);
    free(otf2->locations);
    free(otf2->writers);
    free(otf2->regions.of_name);
    free(otf2->regions.names);
    free(otf2->markers.of_name);
    free(otf2->markers.names);
    free(otf2);
}

/* The sentence of what went wrong in the library. */
static int fail(struct wm_converter *c)
{
    const struct wm_otf2 *otf2 = c->state;

    return wm_error_set(c->error, -WM_ETRACE, "cannot write the OTF2 archive: %s",
                        OTF2_Error_GetDescription(otf2->failure));
}

static int open_archive(struct wm_otf2 *otf2, const char *directory)
{
    otf2->archive = OTF2_Archive_Open(directory, "traces", OTF2_FILEMODE_WRITE, CHUNK_BYTES,
                                      OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (otf2->archive == NULL)
        return wm_otf2_check(otf2, OTF2_ERROR_FILE_INTERACTION);
    if (wm_otf2_check(otf2, OTF2_Archive_SetFlushCallbacks(otf2->archive, &flush_callbacks, NULL)) < 0 ||
        wm_otf2_check(otf2, OTF2_Archive_SetMemoryCallbacks(otf2->archive, &wm_otf2_memory, NULL)) < 0 ||
        wm_otf2_check(otf2, OTF2_Archive_SetSerialCollectiveCallbacks(otf2->archive)) < 0 ||
        wm_otf2_check(otf2, OTF2_Archive_SetCreator(otf2->archive, "waymark " PACKAGE_VERSION)) < 0)
        return -WM_ETRACE;
    return wm_otf2_check(otf2, OTF2_Archive_OpenEvtFiles(otf2->archive));
}

static int begin(struct wm_converter *c)
{
    struct wm_otf2 *otf2 = c->state = calloc(1, sizeof *otf2);

    if (otf2 == NULL)
        return -WM_ENOMEM;
    OTF2_Error_RegisterCallback(keep_quiet, otf2);
    otf2->attributes = OTF2_AttributeList_New();
    return otf2->attributes == NULL ? -WM_ENOMEM : open_archive(otf2, c->directory) < 0 ? fail(c) : 0;
}

static uint64_t size_of(const struct wm_converter *c, int rank_index, uint32_t track)
{
    char name[4096];
    struct stat status;

    snprintf(name, sizeof name, "%s/traces/%llu.evt", c->directory,
             (unsigned long long)wm_otf2_location(c->trace->ranks[rank_index].rank, track));
    return stat(name, &status) == 0 ? (uint64_t)status.st_size : 0;
}

/* How much is on disk by now; a chunk a track may still be in memory. */
static void look_at_size(struct wm_converter *c, int rank_index)
{
    struct wm_otf2 *otf2 = c->state;
    uint64_t bytes = otf2->finished_bytes;

    otf2->pending = 0;
    for (uint32_t track = 0; track < otf2->writer_count; track++)
        bytes += size_of(c, rank_index, track);
    wm_sink_count(c->output, bytes);
}

static int open_track(struct wm_converter *c, int rank_index, uint32_t track)
{
    struct wm_otf2 *otf2 = c->state;
    OTF2_LocationRef location = wm_otf2_location(c->trace->ranks[rank_index].rank, track);

    if (wm_vector_reserve(&otf2->writers, &otf2->writer_capacity, track + 1, sizeof *otf2->writers) < 0)
        return -WM_ENOMEM;
    otf2->writers[track] = OTF2_Archive_GetEvtWriter(otf2->archive, location);
    if (otf2->writers[track] == NULL)
        return wm_otf2_check(otf2, OTF2_ERROR_FILE_INTERACTION);
    otf2->writer_count = track + 1;
    return 0;
}

static int begin_rank(struct wm_converter *c, int rank_index)
{
    int rc = open_track(c, rank_index, 0);

    return rc == -WM_ETRACE ? fail(c) : rc;
}

static int close_track(struct wm_converter *c, int rank_index, uint32_t track)
{
    struct wm_otf2 *otf2 = c->state;
    struct wm_otf2_location *location;

    if (wm_vector_reserve(&otf2->locations, &otf2->location_capacity, otf2->location_count + 1,
                          sizeof *otf2->locations) < 0)
        return -WM_ENOMEM;
    location = &otf2->locations[otf2->location_count++];
    *location = (struct wm_otf2_location){rank_index, track, 0};
    if (wm_otf2_check(otf2, OTF2_EvtWriter_GetNumberOfEvents(otf2->writers[track], &location->events)) < 0)
        return -WM_ETRACE;
    return wm_otf2_check(otf2, OTF2_Archive_CloseEvtWriter(otf2->archive, otf2->writers[track]));
}

static int end_rank(struct wm_converter *c, int rank_index)
{
    struct wm_otf2 *otf2 = c->state;
    int rc = 0;

    for (uint32_t track = 0; track < otf2->writer_count && rc == 0; track++)
        rc = close_track(c, rank_index, track);
    look_at_size(c, rank_index);
    otf2->finished_bytes = c->output->bytes;
    otf2->writer_count = 0;
    return rc == -WM_ETRACE ? fail(c) : rc;
}

/* The number of a name among these, new at its first use. Negative: no memory. */
static int64_t number_of(struct wm_otf2_numbers *numbers, uint32_t name)
{
    if (name >= numbers->of_count) {
        size_t count = 2 * (size_t)name + 64;
        uint32_t *of_name = realloc(numbers->of_name, count * sizeof *of_name);

        if (of_name == NULL)
            return -WM_ENOMEM;
        memset(of_name + numbers->of_count, 0, (count - numbers->of_count) * sizeof *of_name);
        numbers->of_name = of_name;
        numbers->of_count = count;
    }
    if (numbers->of_name[name] > 0)
        return numbers->of_name[name] - 1;
    if (wm_vector_reserve(&numbers->names, &numbers->capacity, numbers->count + 1, sizeof *numbers->names) < 0)
        return -WM_ENOMEM;
    numbers->names[numbers->count++] = name;
    numbers->of_name[name] = numbers->count;
    return numbers->count - 1;
}

static int64_t region_of(struct wm_converter *c, const struct wm_event *event)
{
    struct wm_otf2 *otf2 = c->state;
    uint32_t name = wm_names_find(c->names, event->rank_index, event->state);

    return name == 0 ? -WM_ENOMEM : number_of(&otf2->regions, name);
}

/* What OTF2 has no name of its own for. */
enum {
    OTF2_COLLECTIVE_OP_NEIGHBOR_ALLGATHER = OTF2_COLLECTIVE_OP_ALLGATHER,
    OTF2_COLLECTIVE_OP_NEIGHBOR_ALLGATHERV = OTF2_COLLECTIVE_OP_ALLGATHERV,
    OTF2_COLLECTIVE_OP_NEIGHBOR_ALLTOALL = OTF2_COLLECTIVE_OP_ALLTOALL,
    OTF2_COLLECTIVE_OP_NEIGHBOR_ALLTOALLV = OTF2_COLLECTIVE_OP_ALLTOALLV,
    OTF2_COLLECTIVE_OP_NEIGHBOR_ALLTOALLW = OTF2_COLLECTIVE_OP_ALLTOALLW,
    OTF2_COLLECTIVE_OP_CONVEYOR = 0, /* no collectives */
    OTF2_COLLECTIVE_OP_MESSAGES = 0,
    OTF2_COLLECTIVE_OP_STATEMENT = OTF2_COLLECTIVE_OP_ALLTOALLV
};

static const uint8_t collectives[WM_OPERATION_COUNT] = {
#define X(id, name, function, flow, data, combined, sizes, counts, place) [WM_##id] = OTF2_COLLECTIVE_OP_##id,
    WM_OPERATIONS(X)
#undef X
};

static uint32_t comm_of(const struct wm_event *event)
{
    return event->communicator == WM_TRACE_NO_COMMUNICATOR ? OTF2_UNDEFINED_COMM : event->communicator;
}

/* A collective call as a whole, not a wrapper within it. */
static bool is_call(const struct wm_event *event)
{
    return event->depth == 0 && event->state->kind == WM_TRACE_ENTER && !wm_record_of_statement(event->state);
}

static int put_begin(struct wm_converter *c, const struct wm_event *event, OTF2_EvtWriter *writer, uint64_t time)
{
    struct wm_otf2 *otf2 = c->state;
    int64_t region = region_of(c, event);
    OTF2_ErrorCode code;

    if (region < 0)
        return -WM_ENOMEM;
    if (!is_call(event))
        return wm_otf2_check(otf2, OTF2_EvtWriter_Enter(writer, NULL, time, (OTF2_RegionRef)region));
    OTF2_AttributeList_AddUint32(otf2->attributes, WM_OTF2_SEQUENCE, event->state->sequence);
    code = OTF2_EvtWriter_Enter(writer, otf2->attributes, time, (OTF2_RegionRef)region);
    if (wm_otf2_check(otf2, code) < 0)
        return -WM_ETRACE;
    return wm_otf2_check(otf2, OTF2_EvtWriter_MpiCollectiveBegin(writer, NULL, time));
}

static int put_end(struct wm_converter *c, const struct wm_event *event, OTF2_EvtWriter *writer, uint64_t time)
{
    struct wm_otf2 *otf2 = c->state;
    int64_t region = region_of(c, event);
    const struct wm_trace_record *state = event->state;
    OTF2_ErrorCode code = OTF2_SUCCESS;

    if (region < 0)
        return -WM_ENOMEM;
    if (is_call(event))
        code = OTF2_EvtWriter_MpiCollectiveEnd(writer, NULL, time, collectives[state->flags], comm_of(event),
                                               state->peer >= 0 ? (uint32_t)state->peer : OTF2_UNDEFINED_UINT32,
                                               state->argument, state->argument);
    if (wm_otf2_check(otf2, code) < 0)
        return -WM_ETRACE;
    return wm_otf2_check(otf2, OTF2_EvtWriter_Leave(writer, NULL, time, (OTF2_RegionRef)region));
}

static int put_edge(struct wm_converter *c, const struct wm_event *event, OTF2_EvtWriter *writer, uint64_t time)
{
    const struct wm_trace_record *record = &event->record;
    struct wm_event_message message;
    uint32_t tag, peer = (uint32_t)record->peer;
    uint64_t request;

    if (!wm_event_message(c->trace, event, &message))
        return 0;
    tag = record->sequence % TAG_SEQUENCES << 24 | message.number;
    request = wm_event_flow(event, &message) << 1;
    switch (record->kind) {
    case WM_TRACE_SEND_POST:
        return wm_otf2_check(c->state, OTF2_EvtWriter_MpiIsend(writer, NULL, time, peer, comm_of(event), tag,
                                                               message.bytes, request | 1));
    case WM_TRACE_SEND_DONE:
        return wm_otf2_check(c->state, OTF2_EvtWriter_MpiIsendComplete(writer, NULL, time, request | 1));
    case WM_TRACE_RECV_POST:
        return wm_otf2_check(c->state, OTF2_EvtWriter_MpiIrecvRequest(writer, NULL, time, request));
    default:
        return wm_otf2_check(
            c->state, OTF2_EvtWriter_MpiIrecv(writer, NULL, time, peer, comm_of(event), tag, message.bytes, request));
    }
}

/* Defined at its first use, which is when it gets a new number. */
static int put_mark(struct wm_converter *c, const struct wm_event *event, uint64_t time)
{
    struct wm_otf2 *otf2 = c->state;
    uint32_t name = wm_names_find(c->names, event->rank_index, &event->record), known = otf2->markers.count;
    int64_t marker = name == 0 ? -WM_ENOMEM : number_of(&otf2->markers, name);
    const char *text;

    if (marker < 0)
        return -WM_ENOMEM;
    text = wm_names_get(c->names, name)->text;
    if (otf2->marker_writer == NULL && (otf2->marker_writer = OTF2_Archive_GetMarkerWriter(otf2->archive)) == NULL)
        return wm_otf2_check(otf2, OTF2_ERROR_FILE_INTERACTION);
    if (otf2->markers.count > known &&
        wm_otf2_check(otf2, OTF2_MarkerWriter_WriteDefMarker(otf2->marker_writer, (OTF2_MarkerRef)marker, "marks", text,
                                                             OTF2_SEVERITY_NONE)) < 0)
        return -WM_ETRACE;
    return wm_otf2_check(otf2, OTF2_MarkerWriter_WriteMarker(
                                   otf2->marker_writer, time, 0, (OTF2_MarkerRef)marker, OTF2_MARKER_SCOPE_LOCATION,
                                   wm_otf2_location(c->trace->ranks[event->rank_index].rank, 0), text));
}

static int put_event(struct wm_converter *c, const struct wm_event *event)
{
    struct wm_otf2 *otf2 = c->state;
    uint64_t time = event->time_ns > 0 ? (uint64_t)event->time_ns : 0;
    int rc = 0;

    while (rc == 0 && otf2->writer_count <= event->track)
        rc = open_track(c, event->rank_index, (uint32_t)otf2->writer_count);
    if (rc < 0 || event->kind == WM_EVENT_FOLDED)
        return rc;
    if (event->time_ns > otf2->last_ns)
        otf2->last_ns = event->time_ns;
    if (event->kind == WM_EVENT_BEGIN)
        return put_begin(c, event, otf2->writers[event->track], time);
    if (event->kind == WM_EVENT_END)
        return put_end(c, event, otf2->writers[event->track], time);
    if (wm_record_edge(&event->record))
        return put_edge(c, event, otf2->writers[event->track], time);
    return event->record.kind == WM_TRACE_MARK ? put_mark(c, event, time) : 0;
}

static int take(struct wm_converter *c, const struct wm_event *event)
{
    struct wm_otf2 *otf2 = c->state;
    int rc = put_event(c, event);

    if (++otf2->pending >= LOOK_EVENTS)
        look_at_size(c, event->rank_index);
    return rc == -WM_ETRACE ? fail(c) : rc;
}

/* Every location that a communicator may name has a file, even of no events, and one of definitions of its own. */
static int close_locations(struct wm_converter *c, struct wm_otf2 *otf2)
{
    for (int rank = 0; rank < c->trace->job_ranks; rank++) {
        bool written = false;

        for (size_t i = 0; i < otf2->location_count && !written; i++)
            written = c->trace->ranks[otf2->locations[i].rank_index].rank == rank;
        if (written)
            continue;
        OTF2_EvtWriter *writer = OTF2_Archive_GetEvtWriter(otf2->archive, wm_otf2_location(rank, 0));
        if (writer == NULL || wm_otf2_check(otf2, OTF2_Archive_CloseEvtWriter(otf2->archive, writer)) < 0)
            return wm_otf2_check(otf2, OTF2_ERROR_FILE_INTERACTION);
    }
    return wm_otf2_check(otf2, OTF2_Archive_CloseEvtFiles(otf2->archive));
}

static int close_archive(struct wm_converter *c, struct wm_otf2 *otf2)
{
    OTF2_ErrorCode code;
    int rc = close_locations(c, otf2);

    if (rc == 0)
        rc = wm_otf2_define(c, otf2);
    if (rc == 0 && otf2->marker_writer != NULL)
        rc = wm_otf2_check(otf2, OTF2_Archive_CloseMarkerWriter(otf2->archive, otf2->marker_writer));
    if (rc < 0)
        return rc;
    code = OTF2_Archive_Close(otf2->archive);
    otf2->archive = NULL;
    return wm_otf2_check(otf2, code);
}

static int end(struct wm_converter *c)
{
    const struct wm_otf2 *otf2 = c->state;
    int rc = close_archive(c, c->state);

    if (rc == 0 && otf2->failure != OTF2_SUCCESS) /* said by the library, but not by the function's result */
        rc = -WM_ETRACE;
    return rc == -WM_ETRACE ? fail(c) : rc;
}

const struct wm_converter_class wm_converter_otf2 = {
    .name = "otf2",
    .suffix = ".otf2",
    .directory = true,
    .order = WM_ORDER_RANKS,
    .begin = begin,
    .begin_rank = begin_rank,
    .take = take,
    .end_rank = end_rank,
    .end = end,
    .release = release,
};
