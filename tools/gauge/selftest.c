/* The self-test of a profile. */
#include "tools/gauge/selftest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "tools/gauge/bounds.h"
#include "tools/gauge/conveyors.h"
#include "tools/gauge/probes.h"
#include "tools/predict/prediction.h"
#include "tools/site/question.h"

enum { CALLS_MAX = WM_GAUGE_PROBES_MAX, ROUNDS_MAX = 256 };

/* A factor is kept where it makes the other half of the errors so much smaller. */
static const double helps = 0.9;

/* A call that was measured and predicted. */
struct trial {
    const char *kind;
    enum wm_operation operation;
    uint64_t bytes;
    double ratio; /* measured over predicted */
};

struct trials {
    int count;
    struct trial of[CALLS_MAX];
};

/* The machine of a group, under the probes' map. */
struct place {
    struct wm_site_map map;
    struct wm_site site;
};

static int open_place(struct place *p, const char *map_file, const char *machine, struct wm_error *error)
{
    int rc = wm_site_map_open(&p->map, map_file, error);

    if (rc < 0)
        return rc;
    return wm_site_init(&p->site, &p->map, machine, error);
}

static int try_probe(struct trials *trials, const struct place *p, const struct wm_profile *profile,
                     const json_t *probe, struct wm_error *error)
{
    struct wm_map_question question = wm_question_default();
    struct wm_prediction prediction;
    struct trial *t = &trials->of[trials->count];
    double ns[ROUNDS_MAX];
    const json_t *sample;
    size_t n;
    int rc;

    json_array_foreach (json_object_get(probe, "ns"), n, sample)
        ns[n < ROUNDS_MAX ? n : 0] = json_number_value(sample);
    snprintf(question.facts.communicator, sizeof question.facts.communicator, "%s",
             json_string_value(json_object_get(probe, "family")));
    question.facts.operation = (enum wm_operation)json_integer_value(json_object_get(probe, "operation"));
    question.facts.bytes = (uint64_t)json_integer_value(json_object_get(probe, "bytes"));
    rc = wm_predict(&prediction, &p->map, &p->site, &question, profile, false, error);
    if (rc < 0 || prediction.native || prediction.time == 0 || n == 0 || trials->count + 1 == CALLS_MAX)
        return rc;
    *t = (struct trial){.kind = wm_prediction_kind(&prediction),
                        .operation = question.facts.operation,
                        .bytes = question.facts.bytes,
                        .ratio = wm_gauge_estimate(ns, (int)n).value * 1e3 / (double)prediction.time};
    trials->count += t->ratio > 0;
    return 0;
}

static bool is_test(const json_t *probe)
{
    int family = wm_gauge_family_find(json_string_value(json_object_get(probe, "family")));

    return family >= 0 && wm_gauge_family_tests((enum wm_gauge_family)family);
}

int wm_gauge_predict_conveyor(struct wm_convey_prediction *p, const struct wm_site_map *map, const struct wm_site *site,
                              const json_t *probe, const struct wm_profile *profile, struct wm_error *error)
{
    struct wm_gauge_conveyor c = wm_gauge_conveyor_read(probe);
    struct wm_map_question question = wm_question_default();
    char name[WM_GAUGE_CONVEYOR_CHARS];

    snprintf(question.facts.communicator, sizeof question.facts.communicator, "%s", wm_gauge_conveyor_name(&c, name));
    question.facts.bytes = c.item_bytes;
    return wm_convey_predict(p, map, site, &question, (uint64_t)c.items, profile, error);
}

static int try_conveyor(struct trials *trials, const struct place *p, const struct wm_profile *profile,
                        const json_t *probe, struct wm_error *error)
{
    struct wm_gauge_estimate run = wm_gauge_conveyor_estimate(probe, "run");
    struct wm_convey_prediction prediction;
    int rc = wm_gauge_predict_conveyor(&prediction, &p->map, &p->site, probe, profile, error);

    if (rc == -WM_EINVAL) /* it needs what these ranks could not tell, such as a relay on hosts with one rank each */
        return 0;
    if (rc == 0 && run.n > 0)
        trials->of[trials->count++] = (struct trial){.kind = "conveyors",
                                                     .operation = WM_CONVEYOR,
                                                     .bytes = prediction.item_bytes,
                                                     .ratio = run.value * 1e3 / (double)prediction.time.time};
    return rc;
}

static int try_group(struct trials *trials, struct trials *conveyors, const struct wm_profile *profile,
                     const json_t *group, int calls, const char *map_file, struct wm_error *error)
{
    struct place p = {0};
    const json_t *probe;
    size_t i;
    int carried = calls / WM_GAUGE_CONVEYORS_EVERY,
        rc = open_place(&p, map_file, json_string_value(json_object_get(group, "machine")), error);

    json_array_foreach (json_object_get(group, "probes"), i, probe)
        if (rc == 0 && is_test(probe) && calls-- > 0)
            rc = try_probe(trials, &p, profile, probe, error);
    json_array_foreach (json_object_get(group, "conveyors"), i, probe)
        if (rc == 0 && carried-- > 0)
            rc = try_conveyor(conveyors, &p, profile, probe, error);
    wm_site_release(&p.site);
    wm_site_map_close(&p.map);
    return rc;
}

/* Relative errors of the kind's calls (NULL: of all), of every other one from `from` on with `stride` 2. */
static int list_errors(const struct trials *trials, const char *kind, int from, int stride, double factor, double *out)
{
    int seen = 0, count = 0;

    for (int i = 0; i < trials->count; i++)
        if ((kind == NULL || strcmp(trials->of[i].kind, kind) == 0) && seen++ % stride == from)
            out[count++] = factor > 0 ? fabs(trials->of[i].ratio / factor - 1) : trials->of[i].ratio;
    return count;
}

static double median(double *values, int n)
{
    return wm_gauge_estimate(values, n).value;
}

/* The median of one half's ratios, if it helps the other half; else 1. */
static double find_factor(const struct trials *trials, const char *kind)
{
    double values[CALLS_MAX], factor, with, without;
    int n = list_errors(trials, kind, 0, 2, 0, values);

    if (n < WM_GAUGE_BOUND_LEAST / 2)
        return 1;
    factor = median(values, n);
    n = list_errors(trials, kind, 1, 2, factor, values);
    with = median(values, n);
    n = list_errors(trials, kind, 1, 2, 1, values);
    without = median(values, n);
    return factor > 0 && with < helps * without ? factor : 1;
}

static int list_misses(const struct trials *trials, const char *kind, double factor, struct wm_gauge_miss *out)
{
    int count = 0;

    for (int i = 0; i < trials->count; i++)
        if (kind == NULL || strcmp(trials->of[i].kind, kind) == 0)
            out[count++] = (struct wm_gauge_miss){trials->of[i].bytes, fabs(trials->of[i].ratio / factor - 1)};
    return count;
}

static int add_bound(struct wm_profile *profile, const char *kind, const struct wm_gauge_bound *bound, double factor)
{
    struct wm_profile_row *row =
        wm_profile_add(profile, WM_PROFILE_ERROR, kind != NULL ? kind : "*", 0, 0, bound->up_to);
    const double values[WM_ERROR_COUNT] = {
        [WM_ERROR_NINETY] = bound->ninety, [WM_ERROR_MEDIAN] = bound->median, [WM_ERROR_FACTOR] = factor};

    if (row == NULL)
        return -WM_ENOMEM;
    for (int i = 0; i < WM_ERROR_COUNT; i++) {
        struct wm_profile_value *v = &row->values[i];

        v->value = v->low = v->high = llround(values[i] * 1e6);
        v->n = bound->n;
        v->origin = WM_MEASURED;
        snprintf(v->probe, sizeof v->probe, "self-test");
    }
    return 0;
}

static int add_kind(struct wm_profile *profile, const struct trials *trials, const char *kind)
{
    struct wm_gauge_bound bounds[CALLS_MAX];
    struct wm_gauge_miss misses[CALLS_MAX];
    double factor = find_factor(trials, kind);
    int count = wm_gauge_find_bounds(bounds, misses, list_misses(trials, kind, factor, misses)), rc = 0;

    for (int i = 0; i < count && rc == 0; i++)
        rc = add_bound(profile, kind, &bounds[i], factor);
    return rc;
}

/* The factor that a call's prediction is multiplied by. */
static double factor_of(const struct wm_profile *profile, const struct trial *t)
{
    const struct wm_profile_row *row = wm_profile_find(profile, WM_PROFILE_ERROR, t->kind, 0, 0, t->bytes);

    return row != NULL ? (double)row->values[WM_ERROR_FACTOR].value * 1e-6 : 1;
}

static int judge(struct wm_gauge_verdict *verdict, struct wm_profile *profile, const struct trials *trials)
{
    static const char *const kinds[] = {"messages", "shared", "mixed", NULL};
    double errors[CALLS_MAX];

    for (int i = 0; i < 4; i++)
        if (add_kind(profile, trials, kinds[i]) < 0)
            return -WM_ENOMEM;
    for (int i = 0; i < trials->count; i++) {
        const struct trial *t = &trials->of[i];

        errors[i] = fabs(t->ratio / factor_of(profile, t) - 1);
    }
    verdict->count = trials->count;
    verdict->median = median(errors, trials->count);
    verdict->ninety = trials->count > 0 ? errors[(trials->count * 9 + 9) / 10 - 1] : 0;
    return 0;
}

int wm_gauge_test(struct wm_gauge_verdict *verdict, struct wm_profile *profile, const json_t *samples, int calls,
                  const char *map_file, struct wm_error *error)
{
    struct trials *trials = calloc(2, sizeof *trials); /* calls; conveyors, which are apart */
    const json_t *group;
    size_t i;
    int rc = trials != NULL ? 0 : wm_error_set(error, -WM_ENOMEM, "no memory for the self-test");

    *verdict = (struct wm_gauge_verdict){0};
    json_array_foreach (json_object_get(samples, "groups"), i, group)
        if (rc == 0 && strcmp(json_string_value(json_object_get(group, "level")), "") == 0)
            rc = try_group(trials, &trials[1], profile, group, calls, map_file, error);
    if (rc == 0 && (judge(verdict, profile, trials) < 0 || add_kind(profile, &trials[1], "conveyors") < 0))
        rc = wm_error_set(error, -WM_ENOMEM, "no memory for the profile");
    free(trials);
    return rc;
}
