/* The hunt: candidates raced at points of a field, and brackets halved. */
#include "tools/tune/hunt.h"

#include <string.h>
#include "tools/tune/map.h"
#include "tools/tune/sift.h"

enum { POINTS = 9, POINTS_LEAST = 3, HALVINGS = 12, HALVINGS_LEAST = 4, RIVALS = 6 };

/* Of an operation's time: for its points, the rest for brackets. */
static const double race_share = 0.75;

void wm_tune_race_point(struct wm_tune_hunt *h, struct wm_tune_field *f, struct wm_tune_heat heat, bool fresh)
{
    const struct wm_tune_kind *kind = wm_tune_kind(f->operation);
    static struct wm_tune_race r;
    bool rivals[WM_TUNE_PATHS_MAX];
    double now = wm_tune_now_s(), end_s = heat.end_s;
    struct wm_tune_point *point;

    heat.manner = WM_TUNE_FENCED;
    heat.end_s = (now + end_s) / 2;
    if (!wm_tune_hold_heat(h, &r, f, &heat))
        return;
    point = wm_tune_field_add(f, &r, heat.bytes, h->launch, fresh);
    if (point != NULL && wm_tune_manner_of(kind, WM_TUNE_TRAIN, r.slow_ns > 0) != WM_TUNE_STARTED) {
        wm_tune_field_rivals(f, heat.bytes, heat.fast, RIVALS, rivals);
        for (int i = 0; i < f->list.count; i++)
            rivals[i] = rivals[i] && heat.runs[i];
        heat.runs = rivals;
        heat.manner = WM_TUNE_TRAIN;
        heat.end_s = end_s;
        if (wm_tune_hold_heat(h, &r, f, &heat))
            wm_tune_field_add(f, &r, heat.bytes, h->launch, false);
        else
            wm_tune_field_drop(f, heat.bytes);
    } else if (point == NULL) {
        h->fault = "there are too many sizes; name fewer";
    }
}

static bool has_point(const struct wm_tune_field *f, uint64_t bytes)
{
    for (int i = 0; i < f->count; i++)
        if (f->points[i].bytes == bytes)
            return true;
    return false;
}

/* Race what may be fastest at a size, of all candidates. */
static bool race_all(struct wm_tune_hunt *h, struct wm_tune_field *f, uint64_t bytes, double end_s,
                     struct wm_error *error)
{
    bool runs[WM_TUNE_PATHS_MAX];
    struct wm_tune_heat heat = {.bytes = bytes, .runs = runs, .end_s = end_s};

    for (int i = 0; i < WM_TUNE_PATHS_MAX; i++)
        runs[i] = true;
    if (h->profile != NULL && wm_tune_prune(runs, &f->list, f->operation, h->session->machine, bytes,
                                            wm_tune_field_items(f, bytes), h->profile, error) < 0)
        return false;
    if (wm_tune_find_fast(&heat.fast, &f->list, f->operation, h->session->machine, &bytes, 1, error) < 0)
        return false;
    for (int i = 1; i < f->list.count; i++)
        runs[i] = i == heat.fast || (runs[i] && f->list.paths[i].least_bytes <= bytes);
    wm_tune_show(h, f->operation, "racing", bytes);
    wm_tune_race_point(h, f, heat, true);
    return true;
}

/* A size of the field, unless it has been raced, or no call moves so much. */
static bool is_due(const struct wm_tune_field *f, uint64_t bytes)
{
    return !has_point(f, bytes) && bytes % (uint64_t)wm_bench_element_bytes((int)f->operation, bytes) == 0;
}

/* Up to nine of the sizes, the ends first, then what halves what is left, three at least; further ones while there is
 * time. */
static bool race_points(struct wm_tune_hunt *h, struct wm_tune_field *f, double end_s, struct wm_error *error)
{
    const struct wm_size_list *sizes = &f->sizes;
    int last = (sizes->count < POINTS ? sizes->count : POINTS) - 1, step = 1, left = last + 1;

    while (step < last)
        step *= 2;
    for (; step > 0; step /= 2)
        for (int i = 0; i < last + step && wm_tune_goes_on(h); i += step) {
            uint64_t bytes = sizes->bytes[last == 0 ? 0 : (i < last ? i : last) * (sizes->count - 1) / last];
            double now = wm_tune_now_s();

            if (!is_due(f, bytes))
                continue;
            if (now > end_s && f->count >= POINTS_LEAST)
                return true;
            if (!race_all(h, f, bytes, now + (end_s - now) / (left > 0 ? left : 1), error))
                return false;
            left--;
        }
    return wm_tune_goes_on(h);
}

/* A point whose path is neither neighbour's races once more: it may have been disturbed. */
static bool race_again(struct wm_tune_hunt *h, struct wm_tune_field *f, double end_s, struct wm_error *error)
{
    wm_tune_field_choose(f);
    for (int i = 0; i < f->count && wm_tune_goes_on(h); i++) {
        int path = f->points[i].path;
        bool alone = (i == 0 || f->points[i - 1].path != path) && (i + 1 == f->count || f->points[i + 1].path != path);
        double now = wm_tune_now_s();

        if (!alone || f->count < 2 || now > end_s)
            continue;
        if (!race_all(h, f, f->points[i].bytes, now + (end_s - now) / 2, error))
            return false;
    }
    return wm_tune_goes_on(h);
}

/* Between neighbours of different paths what may serve both races; some halvings whatever the time, since a rule of a
 * single size is none. */
static void halve(struct wm_tune_hunt *h, struct wm_tune_field *f, double end_s)
{
    for (int k = 0; k < HALVINGS && wm_tune_goes_on(h) && (k < HALVINGS_LEAST || wm_tune_now_s() < end_s); k++) {
        bool rivals[WM_TUNE_PATHS_MAX];
        double now = wm_tune_now_s();
        struct wm_tune_heat heat = {.runs = rivals, .end_s = now + (end_s - now) / 3};

        wm_tune_field_choose(f);
        heat.bytes = wm_tune_field_gap(f);
        if (heat.bytes == 0)
            return;
        heat.fast = wm_tune_field_rivals(f, heat.bytes, 0, RIVALS, rivals);
        for (int i = 1; i < f->count; i++)
            if (f->points[i - 1].bytes < heat.bytes && heat.bytes < f->points[i].bytes)
                rivals[f->points[i - 1].path] = rivals[f->points[i].path] = true;
        wm_tune_show(h, f->operation, "racing", heat.bytes);
        wm_tune_race_point(h, f, heat, true);
    }
}

bool wm_tune_open_field(struct wm_tune_hunt *h, const struct wm_tune_field *f)
{
    char file[WM_TUNE_FILE_CHARS];

    if (!wm_tune_write_candidates(f, file)) {
        h->fault = "there is no memory for the candidates; give the job more";
        return false;
    }
    wm_tune_open(h->session, file, f->list.count);
    return true;
}

static int list_candidates(const struct wm_tune_session *s, struct wm_tune_field *f, struct wm_error *error)
{
    uint64_t most = f->sizes.bytes[f->sizes.count - 1];

    wm_tune_kind(f->operation)->list(&f->list, f->operation, s->nodes, s->clusters);
    return wm_tune_sift(&f->list, f->operation, s->machine, most, f->load_bytes, error);
}

bool wm_tune_hunt_operation(struct wm_tune_hunt *h, struct wm_tune_field *f, double end_s, struct wm_error *error)
{
    double begin = wm_tune_now_s(), points_s = begin + race_share * (end_s - begin);
    bool good;

    if (f->list.count == 0 && list_candidates(h->session, f, error) < 0)
        return false;
    if (!wm_tune_open_field(h, f))
        return false;
    good = race_points(h, f, points_s, error) && race_again(h, f, (points_s + end_s) / 2, error);
    if (good)
        halve(h, f, end_s);
    wm_tune_close(h->session);
    wm_tune_field_choose(f);
    f->raced = good && wm_tune_goes_on(h);
    return f->raced;
}
