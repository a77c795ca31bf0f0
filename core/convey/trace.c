/* Records of a conveyor: what becomes of its buffers, and of the items that are watched. */
#include "core/convey/trace.h"

#include <stdlib.h>
#include "core/record/control.h"

struct wm_convey_trace {
    struct wm_recorder_ring *ring;
    uint32_t id; /* of its communicator, in the trace */
    uint32_t run;
    uint64_t kinds;     /* recorded in this run */
    uint32_t defined;   /* the run from which on the definition holds; 0: there is none */
    unsigned pipelines; /* c->pipelines at that time */
    uint16_t node;
    bool relaying;
    int outlets;
    uint64_t *refused;  /* [outlets] ticks of the first refusal since there was room; 0: there is */
    int64_t closed;     /* units handed over */
    int64_t watch_from; /* items pushed after which one is watched */
    uint32_t advances, progressed;
};

static void record_at(const struct wm_convey_trace *t, uint64_t ticks, enum wm_trace_kind kind, int flags, int link,
                      uint64_t argument)
{
    if (wm_kinds_have(t->kinds, kind))
        wm_record_at(t->ring, ticks, kind, (uint8_t)flags, t->node, t->id, link, t->run, argument);
}

static void record(const struct wm_convey_trace *t, enum wm_trace_kind kind, int flags, int link, uint64_t argument)
{
    if (wm_kinds_have(t->kinds, kind))
        record_at(t, wm_recorder_now(t->ring), kind, flags, link, argument);
}

static void record_state(const struct wm_convey_trace *t, enum convey_state state)
{
    record(t, WM_TRACE_CONVEY_STATE, (int)state, -1, WM_TRACE_TURNS(t->progressed, t->advances));
}

static int number_of(const struct wm_conveyor *c, const struct wm_outlet *out)
{
    return (int)(out->hot - c->hot);
}

/* ---- runs ---- */

static uint32_t new_id(void)
{
    uint32_t id;

    wm_process_lock(&wm_process.comms_lock);
    id = wm_process.next_communicator++;
    wm_process_unlock(&wm_process.comms_lock);
    return id;
}

static struct wm_convey_trace *new_trace(const struct wm_conveyor *c)
{
    struct wm_convey_trace *t = calloc(1, sizeof *t);

    if (t == NULL)
        return NULL;
    t->ring = wm_process_ring();
    t->id = new_id();
    wm_convey_trace_define_ranks(c, t->id);
    return t;
}

static void number_inlets(struct wm_conveyor *c)
{
    for (int hop = 0; hop < c->hop_count; hop++)
        for (int link = 0; link < c->hops[hop].route->links; link++)
            if (c->hops[hop].inlets[link] != NULL)
                c->hops[hop].inlets[link]->number = c->hops[hop].route->first_in + link;
}

/* The pipeline is another than in the run before. */
static bool learn_links(struct wm_conveyor *c, struct wm_convey_trace *t)
{
    uint64_t *refused = realloc(t->refused, sizeof *refused * (size_t)(c->route->outlets + 1));

    if (refused == NULL)
        return false;
    t->refused = refused;
    t->outlets = c->route->outlets;
    t->defined = t->run;
    t->pipelines = c->pipelines;
    number_inlets(c);
    wm_convey_trace_define_links(c, t->id, t->run);
    return true;
}

struct wm_convey_trace *wm_convey_trace_begin(struct wm_conveyor *c)
{
    struct wm_convey_trace *t = c->trace;

    if (wm_process.recordings == NULL || !c->design.traced) {
        wm_convey_trace_free(t);
        return NULL;
    }
    if (t == NULL && (t = new_trace(c)) == NULL)
        return NULL;
    t->run++; /* and what is new is defined, at any level: ranks count runs and communicators alike */
    t->kinds = wm_control_begin(t->run);
    t->node = (uint16_t)c->design.trace_node;
    if ((t->defined == 0 || t->pipelines != c->pipelines) && !learn_links(c, t)) {
        wm_convey_trace_free(t);
        return NULL;
    }
    memset(t->refused, 0, sizeof *t->refused * (size_t)t->outlets);
    t->closed = t->watch_from = 0;
    t->advances = t->progressed = 0;
    record_state(t, convey_WORKING);
    return t;
}

void wm_convey_trace_end(struct wm_conveyor *c)
{
    if (c->trace != NULL)
        record_state(c->trace, convey_DORMANT);
}

void wm_convey_trace_free(struct wm_convey_trace *trace)
{
    if (trace == NULL)
        return;
    free(trace->refused);
    free(trace);
}

static void record_counts(const struct wm_conveyor *c)
{
    record(c->trace, WM_TRACE_CONVEY_COUNT, WM_TRACE_PUSHED, -1, (uint64_t)wm_convey_pushed(c));
    record(c->trace, WM_TRACE_CONVEY_COUNT, WM_TRACE_PULLED, -1, (uint64_t)wm_convey_pulled(c));
    record(c->trace, WM_TRACE_CONVEY_COUNT, WM_TRACE_REFUSED, -1, (uint64_t)c->refused);
}

void wm_convey_trace_state(struct wm_conveyor *c)
{
    record_state(c->trace, c->state);
    if (c->state == convey_COMPLETE)
        record_counts(c);
}

void wm_convey_trace_advance(struct wm_conveyor *c, bool progressed)
{
    c->trace->advances++;
    c->trace->progressed += progressed;
}

/* ---- buffers ---- */

/* Items of this rank's own that are in closed buffers, about. */
static int64_t pushed(const struct wm_conveyor *c)
{
    return c->wish.elastic ? c->elastic_pushed : c->trace->closed - c->relayed;
}

static void watch(struct wm_conveyor *c, struct wm_outlet *out, uint64_t now)
{
    struct wm_convey_trace *t = c->trace;

    out->sample = (struct wm_convey_sample){.ticks = now, .position = out->handed};
    t->watch_from = pushed(c) + (INT64_C(1) << wm_process.settings.trace_sample);
    record_at(t, now, WM_TRACE_CONVEY_SAMPLE, WM_TRACE_STEP_PUSHED, number_of(c, out), now);
}

void wm_convey_trace_open(struct wm_conveyor *c, struct wm_outlet *out)
{
    struct wm_convey_trace *t = c->trace;
    uint64_t now, *refused = &t->refused[number_of(c, out)];

    out->sample.ticks = 0;
    if (!wm_kinds_have(t->kinds, WM_TRACE_CONVEY_OPEN))
        return;
    now = wm_recorder_now(t->ring);
    if (*refused != 0)
        record_at(t, now, WM_TRACE_CONVEY_BLOCKED, t->relaying, number_of(c, out), now - *refused);
    *refused = 0;
    out->opened_ticks = now;
    record_at(t, now, WM_TRACE_CONVEY_OPEN, t->relaying, number_of(c, out), out->handed);
    if (!t->relaying && c->sync == NULL && pushed(c) >= t->watch_from)
        watch(c, out, now);
}

void wm_convey_trace_close(struct wm_conveyor *c, struct wm_outlet *out, uint64_t units, size_t bytes,
                           enum wm_convey_reason reason)
{
    c->trace->closed += (int64_t)units;
    record(c->trace, WM_TRACE_CONVEY_CLOSE, (int)reason, number_of(c, out), WM_TRACE_LOAD(units, bytes));
}

void wm_convey_trace_refused(struct wm_conveyor *c, struct wm_outlet *out)
{
    uint64_t *refused = &c->trace->refused[number_of(c, out)];

    if (*refused == 0 && wm_kinds_have(c->trace->kinds, WM_TRACE_CONVEY_BLOCKED))
        *refused = wm_recorder_now(c->trace->ring);
}

void wm_convey_trace_take(struct wm_conveyor *c, struct wm_inlet *in)
{
    uint64_t now;

    if (!wm_kinds_have(c->trace->kinds, WM_TRACE_CONVEY_TAKE))
        return;
    now = wm_recorder_now(c->trace->ring);
    record_at(c->trace, now, WM_TRACE_CONVEY_TAKE, 0, in->number, in->taken);
    if (in->sample.ticks != 0)
        record_at(c->trace, now, WM_TRACE_CONVEY_SAMPLE, WM_TRACE_STEP_ARRIVED, in->number, in->sample.ticks);
}

void wm_convey_trace_pull(struct wm_conveyor *c, struct wm_inlet *in)
{
    record(c->trace, WM_TRACE_CONVEY_PULL, 0, in->number, in->taken);
}

void wm_convey_trace_give(struct wm_conveyor *c, struct wm_inlet *in)
{
    record(c->trace, WM_TRACE_CONVEY_GIVE, 0, in->number, in->taken + in->chunk.units);
}

/* ---- relays ---- */

void wm_convey_trace_relaying(struct wm_conveyor *c, bool relaying)
{
    c->trace->relaying = relaying;
}

void wm_convey_trace_relay(struct wm_conveyor *c, struct wm_inlet *in, struct wm_outlet *out)
{
    uint64_t written = (uint64_t)(out->hot->at - out->open_at) / c->form.unit_bytes;

    if (out->sample.ticks == 0) {
        out->sample = (struct wm_convey_sample){.ticks = in->sample.ticks, .position = out->handed + written};
        record(c->trace, WM_TRACE_CONVEY_SAMPLE, WM_TRACE_STEP_RELAYED, number_of(c, out), in->sample.ticks);
    }
    in->sample.ticks = 0;
}
