/* Results written: the formats, and where they go. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "tools/bench/result.h"
#include "tools/bench/show.h"

/* A field of comma-separated values. */
static void csv_word(const char *word, FILE *out)
{
    if (strpbrk(word, ",\"\n") == NULL) {
        fputs(word, out);
        return;
    }
    fputc('"', out);
    for (; *word != '\0'; word++)
        fprintf(out, *word == '"' ? "\"\"" : "%c", *word);
    fputc('"', out);
}

static void csv_line(const json_t *operation, const json_t *size, const json_t *entry, FILE *out)
{
    const char *contender = json_string_value(json_object_get(entry, "contender"));
    double ratio = wm_bench_ratio(size, contender);
    struct wm_bench_times t;

    fprintf(out, "%s,%llu,%llu,", wm_bench_name(operation), (unsigned long long)wm_bench_bytes(size),
            (unsigned long long)wm_bench_rotation(size));
    csv_word(contender, out);
    if (wm_bench_read_times(size, contender, &t))
        fprintf(out, ",%.1f,%.1f,%.1f,", t.min_ns, t.median_ns, t.p95_ns);
    else
        fputs(",,,,", out);
    if (ratio > 0)
        fprintf(out, "%.4f", ratio);
    fprintf(out, ",%s\n", json_is_true(json_object_get(entry, "verified")) ? "yes" : "no");
}

/* A heading and a line for each operation, size, rotation and contender; times in ns. */
static void write_csv(const json_t *result, FILE *out)
{
    const json_t *operation, *size, *entry;
    size_t i, j, k;

    fputs("operation,bytes,rotate_bytes,contender,min_ns,median_ns,p95_ns,ratio,verified\n", out);
    json_array_foreach (json_object_get(result, "operations"), i, operation)
        json_array_foreach (json_object_get(operation, "sizes"), j, size)
            json_array_foreach (json_object_get(size, "results"), k, entry)
                csv_line(operation, size, entry, out);
}

static void json_format(const json_t *result, FILE *out, bool color)
{
    (void)color;
    json_dumpf(result, out, JSON_INDENT(1) | JSON_REAL_PRECISION(8));
    fputc('\n', out);
}

static void csv_format(const json_t *result, FILE *out, bool color)
{
    (void)color;
    write_csv(result, out);
}

static void text_format(const json_t *result, FILE *out, bool color)
{
    struct wm_terminal terminal = wm_terminal_of(out);

    terminal.color = color && getenv("NO_COLOR") == NULL;
    wm_bench_text(result, &terminal);
}

static void plot_format(const json_t *result, FILE *out, bool color)
{
    (void)color;
    wm_bench_plot(result, out);
}

/* Nothing that was not written passes for success. */
static int to_file(const json_t *result, const char *file, void (*format)(const json_t *, FILE *, bool), bool color,
                   struct wm_error *error)
{
    FILE *out = file != NULL ? fopen(file, "w") : stdout;
    bool bad;

    if (out == NULL)
        return wm_error_set(error, -WM_ESYSTEM, "cannot write '%s': %s", file, strerror(errno));
    format(result, out, color && file == NULL);
    bad = fflush(out) != 0 || ferror(out) != 0;
    if (file != NULL)
        bad = fclose(out) != 0 || bad;
    return bad ? wm_error_set(error, -WM_ESYSTEM, "cannot write %s: %s", file != NULL ? file : "to standard output",
                              strerror(errno))
               : 0;
}

int wm_bench_write(const json_t *result, const char *format, const char *output, const char *plot, bool color,
                   struct wm_error *error)
{
    int rc = to_file(result, output,
                     strcmp(format, "json") == 0  ? json_format
                     : strcmp(format, "csv") == 0 ? csv_format
                                                  : text_format,
                     color, error);

    if (rc == 0 && plot != NULL)
        rc = to_file(result, plot, plot_format, false, error);
    return rc;
}
