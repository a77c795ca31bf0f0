/* Facts of the run that all forms of the report state alike. */
#include "tools/report/facts.h"

#include <stdio.h>
#include <string.h>
#include "tools/text/units.h"

int wm_facts_hosts(const struct wm_trace *trace)
{
    int count = 0;

    for (int i = 0; i < trace->rank_count; i++) {
        int k = 0;

        while (k < i && strcmp(trace->ranks[k].host, trace->ranks[i].host) != 0)
            k++;
        count += k == i;
    }
    return count;
}

bool wm_facts_is_new_version(const struct wm_trace *trace, int index)
{
    for (int i = 0; i < index; i++)
        if (strcmp(trace->ranks[i].version, trace->ranks[index].version) == 0)
            return false;
    return true;
}

uint64_t wm_facts_map_hash(const struct wm_trace *trace)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    if (trace->map_text == NULL)
        return 0;
    for (const char *at = trace->map_text; *at != '\0'; at++)
        hash = (hash ^ (unsigned char)*at) * UINT64_C(0x100000001b3);
    return hash;
}

static void warn_of_clocks(const struct wm_trace *trace, const struct wm_analysis *analysis,
                           void (*take)(void *, const char *), void *context)
{
    char line[WM_FACTS_SENTENCE];

    if (trace->several_clocks && !trace->synchronised)
        take(context, "the ranks ran on several machines, joined by their wall clocks alone: waits between machines "
                      "are no more exact than those");
    if (analysis->violations == 0)
        return;
    snprintf(line, sizeof line, "%s arrived, it seems, up to %s before being sent: %s",
             wm_number_text(analysis->violations, "message").text, wm_time_text(analysis->violation_max_ns).text,
             analysis->violation_max_ns > 2 * trace->clock_error_ns ? "the clocks disagree by that much"
                                                                    : "no more than the clocks are exact to");
    take(context, line);
}

static void warn_of_conveyors(const struct wm_conveyor_table *conveyors, void (*take)(void *, const char *),
                              void *context)
{
    char line[WM_FACTS_SENTENCE];

    for (size_t i = 0; i < conveyors->count; i++) {
        const struct wm_conveyor_totals *conveyor = &conveyors->conveyors[i];

        if (conveyor->violations == 0)
            continue;
        snprintf(line, sizeof line,
                 "%s of conveyor '%.80s' came, it seems, up to %s before being sent: the clocks disagree by that much",
                 wm_number_text(conveyor->violations, "buffer").text, conveyor->definition->name,
                 wm_time_text(conveyor->violation_max_ns).text);
        take(context, line);
    }
}

void wm_facts_warn(const struct wm_trace *trace, const struct wm_analysis *analysis,
                   void (*take)(void *context, const char *sentence), void *context)
{
    warn_of_clocks(trace, analysis, take, context);
    warn_of_conveyors(analysis->conveyors, take, context);
    for (size_t i = 0; i < trace->warning_count; i++)
        take(context, trace->warnings[i]);
}
