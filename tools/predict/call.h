/* A call by a map on a machine, ready to be carried out: as often as one likes, from any arrivals
 * (wm_simulation_run_from). */
#ifndef WM_PREDICT_CALL_H
#define WM_PREDICT_CALL_H

#include "tools/predict/model.h"
#include "tools/predict/program.h"
#include "tools/predict/quotient.h"
#include "tools/site/scene.h"

/* Which ranks' plans. */
enum wm_predict_scope {
    WM_PREDICT_BEST,  /* representatives', if there are any, of many ranks; else all ranks' */
    WM_PREDICT_WHOLE, /* the same, with all rounds */
    WM_PREDICT_ALL,
    WM_PREDICT_QUOTIENT, /* representatives', or it is refused */
};

struct wm_predict_call {
    const struct wm_site *site;
    const struct wm_profile *profile;
    struct wm_site_answer answer;
    bool native; /* the map leaves it to the MPI library: what follows is empty */
    struct wm_scenario scenario;
    struct wm_layout *layout;
    struct wm_arena arena;
    bool crowded; /* a host has more ranks than cores */
    int ranks;    /* that are carried out */
    struct wm_plan **plans;
    struct wm_quotient quotient; /* found: its representatives stand for all ranks */
    int *host, *alike;           /* by rank that is carried out; alike: NULL without a quotient */
    struct wm_sim_program program;
    struct wm_model model;
};

/* Ask the map about `question` on `site`, make the plans, and lay the model out. Site and profile must outlive
 * it. Returns 0, or -WM_E… with a sentence; release it in any case. */
int wm_predict_call_init(struct wm_predict_call *call, const struct wm_site_map *map, const struct wm_site *site,
                         const struct wm_map_question *question, const struct wm_profile *profile,
                         enum wm_predict_scope scope, struct wm_error *error);
/* Lay out plans that are there, of all ranks, in bytes: an answer of the map about what no operation's plans are made
 * for, and they, allocated, are the call's in any case. Likewise. */
int wm_predict_call_take(struct wm_predict_call *call, const struct wm_site *site, const struct wm_site_answer *answer,
                         struct wm_plan **plans, const struct wm_profile *profile, struct wm_error *error);
void wm_predict_call_release(struct wm_predict_call *call);

#endif
