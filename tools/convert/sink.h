/* The output of a conversion: a file, or a directory, that appears whole under its name or not at all.
 *
 * What is written goes to a temporary name beside it, which is renamed at the end and removed after any failure. A
 * failure sticks: later writes do nothing, and wm_sink_check says what went wrong. Numbers and texts are appended by
 * hand: a conversion spends its time here. */
#ifndef WM_CONVERT_SINK_H
#define WM_CONVERT_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "core/error.h"

enum { WM_SINK_BUFFER_BYTES = 1 << 18 };

struct wm_sink {
    char *name, *temporary; /* temporary: NULL for stdout */
    bool directory;
    int file; /* -1 for a directory */
    uint64_t bytes, max_bytes;
    bool full;      /* max_bytes would be passed */
    int failure;    /* errno of a write, 0: none */
    bool installed; /* under its name: nothing is left to remove */
    size_t used;
    char buffer[WM_SINK_BUFFER_BYTES];
};

/* Open `name` for writing ("-": standard output), or make a directory. Returns 0; -WM_ETRACE with a sentence when a
 * directory of the name is there that no conversion made, or nothing can be written; *sink is NULL then. */
int wm_sink_open(struct wm_sink **sink, const char *name, bool directory, uint64_t max_bytes, struct wm_error *error);

void wm_sink_write(struct wm_sink *sink, const void *data, size_t bytes);
void wm_sink_text(struct wm_sink *sink, const char *text);
void wm_sink_number(struct wm_sink *sink, int64_t number);
void wm_sink_unsigned(struct wm_sink *sink, uint64_t number);
/* nanoseconds in units of 10^`digits` ns, with all digits behind the point: 12345 by 3 is 12.345. */
void wm_sink_decimal(struct wm_sink *sink, int64_t ns, int digits);
void wm_sink_print(struct wm_sink *sink, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A directory's size so far, as its writer knows it. */
void wm_sink_count(struct wm_sink *sink, uint64_t bytes);
/* 0 while all is well; else -WM_ETRACE and the sentence. */
int wm_sink_check(const struct wm_sink *sink, struct wm_error *error);

/* Write the rest and give the output its name. Returns as wm_sink_check. */
int wm_sink_install(struct wm_sink *sink, struct wm_error *error);
/* Close and free; what was not installed is removed. NULL is allowed. */
void wm_sink_close(struct wm_sink *sink);

#endif
