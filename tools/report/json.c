/* The report as JSON: the run, its map, what was found, and what it was found in. */
#include "tools/report/json.h"

#include <stdio.h>
#include <string.h>
#include "waymark/operation.h"
#include "core/path/fault.h"
#include "core/path/wrapper.h"

enum { DELAYS_MAX = 200, EMULATED_CHARS = 320 };

static json_t *map_json(struct wm_json_writer *w)
{
    json_t *map = json_object();

    wm_json_put_text(w, map, "file", w->trace->map_file);
    wm_json_put_text(w, map, "text", w->trace->map_text);
    return map;
}

/* A map's name by a number of its nodes. */
static const char *map_file_of(const struct wm_trace *trace, int node)
{
    const struct wm_trace_map *map = wm_trace_map_find(trace, node);

    return map != NULL ? map->file : node == 0 ? trace->map_file : NULL;
}

static json_t *epochs_json(struct wm_json_writer *w)
{
    const struct wm_map_epochs *all = &w->analysis->epochs;
    json_t *array = json_array();

    for (int i = 0; i < all->count; i++) {
        const struct wm_map_epoch *e = &all->epochs[i];
        json_t *object = json_object();

        wm_json_put_numbers(w, object,
                            (const struct wm_json_number[]){{"epoch", (int64_t)e->epoch},
                                                            {"at_ns", e->at_ns - w->trace->ranks[0].start_ns},
                                                            {"call", (int64_t)e->sequence + 1},
                                                            {NULL, 0}});
        wm_json_put_text(w, object, "map", map_file_of(w->trace, e->first_node));
        wm_json_put(w, object, "tries", json_boolean(e->tried));
        if (e->communicator < w->trace->communicator_count)
            wm_json_put_text(w, object, "communicator", w->trace->communicators[e->communicator].name);
        wm_json_append(w, array, object);
    }
    return array;
}

static json_t *nodes_json(struct wm_json_writer *w)
{
    json_t *nodes = json_array();
    char source[WM_EDIT_CHARS];

    for (int i = 0; i < w->trace->node_count; i++) {
        const struct wm_trace_node *node = &w->trace->nodes[i];
        json_t *object;

        if (node->wrapper == NULL)
            continue;
        object = json_object();
        wm_source_text(w->trace, (uint16_t)i, source, sizeof source);
        wm_json_put_numbers(
            w, object,
            (const struct wm_json_number[]){{"node", i}, {"line", node->line}, {"column", node->column}, {NULL, 0}});
        wm_json_put_text(w, object, "wrapper", node->wrapper);
        wm_json_put_text(w, object, "label", node->label);
        wm_json_put_text(w, object, "operation", node->operation);
        wm_json_put_text(w, object, "file", node->map_file);
        wm_json_put_text(w, object, "source", source);
        wm_json_append(w, nodes, object);
    }
    return nodes;
}

/* What a wrapper does to a run that it would not have without; NULL: nothing. */
static const char *emulation(const char *wrapper)
{
    const struct wm_wrapper_class *class = wrapper != NULL ? wm_wrapper_find(wrapper) : NULL;

    if (class == NULL || (class->role != WM_ROLE_DELAY && !wm_class_is_fault(class)))
        return NULL;
    return class->role == WM_ROLE_DELAY ? "a slow network was emulated" : "faults were made";
}

/* Networks that the map made slower, and faults that it made: a sentence for each place. */
static json_t *emulated_json(struct wm_json_writer *w)
{
    json_t *sentences = json_array();
    char line[EMULATED_CHARS];
    const char *what;

    for (int i = 0; i < w->trace->node_count; i++) {
        const struct wm_trace_node *node = &w->trace->nodes[i];

        if ((what = emulation(node->wrapper)) == NULL)
            continue;
        snprintf(line, sizeof line, "%s for %.40s: (%.40s %.160s) at line %d of the map", what, node->operation,
                 node->wrapper, node->label, node->line);
        wm_json_append(w, sentences, json_string(line));
    }
    return sentences;
}

static json_t *edit_json(struct wm_json_writer *w, const struct wm_edit *edit)
{
    json_t *object = json_object();

    wm_json_put_numbers(w, object,
                        (const struct wm_json_number[]){{"line", edit->line}, {"column", edit->column}, {NULL, 0}});
    wm_json_put_text(w, object, "before", edit->before);
    wm_json_put_text(w, object, "after", edit->after);
    return object;
}

static json_t *finding_json(struct wm_json_writer *w, const struct wm_finding *finding)
{
    json_t *object = json_object();
    char place[128];

    wm_place_text(w->trace, finding->node, place, sizeof place);
    wm_json_put_text(w, object, "kind", wm_finding_kind_name(finding->kind));
    wm_json_put_text(w, object, "sentence", finding->sentence);
    wm_json_put_text(w, object, "because", finding->because);
    wm_json_put_text(w, object, "place", place);
    wm_json_put_numbers(w, object,
                        (const struct wm_json_number[]){{"lost_ns", finding->lost_ns},
                                                        {"error_ns", finding->error_ns},
                                                        {"confidence", finding->confidence},
                                                        {"node", finding->node},
                                                        {NULL, 0}});
    if (finding->operation < WM_OPERATION_COUNT)
        wm_json_put_text(w, object, "operation", wm_operation_name((enum wm_operation)finding->operation));
    if (finding->rank >= 0)
        wm_json_put(w, object, "rank", json_integer(finding->rank));
    if (finding->source >= 0)
        wm_json_put(w, object, "source", json_integer(finding->source));
    if (finding->destination >= 0)
        wm_json_put(w, object, "destination", json_integer(finding->destination));
    if (finding->edit.line > 0)
        wm_json_put(w, object, "edit", edit_json(w, &finding->edit));
    return object;
}

static json_t *efficiency_json(struct wm_json_writer *w)
{
    const struct wm_efficiency *e = &w->analysis->efficiency;
    json_t *object = json_object();

    wm_json_put(w, object, "parallel", json_real(e->parallel));
    wm_json_put(w, object, "load_balance", json_real(e->load_balance));
    wm_json_put(w, object, "messages", json_boolean(e->messages));
    wm_json_put(w, object, "communication", json_real(e->communication));
    wm_json_put(w, object, "serialisation", json_real(e->serialisation));
    wm_json_put(w, object, "transfer", json_real(e->transfer));
    return object;
}

static json_t *slow_json(struct wm_json_writer *w, const struct wm_slow *slow)
{
    json_t *object = json_object();

    wm_json_put_numbers(w, object,
                        (const struct wm_json_number[]){{"communicator", slow->communicator},
                                                        {"sequence", slow->sequence},
                                                        {"node", slow->node},
                                                        {"bytes", (int64_t)slow->bytes},
                                                        {"begin_ns", slow->begin_ns},
                                                        {"duration_ns", slow->duration_ns},
                                                        {"skew_ns", slow->skew_ns},
                                                        {"last_rank", slow->last_rank},
                                                        {NULL, 0}});
    wm_json_put_text(w, object, "operation", wm_operation_name((enum wm_operation)slow->operation));
    return object;
}

static json_t *delay_json(struct wm_json_writer *w, const struct wm_delay *delay)
{
    json_t *object = json_object();

    wm_json_put_numbers(w, object,
                        (const struct wm_json_number[]){{"rank", delay->rank},
                                                        {"node", delay->node},
                                                        {"instances", (int64_t)delay->instances},
                                                        {"cost_ns", delay->cost_ns},
                                                        {"excess_ns", delay->excess_ns},
                                                        {NULL, 0}});
    wm_json_put_text(w, object, "operation", wm_operation_name((enum wm_operation)delay->operation));
    wm_json_put(w, object, "computing", json_boolean(delay->computing));
    if (delay->computing)
        return object;
    wm_json_put(w, object, "cause_node", json_integer(delay->cause_node));
    wm_json_put_text(w, object, "cause_operation", wm_operation_name((enum wm_operation)delay->cause_operation));
    return object;
}

static json_t *communicator_json(struct wm_json_writer *w, const struct wm_trace_communicator *communicator)
{
    json_t *object = json_object();

    wm_json_put_numbers(
        w, object,
        (const struct wm_json_number[]){{"key", communicator->key}, {"size", communicator->size}, {NULL, 0}});
    wm_json_put_text(w, object, "name", communicator->name);
    return object;
}

static json_t *critical_json(struct wm_json_writer *w)
{
    const struct wm_analysis *a = w->analysis;
    json_t *object = json_object();

    wm_json_put_numbers(w, object,
                        (const struct wm_json_number[]){{"instances", (int64_t)a->path_count},
                                                        {"last_on", (int64_t)a->path_last_on},
                                                        {"ns", a->path_ns},
                                                        {NULL, 0}});
    return object;
}

static json_t *findings_json(struct wm_json_writer *w)
{
    struct wm_finding findings[WM_FINDINGS_MAX];
    int count = wm_findings_make(w->trace, w->analysis, findings);
    json_t *array = json_array();

    for (int i = 0; i < count; i++)
        wm_json_append(w, array, finding_json(w, &findings[i]));
    return array;
}

static json_t *slows_json(struct wm_json_writer *w)
{
    json_t *array = json_array();

    for (int i = 0; i < w->analysis->slow_count; i++)
        wm_json_append(w, array, slow_json(w, &w->analysis->slow[i]));
    return array;
}

static json_t *delays_json(struct wm_json_writer *w)
{
    json_t *array = json_array();

    for (size_t i = 0; i < w->analysis->delay_count && i < DELAYS_MAX; i++)
        wm_json_append(w, array, delay_json(w, &w->analysis->delays[i]));
    return array;
}

static json_t *communicators_json(struct wm_json_writer *w)
{
    json_t *array = json_array();

    for (uint32_t i = 0; i < w->trace->communicator_count; i++)
        wm_json_append(w, array, communicator_json(w, &w->trace->communicators[i]));
    return array;
}

json_t *wm_report_json(struct wm_trace *trace, struct wm_analysis *analysis)
{
    struct wm_json_writer writer = {trace, analysis, false}, *w = &writer;
    json_t *report = json_object();

    wm_json_put_text(w, report, "schema", WM_REPORT_SCHEMA);
    wm_json_put_text(w, report, "waymark", PACKAGE_VERSION);
    wm_json_put(w, report, "run", wm_json_run(w));
    if (trace->map_text != NULL || trace->map_file != NULL)
        wm_json_put(w, report, "map", map_json(w));
    wm_json_put(w, report, "nodes", nodes_json(w));
    wm_json_put(w, report, "epochs", epochs_json(w));
    wm_json_put(w, report, "epochs_more", json_integer(analysis->epochs.more));
    wm_json_put(w, report, "emulated", emulated_json(w));
    wm_json_put(w, report, "findings", findings_json(w));
    if (analysis->efficiency.parallel > 0)
        wm_json_put(w, report, "efficiency", efficiency_json(w));
    wm_json_put(w, report, "lines", wm_json_lines(w));
    wm_json_put(w, report, "edges", wm_json_edges(w));
    wm_json_put(w, report, "edges_total", json_integer((json_int_t)analysis->edge_count));
    wm_json_put(w, report, "slow", slows_json(w));
    wm_json_put(w, report, "delays", delays_json(w));
    wm_json_put(w, report, "critical", critical_json(w));
    wm_json_put(w, report, "communicators", communicators_json(w));
    wm_json_put(w, report, "conveyors", wm_json_conveyors(w));
    wm_json_put(w, report, "protocols", wm_json_protocols(w));
    wm_json_put(w, report, "statements", wm_json_statements(w));
    wm_json_put(w, report, "superblocks", wm_json_superblocks(w));
    wm_json_put(w, report, "stuck", wm_json_stuck(w));
    wm_json_put(w, report, "stuck_more", json_integer(analysis->stuck_more));
    wm_json_put(w, report, "deaths", wm_json_deaths(w));
    wm_json_put(w, report, "warnings", wm_json_warnings(w));
    if (!writer.failed)
        return report;
    json_decref(report);
    return NULL;
}
