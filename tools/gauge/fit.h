/* A time over bytes as pieces of straight lines that are never negative. Pure. */
#ifndef WM_GAUGE_FIT_H
#define WM_GAUGE_FIT_H

#include <stdint.h>

struct wm_gauge_point {
    uint64_t bytes;
    double ns;
};

/* Up to `up_to` bytes: base + slope * bytes, in ns. */
struct wm_gauge_piece {
    uint64_t up_to;
    double base, slope;
};

/* Pieces through points of growing sizes, `floor` being the least base; a piece that ends at each point but the first,
 * and the last one's goes on for ever (up_to 0). Neighbours that agree within `tolerance` (0.02: 2 %) at all points of
 * theirs become one. Where less is taken than at the size before, something else serves from there on: beyond that
 * size, if it alone of the two is a power of two, as limits are, else from the later size on. `pieces` has room for n
 * + 1. Returns how many there are: 0 of no points. */
int wm_gauge_fit(struct wm_gauge_piece *pieces, const struct wm_gauge_point *points, int n, double floor,
                 double tolerance);

/* What the pieces say of so many bytes. */
double wm_gauge_fit_ns(const struct wm_gauge_piece *pieces, int n, uint64_t bytes);

#endif
