/* A profile held against calls that were drawn after it was made. */
#include "tools/gauge/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "tools/gauge/estimate.h"
#include "tools/gauge/conveyors.h"
#include "tools/gauge/probes.h"
#include "tools/gauge/selftest.h"
#include "tools/predict/prediction.h"
#include "tools/site/question.h"
#include "tools/text/units.h"

enum { WORST = 12, ROUNDS_MAX = 256 };

/* A call, measured and predicted. */
struct point {
    char family[WM_GAUGE_CONVEYOR_CHARS];
    const char *kind;
    enum wm_operation operation;
    uint64_t bytes;
    double measured, predicted; /* ns */
    double error;               /* of the prediction, of what was measured */
    double apart;               /* the two halves of the rounds, of what was measured */
    double stated;              /* the ± */
};

struct points {
    int count, short_count; /* short: too short to be told from the barrier behind it */
    struct point of[WM_GAUGE_PROBES_MAX];
};

/* The median of the rounds from `from` on, every `stride`th. */
static double median_of(const json_t *ns, size_t from, size_t stride)
{
    double values[ROUNDS_MAX];
    int n = 0;

    for (size_t i = from; i < json_array_size(ns) && n < ROUNDS_MAX; i += stride)
        values[n++] = json_number_value(json_array_get(ns, i));
    return wm_gauge_estimate(values, n).value;
}

static int add_point(struct points *points, const struct wm_site_map *map, const struct wm_site *site,
                     const struct wm_profile *profile, const json_t *probe, struct wm_error *error)
{
    struct wm_map_question question = wm_question_default();
    const json_t *ns = json_object_get(probe, "ns");
    struct point *p = &points->of[points->count];
    struct wm_prediction prediction;
    int rc;

    *p = (struct point){.operation = (enum wm_operation)json_integer_value(json_object_get(probe, "operation")),
                        .bytes = (uint64_t)json_integer_value(json_object_get(probe, "bytes")),
                        .measured = median_of(ns, 0, 1)};
    snprintf(p->family, sizeof p->family, "%s", json_string_value(json_object_get(probe, "family")));
    snprintf(question.facts.communicator, sizeof question.facts.communicator, "%s", p->family);
    question.facts.operation = p->operation;
    question.facts.bytes = p->bytes;
    rc = wm_predict(&prediction, map, site, &question, profile, false, error);
    if (rc < 0 || prediction.native)
        return rc;
    if (p->measured <= 0) {
        points->short_count++;
        return 0;
    }
    p->kind = wm_prediction_kind(&prediction);
    p->predicted = (double)prediction.time * 1e-3;
    p->error = p->predicted / p->measured - 1;
    p->apart = (median_of(ns, 0, 2) - median_of(ns, 1, 2)) / p->measured;
    p->stated = (double)prediction.error_ppm * 1e-6;
    points->count++;
    return 0;
}

static int add_conveyor(struct points *points, const struct wm_site_map *map, const struct wm_site *site,
                        const struct wm_profile *profile, const json_t *probe, struct wm_error *error)
{
    struct wm_gauge_conveyor c = wm_gauge_conveyor_read(probe);
    struct point *p = &points->of[points->count];
    const json_t *ns = json_object_get(probe, "run");
    struct wm_convey_prediction prediction;
    int rc = wm_gauge_predict_conveyor(&prediction, map, site, probe, profile, error);

    if (rc == -WM_EINVAL || json_array_size(ns) == 0) /* as in the self-test */
        return 0;
    if (rc < 0)
        return rc;
    *p = (struct point){.kind = "conveyors",
                        .operation = WM_CONVEYOR,
                        .bytes = c.item_bytes,
                        .measured = median_of(ns, 0, 1),
                        .predicted = (double)prediction.time.time * 1e-3,
                        .stated = (double)prediction.error_ppm * 1e-6};
    wm_gauge_conveyor_name(&c, p->family);
    p->error = p->predicted / p->measured - 1;
    p->apart = (median_of(ns, 0, 2) - median_of(ns, 1, 2)) / p->measured;
    points->count++;
    return 0;
}

static bool is_test(const json_t *probe)
{
    int family = wm_gauge_family_find(json_string_value(json_object_get(probe, "family")));

    return family >= 0 && wm_gauge_family_tests((enum wm_gauge_family)family);
}

static int add_group(struct points *points, const struct wm_profile *profile, const json_t *group, int from,
                     const char *map_file, struct wm_error *error)
{
    struct wm_site_map map = {0};
    struct wm_site site = {0};
    const char *level = json_string_value(json_object_get(group, "level"));
    const json_t *probe;
    size_t i;
    int carried = from / WM_GAUGE_CONVEYORS_EVERY, rc = wm_site_map_open(&map, map_file, error);

    if (rc < 0)
        return rc;
    rc = wm_site_init(&site, &map, json_string_value(json_object_get(group, "machine")), error);
    json_array_foreach (json_object_get(group, "probes"), i, probe)
        if (rc == 0 && points->count < WM_GAUGE_PROBES_MAX && is_test(probe) && from-- <= 0)
            rc = add_point(points, &map, &site, profile, probe, error);
    json_array_foreach (json_object_get(group, "conveyors"), i, probe)
        if (rc == 0 && points->count < WM_GAUGE_PROBES_MAX && strcmp(level, "") == 0 && carried-- <= 0)
            rc = add_conveyor(points, &map, &site, profile, probe, error);
    wm_site_release(&site);
    wm_site_map_close(&map);
    return rc;
}

/* Points that are told of together: of a kind, or, of all calls, of sizes. */
struct class
{
    const char *name, *kind; /* kind NULL: calls of any, which conveyors are not */
    uint64_t above, up_to;   /* bytes; 0: any */
};

static bool is_of(const struct point *p, const struct class *class)
{
    bool own = class->kind == NULL ? p->operation != WM_CONVEYOR : strcmp(p->kind, class->kind) == 0;

    return own && p->bytes > class->above && (class->up_to == 0 || p->bytes <= class->up_to);
}

struct sums {
    int count;
    double half, ninety;             /* errors */
    double apart_half, apart_ninety; /* of two measurements */
    double covered, stated;          /* for how many the ± holds, and its median */
};

static struct sums sum_up(const struct points *points, const struct class *class)
{
    double errors[WM_GAUGE_PROBES_MAX], apart[WM_GAUGE_PROBES_MAX], stated[WM_GAUGE_PROBES_MAX];
    struct sums s = {0};
    int covered = 0, ninth;

    for (int i = 0; i < points->count; i++) {
        const struct point *p = &points->of[i];

        if (!is_of(p, class))
            continue;
        errors[s.count] = fabs(p->error);
        stated[s.count] = p->stated;
        apart[s.count++] = fabs(p->apart);
        covered += fabs(p->measured / p->predicted - 1) <= p->stated;
    }
    if (s.count == 0)
        return s;
    ninth = (s.count * 9 + 9) / 10 - 1;
    s.half = wm_gauge_estimate(errors, s.count).value; /* sorts them */
    s.apart_half = wm_gauge_estimate(apart, s.count).value;
    s.stated = wm_gauge_estimate(stated, s.count).value;
    s.ninety = errors[ninth];
    s.apart_ninety = apart[ninth];
    s.covered = (double)covered / s.count;
    return s;
}

static void tell_classes(const struct points *points, const struct wm_terminal *terminal)
{
    static const struct class classes[] = {
        {"all", NULL, 0, 0},          {"up to 1 KiB", NULL, 0, 1 << 10}, {"up to 32 KiB", NULL, 1 << 10, 32 << 10},
        {"above", NULL, 32 << 10, 0}, {"messages", "messages", 0, 0},    {"mixed", "mixed", 0, 0},
        {"shared", "shared", 0, 0},   {"conveyors", "conveyors", 0, 0},
    };
    struct wm_table table;

    wm_table_init(&table, "lrrrrrrr");
    for (int i = 0; i < 8; i++)
        wm_table_cell(&table, "%s",
                      ((const char *[]){"calls", "", "half within", "nine of ten", "± holds for", "median ±",
                                        "measured twice: half", "nine of ten"})[i]);
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        struct sums s = sum_up(points, &classes[i]);

        if (s.count == 0)
            continue;
        wm_table_cell(&table, "%s", classes[i].name);
        wm_table_cell(&table, "%d", s.count);
        wm_table_cell(&table, "%.1f %%", 100 * s.half);
        wm_table_cell(&table, "%.1f %%", 100 * s.ninety);
        wm_table_cell(&table, "%.0f %%", 100 * s.covered);
        wm_table_cell(&table, "%.1f %%", 100 * s.stated);
        wm_table_cell(&table, "%.1f %%", 100 * s.apart_half);
        wm_table_cell(&table, "%.1f %%", 100 * s.apart_ninety);
    }
    wm_table_print(&table, terminal);
}

static int compare_worst(const void *a, const void *b)
{
    double x = fabs(((const struct point *)a)->error), y = fabs(((const struct point *)b)->error);

    return (x < y) - (x > y);
}

static void tell_worst(struct points *points, const struct wm_terminal *terminal)
{
    struct wm_table table;

    qsort(points->of, (size_t)points->count, sizeof *points->of, compare_worst);
    wm_table_init(&table, "llrrrrrr");
    for (int i = 0; i < 8; i++)
        wm_table_cell(&table, "%s",
                      ((const char *[]){"worst", "path", "bytes", "predicted", "measured", "off", "±", "twice"})[i]);
    for (int i = 0; i < points->count && i < WORST; i++) {
        const struct point *p = &points->of[i];

        wm_table_cell(&table, "%s", wm_operation_name(p->operation));
        wm_table_cell(&table, "%s", p->family);
        wm_table_cell(&table, "%s", wm_bytes_text(p->bytes).text);
        wm_table_cell(&table, "%s", wm_time_text((int64_t)(p->predicted + 0.5)).text);
        wm_table_cell(&table, "%s", wm_time_text((int64_t)(p->measured + 0.5)).text);
        wm_table_cell(&table, "%+.0f %%", 100 * p->error);
        wm_table_cell(&table, "%.0f %%", 100 * p->stated);
        wm_table_cell(&table, "%.0f %%", 100 * fabs(p->apart));
    }
    wm_table_print(&table, terminal);
}

int wm_gauge_check(const struct wm_profile *profile, const json_t *samples, int from, const char *map_file,
                   const struct wm_terminal *terminal, struct wm_error *error)
{
    struct points *points = calloc(1, sizeof *points);
    const json_t *group, *last;
    size_t i;
    int rc = points != NULL ? 0 : wm_error_set(error, -WM_ENOMEM, "no memory for the calls; give the job more");

    json_array_foreach (json_object_get(samples, "groups"), i, group)
        if (rc == 0)
            rc = add_group(points, profile, group, from, map_file, error);
    last = json_array_get(json_object_get(samples, "groups"), json_array_size(json_object_get(samples, "groups")) - 1);
    if (rc == 0) {
        fprintf(
            terminal->file,
            "%d calls and conveyors on which nothing was fitted; %d of %d rounds, the others were of another machine\n",
            points->count, (int)json_integer_value(json_object_get(last, "kept")),
            (int)json_integer_value(json_object_get(last, "rounds")));
        tell_classes(points, terminal);
        tell_worst(points, terminal);
        if (points->short_count > 0)
            fprintf(terminal->file, "%d more are too short to be told from a barrier\n", points->short_count);
    }
    free(points);
    return rc;
}
