/* Short plans: recognised, and run. */
#include "core/shared/short_plan.h"

#include <string.h>

enum { SHORT_STEPS_MAX = 6 };

/* A copy of one range from one of the user's buffers to another. */
static bool is_users_copy(const struct wm_plan *plan, const struct wm_step *s)
{
    return wm_plan_stride(plan, s).block == s->count && s->kind == WM_STEP_COPY &&
           s->source.buffer < WM_BUFFER_TEMPORARY && s->target.buffer < WM_BUFFER_TEMPORARY;
}

static bool is_short(const struct wm_plan *plan, const struct wm_geometry *geometry)
{
    bool fits = plan->shared_count >= 1 && plan->shared_count <= WM_SHORT_PLAN_SHARED_MAX &&
                plan->step_count <= SHORT_STEPS_MAX && geometry->packed;

    for (int i = 0; fits && i < plan->step_count; i++)
        fits = plan->steps[i].kind == WM_STEP_SHARED || is_users_copy(plan, &plan->steps[i]);
    return fits;
}

static bool shorten(struct wm_short_plan *p, struct wm_shared_lane *lane, const struct wm_plan *plan, int number,
                    const struct wm_shared_data *data)
{
    struct wm_transport transport = {0};

    for (int i = 0; i < plan->step_count; i++)
        if (plan->steps[i].kind == WM_STEP_SHARED && (int)plan->steps[i].message == number && plan->transport_count > 0)
            transport = plan->transports[plan->steps[i].transport];
    return lane != NULL && wm_shared_short_make(&p->steps[number], lane, &plan->shared[number], data, &transport);
}

void wm_short_plan_make(struct wm_short_plan *p, struct wm_lanes *lanes, const struct wm_plan *plan,
                        const struct wm_shared_data *data)
{
    bool fits = is_short(plan, data->geometry);

    *p = (struct wm_short_plan){.unit_bytes = data->unit_bytes};
    if (fits)
        wm_lanes_begin(lanes);
    for (int n = 0; fits && n < plan->shared_count; n++)
        fits = shorten(p, wm_lanes_next(lanes, &plan->shared[n]), plan, n, data);
    if (!fits)
        return;
    p->plan = plan;
    p->overlaps = plan->shared_count == 1 && wm_shared_short_has_parts(&p->steps[0]);
    for (int i = 0; i < plan->step_count; i++)
        p->overlaps = p->overlaps && plan->steps[i].dependencies == 0;
}

static void copy_units(const struct wm_short_plan *p, const struct wm_step *step, const char *send, char *receive)
{
    const char *source = step->source.buffer == WM_BUFFER_SEND ? send : receive;

    memcpy(receive + step->target.offset * p->unit_bytes, source + step->source.offset * p->unit_bytes,
           step->count * p->unit_bytes);
}

static void run_overlapping(const struct wm_short_plan *p, const void *send, void *receive)
{
    struct wm_shared_task task;

    wm_shared_short_begin(&p->steps[0], send, receive, &task);
    for (int i = 0; i < p->plan->step_count; i++)
        if (p->plan->steps[i].kind != WM_STEP_SHARED)
            copy_units(p, &p->plan->steps[i], send, receive);
    wm_shared_short_end(&p->steps[0], &task);
}

static inline void run_step(const struct wm_short_plan *p, const struct wm_step *step, const void *send, void *receive)
{
    if (step->kind == WM_STEP_SHARED)
        wm_shared_short_run(&p->steps[step->message], send, receive);
    else
        copy_units(p, step, send, receive);
}

void wm_short_plan_run_step(const struct wm_short_plan *p, int step, const void *send, void *receive)
{
    run_step(p, &p->plan->steps[step], send, receive);
}

void wm_short_plan_run(const struct wm_short_plan *p, const void *send, void *receive)
{
    for (int i = 0; !p->overlaps && i < p->plan->step_count; i++)
        run_step(p, &p->plan->steps[i], send, receive);
    if (p->overlaps)
        run_overlapping(p, send, receive);
}
