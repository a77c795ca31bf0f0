/* A prediction: what a call takes by a map, on a machine that one need not have. */
#ifndef WM_PREDICT_PREDICTION_H
#define WM_PREDICT_PREDICTION_H

#include "tools/predict/blame.h"
#include "tools/predict/call.h"
#include "tools/site/scene.h"

/* How far the profile carries it. */
enum wm_stamp {
    WM_STAMP_CALIBRATED,  /* on what was measured */
    WM_STAMP_TRANSFERRED, /* some level, group or number of ranks was not */
    WM_STAMP_ASSUMED      /* nothing was measured */
};

enum { WM_PREDICTION_LABEL_CHARS = 32, WM_PREDICTION_WAY_CHARS = 512 };

struct wm_prediction {
    bool native;                           /* the map leaves the call to the MPI library: nothing else is filled */
    bool refused;                          /* it cannot be predicted: likewise; never as wm_predict returns it */
    char label[WM_PREDICTION_LABEL_CHARS]; /* of the path's first trace, "" */
    char way[WM_PREDICTION_WAY_CHARS];     /* of a statement: how it goes, and what the time leaves out; else "" */
    int rule_line;
    int64_t time;      /* ps */
    int64_t error_ppm; /* nine of ten calls are no further off, says the profile's self-test */
    enum wm_stamp stamp;
    bool crowded; /* hosts have fewer cores than ranks */
    struct wm_time_blame blame;
    int64_t halved; /* ps, with half of the blame's first parameter; 0: not asked for, or of too many steps */
    size_t steps, events;
    int representatives; /* ranks that were carried out for all; 0: all were */
    uint64_t
        even_bytes; /* the time is that of so many bytes, which the path cuts evenly: a bound; 0: of those asked for */
};

const char *wm_stamp_name(enum wm_stamp stamp);
/* Of so many ranks; `own`: rows of their own levels and groups say all of it. */
enum wm_stamp wm_stamp_of(const struct wm_profile *profile, int ranks, bool own);
/* By what name the path is traced; "": it is not. */
void wm_prediction_label(char label[WM_PREDICTION_LABEL_CHARS], const struct wm_path *path);
/* Which kind of path the self-test of a profile has it among: "messages", "shared", "mixed". */
const char *wm_prediction_kind(const struct wm_prediction *prediction);

/* Predict the call of `question` on `site`; `halve`: also with half of what costs most. Returns 0, or -WM_E… with a
 * sentence and its place in the map. */
int wm_predict(struct wm_prediction *prediction, const struct wm_site_map *map, const struct wm_site *site,
               const struct wm_map_question *question, const struct wm_profile *profile, bool halve,
               struct wm_error *error);

/* The same of a call that is laid out, without stamp and error; a zeroed prediction. */
int wm_predict_time(struct wm_prediction *prediction, struct wm_predict_call *call, bool halve, struct wm_error *error);

#endif
