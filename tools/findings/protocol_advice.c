/* Which receives of a protocol to post earlier, in words. */
#include "tools/findings/protocol_advice.h"

#include "tools/findings/finding.h"
#include "tools/text/units.h"

static void say_met(struct wm_finding *f, const struct wm_protocol_met *met, const char *how)
{
    if (met->count > 0)
        wm_finding_say(f, "; %llu %s, and waited %s on average, %s at most", (unsigned long long)met->count, how,
                       wm_time_text(met->wait_ns / (int64_t)met->count).text, wm_time_text(met->wait_max_ns).text);
}

void wm_protocol_advise(const struct wm_trace *trace, const struct wm_protocol_end *end, char *out, size_t out_bytes)
{
    const struct wm_protocol_met *copied = &end->met[WM_TRACE_MET_COPY], *held = &end->met[WM_TRACE_MET_HEADER];
    uint64_t early = copied->count + held->count, all = early + end->met[WM_TRACE_MET_EXPECTED].count;
    struct wm_finding f = {0};
    char how[160], place[128];

    snprintf(how, sizeof how, "were copied, %s in %s", wm_bytes_text(end->copied_bytes).text,
             wm_time_text(end->copy_ns).text);
    wm_place_text(trace, end->node, place, sizeof place);
    wm_finding_say(&f, "%llu of %llu messages of the protocol '%.64s' came to endpoint %d, rank %d, before a receive",
                   (unsigned long long)early, (unsigned long long)all, end->definition->name, end->definition->endpoint,
                   end->rank);
    say_met(&f, copied, how);
    say_met(&f, held, "stayed with their senders");
    wm_finding_say(&f, ". Post the receives of '%.64s' at endpoint %d earlier; what they wait for is traced at %s.",
                   end->definition->name, end->definition->endpoint, place);
    snprintf(out, out_bytes, "%s", f.sentence);
}

bool wm_finding_of_protocols(const struct wm_inquiry *inquiry, struct wm_finding *finding)
{
    const struct wm_protocol_end *worst = wm_protocol_worst(inquiry->analysis->protocols);
    char sentence[WM_FINDING_CHARS];

    if (worst == NULL)
        return false;
    wm_protocol_advise(inquiry->trace, worst, sentence, sizeof sentence);
    *finding = wm_finding_of(WM_FINDING_LATE_RECEIVE, NULL, worst->copy_ns);
    finding->node = worst->node;
    finding->rank = worst->rank;
    wm_finding_trust(finding, 1, "all matches were summed up");
    wm_finding_say(finding, "%s", sentence);
    return true;
}
