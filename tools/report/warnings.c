/* Warnings of the JSON report: what limits the trace, in sentences. */
#include <stdio.h>
#include "tools/analysis/crowd.h"
#include "tools/report/json.h"
#include "tools/text/units.h"

enum { SENTENCE_CHARS = 320 };

static void warn_of_clocks(struct wm_json_writer *w, json_t *warnings)
{
    const struct wm_trace *trace = w->trace;
    const struct wm_analysis *analysis = w->analysis;
    char line[SENTENCE_CHARS];

    if (trace->several_clocks && !trace->synchronised)
        wm_json_append(w, warnings,
                       json_string("the ranks ran on several machines, joined by their wall clocks alone: waits "
                                   "between machines are no more exact than those"));
    if (analysis->violations == 0)
        return;
    snprintf(line, sizeof line, "%s arrived, it seems, up to %s before being sent: %s",
             wm_number_text(analysis->violations, "message").text, wm_time_text(analysis->violation_max_ns).text,
             analysis->violation_max_ns > 2 * trace->clock_error_ns ? "the clocks disagree by that much"
                                                                    : "no more than the clocks are exact to");
    wm_json_append(w, warnings, json_string(line));
}

static void warn_of_conveyors(struct wm_json_writer *w, json_t *warnings)
{
    const struct wm_conveyor_table *conveyors = w->analysis->conveyors;
    char line[SENTENCE_CHARS];

    for (size_t i = 0; i < conveyors->count; i++) {
        const struct wm_conveyor_totals *conveyor = &conveyors->conveyors[i];

        if (conveyor->violations == 0)
            continue;
        snprintf(line, sizeof line,
                 "%s of conveyor '%.80s' came, it seems, up to %s before being sent: the clocks disagree by that much",
                 wm_number_text(conveyor->violations, "buffer").text, conveyor->definition->name,
                 wm_time_text(conveyor->violation_max_ns).text);
        wm_json_append(w, warnings, json_string(line));
    }
}

static void warn_of_crowd(struct wm_json_writer *w, json_t *warnings)
{
    struct wm_crowd crowd = wm_crowd_find(w->trace);
    char line[SENTENCE_CHARS], who[128];

    if (crowd.host == NULL)
        return;
    wm_crowd_text(&crowd, who, sizeof who);
    snprintf(line, sizeof line, "%s: while one runs another stands still, and all times hold such pauses", who);
    wm_json_append(w, warnings, json_string(line));
}

json_t *wm_json_warnings(struct wm_json_writer *w)
{
    json_t *warnings = json_array();

    warn_of_crowd(w, warnings);
    warn_of_clocks(w, warnings);
    warn_of_conveyors(w, warnings);
    for (size_t i = 0; i < w->trace->warning_count; i++)
        wm_json_append(w, warnings, json_string(w->trace->warnings[i]));
    return warnings;
}
