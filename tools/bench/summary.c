/* What the tables add up to, contender by contender. */
#include <math.h>
#include <string.h>
#include "tools/bench/result.h"
#include "tools/bench/show.h"
#include "tools/text/units.h"

enum { SLOWER_CHARS = 2048 };

/* Below this a contender is told to be slower: what lies above is noise. */
static const double slower_below = 0.97;

struct place {
    double ratio;
    const char *operation;
    uint64_t bytes;
};

struct sum {
    double logarithms;
    int count, slower;
    struct place worst, best;
    char where[SLOWER_CHARS]; /* "bcast (8 B, 16 B), scan (1 MiB)" */
};

static void say(struct sum *sum, const char *text)
{
    size_t length = strlen(sum->where);

    snprintf(sum->where + length, sizeof sum->where - length, "%s", text);
}

static void add_slower(struct sum *sum, const struct place *place, bool *begun)
{
    if (!*begun) {
        say(sum, sum->slower > 0 ? ", " : "");
        say(sum, place->operation);
    }
    say(sum, *begun ? ", " : " (");
    say(sum, wm_bytes_text(place->bytes).text);
    *begun = true;
    sum->slower++;
}

static void add_operation(struct sum *sum, const json_t *operation, const char *contender)
{
    bool begun = false;
    const json_t *size;
    size_t i;

    json_array_foreach (json_object_get(operation, "sizes"), i, size) {
        struct place place = {wm_bench_ratio(size, contender), wm_bench_name(operation), wm_bench_bytes(size)};

        if (place.ratio <= 0)
            continue;
        sum->worst = sum->count == 0 || place.ratio < sum->worst.ratio ? place : sum->worst;
        sum->best = sum->count == 0 || place.ratio > sum->best.ratio ? place : sum->best;
        sum->logarithms += log(place.ratio);
        sum->count++;
        if (place.ratio < slower_below)
            add_slower(sum, &place, &begun);
    }
    if (begun)
        say(sum, ")");
}

static void print(const struct sum *sum, const char *contender, const struct wm_page *page)
{
    fprintf(page->file, "\n%s%s%s: %.2f times as fast as native (geometric mean of %d); ", wm_page_bold(page),
            contender, wm_page_plain(page), exp(sum->logarithms / sum->count), sum->count);
    fprintf(page->file, "best %.2f (%s, %s), worst %.2f (%s, %s)\n", sum->best.ratio, sum->best.operation,
            wm_bytes_text(sum->best.bytes).text, sum->worst.ratio, sum->worst.operation,
            wm_bytes_text(sum->worst.bytes).text);
    if (sum->slower > 0)
        wm_page_wrap(page, "  slower: ", sum->where);
    else
        fputs("  nowhere slower\n", page->file);
}

void wm_bench_summary(const json_t *result, const struct wm_page *page)
{
    const json_t *contender, *operation;
    size_t i, j;

    if (!wm_bench_has_native(result))
        return;
    json_array_foreach (json_object_get(result, "contenders"), i, contender) {
        struct sum sum = {0};

        if (i == 0)
            continue;
        json_array_foreach (json_object_get(result, "operations"), j, operation)
            add_operation(&sum, operation, wm_bench_name(contender));
        if (sum.count > 0)
            print(&sum, wm_bench_name(contender), page);
    }
}
