/* Held messages of a flight: their parts, and those that wait until they are due. */
#include "core/engine/holding.h"

#include <stdlib.h>
#include "core/data/allocate.h"

enum { PARTS = 2 };

void wm_holding_start(struct wm_holding *h, const struct wm_plan *plan)
{
    if (plan->held_messages > h->room) {
        free(h->messages);
        h->room = plan->held_messages;
        h->messages = wm_allocate((size_t)h->room * sizeof *h->messages, "a collective");
    }
    for (int i = 0; i < plan->held_messages; i++)
        h->messages[i] = (struct wm_held_message){.parts = PARTS, .step = -1};
    h->uplink = wm_uplink_find(&plan->lag);
}

void wm_holding_release(struct wm_holding *h)
{
    free(h->messages);
}

bool wm_holding_part(struct wm_holding *h, const struct wm_plan *plan, int step)
{
    struct wm_held_message *m = wm_holding_message(h, &plan->steps[step]);

    if (--m->parts > 0)
        return false;
    if (plan->steps[step].kind == WM_STEP_SEND || (m->at_ns = wm_due_here(&m->due)) <= wm_due_clock())
        return true;
    m->step = step;
    h->waiting++;
    return false;
}

int wm_holding_take(struct wm_holding *h, const struct wm_plan *plan)
{
    uint64_t now = h->waiting > 0 ? wm_due_clock() : 0;

    for (int i = 0, seen = h->waiting; seen > 0 && i < plan->held_messages; i++) {
        struct wm_held_message *m = &h->messages[i];
        int step = m->step;

        if (step < 0)
            continue;
        seen--;
        if (m->at_ns > now)
            continue;
        m->step = -1;
        h->waiting--;
        return step;
    }
    return -1;
}
