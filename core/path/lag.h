/* Lags: the network that `delay` makes an axis look like. Pure.
 *
 * A message crosses an axis when its sender and its receiver are of different groups on it (core/path/grid.h). It
 * leaves when the sender's link is free, keeps the link busy for bytes / rate, and is due the latency later, which
 * jitter makes longer or shorter. Who sends when, and when links are free, is known at run time
 * (core/process/uplink.h). */
#ifndef WM_LAG_H
#define WM_LAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wm_grid;
struct wm_path;
struct wm_wrapper;

/* Parameters of `delay`, in the order of its class record. */
enum { WM_LAG_TIME, WM_LAG_AXIS, WM_LAG_MBIT, WM_LAG_JITTER, WM_LAG_SEED };

struct wm_lag {
    int axis;            /* of the grid */
    uint32_t jitter_ppm; /* of the latency, by so much at most it is longer or shorter */
    uint64_t latency_ns;
    uint64_t mbit; /* 10^6 bits a second; 0: bytes take no time */
    uint64_t seed; /* of jitter */
};

/* What a `delay` says; and the path's: NULL, it has none. */
struct wm_lag wm_lag_of(const struct wm_wrapper *delay);
const struct wm_wrapper *wm_path_delay(const struct wm_path *path);

/* Is it the same network? */
bool wm_lag_equal(const struct wm_lag *a, const struct wm_lag *b);

/* How long a message of so many bytes keeps the link busy; and how long it is under way then, if it is the sender's
 * message `number` to the receiver. */
uint64_t wm_lag_busy_ns(const struct wm_lag *lag, size_t bytes);
uint64_t wm_lag_latency_ns(const struct wm_lag *lag, int sender, int receiver, uint64_t number);

/* "500us, 1000 Mbit/s, jitter 10% by seed 7, across node". Returns `out`. */
enum { WM_LAG_CHARS = 160 };
const char *wm_lag_describe(const struct wm_lag *lag, const struct wm_grid *grid, char out[WM_LAG_CHARS]);

/* By rank, its group on the axis; `all`: each rank is one of its own. A message between different ones crosses the
 * axis. The grid's. */
const int *wm_lag_groups(const struct wm_lag *lag, const struct wm_grid *grid);

#endif
