/* The report's foot: what is known of the trace itself, what it cost, and what limits it. */
#include "tools/report/text.h"

#include "tools/text/units.h"

enum { MISSING_NAMED = 64, RANKS_CHARS = 120 };

static void print_server(FILE *file, const json_t *run)
{
    if (wm_text_get(run, "questions") > 0)
        fprintf(file, "  map server: %s, %s in all, the slowest %s\n",
                wm_number_text((uint64_t)wm_text_get(run, "questions"), "question").text,
                wm_time_text(wm_text_get(run, "question_ns")).text,
                wm_time_text(wm_text_get(run, "question_max_ns")).text);
}

static void print_lost(FILE *file, const json_t *run)
{
    const json_t *most = json_object_get(run, "lost_most");

    if (most == NULL)
        fprintf(file, "  events lost: none\n");
    else
        fprintf(file, "  events lost: %s, most by rank %d (%s of %s); %s\n",
                wm_count_text((uint64_t)wm_text_get(run, "lost")).text, (int)wm_text_get(most, "rank"),
                wm_count_text((uint64_t)wm_text_get(most, "lost")).text,
                wm_count_text((uint64_t)wm_text_get(most, "offered")).text, wm_text_get_string(most, "why"));
}

static void print_missing_ranks(FILE *file, const json_t *run)
{
    const json_t *read = json_object_get(run, "rank_numbers");
    int ranks = (int)wm_text_get(run, "ranks"), ranks_read = (int)json_array_size(read);
    int missing[MISSING_NAMED], count = 0;
    char names[RANKS_CHARS];

    for (int rank = 0, next = 0; rank < ranks && count < MISSING_NAMED; rank++)
        if (json_integer_value(json_array_get(read, (size_t)next)) == rank && next < ranks_read)
            next++;
        else
            missing[count++] = rank;
    wm_ranks_text(missing, count, names, sizeof names);
    if (ranks_read < ranks)
        fprintf(file, "  ranks read: %d of %d, not rank%s %s%s; waits for those are not seen\n", ranks_read, ranks,
                ranks - ranks_read == 1 ? "" : "s", names, ranks - ranks_read > count ? " …" : "");
}

static void print_overhead(FILE *file, const json_t *run)
{
    int64_t own_ns = wm_text_get(run, "own_ns");

    if (own_ns > 0)
        fprintf(file, "  recording cost about %s, %s of the run's rank time\n", wm_time_text(own_ns).text,
                wm_share_text(own_ns, wm_text_get(run, "rank_time_ns")).text);
}

static void print_clock(const struct wm_text_report *text, const json_t *run)
{
    FILE *file = text->terminal->file;

    fprintf(file, "  clock: %s, %s",
            *wm_text_get_string(run, "clock") == 't' ? "time stamp counter" : "CLOCK_MONOTONIC",
            json_is_true(json_object_get(run, "several_clocks")) ? "several machines" : "one machine");
    if (wm_text_get(run, "error_max_ns") > 0)
        fprintf(file, ", exact to %s", wm_time_text(wm_text_get(run, "error_max_ns")).text);
    fprintf(file, "\n  residual of all totals: %s", wm_time_text(wm_text_get(run, "residual_ns")).text);
    if (wm_text_has_paths(text->report))
        fprintf(file, ", of critical paths: %s", wm_time_text(wm_text_get(run, "path_residual_ns")).text);
    fputc('\n', file);
}

static void print_paths(const struct wm_text_report *text)
{
    const json_t *critical = json_object_get(text->report, "critical");

    if (wm_text_has_paths(text->report))
        fprintf(text->terminal->file, "  critical paths: %s; the rank that came last was on %s of them\n",
                wm_number_text((uint64_t)wm_text_get(critical, "instances"), "call").text,
                wm_count_text((uint64_t)wm_text_get(critical, "last_on")).text);
}

static void print_left_out(FILE *file, const json_t *run)
{
    static const struct {
        const char *key, *sentence;
    } kinds[] = {
        {"incomplete", "calls left out on some rank, because their enter or leave is missing"},
        {"unmatched", "messages of which one side is missing"},
        {"unknown", "records without meaning, left out"},
    };

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (wm_text_get(run, kinds[i].key) > 0)
            fprintf(file, "  %s: %s\n", kinds[i].sentence,
                    wm_count_text((uint64_t)wm_text_get(run, kinds[i].key)).text);
}

static void print_origin(FILE *file, const json_t *run)
{
    const char *hash = wm_text_get_string(run, "map_hash");
    const json_t *version;
    int shown = 0;
    size_t i;

    fputs("  waymark", file);
    json_array_foreach (json_object_get(run, "versions"), i, version)
        if (*json_string_value(version) != '\0')
            fprintf(file, "%s %s", shown++ ? " and" : "", json_string_value(version));
    fprintf(file, ", reported by %s", PACKAGE_VERSION);
    if (*hash != '\0')
        fprintf(file, "; map %s", hash);
    fputc('\n', file);
}

void wm_text_print_facts(const struct wm_text_report *text)
{
    const json_t *run = json_object_get(text->report, "run"), *warning;
    FILE *file = text->terminal->file;
    size_t i;

    wm_text_print_title(text, "About this trace");
    print_server(file, run);
    print_lost(file, run);
    print_overhead(file, run);
    print_clock(text, run);
    print_paths(text);
    print_missing_ranks(file, run);
    print_left_out(file, run);
    print_origin(file, run);
    fputs(wm_terminal_warn(text->terminal), file);
    json_array_foreach (json_object_get(text->report, "warnings"), i, warning)
        wm_terminal_wrap(text->terminal, "  warning: ", json_string_value(warning));
    fputs(wm_terminal_plain(text->terminal), file);
}
