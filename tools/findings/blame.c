/* Who is to blame for a delay: the late rank itself, or a call that it left late. */
#include "tools/findings/finding.h"
#include "tools/findings/map_text.h"

const char *wm_inquiry_path(const struct wm_trace *trace, uint16_t node)
{
    struct wm_map_form form, path;

    return wm_map_form_of_node(trace, node, &form) && wm_map_path_around(trace, &form, &path) ? path.begin : NULL;
}

static const struct wm_line *line_of(const struct wm_analysis *analysis, uint16_t node, uint8_t operation)
{
    for (size_t i = 0; i < analysis->line_count; i++)
        if (analysis->lines[i].node == node && analysis->lines[i].operation == operation)
            return &analysis->lines[i];
    return NULL;
}

/* All others together wait no longer than each of them would for what the late rank computed more than they did; where
 * that is nearly what they waited, it is all of it. */
static int64_t unexplained_ns(const struct wm_trace *trace, const struct wm_delay *delay)
{
    double explained_ns = (double)delay->excess_ns * (trace->job_ranks - 1);

    return explained_ns > 0 && 2 * explained_ns < (double)delay->cost_ns ? delay->cost_ns - (int64_t)explained_ns : 0;
}

static struct wm_blame judge(const struct wm_trace *trace, const struct wm_analysis *analysis,
                             const struct wm_delay *delay)
{
    struct wm_blame blame = {.delay = delay};

    if (delay->computing) {
        blame.passed_on_ns = unexplained_ns(trace, delay);
        return blame;
    }
    blame.cause = line_of(analysis, delay->cause_node, delay->cause_operation);
    blame.path = wm_inquiry_path(trace, delay->cause_node);
    if (blame.cause != NULL && blame.cause->time_ns > 0)
        blame.passed_on_ns =
            (int64_t)((double)delay->cost_ns * (1 - (double)blame.cause->late_ns / (double)blame.cause->time_ns));
    return blame;
}

void wm_inquiry_begin(struct wm_inquiry *inquiry, const struct wm_trace *trace, const struct wm_analysis *analysis)
{
    *inquiry = (struct wm_inquiry){.trace = trace, .analysis = analysis};
    for (size_t i = 0; i < analysis->line_count; i++)
        if (analysis->lines[i].outermost)
            inquiry->in_calls_ns += analysis->lines[i].time_ns;
    for (size_t i = 0; i < analysis->delay_count && i < WM_BLAMES_MAX; i++)
        inquiry->blames[inquiry->blame_count++] = judge(trace, analysis, &analysis->delays[i]);
}
