/* Steps: messages through the nets, shared steps, local ones. */
#include "core/engine/step.h"

#include "core/engine/fault.h"
#include "core/guard/check.h"

/* What fits into some lines. */
enum { QUICK_BYTES = 256 };

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

void wm_step_record(struct wm_engine *e, const struct wm_flight *f, const struct wm_step *s, enum wm_trace_kind kind,
                    uint64_t argument)
{
    wm_record_at(e->parts.ring, wm_engine_stamp(e), kind, (uint8_t)f->binding.call->operation, s->node,
                 e->parts.communicator, s->peer, f->binding.sequence, argument);
}

bool wm_step_is_recorded(const struct wm_flight *f, const struct wm_step *s, enum wm_trace_kind kind)
{
    return s->traced && wm_kinds_have(f->binding.kinds, kind);
}

void wm_step_record_edge(struct wm_engine *e, const struct wm_flight *f, const struct wm_step *s,
                         enum wm_trace_kind kind)
{
    if (wm_step_is_recorded(f, s, kind))
        wm_step_record(e, f, s, kind, WM_TRACE_EDGE(s->message, s->count * f->binding.unit_bytes));
}

void wm_step_complete(struct wm_flight *f, int step)
{
    const struct wm_step *s = &f->plan->steps[step];
    const int *successors = &f->plan->successors[s->first_successor];

    f->left--;
    f->waiting[step] = WM_STEP_DONE;
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

struct wm_net *wm_step_net(struct wm_engine *e, const struct wm_step *s)
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

void wm_step_message_over(struct wm_engine *e, struct wm_flight *f, int step, int error)
{
    const struct wm_step *s = &f->plan->steps[step];

    wm_flight_fail(f, error);
    if (s->held > 0 && !wm_holding_part(&f->holding, f->plan, step))
        return;
    if (s->spoilt && s->kind == WM_STEP_RECV)
        flip(e, f, s);
    wm_step_record_edge(e, f, s, s->kind == WM_STEP_SEND ? WM_TRACE_SEND_DONE : WM_TRACE_RECV_DONE);
    wm_step_complete(f, step);
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
        wm_step_message_over(e, f, step, rc);
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

    wm_step_record_edge(e, f, s, WM_TRACE_SEND_POST);
    wm_step_record_edge(e, f, s, WM_TRACE_SEND_DONE);
    wm_step_complete(f, step);
}

void wm_step_print_over(struct wm_flight *f, int ticket, int error)
{
    int step = -1 - ticket;

    f->left--;
    wm_flight_fail(f, error);
    if (error == MPI_SUCCESS && f->plan->steps[step].kind == WM_STEP_RECV &&
        wm_check_fails(f->binding.print, f->prints[step]))
        wm_flight_fail(f, MPI_ERR_OTHER);
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
        wm_step_print_over(f, ticket.step, rc);
}

static void run_message(struct wm_engine *e, struct wm_flight *f, int step)
{
    const struct wm_step *s = &f->plan->steps[step];
    struct wm_ticket ticket = {f, step, MPI_SUCCESS};
    struct wm_net *net = wm_step_net(e, s);
    struct wm_message m;
    bool done;
    int rc;

    if (f->binding.checked && s->message == 0)
        run_print(f, step, net);
    if (s->held > 0)
        run_due(e, f, step, net);
    if (s->kind == WM_STEP_SEND) {
        m = message_of(f, s, s->source);
        wm_step_record_edge(e, f, s, WM_TRACE_SEND_POST);
        rc = net->class->send(net, &m, ticket, &done);
    } else {
        m = message_of(f, s, s->target);
        wm_step_record_edge(e, f, s, WM_TRACE_RECV_POST);
        rc = net->class->receive(net, &m, ticket, &done);
    }
    if (!is_quick(e, s, net, &m, done))
        wm_engine_time_passes(e);
    if (rc != MPI_SUCCESS || done)
        wm_step_message_over(e, f, step, rc);
}

static int reduce(const struct wm_flight *f, const struct wm_step *s)
{
    void *source = wm_flight_address(f, s->source), *target = wm_flight_address(f, s->target);

    if (f->binding.kernel == NULL)
        return wm_geometry_reduce(&f->binding.geometry, source, target, s->count, f->binding.op);
    f->binding.kernel(source, target, target, s->count);
    return MPI_SUCCESS;
}

static int copy(const struct wm_flight *f, const struct wm_step *s)
{
    void *source = wm_flight_address(f, s->source), *target = wm_flight_address(f, s->target);
    const struct wm_geometry *g = &f->binding.geometry;
    struct wm_stride stride = wm_plan_stride(f->plan, s);
    size_t early = stride.first * stride.block; /* units that come last */
    struct wm_ref first = {s->source.buffer, s->source.offset + stride.first * stride.distance},
                  last = {s->target.buffer, s->target.offset + s->count - early};
    int rc;

    if (stride.block == s->count)
        return wm_geometry_copy(g, source, target, s->count);
    rc = wm_geometry_copy_blocks(g, wm_flight_address(f, first), stride.block, stride.distance, target,
                                 s->count - early);
    return rc != MPI_SUCCESS || early == 0
               ? rc
               : wm_geometry_copy_blocks(g, source, stride.block, stride.distance, wm_flight_address(f, last), early);
}

static void run_local(struct wm_engine *e, struct wm_flight *f, const struct wm_step *s)
{
    enum wm_trace_kind kind = s->kind == WM_STEP_REDUCE ? WM_TRACE_REDUCE : WM_TRACE_COPY;
    bool traced = wm_step_is_recorded(f, s, kind);
    uint64_t begin = traced ? wm_engine_stamp(e) : 0;

    if (f->binding.unit_bytes == 0)
        return;
    wm_flight_fail(f, s->kind == WM_STEP_REDUCE ? reduce(f, s) : copy(f, s));
    wm_engine_time_passes(e);
    if (traced)
        wm_step_record(e, f, s, kind, wm_engine_stamp(e) - begin);
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
            wm_step_record(e, f, s, s->kind == WM_STEP_ENTER ? WM_TRACE_ENTER : WM_TRACE_LEAVE,
                           s->count * f->binding.unit_bytes);
        break;
    case WM_STEP_SHARED:
        wm_sharing_ready(&f->sharing, f->plan, step,
                         wm_step_is_recorded(f, s, WM_TRACE_SHARED) ? wm_engine_stamp(e) : 0);
        return;
    case WM_STEP_NATIVE:
        WM_BUG("a native call has no flight");
    case WM_STEP_STRIKE:
        wm_fault_strike(&f->plan->fault, f->binding.sequence);
        break;
    case WM_STEP_JOIN:
        break;
    }
    wm_step_complete(f, step);
}

void wm_steps_run(struct wm_engine *e, struct wm_flight *f)
{
    while (f->head < f->tail)
        run_step(e, f, f->ready[f->head++]);
}
