/* What calls spend outside of all messages: Waymark's own steps, or the MPI library's collective. */
#include "tools/findings/finding.h"
#include "tools/text/units.h"

/* An outermost region whose time has no edges in it was spent inside the MPI library. */
static bool is_native(const struct wm_line *line)
{
    return line->transfer_ns + line->inside_ns + line->work_ns == 0;
}

static void trust(struct wm_finding *finding, const struct wm_line *line)
{
    wm_finding_trust(finding, line->time_ns > 0 ? (double)line->overhead_ns / (double)line->time_ns : 0,
                     "it is %s of what the ranks spend in these calls",
                     wm_share_text(line->overhead_ns, line->time_ns).text);
}

static void look_at_overhead(struct wm_inquiry *inquiry, const struct wm_line *line)
{
    struct wm_finding finding = wm_finding_of(WM_FINDING_OVERHEAD, line, line->overhead_ns);

    trust(&finding, line);
    wm_finding_open(&finding, inquiry);
    wm_finding_say(&finding, "Waymark's own steps for %s", wm_operation_name((enum wm_operation)line->operation));
    wm_finding_say_place(&finding, inquiry);
    wm_finding_say(&finding, ", %s a region. If the native call is faster, say (native) for this size.",
                   wm_time_text(line->regions ? line->overhead_ns / (int64_t)line->regions : 0).text);
    wm_inquiry_offer(inquiry, &finding);
}

static void look_at_native(struct wm_inquiry *inquiry, const struct wm_line *line)
{
    struct wm_finding finding = wm_finding_of(WM_FINDING_NATIVE, line, line->overhead_ns);

    trust(&finding, line);
    wm_finding_open(&finding, inquiry);
    wm_finding_say(&finding, "the MPI library's own %s", wm_operation_function((enum wm_operation)line->operation));
    wm_finding_say_place(&finding, inquiry);
    wm_finding_say(&finding, ": %s, %s each on average. ", wm_number_text(line->calls, "call").text,
                   wm_bytes_text(line->calls ? line->bytes / line->calls : 0).text);
    if (line->node == 0)
        wm_finding_say(&finding, "The map has no rule for it: add one, (on %s (else (path …))).",
                       wm_operation_name((enum wm_operation)line->operation));
    else
        wm_finding_say(&finding, "Try a path of stages there, or the map 'hierarchy'.");
    wm_inquiry_offer(inquiry, &finding);
}

void wm_finding_look_calls(struct wm_inquiry *inquiry)
{
    for (size_t i = 0; i < inquiry->analysis->line_count; i++) {
        const struct wm_line *line = &inquiry->analysis->lines[i];

        if (!line->visited || !line->outermost || line->operation == WM_STATEMENT)
            continue;
        if (is_native(line))
            look_at_native(inquiry, line);
        else
            look_at_overhead(inquiry, line);
    }
}
