/* What `waymark predict` tells: every operation and size by every map. */
#ifndef WM_PREDICT_REPORT_H
#define WM_PREDICT_REPORT_H

#include <jansson.h>
#include <stdio.h>
#include "tools/predict/statement.h"
#include "tools/text/sizes.h"
#include "tools/text/units.h"

/* Maps that are named; behind them may stand the model of Open MPI. */
enum { WM_PREDICT_MAPS_MAX = 8, WM_PREDICT_COLUMNS_MAX, WM_PREDICT_MACHINES_MAX = 16 };

/* The map that says what Open MPI would choose, as a map that comes with Waymark. */
#define WM_PREDICT_LIBRARY "models/open-mpi"

struct wm_predict_row {
    enum wm_operation operation;
    uint64_t bytes;
    struct wm_prediction *by_map;
};

struct wm_predict_report {
    const char *machine, *profile_name; /* profile_name NULL: assumed */
    const struct wm_profile *profile;
    bool library;  /* what Open MPI would choose comes behind the maps; set it, and `profile`, before */
    int map_count; /* with that */
    struct wm_site_map maps[WM_PREDICT_COLUMNS_MAX];
    struct wm_site sites[WM_PREDICT_COLUMNS_MAX]; /* the machine as each map lays it out */
    size_t row_count, row_room;
    struct wm_predict_row *rows;
};

/* Predict all; 0 in `operations` stands for those that some map does not leave to the MPI library. Returns 0 or -WM_E…
 * with a sentence; release the report in any case. */
int wm_predict_report_fill(struct wm_predict_report *report, const struct wm_map_question *question,
                           uint32_t operations, const struct wm_size_list *sizes, char **maps, int map_count,
                           struct wm_error *error);
/* Predict a call of a statement, in one row; without what Open MPI would choose. Likewise. */
int wm_predict_report_fill_statement(struct wm_predict_report *report, const struct wm_map_question *question,
                                     const struct wm_said *said, const char *text, char **maps, int map_count,
                                     struct wm_error *error);
void wm_predict_report_release(struct wm_predict_report *report);

/* Is this column the model of Open MPI? */
bool wm_predict_is_library(const struct wm_predict_report *report, int column);
/* What a column is called: "hierarchy" of "/…/hierarchy.scm"; "Open MPI (modelled)". */
struct wm_text wm_predict_column_name(const struct wm_predict_report *report, int column);

/* Of one machine, and more of a single call. */
void wm_predict_report_text(const struct wm_predict_report *report, FILE *out);

/* One machine: as tools/bench/result.h, and more in each result. Several: an object whose "machines" are such. */
void wm_predict_reports_json(const struct wm_predict_report *reports, int count, FILE *out);

/* A self-contained SVG: for each machine and operation time over bytes; of several machines, for each operation and
 * size time over ranks, too. */
void wm_predict_reports_plot(const struct wm_predict_report *reports, int count, FILE *out);
/* What a contender has in both: its times and more, by its name. */
json_t *wm_predict_result_json(const struct wm_predict_report *report, const struct wm_predict_row *row, int column,
                               const char *name);

#endif
