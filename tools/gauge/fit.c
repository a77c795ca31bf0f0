/* A time over bytes as pieces of straight lines. */
#include "tools/gauge/fit.h"

#include <math.h>
#include <stdbool.h>

static struct wm_gauge_piece line(const struct wm_gauge_point *a, const struct wm_gauge_point *b, double floor)
{
    double slope = fmax(0, (b->ns - a->ns) / (double)(b->bytes - a->bytes)), base = a->ns - slope * (double)a->bytes;

    if (base < floor) { /* as steep as it can be; right at the upper end */
        base = floor < b->ns ? floor : b->ns;
        slope = (b->ns - base) / (double)b->bytes;
    }
    return (struct wm_gauge_piece){b->bytes, base, slope};
}

static bool agrees(const struct wm_gauge_piece *piece, const struct wm_gauge_point *points, int first, int last,
                   double tolerance)
{
    for (int i = first; i <= last; i++)
        if (fabs(piece->base + piece->slope * (double)points[i].bytes - points[i].ns) > tolerance * points[i].ns)
            return false;
    return true;
}

/* Is less taken at point i than at the one before, beyond the tolerance? */
static bool drops(const struct wm_gauge_point *points, int i, double tolerance)
{
    return points[i].ns < (1 - tolerance) * points[i - 1].ns;
}

/* The longest piece from `first` on; *last: the point it ends at. Where times drop, nothing reaches across. */
static struct wm_gauge_piece extend(const struct wm_gauge_point *points, int n, int first, double floor,
                                    double tolerance, int *last)
{
    struct wm_gauge_piece best = line(&points[first], &points[first + 1], floor);

    for (*last = first + 1; *last + 1 < n && !drops(points, *last + 1, tolerance); ++*last) {
        struct wm_gauge_piece longer = line(&points[first], &points[*last + 1], floor);

        if (!agrees(&longer, points, first, *last + 1, tolerance))
            break;
        best = longer;
    }
    return best;
}

static bool is_power(uint64_t bytes)
{
    return (bytes & (bytes - 1)) == 0;
}

/* Where limits are powers of two, one that lies at the lower size is the last of what was before. */
static uint64_t limit_between(uint64_t low, uint64_t high)
{
    return is_power(low) && !is_power(high) ? low : high - 1;
}

int wm_gauge_fit(struct wm_gauge_piece *pieces, const struct wm_gauge_point *points, int n, double floor,
                 double tolerance)
{
    int count = 0, first = 0;

    if (n == 1)
        pieces[count++] = (struct wm_gauge_piece){.base = points[0].ns};
    while (first < n - 1) {
        int last = first + 1;

        if (drops(points, last, tolerance)) {
            if (count == 0)
                pieces[count++] = (struct wm_gauge_piece){.base = points[first].ns};
            pieces[count - 1].up_to = limit_between(points[first].bytes, points[last].bytes);
            if (last == n - 1)
                pieces[count++] = (struct wm_gauge_piece){.base = points[last].ns};
        } else {
            pieces[count++] = extend(points, n, first, floor, tolerance, &last);
        }
        first = last;
    }
    if (count > 0)
        pieces[count - 1].up_to = 0;
    return count;
}

double wm_gauge_fit_ns(const struct wm_gauge_piece *pieces, int n, uint64_t bytes)
{
    for (int i = 0; i < n; i++)
        if (pieces[i].up_to == 0 || bytes <= pieces[i].up_to)
            return pieces[i].base + pieces[i].slope * (double)bytes;
    return 0;
}
