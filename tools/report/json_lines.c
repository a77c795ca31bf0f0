/* The lines of the map and the edges between ranks in the JSON report. */
#include "waymark/operation.h"
#include "tools/report/json.h"

enum { EDGES_MAX = 2000 };

static json_t *sizes_json(struct wm_json_writer *w, const struct wm_line *line)
{
    json_t *array = json_array();

    for (size_t i = 0; i < line->size_count; i++) {
        const struct wm_size_cost *size = &line->sizes[i];
        json_t *object = json_object();

        wm_json_put_numbers(w, object,
                            (const struct wm_json_number[]){{"bytes", (int64_t)size->bytes},
                                                            {"messages", (int64_t)size->messages},
                                                            {"late_sender_ns", size->late_sender_ns},
                                                            {"late_receiver_ns", size->late_receiver_ns},
                                                            {"transfer_ns", size->transfer_ns},
                                                            {NULL, 0}});
        wm_json_append(w, array, object);
    }
    return array;
}

/* What is known of calls alone, and not of the stages inside them. */
static void put_calls(struct wm_json_writer *w, json_t *object, struct wm_line *line)
{
    wm_json_put_numbers(
        w, object,
        (const struct wm_json_number[]){{"floor_ns", line->floor_ns}, {"excess_ns", line->excess_ns}, {NULL, 0}});
    wm_json_put_spread(w, object, "duration", &line->duration_ns, "_ns");
    wm_json_put_spread(w, object, "skew", &line->skew_ns, "_ns");
    wm_json_put_spread(w, object, "wait", &line->wait_ns, "_ns");
    wm_json_put_spread(w, object, "service", &line->service_ns, "_ns");
    wm_json_put_spread(w, object, "completion", &line->completion_ns, "_ns");
    if (line->flights > 0 && line->flight_ns > 0) {
        wm_json_put(w, object, "flights", json_integer((json_int_t)line->flights));
        wm_json_put(w, object, "overlap", json_real(1 - (double)line->flight_wait_ns / (double)line->flight_ns));
    }
}

static void put_late(struct wm_json_writer *w, json_t *object, const struct wm_line *line)
{
    double share;
    int late = wm_line_late_rank(line, w->trace->job_ranks, &share);

    if (late < 0)
        return;
    wm_json_put(w, object, "late_rank", json_integer(late));
    wm_json_put(w, object, "late_share", json_real(share));
}

static json_t *line_json(struct wm_json_writer *w, struct wm_line *line)
{
    json_t *object = json_object();

    wm_json_put_numbers(w, object,
                        (const struct wm_json_number[]){{"node", line->node},
                                                        {"calls", (int64_t)line->calls},
                                                        {"regions", (int64_t)line->regions},
                                                        {"pieces", (int64_t)line->pieces},
                                                        {"messages", (int64_t)line->messages},
                                                        {"bytes", (int64_t)line->bytes},
                                                        {"time_ns", line->time_ns},
                                                        {"late_ns", line->late_ns},
                                                        {"inside_ns", line->inside_ns},
                                                        {"transfer_ns", line->transfer_ns},
                                                        {"work_ns", line->work_ns},
                                                        {"overhead_ns", line->overhead_ns},
                                                        {"error_ns", line->error_ns},
                                                        {"unresolved", (int64_t)line->unresolved},
                                                        {"critical", (int64_t)line->critical},
                                                        {"critical_ns", line->critical_ns},
                                                        {NULL, 0}});
    wm_json_put_text(w, object, "operation", wm_operation_name((enum wm_operation)line->operation));
    wm_json_put(w, object, "visited", json_boolean(line->visited));
    wm_json_put(w, object, "outermost", json_boolean(line->outermost));
    wm_json_put(w, object, "shared", json_boolean(line->shared));
    wm_json_put(w, object, "imbalance", json_real(line->imbalance));
    wm_json_put(w, object, "sizes", sizes_json(w, line));
    put_late(w, object, line);
    if (line->visited)
        put_calls(w, object, line);
    return object;
}

json_t *wm_json_lines(struct wm_json_writer *w)
{
    json_t *array = json_array();

    for (size_t i = 0; i < w->analysis->line_count; i++)
        wm_json_append(w, array, line_json(w, &w->analysis->lines[i]));
    return array;
}

static json_t *edge_json(struct wm_json_writer *w, struct wm_edge_cost *edge)
{
    json_t *object = json_object();

    wm_json_put_numbers(w, object,
                        (const struct wm_json_number[]){{"node", edge->node},
                                                        {"source", edge->source},
                                                        {"destination", edge->destination},
                                                        {"messages", (int64_t)edge->messages},
                                                        {"bytes", (int64_t)edge->bytes},
                                                        {"wait_ns", edge->wait_ns},
                                                        {"late_sender_ns", edge->late_sender_ns},
                                                        {"late_receiver_ns", edge->late_receiver_ns},
                                                        {"transfer_ns", edge->transfer_ns},
                                                        {"propagation_ns", edge->propagation_ns},
                                                        {"instances", (int64_t)edge->instances},
                                                        {"critical", (int64_t)edge->critical},
                                                        {"critical_ns", edge->critical_ns},
                                                        {NULL, 0}});
    wm_json_put_spread(w, object, "slack", &edge->slack_ns, "_ns");
    return object;
}

json_t *wm_json_edges(struct wm_json_writer *w)
{
    json_t *array = json_array();

    for (size_t i = 0; i < w->analysis->edge_count && i < EDGES_MAX; i++)
        wm_json_append(w, array, edge_json(w, &w->analysis->edges[i]));
    return array;
}
