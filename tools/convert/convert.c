/* Conversions: the driver, which opens a trace, streams its ranks one by one or merged, and keeps the bounds. */
#include "tools/convert/convert.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/parse.h"
#include "tools/convert/stream.h"
#include "tools/convert/tracks.h"
#include "tools/text/share_line.h"
#include "tools/text/units.h"

/* Items that all streams together look ahead, and what one has at least and at most. */
enum { WINDOW_TOTAL = 1 << 18, WINDOW_LEAST = 64, WINDOW_MOST = 4096 };

struct part {
    struct wm_stream stream;
    struct wm_tracks tracks;
};

struct work {
    const struct wm_conversion *conversion;
    struct wm_converter converter;
    bool *chosen;
    int chosen_count;
    uint64_t items, expected;
    struct wm_share_line line;
};

static int out_of_memory(struct wm_error *error)
{
    return wm_error_set(error, -WM_ENOMEM, "out of memory during the conversion");
}

static int choose_ranks(struct work *work, struct wm_error *error)
{
    const struct wm_trace *trace = work->converter.trace;
    const char *list = work->conversion->ranks;
    uint64_t first, last;

    work->chosen = calloc((size_t)trace->rank_count, sizeof *work->chosen);
    if (work->chosen == NULL)
        return out_of_memory(error);
    if (list == NULL)
        memset(work->chosen, true, (size_t)trace->rank_count);
    while (list != NULL) {
        if (!wm_parse_range(&list, wm_parse_count, &first, &last) || first > last)
            return wm_error_set(error, -WM_EINVAL, "'%s' is no list of ranks: write it like 0-3,8",
                                work->conversion->ranks);
        for (int i = 0; i < trace->rank_count; i++)
            work->chosen[i] |= trace->ranks[i].rank >= (int)first && trace->ranks[i].rank <= (int)last;
    }
    for (int i = 0; i < trace->rank_count; i++)
        work->chosen_count += work->chosen[i];
    if (work->chosen_count == 0)
        return wm_error_set(error, -WM_EINVAL, "the trace has none of the ranks '%s': it has %d of %d",
                            work->conversion->ranks != NULL ? work->conversion->ranks : "", trace->rank_count,
                            trace->job_ranks);
    work->converter.chosen = work->chosen;
    return 0;
}

/* Number the hosts in the order of ranks. */
static int find_hosts(struct wm_converter *c, struct wm_error *error)
{
    c->host_of = calloc((size_t)c->trace->rank_count, sizeof *c->host_of);
    c->hosts = calloc((size_t)c->trace->rank_count, sizeof *c->hosts);
    if (c->host_of == NULL || c->hosts == NULL)
        return out_of_memory(error);
    for (int i = 0; i < c->trace->rank_count; i++) {
        const char *host = c->trace->ranks[i].host;
        int at = c->host_count > 0 && strcmp(c->hosts[c->host_count - 1], host) == 0 ? c->host_count - 1 : 0;

        while (at < c->host_count && strcmp(c->hosts[at], host) != 0)
            at++;
        if (at == c->host_count)
            c->hosts[c->host_count++] = host;
        c->host_of[i] = at;
    }
    return 0;
}

static int take(void *context, const struct wm_event *event)
{
    struct work *work = context;
    struct wm_converter *c = &work->converter;
    int rc = c->class->take(c, event);

    if (work->conversion->stop != NULL && *work->conversion->stop != 0)
        return wm_error_set(c->error, -WM_ESYSTEM, "interrupted: nothing was written");
    return rc == 0 ? wm_sink_check(c->output, c->error) : rc;
}

static size_t window_of(const struct work *work)
{
    size_t window = WINDOW_TOTAL;

    if (work->converter.class->order == WM_ORDER_TIME)
        window /= (size_t)work->chosen_count;
    return window < WINDOW_LEAST ? WINDOW_LEAST : window > WINDOW_MOST ? WINDOW_MOST : window;
}

static int open_part(struct work *work, struct part *part, int rank_index)
{
    struct wm_converter *c = &work->converter;

    wm_tracks_init(&part->tracks, c->trace, rank_index, c->begin_ns, &c->counts, take, work);
    return wm_stream_init(&part->stream, &c->trace->ranks[rank_index], window_of(work), c->end_ns);
}

static void close_part(struct work *work, struct part *part)
{
    work->converter.counts.damaged += part->stream.damaged;
    work->converter.counts.clamped += part->stream.clamped;
    wm_stream_release(&part->stream);
    wm_tracks_release(&part->tracks);
}

static int pass_one(struct work *work, struct part *part)
{
    const struct wm_item *item = wm_stream_peek(&part->stream);
    int rc = wm_tracks_add(&part->tracks, item);

    wm_stream_drop(&part->stream);
    wm_share_line_show(&work->line, (double)++work->items / (double)work->expected);
    return rc;
}

static int convert_rank(struct work *work, int rank_index)
{
    struct wm_converter *c = &work->converter;
    struct part part;
    int rc = open_part(work, &part, rank_index);

    if (rc == 0)
        rc = c->class->begin_rank(c, rank_index);
    while (rc == 0 && wm_stream_peek(&part.stream) != NULL)
        rc = pass_one(work, &part);
    close_part(work, &part);
    return rc == 0 ? c->class->end_rank(c, rank_index) : rc;
}

static int convert_by_rank(struct work *work)
{
    int rc = 0;

    for (int i = 0; i < work->converter.trace->rank_count && rc == 0; i++)
        if (work->chosen[i])
            rc = convert_rank(work, i);
    return rc;
}

/* A heap of parts, the one with the earliest item on top; of equals the lowest rank. */
struct heap {
    int count;
    struct part **parts;
};

static bool is_before(struct part *a, struct part *b)
{
    int64_t x = wm_stream_peek(&a->stream)->time_ns, y = wm_stream_peek(&b->stream)->time_ns;

    return x != y ? x < y : a->tracks.rank_index < b->tracks.rank_index;
}

static void sink(struct heap *heap, int at)
{
    for (;;) {
        int child = 2 * at + 1;
        struct part *moved = heap->parts[at];

        if (child + 1 < heap->count && is_before(heap->parts[child + 1], heap->parts[child]))
            child++;
        if (child >= heap->count || !is_before(heap->parts[child], moved))
            return;
        heap->parts[at] = heap->parts[child];
        heap->parts[child] = moved;
        at = child;
    }
}

static int merge(struct work *work, struct heap *heap)
{
    int rc = 0;

    for (int i = heap->count / 2; i-- > 0;)
        sink(heap, i);
    while (heap->count > 0 && rc == 0) {
        rc = pass_one(work, heap->parts[0]);
        if (wm_stream_peek(&heap->parts[0]->stream) == NULL)
            heap->parts[0] = heap->parts[--heap->count];
        if (heap->count > 0)
            sink(heap, 0);
    }
    return rc;
}

/* begin_rank or end_rank of all. */
static int tell_ranks(struct work *work, int (*tell)(struct wm_converter *, int))
{
    int rc = 0;

    for (int i = 0; i < work->converter.trace->rank_count && rc == 0; i++)
        if (work->chosen[i])
            rc = tell(&work->converter, i);
    return rc;
}

static int convert_by_time(struct work *work)
{
    const struct wm_converter_class *class = work->converter.class;
    struct part *parts = calloc((size_t)work->chosen_count, sizeof *parts);
    struct heap heap = {0, calloc((size_t)work->chosen_count, sizeof *heap.parts)};
    int opened = 0, rc = parts != NULL && heap.parts != NULL ? tell_ranks(work, class->begin_rank) : -WM_ENOMEM;

    for (int i = 0; i < work->converter.trace->rank_count && rc == 0; i++) {
        if (!work->chosen[i])
            continue;
        rc = open_part(work, &parts[opened], i);
        heap.parts[heap.count++] = &parts[opened++];
    }
    if (rc == 0)
        rc = merge(work, &heap);
    for (int i = 0; i < opened; i++)
        close_part(work, &parts[i]);
    free(parts);
    free(heap.parts);
    return rc == 0 ? tell_ranks(work, class->end_rank) : rc;
}

static int run_class(struct work *work)
{
    struct wm_converter *c = &work->converter;
    int rc = c->class->begin(c);

    work->line = wm_share_line_begin("waymark convert");
    if (rc == 0)
        rc = c->class->order == WM_ORDER_TIME ? convert_by_time(work) : convert_by_rank(work);
    if (rc == 0)
        rc = c->class->end(c);
    c->class->release(c);
    wm_share_line_end(&work->line);
    return rc;
}

/* The directory's name with the format's suffix. */
static int name_output(const struct wm_conversion *conversion, char name[PATH_MAX], struct wm_error *error)
{
    int length = (int)strlen(conversion->directory);

    if (conversion->output != NULL)
        length = snprintf(name, PATH_MAX, "%s", conversion->output);
    else {
        while (length > 1 && conversion->directory[length - 1] == '/')
            length--;
        length = snprintf(name, PATH_MAX, "%.*s%s", length, conversion->directory, conversion->class->suffix);
    }
    if (length >= PATH_MAX)
        return wm_error_set(error, -WM_EINVAL, "the name of the output is too long");
    if (conversion->class->directory && strcmp(name, "-") == 0)
        return wm_error_set(error, -WM_EINVAL, "%s is a directory, which standard output cannot be: name one by -o",
                            conversion->class->name);
    return 0;
}

static int write_output(struct work *work, const char *name, uint64_t *bytes, struct wm_error *error)
{
    struct wm_converter *c = &work->converter;
    struct wm_sink *output;
    int rc = wm_sink_open(&output, name, c->class->directory, c->max_bytes, error);

    if (rc < 0)
        return rc;
    if (c->class->directory)
        c->directory = output->temporary;
    c->output = output;
    rc = run_class(work);
    if (rc == -WM_ENOMEM && error->code == 0)
        out_of_memory(error);
    if (rc == 0)
        rc = wm_sink_install(output, error);
    if (bytes != NULL)
        *bytes = output->bytes;
    wm_sink_close(output);
    return rc;
}

static void say_count(uint64_t count, const char *noun, const char *what)
{
    if (count > 0)
        fprintf(stderr, "waymark convert: %s %s\n", wm_number_text(count, noun).text, what);
}

/* What the output does not tell as the trace did. */
static void say_notes(const struct wm_trace *trace, const struct wm_converter_counts *counts)
{
    for (size_t i = 0; i < trace->warning_count; i++)
        fprintf(stderr, "waymark convert: %s\n", trace->warnings[i]);
    say_count(counts->cut, "state", "had no end within what was converted: ended there, and marked as cut");
    say_count(counts->headless, "leave", "without an enter left out: the trace begins later");
    say_count(counts->damaged, "record", "at impossible times or of unknown operations left out");
    say_count(counts->clamped, "record", "out of order: moved to the time of the one before");
}

static int convert_trace(struct work *work, uint64_t *bytes, char *name, struct wm_error *error)
{
    struct wm_converter *c = &work->converter;
    int rc = choose_ranks(work, error);

    if (rc == 0)
        rc = find_hosts(c, error);
    if (rc == 0 && wm_names_new(&c->names, c->trace) < 0)
        rc = out_of_memory(error);
    for (int i = 0; rc == 0 && i < c->trace->rank_count; i++)
        work->expected += work->chosen[i] ? c->trace->ranks[i].count : 0;
    if (rc == 0)
        rc = write_output(work, name, bytes, error);
    if (rc == 0)
        say_notes(c->trace, &c->counts);
    wm_names_free(c->names);
    free(c->host_of);
    free(c->hosts);
    free(work->chosen);
    return rc;
}

int wm_convert(const struct wm_conversion *conversion, struct wm_converter_counts *counts, uint64_t *bytes, char *name,
               struct wm_error *error)
{
    struct work work = {.conversion = conversion};
    char buffer[PATH_MAX];
    int rc;

    work.converter = (struct wm_converter){.class = conversion->class,
                                           .begin_ns = conversion->begin_ns,
                                           .end_ns = conversion->end_ns,
                                           .max_bytes = conversion->max_bytes,
                                           .error = error};
    name = name != NULL ? name : buffer;
    error->code = 0;
    if (conversion->class->absent != NULL)
        return wm_error_set(error, -WM_ETRACE, "%s", conversion->class->absent);
    rc = name_output(conversion, name, error);
    if (rc == 0)
        rc = wm_trace_open(&work.converter.trace, conversion->directory, error);
    if (rc < 0)
        return rc;
    rc = convert_trace(&work, bytes, name, error);
    if (counts != NULL)
        *counts = work.converter.counts;
    wm_trace_close(work.converter.trace);
    return rc;
}
