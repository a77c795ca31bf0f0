/* Candidates sifted: planned, proven, predicted. */
#include "tools/tune/sift.h"

#include <stdlib.h>
#include <string.h>
#include "tools/predict/conveyors.h"
#include "tools/predict/prediction.h"
#include "tools/run/maps.h"
#include "tools/text/sizes.h"
#include "tools/tune/routes.h"

enum { SIZES = 3, RANDOM_ORDERS = 1, RACE_STEPS_MAX = 2000 };

static const uint64_t held_least = 1 << 20; /* by a conveyor */

static const uint64_t sizes[SIZES] = {8, 4 << 10, 1 << 20};

/* What a candidate takes at these sizes; -1: it does not serve. */
struct trial {
    int64_t ps[SIZES];
};

struct sieve {
    struct wm_site_map map;
    struct wm_site site;
    struct wm_map_question question;
    int64_t items; /* of a conveyor's run */
};

void wm_tune_print_candidates(FILE *out, const struct wm_tune_list *list, enum wm_operation operation)
{
    const char *native = wm_tune_kind(operation)->native;

    if (list->count == 1) { /* an 'on' without rules is none */
        fputs("(path-map)\n", out);
        return;
    }
    fprintf(out, "(path-map\n  (on %s\n", wm_operation_name(operation));
    for (int i = 1; i < list->count; i++)
        fprintf(out, "    ((string=? communicator \"tune-%d\") %s)\n", i, list->paths[i].text);
    if (native != NULL)
        fprintf(out, "    (else %s)\n", native);
    fputs("    ))\n", out);
}

static void begin_sieve(struct sieve *s, enum wm_operation operation, const char *machine)
{
    *s = (struct sieve){.question = {.facts = {.operation = operation, .commutative = true}, .machine = machine}};
}

static int open_sieve(struct sieve *s, const struct wm_tune_list *list, enum wm_operation operation,
                      const char *machine, struct wm_error *error)
{
    FILE *out;

    begin_sieve(s, operation, machine);
    out = open_memstream(&s->map.text, &s->map.text_bytes);
    if (out != NULL) {
        wm_tune_print_candidates(out, list, operation);
        fclose(out);
    }
    s->map.file = strdup("the candidates");
    if (out == NULL || s->map.file == NULL)
        return wm_error_set(error, -WM_ENOMEM, "no memory for the candidates; give the job more");
    if (wm_maps_open(&s->map.map, s->map.file, s->map.text, s->map.text_bytes, error) < 0)
        return wm_site_map_place(&s->map, error);
    return wm_site_init(&s->site, &s->map, machine, error);
}

static void close_sieve(struct sieve *s)
{
    wm_site_release(&s->site);
    wm_site_map_close(&s->map);
}

/* A run is as long as a conveyor's by the rule; of a profile that made no test of conveyors nobody knows how good it
 * is.
 */
static bool predict_run(struct sieve *s, const struct wm_profile *profile, struct wm_prediction *p)
{
    struct wm_convey_prediction run;
    struct wm_error error;

    if (wm_convey_predict(&run, &s->map, &s->site, &s->question, (uint64_t)s->items, profile, &error) < 0)
        return false;
    *p = (struct wm_prediction){.time = run.time.time, .error_ppm = run.error_ppm > 0 ? run.error_ppm : 1000000};
    return true;
}

/* A prediction of path number `i`; false: it does not serve. */
static bool predict(struct sieve *s, int i, uint64_t bytes, const struct wm_profile *profile, struct wm_prediction *p)
{
    struct wm_error error;
    struct wm_facts *facts = &s->question.facts;

    facts->bytes = facts->operation == WM_BARRIER ? 0 : bytes;
    snprintf(facts->communicator, sizeof facts->communicator, "tune-%d", i);
    if (facts->operation == WM_CONVEYOR)
        return predict_run(s, profile, p);
    return wm_predict(p, &s->map, &s->site, &s->question, profile, false, &error) == 0 && !p->native;
}

/* A call that no memory is large enough for is not refuted. */
static bool is_proven(struct sieve *s, uint64_t bytes)
{
    struct wm_prove_options options = {.random_orders = RANDOM_ORDERS, .race_steps_max = RACE_STEPS_MAX};
    enum wm_proof_outcome outcome = WM_REFUSED;
    struct wm_site_answer answer;
    struct wm_error error;
    struct wm_facts facts;

    s->question.facts.bytes = s->question.facts.operation == WM_BARRIER ? 0 : bytes;
    if (wm_scene_facts(&s->question, &s->site, &facts, &error) < 0)
        return false;
    if (wm_site_ask(&s->map, &s->site, &facts, false, &answer, &error) == 0) {
        struct wm_scenario scenario = wm_scene_scenario(&s->question, &s->site, &facts);
        struct wm_proof proof;

        outcome = wm_prove(&proof, answer.path, &s->site.grid, &scenario, &options);
    }
    wm_site_answer_release(&answer);
    return outcome == WM_PROVEN || outcome == WM_TOO_LARGE;
}

static bool try(struct sieve *s, const struct wm_tune_list *list, int i, const struct wm_profile *assumed,
                struct trial *trial)
{
    struct wm_prediction p;

    for (int k = 0; k < SIZES; k++) {
        if (!predict(s, i, sizes[k], assumed, &p))
            return false;
        trial->ps[k] = p.time;
    }
    return is_proven(s, list->paths[i].least_bytes + 64);
}

static void sift(struct sieve *s, struct wm_tune_list *list, uint64_t most, const struct wm_profile *assumed)
{
    static struct trial trials[WM_TUNE_PATHS_MAX];
    int kept = 1;

    for (int i = 1; i < list->count; i++) {
        struct trial trial;
        bool first = list->paths[i].least_bytes <= most && try(s, list, i, assumed, &trial);

        for (int k = 1; first && k < kept; k++)
            first = memcmp(&trials[k], &trial, sizeof trial) != 0;
        if (first) {
            trials[kept] = trial;
            list->paths[kept++] = list->paths[i];
        }
    }
    list->count = kept;
}

/* Does path number `i` serve; for native, 0, its design alone. */
static bool try_route(struct sieve *s, int i, uint64_t held_most, struct wm_convey_design *design)
{
    struct wm_site_answer answer;
    struct wm_error error;
    struct wm_facts facts;
    bool serves = false;

    snprintf(s->question.facts.communicator, sizeof s->question.facts.communicator, "tune-%d", i);
    if (wm_scene_facts(&s->question, &s->site, &facts, &error) < 0)
        return false;
    if (wm_site_ask(&s->map, &s->site, &facts, false, &answer, &error) == 0)
        serves = wm_tune_route_serves(design, answer.path, &s->site.grid, facts.bytes, held_most);
    wm_site_answer_release(&answer);
    return serves;
}

static void sift_routes(struct sieve *s, struct wm_tune_list *list, uint64_t most, uint64_t held_most)
{
    static struct wm_convey_design designs[WM_TUNE_PATHS_MAX];
    int kept = 1;

    s->question.facts.bytes = most;
    try_route(s, 0, held_most, &designs[0]);
    for (int i = 1; i < list->count; i++) {
        bool first = try_route(s, i, held_most, &designs[kept]);

        for (int k = 0; first && k < kept; k++)
            first = !wm_tune_designs_equal(&designs[k], &designs[kept]);
        if (first)
            list->paths[kept++] = list->paths[i];
    }
    list->count = kept;
}

int wm_tune_sift(struct wm_tune_list *list, enum wm_operation operation, const char *machine, uint64_t most,
                 uint64_t load_bytes, struct wm_error *error)
{
    struct wm_profile assumed = {0};
    struct sieve s;
    int rc = open_sieve(&s, list, operation, machine, error);

    if (rc == 0 && (rc = wm_profile_assume(&assumed)) < 0)
        wm_error_set(error, rc, "no memory for a profile; give the job more");
    if (rc == 0 && operation == WM_CONVEYOR)
        sift_routes(&s, list, most, load_bytes > held_least ? load_bytes : held_least);
    else if (rc == 0)
        sift(&s, list, most, &assumed);
    wm_profile_release(&assumed);
    close_sieve(&s);
    return rc;
}

int wm_tune_predict(int64_t ps[WM_TUNE_PATHS_MAX], const struct wm_tune_list *list, enum wm_operation operation,
                    const char *machine, uint64_t bytes, const struct wm_profile *profile, struct wm_error *error)
{
    struct sieve s;
    int rc = open_sieve(&s, list, operation, machine, error);

    for (int i = 0; i < list->count; i++) {
        struct wm_prediction p;

        ps[i] =
            rc == 0 && i > 0 && list->paths[i].least_bytes <= bytes && predict(&s, i, bytes, profile, &p) ? p.time : -1;
    }
    close_sieve(&s);
    return rc;
}

/* What a path takes at least, and at most, by a profile. */
struct span {
    int path;
    double low, high;
};

static int by_low(const void *a, const void *b)
{
    double x = ((const struct span *)a)->low, y = ((const struct span *)b)->low;

    return (x > y) - (x < y);
}

static void keep_fast(bool *keeps, struct span *spans, int count)
{
    double best = 0;

    for (int i = 0; i < count; i++)
        best = i == 0 || spans[i].high < best ? spans[i].high : best;
    qsort(spans, (size_t)count, sizeof *spans, by_low);
    for (int i = 0; i < count && i < WM_TUNE_KEPT; i++)
        keeps[spans[i].path] = spans[i].low <= best;
}

int wm_tune_prune(bool *keeps, const struct wm_tune_list *list, enum wm_operation operation, const char *machine,
                  uint64_t bytes, int64_t items, const struct wm_profile *profile, struct wm_error *error)
{
    static struct span spans[WM_TUNE_PATHS_MAX];
    struct sieve s;
    int rc = open_sieve(&s, list, operation, machine, error), count = 0;

    s.items = items;
    memset(keeps, 0, sizeof *keeps * (size_t)list->count);
    keeps[0] = true;
    for (int i = 1; rc == 0 && i < list->count; i++) {
        struct wm_prediction p;

        if (list->paths[i].least_bytes <= bytes && predict(&s, i, bytes, profile, &p)) {
            double off = (double)p.error_ppm * 1e-6;

            spans[count++] = (struct span){i, (double)p.time * (1 - off), (double)p.time * (1 + off)};
        }
    }
    keep_fast(keeps, spans, count);
    for (int i = 0; count == 0 && i < list->count; i++)
        keeps[i] = true;
    close_sieve(&s);
    return rc;
}

/* What 'fast' takes at each size, in ps; -1: it is native there. */
static int predict_fast(int64_t *ps, enum wm_operation operation, const char *machine, const uint64_t *bytes, int count,
                        const struct wm_profile *assumed, struct wm_error *error)
{
    struct sieve s;
    int rc;

    begin_sieve(&s, operation, machine);
    rc = wm_site_map_open(&s.map, WM_MAPS_DEFAULT, error);
    if (rc < 0)
        return rc;
    rc = wm_site_init(&s.site, &s.map, machine, error);
    for (int i = 0; rc == 0 && i < count; i++) {
        struct wm_prediction p;

        ps[i] = predict(&s, 0, bytes[i], assumed, &p) ? p.time : -1;
    }
    close_sieve(&s);
    return rc;
}

int wm_tune_find_fast(int *paths, const struct wm_tune_list *list, enum wm_operation operation, const char *machine,
                      const uint64_t *bytes, int count, struct wm_error *error)
{
    int64_t ps[WM_SIZES_MAX];
    struct wm_profile assumed = {0};
    struct sieve s = {0};
    int rc;

    memset(paths, 0, sizeof *paths * (size_t)count);
    if (operation == WM_CONVEYOR) /* 'fast' leaves them as they are made */
        return 0;
    rc = wm_profile_assume(&assumed);

    if (rc < 0)
        wm_error_set(error, rc, "no memory for a profile; give the job more");
    if (rc == 0)
        rc = predict_fast(ps, operation, machine, bytes, count, &assumed, error);
    if (rc == 0)
        rc = open_sieve(&s, list, operation, machine, error);
    for (int k = 0; rc == 0 && k < count; k++)
        for (int i = 1; i < list->count && paths[k] == 0 && ps[k] >= 0; i++) {
            struct wm_prediction p;

            if (predict(&s, i, bytes[k], &assumed, &p) && p.time == ps[k])
                paths[k] = i;
        }
    wm_profile_release(&assumed);
    close_sieve(&s);
    return rc;
}
