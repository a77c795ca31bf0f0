/* Rules confirmed: held against native, and against what else may serve, at sizes that are drawn. */
#include <math.h>
#include <string.h>
#include "tools/gauge/probes.h"
#include "tools/tune/hunt.h"

/* What else races beside a rule's path; and how often a launch draws for each rule, at least. */
enum { RIVALS = 3, DRAWS_LEAST = 2, DRAWS_MOST = 40, LOOKS = 3 };

/* A race takes no longer, unless its seven rounds do. */
static const double race_s = 0.5;

uint64_t wm_tune_draw_bytes(struct wm_tune_hunt *h, enum wm_operation operation, uint64_t low, uint64_t high)
{
    double chance = (double)(wm_gauge_draw(&h->seed) >> 11) / (double)(UINT64_C(1) << 53);
    double drawn = (double)low * pow((double)high / (double)low, chance);
    uint64_t element = (uint64_t)wm_bench_element_bytes((int)operation, 8), bytes;

    if (low == 0)
        return 0;
    bytes = ((uint64_t)drawn / element | 1) * element;
    return bytes >= low && bytes <= high ? bytes : high;
}

int wm_tune_draw_roots(struct wm_tune_hunt *h, enum wm_operation operation, int most, int *roots)
{
    int ranks = wm_operation_rooted(operation) ? h->session->ranks : 1, count = 0;

    while (count < most && count < ranks) {
        int drawn = (int)(wm_gauge_draw(&h->seed) % (uint64_t)ranks), i = 0;

        while (i < count && roots[i] != drawn)
            i++;
        roots[i] = drawn;
        count += i == count;
    }
    return count;
}

static struct wm_tune_point *point_at(struct wm_tune_field *f, uint64_t bytes)
{
    for (int i = 0; i < f->count; i++)
        if (f->points[i].bytes == bytes)
            return &f->points[i];
    return NULL;
}

/* A size to hold a rule at. */
static uint64_t draw_point(struct wm_tune_hunt *h, const struct wm_tune_field *f, uint64_t low, uint64_t high)
{
    return wm_tune_field_room(f, wm_tune_draw_bytes(h, f->operation, low, high));
}

/* Hold one rule at a size. What is not safe is looked at again, longer: it may have been disturbed. */
static void confirm_at(struct wm_tune_hunt *h, struct wm_tune_field *f, int path, uint64_t bytes, double end_s)
{
    bool rivals[WM_TUNE_PATHS_MAX], known = point_at(f, bytes) != NULL;
    struct wm_tune_point before = known ? *point_at(f, bytes) : (struct wm_tune_point){.bytes = bytes};
    struct wm_tune_heat heat = {.bytes = bytes, .runs = rivals, .end_s = end_s};
    struct wm_tune_point *point;

    heat.fast = wm_tune_field_rivals(f, bytes, path, RIVALS, rivals);
    wm_tune_show(h, f->operation, "confirming", bytes);
    for (int look = 0; look < LOOKS && wm_tune_goes_on(h); look++) {
        wm_tune_race_point(h, f, heat, false);
        point = point_at(f, bytes);
        if (point == NULL)
            return;
        point->held_out = true;
        if (look == LOOKS - 1 || wm_tune_point_safe(point, path))
            return;
        *point = before;
        heat.end_s += race_s;
    }
}

/* Once for each rule. False: there is none to be confirmed. */
static bool confirm_all(struct wm_tune_hunt *h, struct wm_tune_field *f, double end_s)
{
    struct wm_tune_rule rules[WM_TUNE_RULES_MAX];
    int count = wm_tune_field_rules(f, rules);
    bool any = false;

    for (int i = 0; i < count && wm_tune_goes_on(h); i++) {
        uint64_t least = f->sizes.bytes[0], low = rules[i].from > least ? rules[i].from : least;
        double now = wm_tune_now_s(), share = (end_s - now) / (count - i);

        if (rules[i].path == 0)
            continue;
        any = true;
        confirm_at(h, f, rules[i].path, draw_point(h, f, low, rules[i].bound), now + fmin(2 * race_s, share));
    }
    return any;
}

bool wm_tune_confirm(struct wm_tune_hunt *h, struct wm_tune_field *f, double end_s)
{
    if (f->count == 0 || !wm_tune_open_field(h, f))
        return wm_tune_goes_on(h);
    for (int i = 0; i < DRAWS_MOST && (i < DRAWS_LEAST || wm_tune_now_s() < end_s) && wm_tune_goes_on(h); i++) {
        if (!confirm_all(h, f, end_s))
            break;
        wm_tune_field_choose(f);
    }
    wm_tune_close(h->session);
    return wm_tune_goes_on(h);
}
