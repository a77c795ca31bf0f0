/* Scan in shared memory: one step, in which every member reads those before it. */
#include "wrappers/scan.h"
#include "wrappers/shared.h"

void wm_scan_shared(struct wm_planner *p, struct wm_scan *s, const struct wm_shape *shape)
{
    enum wm_shared_kind kind = s->inclusive ? WM_SHARED_SCAN : WM_SHARED_EXSCAN;
    struct wm_draft d;

    if (!wm_draft_begin(p, &d, s->group, shape->radix, kind, 0))
        return;
    d.counts[0] = s->count;
    d.from[0] = s->own;
    d.to[0] = s->home;
    wm_planner_shared(p, &d.step);
    if (s->total)
        s->sum = wm_scan_sum(p, s);
}
