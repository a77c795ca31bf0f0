/* A spread: values of which the median and other percentiles are wanted. */
#ifndef WM_SPREAD_H
#define WM_SPREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wm_spread {
    int64_t *values;
    size_t count, capacity;
    bool sorted;
};

/* 0 or -WM_ENOMEM, and then the value is left out. */
int wm_spread_add(struct wm_spread *spread, int64_t value);
/* The smallest value that `percent` of all do not exceed (1 to 100); 0 of none. Sorts. */
int64_t wm_spread_at(struct wm_spread *spread, int percent);
int64_t wm_spread_sum(const struct wm_spread *spread);
void wm_spread_release(struct wm_spread *spread);

#endif
