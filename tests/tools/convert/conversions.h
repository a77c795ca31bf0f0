/* The sample trace converted, and the output read back: what the tests of all formats share. */
#ifndef WM_TESTS_CONVERSIONS_H
#define WM_TESTS_CONVERSIONS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/check.h"
#include "tests/tools/convert/sample_trace.h"
#include "tools/convert/convert.h"

enum { CONVERSION_MAX_BYTES = 1 << 20, CONVERSION_MOMENT_NS = 1000000000 };

struct converted {
    char *data;
    size_t bytes;
    struct wm_converter_counts counts;
};

static char conversions_directory[64];

/* A test of the shell about the directory, which takes the place of %s. */
__attribute__((format(printf, 1, 0))) static inline void conversions_command(const char *form)
{
    char command[256];

    snprintf(command, sizeof command, form, conversions_directory);
    CU_ASSERT_EQUAL(system(command), 0);
}

/* Make the sample, once for all cases; remove it at the end. */
static inline void conversions_begin(void)
{
    strcpy(conversions_directory, "waymark-convert.XXXXXX");
    if (mkdtemp(conversions_directory) == NULL)
        abort();
    sample_write(conversions_directory);
}

static inline void conversions_end(void)
{
    char command[128];

    snprintf(command, sizeof command, "rm -rf %s", conversions_directory);
    if (system(command) != 0)
        perror(command);
}

static inline struct wm_conversion conversion_to(const char *format)
{
    return (struct wm_conversion){.class = wm_converter_find(format),
                                  .directory = conversions_directory,
                                  .begin_ns = INT64_MIN,
                                  .end_ns = INT64_MAX,
                                  .max_bytes = CONVERSION_MAX_BYTES};
}

/* Without the notes on stderr. */
static inline int convert_quietly(const struct wm_conversion *conversion, struct wm_converter_counts *counts,
                                  struct wm_error *error)
{
    int kept = dup(STDERR_FILENO), rc;

    fflush(stderr);
    if (freopen("/dev/null", "w", stderr) == NULL)
        abort();
    rc = wm_convert(conversion, counts, NULL, NULL, error);
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    return rc;
}

/* Does the reader know the marks' names? */
static inline bool conversions_have_marks(void)
{
    struct wm_trace *trace;
    struct wm_error error = {0};
    bool have;

    CU_ASSERT_EQUAL_FATAL(wm_trace_open(&trace, conversions_directory, &error), 0);
    have = trace->ranks[0].mark_count > 0;
    wm_trace_close(trace);
    return have;
}

/* Convert to one file and read it. The data ends in NUL. */
static inline struct converted convert(const struct wm_conversion *conversion)
{
    struct wm_conversion to_file = *conversion;
    struct converted converted = {.data = calloc(1, CONVERSION_MAX_BYTES + 1)};
    struct wm_error error = {0};
    char name[128];
    FILE *file;

    snprintf(name, sizeof name, "%s/output", conversions_directory);
    to_file.output = name;
    CU_ASSERT_EQUAL_FATAL(convert_quietly(&to_file, &converted.counts, &error), 0);
    file = fopen(name, "r");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    converted.bytes = fread(converted.data, 1, CONVERSION_MAX_BYTES, file);
    fclose(file);
    unlink(name);
    CU_ASSERT(converted.bytes > 0);
    return converted;
}

#endif
