/* Flows that share resources as fluids do. */
#include "tools/predict/fluid.h"

#include <stdlib.h>
#include "core/vector.h"
#include "tools/proof/arena.h"

enum { SHIFT = 16, VERSIONS = 1 << 29, NO_FLOW = -1, OWN_RATE = -1 };

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
        f->resources[i] = (struct wm_fluid_resource){.high = INT64_MAX, .first = -1, .told = NO_FLOW};
}

void wm_fluid_release(struct wm_fluid *f)
{
    for (size_t i = 0; i < f->resource_count && f->resources != NULL; i++)
        free(f->resources[i].governed);
    free(f->resources);
    free(f->flows);
    free(f->links);
    free(f->changed);
    free(f->listed);
    *f = (struct wm_fluid){0};
}

/* --- Time and bytes --- */

static int64_t flown(int64_t elapsed, int64_t rate)
{
    return (int64_t)(((__int128)elapsed * 1000 << SHIFT) / rate);
}

static int64_t time_of(int64_t left, int64_t rate)
{
    __int128 unit = (__int128)1000 << SHIFT;

    return left > 0 ? (int64_t)(((__int128)left * rate + unit - 1) / unit) : 0;
}

/* --- Governed flows, a heap --- */

static bool ends_before(const struct wm_fluid *f, int a, int b)
{
    return f->flows[a].end < f->flows[b].end;
}

static void put(struct wm_fluid *f, struct wm_fluid_resource *r, size_t at, int flow)
{
    r->governed[at] = flow;
    f->flows[flow].place = (int)at;
}

static void rise(struct wm_fluid *f, struct wm_fluid_resource *r, size_t at, int flow)
{
    for (size_t parent; at > 0 && ends_before(f, flow, r->governed[parent = (at - 1) / 2]); at = parent)
        put(f, r, at, r->governed[parent]);
    put(f, r, at, flow);
}

static void sink(struct wm_fluid *f, struct wm_fluid_resource *r, size_t at, int flow)
{
    for (size_t child; (child = 2 * at + 1) < r->governed_count; at = child) {
        if (child + 1 < r->governed_count && ends_before(f, r->governed[child + 1], r->governed[child]))
            child++;
        if (!ends_before(f, r->governed[child], flow))
            break;
        put(f, r, at, r->governed[child]);
    }
    put(f, r, at, flow);
}

static void govern(struct wm_fluid *f, struct wm_fluid_resource *r, int flow)
{
    reserve(&r->governed, &r->governed_room, r->governed_count + 1, sizeof *r->governed);
    rise(f, r, r->governed_count++, flow);
}

static void void_event(struct wm_flow_state *flow)
{
    flow->version = (flow->version + 1) % VERSIONS;
}

static void release_governed(struct wm_fluid *f, struct wm_fluid_resource *r, int flow)
{
    size_t place = (size_t)f->flows[flow].place;
    int last = r->governed[--r->governed_count];

    if (r->told == flow) {
        void_event(&f->flows[flow]);
        r->told = NO_FLOW;
    }
    if (last == flow)
        return;
    if (place > 0 && ends_before(f, last, r->governed[(place - 1) / 2]))
        rise(f, r, place, last);
    else
        sink(f, r, place, last);
}

/* --- What is to be looked at --- */

static void list_flow(struct wm_fluid *f, int flow)
{
    if (f->flows[flow].listed)
        return;
    f->flows[flow].listed = true;
    reserve(&f->listed, &f->listed_room, f->listed_count + 1, sizeof *f->listed);
    f->listed[f->listed_count++] = flow;
}

/* Its load changes, or what it governs. Up to now its clock went by the old load. */
static struct wm_fluid_resource *change(struct wm_fluid *f, int resource, int64_t now)
{
    struct wm_fluid_resource *r = &f->resources[resource];

    if (r->load > 0)
        r->clock += flown(now - r->since, r->load);
    r->since = now;
    if (!r->changed) {
        r->changed = true;
        reserve(&f->changed, &f->changed_room, f->changed_count + 1, sizeof *f->changed);
        f->changed[f->changed_count++] = resource;
    }
    return r;
}

/* --- Flows of others at a resource, a list --- */

static void add_link(struct wm_fluid *f, int link)
{
    struct wm_fluid_resource *r = &f->resources[f->links[link].resource];

    f->links[link].before = -1;
    f->links[link].behind = r->first;
    if (r->first >= 0)
        f->links[r->first].before = link;
    r->first = link;
}

static void remove_link(struct wm_fluid *f, int link)
{
    const struct wm_fluid_link *l = &f->links[link];

    if (l->before >= 0)
        f->links[l->before].behind = l->behind;
    else
        f->resources[l->resource].first = l->behind;
    if (l->behind >= 0)
        f->links[l->behind].before = l->before;
}

/* --- Beginning and end --- */

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
    f->flows[flow] = (struct wm_flow_state){.step = step,
                                            .governor = OWN_RATE,
                                            .own = own > 0 ? own : 1,
                                            .since = now,
                                            .end = (int64_t)bytes << SHIFT,
                                            .version = version};
    list_flow(f, flow);
    return flow;
}

void wm_fluid_pass(struct wm_fluid *f, int flow, int resource, int64_t share, int64_t now)
{
    int link = flow * WM_FLUID_PASSED_MAX + f->flows[flow].passed++;

    f->links[link] = (struct wm_fluid_link){.resource = resource, .share = share};
    add_link(f, link);
    change(f, resource, now)->load += share;
}

bool wm_fluid_holds(const struct wm_fluid *f, const struct wm_sim_event *event)
{
    return f->flows[event->at].version == event->version;
}

static void tell(struct wm_fluid *f, int flow, int64_t time, struct wm_events *events)
{
    void_event(&f->flows[flow]);
    wm_events_add(events, &(struct wm_sim_event){
                              .time = time, .kind = WM_EVENT_FLOWN, .version = f->flows[flow].version, .at = flow});
}

/* The end of what ends first. */
static void tell_next(struct wm_fluid *f, struct wm_fluid_resource *r, struct wm_events *events)
{
    r->told = r->governed[0];
    tell(f, r->told, r->since + time_of(f->flows[r->told].end - r->clock, r->load), events);
}

void wm_fluid_end(struct wm_fluid *f, int flow, int64_t now, struct wm_events *events)
{
    struct wm_flow_state *state = &f->flows[flow];

    for (int i = 0; i < state->passed; i++) {
        int link = flow * WM_FLUID_PASSED_MAX + i;
        struct wm_fluid_resource *r = change(f, f->links[link].resource, now);

        r->load -= f->links[link].share;
        if (link != state->governor) {
            remove_link(f, link);
            continue;
        }
        release_governed(f, r, flow);
        if (r->governed_count > 0 && f->flows[r->governed[0]].end <= r->clock)
            tell_next(f, r, events);
    }
    void_event(state);
    state->passed = 0;
    state->step = f->idle;
    f->idle = flow;
}

/* --- Governors --- */

static int64_t load_of(const struct wm_fluid *f, int link)
{
    return f->resources[f->links[link].resource].load;
}

static int find_governor(const struct wm_fluid *f, int flow)
{
    int64_t most = f->flows[flow].own;
    int governor = OWN_RATE;

    for (int i = 0; i < f->flows[flow].passed; i++) {
        int link = flow * WM_FLUID_PASSED_MAX + i;

        if (load_of(f, link) > most) {
            most = load_of(f, link);
            governor = link;
        }
    }
    return governor;
}

/* Until a load has come half the way to the governor's, or this one to it, nothing changes. */
static void set_bounds(struct wm_fluid *f, int flow, int governor)
{
    int64_t rate = governor == OWN_RATE ? f->flows[flow].own : load_of(f, governor), low = f->flows[flow].own;

    for (int i = 0; i < f->flows[flow].passed; i++) {
        int link = flow * WM_FLUID_PASSED_MAX + i;
        struct wm_fluid_resource *r = &f->resources[f->links[link].resource];
        int64_t half = governor == OWN_RATE ? rate : r->load + (rate - r->load) / 2;

        if (link == governor)
            continue;
        r->high = half < r->high ? half : r->high;
        low = half > low ? half : low;
    }
    if (governor != OWN_RATE && low > f->resources[f->links[governor].resource].low)
        f->resources[f->links[governor].resource].low = low;
}

/* Bytes << 16 that have not flowed yet. */
static int64_t leave_governor(struct wm_fluid *f, int flow, int64_t now)
{
    struct wm_flow_state *state = &f->flows[flow];
    struct wm_fluid_resource *r;

    if (state->governor == OWN_RATE) {
        void_event(state);
        return state->end - flown(now - state->since, state->own);
    }
    r = change(f, f->links[state->governor].resource, now);
    release_governed(f, r, flow);
    add_link(f, state->governor);
    return state->end - r->clock;
}

static void take_governor(struct wm_fluid *f, int flow, int governor, int64_t left, int64_t now)
{
    struct wm_flow_state *state = &f->flows[flow];
    struct wm_fluid_resource *r;

    state->governor = governor;
    state->since = now;
    state->end = left > 0 ? left : 0;
    if (governor == OWN_RATE)
        return;
    r = change(f, f->links[governor].resource, now);
    state->end += r->clock;
    remove_link(f, governor);
    govern(f, r, flow);
}

static void look(struct wm_fluid *f, int flow, int64_t now, struct wm_events *events)
{
    struct wm_flow_state *state = &f->flows[flow];
    int governor = find_governor(f, flow);
    bool begins = state->since == now && state->governor == OWN_RATE;

    set_bounds(f, flow, governor);
    if (governor != state->governor)
        take_governor(f, flow, governor, leave_governor(f, flow, now), now);
    else if (!begins)
        return;
    if (governor == OWN_RATE)
        tell(f, flow, now + time_of(state->end, state->own), events);
}

/* Flows whose governor may be another one, at this load. */
static void list_flows(struct wm_fluid *f, struct wm_fluid_resource *r)
{
    if (r->load > r->high) {
        r->high = INT64_MAX;
        for (int link = r->first; link >= 0; link = f->links[link].behind)
            list_flow(f, link / WM_FLUID_PASSED_MAX);
    }
    if (r->load < r->low) {
        r->low = 0;
        for (size_t i = 0; i < r->governed_count; i++)
            list_flow(f, r->governed[i]);
    }
}

void wm_fluid_settle(struct wm_fluid *f, int64_t now, struct wm_events *events)
{
    for (size_t i = 0, count = f->changed_count; i < count; i++)
        list_flows(f, &f->resources[f->changed[i]]);
    for (size_t i = 0; i < f->listed_count; i++) {
        f->flows[f->listed[i]].listed = false;
        if (f->flows[f->listed[i]].passed > 0)
            look(f, f->listed[i], now, events);
    }
    f->listed_count = 0;
    for (size_t i = 0; i < f->changed_count; i++) {
        struct wm_fluid_resource *r = &f->resources[f->changed[i]];

        r->changed = false;
        if (r->told != NO_FLOW)
            void_event(&f->flows[r->told]);
        r->told = NO_FLOW;
        if (r->governed_count > 0)
            tell_next(f, r, events);
    }
    f->changed_count = 0;
}

/* --- As it stands --- */

struct flow_note {
    int64_t step, governor, end, since;
};

static int compare_notes(const void *left, const void *right)
{
    const struct flow_note *a = left, *b = right;

    return (a->step > b->step) - (a->step < b->step);
}

static void add_note(int64_t **notes, size_t *count, size_t *room, int64_t note)
{
    reserve(notes, room, *count + 1, sizeof **notes);
    (*notes)[(*count)++] = note;
}

static struct flow_note note_of(const struct wm_fluid *f, const struct wm_flow_state *flow, int64_t now)
{
    const struct wm_fluid_resource *r;

    if (flow->governor == OWN_RATE)
        return (struct flow_note){flow->step, OWN_RATE, flow->end, now - flow->since};
    r = &f->resources[f->links[flow->governor].resource];
    return (struct flow_note){flow->step, f->links[flow->governor].resource, flow->end - r->clock, 0};
}

static void note_flows(const struct wm_fluid *f, int64_t now, int64_t **notes, size_t *count, size_t *room)
{
    size_t begin = *count;

    for (size_t i = 0; i < f->flow_count; i++)
        if (f->flows[i].passed > 0) {
            struct flow_note note = note_of(f, &f->flows[i], now);

            add_note(notes, count, room, note.step);
            add_note(notes, count, room, note.governor);
            add_note(notes, count, room, note.end);
            add_note(notes, count, room, note.since);
        }
    if (*count > begin)
        qsort(*notes + begin, (*count - begin) / 4, sizeof(struct flow_note), compare_notes);
}

void wm_fluid_note(struct wm_fluid *f, int64_t now, int64_t **notes, size_t *count, size_t *room)
{
    for (size_t i = 0; i < f->resource_count; i++) {
        const struct wm_fluid_resource *r = &f->resources[i];

        add_note(notes, count, room, r->load);
        add_note(notes, count, room, r->load > 0 ? now - r->since : 0);
        add_note(notes, count, room, r->low);
        add_note(notes, count, room, r->high);
        add_note(notes, count, room, r->told != NO_FLOW ? f->flows[r->told].step : NO_FLOW);
    }
    note_flows(f, now, notes, count, room);
}
