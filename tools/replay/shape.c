/* What a call takes from given arrivals: simulated once a pattern. */
#include "tools/replay/shape.h"

#include <stdlib.h>
#include <string.h>
#include "core/hash.h"
#include "core/vector.h"

/* A pattern is rounded to this part of the call; of one shape so many events are carried out. */
enum { PARTS = 50, EVENTS_MAX = 4000000, PATTERNS_MAX = 4096 };

int64_t wm_replay_dependency(enum wm_operation operation, int root, int ranks, int member, const int64_t *arrivals)
{
    enum wm_flow_kind flow = wm_operation_flow(operation);
    int64_t latest = arrivals[member];
    int end = wm_operation_scans(operation) ? member : ranks;

    if (flow == WM_FLOW_DOWN)
        return arrivals[root] > latest ? arrivals[root] : latest;
    if (flow == WM_FLOW_UP && member != root)
        return latest;
    for (int m = 0; m < end; m++)
        latest = arrivals[m] > latest ? arrivals[m] : latest;
    return latest;
}

static uint64_t hash_plans(const struct wm_predict_call *call)
{
    uint64_t hash = wm_hash_add(WM_HASH_BEGIN, call->scenario.each);

    for (int r = 0; r < call->program.ranks; r++)
        for (int i = 0; i < call->plans[r]->step_count; i++) {
            const struct wm_step *step = &call->plans[r]->steps[i];
            hash = wm_hash_add(wm_hash_add(hash, (uint64_t)step->kind), (uint64_t)step->peer);
            hash = wm_hash_add(wm_hash_add(hash, (uint64_t)step->count), (uint64_t)step->net);
            hash = wm_hash_add(hash, (uint64_t)step->dependencies);
        }
    return hash;
}

/* From arrivals of the model's clock, to the ends. */
static int simulate(struct wm_replay_shape *s, const int64_t *arrivals, int64_t *ends, struct wm_error *error)
{
    struct wm_simulation simulation;
    int rc = wm_simulation_run_from(&simulation, &s->call.program, &s->call.model, arrivals, error);

    for (int m = 0; rc == 0 && m < s->ranks; m++)
        ends[m] = wm_simulation_rank_end(&simulation, m, arrivals != NULL ? arrivals[m] : 0);
    if (arrivals == NULL)
        s->whole = simulation.end;
    s->events += simulation.event_count;
    s->simulated++;
    wm_simulation_release(&simulation);
    return rc;
}

static int make_ready(struct wm_replay_shape *s, struct wm_error *error)
{
    size_t ranks = (size_t)s->ranks;
    int rc;

    s->lags = calloc(ranks, sizeof *s->lags);
    s->mapped = calloc(ranks * 2, sizeof *s->mapped);
    s->order = calloc(ranks, sizeof *s->order);
    s->slot_count = 2 * PATTERNS_MAX;
    s->slots = calloc(s->slot_count, sizeof *s->slots);
    if (s->lags == NULL || s->mapped == NULL || s->order == NULL || s->slots == NULL)
        return wm_error_set(error, -WM_ENOMEM, "no memory for a call of %d ranks", s->ranks);
    s->plans_hash = hash_plans(&s->call);
    rc = simulate(s, NULL, s->mapped + ranks, error);
    if (rc == 0 && s->whole > 0 && s->prediction.time > 0)
        s->factor = (double)s->prediction.time / (double)s->whole;
    return rc;
}

int wm_replay_shape_init(struct wm_replay_shape *s, const struct wm_site_map *map, const struct wm_site *site,
                         const struct wm_map_question *question, const struct wm_profile *profile,
                         struct wm_error *error)
{
    int rc;

    *s = (struct wm_replay_shape){.ranks = site->ranks,
                                  .root = question->facts.root,
                                  .operation = question->facts.operation,
                                  .factor = 1,
                                  .corrected = 1};
    if ((rc = wm_predict(&s->prediction, map, site, question, profile, false, error)) < 0)
        return rc;
    s->rule_line = s->prediction.rule_line;
    if (s->prediction.native)
        return 0;
    s->way = WM_REPLAY_PLANNED;
    rc = wm_predict_call_init(&s->call, map, site, question, profile, error);
    return rc < 0 ? rc : make_ready(s, error);
}

void wm_replay_shape_release(struct wm_replay_shape *s)
{
    if (s->call.site != NULL)
        wm_predict_call_release(&s->call);
    for (size_t i = 0; i < s->pattern_count; i++) {
        free(s->patterns[i].arrivals);
        free(s->patterns[i].bases);
    }
    free(s->patterns);
    free(s->slots);
    free(s->lags);
    free(s->mapped);
    free(s->order);
    *s = (struct wm_replay_shape){0};
}

static int compare_arrivals(const void *a, const void *b, void *of_arrivals)
{
    const int64_t *arrivals = of_arrivals;
    int x = *(const int *)a, y = *(const int *)b;

    if (arrivals[x] != arrivals[y])
        return arrivals[x] < arrivals[y] ? -1 : 1;
    return x - y;
}

/* Arrivals by the model's clock, from the first one, rounded, with pauses cut. */
static void map_arrivals(struct wm_replay_shape *s, const int64_t *arrivals_ns)
{
    int64_t grain = s->whole / PARTS + 1, most = 2 * s->whole, at = 0, before;

    for (int m = 0; m < s->ranks; m++)
        s->order[m] = m;
    qsort_r(s->order, (size_t)s->ranks, sizeof *s->order, compare_arrivals, (void *)arrivals_ns);
    before = arrivals_ns[s->order[0]];
    for (int i = 0; i < s->ranks; i++) {
        double pause = (double)(arrivals_ns[s->order[i]] - before) * 1000 / s->factor;

        before = arrivals_ns[s->order[i]];
        at += pause > (double)most ? most : (int64_t)pause;
        s->mapped[s->order[i]] = (at + grain / 2) / grain * grain;
    }
}

/* Each end as a time behind the last arrival before it. */
static void take_ends(const struct wm_replay_shape *s, struct wm_replay_pattern *pattern, const int64_t *ends)
{
    for (int m = 0; m < s->ranks; m++) {
        int base = m;

        for (int i = 0; i < s->ranks && pattern->arrivals[s->order[i]] <= ends[m]; i++)
            if (pattern->arrivals[s->order[i]] >= pattern->arrivals[base])
                base = s->order[i];
        pattern->bases[m] = base;
        pattern->offsets[m] = ends[m] - pattern->arrivals[base];
        s->lags[m] += (double)(ends[m] - wm_replay_dependency(s->operation, s->root, s->ranks, m, pattern->arrivals));
    }
}

static int add_pattern(struct wm_replay_shape *s, uint64_t hash, struct wm_error *error)
{
    size_t ranks = (size_t)s->ranks;
    struct wm_replay_pattern *pattern;
    int rc;

    if (wm_vector_reserve(&s->patterns, &s->pattern_room, s->pattern_count + 1, sizeof *s->patterns) < 0)
        return wm_error_set(error, -WM_ENOMEM, "no memory for patterns of arrivals");
    pattern = &s->patterns[s->pattern_count++];
    *pattern = (struct wm_replay_pattern){.hash = hash,
                                          .arrivals = malloc(2 * ranks * sizeof *pattern->arrivals),
                                          .bases = malloc(ranks * sizeof *pattern->bases)};
    if (pattern->arrivals == NULL || pattern->bases == NULL)
        return wm_error_set(error, -WM_ENOMEM, "no memory for patterns of arrivals");
    pattern->offsets = pattern->arrivals + ranks;
    memcpy(pattern->arrivals, s->mapped, ranks * sizeof *s->mapped);
    rc = simulate(s, pattern->arrivals, s->mapped + ranks, error);
    if (rc == 0)
        take_ends(s, pattern, s->mapped + ranks);
    return rc;
}

/* The pattern of s->mapped, carried out now if it has to be; *found NULL: there were too many. */
static int find_pattern(struct wm_replay_shape *s, const struct wm_replay_pattern **found, struct wm_error *error)
{
    size_t bytes = (size_t)s->ranks * sizeof *s->mapped;
    uint64_t hash = WM_HASH_BEGIN;
    size_t slot;
    int rc;

    for (int m = 0; m < s->ranks; m++)
        hash = wm_hash_add(hash, (uint64_t)s->mapped[m]);
    slot = hash % s->slot_count;
    *found = NULL;
    for (; s->slots[slot] != 0; slot = (slot + 1) % s->slot_count) {
        struct wm_replay_pattern *pattern = &s->patterns[s->slots[slot] - 1];

        if (pattern->hash == hash && memcmp(pattern->arrivals, s->mapped, bytes) == 0) {
            *found = pattern;
            return 0;
        }
    }
    if (s->pattern_count > 0 && (s->events > EVENTS_MAX || s->pattern_count >= PATTERNS_MAX))
        return 0;
    rc = add_pattern(s, hash, error);
    if (rc == 0) {
        s->slots[slot] = (uint32_t)s->pattern_count;
        *found = &s->patterns[s->pattern_count - 1];
    }
    return rc;
}

int wm_replay_shape_run(struct wm_replay_shape *s, const int64_t *arrivals_ns, int64_t *leaves_ns,
                        struct wm_error *error)
{
    const struct wm_replay_pattern *pattern;
    int rc;

    map_arrivals(s, arrivals_ns);
    if ((rc = find_pattern(s, &pattern, error)) < 0)
        return rc;
    s->uses++;
    s->averaged += pattern == NULL;
    for (int m = 0; m < s->ranks; m++) {
        double offset = pattern != NULL ? (double)pattern->offsets[m] : s->lags[m] / (double)s->pattern_count;
        int64_t from = pattern != NULL ? arrivals_ns[pattern->bases[m]]
                                       : wm_replay_dependency(s->operation, s->root, s->ranks, m, arrivals_ns);

        leaves_ns[m] = from + (int64_t)(offset * s->factor / 1000);
        if (leaves_ns[m] < arrivals_ns[m])
            leaves_ns[m] = arrivals_ns[m];
    }
    return 0;
}
