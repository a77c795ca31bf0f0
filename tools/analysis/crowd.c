/* Crowds: the ranks of each host counted, subranks by processes, and the processors of their masks. */
#include "tools/analysis/crowd.h"

#include <stdio.h>
#include <string.h>
#include "tools/text/units.h"

static bool share_host(const struct wm_trace_rank *a, const struct wm_trace_rank *b)
{
    return strcmp(a->host, b->host) == 0;
}

static bool is_first_of_host(const struct wm_trace *trace, int index)
{
    for (int i = 0; i < index; i++)
        if (share_host(&trace->ranks[i], &trace->ranks[index]))
            return false;
    return true;
}

static struct wm_crowd crowd_of(const struct wm_trace *trace, int index)
{
    struct wm_crowd crowd = {.host = trace->ranks[index].host};
    uint64_t all[WM_TRACE_PROCESSOR_WORDS] = {0};

    for (int i = index; i < trace->rank_count; i++) {
        if (!share_host(&trace->ranks[i], &trace->ranks[index]))
            continue;
        crowd.ranks += trace->ranks[i].sibling == 0;
        crowd.subranks |= trace->ranks[i].siblings > 0;
        for (int w = 0; w < WM_TRACE_PROCESSOR_WORDS; w++)
            all[w] |= trace->ranks[i].processors[w];
    }
    for (int w = 0; w < WM_TRACE_PROCESSOR_WORDS; w++)
        crowd.processors += __builtin_popcountll(all[w]);
    return crowd;
}

struct wm_crowd wm_crowd_find(const struct wm_trace *trace)
{
    struct wm_crowd most = {.host = NULL, .ranks = 1, .processors = 1};

    for (int i = 0; i < trace->rank_count; i++) {
        struct wm_crowd crowd;

        if (!is_first_of_host(trace, i))
            continue;
        crowd = crowd_of(trace, i);
        if ((int64_t)crowd.ranks * most.processors > (int64_t)most.ranks * crowd.processors && crowd.processors > 0)
            most = crowd;
    }
    return most;
}

void wm_crowd_text(const struct wm_crowd *crowd, char *out, size_t out_bytes)
{
    out[0] = '\0';
    if (crowd->host != NULL)
        snprintf(out, out_bytes, "%d %s share %s of %.64s", crowd->ranks, crowd->subranks ? "processes" : "ranks",
                 wm_number_text((uint64_t)crowd->processors, "processor").text,
                 crowd->host[0] != '\0' ? crowd->host : "their host");
}
