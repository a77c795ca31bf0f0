/* A comparison as JSON, for scripts: times in nanoseconds. */
#include <string.h>
#include "tools/diff/show.h"
#include "tools/findings/findings.h"

/* Null where there is no ratio, and no interval where that is not known. */
static json_t *ratio_of(const struct wm_ratio *ratio)
{
    if (!(ratio->ratio > 0))
        return json_null();
    if (!ratio->known)
        return json_pack("{sf sf sf sn sn}", "first", ratio->a, "second", ratio->b, "ratio", ratio->ratio, "interval",
                         "together");
    return json_pack("{sf sf sf s[ff] s[ff]}", "first", ratio->a, "second", ratio->b, "ratio", ratio->ratio, "interval",
                     ratio->low, ratio->high, "together", ratio->sure_low, ratio->sure_high);
}

static json_t *place_of(const struct wm_samples *samples, const struct wm_series *series)
{
    char place[256];

    if (series == NULL || series->node == 0)
        return json_null();
    wm_place_text(samples->trace, series->node, place, sizeof place);
    return json_string(place);
}

static json_t *row_of(const struct wm_diff *diff, const struct wm_diff_row *row)
{
    static const char *const kinds[] = {"call", "line", "edge"};
    const struct wm_series *series = row->b != NULL ? row->b : row->a;
    char text[512];
    json_t *object;

    wm_diff_row_text(diff, row, text, sizeof text);
    object = json_pack("{ss ss ss ss sb sf so sI sI}", "kind", kinds[series->kind], "operation",
                       wm_operation_name(series->operation), "text", text, "verdict", wm_verdict_name(row->verdict),
                       "regressed", row->regressed, "share", row->share, "time_ns", ratio_of(&row->time), "first_calls",
                       (json_int_t)(row->a != NULL ? row->a->count : 0), "second_calls",
                       (json_int_t)(row->b != NULL ? row->b->count : 0));
    if (object == NULL)
        return NULL;
    json_object_set_new(object, "first_wait_ns", json_real(row->wait_a));
    json_object_set_new(object, "second_wait_ns", json_real(row->wait_b));
    if (series->kind == WM_SERIES_CALL) {
        json_object_set_new(object, "service_ns", ratio_of(&row->service));
        json_object_set_new(object, "mean_rank_time_ns", ratio_of(&row->mean));
    }
    if (series->kind == WM_SERIES_EDGE) {
        json_object_set_new(object, "source", json_integer(series->source));
        json_object_set_new(object, "destination", json_integer(series->destination));
    } else {
        json_object_set_new(object, "first_place", place_of(diff->a, row->a));
        json_object_set_new(object, "second_place", place_of(diff->b, row->b));
    }
    return object;
}

static json_t *run_of(const struct wm_samples *samples)
{
    const struct wm_trace *trace = samples->trace;

    return json_pack("{ss ss si ss* sI sf sI sI sI}", "directory", trace->directory, "program", trace->ranks[0].program,
                     "ranks", trace->job_ranks, "map", trace->map_file, "calls", (json_int_t)samples->calls,
                     "rank_time_in_calls_ns", samples->time_ns, "rank_time_ns", (json_int_t)samples->analysis->run_ns,
                     "span_ns", (json_int_t)samples->analysis->span_ns, "lost", (json_int_t)samples->analysis->lost);
}

json_t *wm_diff_json(const struct wm_diff *diff)
{
    json_t *rows = json_array(), *warnings = json_array();
    char text[WM_DIFF_CHARS];

    for (size_t i = 0; i < diff->count; i++)
        json_array_append_new(rows, row_of(diff, &diff->rows[i]));
    for (int i = 0; wm_diff_warning(diff, i, text, sizeof text); i++)
        json_array_append_new(warnings, json_string(text));
    wm_diff_sentence(diff, text, sizeof text);
    return json_pack("{ss sb sf sI so so so ss so so}", "verdict", text, "regressed", diff->regressed, "threshold",
                     diff->threshold, "comparisons", (json_int_t)diff->comparisons, "first", run_of(diff->a), "second",
                     run_of(diff->b), "total_ns", ratio_of(&diff->total), "total_verdict",
                     wm_verdict_name(diff->total_verdict), "rows", rows, "warnings", warnings);
}
