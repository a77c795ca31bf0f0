/* A field: which path serves each point, so that there are few rules. */
#include "tools/tune/field.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double indifferent = 0.0296; /* ln 1.03 */
/* A rule more is worth no less than any effort to read one; at one point, 10 % of the time. */
static const double effort_of_a_rule = 1000, effort_of_a_loss = 10000;

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
        f->points[at] = (struct wm_tune_point){.bytes = bytes};
    }
    return &f->points[at];
}

uint64_t wm_tune_field_room(const struct wm_tune_field *f, uint64_t bytes)
{
    int at = 0;

    if (f->count < WM_TUNE_POINTS_MAX)
        return bytes;
    while (at < f->count - 1 && f->points[at].bytes < bytes)
        at++;
    return f->points[at].bytes;
}

/* The place of a path; that of the one with the least gain where there is no room, unless that is better: NULL. */
static struct wm_tune_seen *seen_place(struct wm_tune_point *p, int path, double gain)
{
    struct wm_tune_seen *least = NULL;

    for (int i = 0; i < p->seen_count; i++) {
        struct wm_tune_seen *s = &p->seen[i];

        if (s->path == path)
            return s;
        if (s->path != 0 && s->path != p->fast && (least == NULL || s->gain < least->gain))
            least = s;
    }
    if (p->seen_count < WM_TUNE_SEEN_MAX)
        least = &p->seen[p->seen_count++];
    else if (least == NULL || (least->gain > gain && path != 0 && path != p->fast))
        return NULL;
    *least = (struct wm_tune_seen){.path = path, .low = INFINITY};
    return least;
}

struct wm_tune_point *wm_tune_field_add(struct wm_tune_field *f, const struct wm_tune_race *r, uint64_t bytes,
                                        int launch, bool fresh)
{
    struct wm_tune_point *p = place(f, bytes);

    if (p == NULL)
        return NULL;
    if (fresh)
        *p = (struct wm_tune_point){.bytes = bytes, .held_out = p->held_out};
    p->races++;
    p->rounds = r->rounds;
    p->fast = r->fast;
    p->native_ns = wm_tune_race_ns(r, 0);
    for (int i = 0; i < r->count; i++) {
        struct wm_tune_gap gap = wm_tune_race_gap(r, 0, i);
        struct wm_tune_seen *s = gap.rounds >= WM_TUNE_ROUNDS_LEAST ? seen_place(p, i, gap.middle) : NULL;

        if (s == NULL)
            continue;
        s->low = fmin(s->low, wm_tune_gap_low(&gap));
        s->gain = (s->gain * s->races + gap.middle) / (s->races + 1);
        s->races++;
        s->launches |= UINT32_C(1) << (launch % 32);
        s->ns = wm_tune_race_ns(r, i);
    }
    return p;
}

void wm_tune_field_drop(struct wm_tune_field *f, uint64_t bytes)
{
    for (int i = 0; i < f->count; i++)
        if (f->points[i].bytes == bytes) {
            f->count--;
            memmove(&f->points[i], &f->points[i + 1], sizeof *f->points * (size_t)(f->count - i));
            return;
        }
}

const struct wm_tune_seen *wm_tune_point_seen(const struct wm_tune_point *p, int path)
{
    for (int i = 0; i < p->seen_count; i++)
        if (p->seen[i].path == path)
            return &p->seen[i];
    return NULL;
}

bool wm_tune_point_safe(const struct wm_tune_point *p, int path)
{
    const struct wm_tune_seen *s = wm_tune_point_seen(p, path);

    return path == 0 || (s != NULL && s->races == p->races && s->low >= 0);
}

/* What a path costs at a point beside a rule; infinite: it is not safe there, or another one of the list. */
static double cost_at(const struct wm_tune_field *f, const struct wm_tune_point *p, int path)
{
    const struct wm_tune_seen *s = wm_tune_point_seen(p, path);
    double best = 0, gain = path == 0 || s == NULL ? 0 : s->gain;

    if (!wm_tune_point_safe(p, path) || p->bytes < f->list.paths[path].least_bytes)
        return INFINITY;
    for (int i = 0; i < p->seen_count; i++)
        if (p->seen[i].gain > best && wm_tune_point_safe(p, p->seen[i].path))
            best = p->seen[i].gain;
    return f->list.paths[path].effort + effort_of_a_loss * fmax(0, best - gain - indifferent);
}

/* Along the points: what it costs to come to a path, and from which one. */
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
            cost[i][p] = fmin(stay, change) + cost_at(f, &f->points[i], p);
            if (best < 0 || cost[i][p] < cost[i][best])
                best = p;
        }
    }
    for (int i = f->count - 1; i >= 0; i--) {
        f->points[i].path = best;
        best = from[i][best];
    }
}

/* The launches that held a path against native at a point that was drawn. */
static uint32_t confirmations(const struct wm_tune_point *p, int path)
{
    const struct wm_tune_seen *s = wm_tune_point_seen(p, path);

    return p->held_out && s != NULL ? s->launches : 0;
}

/* The largest power of two up to `high`; 0: it is below `low`. */
static uint64_t power_between(uint64_t low, uint64_t high)
{
    uint64_t power = 1;

    while (2 * power <= high)
        power *= 2;
    return power >= low && power <= high ? power : 0;
}

/* Where the rule of point `i` ends if the next one has another path: beside native the other path gives way to the next
 * power of two, if its rule has a point beyond. */
static uint64_t bound_behind(const struct wm_tune_field *f, int i)
{
    const struct wm_tune_point *p = &f->points[i], *next = p + 1;
    uint64_t power = 0;

    if (p->path == 0) {
        if (i + 2 < f->count && next[1].path == next->path && next->bytes > 0)
            power = 2 * power_between((next->bytes + 1) / 2, next->bytes - 1);
        return (power >= next->bytes && power <= next[1].bytes ? power : next->bytes) - 1;
    }
    if (next->path != 0)
        power = power_between(p->bytes, next->bytes - 1);
    else if (i > 0 && p[-1].path == p->path)
        power = power_between(p[-1].bytes, p->bytes);
    return power > 0 ? power : p->bytes;
}

int wm_tune_field_rules(const struct wm_tune_field *f, struct wm_tune_rule *rules)
{
    int count = 0;

    for (int i = 0; i < f->count; i++) {
        const struct wm_tune_point *p = &f->points[i];

        if (i == 0 || p[-1].path != p->path) {
            uint64_t from = count == 0 ? 0 : rules[count - 1].bound + 1;

            if (count == WM_TUNE_RULES_MAX)
                break;
            rules[count++] = (struct wm_tune_rule){.first = i, .path = p->path, .from = from};
        }
        rules[count - 1].last = i;
        rules[count - 1].bound = i + 1 < f->count ? bound_behind(f, i) : p->bytes;
        rules[count - 1].launches |= confirmations(p, p->path);
    }
    return count;
}

void wm_tune_field_settle(struct wm_tune_field *f, int launches)
{
    struct wm_tune_rule rules[WM_TUNE_RULES_MAX];
    int count = wm_tune_field_rules(f, rules), covered = count == 0 ? 0 : rules[count - 1].last + 1;

    for (int i = 0; i < count; i++)
        for (int k = rules[i].first; k <= rules[i].last; k++)
            if (__builtin_popcount(rules[i].launches) < launches || (rules[i].first == rules[i].last && f->count > 1))
                f->points[k].path = 0;
    for (int k = covered; k < f->count; k++)
        f->points[k].path = 0;
}

bool wm_tune_field_named(const struct wm_tune_field *f)
{
    for (int i = 0; i < f->count; i++)
        if (f->points[i].path != 0)
            return true;
    return false;
}

void wm_tune_field_doubt(struct wm_tune_field *f)
{
    for (int i = 0; i < f->count; i++)
        for (int k = 0; k < f->points[i].seen_count; k++)
            f->points[i].seen[k].launches = 0;
}

uint64_t wm_tune_field_gap(const struct wm_tune_field *f)
{
    for (int i = 1; i < f->count; i++) {
        uint64_t low = f->points[i - 1].bytes, high = f->points[i].bytes, middle = 1;

        if (f->points[i - 1].path == f->points[i].path)
            continue;
        while (middle * middle < low * high && 2 * middle < high)
            middle *= 2;
        if (middle > low && middle < high)
            return middle;
    }
    return 0;
}

/* The point below `bytes`, or at it, and the one behind; of those at an end both are the last one. */
static void neighbours(const struct wm_tune_field *f, uint64_t bytes, const struct wm_tune_point **low,
                       const struct wm_tune_point **high)
{
    int at = 0;

    while (at + 1 < f->count && f->points[at + 1].bytes <= bytes)
        at++;
    *low = &f->points[at];
    *high = &f->points[at + 1 < f->count && f->points[at].bytes < bytes ? at + 1 : at];
}

int wm_tune_field_rivals(const struct wm_tune_field *f, uint64_t bytes, int path, int most,
                         bool rivals[WM_TUNE_PATHS_MAX])
{
    const struct wm_tune_point *low, *high;

    neighbours(f, bytes, &low, &high);
    memset(rivals, 0, sizeof *rivals * WM_TUNE_PATHS_MAX);
    for (int k = 0; k < most; k++) {
        const struct wm_tune_seen *best = NULL;

        for (int i = 0; i < low->seen_count; i++) {
            const struct wm_tune_seen *s = &low->seen[i];

            if (!rivals[s->path] && wm_tune_point_safe(low, s->path) && wm_tune_point_safe(high, s->path) &&
                (best == NULL || s->gain > best->gain))
                best = s;
        }
        if (best == NULL)
            break;
        rivals[best->path] = true;
    }
    rivals[path] = rivals[0] = rivals[low->fast] = true;
    return low->fast == high->fast ? low->fast : 0;
}

int64_t wm_tune_field_items(const struct wm_tune_field *f, uint64_t bytes)
{
    uint64_t items = bytes > 0 ? f->load_bytes / bytes : 0;

    return items > 0 ? (int64_t)items : 1;
}
