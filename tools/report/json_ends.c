/* What was in flight at the end, and who died, in the JSON report. */
#include "waymark/operation.h"
#include "tools/report/json.h"

static json_t *ranks_json(struct wm_json_writer *w, const int *ranks, int count)
{
    json_t *array = json_array();

    for (int i = 0; i < count; i++)
        wm_json_append(w, array, json_integer(ranks[i]));
    return array;
}

static json_t *pending_json(struct wm_json_writer *w, const struct wm_pending *pending)
{
    json_t *object = json_object();

    wm_json_put_numbers(w, object,
                        (const struct wm_json_number[]){{"source", pending->source},
                                                        {"destination", pending->destination},
                                                        {"bytes", (int64_t)pending->bytes},
                                                        {"since_ns", pending->since_ns},
                                                        {"node", pending->node},
                                                        {NULL, 0}});
    wm_json_put(w, object, "receive", json_boolean(pending->receive));
    return object;
}

static json_t *stuck_json(struct wm_json_writer *w, const struct wm_stuck *stuck)
{
    json_t *object = json_object(), *pending = json_array();

    wm_json_put_numbers(w, object,
                        (const struct wm_json_number[]){{"communicator", stuck->communicator},
                                                        {"sequence", stuck->sequence},
                                                        {"node", stuck->node},
                                                        {"bytes", (int64_t)stuck->bytes},
                                                        {"since_ns", stuck->since_ns},
                                                        {"pending_count", stuck->pending_count},
                                                        {NULL, 0}});
    wm_json_put_text(w, object, "operation", wm_operation_name((enum wm_operation)stuck->operation));
    wm_json_put(w, object, "inside", ranks_json(w, stuck->inside, stuck->inside_count));
    wm_json_put(w, object, "absent", ranks_json(w, stuck->absent, stuck->absent_count));
    for (int i = 0; i < stuck->pending_count && i < WM_PENDING_MAX; i++)
        wm_json_append(w, pending, pending_json(w, &stuck->pending[i]));
    wm_json_put(w, object, "pending", pending);
    return object;
}

json_t *wm_json_stuck(struct wm_json_writer *w)
{
    json_t *array = json_array();

    for (int i = 0; i < w->analysis->stuck_count; i++)
        wm_json_append(w, array, stuck_json(w, &w->analysis->stuck[i]));
    return array;
}

static json_t *death_json(struct wm_json_writer *w, const struct wm_death *death)
{
    json_t *object = json_object();

    wm_json_put_numbers(
        w, object, (const struct wm_json_number[]){{"rank", death->rank->rank}, {"pid", death->rank->pid}, {NULL, 0}});
    wm_json_put_text(w, object, "host", death->rank->host);
    wm_json_put(w, object, "inside", json_boolean(death->inside));
    if (death->asks)
        wm_json_put(w, object, "asks", json_true());
    if (death->last == NULL)
        return object;
    wm_json_put(w, object, "last_ns", json_integer(death->last_ns));
    wm_json_put_text(w, object, "last", wm_trace_kind_name(death->last->kind));
    wm_json_put(w, object, "sequence", json_integer(death->last->sequence));
    return object;
}

json_t *wm_json_deaths(struct wm_json_writer *w)
{
    json_t *array = json_array();

    for (int i = 0; i < w->analysis->death_count; i++)
        wm_json_append(w, array, death_json(w, &w->analysis->deaths[i]));
    return array;
}
