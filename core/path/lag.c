/* Lags: what a `delay` says, in numbers and in words. */
#include "core/path/lag.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "core/hash.h"
#include "core/path/path.h"

enum { MILLION = 1000000, BITS_A_BYTE = 8, NS_A_US = 1000 };

struct wm_lag wm_lag_of(const struct wm_wrapper *delay)
{
    const struct wm_param_value *values = delay->values;

    return (struct wm_lag){.axis = values[WM_LAG_AXIS].axis,
                           .jitter_ppm = values[WM_LAG_JITTER].ppm,
                           .latency_ns = values[WM_LAG_TIME].ns,
                           .mbit = (uint64_t)values[WM_LAG_MBIT].count,
                           .seed = (uint64_t)values[WM_LAG_SEED].count};
}

const struct wm_wrapper *wm_path_delay(const struct wm_path *path)
{
    for (int i = 0; i < path->wrapper_count; i++)
        if (path->wrappers[i].class->role == WM_ROLE_DELAY)
            return &path->wrappers[i];
    return NULL;
}

bool wm_lag_equal(const struct wm_lag *a, const struct wm_lag *b)
{
    return a->axis == b->axis && a->latency_ns == b->latency_ns && a->mbit == b->mbit &&
           a->jitter_ppm == b->jitter_ppm && a->seed == b->seed;
}

/* 10^6 bits a second are a bit a microsecond. */
uint64_t wm_lag_busy_ns(const struct wm_lag *lag, size_t bytes)
{
    return lag->mbit == 0 ? 0 : (uint64_t)((double)bytes * BITS_A_BYTE * NS_A_US / (double)lag->mbit);
}

/* From -1 to 1, as the message's number among those of its pair wants it. */
static double chance(const struct wm_lag *lag, int sender, int receiver, uint64_t number)
{
    uint64_t hash = wm_hash_add(wm_hash_add(WM_HASH_BEGIN, lag->seed), (uint64_t)sender);

    hash = wm_hash_scatter(wm_hash_add(wm_hash_add(hash, (uint64_t)receiver), number));
    return (double)hash / (double)(UINT64_MAX / 2) - 1;
}

uint64_t wm_lag_latency_ns(const struct wm_lag *lag, int sender, int receiver, uint64_t number)
{
    double jitter = lag->jitter_ppm == 0 ? 0 : chance(lag, sender, receiver, number) * lag->jitter_ppm / MILLION;

    return (uint64_t)((double)lag->latency_ns * (1 + jitter));
}

const char *wm_lag_describe(const struct wm_lag *lag, const struct wm_grid *grid, char out[WM_LAG_CHARS])
{
    size_t used;

    wm_time_describe(lag->latency_ns, out, WM_LAG_CHARS);
    if (lag->mbit > 0) {
        used = strlen(out);
        snprintf(out + used, WM_LAG_CHARS - used, ", %" PRIu64 " Mbit/s", lag->mbit);
    }
    if (lag->jitter_ppm > 0) {
        used = strlen(out);
        snprintf(out + used, WM_LAG_CHARS - used, ", jitter %g%% by seed %" PRIu64, lag->jitter_ppm * 100.0 / MILLION,
                 lag->seed);
    }
    used = strlen(out);
    snprintf(out + used, WM_LAG_CHARS - used, ", across %s", wm_grid_axis_name(grid, lag->axis));
    return out;
}

const int *wm_lag_groups(const struct wm_lag *lag, const struct wm_grid *grid)
{
    return grid->axes[lag->axis == WM_AXIS_ALL ? grid->axis_count - 1 : lag->axis].group;
}
