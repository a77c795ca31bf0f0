/* The sizes that are measured, read from a command line. */
#include "tools/bench/sizes.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "core/error.h"
#include "tools/text/units.h"

/* In its place among the others. */
static bool add(struct wm_bench_sizes *sizes, uint64_t bytes)
{
    int at = sizes->count;

    while (at > 0 && sizes->bytes[at - 1] >= bytes)
        at--;
    if (at < sizes->count && sizes->bytes[at] == bytes)
        return true;
    if (sizes->count == WM_BENCH_SIZES_MAX)
        return false;
    memmove(&sizes->bytes[at + 1], &sizes->bytes[at], (size_t)(sizes->count - at) * sizeof sizes->bytes[0]);
    sizes->bytes[at] = bytes;
    sizes->count++;
    return true;
}

static bool add_range(struct wm_bench_sizes *sizes, uint64_t low, uint64_t high)
{
    bool room = add(sizes, low) && add(sizes, high);

    for (uint64_t bytes = 1; room && bytes < high; bytes *= 2)
        room = bytes <= low || add(sizes, bytes);
    return room;
}

/* One size or range, `length` characters long. */
static int read_range(struct wm_bench_sizes *sizes, const char *text, size_t length, char *wrong)
{
    char word[64], *dash;
    uint64_t low, high;
    const char *fault = NULL;

    snprintf(word, sizeof word, "%.*s", (int)length, text);
    if ((dash = strchr(word, '-')) != NULL)
        *dash = '\0';
    if (length >= sizeof word || !wm_bytes_read(word, &low) || !wm_bytes_read(dash != NULL ? dash + 1 : word, &high))
        fault = "is no size; write one, such as 64KiB, or a range, such as 8-4MiB";
    else if (low == 0)
        fault = "moves nothing at 0 bytes; begin with 1 or more";
    else if (high < low)
        fault = "ends before it begins; write the smaller size first";
    else if (high > INT32_MAX)
        fault = "goes beyond 2 GiB, more than one MPI count tells; stay below";
    else if (!add_range(sizes, low, high))
        fault = "makes too many sizes; measure them in several runs";
    if (fault == NULL)
        return 0;
    snprintf(wrong, WM_BENCH_SIZES_WRONG_CHARS, "'%.*s' %s", length < 64 ? (int)length : 64, text, fault);
    return -WM_EINVAL;
}

int wm_bench_sizes_read(struct wm_bench_sizes *sizes, const char *text, char *wrong)
{
    sizes->count = 0;
    for (const char *at = text;; at++) {
        size_t length = strcspn(at, ",");
        int rc = read_range(sizes, at, length, wrong);

        at += length;
        if (rc < 0 || *at == '\0')
            return rc;
    }
}
