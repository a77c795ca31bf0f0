/* Findings: ranks the accounts by time lost and puts the dearest into words. */
#include "tools/findings.h"

#include <stdio.h>
#include <string.h>
#include "tools/belts_text.h"
#include "tools/units.h"

enum { LARGE_MESSAGE_BYTES = 64 << 10 };

/* A cost that could be a finding: a line, and which of its accounts. */
struct candidate {
    const struct wm_line *line;
    int64_t lost_ns;
    void (*say)(const struct wm_trace *, const struct wm_line *, char *out, size_t out_bytes);
};

/* Where a wrapper's expression begins and how long it is: from its parenthesis to the matching one. */
static const char *find_source(const struct wm_trace *trace, const struct wm_trace_node *node, size_t *length)
{
    const char *at = trace->map_text, *end;
    int depth = 0;

    for (int line = 1; at != NULL && line < node->line; line++)
        at = (at = strchr(at, '\n')) != NULL ? at + 1 : NULL;
    if (at == NULL || node->line == 0 || node->map_file != NULL)
        return NULL;
    if (node->column > 0 && (size_t)node->column <= strcspn(at, "\n"))
        at += node->column - 1;
    if (*at != '(' && at > trace->map_text && at[-1] == '(')
        at--;
    for (end = at; *end != '\0'; end++) {
        depth += (*end == '(') - (*end == ')');
        if (depth <= 0 || (depth == 1 && *end == '\n'))
            break;
    }
    *length = (size_t)(end - at) + (*end == ')');
    return at;
}

void wm_source_text(const struct wm_trace *trace, uint16_t number, char *out, size_t out_bytes)
{
    const struct wm_trace_node *node = number < trace->node_count ? &trace->nodes[number] : NULL;
    const char *source;
    size_t length;

    if (node == NULL || node->wrapper == NULL) {
        snprintf(out, out_bytes, "%s", number == 0 ? "(no rule: the MPI library's own)" : "(not defined)");
        return;
    }
    source = find_source(trace, node, &length);
    if (source == NULL || *source != '(')
        snprintf(out, out_bytes, "(%s%s%s)", node->wrapper, node->label[0] ? " " : "", node->label);
    else
        snprintf(out, out_bytes, "%.*s", (int)length, source);
}

void wm_place_text(const struct wm_trace *trace, uint16_t number, char *out, size_t out_bytes)
{
    const struct wm_trace_node *node = number < trace->node_count ? &trace->nodes[number] : NULL;
    const char *file = node != NULL && node->map_file != NULL ? node->map_file
                       : trace->map_file != NULL              ? trace->map_file
                                                              : "map";
    const char *slash = strrchr(file, '/');

    if (node != NULL && node->line > 0)
        snprintf(out, out_bytes, "%s:%d", slash != NULL ? slash + 1 : file, node->line);
    else
        snprintf(out, out_bytes, "node %d", number);
}

/* " at cluster.scm:5 '(trace 'small)'", or nothing for a native call. */
static void say_where(const struct wm_trace *trace, const struct wm_line *line, char *out, size_t out_bytes)
{
    char place[128], source[96];

    out[0] = '\0';
    if (line->node == 0)
        return;
    wm_place_text(trace, line->node, place, sizeof place);
    wm_source_text(trace, line->node, source, sizeof source);
    snprintf(out, out_bytes, " at %s %s", place, source);
}

static void say_late(const struct wm_trace *trace, const struct wm_line *line, char *out, size_t out_bytes)
{
    const char *function = wm_operation_function(line->operation);
    double share;
    int late = wm_line_late_rank(line, trace->job_ranks, &share);
    uint64_t last = line->last_by_rank != NULL ? line->last_by_rank[late] : 0;
    char where[256];

    say_where(trace, line, where, sizeof where);
    if (share >= 0.5 && share * trace->job_ranks >= 1.5)
        snprintf(out, out_bytes,
                 "waiting in %s for rank %d to arrive%s: it came last in %s of %s. Give rank %d less to do before "
                 "the call; no shape mends that.",
                 function, late, where, wm_count_text(last).text, wm_number_text(line->calls, "call").text, late);
    else
        snprintf(out, out_bytes,
                 "waiting in %s for the last rank to arrive%s: the ranks take turns in coming last (rank %d "
                 "costs most, "
                 "%.0f %% of the wait). The work before the call is uneven, or something disturbs the ranks; "
                 "no shape "
                 "mends that.",
                 function, where, late, 100 * share);
}

static void say_inside(const struct wm_trace *trace, const struct wm_line *line, char *out, size_t out_bytes)
{
    double share;
    int late = wm_line_late_rank(line, trace->job_ranks, &share);
    char where[256];

    say_where(trace, line, where, sizeof where);
    snprintf(out, out_bytes,
             "ranks waiting for each other's messages within %s%s, most for rank %d (%.0f %%). Try another "
             "#:shape there, "
             "one in which fewer messages depend on each other or rank %d comes later.",
             wm_operation_name(line->operation), where, late, 100 * share, late);
}

static void say_transfer(const struct wm_trace *trace, const struct wm_line *line, char *out, size_t out_bytes)
{
    uint64_t mean = line->messages > 0 ? line->bytes / line->messages : 0;
    char where[256];

    say_where(trace, line, where, sizeof where);
    snprintf(out, out_bytes, "moving %s of %s on average for %s%s. %s", wm_number_text(line->messages, "message").text,
             wm_bytes_text(mean).text, wm_operation_name(line->operation), where,
             mean >= LARGE_MESSAGE_BYTES
                 ? "They are large: try (segment 128KiB) around it, or reduce-scatter or scatter, which "
                   "split the data."
                 : "They are small: try a #:shape with fewer rounds, or combine the cores of a node first.");
}

static void say_work(const struct wm_trace *trace, const struct wm_line *line, char *out, size_t out_bytes)
{
    char where[256];

    say_where(trace, line, where, sizeof where);
    if (line->shared) {
        snprintf(out, out_bytes,
                 "what the ranks of a node do in their shared memory for %s%s. Fewer calls, or smaller ones, would "
                 "mend that; so might another #:chunk.",
                 wm_operation_name(line->operation), where);
        return;
    }
    snprintf(out, out_bytes,
             "combining and copying data for %s%s. Share the work out: reduce-scatter lets every rank "
             "combine a part.",
             wm_operation_name(line->operation), where);
}

static void say_overhead(const struct wm_trace *trace, const struct wm_line *line, char *out, size_t out_bytes)
{
    char where[256];

    say_where(trace, line, where, sizeof where);
    snprintf(out, out_bytes,
             "Waymark's own steps for %s%s, %s a visit. If the native call is faster, say (native) for this size.",
             wm_operation_name(line->operation), where,
             wm_time_text(line->visits ? line->overhead_ns / (int64_t)line->visits : 0).text);
}

static void say_native(const struct wm_trace *trace, const struct wm_line *line, char *out, size_t out_bytes)
{
    const char *name = wm_operation_name(line->operation);
    char where[256], advice[160];

    say_where(trace, line, where, sizeof where);
    if (line->node == 0)
        snprintf(advice, sizeof advice, "The map has no rule for it: add one, (on %s (else (path …))).", name);
    else
        snprintf(advice, sizeof advice, "Try a path of stages there, or the map 'hierarchy'.");
    snprintf(out, out_bytes, "the MPI library's own %s%s: %s, %s each on average. %s",
             wm_operation_function(line->operation), where, wm_number_text(line->calls, "call").text,
             wm_bytes_text(line->calls ? line->bytes / line->calls : 0).text, advice);
}

/* Keep the best few in order. */
static void consider(struct candidate *best, int *count, struct candidate candidate)
{
    int at = *count;

    if (candidate.lost_ns <= 0)
        return;
    while (at > 0 && best[at - 1].lost_ns < candidate.lost_ns)
        at--;
    if (at == WM_FINDINGS_MAX)
        return;
    *count += *count < WM_FINDINGS_MAX;
    memmove(&best[at + 1], &best[at], (size_t)(*count - 1 - at) * sizeof *best);
    best[at] = candidate;
}

/* An outermost visit whose time has no edges in it was spent inside the MPI library. */
static bool is_native(const struct wm_line *line)
{
    return line->transfer_ns + line->inside_ns + line->work_ns == 0;
}

static void consider_line(struct candidate *best, int *count, const struct wm_line *line)
{
    if (line->visited && line->outermost) {
        consider(best, count, (struct candidate){line, line->late_ns, say_late});
        consider(best, count, (struct candidate){line, line->overhead_ns, is_native(line) ? say_native : say_overhead});
    } else if (!line->visited) {
        consider(best, count, (struct candidate){line, line->inside_ns, say_inside});
        consider(best, count, (struct candidate){line, line->transfer_ns, say_transfer});
        consider(best, count, (struct candidate){line, line->work_ns, say_work});
    }
}

/* A job that died says so before anything else. */
static bool say_death(const struct wm_trace *trace, const struct wm_analysis *analysis, struct wm_finding *finding)
{
    const struct wm_stuck *stuck = analysis->stuck;
    char inside[96], absent[96];

    if (analysis->death_count == 0)
        return false;
    if (analysis->stuck_count == 0) {
        snprintf(finding->sentence, WM_FINDING_CHARS,
                 "%d of %d ranks ended without closing their trace, outside of any traced call: see below.",
                 analysis->death_count, trace->rank_count);
        return true;
    }
    wm_ranks_text(stuck->inside, stuck->inside_count, inside, sizeof inside);
    wm_ranks_text(stuck->absent, stuck->absent_count, absent, sizeof absent);
    snprintf(finding->sentence, WM_FINDING_CHARS,
             "The job died in %s number %u on %s: rank%s %s %s inside%s%s%s. Look at what %s did last, below.",
             wm_operation_function(stuck->operation), stuck->sequence, trace->communicators[stuck->communicator].name,
             stuck->inside_count == 1 ? "" : "s", inside, stuck->inside_count == 1 ? "was" : "were",
             stuck->absent_count ? ", rank " : "", absent, stuck->absent_count ? " never came" : "",
             stuck->absent_count ? "the missing ones" : "they");
    return true;
}

/* Do conveyors take more of the ranks' time than traced collectives? */
static bool conveyors_prevail(const struct wm_analysis *analysis, int64_t in_calls_ns)
{
    int64_t run_ns = 0;

    for (size_t i = 0; i < analysis->belts->count; i++)
        run_ns += analysis->belts->belts[i].run_ns;
    return analysis->belts->count > 0 && run_ns >= in_calls_ns;
}

static void say_nothing(const struct wm_analysis *analysis, struct wm_finding *finding)
{
    snprintf(finding->sentence, WM_FINDING_CHARS, "%s",
             analysis->line_count == 0 ? "No collective call was traced: either the program makes none, or its calls "
                                         "went past Waymark."
                                       : "No call that was traced came to its end.");
}

int wm_findings_make(const struct wm_trace *trace, const struct wm_analysis *analysis,
                     struct wm_finding findings[WM_FINDINGS_MAX])
{
    struct candidate best[WM_FINDINGS_MAX + 1];
    int candidates = 0, count = 0;
    int64_t in_calls_ns = 0;

    for (size_t i = 0; i < analysis->line_count; i++) {
        consider_line(best, &candidates, &analysis->lines[i]);
        if (analysis->lines[i].outermost)
            in_calls_ns += analysis->lines[i].time_ns;
    }
    if (say_death(trace, analysis, &findings[0]))
        findings[count++].lost_ns = 0;
    if (count == 0 && conveyors_prevail(analysis, in_calls_ns)) {
        wm_belts_advise(trace, analysis->belts, findings[0].sentence, WM_FINDING_CHARS);
        findings[count++].lost_ns = 0;
    }
    if (count == 0 && candidates > 0 && in_calls_ns < analysis->run_ns / 100) {
        snprintf(findings[0].sentence, WM_FINDING_CHARS,
                 "Nothing in the map is worth a change: all collectives together took %s, %s of the run.",
                 wm_time_text(in_calls_ns).text, wm_share_text(in_calls_ns, analysis->run_ns).text);
        findings[count++].lost_ns = in_calls_ns;
    }
    for (int i = 0; i < candidates && count < WM_FINDINGS_MAX; i++, count++) {
        if (count > 0 && best[i].lost_ns < analysis->run_ns / 100)
            break; /* less than that is not worth a sentence of its own */
        struct wm_finding *finding = &findings[count];
        int length =
            snprintf(finding->sentence, WM_FINDING_CHARS, "%s of the run's rank time (%s) goes into ",
                     wm_share_text(best[i].lost_ns, analysis->run_ns).text, wm_time_text(best[i].lost_ns).text);

        finding->lost_ns = best[i].lost_ns;
        best[i].say(trace, best[i].line, finding->sentence + length, WM_FINDING_CHARS - (size_t)length);
    }
    if (count == 0)
        say_nothing(analysis, &findings[count++]);
    return count;
}
