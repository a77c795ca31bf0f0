/* What stages spend: waiting for each other, moving data, working; where no more particular cause is known. */
#include <stdio.h>
#include "tools/findings/finding.h"
#include "tools/findings/map_text.h"
#include "tools/text/units.h"

enum { LARGE_MESSAGE_BYTES = 64 << 10 };

/* Begin "… goes into `what` allreduce at …"; the confidence is the cost's share of the stage's time. */
static struct wm_finding begin(const struct wm_inquiry *inquiry, enum wm_finding_kind kind, const struct wm_line *line,
                               int64_t lost_ns, const char *what)
{
    struct wm_finding finding = wm_finding_of(kind, line, lost_ns);
    int64_t whole_ns = line->time_ns + wm_inquiry_caused_ns(inquiry, line);

    if (kind == WM_FINDING_SHAPE)
        finding.error_ns = line->error_ns;
    wm_finding_trust(&finding, (double)lost_ns / (double)whole_ns,
                     "it is %s of what the ranks spend in this stage, and others because of it",
                     wm_share_text(lost_ns, whole_ns).text);
    wm_finding_open(&finding, inquiry);
    wm_finding_say(&finding, "%s %s", what, wm_operation_name((enum wm_operation)line->operation));
    wm_finding_say_place(&finding, inquiry);
    return finding;
}

static void look_at_inside(struct wm_inquiry *inquiry, const struct wm_line *line)
{
    double share;
    int late = wm_line_late_rank(line, inquiry->trace->job_ranks, &share);
    struct wm_finding finding = begin(inquiry, WM_FINDING_SHAPE, line,
                                      wm_inquiry_inside_ns(inquiry, line) + wm_inquiry_caused_ns(inquiry, line),
                                      "ranks waiting for each other's messages within");

    finding.rank = late;
    if (late >= 0)
        wm_finding_say(&finding,
                       ", most for rank %d (%.0f %%). Try another #:shape there, one in which fewer messages depend on "
                       "each other or rank %d comes later.",
                       late, 100 * share, late);
    else
        wm_finding_say(&finding, ". Try another #:shape there, one in which fewer messages depend on each other.");
    wm_inquiry_offer(inquiry, &finding);
}

/* Large data of a tree goes in pieces, unless it does so already. */
static void cut_in_pieces(struct wm_finding *finding, const struct wm_inquiry *inquiry)
{
    struct wm_map_form form, path, there;
    char after[WM_EDIT_CHARS];

    if (finding->operation != WM_BCAST && finding->operation != WM_REDUCE && finding->operation != WM_ALLREDUCE)
        return;
    if (!wm_map_form_of_node(inquiry->trace, finding->node, &form) ||
        !wm_map_path_around(inquiry->trace, &form, &path) || wm_map_wrapper_in(&path, "segment", &there) ||
        !wm_map_stage_in(&path, &there))
        return;
    if (snprintf(after, sizeof after, "(segment 128KiB) %.*s", (int)there.length, there.begin) < (int)sizeof after)
        wm_edit_replace(&finding->edit, inquiry->trace, &there, after);
}

static void look_at_transfer(struct wm_inquiry *inquiry, const struct wm_line *line)
{
    uint64_t mean = line->messages > 0 ? line->bytes / line->messages : 0;
    char what[128];
    struct wm_finding finding;

    snprintf(what, sizeof what, "moving %s of %s on average for", wm_number_text(line->messages, "message").text,
             wm_bytes_text(mean).text);
    finding = begin(inquiry, WM_FINDING_TRANSFER, line, wm_inquiry_transfer_ns(inquiry, line), what);
    if (mean > 2 * LARGE_MESSAGE_BYTES)
        cut_in_pieces(&finding, inquiry);
    wm_finding_say(&finding, "%s",
                   mean < LARGE_MESSAGE_BYTES
                       ? ". They are small: try a #:shape with fewer rounds, or combine the cores of a node first."
                   : finding.edit.line > 0
                       ? ". They are large: let pieces overlap, or try reduce-scatter or scatter, "
                         "which split the data."
                       : ". They are large: try reduce-scatter or scatter, which split the data, or "
                         "pieces of another size.");
    wm_finding_say_edit(&finding);
    wm_inquiry_offer(inquiry, &finding);
}

static void look_at_work(struct wm_inquiry *inquiry, const struct wm_line *line)
{
    struct wm_finding finding = begin(inquiry, WM_FINDING_WORK, line, line->work_ns,
                                      line->shared ? "what the ranks of a node do in their shared memory for"
                                                   : "combining and copying data for");

    wm_finding_say(&finding, "%s",
                   line->shared ? ". Fewer calls, or smaller ones, would mend that; so might another #:chunk."
                                : ". Share the work out: reduce-scatter lets every rank combine a part.");
    wm_inquiry_offer(inquiry, &finding);
}

void wm_finding_look_stages(struct wm_inquiry *inquiry)
{
    for (size_t i = 0; i < inquiry->analysis->line_count; i++) {
        const struct wm_line *line = &inquiry->analysis->lines[i];

        if (line->visited)
            continue;
        look_at_inside(inquiry, line);
        look_at_transfer(inquiry, line);
        look_at_work(inquiry, line);
    }
}
