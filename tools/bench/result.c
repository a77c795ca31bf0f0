/* The result of a benchmark: its figures, and reading it. */
#include "tools/bench/result.h"

#include <stdio.h>
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

static bool read_times(const json_t *object, struct wm_bench_times *times)
{
    return read_number(object, "min_ns", &times->min_ns) && read_number(object, "median_ns", &times->median_ns) &&
           read_number(object, "p95_ns", &times->p95_ns);
}

bool wm_bench_read_times(const json_t *size, const char *contender, struct wm_bench_times *times)
{
    return read_times(entry_of(size, contender), times);
}

bool wm_bench_read_flags(const json_t *size, struct wm_bench_times *times)
{
    return read_times(json_object_get(size, "flags"), times);
}

const char *wm_bench_best_native(const json_t *size)
{
    const char *best = NULL;
    double least = 0;
    const json_t *entry;
    size_t i;

    json_array_foreach (json_object_get(size, "results"), i, entry) {
        struct wm_bench_times t;

        if (!wm_bench_is_native(entry) || !read_times(entry, &t) || (best != NULL && t.median_ns >= least))
            continue;
        best = json_string_value(json_object_get(entry, "contender"));
        least = t.median_ns;
    }
    return best;
}

double wm_bench_ratio(const json_t *size, const char *contender)
{
    const char *best = wm_bench_best_native(size);
    struct wm_bench_times native, own;

    if (best == NULL || !wm_bench_read_times(size, best, &native) || !wm_bench_read_times(size, contender, &own) ||
        own.median_ns <= 0)
        return 0;
    return native.median_ns / own.median_ns;
}

static void add_ratio(struct wm_bench_ratios *r, double *ratios, double ratio, const json_t *size)
{
    if (ratio <= 0)
        return;
    if (r->count == 0 || ratio < r->worst) {
        r->worst = ratio;
        r->worst_size = size;
    }
    if (r->count == 0 || ratio > r->best) {
        r->best = ratio;
        r->best_size = size;
    }
    ratios[r->count++] = ratio;
}

struct wm_bench_ratios wm_bench_ratios_of(const json_t *operation, const char *contender)
{
    const json_t *sizes = json_object_get(operation, "sizes"), *size;
    double *ratios = calloc(json_array_size(sizes) + 1, sizeof *ratios);
    struct wm_bench_ratios r = {0};
    size_t i;

    json_array_foreach (sizes, i, size)
        if (ratios != NULL)
            add_ratio(&r, ratios, wm_bench_ratio(size, contender), size);
    if (r.count > 0)
        r.median = wm_bench_times_of(ratios, r.count).median_ns;
    free(ratios);
    return r;
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

uint64_t wm_bench_rotation(const json_t *size)
{
    return (uint64_t)json_integer_value(json_object_get(size, "rotate_bytes"));
}

bool wm_bench_is_native(const json_t *object)
{
    return json_is_true(json_object_get(object, "native"));
}

int wm_bench_native_count(const json_t *result)
{
    const json_t *contender;
    int count = 0;
    size_t i;

    json_array_foreach (json_object_get(result, "contenders"), i, contender)
        count += wm_bench_is_native(contender) ? 1 : 0;
    return count;
}

bool wm_bench_has_rotations(const json_t *result)
{
    const json_t *operation, *size;
    size_t i, j;

    json_array_foreach (json_object_get(result, "operations"), i, operation) {
        const json_t *sizes = json_object_get(operation, "sizes");

        json_array_foreach (sizes, j, size)
            if (wm_bench_rotation(size) != wm_bench_rotation(json_array_get(sizes, 0)))
                return true;
    }
    return false;
}

struct wm_text wm_bench_place(const json_t *size, bool rotations)
{
    struct wm_text bytes = wm_bytes_text(wm_bench_bytes(size)), place;

    if (!rotations || wm_bench_bytes(size) == 0)
        return bytes;
    snprintf(place.text, sizeof place.text, "%.20s@%.20s", bytes.text, wm_bytes_text(wm_bench_rotation(size)).text);
    return place;
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
