/* Piecewise linear curves between clocks, with bounds. */
#include "tracer/curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/error.h"
#include "core/search.h"

static const double NEAR_NS = 1e6;
static const double OUTER_NS = 1e9;         /* the rate beyond the ends is measured over so long */
static const double COARSE_FRACTION = 1e-5; /* what a line that skips a knot may miss, roughly */

void wm_curve_init(struct wm_curve *curve, const struct wm_curve_rules *rules)
{
    *curve = (struct wm_curve){.rules = *rules};
}

void wm_curve_release(struct wm_curve *curve)
{
    free(curve->knots);
    memset(curve, 0, sizeof *curve);
}

static double rate_between(const struct wm_curve *curve, size_t a, size_t b)
{
    return (curve->knots[b].y - curve->knots[a].y) / (curve->knots[b].x - curve->knots[a].x);
}

static bool fits(const struct wm_curve *curve, double x, double y)
{
    const struct wm_knot *last = &curve->knots[curve->count - 1];

    return x > last->x && y - last->y >= NEAR_NS &&
           fabs((y - last->y) / (x - last->x) / curve->rules.rate - 1) <= curve->rules.tolerance;
}

static int make_room(struct wm_curve *curve)
{
    size_t room = curve->room > 0 ? 2 * curve->room : 4;
    struct wm_knot *knots;

    if (curve->count < curve->room)
        return 0;
    if ((knots = realloc(curve->knots, room * sizeof *knots)) == NULL)
        return -WM_ENOMEM;
    curve->knots = knots;
    curve->room = room;
    return 0;
}

int wm_curve_add(struct wm_curve *curve, double x, double y, double error)
{
    while (curve->count > 0 && !fits(curve, x, y)) {
        if (error >= curve->knots[curve->count - 1].error)
            return 0;
        curve->count--;
    }
    if (make_room(curve) < 0)
        return -WM_ENOMEM;
    curve->knots[curve->count++] = (struct wm_knot){.x = x, .y = y, .error = error};
    return 0;
}

/* A measurement that was disturbed. */
static bool is_coarse(const struct wm_knot *before, const struct wm_knot *knot, const struct wm_knot *after)
{
    return knot->error > 2 * fmax(before->error, after->error) + COARSE_FRACTION * (after->y - before->y);
}

static void leave_out_coarse(struct wm_curve *curve)
{
    size_t kept = 1;

    for (size_t i = 1; i < curve->count; i++)
        if (i + 1 == curve->count || !is_coarse(&curve->knots[kept - 1], &curve->knots[i], &curve->knots[i + 1]))
            curve->knots[kept++] = curve->knots[i];
    curve->count = curve->count > 0 ? kept : 0;
}

/* The knot at least `span_ns` before knot `from` (after it), or the outermost. */
static size_t reach_back(const struct wm_curve *curve, size_t from, double span_ns)
{
    size_t i = from;

    while (i > 0 && curve->knots[from].y - curve->knots[i].y < span_ns)
        i--;
    return i;
}

static size_t reach_on(const struct wm_curve *curve, size_t from, double span_ns)
{
    size_t i = from;

    while (i + 1 < curve->count && curve->knots[i].y - curve->knots[from].y < span_ns)
        i++;
    return i;
}

/* How far the rate of piece `i` differs from that between two other knots, as a fraction; negative: they lie too near
 * to each other to tell. */
static double change(const struct wm_curve *curve, size_t i, size_t a, size_t b)
{
    double length = curve->knots[i + 1].y - curve->knots[i].y;

    if (a == b || curve->knots[b].y - curve->knots[a].y < length / 4)
        return -1;
    return fabs(rate_between(curve, a, b) / rate_between(curve, i, i + 1) - 1);
}

static double length_of(const struct wm_curve *curve, size_t i)
{
    return curve->knots[i + 1].y - curve->knots[i].y;
}

/* How far the rate of a piece differs from the rates before and after it; negative: nobody knows. */
static double piece_change(const struct wm_curve *curve, size_t i)
{
    double length = length_of(curve, i);

    return fmax(change(curve, i, reach_back(curve, i, length), i),
                change(curve, i, i + 1, reach_on(curve, i + 1, length)));
}

/* A rate that turns at a knot is the same on both sides: the neighbours' changes count too, unless they are so short
 * that theirs is but error. Few pieces tell little. */
static double piece_wander(const struct wm_curve *curve, size_t i)
{
    const struct wm_curve_rules *rules = &curve->rules;
    double seen = piece_change(curve, i);

    for (size_t j = i > 0 ? i - 1 : 0; j <= i + 1 && j + 1 < curve->count; j++)
        if (j != i && length_of(curve, j) >= length_of(curve, i) / 4)
            seen = fmax(seen, piece_change(curve, j));
    if (seen < 0 || curve->count < 4)
        seen = fmax(seen,
                    rules->single_wander + rules->single_share * fabs(rate_between(curve, i, i + 1) / rules->rate - 1));
    return fmax(seen, rules->least_wander);
}

/* What is not known of a rate measured between two knots. */
static double rate_error(const struct wm_curve *curve, size_t a, size_t b)
{
    return (curve->knots[a].error + curve->knots[b].error) / (curve->knots[b].y - curve->knots[a].y);
}

static void find_ends(struct wm_curve *curve)
{
    struct wm_knot *knots = curve->knots;
    size_t last = curve->count - 1, back, on;

    if (last == 0) {
        knots[0].rate = curve->rules.rate;
        knots[0].wander = curve->before_wander = curve->rules.alone_wander;
        return;
    }
    back = reach_back(curve, last, OUTER_NS);
    on = reach_on(curve, 0, OUTER_NS);
    knots[last].rate = rate_between(curve, back, last);
    knots[last].wander = knots[last - 1].wander + rate_error(curve, back, last);
    curve->before_wander = knots[0].wander + rate_error(curve, 0, on) +
                           fabs(rate_between(curve, 0, on) / knots[0].rate - 1); /* whose rate goes on */
}

void wm_curve_finish(struct wm_curve *curve)
{
    leave_out_coarse(curve);
    for (size_t i = 0; i + 1 < curve->count; i++) {
        curve->knots[i].rate = rate_between(curve, i, i + 1);
        curve->knots[i].wander = piece_wander(curve, i);
    }
    find_ends(curve);
}

/* The last knot at or before x (y), or the first. */
static size_t find_knot(const struct wm_curve *curve, double value, bool by_y)
{
    return WM_LAST_WHILE(i, curve->count, (by_y ? curve->knots[i].y : curve->knots[i].x) <= value);
}

double wm_curve_at(const struct wm_curve *curve, double x, double *error)
{
    size_t i = find_knot(curve, x, false);
    const struct wm_knot *knot = &curve->knots[i], *next = knot + 1;
    double y = knot->y + (x - knot->x) * knot->rate;

    if (x < knot->x)
        *error = knot->error + curve->before_wander * (knot->y - y);
    else if (i + 1 == curve->count)
        *error = knot->error + knot->wander * (y - knot->y);
    else
        *error = fmax(knot->error, next->error) + knot->wander * fmin(y - knot->y, next->y - y);
    return y;
}

double wm_curve_inverse(const struct wm_curve *curve, double y)
{
    const struct wm_knot *knot = &curve->knots[find_knot(curve, y, true)];

    return knot->x + (y - knot->y) / knot->rate;
}

double wm_curve_wander(const struct wm_curve *curve, double x)
{
    const struct wm_knot *knot = &curve->knots[find_knot(curve, x, false)];

    return x < knot->x ? curve->before_wander : knot->wander;
}
