/* Messages of protocols in the JSON report. */
#include "tools/findings/protocol_advice.h"
#include "tools/report/json.h"

static json_t *met_json(struct wm_json_writer *w, const struct wm_protocol_met *met)
{
    json_t *object = json_object();

    wm_json_put_numbers(
        w, object,
        (const struct wm_json_number[]){
            {"n", (int64_t)met->count}, {"wait_ns", met->wait_ns}, {"max_ns", met->wait_max_ns}, {NULL, 0}});
    return object;
}

static json_t *end_json(struct wm_json_writer *w, const struct wm_protocol_end *end)
{
    const struct wm_protocol_met *met = end->met;
    int64_t matched = (int64_t)(met[WM_TRACE_MET_COPY].count + met[WM_TRACE_MET_HEADER].count);
    json_t *object = json_object();

    wm_json_put_text(w, object, "name", end->definition->name);
    if (end->node > 0)
        wm_json_put(w, object, "node", json_integer(end->node));
    wm_json_put_numbers(w, object,
                        (const struct wm_json_number[]){{"rank", end->rank},
                                                        {"endpoint", end->definition->endpoint},
                                                        {"sent", (int64_t)end->sent},
                                                        {"received", (int64_t)end->received},
                                                        {"left", (int64_t)end->kept - matched},
                                                        {"copied_bytes", (int64_t)end->copied_bytes},
                                                        {"copy_ns", end->copy_ns},
                                                        {NULL, 0}});
    wm_json_put(w, object, "expected", met_json(w, &met[WM_TRACE_MET_EXPECTED]));
    wm_json_put(w, object, "copied", met_json(w, &met[WM_TRACE_MET_COPY]));
    wm_json_put(w, object, "held", met_json(w, &met[WM_TRACE_MET_HEADER]));
    return object;
}

json_t *wm_json_protocols(struct wm_json_writer *w)
{
    const struct wm_protocol_table *table = w->analysis->protocols;
    const struct wm_protocol_end *worst = wm_protocol_worst(table);
    char advice[WM_FINDING_CHARS];
    json_t *array = json_array();

    for (size_t i = 0; i < table->count; i++) {
        json_t *object = end_json(w, &table->ends[i]);

        if (&table->ends[i] == worst) {
            wm_protocol_advise(w->trace, worst, advice, sizeof advice);
            wm_json_put_text(w, object, "advice", advice);
        }
        wm_json_append(w, array, object);
    }
    return array;
}
