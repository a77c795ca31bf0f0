/* From a question to a time: the map is asked, all ranks' plans are made and carried out on the model. */
#include "tools/predict/prediction.h"

#include <stdlib.h>
#include <string.h>
#include "core/plan/planner.h"

/* What one prediction needs, until it is made. */
struct work {
    const struct wm_site *site;
    const struct wm_profile *profile;
    struct wm_site_answer answer;
    struct wm_scenario scenario;
    struct wm_layout *layout;
    struct wm_arena arena;
    struct wm_plan **plans;
    int *host;
    struct wm_sim_program program;
    struct wm_model model;
};

const char *wm_stamp_name(enum wm_stamp stamp)
{
    static const char *const names[] = {
        [WM_STAMP_CALIBRATED] = "calibrated", [WM_STAMP_TRANSFERRED] = "transferred", [WM_STAMP_ASSUMED] = "assumed"};

    return names[stamp];
}

static int make_plans(struct work *w, const struct wm_facts *facts, struct wm_error *error)
{
    int rc = wm_layout_new(&w->layout, w->answer.path, &w->site->grid, facts->root, !facts->commutative, error);
    struct wm_cast cast;
    size_t weight = 0;

    if (rc < 0 || (rc = wm_proof_fits(&w->scenario, w->site->ranks, error)) < 0)
        return rc;
    cast = wm_cast_make(&w->scenario, w->answer.path, &w->arena);
    w->plans = calloc((size_t)w->site->ranks, sizeof(struct wm_plan *));
    if (w->plans == NULL)
        return wm_error_set(error, -WM_ENOMEM, "no memory for the plans of %d ranks", w->site->ranks);
    for (int r = 0; rc == 0 && r < w->site->ranks; r++) {
        struct wm_plan_call call = wm_cast_call(&cast, r, &w->arena);

        rc = wm_plan_make(&w->plans[r], w->answer.path, w->layout, &call, r, error);
        if (rc == 0)
            rc = wm_proof_weigh(&weight, w->plans, r, w->site->ranks, error);
    }
    return rc;
}

/* Hosts are numbered in the order of their first ranks. Returns their number. */
static int number_hosts(struct work *w)
{
    int ranks = w->site->ranks, most = 0, count = 0, *seen;

    for (int r = 0; r < ranks; r++)
        most = w->site->grid.node[r] > most ? w->site->grid.node[r] : most;
    w->host = wm_arena_take(&w->arena, sizeof *w->host * (size_t)ranks);
    seen = wm_arena_take(&w->arena, sizeof *seen * ((size_t)most + 1));
    for (int r = 0; r < ranks; r++) {
        int *number = &seen[w->site->grid.node[r]];

        *number = *number > 0 ? *number : ++count;
        w->host[r] = *number - 1;
    }
    return count;
}

static bool is_measured(const struct wm_profile *p)
{
    for (size_t i = 0; i < p->row_count; i++)
        for (int v = 0; v < WM_PROFILE_VALUES_MAX; v++)
            if (p->rows[i].values[v].origin == WM_MEASURED)
                return true;
    return false;
}

/* Was the machine of the profile as large? */
static bool is_as_large(const struct work *w)
{
    struct wm_place *places;
    int ranks = 0;

    if (wm_grid_parse_machine(w->profile->fingerprint.grid, &places, &ranks, NULL) < 0)
        return false;
    free(places);
    return ranks >= w->site->ranks;
}

static bool is_own(const struct work *w)
{
    const struct wm_sim_program *p = &w->program;

    for (int rank = 0; rank < p->ranks; rank++)
        for (int i = 0; i < p->plans[rank]->step_count; i++) {
            const struct wm_step *step = &p->plans[rank]->steps[i];

            if (step->kind == WM_STEP_SEND &&
                !w->model.links[wm_model_level(&w->model, rank, step->peer)][step->net].own)
                return false;
        }
    for (int i = 0; i < p->shared_count; i++)
        if (!wm_model_shared(&w->model, (enum wm_shared_kind)p->shared[i].shared->kind, p->shared[i].size,
                             (uint64_t)wm_shared_units(p->shared[i].shared) * p->unit_bytes)
                 .own)
            return false;
    return true;
}

static enum wm_stamp stamp_of(const struct work *w)
{
    if (!is_measured(w->profile))
        return WM_STAMP_ASSUMED;
    return is_as_large(w) && is_own(w) ? WM_STAMP_CALIBRATED : WM_STAMP_TRANSFERRED;
}

const char *wm_prediction_kind(const struct wm_prediction *p)
{
    int64_t shared = p->blame.sections[WM_PROFILE_SHARED];

    if (p->crowded)
        return "crowded";
    if (shared * 5 > p->time * 4)
        return "shared";
    return shared * 5 < p->time ? "messages" : "mixed";
}

static void judge(struct wm_prediction *p, const struct work *w, uint64_t bytes)
{
    const struct wm_profile_row *row =
        wm_profile_find(w->profile, WM_PROFILE_ERROR, wm_prediction_kind(p), 0, 0, bytes);

    p->stamp = stamp_of(w);
    if (row == NULL)
        return;
    p->error_ppm = row->values[WM_ERROR_NINETY].value;
    if (row->values[WM_ERROR_FACTOR].value > 0)
        p->time = (int64_t)((__int128)p->time * row->values[WM_ERROR_FACTOR].value / 1000000);
}

static int time_again(struct wm_prediction *p, struct work *w, struct wm_error *error)
{
    const struct wm_blame_part *part = &p->blame.parts[0];
    struct wm_simulation simulation;
    int rc;

    if (p->blame.count == 0 || part->section == WM_BLAME_DELAY)
        return 0;
    wm_model_halve(&w->model, (enum wm_profile_section)part->section, part->parameter, part->level, part->net);
    rc = wm_simulation_run(&simulation, &w->program, &w->model, error);
    p->halved = simulation.end;
    wm_simulation_release(&simulation);
    return rc;
}

static int time_plans(struct wm_prediction *p, struct work *w, bool halve, struct wm_error *error)
{
    struct wm_simulation simulation;
    int rc = wm_simulation_run(&simulation, &w->program, &w->model, error);

    if (rc == 0) {
        wm_blame_walk(&p->blame, &simulation, w->answer.path);
        p->time = simulation.end;
        p->steps = w->program.first[w->program.ranks];
        p->events = simulation.event_count;
    }
    wm_simulation_release(&simulation);
    return rc == 0 && halve ? time_again(p, w, error) : rc;
}

/* By what name the path is traced. */
static void copy_label(struct wm_prediction *p, const struct wm_path *path)
{
    for (int i = 0; i < path->wrapper_count; i++)
        if (strcmp(path->wrappers[i].class->name, "trace") == 0) {
            snprintf(p->label, sizeof p->label, "%s", path->wrappers[i].values[0].label);
            return;
        }
}

static int predict(struct wm_prediction *p, struct work *w, const struct wm_site_map *map,
                   const struct wm_map_question *question, bool halve, struct wm_error *error)
{
    struct wm_facts facts;
    int rc, hosts;

    if ((rc = wm_scene_facts(question, w->site, &facts, error)) < 0 ||
        (rc = wm_site_ask(map, w->site, &facts, false, &w->answer, error)) < 0)
        return rc;
    p->rule_line = w->answer.path->rule_line;
    p->native = w->answer.path->native || !w->answer.has_rule;
    if (p->native)
        return 0;
    copy_label(p, w->answer.path);
    w->scenario = wm_scene_scenario(question, w->site, &facts);
    w->scenario.traced = false;
    hosts = number_hosts(w);
    if ((rc = make_plans(w, &facts, error)) < 0 ||
        (rc = wm_program_init(&w->program, w->plans, w->site->ranks, w->host, hosts, w->scenario.unit_bytes,
                              w->answer.path, error)) < 0 ||
        (rc = wm_model_init(&w->model, w->profile, &w->site->grid)) < 0 || (rc = time_plans(p, w, halve, error)) < 0)
        return rc;
    judge(p, w, question->facts.bytes);
    return 0;
}

int wm_predict(struct wm_prediction *p, const struct wm_site_map *map, const struct wm_site *site,
               const struct wm_map_question *question, const struct wm_profile *profile, bool halve,
               struct wm_error *error)
{
    struct work w = {.site = site, .profile = profile};
    int rc;

    *p = (struct wm_prediction){0};
    rc = predict(p, &w, map, question, halve, error);
    wm_model_release(&w.model);
    wm_program_release(&w.program);
    for (int r = 0; w.plans != NULL && r < site->ranks; r++)
        wm_plan_free(w.plans[r]);
    free(w.plans);
    wm_layout_free(w.layout);
    wm_arena_release(&w.arena);
    wm_site_answer_release(&w.answer);
    return rc < 0 ? wm_site_map_place(map, error) : 0;
}
