/* Clusters: sets of hosts, each divided around its pivots. */
#include "core/path/clusters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/hash.h"

/* Lonely values are looked for among so many; all pairs are asked of so few; a value is asked again so often; so many
 * hosts of a set may turn out to see more than its pivot did; few hosts may ask so many round trips more. */
enum { CROWD_MIN = 16, PAIRS_MAX = 6, TRIES = 3, PIVOTS_MAX = 4, ASKED_MORE = 64 };

#define NEAR log(1.25)      /* in logarithms: neighbours of a value that is not lonely */
#define DIFFERS log(1.5)    /* from the typical round trip, at least */
#define VIOLATIONS_MAX 0.05 /* of pairs */

struct search {
    struct wm_clusters *found;
    wm_round_trips *measure;
    void *context;
    int rc;     /* 0, or why it ends */
    bool spent; /* it has asked what it may, and ends */
    int asked_max;
    uint64_t draws;
    struct wm_round_trip *trips; /* [2 x hosts + pairs of a small set] */
    double *far;                 /* [hosts] the logarithm of the way to the pivot of its set */
    double *sorted;              /* [hosts] */
    int *part;                   /* [hosts] its part of the set that is divided, -1: of none yet */
    int *order;                  /* [hosts] */
};

/* Hosts that may be divided. `far` says how far they are from their pivot. */
struct set {
    int *hosts, count;
    int pivot;
    int level;
};

/* Parts of a set, and a host of each. */
struct parts {
    int count, *pivots; /* [hosts of the set] */
    double limit;       /* what is less far is in one part */
};

static int draw(struct search *s, int below)
{
    return (int)(wm_hash_scatter(++s->draws * UINT64_C(0x9e3779b97f4a7c15)) % (uint64_t)below);
}

/* False: the search ends. */
static bool ask(struct search *s, struct wm_round_trip *trips, int count)
{
    s->spent = s->spent || s->found->asked + count > s->asked_max;
    if (s->rc < 0 || s->spent)
        return false;
    s->found->asked += count;
    if (count > 0)
        s->rc = s->measure(s->context, trips, count);
    return s->rc >= 0;
}

static double length(const struct wm_round_trip *trip)
{
    return log(trip->ns > 1 ? (double)trip->ns : 1);
}

/* The least of this and of several more answers about the pair. */
static double ask_again(struct search *s, int from, int to, double far)
{
    struct wm_round_trip trips[TRIES];

    for (int i = 0; i < TRIES; i++)
        trips[i] = (struct wm_round_trip){.from = from, .to = to};
    if (ask(s, trips, TRIES))
        for (int i = 0; i < TRIES; i++)
            far = fmin(far, length(&trips[i]));
    return far;
}

/* How far all others of the set are from its pivot. */
static bool ask_all(struct search *s, const struct set *set)
{
    int count = 0;

    for (int i = 0; i < set->count; i++)
        if (set->hosts[i] != set->pivot)
            s->trips[count++] = (struct wm_round_trip){.from = set->pivot, .to = set->hosts[i]};
    if (!ask(s, s->trips, count))
        return false;
    for (int i = 0; i < count; i++)
        s->far[s->trips[i].to] = length(&s->trips[i]);
    return true;
}

static int compare(const void *left, const void *right)
{
    const double *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

/* The ways to the pivot, but for its own: count - 1 of them. */
static void sort(struct search *s, const struct set *set)
{
    int count = 0;

    for (int i = 0; i < set->count; i++)
        if (set->hosts[i] != set->pivot)
            s->sorted[count++] = s->far[set->hosts[i]];
    qsort(s->sorted, (size_t)count, sizeof *s->sorted, compare);
}

/* So few of the sorted values are about there that it may be wrong. */
static bool is_lonely(const struct search *s, int count, double value)
{
    int near = 0, low = 0, high = count;

    while (low < high) {
        int middle = (low + high) / 2;

        if (s->sorted[middle] < value - NEAR)
            low = middle + 1;
        else
            high = middle;
    }
    while (low + near < count && s->sorted[low + near] <= value + NEAR)
        near++;
    return near <= 2 + count / 60;
}

static bool ask_lonely(struct search *s, const struct set *set)
{
    for (int try = 1; try < TRIES && set->count >= CROWD_MIN; try++) {
        int count = 0;

        sort(s, set);
        for (int i = 0; i < set->count; i++)
            if (set->hosts[i] != set->pivot && is_lonely(s, set->count - 1, s->far[set->hosts[i]]))
                s->trips[count++] = (struct wm_round_trip){.from = set->pivot, .to = set->hosts[i]};
        if (!ask(s, s->trips, count))
            return false;
        for (int i = 0; i < count; i++)
            s->far[s->trips[i].to] = fmin(s->far[s->trips[i].to], length(&s->trips[i]));
    }
    return true;
}

/* How far hosts are from each other where all are alike, and how much more or less that may be. */
static double typical(struct search *s, const struct set *set, double *tolerance)
{
    int count = set->count - 1;

    sort(s, set);
    *tolerance = fmax(DIFFERS, 3 * (s->sorted[count * 3 / 4] - s->sorted[count / 4]));
    return s->sorted[count / 2];
}

/* Pairs without the pivot: all of a small set, else each host with the next of a circle. */
static int list_pairs(struct search *s, const struct set *set)
{
    int count = 0, others = 0, *other = s->order;

    for (int i = 0; i < set->count; i++)
        if (set->hosts[i] != set->pivot)
            other[others++] = set->hosts[i];
    for (int i = others - 1; i > 0; i--) {
        int j = draw(s, i + 1), host = other[i];

        other[i] = other[j];
        other[j] = host;
    }
    for (int i = 0; i < others; i++)
        for (int j = i + 1; j < (set->count <= PAIRS_MAX ? others : i + 2); j++)
            s->trips[count++] = (struct wm_round_trip){.from = other[i], .to = other[j % others]};
    return count;
}

/* All look alike from the pivot. Do they from elsewhere? A host that sees others nearer, or -1. */
static int find_better_pivot(struct search *s, const struct set *set)
{
    double tolerance, middle = typical(s, set, &tolerance), least = middle - tolerance;
    int count = list_pairs(s, set), better = -1, violations = 0;

    if (!ask(s, s->trips, count))
        return -1;
    for (int i = 0; i < count; i++)
        if (length(&s->trips[i]) < least) {
            least = length(&s->trips[i]);
            better = s->trips[i].from;
        }
    for (int i = 0; i < count && better < 0; i++) {
        double far = length(&s->trips[i]), most = middle + tolerance;

        violations += far > most && ask_again(s, s->trips[i].from, s->trips[i].to, far) > most;
    }
    if (violations > VIOLATIONS_MAX * count)
        s->found->unclear = true;
    return better;
}

/* A new pivot may be nearer to one of those before than had been measured. That part, or -1. */
static int find_part(struct search *s, int host, const struct parts *parts)
{
    for (int p = 0; p < parts->count; p++) {
        double far = ask_again(s, parts->pivots[p], host, INFINITY);

        if (far < parts->limit) {
            s->far[host] = far;
            return p;
        }
    }
    return -1;
}

/* One of the hosts that are in no part yet, or -1. */
static int draw_left(struct search *s, const struct set *set)
{
    int left = 0;

    for (int i = 0; i < set->count; i++)
        if (s->part[set->hosts[i]] < 0)
            s->order[left++] = set->hosts[i];
    return left > 0 ? s->order[draw(s, left)] : -1;
}

/* A part around a pivot of its own, out of what is left. */
static bool add_part(struct search *s, const struct set *set, int pivot, struct parts *parts)
{
    int count = 0;

    s->part[pivot] = parts->count;
    for (int i = 0; i < set->count; i++)
        if (s->part[set->hosts[i]] < 0)
            s->trips[count++] = (struct wm_round_trip){.from = pivot, .to = set->hosts[i]};
    if (!ask(s, s->trips, count))
        return false;
    for (int i = 0; i < count; i++)
        if (length(&s->trips[i]) < parts->limit) {
            s->part[s->trips[i].to] = parts->count;
            s->far[s->trips[i].to] = length(&s->trips[i]);
        }
    parts->pivots[parts->count++] = pivot;
    return true;
}

static bool find_parts(struct search *s, const struct set *set, struct parts *parts)
{
    int host, part;

    for (int i = 0; i < set->count; i++)
        s->part[set->hosts[i]] = set->hosts[i] == set->pivot || s->far[set->hosts[i]] < parts->limit ? 0 : -1;
    parts->pivots[0] = set->pivot;
    parts->count = 1;
    while ((host = draw_left(s, set)) >= 0) {
        if ((part = find_part(s, host, parts)) >= 0)
            s->part[host] = part;
        else if (!add_part(s, set, host, parts))
            return false;
    }
    return true;
}

/* Hosts of different parts are far from each other, as far as some of them tell. */
static bool are_apart(struct search *s, const struct set *set, const struct parts *parts)
{
    int count = 0, wanted = set->count / 4 + 4, violations = 0;

    for (int i = 0; i < wanted; i++) {
        int from = set->hosts[draw(s, set->count)], to = set->hosts[draw(s, set->count)];

        if (s->part[from] != s->part[to])
            s->trips[count++] = (struct wm_round_trip){.from = from, .to = to};
    }
    if (!ask(s, s->trips, count))
        return false;
    for (int i = 0; i < count; i++)
        violations += length(&s->trips[i]) < parts->limit;
    if (violations > VIOLATIONS_MAX * count)
        s->found->unclear = true;
    return violations <= VIOLATIONS_MAX * count;
}

/* Hosts in the order of their parts; returns where the part ends that begins at `begin`. */
static int gather_part(struct search *s, const struct set *set, int part, int begin)
{
    for (int i = begin; i < set->count; i++) {
        int host = set->hosts[i];

        if (s->part[host] != part)
            continue;
        set->hosts[i] = set->hosts[begin];
        set->hosts[begin++] = host;
    }
    return begin;
}

static void divide(struct search *s, struct set *set);

static void divide_parts(struct search *s, const struct set *set, const struct parts *parts, double step)
{
    struct wm_cluster_level *level = &s->found->level[set->level];
    int begin = 0, *ends = parts->pivots + set->count;

    s->found->levels = s->found->levels > set->level ? s->found->levels : set->level + 1;
    level->step = level->step > 0 ? fmin(level->step, exp(step)) : exp(step);
    for (int i = 0; i < set->count; i++)
        for (int inner = set->level; inner < WM_CLUSTER_LEVELS_MAX; inner++)
            s->found->level[inner].cluster[set->hosts[i]] = parts->pivots[s->part[set->hosts[i]]];
    for (int p = 0; p < parts->count; p++)
        ends[p] = begin = gather_part(s, set, p, begin);
    for (int p = 0; p < parts->count; p++) {
        begin = p > 0 ? ends[p - 1] : 0;
        divide(s, &(struct set){.hosts = set->hosts + begin,
                                .count = ends[p] - begin,
                                .pivot = parts->pivots[p],
                                .level = set->level + 1});
    }
}

/* Divided as its pivot sees it. False: the pivot sees no parts. */
static bool divide_around(struct search *s, const struct set *set)
{
    struct parts parts = {0};
    double step;
    int near;

    sort(s, set);
    if ((near = wm_clusters_cut(s->sorted, set->count - 1, &step)) == 0)
        return false;
    parts.limit = (s->sorted[near - 1] + s->sorted[near]) / 2;
    if ((parts.pivots = malloc(2 * sizeof *parts.pivots * (size_t)set->count)) == NULL)
        s->rc = -WM_ENOMEM;
    else if (find_parts(s, set, &parts) && parts.count > 1 && are_apart(s, set, &parts))
        divide_parts(s, set, &parts, step);
    free(parts.pivots);
    return parts.count != 1;
}

static void divide(struct search *s, struct set *set)
{
    if (set->count < 3 || set->level == WM_CLUSTER_LEVELS_MAX)
        return;
    for (int try = 0; try < PIVOTS_MAX; try++) {
        if (!ask_lonely(s, set) || divide_around(s, set) || s->rc < 0)
            return;
        if ((set->pivot = find_better_pivot(s, set)) < 0 || !ask_all(s, set))
            return;
    }
}

static bool is_allocated(struct search *s, int *hosts)
{
    size_t count = (size_t)s->found->hosts;
    bool is = hosts != NULL;

    s->trips = calloc(2 * count + PAIRS_MAX * PAIRS_MAX, sizeof *s->trips);
    s->far = calloc(count, sizeof *s->far);
    s->sorted = calloc(count, sizeof *s->sorted);
    s->part = calloc(count, sizeof *s->part);
    s->order = calloc(count, sizeof *s->order);
    for (int i = 0; i < WM_CLUSTER_LEVELS_MAX; i++) {
        s->found->level[i].cluster = calloc(count, sizeof *s->found->level[i].cluster);
        is = is && s->found->level[i].cluster != NULL;
    }
    return is && s->trips != NULL && s->far != NULL && s->sorted != NULL && s->part != NULL && s->order != NULL;
}

/* Groups, so far called by a host of theirs, are numbered in the order of their first hosts. */
static void number(struct wm_clusters *found, int *numbers)
{
    for (int i = 0; i < found->levels; i++) {
        int *cluster = found->level[i].cluster, next = 0;

        for (int h = 0; h < found->hosts; h++)
            numbers[h] = -1;
        for (int h = 0; h < found->hosts; h++) {
            if (numbers[cluster[h]] < 0)
                numbers[cluster[h]] = next++;
            cluster[h] = numbers[cluster[h]];
        }
    }
}

static void run(struct search *s, int *hosts)
{
    struct wm_clusters *found = s->found;
    struct set all = {.hosts = hosts, .count = found->hosts};

    for (int h = 0; h < all.count; h++)
        hosts[h] = h;
    all.pivot = draw(s, all.count);
    if (ask_all(s, &all))
        divide(s, &all);
    if (s->spent) {
        found->levels = 0;
        found->unclear = true;
    }
    number(found, s->order);
}

int wm_clusters_find(struct wm_clusters *clusters, int hosts, wm_round_trips *measure, void *context)
{
    struct search s = {.found = clusters, .measure = measure, .context = context};
    int *list = calloc((size_t)hosts, sizeof *list);

    *clusters = (struct wm_clusters){.hosts = hosts};
    s.asked_max = (int)(hosts * log2(hosts)) + ASKED_MORE;
    if (!is_allocated(&s, list))
        s.rc = -WM_ENOMEM;
    else if (hosts > 2)
        run(&s, list);
    free(list);
    free(s.trips);
    free(s.far);
    free(s.sorted);
    free(s.part);
    free(s.order);
    if (s.rc < 0)
        wm_clusters_release(clusters);
    return s.rc < 0 ? s.rc : 0;
}

void wm_clusters_release(struct wm_clusters *clusters)
{
    for (int i = 0; i < WM_CLUSTER_LEVELS_MAX; i++)
        free(clusters->level[i].cluster);
    *clusters = (struct wm_clusters){0};
}
