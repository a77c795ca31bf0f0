/* From a question to a time: a call is carried out, and judged by what the profile says of itself. */
#include "tools/predict/prediction.h"

#include <stdlib.h>
#include <string.h>
#include "tools/predict/call.h"

const char *wm_stamp_name(enum wm_stamp stamp)
{
    static const char *const names[] = {
        [WM_STAMP_CALIBRATED] = "calibrated", [WM_STAMP_TRANSFERRED] = "transferred", [WM_STAMP_ASSUMED] = "assumed"};

    return names[stamp];
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
static bool is_as_large(const struct wm_profile *profile, int wanted)
{
    struct wm_place *places;
    int ranks = 0;

    if (wm_grid_parse_machine(profile->fingerprint.grid, &places, &ranks, NULL) < 0)
        return false;
    free(places);
    return ranks >= wanted;
}

static bool is_own(const struct wm_predict_call *w)
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

enum wm_stamp wm_stamp_of(const struct wm_profile *profile, int ranks, bool own)
{
    if (!is_measured(profile))
        return WM_STAMP_ASSUMED;
    return is_as_large(profile, ranks) && own ? WM_STAMP_CALIBRATED : WM_STAMP_TRANSFERRED;
}

const char *wm_prediction_kind(const struct wm_prediction *p)
{
    int64_t shared = p->blame.sections[WM_PROFILE_SHARED];

    if (shared * 5 > p->time * 4)
        return "shared";
    return shared * 5 < p->time ? "messages" : "mixed";
}

static int64_t scaled(int64_t time, const struct wm_profile_row *row)
{
    int64_t factor = row->values[WM_ERROR_FACTOR].value;

    return factor > 0 ? (int64_t)((__int128)time * factor / 1000000) : time;
}

static void judge(struct wm_prediction *p, const struct wm_predict_call *w, uint64_t bytes)
{
    const struct wm_profile_row *row =
        wm_profile_find(w->profile, WM_PROFILE_ERROR, wm_prediction_kind(p), 0, 0, bytes);

    p->stamp = wm_stamp_of(w->profile, w->site->ranks, is_own(w));
    p->crowded = w->crowded;
    if (row == NULL)
        return;
    p->error_ppm = row->values[WM_ERROR_NINETY].value;
    p->time = scaled(p->time, row);
    p->halved = scaled(p->halved, row);
}

static int time_again(struct wm_prediction *p, struct wm_predict_call *w, uint64_t order, struct wm_error *error)
{
    const struct wm_blame_part *part = &p->blame.parts[0];
    struct wm_simulation simulation;
    int rc;

    if (p->blame.count == 0 || part->section == WM_BLAME_DELAY)
        return 0;
    wm_model_halve(&w->model, (enum wm_profile_section)part->section, part->parameter, part->level, part->net);
    rc = wm_simulation_run(&simulation, &w->program, &w->model, order, error);
    p->halved = simulation.end;
    wm_simulation_release(&simulation);
    return rc;
}

/* Another run of more steps takes half a minute. */
enum { HALVED_STEPS_MAX = 8000000 };

/* In which order ranks come to a core is not known: of some that are drawn the middle one counts. Of more steps one is
 * drawn. */
enum { ORDERS = 9, ORDERED_STEPS_MAX = 100000 };

struct order {
    uint64_t number;
    int64_t time;
};

static int compare_orders(const void *left, const void *right)
{
    const struct order *a = left, *b = right;

    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

static int find_order(uint64_t *order, const struct wm_predict_call *w, struct wm_error *error)
{
    struct order tried[ORDERS];
    int rc = 0;

    *order = 1;
    if (!w->crowded || w->quotient.found || w->program.first[w->program.ranks] > ORDERED_STEPS_MAX)
        return 0;
    for (int i = 0; i < ORDERS && rc == 0; i++) {
        struct wm_simulation simulation;

        rc = wm_simulation_run(&simulation, &w->program, &w->model, (uint64_t)i + 1, error);
        tried[i] = (struct order){(uint64_t)i + 1, simulation.end};
        wm_simulation_release(&simulation);
    }
    if (rc < 0)
        return rc;
    qsort(tried, ORDERS, sizeof *tried, compare_orders);
    *order = tried[ORDERS / 2].number;
    return 0;
}

static int time_plans(struct wm_prediction *p, struct wm_predict_call *w, bool halve, struct wm_error *error)
{
    struct wm_simulation simulation;
    size_t steps = w->program.first[w->program.ranks];
    uint64_t order;
    int rc = find_order(&order, w, error);

    if (rc < 0)
        return rc;
    rc = wm_simulation_run(&simulation, &w->program, &w->model, order, error);
    if (rc == 0) {
        wm_blame_walk(&p->blame, &simulation, w->answer.path);
        p->time = simulation.end;
        p->steps = steps + wm_folds_steps(&w->program);
        p->events = simulation.event_count;
    }
    wm_simulation_release(&simulation);
    return rc == 0 && halve && steps <= HALVED_STEPS_MAX ? time_again(p, w, order, error) : rc;
}

void wm_prediction_label(char label[WM_PREDICTION_LABEL_CHARS], const struct wm_path *path)
{
    label[0] = '\0';
    for (int i = 0; i < path->wrapper_count && label[0] == '\0'; i++)
        if (strcmp(path->wrappers[i].class->name, "trace") == 0)
            snprintf(label, WM_PREDICTION_LABEL_CHARS, "%s", path->wrappers[i].values[0].label);
}

int wm_predict_time(struct wm_prediction *p, struct wm_predict_call *w, bool halve, struct wm_error *error)
{
    int rc;

    p->rule_line = w->answer.path->rule_line;
    p->native = w->native;
    if (p->native)
        return 0;
    wm_prediction_label(p->label, w->answer.path);
    if ((rc = time_plans(p, w, halve, error)) < 0)
        return rc;
    p->representatives = w->quotient.found ? w->ranks : 0;
    if (w->quotient.bounds)
        p->even_bytes = (uint64_t)w->quotient.scenario.each * w->scenario.unit_bytes;
    return 0;
}

static int predict_of(struct wm_prediction *p, const struct wm_site_map *map, const struct wm_site *site,
                      const struct wm_map_question *question, const struct wm_profile *profile,
                      enum wm_predict_scope scope, bool halve, struct wm_error *error)
{
    struct wm_predict_call w;
    int rc = wm_predict_call_init(&w, map, site, question, profile, scope, error);

    *p = (struct wm_prediction){0};
    if (rc == 0)
        rc = wm_predict_time(p, &w, halve, error);
    if (rc == 0 && !p->native)
        judge(p, &w, question->facts.bytes);
    wm_predict_call_release(&w);
    return rc;
}

int wm_predict(struct wm_prediction *p, const struct wm_site_map *map, const struct wm_site *site,
               const struct wm_map_question *question, const struct wm_profile *profile, bool halve,
               struct wm_error *error)
{
    int rc = predict_of(p, map, site, question, profile, WM_PREDICT_BEST, halve, error);

    if (rc == -WM_ENEVER)
        rc = predict_of(p, map, site, question, profile, WM_PREDICT_WHOLE, halve, error);
    return rc < 0 ? wm_site_map_place(map, error) : 0;
}
