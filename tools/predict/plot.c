/* Predictions as a plot: a benchmark's, made of results that were predicted. */
#include "tools/bench/show.h"
#include "tools/predict/report.h"

static json_t *results(const struct wm_predict_report *r, const struct wm_predict_row *row)
{
    json_t *list = json_array();

    for (int m = 0; m < r->map_count; m++)
        json_array_append_new(list, wm_predict_result_json(r, row, m, wm_predict_column_name(r, m).text));
    return list;
}

static void add_panel(json_t *operations, const char *name, json_t *sizes)
{
    json_array_append_new(operations, json_pack("{s:s, s:o}", "name", name, "sizes", sizes));
}

/* An operation's rows of one machine stand side by side: time over bytes. */
static void add_bytes(json_t *operations, const struct wm_predict_report *r, bool several)
{
    char name[128];

    for (size_t i = 0, next; i < r->row_count; i = next) {
        json_t *sizes = json_array();

        for (next = i; next < r->row_count && r->rows[next].operation == r->rows[i].operation; next++)
            json_array_append_new(sizes, json_pack("{s:I, s:o}", "bytes", (json_int_t)r->rows[next].bytes, "results",
                                                   results(r, &r->rows[next])));
        snprintf(name, sizeof name, "%s%s%.80s", wm_operation_name(r->rows[i].operation), several ? ", " : "",
                 several ? r->machine : "");
        add_panel(operations, name, sizes);
    }
}

static const struct wm_predict_row *find_row(const struct wm_predict_report *r, const struct wm_predict_row *like)
{
    for (size_t i = 0; i < r->row_count; i++)
        if (r->rows[i].operation == like->operation && r->rows[i].bytes == like->bytes)
            return &r->rows[i];
    return NULL;
}

/* One row of all machines: time over ranks. */
static void add_ranks(json_t *operations, const struct wm_predict_report *reports, int count,
                      const struct wm_predict_row *like)
{
    json_t *sizes = json_array();
    char name[128];

    for (int i = 0; i < count; i++) {
        const struct wm_predict_row *row = find_row(&reports[i], like);

        if (row != NULL)
            json_array_append_new(sizes, json_pack("{s:I, s:i, s:o}", "bytes", (json_int_t)row->bytes, "ranks",
                                                   reports[i].sites[0].ranks, "results", results(&reports[i], row)));
    }
    snprintf(name, sizeof name, "%s of %s", wm_operation_name(like->operation), wm_bytes_text(like->bytes).text);
    add_panel(operations, like->operation == WM_BARRIER ? wm_operation_name(WM_BARRIER) : name, sizes);
}

void wm_predict_reports_plot(const struct wm_predict_report *reports, int count, FILE *out)
{
    json_t *operations = json_array(), *contenders = json_array(), *result;

    for (int m = 0; m < reports->map_count; m++)
        json_array_append_new(contenders,
                              json_pack("{s:s, s:b}", "name", wm_predict_column_name(reports, m).text, "native", 0));
    for (size_t i = 0; i < reports->row_count && count > 1; i++)
        add_ranks(operations, reports, count, &reports->rows[i]);
    for (int i = 0; i < count; i++)
        add_bytes(operations, &reports[i], count > 1);
    result = json_pack("{s:b, s:s, s:o, s:o}", "predicted", 1, "profile",
                       reports->profile_name != NULL ? reports->profile_name : "assumed", "contenders", contenders,
                       "operations", operations);
    wm_bench_plot(result, out);
    json_decref(result);
}
