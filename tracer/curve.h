/* Curves: one clock's time as a function of another's, through measured knots, straight between them, with a bound on
 * the error everywhere.
 *
 * A knot is a measurement with its error. Between two knots the line is wrong by no more than the greater of both
 * errors and by what the clock's rate may have wandered meanwhile: if the true rate stays within *wander* of the
 * piece's, the true curve, which passes near both ends, can leave the chord by wander times the distance from the
 * nearer end. The wander of a piece is the greatest difference between its rate and the rates before and after it, each
 * over as long a time as the piece itself, so that the error of short pieces is not taken for wander; a rate that
 * changes steadily differs from its mean within a piece by half of that. Since a rate may turn at a knot, the
 * neighbours' changes count as well. Where there is nothing to compare with, rules say what to expect of such a clock.
 * Before the first knot and after the last the rate of the piece there goes on (measured over a second, if there are
 * knots for it), and what is not known of it, by its errors and by wander, grows with the distance.
 *
 * x and y are units of two clocks, y in ns. Knots are in order of both. */
#ifndef WM_CURVE_H
#define WM_CURVE_H

#include <stdbool.h>
#include <stddef.h>

struct wm_knot {
    double x, y, error; /* error in ns */
    double rate;        /* of the piece that begins here, y per x; of the last knot: beyond it */
    double wander;      /* of that piece, as a fraction */
};

/* What to expect of a clock. Rates are y per x, wanders are fractions. */
struct wm_curve_rules {
    double rate;          /* expected, and of a curve of one knot */
    double tolerance;     /* a piece whose rate differs from the expected by a greater fraction is damaged */
    double alone_wander;  /* of a curve of one knot */
    double single_wander; /* of a curve of two knots, the least of one of three, and … */
    double single_share;  /* … this share of what its rate differs from the expected */
    double least_wander;  /* of all others */
};

struct wm_curve {
    struct wm_curve_rules rules;
    size_t count, room;
    struct wm_knot *knots;
    double before_wander; /* before the first knot */
};

void wm_curve_init(struct wm_curve *curve, const struct wm_curve_rules *rules);
void wm_curve_release(struct wm_curve *curve);

/* Add a knot, in the order of x. Of two that are less than a millisecond apart, or between which the rate would be
 * impossible, the one with the smaller error stays, the earlier when they are equal. Returns 0 or -WM_ENOMEM. */
int wm_curve_add(struct wm_curve *curve, double x, double y, double error);

/* All knots are there: leave out those whose error is so great that their neighbours tell more, and find rates and
 * wanders. At least one knot was added. */
void wm_curve_finish(struct wm_curve *curve);

/* y at x, and the bound of its error. */
double wm_curve_at(const struct wm_curve *curve, double x, double *error);
/* x of y. */
double wm_curve_inverse(const struct wm_curve *curve, double y);
/* How fast the bound grows at most with the distance from a knot, in the piece that begins at x (the pieces before the
 * first and behind the last included). */
double wm_curve_wander(const struct wm_curve *curve, double x);

#endif
