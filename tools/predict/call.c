/* From a question to a program and a model: the map is asked, and all ranks' plans are made. */
#include "tools/predict/call.h"

#include <stdlib.h>
#include "core/plan/planner.h"

/* Of more ranks representatives are looked for. Of those that share cores no two do the same at the same time: these
 * have a core each. */
enum { MANY_RANKS = 64, MANY_CROWDED_RANKS = 1024 };

/* Are there more ranks on a host than run at once? */
static bool is_crowded(struct wm_predict_call *w)
{
    const struct wm_profile_row *row = wm_profile_find(w->profile, WM_PROFILE_HOST, "", 0, 0, 0);
    const struct wm_quotient all = {.grid = &w->site->grid};
    int64_t cores = row != NULL ? row->values[WM_HOST_CORES].value : 0;
    int ranks = w->site->ranks, *host, *alike, *here;
    bool crowded = false;

    here = wm_arena_take(&w->arena, sizeof *here * (size_t)wm_quotient_hosts(&all, ranks, &host, &alike, &w->arena));
    for (int rank = 0; cores > 0 && rank < ranks; rank++)
        crowded |= ++here[host[rank]] > cores;
    return crowded;
}

static int plan_all(struct wm_predict_call *w, struct wm_error *error)
{
    struct wm_cast cast;
    size_t weight = 0, room = wm_proof_room();
    int rc = wm_proof_fits(&w->scenario, w->site->ranks, WM_PROOF_STEPS_MAX, error);

    if (rc < 0)
        return rc;
    cast = wm_cast_make(&w->scenario, w->answer.path, &w->arena);
    rc = wm_proof_foresee(&cast, w->answer.path, w->layout, w->site->ranks, room, error);
    for (int r = 0; rc == 0 && r < w->site->ranks; r++) {
        struct wm_plan_call call = wm_cast_call(&cast, r, &w->arena);

        rc = wm_plan_make(&w->plans[r], w->answer.path, w->layout, &call, r, error);
        if (rc == 0)
            rc = wm_proof_weigh(&weight, w->plans[r], w->site->ranks, room, error);
    }
    return rc;
}

static int make_plans(struct wm_predict_call *w, const struct wm_facts *facts, enum wm_predict_scope scope,
                      struct wm_error *error)
{
    int many = w->crowded ? MANY_CROWDED_RANKS : MANY_RANKS;
    int rc = wm_layout_new(&w->layout, w->answer.path, &w->site->grid, facts->root, !facts->commutative, error);

    if (rc < 0)
        return rc;
    w->plans = calloc((size_t)w->site->ranks, sizeof(struct wm_plan *));
    if (w->plans == NULL)
        return wm_error_set(error, -WM_ENOMEM, "no memory for the plans of %d ranks", w->site->ranks);
    w->quotient = (struct wm_quotient){.path = w->answer.path,
                                       .grid = &w->site->grid,
                                       .layout = w->layout,
                                       .scenario = w->scenario,
                                       .steps_max = wm_proof_room(),
                                       .rounds = scope == WM_PREDICT_WHOLE ? WM_ROUNDS_ALL : WM_ROUNDS_BEST};
    if (wm_quotient_serves(w->profile) &&
        (scope == WM_PREDICT_QUOTIENT || (scope != WM_PREDICT_ALL && w->site->ranks > many)))
        rc = wm_quotient_find(&w->quotient, w->plans, &w->arena, error);
    w->ranks = w->quotient.found ? w->quotient.symmetry.step : w->site->ranks;
    if (rc < 0 || w->quotient.found)
        return rc;
    if (scope == WM_PREDICT_QUOTIENT)
        return wm_error_set(error, -WM_ENEVER, "no ranks can stand for all");
    return plan_all(w, error);
}

/* Match the plans, and lay the model out. */
static int lay_out(struct wm_predict_call *w, struct wm_error *error)
{
    int hosts = wm_quotient_hosts(&w->quotient, w->ranks, &w->host, &w->alike, &w->arena);
    int rc = wm_program_init(&w->program, w->plans, w->ranks, w->host, hosts, w->scenario.unit_bytes, w->answer.path,
                             w->quotient.found ? &w->quotient.symmetry : NULL, error);

    w->program.alike = w->alike;
    return rc < 0 ? rc : wm_model_init(&w->model, w->profile, &w->site->grid);
}

static int make(struct wm_predict_call *w, const struct wm_site_map *map, const struct wm_map_question *question,
                enum wm_predict_scope scope, struct wm_error *error)
{
    struct wm_facts facts;
    int rc;

    if ((rc = wm_scene_facts(question, w->site, &facts, error)) < 0 ||
        (rc = wm_site_ask(map, w->site, &facts, false, &w->answer, error)) < 0)
        return rc;
    w->native = w->answer.path->native || !w->answer.has_rule;
    if (w->native)
        return 0;
    w->scenario = wm_scene_scenario(question, w->site, &facts);
    w->scenario.traced = false;
    w->crowded = is_crowded(w);
    rc = make_plans(w, &facts, scope, error);
    return rc < 0 ? rc : lay_out(w, error);
}

int wm_predict_call_init(struct wm_predict_call *w, const struct wm_site_map *map, const struct wm_site *site,
                         const struct wm_map_question *question, const struct wm_profile *profile,
                         enum wm_predict_scope scope, struct wm_error *error)
{
    *w = (struct wm_predict_call){.site = site, .profile = profile};
    return make(w, map, question, scope, error);
}

int wm_predict_call_take(struct wm_predict_call *w, const struct wm_site *site, const struct wm_site_answer *answer,
                         struct wm_plan **plans, const struct wm_profile *profile, struct wm_error *error)
{
    *w = (struct wm_predict_call){.site = site,
                                  .profile = profile,
                                  .answer = *answer,
                                  .scenario = {.unit_bytes = 1},
                                  .ranks = site->ranks,
                                  .plans = plans,
                                  .quotient = {.grid = &site->grid}};
    w->crowded = is_crowded(w);
    return lay_out(w, error);
}

void wm_predict_call_release(struct wm_predict_call *w)
{
    wm_model_release(&w->model);
    wm_program_release(&w->program);
    for (int r = 0; w->plans != NULL && r < w->ranks; r++)
        wm_plan_free(w->plans[r]);
    free(w->plans);
    wm_layout_free(w->layout);
    wm_arena_release(&w->arena);
    wm_site_answer_release(&w->answer);
    *w = (struct wm_predict_call){0};
}
