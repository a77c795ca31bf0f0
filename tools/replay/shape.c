/* What a call takes from given arrivals: simulated once a pattern. */
#include "tools/replay/shape.h"

#include <stdlib.h>
#include <string.h>
#include "core/hash.h"
#include "core/vector.h"

/* A pattern is rounded to this part of the call; of one shape so many events are carried out. */
enum { PARTS = 50, EVENTS_MAX = 4000000, PATTERNS_MAX = 4096, SLOTS_MIN = 16 };

struct wm_replay_dependency wm_replay_depends(enum wm_operation operation, int root, int ranks,
                                              const struct wm_replay_times *times)
{
    struct wm_replay_dependency d = {.times = times,
                                     .flow = wm_operation_flow(operation),
                                     .scans = wm_operation_scans(operation),
                                     .root = root,
                                     .latest = INT64_MIN};

    for (int m = 0; !d.scans && m < ranks; m++)
        d.latest = times->arrivals[m] > d.latest ? times->arrivals[m] : d.latest;
    return d;
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

int64_t wm_replay_dependency_of(struct wm_replay_dependency *d, int member)
{
    const struct wm_replay_times *times = d->times;
    int64_t latest = times->arrivals[member];

    if (d->flow == WM_FLOW_DOWN) {
        latest = later(latest, times->arrivals[d->root]);
    } else if (d->flow != WM_FLOW_UP || member == d->root) {
        d->latest = later(d->latest, latest);
        latest = d->latest;
    }
    return times->waits != NULL ? later(latest, times->waits[member]) : latest;
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

/* When the members have come by these points. */
static struct wm_replay_times times_at(const struct wm_replay_shape *s, int64_t *points)
{
    return (struct wm_replay_times){.arrivals = points, .waits = s->points > s->ranks ? points + s->ranks : NULL};
}

/* From points of the model's clock, to the ends; NULL: all are there, and stay. */
static int simulate(struct wm_replay_shape *s, int64_t *points, int64_t *ends, struct wm_error *error)
{
    struct wm_simulation simulation;
    struct wm_sim_presence presence = {0};
    int rc;

    if (points != NULL)
        presence = (struct wm_sim_presence){.begin = points, .back = times_at(s, points).waits};
    rc = wm_simulation_run_from(&simulation, &s->call.program, &s->call.model, &presence, error);
    for (int m = 0; rc == 0 && m < s->ranks; m++) {
        ends[m] = wm_simulation_rank_end(&simulation, m, points != NULL ? points[m] : 0);
        if (presence.back != NULL && presence.back[m] > ends[m])
            ends[m] = presence.back[m];
    }
    if (points == NULL)
        s->whole = simulation.end;
    s->events += simulation.event_count;
    s->budget->left -= simulation.event_count < s->budget->left ? simulation.event_count : s->budget->left;
    wm_simulation_release(&simulation);
    return rc;
}

/* What a post takes: all are away when it is over, and nobody comes back. */
static int time_posts(struct wm_replay_shape *s, struct wm_error *error)
{
    struct wm_simulation simulation;
    struct wm_sim_presence presence = {.back = s->mapped + s->ranks};
    int rc;

    for (int m = 0; m < s->ranks; m++)
        s->mapped[s->ranks + m] = 4 * s->whole;
    rc = wm_simulation_run_from(&simulation, &s->call.program, &s->call.model, &presence, error);
    for (int m = 0; rc == 0 && m < s->ranks; m++)
        s->posts[m] = simulation.ranks[m].away_since;
    wm_simulation_release(&simulation);
    return rc;
}

static bool take_room(struct wm_replay_shape *s)
{
    size_t ranks = (size_t)s->ranks, points = (size_t)s->points;

    s->lags = calloc(ranks, sizeof *s->lags);
    s->mapped = calloc(points + ranks, sizeof *s->mapped);
    s->came = calloc(points, sizeof *s->came);
    s->order = calloc(points, sizeof *s->order);
    s->slot_count = SLOTS_MIN;
    s->slots = calloc(s->slot_count, sizeof *s->slots);
    s->drifts = calloc(ranks, sizeof *s->drifts);
    if (points > ranks && (s->posts = calloc(ranks, sizeof *s->posts)) == NULL)
        return false;
    return s->drifts != NULL && s->lags != NULL && s->mapped != NULL && s->came != NULL && s->order != NULL &&
           s->slots != NULL;
}

static int make_ready(struct wm_replay_shape *s, struct wm_error *error)
{
    int rc;

    if (!take_room(s))
        return wm_error_set(error, -WM_ENOMEM, "no memory for a call of %d ranks", s->ranks);
    s->plans_hash = hash_plans(&s->call);
    rc = simulate(s, NULL, s->mapped + s->points, error);
    for (int m = 0; m < s->ranks; m++)
        s->sum += s->mapped[s->points + m];
    if (rc == 0 && s->whole > 0 && s->prediction.time > 0)
        s->factor = (double)s->prediction.time / (double)s->whole;
    return rc == 0 && s->posts != NULL ? time_posts(s, error) : rc;
}

int wm_replay_shape_init(struct wm_replay_shape *s, const struct wm_site_map *map, const struct wm_site *site,
                         const struct wm_map_question *question, const struct wm_profile *profile,
                         struct wm_replay_budget *budget, struct wm_error *error)
{
    int rc;

    *s = (struct wm_replay_shape){.ranks = site->ranks,
                                  .points = site->ranks * (question->nonblocking ? 2 : 1),
                                  .root = question->facts.root,
                                  .operation = question->facts.operation,
                                  .factor = 1,
                                  .corrected = 1,
                                  .budget = budget};
    if ((rc = wm_predict(&s->prediction, map, site, question, profile, false, error)) < 0)
        return rc;
    s->rule_line = s->prediction.rule_line;
    if (s->prediction.native)
        return 0;
    s->way = WM_REPLAY_PLANNED;
    rc = wm_predict_call_init(&s->call, map, site, question, profile, WM_PREDICT_ALL, error);
    return rc < 0 ? rc : make_ready(s, error);
}

void wm_replay_shape_release(struct wm_replay_shape *s)
{
    if (s->call.site != NULL)
        wm_predict_call_release(&s->call);
    for (size_t i = 0; i < s->pattern_count; i++) {
        free(s->patterns[i].points);
        free(s->patterns[i].bases);
    }
    free(s->patterns);
    free(s->slots);
    free(s->lags);
    free(s->ratios);
    free(s->drifts);
    free(s->posts);
    free(s->mapped);
    free(s->came);
    free(s->order);
    *s = (struct wm_replay_shape){0};
}

static int compare_points(const void *a, const void *b, void *of_points)
{
    const int64_t *points = of_points;
    int x = *(const int *)a, y = *(const int *)b;

    if (points[x] != points[y])
        return points[x] < points[y] ? -1 : 1;
    return x - y;
}

/* Points by the model's clock, from the first one, rounded, with pauses cut. */
static void map_points(struct wm_replay_shape *s, const struct wm_replay_times *times)
{
    int64_t grain = s->whole / PARTS + 1, most = 2 * s->whole, at = 0, before;

    memcpy(s->came, times->arrivals, (size_t)s->ranks * sizeof *s->came);
    if (times->waits != NULL)
        memcpy(s->came + s->ranks, times->waits, (size_t)s->ranks * sizeof *s->came);
    for (int i = 0; i < s->points; i++)
        s->order[i] = i;
    qsort_r(s->order, (size_t)s->points, sizeof *s->order, compare_points, s->came);
    before = s->came[s->order[0]];
    for (int i = 0; i < s->points; i++) {
        double pause = (double)(s->came[s->order[i]] - before) * 1000 / s->factor;

        before = s->came[s->order[i]];
        at += pause > (double)most ? most : (int64_t)pause;
        s->mapped[s->order[i]] = (at + grain / 2) / grain * grain;
    }
}

/* The last point, of those by time, that is not behind `end`. */
static int last_before(const struct wm_replay_shape *s, const int64_t *points, int64_t end)
{
    int low = 0, high = s->points;

    while (high - low > 1) {
        int middle = low + (high - low) / 2;

        if (points[s->order[middle]] <= end)
            low = middle;
        else
            high = middle;
    }
    return s->order[low];
}

/* Each end as a time behind the last point before it. */
static void take_ends(const struct wm_replay_shape *s, struct wm_replay_pattern *pattern, const int64_t *ends)
{
    struct wm_replay_times times = times_at(s, pattern->points);
    struct wm_replay_dependency dependency = wm_replay_depends(s->operation, s->root, s->ranks, &times);

    for (int m = 0; m < s->ranks; m++) {
        int base = last_before(s, pattern->points, ends[m]);

        pattern->bases[m] = base;
        pattern->offsets[m] = ends[m] - pattern->points[base];
        s->lags[m] += (double)(ends[m] - wm_replay_dependency_of(&dependency, m));
    }
}

static int add_pattern(struct wm_replay_shape *s, uint64_t hash, struct wm_error *error)
{
    size_t points = (size_t)s->points, ranks = (size_t)s->ranks;
    struct wm_replay_pattern *pattern;
    int rc;

    if (wm_vector_reserve(&s->patterns, &s->pattern_room, s->pattern_count + 1, sizeof *s->patterns) < 0)
        return wm_error_set(error, -WM_ENOMEM, "no memory for patterns of arrivals");
    pattern = &s->patterns[s->pattern_count++];
    *pattern = (struct wm_replay_pattern){.hash = hash,
                                          .points = malloc((points + ranks) * sizeof *pattern->points),
                                          .bases = malloc(ranks * sizeof *pattern->bases)};
    if (pattern->points == NULL || pattern->bases == NULL)
        return wm_error_set(error, -WM_ENOMEM, "no memory for patterns of arrivals");
    pattern->offsets = pattern->points + points;
    memcpy(pattern->points, s->mapped, points * sizeof *s->mapped);
    rc = simulate(s, pattern->points, s->mapped + points, error);
    if (rc == 0)
        take_ends(s, pattern, s->mapped + points);
    return rc;
}

/* The slot of the pattern of s->mapped; 0: a free one. */
static uint32_t *find_slot(const struct wm_replay_shape *s, uint64_t hash, const int64_t *points)
{
    size_t slot = hash % s->slot_count, bytes = (size_t)s->points * sizeof *points;

    for (; s->slots[slot] != 0; slot = (slot + 1) % s->slot_count) {
        const struct wm_replay_pattern *pattern = &s->patterns[s->slots[slot] - 1];

        if (pattern->hash == hash && memcmp(pattern->points, points, bytes) == 0)
            break;
    }
    return &s->slots[slot];
}

static int grow_slots(struct wm_replay_shape *s)
{
    uint32_t *slots;

    if (2 * s->pattern_count < s->slot_count)
        return 0;
    slots = calloc(4 * s->slot_count, sizeof *slots);
    if (slots == NULL)
        return -WM_ENOMEM;
    free(s->slots);
    s->slots = slots;
    s->slot_count *= 4;
    for (size_t i = 0; i < s->pattern_count; i++)
        *find_slot(s, s->patterns[i].hash, s->patterns[i].points) = (uint32_t)i + 1;
    return 0;
}

/* May a further pattern be carried out? */
static bool is_affordable(const struct wm_replay_shape *s)
{
    if (s->pattern_count == 0)
        return true;
    return s->events <= EVENTS_MAX && s->pattern_count < PATTERNS_MAX &&
           (s->budget->left > 0 || s->events <= s->budget->part);
}

/* The pattern of s->mapped, carried out now if it has to be; *found NULL: there were too many. */
static int find_pattern(struct wm_replay_shape *s, const struct wm_replay_pattern **found, struct wm_error *error)
{
    uint64_t hash = WM_HASH_BEGIN;
    uint32_t *slot;
    int rc;

    for (int i = 0; i < s->points; i++)
        hash = wm_hash_add(hash, (uint64_t)s->mapped[i]);
    slot = find_slot(s, hash, s->mapped);
    *found = *slot != 0 ? &s->patterns[*slot - 1] : NULL;
    if (*slot != 0 || !is_affordable(s))
        return 0;
    if ((rc = add_pattern(s, hash, error)) < 0)
        return rc;
    *slot = (uint32_t)s->pattern_count;
    *found = &s->patterns[s->pattern_count - 1];
    return grow_slots(s) < 0 ? wm_error_set(error, -WM_ENOMEM, "no memory for patterns of arrivals") : 0;
}

int wm_replay_shape_run(struct wm_replay_shape *s, const struct wm_replay_times *times, int64_t *leaves_ns,
                        struct wm_error *error)
{
    const struct wm_replay_pattern *pattern;
    struct wm_replay_dependency dependency;
    int rc;

    map_points(s, times);
    if ((rc = find_pattern(s, &pattern, error)) < 0)
        return rc;
    s->averaged += pattern == NULL;
    dependency = wm_replay_depends(s->operation, s->root, s->ranks, times);
    for (int m = 0; m < s->ranks; m++) {
        double offset = pattern != NULL ? (double)pattern->offsets[m] : s->lags[m] / (double)s->pattern_count;
        int64_t least = times->waits != NULL ? times->waits[m] : times->arrivals[m];
        int64_t from = pattern != NULL ? s->came[pattern->bases[m]] : wm_replay_dependency_of(&dependency, m);

        leaves_ns[m] = from + (int64_t)(offset * s->factor / 1000);
        leaves_ns[m] = leaves_ns[m] > least ? leaves_ns[m] : least;
    }
    return 0;
}
