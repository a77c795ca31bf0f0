/* Estimates from noisy samples: the middle, and between which bounds it is. Outliers move neither. Pure. */
#ifndef WM_GAUGE_ESTIMATE_H
#define WM_GAUGE_ESTIMATE_H

struct wm_gauge_estimate {
    double value, low, high;
    int n;
};

/* The median of the samples, and its interval of 95 %, by their order alone. The samples are sorted. Without any, all
 * is 0. */
struct wm_gauge_estimate wm_gauge_estimate(double *samples, int n);

/* The largest of their relative half-widths. */
double wm_gauge_width(const struct wm_gauge_estimate *estimates, int n);

#endif
