/* Point-to-point calls: counted, entered, and published while they block; and told to the trace. */
#include "core/call/watch.h"

#include <stdlib.h>
#include <string.h>
#include "core/call/publish.h"
#include "core/call/records.h"
#include "core/call/follow.h"
#include "core/data/allocate.h"
#include "core/node/eager.h"
#include "core/record/own_message.h"
#include "core/record/waiting.h"
#include "waymark/runtime.h"

_Atomic bool wm_watched;

/* Whom the doors tell. */
static bool publishes, records;

/* Above these a send waits for its receive; 0: not known. */
static uint64_t near_bytes, far_bytes;

void wm_watch_open(void)
{
    struct wm_eager eager;

    publishes = wm_published != NULL && !wm_process.threads;
    records = wm_process.recordings != NULL && wm_process.each == 0;
    if (!publishes && !records)
        return;
    wm_eager_read(&eager);
    near_bytes = eager.near_bytes;
    far_bytes = eager.far_bytes;
    atomic_fetch_add(&wm_waiting_count, 1);
    atomic_store(&wm_watched, true);
}

void wm_watch_close(void)
{
    if (!atomic_exchange(&wm_watched, false))
        return;
    atomic_fetch_sub(&wm_waiting_count, 1);
}

static inline struct wm_page_post *post_of(void)
{
    return &wm_published->post;
}

static inline uint8_t place_of(const struct wm_comm *c)
{
    return (uint8_t)(c->shown - wm_published->comms);
}

/* The communicator, if it is in the page, and the peer is one of its ranks. */
static inline const struct wm_comm *find_comm(MPI_Comm comm, int peer, bool any)
{
    const struct wm_comm *c = wm_record_enter(comm, WM_BARRIER);

    return c != NULL && c->shown != NULL && peer < c->ranks && (peer >= 0 || any) ? c : NULL;
}

/* --- What a call sends and receives --- */

static bool is_synchronous(const struct wm_watch_call *call, const struct wm_comm *c, uint64_t bytes)
{
    bool near;
    uint64_t limit;

    switch (call->function) {
    case WM_POST_SSEND:
    case WM_POST_ISSEND:
    case WM_POST_SSEND_INIT:
        return true;
    case WM_POST_BSEND:
    case WM_POST_IBSEND:
    case WM_POST_BSEND_INIT:
        return false;
    default:
        near = wm_process.places[c->world[call->to]].node == wm_process.places[wm_process.world_rank].node;
        limit = near ? near_bytes : far_bytes;
        return limit > 0 && bytes > limit;
    }
}

static struct wm_page_message describe_sent(const struct wm_watch_call *call, const struct wm_comm *c)
{
    int type_bytes = 0;
    uint64_t bytes;

    PMPI_Type_size(call->type, &type_bytes);
    bytes = (uint64_t)(call->count > 0 ? call->count : 0) * (uint64_t)(type_bytes > 0 ? type_bytes : 0);
    return (struct wm_page_message){.site = (uint64_t)(uintptr_t)call->site,
                                    .peer = call->to,
                                    .tag = call->send_tag,
                                    .bytes = bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX,
                                    .function = (uint8_t)call->function,
                                    .kind = WM_POST_SENT,
                                    .flags = is_synchronous(call, c, bytes) ? WM_POST_SYNCHRONOUS : 0,
                                    .comm = place_of(c)};
}

static int known_tag(int tag)
{
    return tag == MPI_ANY_TAG ? WM_PAGE_ANY : tag;
}

static struct wm_page_message describe_received(const struct wm_watch_call *call, const struct wm_comm *c)
{
    return (struct wm_page_message){.site = (uint64_t)(uintptr_t)call->site,
                                    .peer = call->from == MPI_ANY_SOURCE ? WM_PAGE_ANY : call->from,
                                    .tag = known_tag(call->receive_tag),
                                    .function = (uint8_t)call->function,
                                    .kind = WM_POST_RECEIVED,
                                    .comm = place_of(c)};
}

/* Of a communicator that is not in the page, or of no message at all: nothing is known. */
static struct wm_page_message describe_unknown(const struct wm_watch_call *call)
{
    return (struct wm_page_message){.site = (uint64_t)(uintptr_t)call->site,
                                    .peer = WM_PAGE_ANY,
                                    .tag = WM_PAGE_ANY,
                                    .function = (uint8_t)call->function,
                                    .kind = call->sends ? WM_POST_SENT : WM_POST_RECEIVED,
                                    .comm = WM_PAGE_NO_COMM};
}

static const struct wm_comm *receiving_comm(const struct wm_watch_call *call)
{
    return call->receives ? find_comm(call->comm, call->from, call->from == MPI_ANY_SOURCE) : NULL;
}

static const struct wm_comm *sending_comm(const struct wm_watch_call *call)
{
    return call->sends ? find_comm(call->comm, call->to, false) : NULL;
}

static void count_received(const struct wm_page_message *m, int peer, int tag)
{
    wm_published->comms[m->comm].received++;
    if (peer >= 0)
        wm_post_count_received(post_of(), m->comm, peer, tag);
}

/* --- Blocking calls --- */

static bool publish_begin(const struct wm_watch_call *call)
{
    struct wm_page_post *post = post_of();
    const struct wm_comm *to = sending_comm(call), *from = receiving_comm(call);
    bool nested = wm_page_is_in(wm_published);
    uint32_t count = 0;

    if (to != NULL) {
        wm_post_count_sent(post, place_of(to), call->to, call->send_tag);
        if (!nested)
            post->with[count++] = describe_sent(call, to);
    }
    if (from != NULL && !nested)
        post->with[count++] = describe_received(call, from);
    if (count > 0 && call->function != WM_POST_IMPROBE)
        wm_page_enter_message(wm_published, (enum wm_post_function)call->function, (uint64_t)(uintptr_t)call->site,
                              count);
    return from != NULL || count > 0;
}

bool wm_watch_begin(struct wm_watch_call *call)
{
    bool recorded = records && wm_follow_begin(call);

    call->published = publishes && publish_begin(call);
    return call->published || recorded;
}

static void publish_end(const struct wm_watch_call *call, int rc)
{
    const struct wm_comm *from = receiving_comm(call);
    struct wm_page_message m;
    int tag, peer;

    if (wm_page_is_in(wm_published) && wm_published->now.function == (uint32_t)call->function)
        wm_page_leave_message(wm_published);
    if (from == NULL || rc != MPI_SUCCESS || call->function == WM_POST_PROBE)
        return;
    m = describe_received(call, from);
    peer = m.peer;
    tag = m.tag;
    if (call->status != MPI_STATUS_IGNORE) {
        peer = call->status->MPI_SOURCE;
        tag = call->status->MPI_TAG;
    }
    count_received(&m, peer, tag);
}

void wm_watch_end(const struct wm_watch_call *call, int rc)
{
    if (call->published)
        publish_end(call, rc);
    if (records)
        wm_follow_end(call, rc);
}

/* --- Requests --- */

void wm_watch_post(struct wm_watch_call *call)
{
    const struct wm_comm *to = publishes ? sending_comm(call) : NULL;

    if (records)
        wm_follow_post(call);
    if (to != NULL)
        wm_post_count_sent(post_of(), place_of(to), call->to, call->send_tag);
}

static bool is_persistent(int function)
{
    return function >= WM_POST_SEND_INIT && function <= WM_POST_RECV_INIT;
}

/* The library gives all requests of no message the same handle. */
static bool is_of_nobody(const struct wm_watch_call *call)
{
    return (call->sends && call->to == MPI_PROC_NULL) || (call->receives && call->from == MPI_PROC_NULL);
}

static void publish_posted(const struct wm_watch_call *call, MPI_Request request)
{
    const struct wm_comm *to = sending_comm(call), *from = receiving_comm(call);
    struct wm_page_message m = to != NULL     ? describe_sent(call, to)
                               : from != NULL ? describe_received(call, from)
                                              : describe_unknown(call);

    if (is_of_nobody(call) && !is_persistent(call->function))
        return;
    m.request = (uint64_t)(uintptr_t)request;
    m.flags |= is_persistent(call->function) ? WM_POST_PERSISTENT : WM_POST_ACTIVE;
    if (m.kind == WM_POST_RECEIVED && !is_persistent(call->function))
        post_of()->pending++;
    wm_post_add(post_of(), &m);
}

void wm_watch_posted(const struct wm_watch_call *call, MPI_Request request)
{
    if (publishes)
        publish_posted(call, request);
    if (records)
        wm_follow_posted(call, request);
}

/* It is the call that was published last. */
void wm_watch_began(MPI_Comm comm, MPI_Request request)
{
    const struct wm_comm *c = publishes ? find_comm(comm, 0, false) : NULL;
    const struct wm_page_entry *entry;
    struct wm_page_message m = {.request = (uint64_t)(uintptr_t)request,
                                .kind = WM_POST_COLLECTIVE,
                                .flags = WM_POST_ACTIVE,
                                .comm = WM_PAGE_NO_COMM};

    if (!publishes)
        return;
    entry = &wm_published->ring[(wm_published->ring_next - 1) % WM_PAGE_RING];
    m.sequence = entry->sequence;
    m.bytes = entry->call;
    if (c != NULL && entry->comm == place_of(c)) {
        m.comm = place_of(c);
        m.site = wm_published->calls[entry->call].site;
    }
    wm_post_add(post_of(), &m);
}

static void publish_start(MPI_Request request)
{
    struct wm_page_message *m = wm_post_own(post_of(), (uint64_t)(uintptr_t)request);

    if (m == NULL || (m->flags & WM_POST_PERSISTENT) == 0) { /* where it sends to is not known */
        post_of()->lost = 1;
        return;
    }
    m->flags |= WM_POST_ACTIVE;
    if (m->kind == WM_POST_RECEIVED)
        post_of()->pending++;
    else if (m->comm != WM_PAGE_NO_COMM)
        wm_post_count_sent(post_of(), m->comm, m->peer, m->tag);
}

void wm_watch_start(MPI_Request request)
{
    if (publishes)
        publish_start(request);
    if (records)
        wm_own_message_start(request);
}

/* A receive that is freed may still come: it stays pending. */
void wm_watch_forget(MPI_Request request, bool cancelled)
{
    struct wm_page_message *m = publishes ? wm_post_own(post_of(), (uint64_t)(uintptr_t)request) : NULL;

    if (records)
        wm_own_message_forget(request, cancelled);
    if (m == NULL)
        return;
    if (cancelled)
        m->flags |= WM_POST_CANCELLED;
    else
        m->request = 0;
}

/* --- Completion --- */

void wm_watch_requests(struct wm_awaited *watch, int function, int count)
{
    watch->function = function;
    watch->count = publishes && count > 0 ? count : 0;
    watch->published = false;
    watch->requests = watch->count <= WM_WATCH_FEW
                          ? watch->few
                          : wm_allocate((size_t)watch->count * sizeof *watch->requests, "requests that are waited for");
}

/* Requests that are not there are not waited for. */
static uint32_t list_handles(const struct wm_awaited *watch)
{
    uint32_t count = 0;

    for (int i = 0; i < watch->count && count <= WM_PAGE_HANDLES; i++) {
        if (watch->requests[i] == MPI_REQUEST_NULL)
            continue;
        if (count < WM_PAGE_HANDLES)
            post_of()->handles[count] = (uint64_t)(uintptr_t)watch->requests[i];
        count++;
    }
    return count;
}

void wm_watch_wait(struct wm_awaited *watch, const void *site)
{
    if (watch->count == 0 || watch->function >= WM_POST_TEST || wm_page_is_in(wm_published))
        return;
    watch->published = true;
    wm_page_enter_message(wm_published, (enum wm_post_function)watch->function, (uint64_t)(uintptr_t)site,
                          list_handles(watch));
}

void wm_watch_waited(struct wm_awaited *watch)
{
    if (watch->published)
        wm_page_leave_message(wm_published);
}

static bool counts(const struct wm_page_message *m)
{
    return m->comm != WM_PAGE_NO_COMM && (m->flags & WM_POST_CANCELLED) == 0 && m->function != WM_POST_IMRECV;
}

void wm_watch_settle(struct wm_awaited *watch, int index, MPI_Request now, bool complete, bool failed)
{
    uint64_t handle = (uint64_t)(uintptr_t)watch->requests[index];
    struct wm_page_message *m = watch->requests[index] != MPI_REQUEST_NULL ? wm_post_own(post_of(), handle) : NULL;
    bool lasts;

    if (m == NULL)
        return;
    lasts = (m->flags & WM_POST_PERSISTENT) != 0;
    if (lasts && failed)
        m->request = 0; /* nobody knows how it is */
    if (lasts ? failed || !complete : now != MPI_REQUEST_NULL)
        return;
    if (m->kind == WM_POST_RECEIVED && (m->flags & WM_POST_ACTIVE) != 0) {
        post_of()->pending--;
        if (!failed && counts(m))
            count_received(m, m->peer, m->tag);
    }
    m->flags &= (uint8_t) ~(WM_POST_ACTIVE | WM_POST_CANCELLED);
    if (!lasts)
        m->request = 0;
}

void wm_watch_release(struct wm_awaited *watch)
{
    if (watch->requests != watch->few)
        free(watch->requests);
}
