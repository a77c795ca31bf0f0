/* Predictions of conveyors: what runs by a map's rule take, on a machine that one need not have. */
#ifndef WM_PREDICT_CONVEYORS_H
#define WM_PREDICT_CONVEYORS_H

#include <stdio.h>
#include "tools/predict/conveyor.h"
#include "tools/predict/report.h"
#include "tools/routes/survey.h"

/* A run, as the map's rule has it made; where no rule fits, as a constructor that leaves all to the machine does. */
struct wm_convey_prediction {
    const char *map; /* as it was named */
    const char *machine;
    int ranks;
    uint64_t items, item_bytes; /* that each rank pushes */
    bool has_rule;
    int rule_line, buffers_line, route_line; /* of the map; the rule's where it has no wrapper of its own */
    char label[WM_PREDICTION_LABEL_CHARS];   /* of its trace, "" */
    size_t buffer_bytes;
    int buffers, hops;
    struct wm_survey memory;
    struct wm_convey_time time;
    int64_t error_ppm; /* nine of ten runs of the profile's self-test are no further off; 0: it made none */
    enum wm_stamp stamp;
};

/* Predict a run of `question` on `site`; the rule's `load` is what such a run pushes. Returns 0, or -WM_E… with a
 * sentence and its place in the map. */
int wm_convey_predict(struct wm_convey_prediction *prediction, const struct wm_site_map *map,
                      const struct wm_site *site, const struct wm_map_question *question, uint64_t items,
                      const struct wm_profile *profile, struct wm_error *error);

/* All of them: a table, and where the time goes of one that is alone; an object with a list of them. */
void wm_convey_predictions_text(const struct wm_convey_prediction *predictions, int count, const char *profile_name,
                                FILE *out);
void wm_convey_predictions_json(const struct wm_convey_prediction *predictions, int count, const char *profile_name,
                                FILE *out);

#endif
