/* A comparison in words: the verdict, and what is to be doubted about it. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tools/diff/show.h"
#include "tools/findings/findings.h"
#include "tools/text/units.h"

enum { NAMED_MAX = 2 };

struct words {
    char *text;
    size_t bytes, length;
};

__attribute__((format(printf, 2, 3))) static void say(struct words *words, const char *format, ...)
{
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(words->text + words->length, words->bytes - words->length, format, arguments);
    va_end(arguments);
    if (length > 0)
        words->length +=
            (size_t)length < words->bytes - words->length ? (size_t)length : words->bytes - words->length - 1;
}

static const struct wm_series *series_of(const struct wm_diff_row *row)
{
    return row->b != NULL ? row->b : row->a;
}

static void say_bytes(struct words *words, const struct wm_diff_row *row)
{
    uint64_t least = series_of(row)->bytes_least, most = series_of(row)->bytes_most;

    if (row->a != NULL && row->a->bytes_least < least)
        least = row->a->bytes_least;
    if (row->a != NULL && row->a->bytes_most > most)
        most = row->a->bytes_most;
    if (most == 0)
        return;
    if (least == most)
        say(words, " of %s", wm_bytes_text(most).text);
    else
        say(words, " of %s to %s", wm_bytes_text(least).text, wm_bytes_text(most).text);
}

void wm_diff_row_text(const struct wm_diff *diff, const struct wm_diff_row *row, char *out, size_t out_bytes)
{
    const struct wm_series *series = series_of(row);
    struct words words = {out, out_bytes, 0};

    (void)diff;
    say(&words, "%s", wm_operation_name(series->operation));
    if (series->kind == WM_SERIES_CALL) {
        say_bytes(&words, row);
        say(&words, " on %d ranks", series->members);
    } else if (series->kind == WM_SERIES_EDGE) {
        say(&words, ": %d → %d", series->source, series->destination);
    } else if (row->by_position) {
        say(&words, ": %s, was %s", row->b->text, row->a->text);
    } else {
        say(&words, ": %s", series->text);
    }
}

/* Where the calls go: the outermost line in the second run's map. */
static void say_call(struct words *words, const struct wm_diff *diff, const struct wm_diff_row *row)
{
    char text[256], place[128];

    wm_diff_row_text(diff, row, text, sizeof text);
    wm_place_text(diff->b->trace, row->b->node, place, sizeof place);
    say(words, "%s%s%s", text, row->b->node ? " at " : ", native", row->b->node ? place : "");
    say(words, " (median %s → %s)", wm_time_text((int64_t)row->time.a).text, wm_time_text((int64_t)row->time.b).text);
}

static double gain_of(const struct wm_diff_row *row)
{
    return (row->time.a - row->time.b) * (double)row->a->count;
}

/* Of the calls with this verdict, those that gain or lose most in all. */
static bool say_calls(struct words *words, const struct wm_diff *diff, enum wm_verdict verdict, const char *before)
{
    double bound = verdict == WM_VERDICT_FASTER ? 1e300 : -1e300;
    int said = 0;

    for (; said < NAMED_MAX; said++) {
        const struct wm_diff_row *best = NULL;

        for (size_t i = 0; i < diff->count; i++) {
            const struct wm_diff_row *row = &diff->rows[i];
            bool faster = verdict == WM_VERDICT_FASTER;

            if (series_of(row)->kind != WM_SERIES_CALL || row->verdict != verdict ||
                (faster ? gain_of(row) >= bound : gain_of(row) <= bound))
                continue;
            if (best == NULL || (faster ? gain_of(row) > gain_of(best) : gain_of(row) < gain_of(best)))
                best = row;
        }
        if (best == NULL)
            break;
        say(words, "%s", said == 0 ? before : ", ");
        say_call(words, diff, best);
        bound = gain_of(best);
    }
    return said > 0;
}

/* "1.8 times faster", "12 % slower"; the interval likewise. */
static void say_change(struct words *words, const struct wm_ratio *total)
{
    bool faster = total->ratio < 1;
    double by = faster ? 1 / total->ratio : total->ratio;
    double least = faster ? 1 / total->high : total->low, most = faster ? 1 / total->low : total->high;

    if (by >= 1.5)
        say(words, "is %.2g times %s in its collectives (95 %% interval %.2g to %.2g times)", by,
            faster ? "faster" : "slower", least, most);
    else
        say(words, "needs %.1f %% %s time in its collectives (95 %% interval %.1f to %.1f %%)",
            100 * (faster ? 1 - total->ratio : total->ratio - 1), faster ? "less" : "more",
            100 * (faster ? 1 - total->high : total->low - 1), 100 * (faster ? 1 - total->low : total->high - 1));
}

static void say_total(struct words *words, const struct wm_diff *diff)
{
    const struct wm_ratio *total = &diff->total;

    say(words, "%s ", diff->b->trace->directory);
    if (diff->matched == 0)
        say(words, "has no collective call that could be compared with those of %s", diff->a->trace->directory);
    else if (!total->known)
        say(words, "has too few calls to say whether it is faster or slower (%.2f times the time)", total->ratio);
    else if (diff->total_verdict == WM_VERDICT_FASTER || diff->total_verdict == WM_VERDICT_SLOWER)
        say_change(words, total);
    else
        say(words, "shows no change in the time of its collectives (ratio %.2f, 95 %% interval %.2f to %.2f)",
            total->ratio, total->low, total->high);
}

void wm_diff_sentence(const struct wm_diff *diff, char *out, size_t out_bytes)
{
    struct words words = {out, out_bytes, 0};
    bool slower = diff->total_verdict == WM_VERDICT_SLOWER, first, second;

    say_total(&words, diff);
    first =
        say_calls(&words, diff, slower ? WM_VERDICT_SLOWER : WM_VERDICT_FASTER, slower ? ": slower: " : ": faster: ");
    second = say_calls(&words, diff, slower ? WM_VERDICT_FASTER : WM_VERDICT_SLOWER,
                       slower ? (first ? "; but faster: " : ", but faster: ")
                              : (first ? "; but slower: " : ", but slower: "));
    if (!first && !second && diff->total.known)
        say(&words, ", and of no call by itself");
    say(&words, ".");
}

static const char *text_or(const char *text)
{
    return text != NULL && text[0] != '\0' ? text : "(unknown)";
}

static bool doubt_programs(const struct wm_diff *diff, struct words *words)
{
    const char *a = text_or(diff->a->trace->ranks[0].program), *b = text_or(diff->b->trace->ranks[0].program);

    if (strcmp(a, b) != 0)
        say(words, "the programs differ: '%s' and '%s'", a, b);
    return strcmp(a, b) != 0;
}

static bool doubt_ranks(const struct wm_diff *diff, struct words *words)
{
    int a = diff->a->trace->job_ranks, b = diff->b->trace->job_ranks;

    if (a != b)
        say(words, "the jobs have %d and %d ranks", a, b);
    return a != b;
}

static bool has_host(const struct wm_trace *trace, const char *host)
{
    for (int i = 0; i < trace->rank_count; i++)
        if (strcmp(trace->ranks[i].host, host) == 0)
            return true;
    return false;
}

static bool doubt_hosts(const struct wm_diff *diff, struct words *words)
{
    const struct wm_trace *a = diff->a->trace, *b = diff->b->trace;

    for (int i = 0; i < b->rank_count; i++)
        if (!has_host(a, b->ranks[i].host)) {
            say(words, "the second run was on other hosts: '%s' is not among those of the first", b->ranks[i].host);
            return true;
        }
    for (int i = 0; i < a->rank_count && i < b->rank_count; i++)
        if (a->ranks[i].rank == b->ranks[i].rank && strcmp(a->ranks[i].host, b->ranks[i].host) != 0) {
            say(words, "ranks were placed differently: rank %d on '%s' and on '%s'", a->ranks[i].rank, a->ranks[i].host,
                b->ranks[i].host);
            return true;
        }
    return false;
}

static bool doubt_lost(const struct wm_diff *diff, struct words *words)
{
    uint64_t a = diff->a->analysis->lost, b = diff->b->analysis->lost;

    if (a + b > 0)
        say(words,
            "events were lost (%s and %s): only the calls that are left are compared; '--mode full' or a larger "
            "WAYMARK_TRACE_BYTES keeps more",
            wm_count_text(a).text, wm_count_text(b).text);
    return a + b > 0;
}

static bool doubt_counts(const struct wm_diff *diff, struct words *words)
{
    uint64_t a = diff->a->calls, b = diff->b->calls;

    if (a == b || diff->a->analysis->lost + diff->b->analysis->lost > 0)
        return false;
    say(words,
        "the runs made different numbers of calls: %s and %s; compared is a call's mean, times the first run's "
        "calls",
        wm_count_text(a).text, wm_count_text(b).text);
    return true;
}

static bool doubt_missing(const struct wm_diff *diff, struct words *words)
{
    const struct wm_trace *a = diff->a->trace, *b = diff->b->trace;
    bool whole = a->rank_count == a->job_ranks && b->rank_count == b->job_ranks;

    if (!whole)
        say(words, "traces of %d of %d and %d of %d ranks could be read: calls look shorter than they were",
            a->rank_count, a->job_ranks, b->rank_count, b->job_ranks);
    return !whole;
}

static bool doubt_clocks(const struct wm_diff *diff, struct words *words)
{
    int64_t a = diff->a->trace->clock_error_ns, b = diff->b->trace->clock_error_ns, most = a > b ? a : b;
    uint64_t unresolved = 0;

    for (size_t i = 0; i < diff->count; i++)
        unresolved += diff->rows[i].verdict == WM_VERDICT_UNRESOLVED;
    if (unresolved > 0)
        say(words, "the clocks are known to %s only: %s differ by less", wm_time_text(most).text,
            wm_number_text(unresolved, "row").text);
    else if ((diff->a->trace->several_clocks || diff->b->trace->several_clocks) && most == 0)
        say(words, "several machines, whose clocks nothing compares: durations are doubtful, times of a rank are not");
    return words->length > 0;
}

bool wm_diff_warning(const struct wm_diff *diff, int number, char *out, size_t out_bytes)
{
    static bool (*const doubts[])(const struct wm_diff *, struct words *) = {
        doubt_programs, doubt_ranks, doubt_hosts, doubt_lost, doubt_counts, doubt_missing, doubt_clocks,
    };

    for (size_t i = 0; i < sizeof doubts / sizeof doubts[0]; i++) {
        struct words words = {out, out_bytes, 0};

        if (doubts[i](diff, &words) && number-- == 0)
            return true;
    }
    for (int side = 0; side < 2; side++) {
        const struct wm_trace *trace = (side == 0 ? diff->a : diff->b)->trace;

        for (size_t i = 0; i < trace->warning_count; i++)
            if (number-- == 0) {
                snprintf(out, out_bytes, "%s: %s", trace->directory, trace->warnings[i]);
                return true;
            }
    }
    return false;
}
