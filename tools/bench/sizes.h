/* The sizes that are measured: a list of sizes and ranges on a command line. Pure. */
#ifndef WM_BENCH_SIZES_H
#define WM_BENCH_SIZES_H

#include <stddef.h>
#include <stdint.h>

enum { WM_BENCH_SIZES_MAX = 256, WM_BENCH_SIZES_WRONG_CHARS = 160 };

/* In ascending order, none twice. */
struct wm_bench_sizes {
    int count;
    uint64_t bytes[WM_BENCH_SIZES_MAX];
};

/* Read "8-4MiB", "8,64,1KiB-64KiB": a range is its ends and the powers of two between them. Returns 0, or -WM_EINVAL
 * with a sentence in `wrong` (of WM_BENCH_SIZES_WRONG_CHARS). */
int wm_bench_sizes_read(struct wm_bench_sizes *sizes, const char *text, char *wrong);

#endif
