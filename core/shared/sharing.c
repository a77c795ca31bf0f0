/* Sharing: a flight's shared steps on their lanes. */
#include "core/shared/sharing.h"

#include <stdlib.h>
#include "core/data/allocate.h"
#include "core/error.h"
#include "core/shared/scratch.h"

static const struct wm_transport own_choice;

static void make_room(struct wm_sharing *s, int count)
{
    if (count <= s->room)
        return;
    free(s->steps);
    s->steps = wm_allocate(sizeof *s->steps * (size_t)count, "the shared steps of a collective");
    s->room = count;
}

static int give_lane(struct wm_sharing *s, const struct wm_plan *plan, struct wm_lanes *lanes, int number)
{
    struct wm_sharing_step *own = &s->steps[number];

    *own = (struct wm_sharing_step){.lane = wm_lanes_next(lanes, &plan->shared[number]), .before = -1};
    if (own->lane == NULL)
        return -WM_EINVAL;
    for (int earlier = number - 1; earlier >= 0 && own->before < 0; earlier--)
        if (s->steps[earlier].lane == own->lane)
            own->before = earlier;
    return 0;
}

int wm_sharing_start(struct wm_sharing *s, const struct wm_plan *plan, struct wm_lanes *lanes)
{
    int rc = 0;

    make_room(s, plan->shared_count);
    s->count = plan->shared_count;
    s->first = s->under_way = 0;
    wm_lanes_begin(lanes);
    for (int i = 0; rc == 0 && i < s->count; i++)
        rc = give_lane(s, plan, lanes, i);
    return rc;
}

void wm_sharing_release(struct wm_sharing *s)
{
    free(s->steps);
}

void wm_sharing_abandon(struct wm_sharing *s)
{
    for (int i = 0; i < s->count; i++)
        if (s->steps[i].state == WM_SHARING_BEGUN)
            wm_shared_scratch_release(&s->steps[i].task);
    s->count = s->under_way = 0;
}

void wm_sharing_ready(struct wm_sharing *s, const struct wm_plan *plan, int step, uint64_t ticks)
{
    const struct wm_step *ready = &plan->steps[step];
    struct wm_sharing_step *own = &s->steps[ready->message];

    own->state = WM_SHARING_READY;
    own->step = step;
    own->ready_ticks = ticks;
    own->transport = plan->transport_count > 0 ? &plan->transports[ready->transport] : &own_choice;
    s->under_way++;
}

static bool is_over(const struct wm_sharing *s, int number)
{
    return number < 0 || s->steps[number].state == WM_SHARING_OVER;
}

static bool advance_one(struct wm_sharing *s, const struct wm_plan *plan, const struct wm_shared_data *data, int number)
{
    struct wm_sharing_step *own = &s->steps[number];

    if (own->state == WM_SHARING_READY && is_over(s, own->before)) {
        wm_shared_plan(&own->task, own->lane, &plan->shared[number], data, own->transport);
        wm_shared_begin(&own->task);
        own->state = WM_SHARING_BEGUN;
    }
    if (own->state != WM_SHARING_BEGUN || !wm_shared_advance(&own->task))
        return false;
    own->state = WM_SHARING_OVER;
    s->under_way--;
    return true;
}

int wm_sharing_advance(struct wm_sharing *s, const struct wm_plan *plan, const struct wm_shared_data *data, int *error)
{
    int seen = 0;

    while (s->first < s->count && s->steps[s->first].state == WM_SHARING_OVER)
        s->first++;
    for (int i = s->first; i < s->count && seen < s->under_way; i++) {
        if (s->steps[i].state != WM_SHARING_READY && s->steps[i].state != WM_SHARING_BEGUN)
            continue;
        seen++;
        if (advance_one(s, plan, data, i)) {
            *error = s->steps[i].task.error;
            return s->steps[i].step;
        }
    }
    return -1;
}
