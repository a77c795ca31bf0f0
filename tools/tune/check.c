/* A map held against the library at points that are drawn. */
#include "tools/tune/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <unistd.h>
#include "tools/gauge/probes.h"
#include "tools/text/units.h"

static const double slower = 0.0296; /* ln 1.03 */

/* What seems slower is looked at so often, each time longer. */
enum { LOOKS = 4 };

struct tally {
    int points, slower, faster;
    double *ratios;
};

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static struct wm_tune_race race; /* the last one */

/* Native's time divided by the map's, of one race that lasts `seconds` or longer. */
static bool look(struct wm_tune_hunt *h, const struct wm_tune_field *f, struct wm_tune_heat heat, double seconds,
                 struct wm_tune_gap *gap, double *native_ns)
{
    heat.end_s = wm_tune_now_s() + seconds;
    if (!wm_tune_hold_heat(h, &race, f, &heat))
        return false;
    *gap = wm_tune_race_gap(&race, 0, 1);
    *native_ns = wm_tune_race_ns(&race, 0);
    return true;
}

static void tell_slower(const struct wm_tune_field *f, const struct wm_tune_heat *heat, const struct wm_tune_gap *gap,
                        double native_ns)
{
    const struct wm_tune_kind *kind = wm_tune_kind(f->operation);
    const char *manner = kind->manners[wm_tune_manner_of(kind, heat->manner, race.slow_ns > 0)];

    printf("%s of %s", wm_operation_name(f->operation), wm_bytes_text(heat->bytes).text);
    if (wm_operation_rooted(f->operation))
        printf(", root %d", *heat->root);
    printf(", %s: %.2f times native's %s (at least %.2f)\n", manner, exp(-gap->middle),
           wm_time_text((int64_t)native_ns).text, exp(-wm_tune_gap_high(gap)));
}

/* One point; slower is what was in each look, for one may have been disturbed. */
static bool check_point(struct wm_tune_hunt *h, const struct wm_tune_field *f, uint64_t low, uint64_t high,
                        struct tally *t)
{
    static const bool runs[2] = {true, true};
    bool barrier = f->operation == WM_BARRIER;
    int root;
    struct wm_tune_heat heat = {.bytes = barrier ? 0 : wm_tune_draw_bytes(h, f->operation, low, high),
                                .root = &root,
                                .manner = wm_gauge_draw(&h->seed) % 2 == 0 ? WM_TUNE_TRAIN : WM_TUNE_FENCED,
                                .map = true,
                                .runs = runs};
    struct wm_tune_gap gap;
    double native_ns;

    wm_tune_draw_roots(h, f->operation, 1, &root);
    wm_tune_show(h, f->operation, "checking", heat.bytes);
    for (int i = 0; i < LOOKS && (i == 0 || wm_tune_gap_high(&gap) < -slower); i++)
        if (!look(h, f, heat, (i + 1) * WM_TUNE_LOOK_MS * 1e-3, &gap, &native_ns))
            return false;
    if (wm_tune_gap_high(&gap) < -slower) {
        t->slower++;
        tell_slower(f, &heat, &gap, native_ns);
    }
    t->faster += wm_tune_gap_low(&gap) > slower;
    t->ratios[t->points++] = gap.middle;
    return true;
}

static int tell(const struct tally *t, const char *map)
{
    double sum = 0;

    if (t->points == 0)
        return 1;
    qsort(t->ratios, (size_t)t->points, sizeof *t->ratios, by_value);
    for (int i = 0; i < t->points; i++)
        sum += t->ratios[i];
    printf("%s: at %d of %s more than 3 %% slower than the library, beyond noise; more than 3 %% faster at %d; median "
           "%.2f times as fast, mean %.2f\n",
           map, t->slower, wm_number_text((uint64_t)t->points, "point").text, t->faster, exp(t->ratios[t->points / 2]),
           exp(sum / t->points));
    return t->slower > 0 ? WM_TUNE_SLOWER : 0;
}

/* The map as this process opens it: its name may be longer than an order's. */
static bool open_map(struct wm_tune_hunt *h, const char *map)
{
    char file[WM_TUNE_FILE_CHARS];
    int fd = open(map, O_RDONLY);

    if (fd < 0)
        return false;
    snprintf(file, sizeof file, "/proc/self/fd/%d", fd);
    wm_tune_open_map(h->session, file);
    close(fd);
    return true;
}

int wm_tune_check(struct wm_tune_hunt *h, const json_t *words)
{
    json_int_t operations = 0, low = 8, high = 8, load = 0;
    int points = 0, count = 0, which[WM_OPERATION_COUNT];
    static struct wm_tune_field field;
    struct tally tally = {0};
    const char *map = NULL;

    json_unpack((json_t *)words, "{ss, sI, sI, sI, sI, si}", "map", &map, "operations", &operations, "low", &low,
                "high", &high, "load", &load, "points", &points);
    for (int op = 0; op < WM_OPERATION_COUNT; op++)
        if (operations >> op & 1)
            which[count++] = op;
    tally.ratios = calloc((size_t)points + 1, sizeof *tally.ratios);
    if (count == 0 || tally.ratios == NULL || !open_map(h, map)) {
        fprintf(stderr, "waymark tune: cannot read the map '%s'; name a file\n", map);
        free(tally.ratios);
        return 1;
    }
    for (int i = 0; i < points && wm_tune_goes_on(h); i++) {
        field.load_bytes = (uint64_t)load;
        field.operation = (enum wm_operation)which[wm_gauge_draw(&h->seed) % (uint64_t)count];
        if (!check_point(h, &field, (uint64_t)low, (uint64_t)high, &tally))
            break;
    }
    points = tell(&tally, map);
    free(tally.ratios);
    return points;
}
