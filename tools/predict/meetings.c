/* Shared steps: who waits for whom among their members. */
#include "tools/predict/simulation.h"

/* The member may end now. */
static void meet(struct wm_simulation *s, int step, int item)
{
    if (!wm_simulation_step(s, step)->posted)
        return;
    wm_simulation_step(s, step)->posted = false;
    wm_simulation_come(s, step, WM_ITEM_MET, item);
}

/* Of a prefix: those go on whom all before have come to. */
static void meet_prefix(struct wm_simulation *s, struct wm_program_shared *shared, int item)
{
    while (shared->ahead < shared->size && shared->came[shared->ahead]) {
        meet(s, shared->steps[shared->ahead], item);
        shared->ahead++;
    }
}

void wm_meetings_arrive(struct wm_simulation *s, int step, int item)
{
    int seat;
    struct wm_program_shared *shared = wm_simulation_shared(s, step, &seat);
    int root = shared->shared->root;
    bool whole = ++shared->arrived == shared->size;

    wm_simulation_step(s, step)->posted = true;
    shared->came[seat] = true;
    switch ((enum wm_shared_kind)shared->shared->kind) {
    case WM_SHARED_BCAST:
    case WM_SHARED_SCATTER:
        for (int i = 0; seat == root && i < shared->size; i++)
            meet(s, shared->steps[i], item);
        if (shared->came[root])
            meet(s, step, item);
        return;
    case WM_SHARED_GATHER:
    case WM_SHARED_REDUCE:
        if (seat != root)
            meet(s, step, item);
        if (whole)
            meet(s, shared->steps[root], item);
        return;
    case WM_SHARED_SCAN:
    case WM_SHARED_EXSCAN:
        meet_prefix(s, shared, item);
        return;
    default:
        for (int i = 0; whole && i < shared->size; i++)
            meet(s, shared->steps[i], item);
    }
}
