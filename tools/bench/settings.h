/* The settings of a benchmark: what `waymark bench` read from its command line, and hands to the program that measures
 * as one word of JSON. They stand in the result, too. */
#ifndef WM_BENCH_SETTINGS_H
#define WM_BENCH_SETTINGS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include "tools/text/sizes.h"

enum { WM_BENCH_MAPS_MAX = 8, WM_BENCH_MODULES_MAX = 8, WM_BENCH_MODULE_CHARS = 32, WM_BENCH_WRONG_CHARS = 160 };

struct wm_bench_settings {
    int map_count;
    const char *maps[WM_BENCH_MAPS_MAX];  /* as on the command line; they name the contenders */
    const char *files[WM_BENCH_MAPS_MAX]; /* where they are, from the root on; only rank 0's are read */
    int module_count;
    char modules[WM_BENCH_MODULES_MAX][WM_BENCH_MODULE_CHARS]; /* the MPI library's, in tools/bench/module.h's words */
    uint32_t operations; /* bits of wm_bench_operations (tools/bench/operation.h) */
    struct wm_size_list sizes;
    int rounds;                         /* batches of each contender; 0: as many as time allows */
    struct wm_size_list rotations;      /* bytes of buffers at each rank that calls take in turn; 0: one call's alone */
    const char *format, *output, *plot; /* "text", "json" or "csv"; NULL: standard output; NULL: no plot */
};

/* Read the modules of a list such as "default,sm" into settings without any; "none": there are none. Returns 0, or
 * -WM_EINVAL with a sentence in `wrong` (of WM_BENCH_WRONG_CHARS). */
int wm_bench_modules_read(struct wm_bench_settings *settings, const char *list, char *wrong);

/* As JSON; a new reference, NULL when there is no memory. */
json_t *wm_bench_settings_pack(const struct wm_bench_settings *settings);

/* From JSON, whose strings they share. False when it is not what wm_bench_settings_pack makes. */
bool wm_bench_settings_unpack(struct wm_bench_settings *settings, const json_t *json);

#endif
