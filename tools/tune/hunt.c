/* The hunt: rounds of a race, points of a field, and rules held against sizes that nothing was chosen by. */
#include "tools/tune/hunt.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tools/gauge/probes.h"
#include "tools/text/units.h"
#include "tools/tune/map.h"
#include "tools/tune/sift.h"
#include "tracer/clock.h"

enum { POINTS = 9, HALVINGS = 12, CONFIRM_ROUNDS = 40, CONFIRM_LEAST = 9, CONFIRM_PASSES = 2 };

/* Of an operation's time: for its points, then up to there for brackets, the rest for confirmation. */
static const double race_share = 0.55, bracket_share = 0.7;

static volatile sig_atomic_t interrupted;

void wm_tune_interrupt(void)
{
    interrupted = 1;
}

double wm_tune_now_s(void)
{
    return (double)wm_clock_monotonic_ns() * 1e-9;
}

static bool goes_on(struct wm_tune_hunt *h)
{
    h->interrupted = h->interrupted || interrupted != 0;
    return !h->interrupted && h->fault == NULL;
}

static void show(const struct wm_tune_hunt *h, const struct wm_tune_field *f, const char *doing, uint64_t bytes)
{
    if (!h->shows)
        return;
    fprintf(stderr, "\rtune: %s %s of %s, %.0f s of %.0f\033[K", doing, wm_operation_name(f->operation),
            wm_bytes_text(bytes).text, wm_tune_now_s() - h->begin_s, h->end_s - h->begin_s);
    fflush(stderr);
}

/* A batch, less what its fences took. Never nothing: a call that hides behind the fence counts as a twentieth. */
static double sample(struct wm_tune_hunt *h, const struct wm_tune_flight *flight, double fence_ns)
{
    double took = wm_tune_fly(h->session, flight);

    if (took < 0)
        h->fault = "there is no memory for the buffers; tune smaller sizes";
    if (flight->train)
        return took;
    return took - fence_ns > took / 20 ? took - fence_ns : took / 20;
}

/* How many calls make a batch: the most of three answers, for who is kept from the processor meanwhile finds too few.
 * Finding it out warms the buffers, too. Negative: memory is short. */
static int find_calls(struct wm_tune_hunt *h, const struct wm_tune_flight *flight)
{
    int calls = -1;

    for (int i = 0; i < 3; i++) {
        int found = (int)wm_tune_fly(h->session, flight);

        calls = found > calls ? found : calls;
    }
    return calls;
}

static double fence(struct wm_tune_hunt *h, int *calls)
{
    struct wm_tune_flight flight = {.who = WM_TUNE_FENCE};

    if (*calls == 0)
        *calls = find_calls(h, &flight);
    flight.calls = *calls;
    return wm_tune_fly(h->session, &flight);
}

/* Those that fly in a race: paths, and behind them `fast`. */
struct field_of_play {
    const bool *keeps;
    int calls[WM_TUNE_PATHS_MAX + 1], fence_calls;
    double fast[WM_TUNE_ROUNDS_MAX];
    int fast_rounds;
};

static void visit(struct wm_tune_hunt *h, struct wm_tune_race *r, struct wm_tune_field *f, struct field_of_play *play,
                  uint64_t bytes, int who, double fence_ns)
{
    int *calls = &play->calls[who < 0 ? WM_TUNE_PATHS_MAX : who];
    struct wm_tune_flight flight = {.who = who, .operation = (int)f->operation, .bytes = bytes, .calls = *calls};

    if (*calls == 0)
        flight.calls = *calls = find_calls(h, &flight);
    if (*calls < 0)
        h->fault = "there is no memory for the buffers; tune smaller sizes";
    else if (who < 0)
        play->fast[play->fast_rounds++] = sample(h, &flight, fence_ns);
    else
        r->ns[who][r->sampled[who]++] = sample(h, &flight, fence_ns);
}

/* One round, in an order that is drawn. */
static void fly_round(struct wm_tune_hunt *h, struct wm_tune_race *r, struct wm_tune_field *f,
                      struct field_of_play *play, uint64_t bytes)
{
    int order[WM_TUNE_PATHS_MAX + 1], count = 0;
    double fence_ns = fence(h, &play->fence_calls);

    for (int i = -1; i < r->count; i++) {
        int j;

        if (i >= 0 && !r->runs[i])
            continue;
        j = (int)(wm_gauge_draw(&h->seed) % (uint64_t)(count + 1));
        order[count++] = order[j];
        order[j] = i < 0 ? WM_TUNE_FAST : i;
    }
    for (int i = 0; i < count && goes_on(h); i++)
        visit(h, r, f, play, bytes, order[i], fence_ns);
    if (goes_on(h)) {
        r->rounds++;
        wm_tune_race_judge(r);
    }
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Race at one size until it is settled, or its time is over and there are rounds enough. */
static void race(struct wm_tune_hunt *h, struct wm_tune_field *f, uint64_t bytes, const bool *keeps, double end_s)
{
    static struct wm_tune_race r;
    struct field_of_play play = {.keeps = keeps};

    memset(&r, 0, sizeof r);
    r.count = f->list.count;
    for (int i = 0; i < r.count; i++)
        r.runs[i] = i == 0 || (keeps[i] && f->list.paths[i].least_bytes <= bytes);
    show(h, f, "racing", bytes);
    while (goes_on(h) && r.rounds < WM_TUNE_ROUNDS_MAX && !wm_tune_race_settled(&r) &&
           (r.rounds < WM_TUNE_ROUNDS_LEAST || wm_tune_now_s() < end_s))
        fly_round(h, &r, f, &play, bytes);
    if (!goes_on(h) && r.rounds < WM_TUNE_ROUNDS_LEAST)
        return;
    qsort(play.fast, (size_t)play.fast_rounds, sizeof *play.fast, by_value);
    if (!wm_tune_field_add(f, &r, bytes, play.fast[play.fast_rounds / 2]))
        h->fault = "there are too many sizes; name fewer";
}

static bool has_point(const struct wm_tune_field *f, uint64_t bytes)
{
    for (int i = 0; i < f->count; i++)
        if (f->points[i].bytes == bytes)
            return true;
    return false;
}

static int keep(struct wm_tune_hunt *h, const struct wm_tune_field *f, uint64_t bytes, bool *keeps,
                struct wm_error *error)
{
    for (int i = 0; i < WM_TUNE_PATHS_MAX; i++)
        keeps[i] = true;
    return h->profile == NULL
               ? 0
               : wm_tune_prune(keeps, &f->list, f->operation, h->session->machine, bytes, h->profile, error);
}

/* Up to nine of the sizes, the ends among them. */
static bool race_points(struct wm_tune_hunt *h, struct wm_tune_field *f, const struct wm_size_list *sizes, double end_s,
                        struct wm_error *error)
{
    int count = sizes->count < POINTS ? sizes->count : POINTS;
    bool keeps[WM_TUNE_PATHS_MAX];

    for (int i = 0; i < count && goes_on(h); i++) {
        uint64_t bytes = sizes->bytes[count == 1 ? 0 : i * (sizes->count - 1) / (count - 1)];
        double now = wm_tune_now_s();

        if (has_point(f, bytes) || bytes % (uint64_t)wm_bench_element_bytes((int)f->operation, bytes) != 0)
            continue;
        if (keep(h, f, bytes, keeps, error) < 0)
            return false;
        race(h, f, bytes, keeps, now + (end_s - now) / (count - i));
    }
    return goes_on(h);
}

/* A point whose path is neither neighbour's races once more: it may have been disturbed. */
static bool race_again(struct wm_tune_hunt *h, struct wm_tune_field *f, double end_s, struct wm_error *error)
{
    bool keeps[WM_TUNE_PATHS_MAX];

    wm_tune_field_choose(f);
    for (int i = 0; i < f->count && goes_on(h); i++) {
        int path = f->points[i].path;
        bool alone = (i == 0 || f->points[i - 1].path != path) && (i + 1 == f->count || f->points[i + 1].path != path);
        double now = wm_tune_now_s();

        if (!alone || f->count < 2 || now > end_s)
            continue;
        if (keep(h, f, f->points[i].bytes, keeps, error) < 0)
            return false;
        race(h, f, f->points[i].bytes, keeps, now + (end_s - now) / 2);
    }
    return goes_on(h);
}

/* Between neighbours of different paths these two race, beside native. */
static void halve(struct wm_tune_hunt *h, struct wm_tune_field *f, double end_s)
{
    for (int k = 0; k < HALVINGS && goes_on(h) && wm_tune_now_s() < end_s; k++) {
        bool keeps[WM_TUNE_PATHS_MAX] = {0};
        uint64_t bytes;
        double now = wm_tune_now_s();

        wm_tune_field_choose(f);
        bytes = wm_tune_field_gap(f);
        if (bytes == 0)
            return;
        for (int i = 1; i < f->count; i++)
            if (f->points[i - 1].bytes < bytes && bytes < f->points[i].bytes)
                keeps[f->points[i - 1].path] = keeps[f->points[i].path] = true;
        race(h, f, bytes, keeps, now + (end_s - now) / 3);
    }
}

/* Is the map no slower than native, with 95 %? Native's time in *native_ns. */
static bool holds(struct wm_tune_hunt *h, struct wm_tune_field *f, uint64_t bytes, bool train, double end_s,
                  double *native_ns)
{
    double ns[2][WM_TUNE_ROUNDS_MAX], low = -INFINITY;
    int calls = 0, fence_calls = 0, rounds;

    for (rounds = 0;
         goes_on(h) && rounds < CONFIRM_ROUNDS && (rounds < CONFIRM_LEAST || (low < 0 && wm_tune_now_s() < end_s));
         rounds++) {
        double fence_ns = train ? 0 : fence(h, &fence_calls);

        for (int turn = 0; turn < 2; turn++) {
            int which = (turn + rounds) % 2; /* native first in every other round */
            struct wm_tune_flight flight = {.who = which == 0 ? WM_TUNE_NATIVE : WM_TUNE_MAP,
                                            .operation = (int)f->operation,
                                            .bytes = bytes,
                                            .calls = calls};

            if (calls == 0)
                flight.calls = calls = find_calls(h, &flight);
            flight.train = train;
            ns[which][rounds] = sample(h, &flight, fence_ns);
        }
        if (rounds + 1 >= CONFIRM_LEAST) {
            struct wm_tune_gap gap = wm_tune_gap(ns[0], ns[1], rounds + 1);

            low = wm_tune_gap_low(&gap);
        }
    }
    qsort(ns[0], (size_t)rounds, sizeof(double), by_value);
    *native_ns = rounds > 0 ? ns[0][rounds / 2] : 0;
    return low >= 0;
}

/* A size between this point and the next one that nothing was chosen by: 1.37 times as large, an odd number of
 * elements; 0: there is none. */
static uint64_t held_out_size(const struct wm_tune_field *f, int point)
{
    uint64_t low = f->points[point].bytes, high = point + 1 < f->count ? f->points[point + 1].bytes : 0;
    uint64_t bytes = low + low * 37 / 100, element = (uint64_t)wm_bench_element_bytes((int)f->operation, 8);

    bytes = (bytes / element | 1) * element;
    return bytes > low && bytes < high ? bytes : 0;
}

/* Sizes on which a path of the field is confirmed. */
struct confirmed {
    int count;
    uint64_t bytes[2 * WM_TUNE_POINTS_MAX];
    int path[2 * WM_TUNE_POINTS_MAX];
};

static bool is_confirmed(const struct confirmed *done, uint64_t bytes, int path)
{
    for (int i = 0; i < done->count; i++)
        if (done->bytes[i] == bytes && done->path[i] == path)
            return true;
    return false;
}

/* Hold one size against native. False: it did not hold, or there was nobody to say. */
static bool confirm(struct wm_tune_hunt *h, struct wm_tune_field *f, uint64_t bytes, double end_s)
{
    double native_ns, now = wm_tune_now_s();
    bool good;

    show(h, f, "confirming", bytes);
    good = holds(h, f, bytes, false, (now + end_s) / 2, &native_ns) && holds(h, f, bytes, true, end_s, &native_ns);
    if (!goes_on(h))
        return false;
    f->held_out++;
    f->held += good;
    if (!good && !wm_tune_field_force(f, bytes, native_ns))
        h->fault = "there are too many sizes; name fewer";
    return good;
}

/* The rules in a fresh communicator, on sizes of their own. Where one does not hold, native takes the call, and the
 * rules around it are chosen again. */
static void confirm_rules(struct wm_tune_hunt *h, struct wm_tune_field *f, double end_s)
{
    struct confirmed done = {0};

    for (int pass = 0; pass < CONFIRM_PASSES && goes_on(h); pass++) {
        struct wm_tune_field asked = *f;
        char file[WM_TUNE_FILE_CHARS];
        bool all = true;

        if (!wm_tune_write_rules(f, file)) {
            h->fault = "there is no memory for the rules; give the job more";
            return;
        }
        wm_tune_open_map(h->session, file);
        for (int i = 0; i < asked.count && goes_on(h); i++) {
            uint64_t bytes = asked.operation == WM_BARRIER ? 0 : held_out_size(&asked, i);
            int path = wm_tune_field_path(&asked, bytes);
            double now = wm_tune_now_s();

            if (path == 0 || is_confirmed(&done, bytes, path) || (bytes == 0 && asked.operation != WM_BARRIER))
                continue;
            if (confirm(h, f, bytes, now + (end_s - now) / (asked.count - i)))
                done.bytes[done.count] = bytes, done.path[done.count++] = path;
            else
                all = false;
        }
        wm_tune_field_choose(f);
        if (all)
            return;
    }
}

bool wm_tune_hunt_operation(struct wm_tune_hunt *h, struct wm_tune_field *f, const struct wm_size_list *sizes,
                            double end_s, struct wm_error *error)
{
    double begin = wm_tune_now_s(), time = end_s - begin;
    char file[WM_TUNE_FILE_CHARS];
    bool good;

    if (f->list.count == 0) {
        wm_tune_list_paths(&f->list, f->operation, h->session->nodes);
        if (wm_tune_sift(&f->list, f->operation, h->session->machine, sizes->bytes[sizes->count - 1], error) < 0)
            return false;
    }
    if (!wm_tune_write_candidates(f, file)) {
        h->fault = "there is no memory for the candidates; give the job more";
        return false;
    }
    wm_tune_open(h->session, file, f->list.count);
    good = race_points(h, f, sizes, begin + race_share * time, error);
    good = good && race_again(h, f, begin + bracket_share * time, error);
    if (good)
        halve(h, f, begin + bracket_share * time);
    wm_tune_close(h->session);
    wm_tune_field_choose(f);
    if (good && goes_on(h))
        confirm_rules(h, f, end_s);
    return good && goes_on(h);
}
