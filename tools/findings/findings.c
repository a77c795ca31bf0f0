/* Findings: asks those who look for one kind of fault, in turn, and keeps what costs most. */
#include "tools/findings/findings.h"

#include <string.h>
#include "tools/findings/finding.h"

static const char *const kind_names[] = {
    [WM_FINDING_MISMATCH] = "mismatch",
    [WM_FINDING_DEATH] = "death",
    [WM_FINDING_NOTHING] = "nothing",
    [WM_FINDING_LATE_RANK] = "late-rank",
    [WM_FINDING_LATE_ROOT] = "late-root",
    [WM_FINDING_LATE_TURNS] = "late-turns",
    [WM_FINDING_EAGER] = "eager",
    [WM_FINDING_FAR_EDGES] = "far-edges",
    [WM_FINDING_SHAPE] = "shape",
    [WM_FINDING_TRANSFER] = "transfer",
    [WM_FINDING_WORK] = "work",
    [WM_FINDING_OVERHEAD] = "overhead",
    [WM_FINDING_NATIVE] = "native",
    [WM_FINDING_CONVEYOR] = "conveyor",
    [WM_FINDING_LATE_RECEIVE] = "late-receive",
};

/* Who knows a particular cause comes before those who know where time goes. */
static void (*const lookers[])(struct wm_inquiry *) = {
    wm_finding_look_far, wm_finding_look_eager, wm_finding_look_late, wm_finding_look_stages, wm_finding_look_calls,
};

/* One of these is said before all others. */
static bool (*const instead[])(const struct wm_inquiry *, struct wm_finding *) = {
    wm_finding_of_mismatch, wm_finding_of_death, wm_finding_of_conveyors, wm_finding_of_little};

const char *wm_finding_kind_name(enum wm_finding_kind kind)
{
    return kind_names[kind];
}

int wm_findings_make(const struct wm_trace *trace, const struct wm_analysis *analysis,
                     struct wm_finding findings[WM_FINDINGS_MAX])
{
    struct wm_inquiry inquiry;
    int count = 0;

    wm_inquiry_begin(&inquiry, trace, analysis);
    for (size_t i = 0; i < sizeof lookers / sizeof lookers[0]; i++)
        lookers[i](&inquiry);
    for (size_t i = 0; count == 0 && i < sizeof instead / sizeof instead[0]; i++)
        count += instead[i](&inquiry, &findings[0]);
    for (int i = 0; i < inquiry.count && count < WM_FINDINGS_MAX; i++) {
        if (count > 0 && inquiry.best[i].lost_ns < analysis->run_ns / 100)
            break; /* less than that is not worth a sentence of its own */
        findings[count++] = inquiry.best[i];
    }
    if (count < WM_FINDINGS_MAX)
        count += wm_finding_of_protocols(&inquiry, &findings[count]);
    if (count == 0)
        wm_finding_of_nothing(&inquiry, &findings[count++]);
    return count;
}
