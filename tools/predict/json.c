/* Predictions as JSON: as a benchmark's result, so that what reads one reads the other, and where the time goes. */
#include <jansson.h>
#include "tools/predict/report.h"
#include "tools/text/units.h"

static double ns(int64_t ps)
{
    return (double)ps / 1000;
}

static json_t *parts_json(const struct wm_prediction *p, const struct wm_grid *grid)
{
    json_t *parts = json_array();
    struct wm_model names = {.grid = grid};
    char text[WM_BLAME_CHARS];

    for (int i = 0; i < p->blame.count; i++) {
        const struct wm_blame_part *part = &p->blame.parts[i];

        json_array_append_new(parts, json_pack("{s:s, s:i, s:i, s:I}", "what", wm_blame_text(part, &names, text),
                                               "line", part->line, "times", part->count, "ps", (json_int_t)part->time));
    }
    return parts;
}

json_t *wm_predict_result_json(const struct wm_predict_report *r, const struct wm_predict_row *row, int m,
                               const char *name)
{
    const struct wm_prediction *p = &row->by_map[m];
    double time = ns(p->time), off = time * (double)p->error_ppm / 1e6;
    json_t *json = json_pack("{s:s, s:b, s:b, s:b}", "contender", name, "native", 0, "modelled",
                             wm_predict_is_library(r, m), "verified", !p->native && !p->refused);

    if (p->native || p->refused)
        return json;
    json_object_update_new(json, json_pack("{s:f, s:f, s:f, s:I, s:I, s:s, s:b, s:i, s:I, s:o}", "min_ns", time - off,
                                           "median_ns", time, "p95_ns", time + off, "ps", (json_int_t)p->time,
                                           "error_ppm", (json_int_t)p->error_ppm, "stamp", wm_stamp_name(p->stamp),
                                           "crowded", p->crowded, "rule_line", p->rule_line, "events",
                                           (json_int_t)p->events, "parts", parts_json(p, &r->sites[m].grid)));
    if (p->representatives > 0)
        json_object_set_new(json, "representatives", json_integer(p->representatives));
    if (p->even_bytes > 0)
        json_object_set_new(json, "at_most_bytes", json_integer((json_int_t)p->even_bytes));
    if (p->way[0] != '\0')
        json_object_set_new(json, "way", json_string(p->way));
    if (p->label[0] != '\0')
        json_object_set_new(json, "label", json_string(p->label));
    if (p->halved > 0)
        json_object_set_new(json, "halved_ps", json_integer((json_int_t)p->halved));
    return json;
}

static json_t *size_json(const struct wm_predict_report *r, const struct wm_predict_row *row)
{
    json_t *results = json_array();

    for (int m = 0; m < r->map_count; m++)
        json_array_append_new(results, wm_predict_result_json(r, row, m, r->maps[m].file));
    return json_pack("{s:I, s:i, s:o}", "bytes", (json_int_t)row->bytes, "rotate_bytes", 0, "results", results);
}

/* Rows of an operation stand side by side. */
static json_t *operations_json(const struct wm_predict_report *r)
{
    json_t *operations = json_array(), *sizes = NULL;

    for (size_t i = 0; i < r->row_count; i++) {
        if (i == 0 || r->rows[i].operation != r->rows[i - 1].operation) {
            sizes = json_array();
            json_array_append_new(
                operations, json_pack("{s:s, s:o}", "name", wm_operation_name(r->rows[i].operation), "sizes", sizes));
        }
        json_array_append_new(sizes, size_json(r, &r->rows[i]));
    }
    return operations;
}

static json_t *contenders_json(const struct wm_predict_report *r)
{
    json_t *contenders = json_array();

    for (int m = 0; m < r->map_count; m++)
        json_array_append_new(contenders, json_pack("{s:s, s:b, s:b, s:s}", "name", r->maps[m].file, "native", 0,
                                                    "modelled", wm_predict_is_library(r, m), "file", r->maps[m].file));
    return contenders;
}

static json_t *report_json(const struct wm_predict_report *r)
{
    return json_pack("{s:b, s:s, s:s, s:i, s:o, s:o}", "predicted", 1, "machine", r->machine, "profile",
                     r->profile_name != NULL ? r->profile_name : "assumed", "ranks", r->sites[0].ranks, "contenders",
                     contenders_json(r), "operations", operations_json(r));
}

void wm_predict_reports_json(const struct wm_predict_report *reports, int count, FILE *out)
{
    json_t *json = count == 1 ? report_json(reports) : json_pack("{s:b, s:[]}", "predicted", 1, "machines");

    for (int i = 0; i < count && count > 1; i++)
        json_array_append_new(json_object_get(json, "machines"), report_json(&reports[i]));
    json_dumpf(json, out, JSON_INDENT(1));
    fputc('\n', out);
    json_decref(json);
}
