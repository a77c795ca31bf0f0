/* The result of a benchmark: its figures, and reading it. */
#include "tools/bench/result.h"

#include <stdlib.h>
#include <string.h>

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

/* The 95th of 100 by the nearest rank; the median of an even number is the mean of the middle two. */
struct wm_bench_times wm_bench_times_of(double *samples, int count)
{
    qsort(samples, (size_t)count, sizeof *samples, compare);
    return (struct wm_bench_times){
        .min_ns = samples[0],
        .median_ns = (samples[(count - 1) / 2] + samples[count / 2]) / 2,
        .p95_ns = samples[(95 * count + 99) / 100 - 1],
    };
}

/* The entry of `results` for a contender, NULL when there is none. */
static const json_t *entry_of(const json_t *size, const char *contender)
{
    const json_t *entry;
    size_t i;

    json_array_foreach (json_object_get(size, "results"), i, entry) {
        const char *name = json_string_value(json_object_get(entry, "contender"));

        if (name != NULL && strcmp(name, contender) == 0)
            return entry;
    }
    return NULL;
}

static bool read_number(const json_t *object, const char *key, double *number)
{
    const json_t *value = json_object_get(object, key);

    *number = json_number_value(value);
    return json_is_number(value);
}

bool wm_bench_read_times(const json_t *size, const char *contender, struct wm_bench_times *times)
{
    const json_t *entry = entry_of(size, contender);

    return read_number(entry, "min_ns", &times->min_ns) && read_number(entry, "median_ns", &times->median_ns) &&
           read_number(entry, "p95_ns", &times->p95_ns);
}

double wm_bench_ratio(const json_t *size, const char *contender)
{
    struct wm_bench_times native, own;

    if (!wm_bench_read_times(size, WM_BENCH_NATIVE, &native) || !wm_bench_read_times(size, contender, &own) ||
        own.median_ns <= 0)
        return 0;
    return native.median_ns / own.median_ns;
}

const char *wm_bench_name(const json_t *object)
{
    const char *name = json_string_value(json_object_get(object, "name"));

    return name != NULL ? name : "?";
}

uint64_t wm_bench_bytes(const json_t *size)
{
    return (uint64_t)json_integer_value(json_object_get(size, "bytes"));
}

bool wm_bench_has_native(const json_t *result)
{
    return strcmp(wm_bench_name(json_array_get(json_object_get(result, "contenders"), 0)), WM_BENCH_NATIVE) == 0;
}

json_t *wm_bench_load(const char *file, struct wm_error *error)
{
    json_error_t fault;
    json_t *result = json_load_file(file, 0, &fault);

    if (result == NULL) {
        wm_error_set(error, -WM_EINVAL, "cannot read '%s': %s", file, fault.text);
        return NULL;
    }
    if (json_is_array(json_object_get(result, "contenders")) && json_is_array(json_object_get(result, "operations")))
        return result;
    wm_error_set(error, -WM_EINVAL, "'%s' is no result of waymark bench; write one with --format json -o FILE", file);
    json_decref(result);
    return NULL;
}
