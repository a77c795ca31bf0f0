/* A field: which path serves each point, so that there are few rules. */
#include "tools/tune/field.h"

#include <math.h>
#include <string.h>

static const double indifferent = 0.0296; /* ln 1.03 */
/* A rule more is worth no less than any effort to read one. */
static const double effort_of_a_rule = 1000;

/* The place of `bytes`, made if need be; NULL: there is no room. */
static struct wm_tune_point *place(struct wm_tune_field *f, uint64_t bytes)
{
    int at = 0;

    while (at < f->count && f->points[at].bytes < bytes)
        at++;
    if (at == f->count || f->points[at].bytes != bytes) {
        if (f->count == WM_TUNE_POINTS_MAX)
            return NULL;
        memmove(&f->points[at + 1], &f->points[at], sizeof *f->points * (size_t)(f->count - at));
        f->count++;
    }
    f->points[at] = (struct wm_tune_point){.bytes = bytes};
    return &f->points[at];
}

bool wm_tune_field_add(struct wm_tune_field *f, const struct wm_tune_race *r, uint64_t bytes, double fast_ns)
{
    struct wm_tune_point *p = place(f, bytes);
    int leader = wm_tune_race_leader(r);

    if (p == NULL)
        return false;
    p->rounds = r->rounds;
    p->fast_ns = fast_ns;
    p->native_ns = wm_tune_race_ns(r, 0);
    for (int i = 0; i < r->count; i++) {
        struct wm_tune_gap native = wm_tune_race_gap(r, 0, i);

        if (!r->runs[i] || r->sampled[i] < r->rounds)
            continue;
        p->ns[i] = wm_tune_race_ns(r, i);
        p->gain[i] = exp(native.middle);
        p->gain_low[i] = exp(wm_tune_gap_low(&native));
        p->serves[i] = wm_tune_race_gap(r, i, leader).middle <= indifferent && native.middle >= 0;
    }
    p->serves[0] = wm_tune_race_gap(r, 0, leader).middle <= indifferent;
    return true;
}

bool wm_tune_field_force(struct wm_tune_field *f, uint64_t bytes, double native_ns)
{
    struct wm_tune_point *p = place(f, bytes);

    if (p == NULL)
        return false;
    p->forced = p->serves[0] = true;
    p->native_ns = native_ns;
    return true;
}

/* Along the points: what it costs to come to a path, and from which one. A path that serves nothing costs all. */
void wm_tune_field_choose(struct wm_tune_field *f)
{
    static double cost[WM_TUNE_POINTS_MAX][WM_TUNE_PATHS_MAX];
    static int from[WM_TUNE_POINTS_MAX][WM_TUNE_PATHS_MAX];
    int best = 0;

    for (int i = 0; i < f->count; i++) {
        int before = best; /* the cheapest path of the point before */

        best = -1;
        for (int p = 0; p < f->list.count; p++) {
            double stay = i == 0 ? effort_of_a_rule : cost[i - 1][p];
            double change = i == 0 ? effort_of_a_rule : cost[i - 1][before] + effort_of_a_rule;

            from[i][p] = i == 0 || stay <= change ? p : before;
            cost[i][p] = f->points[i].serves[p] ? fmin(stay, change) + f->list.paths[p].effort : INFINITY;
            if (best < 0 || cost[i][p] < cost[i][best])
                best = p;
        }
    }
    for (int i = f->count - 1; i >= 0; i--) {
        f->points[i].path = best;
        best = from[i][best];
    }
}

int wm_tune_field_rules(const struct wm_tune_field *f, struct wm_tune_rule *rules)
{
    int count = 0;

    for (int i = 0; i < f->count; i++) {
        const struct wm_tune_point *p = &f->points[i], *next = i + 1 < f->count ? p + 1 : NULL;

        if (i == 0 || p[-1].path != p->path)
            rules[count++] = (struct wm_tune_rule){.first = i, .path = p->path};
        rules[count - 1].last = i;
        rules[count - 1].below = next != NULL && p->path == 0;
        rules[count - 1].bound = rules[count - 1].below ? next->bytes : p->bytes;
    }
    return count;
}

uint64_t wm_tune_field_gap(const struct wm_tune_field *f)
{
    for (int i = 1; i < f->count; i++) {
        uint64_t low = f->points[i - 1].bytes, high = f->points[i].bytes, middle = 1;

        if (f->points[i - 1].path == f->points[i].path || f->points[i - 1].forced || f->points[i].forced)
            continue;
        while (middle * middle < low * high && 2 * middle < high)
            middle *= 2;
        if (middle > low && middle < high)
            return middle;
    }
    return 0;
}

int wm_tune_field_path(const struct wm_tune_field *f, uint64_t bytes)
{
    struct wm_tune_rule rules[WM_TUNE_POINTS_MAX];
    int count = wm_tune_field_rules(f, rules);

    for (int i = 0; i < count; i++)
        if (rules[i].below ? bytes < rules[i].bound : bytes <= rules[i].bound)
            return rules[i].path;
    return 0;
}
