/* Every operation and size, predicted by every map. */
#include "tools/predict/report.h"

#include <stdlib.h>
#include <string.h>
#include "core/vector.h"

bool wm_predict_is_library(const struct wm_predict_report *r, int column)
{
    return r->library && column == r->map_count - 1;
}

struct wm_text wm_predict_column_name(const struct wm_predict_report *r, int column)
{
    const char *file = r->maps[column].file, *slash = strrchr(file, '/');
    struct wm_text text;

    snprintf(text.text, sizeof text.text, "%.40s", slash != NULL ? slash + 1 : file);
    if (strlen(text.text) > 4 && strcmp(text.text + strlen(text.text) - 4, ".scm") == 0)
        text.text[strlen(text.text) - 4] = '\0';
    if (wm_predict_is_library(r, column))
        snprintf(text.text, sizeof text.text, "Open MPI (modelled)");
    return text;
}

static int open_maps(struct wm_predict_report *r, char **maps, int map_count, struct wm_error *error)
{
    int rc = 0;

    for (int i = 0; rc == 0 && i < map_count + r->library; i++) {
        rc = wm_site_map_open(&r->maps[i], i < map_count ? maps[i] : WM_PREDICT_LIBRARY, error);
        if (rc < 0)
            return rc;
        r->map_count++;
        rc = wm_site_init(&r->sites[i], &r->maps[i], r->machine, error);
    }
    return rc;
}

/* A call that is too large is told in its place; asked alone, by a map, it says why, and else what would help. */
static int predict_column(const struct wm_predict_report *r, int m, struct wm_predict_row *row,
                          const struct wm_map_question *question, bool single, struct wm_error *error)
{
    struct wm_prediction *p = &row->by_map[m];
    bool alone = single && !wm_predict_is_library(r, m);
    int rc = wm_predict(p, &r->maps[m], &r->sites[m], question, r->profile, alone, error);

    if (rc != -WM_ENOMEM || alone)
        return rc;
    *p = (struct wm_prediction){.refused = true};
    return 0;
}

/* A row whose predictions are still empty. NULL: no memory. */
static struct wm_predict_row *new_row(struct wm_predict_report *r, enum wm_operation operation, uint64_t bytes,
                                      struct wm_error *error)
{
    struct wm_prediction *by_map = calloc((size_t)r->map_count, sizeof *by_map);

    if (by_map == NULL || wm_vector_reserve(&r->rows, &r->row_room, r->row_count + 1, sizeof *r->rows) < 0) {
        free(by_map);
        wm_error_set(error, -WM_ENOMEM, "no memory for %zu predictions", r->row_count);
        return NULL;
    }
    r->rows[r->row_count] = (struct wm_predict_row){.operation = operation, .bytes = bytes, .by_map = by_map};
    return &r->rows[r->row_count++];
}

static int add_row(struct wm_predict_report *r, const struct wm_map_question *question, bool single,
                   struct wm_error *error)
{
    struct wm_predict_row *row = new_row(r, question->facts.operation, question->facts.bytes, error);
    int rc = row != NULL ? 0 : -WM_ENOMEM;

    for (int m = 0; rc == 0 && m < r->map_count; m++)
        rc = predict_column(r, m, row, question, single, error);
    return rc;
}

int wm_predict_report_fill_statement(struct wm_predict_report *r, const struct wm_map_question *question,
                                     const struct wm_said *said, const char *text, char **maps, int map_count,
                                     struct wm_error *error)
{
    struct wm_predict_statement statement = {0};
    struct wm_predict_row *row = NULL;
    int rc;

    r->library = false;
    if ((rc = open_maps(r, maps, map_count, error)) == 0 &&
        (rc = wm_predict_statement_init(&statement, said, text, r->sites[0].ranks, error)) == 0) {
        row = new_row(r, WM_STATEMENT, statement.bytes, error);
        rc = row != NULL ? 0 : -WM_ENOMEM;
    }
    for (int m = 0; rc == 0 && m < r->map_count; m++)
        rc = wm_predict_statement(&row->by_map[m], &statement, &r->maps[m], &r->sites[m], question, r->profile, true,
                                  error);
    wm_predict_statement_release(&statement);
    return rc;
}

/* Of a row that was not asked for by name: every map leaves it to the library. */
static void drop_native(struct wm_predict_report *r)
{
    struct wm_predict_row *row = &r->rows[r->row_count - 1];

    for (int m = 0; m < r->map_count - r->library; m++)
        if (!row->by_map[m].native)
            return;
    free(row->by_map);
    r->row_count--;
}

static bool is_predicted(enum wm_operation operation)
{
    return operation != WM_CONVEYOR && wm_operation_data(operation) != WM_DATA_MESSAGES;
}

int wm_predict_report_fill(struct wm_predict_report *r, const struct wm_map_question *question, uint32_t operations,
                           const struct wm_size_list *sizes, char **maps, int map_count, struct wm_error *error)
{
    struct wm_map_question asked = *question;
    bool single = sizes->count == 1 && operations != 0 && (operations & (operations - 1)) == 0;
    int rc = open_maps(r, maps, map_count, error);

    for (int o = 0; rc == 0 && o < WM_OPERATION_COUNT; o++) {
        asked.facts.operation = (enum wm_operation)o;
        if (operations != 0 && !(operations >> o & 1))
            continue;
        if (!is_predicted(asked.facts.operation) && operations != 0)
            return wm_error_set(error, -WM_EINVAL, "'%s' is not predicted; name a collective operation%s",
                                wm_operation_name(asked.facts.operation),
                                asked.facts.operation == WM_STATEMENT ? ", or say the statement by --text" : "");
        for (int i = 0; rc == 0 && is_predicted(asked.facts.operation) && i < sizes->count; i++) {
            asked.facts.bytes = asked.facts.operation == WM_BARRIER ? 0 : sizes->bytes[i];
            rc = add_row(r, &asked, single, error);
            if (rc == 0 && operations == 0)
                drop_native(r);
            if (asked.facts.operation == WM_BARRIER)
                break;
        }
    }
    return rc;
}

void wm_predict_report_release(struct wm_predict_report *r)
{
    for (size_t i = 0; i < r->row_count; i++)
        free(r->rows[i].by_map);
    free(r->rows);
    for (int m = 0; m < r->map_count; m++) {
        wm_site_release(&r->sites[m]);
        wm_site_map_close(&r->maps[m]);
    }
    *r = (struct wm_predict_report){0};
}
