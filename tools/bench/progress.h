/* The progress line of a long run, on stderr where that is a terminal. */
#ifndef WM_BENCH_PROGRESS_H
#define WM_BENCH_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct wm_bench_progress {
    bool shown;   /* something stands there */
    bool enabled; /* rank 0, and a terminal */
    double begin_s;
    double done, total; /* work, in units of its own */
};

void wm_bench_progress_init(struct wm_bench_progress *progress, bool enabled, double total);

/* `operation` at `bytes` is next. Nothing is shown in the first second. */
void wm_bench_progress_show(struct wm_bench_progress *progress, const char *operation, uint64_t bytes);

/* So much work is done. */
void wm_bench_progress_add(struct wm_bench_progress *progress, double work);

/* Wipe the line, so that something else can be printed. */
void wm_bench_progress_clear(struct wm_bench_progress *progress);

#endif
