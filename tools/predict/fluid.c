/* Flows that share resources as fluids do. */
#include "tools/predict/fluid.h"

#include <stdlib.h>
#include "core/vector.h"
#include "tools/proof/arena.h"

enum { SHIFT = 16, VERSIONS = 1 << 29 };

static void reserve(void *items, size_t *capacity, size_t needed, size_t item_bytes)
{
    if (wm_vector_reserve(items, capacity, needed, item_bytes) < 0)
        wm_proof_out_of_memory();
}

void wm_fluid_init(struct wm_fluid *f, size_t resources)
{
    *f = (struct wm_fluid){.resource_count = resources, .idle = -1};
    f->resources = calloc(resources + 1, sizeof *f->resources);
    if (f->resources == NULL)
        wm_proof_out_of_memory();
    for (size_t i = 0; i < resources; i++)
        f->resources[i].first = -1;
}

void wm_fluid_release(struct wm_fluid *f)
{
    free(f->resources);
    free(f->flows);
    free(f->links);
    free(f->changed);
    free(f->listed);
    *f = (struct wm_fluid){0};
}

static void list_flow(struct wm_fluid *f, int flow)
{
    if (f->flows[flow].listed)
        return;
    f->flows[flow].listed = true;
    reserve(&f->listed, &f->listed_room, f->listed_count + 1, sizeof *f->listed);
    f->listed[f->listed_count++] = flow;
}

static void change(struct wm_fluid *f, int resource)
{
    if (f->resources[resource].changed)
        return;
    f->resources[resource].changed = true;
    reserve(&f->changed, &f->changed_room, f->changed_count + 1, sizeof *f->changed);
    f->changed[f->changed_count++] = resource;
}

int wm_fluid_begin(struct wm_fluid *f, int step, uint64_t bytes, int64_t own, int64_t now)
{
    int flow = f->idle;
    uint32_t version = 0;

    if (flow >= 0) {
        f->idle = f->flows[flow].step;
        version = f->flows[flow].version;
    } else {
        reserve(&f->flows, &f->flow_room, f->flow_count + 1, sizeof *f->flows);
        reserve(&f->links, &f->link_room, (f->flow_count + 1) * WM_FLUID_PASSED_MAX, sizeof *f->links);
        flow = (int)f->flow_count++;
    }
    f->flows[flow] = (struct wm_flow_state){

        .step = step, .own = own > 0 ? own : 1, .since = now, .left = (int64_t)bytes << SHIFT, .version = version};
    list_flow(f, flow);
    return flow;
}

void wm_fluid_pass(struct wm_fluid *f, int flow, int resource, int64_t share)
{
    int link = flow * WM_FLUID_PASSED_MAX + f->flows[flow].passed++, behind = f->resources[resource].first;

    f->links[link] = (struct wm_fluid_link){.resource = resource, .before = -1, .behind = behind, .share = share};
    if (behind >= 0)
        f->links[behind].before = link;
    f->resources[resource].first = link;
    f->resources[resource].load += share;
    change(f, resource);
}

bool wm_fluid_holds(const struct wm_fluid *f, const struct wm_sim_event *event)
{
    return f->flows[event->at].version == event->version;
}

void wm_fluid_end(struct wm_fluid *f, int flow)
{
    struct wm_flow_state *state = &f->flows[flow];

    for (int i = 0; i < state->passed; i++) {
        const struct wm_fluid_link *link = &f->links[flow * WM_FLUID_PASSED_MAX + i];

        if (link->before >= 0)
            f->links[link->before].behind = link->behind;
        else
            f->resources[link->resource].first = link->behind;
        if (link->behind >= 0)
            f->links[link->behind].before = link->before;
        f->resources[link->resource].load -= link->share;
        change(f, link->resource);
    }
    state->version = (state->version + 1) % VERSIONS;
    state->passed = 0;
    state->step = f->idle;
    f->idle = flow;
}

static int64_t rate_of(const struct wm_fluid *f, int flow)
{
    int64_t rate = f->flows[flow].own;

    for (int i = 0; i < f->flows[flow].passed; i++) {
        int64_t load = f->resources[f->links[flow * WM_FLUID_PASSED_MAX + i].resource].load;

        rate = load > rate ? load : rate;
    }
    return rate;
}

/* What has flowed at the old rate is over; when will the rest be, at the new one? */
static void retime(struct wm_fluid *f, int flow, int64_t now, struct wm_events *events)
{
    struct wm_flow_state *state = &f->flows[flow];
    int64_t rate = rate_of(f, flow);

    state->listed = false;
    if (rate == state->rate)
        return;
    if (state->rate > 0)
        state->left -= (int64_t)(((__int128)(now - state->since) * 1000 << SHIFT) / state->rate);
    if (state->left < 0)
        state->left = 0;
    state->since = now;
    state->rate = rate;
    state->version = (state->version + 1) % VERSIONS;
    wm_events_add(events, &(struct wm_sim_event){
                              .time = now + (int64_t)((((__int128)state->left * rate >> SHIFT) + 999) / 1000),
                              .kind = WM_EVENT_FLOWN,
                              .version = state->version,
                              .at = flow,
                          });
}

void wm_fluid_settle(struct wm_fluid *f, int64_t now, struct wm_events *events)
{
    for (size_t i = 0; i < f->changed_count; i++) {
        struct wm_fluid_resource *resource = &f->resources[f->changed[i]];

        resource->changed = false;
        for (int link = resource->first; link >= 0; link = f->links[link].behind)
            list_flow(f, link / WM_FLUID_PASSED_MAX);
    }
    f->changed_count = 0;
    for (size_t i = 0; i < f->listed_count; i++) {
        int flow = f->listed[i];

        if (f->flows[flow].passed > 0)
            retime(f, flow, now, events);
        else
            f->flows[flow].listed = false;
    }
    f->listed_count = 0;
}
