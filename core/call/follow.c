/* Point-to-point calls: recorded. */
#include "core/call/follow.h"

#include "core/call/records.h"
#include "core/guard/post.h"
#include "core/record/own_message.h"

static uint8_t flags_of(const struct wm_watch_call *call, bool receives)
{
    if (receives)
        return WM_TRACE_P2P_RECEIVE;
    switch (call->function) {
    case WM_POST_SSEND:
    case WM_POST_ISSEND:
    case WM_POST_SSEND_INIT:
        return WM_TRACE_P2P_SYNCHRONOUS;
    case WM_POST_BSEND:
    case WM_POST_IBSEND:
    case WM_POST_BSEND_INIT:
        return WM_TRACE_P2P_BUFFERED;
    default:
        return 0;
    }
}

static uint64_t bytes_of(const struct wm_watch_call *call)
{
    int type_bytes = 0;

    if (call->count <= 0 || PMPI_Type_size(call->type, &type_bytes) != MPI_SUCCESS || type_bytes <= 0)
        return 0;
    return (uint64_t)call->count * (uint64_t)type_bytes;
}

/* The message that the call sends, or receives. False: there is none, or the trace has no name for its communicator. */
static bool describe(struct wm_own_message *m, const struct wm_watch_call *call, bool receives)
{
    int peer = receives ? call->from : call->to, tag = receives ? call->receive_tag : call->send_tag;
    bool any = receives && peer == MPI_ANY_SOURCE;
    const struct wm_comm *c;

    if (!(receives ? call->receives : call->sends) || (peer < 0 && !any))
        return false;
    c = wm_record_enter(call->comm, WM_BARRIER);
    if (c == NULL || wm_comm_is_apart(c) || peer >= c->ranks)
        return false;
    *m = (struct wm_own_message){.communicator = c->id,
                                 .peer = any ? -1 : peer,
                                 .tag = tag == MPI_ANY_TAG ? -1 : tag,
                                 .flags = flags_of(call, receives),
                                 .bytes = bytes_of(call)};
    return true;
}

static uint32_t post(const struct wm_watch_call *call, bool receives, uint8_t flags)
{
    struct wm_own_message m;

    if (!describe(&m, call, receives))
        return 0;
    m.flags |= flags;
    wm_own_message_post(&m, call->begin_ticks);
    return m.number;
}

static bool begin(struct wm_watch_call *call)
{
    call->out = call->in = 0;
    call->begin_ticks = wm_own_message_is_wanted() ? wm_recorder_now(wm_process_ring()) : 0;
    return call->begin_ticks > 0;
}

/* Probes and what they match are known at their end. */
static bool is_probe(const struct wm_watch_call *call)
{
    return call->function == WM_POST_PROBE || call->function == WM_POST_MPROBE || call->function == WM_POST_IMPROBE;
}

bool wm_follow_begin(struct wm_watch_call *call)
{
    if (!begin(call))
        return false;
    if (is_probe(call))
        return true;
    call->out = post(call, false, WM_TRACE_P2P_BLOCKING);
    call->in = post(call, true, WM_TRACE_P2P_BLOCKING);
    return call->out > 0 || call->in > 0;
}

static void finish(const struct wm_watch_call *call, uint32_t number, bool receives, uint8_t flags, uint64_t ticks)
{
    struct wm_own_message m;

    if (!describe(&m, call, receives))
        return;
    m.number = number;
    m.flags |= flags;
    wm_own_message_done(&m, ticks, call->status);
}

void wm_follow_end(const struct wm_watch_call *call, int rc)
{
    uint64_t ticks = wm_recorder_now(wm_process_ring()) - call->begin_ticks;

    if (rc != MPI_SUCCESS || call->begin_ticks == 0)
        return;
    if (call->function == WM_POST_PROBE)
        finish(call, 0, true, WM_TRACE_P2P_PROBE, ticks);
    else if (is_probe(call))
        finish(call, post(call, true, WM_TRACE_P2P_BLOCKING), true, WM_TRACE_P2P_BLOCKING, ticks);
    if (call->out > 0)
        finish(call, call->out, false, WM_TRACE_P2P_BLOCKING, ticks);
    if (call->in > 0)
        finish(call, call->in, true, WM_TRACE_P2P_BLOCKING, ticks);
}

void wm_follow_post(struct wm_watch_call *call)
{
    if (!begin(call))
        return;
    call->out = post(call, false, 0);
    call->in = post(call, true, 0);
}

void wm_follow_posted(const struct wm_watch_call *call, MPI_Request request)
{
    bool persistent = wm_post_is_persistent(call->function);
    struct wm_own_message m;

    if ((!persistent && call->out == 0 && call->in == 0) || !describe(&m, call, call->receives))
        return;
    m.number = call->out > 0 ? call->out : call->in;
    wm_own_message_follow(&m, request, persistent);
}
