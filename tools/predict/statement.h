/* Predictions of statements: a text, compiled for the ranks of a machine, is carried out as the run time would, by what
 * it decides by: as the collective operation that it is, or as messages (tools/predict/exchange.h). What comes again is
 * predicted; what ranks agree on beside it, by calls of the MPI library, is not, and is told. */
#ifndef WM_PREDICT_STATEMENT_H
#define WM_PREDICT_STATEMENT_H

#include "tools/predict/prediction.h"
#include "tools/statement/plan.h"
#include "tools/statement/said.h"

/* A statement on so many ranks. */
struct wm_predict_statement {
    struct wm_bound_names names;
    struct wm_statement *s;
    struct wm_statement_survey survey;
    int items;      /* the most that a rank sends */
    uint64_t bytes; /* likewise */
};

/* Compile it and find out who sends what. Returns 0 or -WM_E… with a sentence; release it in any case. */
int wm_predict_statement_init(struct wm_predict_statement *statement, const struct wm_said *said, const char *text,
                              int ranks, struct wm_error *error);
void wm_predict_statement_release(struct wm_predict_statement *statement);

/* Predict a call of it that comes again, as the map's rules have it; prediction->way says how it goes. Arguments and
 * returns as of wm_predict. */
int wm_predict_statement(struct wm_prediction *prediction, const struct wm_predict_statement *statement,
                         const struct wm_site_map *map, const struct wm_site *site,
                         const struct wm_map_question *question, const struct wm_profile *profile, bool halve,
                         struct wm_error *error);

#endif
