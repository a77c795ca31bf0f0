/* Samples of a run: an observer that files what each call took. */
#include "tools/diff/sample.h"

#include <stdlib.h>
#include <string.h>
#include "core/hash.h"
#include "tools/findings/findings.h"
#include "core/vector.h"

enum { SLOTS = sizeof((struct wm_samples *)0)->slots / sizeof(size_t) };

static size_t slot_of(const struct wm_series *key)
{
    uint64_t hash = wm_hash_add(WM_HASH_BEGIN, (uint64_t)key->kind << 8 | key->operation);

    hash = wm_hash_add(hash, (uint64_t)(key->members * 64 + key->size_class));
    hash = wm_hash_add(hash, (uint64_t)key->source << 24 ^ (uint64_t)key->destination);
    return wm_hash_add_text(hash, key->text != NULL ? key->text : "") % SLOTS;
}

static bool alike(const struct wm_series *a, const struct wm_series *b)
{
    return a->kind == b->kind && a->operation == b->operation && a->members == b->members &&
           a->size_class == b->size_class && a->source == b->source && a->destination == b->destination &&
           a->ordinal == b->ordinal && strcmp(a->text ? a->text : "", b->text ? b->text : "") == 0;
}

static struct wm_series *find(const struct wm_samples *samples, const struct wm_series *key)
{
    for (size_t at = samples->slots[slot_of(key)]; at != 0; at = samples->series[at - 1].next_like)
        if (alike(&samples->series[at - 1], key))
            return &samples->series[at - 1];
    return NULL;
}

const struct wm_series *wm_samples_find(const struct wm_samples *samples, const struct wm_series *like)
{
    return find(samples, like);
}

static struct wm_series *add_series(struct wm_samples *samples, const struct wm_series *key)
{
    size_t slot = slot_of(key);
    struct wm_series *series;

    if (wm_vector_reserve(&samples->series, &samples->capacity, samples->count + 1, sizeof *samples->series) < 0)
        return NULL;
    series = &samples->series[samples->count];
    *series = *key;
    if (key->text != NULL && (series->text = strdup(key->text)) == NULL)
        return NULL;
    series->next_like = samples->slots[slot];
    samples->slots[slot] = ++samples->count;
    return series;
}

/* The sample of the call at hand in the series of this key; NULL: out of memory. */
static struct wm_sample *sample_of(struct wm_samples *samples, const struct wm_series *key)
{
    struct wm_series *series = find(samples, key);

    if (series == NULL)
        series = add_series(samples, key);
    if (series == NULL)
        return NULL;
    if (series->stamp == samples->stamp)
        return &series->samples[series->count - 1];
    if (wm_vector_reserve(&series->samples, &series->capacity, series->count + 1, sizeof *series->samples) < 0)
        return NULL;
    series->stamp = samples->stamp;
    series->samples[series->count] = (struct wm_sample){.begin_ns = INT64_MAX};
    return &series->samples[series->count++];
}

static int add_time(struct wm_samples *samples, const struct wm_series *key, int64_t begin_ns, int64_t time_ns,
                    int64_t wait_ns)
{
    struct wm_sample *sample = sample_of(samples, key);

    if (sample == NULL)
        return -WM_ENOMEM;
    sample->time_ns += (double)time_ns;
    sample->wait_ns += (double)wait_ns;
    if (begin_ns < sample->begin_ns)
        sample->begin_ns = begin_ns;
    return 0;
}

static struct wm_series line_key(const struct wm_samples *samples, uint16_t node, uint8_t operation)
{
    bool known = node > 0 && node < samples->trace->node_count;

    return (struct wm_series){.kind = WM_SERIES_LINE,
                              .operation = operation,
                              .node = node,
                              .text = known       ? samples->text_of_node[node]
                                      : node == 0 ? "(native)"
                                                  : "(not defined)",
                              .ordinal = known ? samples->ordinal_of_node[node] : 0};
}

static int take_piece(void *context, const struct wm_instance *instance, const struct wm_region *region,
                      const struct wm_cost_piece *piece)
{
    struct wm_samples *samples = context;
    int64_t time_ns = piece->end_ns - piece->begin_ns, wait_ns = piece->kind == WM_COST_LATE ? time_ns : 0;
    int rank = samples->trace->ranks[region->rank_index].rank, rc = 0;
    const struct wm_attributed_edge *edge = piece->edge;

    (void)instance;
    if (piece->node != region->node) { /* the region's own line gets its whole stay, with the instance */
        struct wm_series key = line_key(samples, piece->node, region->operation);

        rc = add_time(samples, &key, piece->begin_ns, time_ns, wait_ns);
    }
    if (rc >= 0 && edge != NULL) {
        struct wm_series key = {.kind = WM_SERIES_EDGE,
                                .operation = region->operation,
                                .source = edge->receive ? edge->peer : rank,
                                .destination = edge->receive ? rank : edge->peer};

        rc = add_time(samples, &key, piece->begin_ns, time_ns, wait_ns);
    }
    return rc;
}

static int class_of(uint64_t bytes)
{
    int class = 0;

    for (; bytes > 0; bytes >>= 1)
        class ++;
    return class;
}

/* File the instance as a whole call. */
static int take_call(struct wm_samples *samples, const struct wm_instance *instance, uint64_t bytes)
{
    struct wm_series key = {.kind = WM_SERIES_CALL,
                            .operation = instance->regions[0].operation,
                            .members = instance->communicator->size,
                            .size_class = class_of(bytes),
                            .node = instance->regions[0].node,
                            .bytes_least = bytes,
                            .bytes_most = bytes};
    struct wm_sample *sample = sample_of(samples, &key);
    struct wm_series *series = find(samples, &key);
    int64_t end_ns = INT64_MIN;

    if (sample == NULL)
        return -WM_ENOMEM;
    if (bytes < series->bytes_least)
        series->bytes_least = bytes;
    if (bytes > series->bytes_most)
        series->bytes_most = bytes;
    for (size_t i = 0; i < instance->region_count; i++) {
        const struct wm_region *region = &instance->regions[i];

        if (!region->outermost || !region->left)
            continue;
        if (region->enter_ns < sample->begin_ns)
            sample->begin_ns = region->enter_ns;
        if (region->leave_ns > end_ns)
            end_ns = region->leave_ns;
        sample->time_ns += (double)(region->leave_ns - region->enter_ns);
        sample->wait_ns += (double)region->wait_ns;
        sample->regions++;
    }
    sample->communicator = instance->communicator->key;
    sample->sequence = instance->sequence;
    sample->duration_ns = (double)(end_ns - sample->begin_ns);
    samples->time_ns += sample->time_ns;
    samples->calls++;
    return 0;
}

static int take_instance(void *context, const struct wm_instance *instance)
{
    struct wm_samples *samples = context;
    uint64_t bytes = 0, whole = 0;
    int rc = 0;

    for (size_t i = 0; i < instance->region_count && rc >= 0; i++) {
        const struct wm_region *region = &instance->regions[i];
        struct wm_series key = line_key(samples, region->node, region->operation);

        if (!region->left)
            continue;
        whole += region->outermost;
        if (region->outermost && region->bytes > bytes)
            bytes = region->bytes;
        rc = add_time(samples, &key, region->enter_ns, region->leave_ns - region->enter_ns, region->wait_ns);
    }
    if (rc >= 0 && whole > 0)
        rc = take_call(samples, instance, bytes);
    samples->stamp++;
    return rc;
}

/* Number the lines that are written alike, in the order of the map. */
static int name_nodes(struct wm_samples *samples)
{
    const struct wm_trace *trace = samples->trace;
    size_t count = (size_t)trace->node_count + 1;
    char text[512];

    samples->text_of_node = calloc(count, sizeof *samples->text_of_node);
    samples->ordinal_of_node = calloc(count, sizeof *samples->ordinal_of_node);
    if (samples->text_of_node == NULL || samples->ordinal_of_node == NULL)
        return -WM_ENOMEM;
    for (int i = 0; i < trace->node_count; i++) {
        wm_source_text(trace, (uint16_t)i, text, sizeof text);
        if ((samples->text_of_node[i] = strdup(text)) == NULL)
            return -WM_ENOMEM;
    }
    for (int i = 0; i < trace->node_count; i++)
        for (int k = 0; trace->nodes[i].wrapper != NULL && k < trace->node_count; k++) {
            const struct wm_trace_node *a = &trace->nodes[k], *b = &trace->nodes[i];
            bool before = a->line != b->line ? a->line < b->line : a->column < b->column;

            if (before && a->wrapper != NULL && strcmp(a->operation, b->operation) == 0 &&
                strcmp(samples->text_of_node[k], samples->text_of_node[i]) == 0)
                samples->ordinal_of_node[i]++;
        }
    return 0;
}

static int compare_begins(const void *a, const void *b)
{
    const struct wm_sample *x = a, *y = b;

    return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

int wm_samples_take(struct wm_samples *samples, struct wm_trace *trace)
{
    const struct wm_observer observer = {samples, take_piece, take_instance};
    int rc;

    memset(samples, 0, sizeof *samples);
    samples->trace = trace;
    samples->stamp = 1;
    rc = name_nodes(samples);
    if (rc >= 0)
        rc = wm_analysis_make(&samples->analysis, trace, &observer);
    for (size_t i = 0; rc >= 0 && i < samples->count; i++) {
        struct wm_series *series = &samples->series[i];

        qsort(series->samples, series->count, sizeof *series->samples, compare_begins);
        for (size_t k = 0; k < series->count; k++)
            series->time_ns += series->samples[k].time_ns;
    }
    return rc;
}

void wm_samples_release(struct wm_samples *samples)
{
    for (size_t i = 0; i < samples->count; i++) {
        free(samples->series[i].text);
        free(samples->series[i].samples);
    }
    free(samples->series);
    for (int i = 0; samples->text_of_node != NULL && i < samples->trace->node_count; i++)
        free(samples->text_of_node[i]);
    free(samples->text_of_node);
    free(samples->ordinal_of_node);
    wm_analysis_free(samples->analysis);
}
