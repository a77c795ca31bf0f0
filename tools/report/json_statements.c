/* Statements in the JSON report. */
#include "tools/report/json.h"

static json_t *row_json(struct wm_json_writer *w, const struct wm_statement_row *row)
{
    json_t *object = json_object();

    if (row->definition->name[0] != '\0')
        wm_json_put_text(w, object, "name", row->definition->name);
    wm_json_put_text(w, object, "text", row->definition->text);
    wm_json_put_text(w, object, "file", row->definition->file);
    wm_json_put_text(w, object, "carried", row->definition->carried);
    if (row->node > 0)
        wm_json_put(w, object, "node", json_integer(row->node));
    wm_json_put_numbers(w, object,
                        (const struct wm_json_number[]){{"line", row->definition->line},
                                                        {"ranks", row->ranks},
                                                        {"calls", (int64_t)row->calls},
                                                        {"bytes", (int64_t)row->bytes},
                                                        {"time_ns", row->time_ns},
                                                        {"max_ns", row->max_ns},
                                                        {"max_rank", row->max_rank},
                                                        {NULL, 0}});
    return object;
}

json_t *wm_json_statements(struct wm_json_writer *w)
{
    const struct wm_statement_table *table = w->analysis->statements;
    json_t *array = json_array();

    for (size_t i = 0; i < table->count; i++)
        wm_json_append(w, array, row_json(w, &table->rows[i]));
    return array;
}
