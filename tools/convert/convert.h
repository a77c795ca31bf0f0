/* Conversions: a trace directory to a file or directory of another format, by its converter. */
#ifndef WM_CONVERT_CONVERT_H
#define WM_CONVERT_CONVERT_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include "core/error.h"
#include "tools/convert/converter.h"

struct wm_conversion {
    const struct wm_converter_class *class;
    const char *directory;    /* the trace */
    const char *output;       /* "-": standard output; NULL: the directory's name with the format's suffix */
    const char *ranks;        /* "0-3,8"; NULL: all */
    int64_t begin_ns, end_ns; /* on the common clock */
    uint64_t max_bytes;
    const volatile sig_atomic_t *stop; /* NULL, or what ends the conversion when it becomes other than 0 */
};

/* Convert; the output stands under its name when it is whole, and no trace of it otherwise. `counts` and `bytes` may
 * be NULL; `name` (PATH_MAX bytes) may be, and gets the output's. Warnings of the reader, and what had to be cut, are
 * said on stderr. 0 or a negative code with a sentence. */
int wm_convert(const struct wm_conversion *conversion, struct wm_converter_counts *counts, uint64_t *bytes, char *name,
               struct wm_error *error);

#endif
