/* The engine: steps whose dependencies are done are run, messages through the net. */
#include "core/engine/engine.h"

#include <stdlib.h>
#include <string.h>
#include "core/data/allocate.h"
#include "core/engine/fault.h"
#include "core/engine/holding.h"
#include "core/guard/page.h"
#include "core/error.h"
#include "core/guard/check.h"
#include "core/process/process.h"
#include "core/shared/sharing.h"

struct wm_flight {
    struct wm_flight *next; /* in the list of those under way, or of those to be used again */
    const struct wm_plan *plan;
    struct wm_binding binding;
    int left;  /* steps that are not done */
    int error; /* MPI_SUCCESS, or the first error */
    int tag_base;
    /* Of the plan's size, grown as needed. */
    int room;
    int *waiting;     /* dependencies to come, by step; DONE: it is over */
    int oldest;       /* no step before it is under way */
    int *ready;       /* steps in the order in which they became ready */
    uint64_t *prints; /* by step, of a flight that is checked: what came with the message */
    int head, tail;
    int temporary_room;
    char **temporaries; /* address of unit 0 */
    char *arena;
    size_t arena_bytes;
    struct wm_sharing sharing;
    struct wm_holding holding;
};

struct wm_engine {
    struct wm_engine_parts parts;
    struct wm_lanes lanes;
    struct wm_flight *active, *idle;
    bool memory_asked; /* for the net of shared memory, which may have got none */
    bool failed;       /* a step has */
    uint64_t stamp;    /* of records that nothing but the engine's own work lies between; 0: to be taken */
};

/* While messages of MPI and things in shared memory are waited for, the former are asked after so often: it costs more.
 */
enum { DONE = -1, TICKETS = 32, ARENA_ALIGN = 64, MEMORY_TURNS = 8, LONG_TURNS = 100, QUICK_BYTES = 256 };

static const char collective[] = "a collective";

static void free_nets(const struct wm_engine_parts *parts)
{
    for (int i = 0; i < WM_NET_COUNT; i++)
        if (parts->nets[i] != NULL)
            parts->nets[i]->class->free(parts->nets[i]);
}

struct wm_engine *wm_engine_new(const struct wm_engine_parts *parts)
{
    struct wm_engine *engine = wm_allocate_zeroed(sizeof *engine, "a communicator");

    engine->parts = *parts;
    engine->memory_asked = parts->one_net;
    wm_lanes_init(&engine->lanes, parts->node);
    return engine;
}

struct wm_lanes *wm_engine_lanes(struct wm_engine *engine)
{
    return &engine->lanes;
}

static void flight_free(struct wm_flight *flight)
{
    free(flight->waiting);
    free(flight->ready);
    free(flight->prints);
    free(flight->temporaries);
    free(flight->arena);
    wm_sharing_release(&flight->sharing);
    wm_holding_release(&flight->holding);
    free(flight);
}

void wm_engine_free(struct wm_engine *engine)
{
    if (engine == NULL)
        return;
    while (engine->idle != NULL) {
        struct wm_flight *next = engine->idle->next;

        flight_free(engine->idle);
        engine->idle = next;
    }
    free_nets(&engine->parts);
    wm_lanes_release(&engine->lanes);
    free(engine);
}

/* By integers: the user's buffer may be MPI_BOTTOM. */
void *wm_flight_address(const struct wm_flight *f, struct wm_ref ref)
{
    uintptr_t base;

    if (ref.buffer == WM_BUFFER_SEND)
        base = (uintptr_t)f->binding.send;
    else if (ref.buffer == WM_BUFFER_RECEIVE)
        base = (uintptr_t)f->binding.receive;
    else
        base = (uintptr_t)f->temporaries[ref.buffer - WM_BUFFER_TEMPORARY];
    return (void *)(base + ref.offset * (uintptr_t)f->binding.geometry.extent);
}

/* To read the clock costs more than to write the record, so records between which nothing happens share a reading: from
 * when the engine is entered, or something has come back that takes time, to the next such thing. */
static void time_passes(struct wm_engine *e)
{
    e->stamp = 0;
}

static uint64_t stamp(struct wm_engine *e)
{
    if (e->stamp == 0)
        e->stamp = wm_recorder_now(e->parts.ring);
    return e->stamp;
}

static void record(struct wm_engine *e, const struct wm_flight *f, const struct wm_step *s, enum wm_trace_kind kind,
                   uint64_t argument)
{
    wm_record_at(e->parts.ring, stamp(e), kind, (uint8_t)f->binding.call->operation, s->node, e->parts.communicator,
                 s->peer, f->binding.sequence, argument);
}

/* Is this step recorded? Decided when its call began. */
static bool wants(const struct wm_flight *f, const struct wm_step *s, enum wm_trace_kind kind)
{
    return s->traced && wm_kinds_have(f->binding.kinds, kind);
}

static void record_edge(struct wm_engine *e, const struct wm_flight *f, const struct wm_step *s,
                        enum wm_trace_kind kind)
{
    if (wants(f, s, kind))
        record(e, f, s, kind, WM_TRACE_EDGE(s->message, s->count * f->binding.unit_bytes));
}

static void note_error(struct wm_flight *f, int rc)
{
    if (rc != MPI_SUCCESS && f->error == MPI_SUCCESS)
        f->error = rc;
}

static void complete(struct wm_flight *f, int step)
{
    const struct wm_step *s = &f->plan->steps[step];
    const int *successors = &f->plan->successors[s->first_successor];

    f->left--;
    f->waiting[step] = DONE;
    for (int i = 0; i < s->successors; i++)
        if (--f->waiting[successors[i]] == 0)
            f->ready[f->tail++] = successors[i];
}

/* Barriers have units of no bytes: their messages are empty. */
static struct wm_message message_of(const struct wm_flight *f, const struct wm_step *s, struct wm_ref ref)
{
    size_t count = f->binding.unit_bytes > 0 ? s->count : 0;

    return (struct wm_message){.address = wm_flight_address(f, ref),
                               .count = count,
                               .bytes = count * f->binding.geometry.size,
                               .type = f->binding.geometry.type,
                               .peer = s->peer,
                               .tag = f->tag_base + (int)(s->message % WM_MESSAGE_TAGS),
                               .transport = f->plan->transport_count > 0 ? &f->plan->transports[s->transport] : NULL};
}

static void ask_memory(struct wm_engine *e)
{
    e->memory_asked = true;
    if (e->parts.node != NULL && e->parts.node->size > 1)
        e->parts.nets[WM_NET_SHM] = wm_net_shm_new(e->parts.node);
}

/* Without shared memory that of MPI carries all messages. */
static struct wm_net *net_of(struct wm_engine *e, const struct wm_step *s)
{
    if (s->net == WM_NET_SHM && !e->memory_asked)
        ask_memory(e);
    return e->parts.nets[s->net] != NULL ? e->parts.nets[s->net] : e->parts.nets[WM_NET_MPI];
}

/* Through memory: to post a receive, or to send what fits into some lines, takes less than to read the clock. */
static bool is_quick(const struct wm_engine *e, const struct wm_step *s, const struct wm_net *net,
                     const struct wm_message *m, bool done)
{
    return net == e->parts.nets[WM_NET_SHM] && (s->kind == WM_STEP_RECV ? !done : m->bytes <= QUICK_BYTES);
}

/* Of a message among all of its pair on the communicator. */
static uint64_t number_of(const struct wm_flight *f, const struct wm_step *s)
{
    return (uint64_t)f->binding.sequence * WM_MESSAGES_MAX + s->message;
}

/* What the fault does to messages as they arrive. */
static void flip(const struct wm_engine *e, const struct wm_flight *f, const struct wm_step *s)
{
    uint64_t chance = wm_fault_hits(&f->plan->fault, s->peer, e->parts.self, number_of(f, s));

    if (f->plan->fault.kind == WM_FAULT_FLIP && chance != 0 && f->binding.unit_bytes > 0)
        wm_fault_flip(&f->binding.geometry, wm_flight_address(f, s->target), s->count, chance);
}

/* A message is here, or gone; one part of it, if it is held. */
static void finish_message(struct wm_engine *e, struct wm_flight *f, int step, int error)
{
    const struct wm_step *s = &f->plan->steps[step];

    note_error(f, error);
    if (s->held > 0 && !wm_holding_part(&f->holding, f->plan, step))
        return;
    if (s->spoilt && s->kind == WM_STEP_RECV)
        flip(e, f, s);
    record_edge(e, f, s, s->kind == WM_STEP_SEND ? WM_TRACE_SEND_DONE : WM_TRACE_RECV_DONE);
    complete(f, step);
}

/* Move what goes before a step's message, under the same tag. True: it is over, with this result. */
static bool move_before(const struct wm_flight *f, struct wm_ticket ticket, const struct wm_step *s, struct wm_net *net,
                        void *address, size_t bytes, int *rc)
{
    bool sends = s->kind == WM_STEP_SEND, done = false;
    struct wm_message m = message_of(f, s, sends ? s->source : s->target);

    m.address = address;
    m.count = m.bytes = bytes;
    m.type = MPI_BYTE;
    *rc = sends ? net->class->send(net, &m, ticket, &done) : net->class->receive(net, &m, ticket, &done);
    return *rc != MPI_SUCCESS || done;
}

/* When a held message is due goes before it. */
static void run_due(struct wm_engine *e, struct wm_flight *f, int step, struct wm_net *net)
{
    const struct wm_step *s = &f->plan->steps[step];
    struct wm_held_message *held = wm_holding_message(&f->holding, s);
    struct wm_ticket ticket = {f, step, MPI_SUCCESS};
    int rc;

    if (s->kind == WM_STEP_SEND)
        held->due = wm_uplink_send(f->holding.uplink, e->parts.self, s->peer, number_of(f, s),
                                   message_of(f, s, s->source).bytes);
    if (move_before(f, ticket, s, net, &held->due, sizeof held->due, &rc))
        finish_message(e, f, step, rc);
}

/* Is it a message that the fault takes away? For its sender it is as if it had been sent. */
static bool is_lost(const struct wm_engine *e, const struct wm_flight *f, const struct wm_step *s)
{
    return s->spoilt && s->kind == WM_STEP_SEND && f->plan->fault.kind == WM_FAULT_LOSE &&
           wm_fault_hits(&f->plan->fault, e->parts.self, s->peer, number_of(f, s)) != 0;
}

static void lose(struct wm_engine *e, struct wm_flight *f, int step)
{
    const struct wm_step *s = &f->plan->steps[step];

    record_edge(e, f, s, WM_TRACE_SEND_POST);
    record_edge(e, f, s, WM_TRACE_SEND_DONE);
    complete(f, step);
}

/* A print has come, or is gone: its ticket has the step's number, negative. */
static void finish_print(struct wm_flight *f, int ticket, int error)
{
    int step = -1 - ticket;

    f->left--;
    note_error(f, error);
    if (error == MPI_SUCCESS && f->plan->steps[step].kind == WM_STEP_RECV &&
        wm_check_fails(f->binding.print, f->prints[step]))
        note_error(f, MPI_ERR_OTHER);
}

/* The print goes before the first message of a pair. */
static void run_print(struct wm_flight *f, int step, struct wm_net *net)
{
    const struct wm_step *s = &f->plan->steps[step];
    struct wm_ticket ticket = {f, -1 - step, MPI_SUCCESS};
    void *print = s->kind == WM_STEP_SEND ? &f->binding.print : &f->prints[step];
    int rc;

    f->left++;
    if (move_before(f, ticket, s, net, print, sizeof f->binding.print, &rc))
        finish_print(f, ticket.step, rc);
}

static void run_message(struct wm_engine *e, struct wm_flight *f, int step)
{
    const struct wm_step *s = &f->plan->steps[step];
    struct wm_ticket ticket = {f, step, MPI_SUCCESS};
    struct wm_net *net = net_of(e, s);
    struct wm_message m;
    bool done;
    int rc;

    if (f->binding.checked && s->message == 0)
        run_print(f, step, net);
    if (s->held > 0)
        run_due(e, f, step, net);
    if (s->kind == WM_STEP_SEND) {
        m = message_of(f, s, s->source);
        record_edge(e, f, s, WM_TRACE_SEND_POST);
        rc = net->class->send(net, &m, ticket, &done);
    } else {
        m = message_of(f, s, s->target);
        record_edge(e, f, s, WM_TRACE_RECV_POST);
        rc = net->class->receive(net, &m, ticket, &done);
    }
    if (!is_quick(e, s, net, &m, done))
        time_passes(e);
    if (rc != MPI_SUCCESS || done)
        finish_message(e, f, step, rc);
}

static int reduce(const struct wm_flight *f, const struct wm_step *s)
{
    void *source = wm_flight_address(f, s->source), *target = wm_flight_address(f, s->target);

    if (f->binding.kernel == NULL)
        return wm_geometry_reduce(&f->binding.geometry, source, target, s->count, f->binding.op);
    f->binding.kernel(source, target, target, s->count);
    return MPI_SUCCESS;
}

static void run_local(struct wm_engine *e, struct wm_flight *f, const struct wm_step *s)
{
    enum wm_trace_kind kind = s->kind == WM_STEP_REDUCE ? WM_TRACE_REDUCE : WM_TRACE_COPY;
    bool traced = wants(f, s, kind);
    uint64_t begin = traced ? stamp(e) : 0;
    const struct wm_geometry *g = &f->binding.geometry;

    if (f->binding.unit_bytes == 0)
        return;
    if (s->kind == WM_STEP_REDUCE)
        note_error(f, reduce(f, s));
    else
        note_error(f, wm_geometry_copy(g, wm_flight_address(f, s->source), wm_flight_address(f, s->target), s->count));
    time_passes(e);
    if (traced)
        record(e, f, s, kind, stamp(e) - begin);
}

static void run_step(struct wm_engine *e, struct wm_flight *f, int step)
{
    const struct wm_step *s = &f->plan->steps[step];

    switch ((enum wm_step_kind)s->kind) {
    case WM_STEP_SEND:
    case WM_STEP_RECV:
        if (is_lost(e, f, s))
            lose(e, f, step);
        else
            run_message(e, f, step);
        return;
    case WM_STEP_REDUCE:
    case WM_STEP_COPY:
        run_local(e, f, s);
        break;
    case WM_STEP_ENTER:
    case WM_STEP_LEAVE:
        if (wm_kinds_have(f->binding.kinds, WM_TRACE_ENTER))
            record(e, f, s, s->kind == WM_STEP_ENTER ? WM_TRACE_ENTER : WM_TRACE_LEAVE,
                   s->count * f->binding.unit_bytes);
        break;
    case WM_STEP_SHARED:
        wm_sharing_ready(&f->sharing, f->plan, step, wants(f, s, WM_TRACE_SHARED) ? stamp(e) : 0);
        return;
    case WM_STEP_NATIVE:
        WM_BUG("a native call has no flight");
    case WM_STEP_STRIKE:
        wm_fault_strike(&f->plan->fault, f->binding.sequence);
        break;
    case WM_STEP_JOIN:
        break;
    }
    complete(f, step);
}

static void run_ready(struct wm_engine *e, struct wm_flight *f)
{
    while (f->head < f->tail)
        run_step(e, f, f->ready[f->head++]);
}

static void flight_fit(struct wm_flight *f, const struct wm_plan *plan)
{
    if (plan->step_count > f->room) {
        free(f->waiting);
        free(f->ready);
        free(f->prints);
        f->prints = NULL;
        f->waiting = wm_allocate(sizeof *f->waiting * (size_t)plan->step_count, collective);
        f->ready = wm_allocate(sizeof *f->ready * (size_t)plan->step_count, collective);
        f->room = plan->step_count;
    }
    if (plan->temporary_count > f->temporary_room) {
        free(f->temporaries);
        f->temporaries = wm_allocate(sizeof *f->temporaries * (size_t)plan->temporary_count, collective);
        f->temporary_room = plan->temporary_count;
    }
}

_Noreturn static void fail_sharing(void)
{
    struct wm_error error = {0};

    wm_error_set(&error, -WM_EINVAL, /* the ranks of this node alone know it */
                 "the memory that ranks of a node share is used up; raise the limit on address space "
                 "(ulimit -v), or leave out #:shape 'shared");
    wm_process_abort(&error);
}

static void start_sharing(struct wm_engine *e, struct wm_flight *f)
{
    if (f->plan->shared_count > 0 && wm_sharing_start(&f->sharing, f->plan, &e->lanes) < 0)
        fail_sharing();
}

/* Lay the temporaries out in the arena, one after the other. */
static void place_temporaries(struct wm_flight *f)
{
    const struct wm_plan *plan = f->plan;
    size_t total = 0;
    ptrdiff_t shift;

    for (int pass = 0; pass < 2 && plan->temporary_count > 0; pass++) {
        size_t at = 0;

        for (int i = 0; i < plan->temporary_count; i++) {
            size_t span = wm_geometry_span(&f->binding.geometry, plan->temporary_units[i], &shift);

            if (pass == 1) /* by integers: for absolute datatypes element 0 is far off */
                f->temporaries[i] = (char *)((uintptr_t)f->arena + at + (uintptr_t)shift);
            at += (span + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
        }
        total = at;
        if (pass == 0 && total > f->arena_bytes) {
            free(f->arena);
            if ((f->arena = aligned_alloc(ARENA_ALIGN, total)) == NULL)
                wm_out_of_memory(collective);
            f->arena_bytes = total;
        }
    }
}

static struct wm_flight *take_idle(struct wm_engine *e)
{
    struct wm_flight *f = e->idle;

    if (f == NULL)
        return wm_allocate_zeroed(sizeof *f, collective);
    e->idle = f->next;
    return f;
}

/* Where there is no memory for a lane, its first flight will see it. */
static void expect_sharing(struct wm_engine *e, struct wm_flight *f, const struct wm_plan *plan)
{
    if (plan->shared_count > 0 && wm_sharing_start(&f->sharing, plan, &e->lanes) == 0)
        for (int i = 0; i < plan->shared_count; i++)
            wm_shared_lane_expect(f->sharing.steps[i].lane);
}

void wm_engine_expect(struct wm_engine *e, const struct wm_plan *plan)
{
    struct wm_flight *f = take_idle(e);

    flight_fit(f, plan);
    expect_sharing(e, f, plan);
    for (int i = 0; i < plan->step_count; i++) {
        const struct wm_step *s = &plan->steps[i];

        if (s->kind == WM_STEP_SEND || s->kind == WM_STEP_RECV) {
            struct wm_net *net = net_of(e, s);

            net->class->expect(net, s->peer);
        }
    }
    f->next = e->idle;
    e->idle = f;
}

void wm_engine_warm(const struct wm_engine *e)
{
    const struct wm_flight *f = e->idle;

    wm_fetch(e->parts.node, sizeof *e->parts.node);
    wm_lanes_warm(&e->lanes);
    if (f == NULL)
        return;
    wm_fetch(f, sizeof *f);
    wm_fetch(f->sharing.steps, sizeof *f->sharing.steps);
    wm_fetch(f->waiting, sizeof *f->waiting);
    wm_fetch(f->ready, sizeof *f->ready);
}

/* A flight that waits for nothing. */
static void give_up(struct wm_flight *f, int error)
{
    wm_sharing_abandon(&f->sharing);
    f->holding.waiting = 0;
    f->left = 0;
    note_error(f, error);
}

/* End all that is under way. Returns how many flights that were. */
static int abandon(struct wm_engine *e)
{
    int count = 0;

    for (int i = 0; i < WM_NET_COUNT; i++)
        if (e->parts.nets[i] != NULL)
            e->parts.nets[i]->class->abandon(e->parts.nets[i]);
    for (struct wm_flight *f = e->active; f != NULL; f = f->next)
        if (f->left > 0) {
            give_up(f, e->lanes.check.stopped);
            count++;
        }
    return count;
}

static struct wm_flight *launch(struct wm_engine *e, struct wm_flight *f)
{
    f->next = e->active;
    e->active = f;
    return f;
}

struct wm_flight *wm_engine_start(struct wm_engine *e, const struct wm_plan *plan, const struct wm_binding *binding)
{
    struct wm_flight *f = take_idle(e);

    f->plan = plan;
    f->binding = *binding;
    f->sharing.under_way = f->sharing.count = f->holding.waiting = 0;
    f->error = MPI_SUCCESS;
    if (wm_check_is_stopped(&e->lanes.check)) {
        give_up(f, e->lanes.check.stopped);
        return launch(e, f);
    }
    flight_fit(f, plan);
    place_temporaries(f);
    start_sharing(e, f);
    if (plan->held_messages > 0)
        wm_holding_start(&f->holding, plan);
    if (binding->checked && f->prints == NULL)
        f->prints = wm_allocate(sizeof *f->prints * (size_t)f->room, collective);
    f->left = plan->step_count;
    f->head = f->oldest = 0;
    f->tail = plan->root_count;
    f->tag_base = (int)(binding->number << WM_MESSAGE_TAG_BITS);
    for (int i = 0; i < plan->step_count; i++)
        f->waiting[i] = plan->steps[i].dependencies;
    if (plan->root_count > 0) /* a rank may have nothing to do */
        memcpy(f->ready, plan->roots, sizeof *f->ready * (size_t)plan->root_count);
    launch(e, f);
    time_passes(e);
    run_ready(e, f);
    return f;
}

/* Messages that a net completed. */
static int progress_net(struct wm_engine *e, struct wm_net *net, bool wait)
{
    struct wm_ticket done[TICKETS];
    int count, rc = net->class->progress(net, wait, done, TICKETS, &count);

    time_passes(e);
    for (int i = 0; i < count; i++) {
        struct wm_flight *f = done[i].flight;

        if (done[i].step < 0) {
            finish_print(f, done[i].step, done[i].error);
            continue;
        }
        finish_message(e, f, done[i].step, done[i].error);
        run_ready(e, f);
    }
    for (struct wm_flight *f = e->active; rc != MPI_SUCCESS && f != NULL; f = f->next) {
        note_error(f, rc);
        f->left = 0; /* the net itself failed; nothing more can be done */
    }
    return count;
}

static void record_shared(struct wm_engine *e, const struct wm_flight *f, const struct wm_step *s)
{
    if (wants(f, s, WM_TRACE_SHARED))
        record(e, f, s, WM_TRACE_SHARED, stamp(e) - f->sharing.steps[s->message].ready_ticks);
}

/* Shared steps that came to their end. */
static int progress_sharing(struct wm_engine *e, struct wm_flight *f)
{
    const struct wm_binding *b = &f->binding;
    struct wm_shared_data data = {
        (uintptr_t)b->send, (uintptr_t)b->receive, f->temporaries, &b->geometry, b->unit_bytes, b->op, b->kernel};
    int step, count = 0, error;

    while (f->sharing.under_way > 0 && (step = wm_sharing_advance(&f->sharing, f->plan, &data, &error)) >= 0) {
        time_passes(e);
        record_shared(e, f, &f->plan->steps[step]);
        note_error(f, error);
        complete(f, step);
        run_ready(e, f);
        count++;
    }
    return count;
}

/* Messages that were held and are due. */
static int progress_held(struct wm_engine *e, struct wm_flight *f)
{
    int step, count = 0;

    while (f->holding.waiting > 0 && (step = wm_holding_take(&f->holding, f->plan)) >= 0) {
        time_passes(e);
        record_edge(e, f, &f->plan->steps[step], WM_TRACE_RECV_DONE);
        complete(f, step);
        run_ready(e, f);
        count++;
    }
    return count;
}

static bool is_busy(const struct wm_net *net)
{
    return net != NULL && net->class->busy(net);
}

/* All that is looked at, and not told by the MPI library. */
static int progress_polled(struct wm_engine *e)
{
    int count = is_busy(e->parts.nets[WM_NET_SHM]) ? progress_net(e, e->parts.nets[WM_NET_SHM], false) : 0;

    for (struct wm_flight *f = e->active; f != NULL; f = f->next)
        if (f->sharing.under_way + f->holding.waiting > 0)
            count += progress_sharing(e, f) + progress_held(e, f);
    return count;
}

static bool polls(const struct wm_engine *e)
{
    bool waits = is_busy(e->parts.nets[WM_NET_SHM]);

    for (const struct wm_flight *f = e->active; f != NULL && !waits; f = f->next)
        waits = f->sharing.under_way + f->holding.waiting > 0;
    return waits;
}

/* Tell the page which step the flight waits for: of those that are not done the first, whose dependencies are. */
static void tell_page(const struct wm_engine *e)
{
    static const uint32_t directions[WM_STEP_KIND_COUNT] = {
        [WM_STEP_SEND] = WM_PAGE_SENDS, [WM_STEP_RECV] = WM_PAGE_RECEIVES, [WM_STEP_SHARED] = WM_PAGE_SHARES};
    struct wm_page *page = e->parts.page;
    struct wm_flight *f = e->active;
    const struct wm_step *s;

    while (f != NULL && f->left == 0)
        f = f->next;
    if (f == NULL)
        return;
    while (f->oldest < f->plan->step_count && f->waiting[f->oldest] == DONE)
        f->oldest++;
    if (f->oldest == f->plan->step_count) /* a print is all that is on its way */
        return;
    s = &f->plan->steps[f->oldest];
    page->step.peer = s->peer;
    page->step.message = s->message;
    page->step.bytes = s->count * f->binding.unit_bytes;
    page->step.node = s->node;
    page->step.direction = directions[s->kind];
    page->step.doing = page->now.doing;
}

/* Who waits within the library comes out for a message alone. */
int wm_engine_progress(struct wm_engine *e, bool wait)
{
    struct wm_net *mpi = e->parts.nets[WM_NET_MPI];
    bool looks = wait && e->parts.watched;
    int count = 0;

    if (wait && e->parts.page != NULL && !polls(e))
        tell_page(e);
    if (wm_check_is_stopped(&e->lanes.check))
        return abandon(e);
    if (!polls(e) && !looks)
        return progress_net(e, mpi, wait);
    for (unsigned turn = 0;; turn++) {
        if (turn == LONG_TURNS && e->parts.page != NULL)
            tell_page(e);
        count += progress_polled(e);
        if (is_busy(mpi) && (turn % MEMORY_TURNS == 0 || count > 0 || !polls(e)))
            count += progress_net(e, mpi, false);
        if (wm_check_is_stopped(&e->lanes.check))
            return count + abandon(e);
        if (!wait || count > 0 || !(polls(e) || (looks && is_busy(mpi))))
            return count;
        wm_node_wait(e->parts.node == NULL || e->parts.node->crowded, turn);
    }
}

bool wm_flight_over(const struct wm_flight *flight)
{
    return flight->left == 0;
}

void wm_engine_finish(struct wm_engine *e, struct wm_flight *flight)
{
    while (flight->left > 0)
        wm_engine_progress(e, true);
}

int wm_engine_give(struct wm_engine *e, struct wm_flight *flight)
{
    struct wm_flight **link = &e->active;

    if (flight->left > 0)
        WM_BUG("a flight is given back before it is over");
    while (*link != flight)
        link = &(*link)->next;
    *link = flight->next;
    flight->next = e->idle;
    e->idle = flight;
    e->failed = e->failed || flight->error != MPI_SUCCESS;
    return flight->error;
}

bool wm_engine_is_sound(const struct wm_engine *e)
{
    return !e->failed && !wm_check_is_stopped(&e->lanes.check);
}
