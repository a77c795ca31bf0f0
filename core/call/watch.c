/* Point-to-point calls: counted, entered, and published while they block; and told to the trace. */
#include "core/call/watch.h"

#include <stdlib.h>
#include <string.h>
#include "core/call/buffers.h"
#include "core/call/publish.h"
#include "core/call/records.h"
#include "core/call/follow.h"
#include "core/data/allocate.h"
#include "core/data/geometry.h"
#include "core/node/eager.h"
#include "core/record/own_message.h"
#include "core/record/waiting.h"
#include "waymark/runtime.h"

_Atomic bool wm_watched;

/* Whom the doors tell. */
bool wm_watch_publishes;
static bool records;

/* Above these a send waits for its receive: to a rank of the node, to any other, to either; UINT64_MAX: not known. */
static uint64_t near_bytes, far_bytes, least_bytes;

static uint64_t known_limit(uint64_t bytes)
{
    return bytes > 0 ? bytes : UINT64_MAX;
}

void wm_watch_open(void)
{
    struct wm_eager eager;

    wm_watch_publishes = wm_published != NULL && !wm_process.threads;
    records = wm_process.recordings != NULL && wm_process.each == 0;
    if (!wm_watch_publishes && !records)
        return;
    wm_eager_read(&eager);
    near_bytes = known_limit(eager.near_bytes);
    far_bytes = known_limit(eager.far_bytes);
    least_bytes = near_bytes < far_bytes ? near_bytes : far_bytes;
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

/* The record of a communicator that is in the page, or NULL. */
static inline const struct wm_comm *find_comm(MPI_Comm comm)
{
    const struct wm_comm *c = wm_record_enter(comm, WM_BARRIER);

    return c != NULL && c->shown != NULL ? c : NULL;
}

/* It sends to a rank of such a communicator; it receives from one, or from any. */
static inline bool sends(const struct wm_watch_call *call)
{
    return call->sends && call->record != NULL && call->to >= 0 && call->to < call->record->ranks;
}

static inline bool receives(const struct wm_watch_call *call)
{
    return call->receives && call->record != NULL && call->from < call->record->ranks &&
           (call->from >= 0 || call->from == MPI_ANY_SOURCE);
}

/* --- What a call sends and receives --- */

/* Of a predefined type the last one is kept in mind. */
static inline uint64_t type_bytes(MPI_Datatype type)
{
    static MPI_Datatype known = MPI_DATATYPE_NULL;
    static int known_bytes;
    int bytes = 0;

    if (type == known)
        return (uint64_t)known_bytes;
    PMPI_Type_size(type, &bytes);
    if (bytes < 0)
        bytes = 0;
    if (wm_geometry_named(type)) {
        known = type;
        known_bytes = bytes;
    }
    return (uint64_t)bytes;
}

static __attribute__((noinline)) bool is_above_limit(const struct wm_comm *c, int to, uint64_t bytes)
{
    bool near = wm_process.places[c->world[to]].node == wm_process.places[wm_process.world_rank].node;

    return bytes > (near ? near_bytes : far_bytes);
}

static inline bool is_synchronous(const struct wm_watch_call *call, uint64_t bytes)
{
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
        return bytes > least_bytes && is_above_limit(call->record, call->to, bytes);
    }
}

/* Messages are written where they stand in the page: copied there, their fields would have to be in memory first. */
static inline __attribute__((always_inline)) void describe_sent(struct wm_page_message *m,
                                                                const struct wm_watch_call *call)
{
    uint64_t bytes = call->count > 0 ? (uint64_t)call->count * type_bytes(call->type) : 0;

    m->site = (uint64_t)(uintptr_t)call->site;
    m->peer = call->to;
    m->tag = call->send_tag;
    m->bytes = bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX;
    m->function = (uint8_t)call->function;
    m->kind = WM_POST_SENT;
    m->flags = is_synchronous(call, bytes) ? WM_POST_SYNCHRONOUS : 0;
    m->comm = place_of(call->record);
}

static inline int known_tag(int tag)
{
    return tag == MPI_ANY_TAG ? WM_PAGE_ANY : tag;
}

static inline int known_peer(int peer)
{
    return peer == MPI_ANY_SOURCE ? WM_PAGE_ANY : peer;
}

static inline void describe_received(struct wm_page_message *m, const struct wm_watch_call *call)
{
    m->site = (uint64_t)(uintptr_t)call->site;
    m->peer = known_peer(call->from);
    m->tag = known_tag(call->receive_tag);
    m->bytes = 0;
    m->function = (uint8_t)call->function;
    m->kind = WM_POST_RECEIVED;
    m->flags = 0;
    m->comm = place_of(call->record);
}

/* Of a communicator that is not in the page, or of no message at all: nothing is known. */
static void describe_unknown(struct wm_page_message *m, const struct wm_watch_call *call)
{
    *m = (struct wm_page_message){.request = m->request,
                                  .site = (uint64_t)(uintptr_t)call->site,
                                  .peer = WM_PAGE_ANY,
                                  .tag = WM_PAGE_ANY,
                                  .function = (uint8_t)call->function,
                                  .kind = call->sends ? WM_POST_SENT : WM_POST_RECEIVED,
                                  .comm = WM_PAGE_NO_COMM};
}

static inline void count_received(uint32_t comm, int peer, int tag)
{
    wm_published->comms[comm].received++;
    if (peer >= 0)
        wm_post_count_received(post_of(), comm, peer, tag);
}

/* --- Blocking calls --- */

static bool publish_begin(struct wm_watch_call *call)
{
    struct wm_page_post *post = post_of();
    bool nested = wm_page_is_in(wm_published);
    uint32_t count = 0;

    call->record = find_comm(call->comm);
    if (sends(call)) {
        wm_post_count_sent(post, place_of(call->record), call->to, call->send_tag);
        if (!nested)
            describe_sent(&post->with[count++], call);
    }
    if (!nested && receives(call))
        describe_received(&post->with[count++], call);
    if (count > 0 && call->function != WM_POST_IMPROBE)
        wm_page_enter_message(wm_published, (enum wm_post_function)call->function, (uint64_t)(uintptr_t)call->site,
                              count);
    return count > 0 || receives(call);
}

bool wm_watch_begin(struct wm_watch_call *call)
{
    bool recorded = records && wm_follow_begin(call);

    call->published = wm_watch_publishes && publish_begin(call);
    return call->published || recorded;
}

static void publish_end(const struct wm_watch_call *call, int rc)
{
    int tag, peer;

    if (wm_page_is_in(wm_published) && wm_published->now.function == (uint32_t)call->function)
        wm_page_leave_message(wm_published);
    if (!receives(call) || rc != MPI_SUCCESS || call->function == WM_POST_PROBE)
        return;
    peer = known_peer(call->from);
    tag = known_tag(call->receive_tag);
    if (call->status != MPI_STATUS_IGNORE) {
        peer = call->status->MPI_SOURCE;
        tag = call->status->MPI_TAG;
    }
    count_received(place_of(call->record), peer, tag);
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
    if (records && !wm_post_is_persistent(call->function))
        wm_follow_post(call);
    if (!wm_watch_publishes)
        return;
    call->record = call->sends || call->receives ? find_comm(call->comm) : NULL;
    if (sends(call) && !wm_post_is_persistent(call->function))
        wm_post_count_sent(post_of(), place_of(call->record), call->to, call->send_tag);
}

/* The library gives all requests of no message the same handle. */
static inline bool is_of_nobody(const struct wm_watch_call *call)
{
    return (call->sends && call->to == MPI_PROC_NULL) || (call->receives && call->from == MPI_PROC_NULL);
}

static void publish_posted(const struct wm_watch_call *call, MPI_Request request)
{
    bool lasts = wm_post_is_persistent(call->function);
    struct wm_page_message *m;

    if (is_of_nobody(call) && !lasts)
        return;
    m = wm_post_place_for(post_of(), (uint64_t)(uintptr_t)request);
    m->request = (uint64_t)(uintptr_t)request;
    if (sends(call))
        describe_sent(m, call);
    else if (receives(call))
        describe_received(m, call);
    else
        describe_unknown(m, call);
    m->flags |= lasts ? WM_POST_PERSISTENT : WM_POST_ACTIVE;
    if (m->kind == WM_POST_RECEIVED && !lasts)
        post_of()->pending++;
}

void wm_watch_posted(const struct wm_watch_call *call, MPI_Request request)
{
    if (wm_watch_publishes)
        publish_posted(call, request);
    if (records)
        wm_follow_posted(call, request);
    if (!is_of_nobody(call))
        wm_leak_add(WM_LEAK_REQUEST, request, call->site);
}

/* It is the call that was published last. */
void wm_watch_began(const struct wm_call *call, MPI_Request request)
{
    const struct wm_comm *c = wm_watch_publishes ? find_comm(call->comm) : NULL;
    const struct wm_page_entry *entry;
    struct wm_page_message m = {.request = (uint64_t)(uintptr_t)request,
                                .kind = WM_POST_COLLECTIVE,
                                .flags = WM_POST_ACTIVE,
                                .comm = WM_PAGE_NO_COMM};

    if (!wm_watch_publishes)
        return;
    wm_buffers_began(request);
    wm_leak_add(WM_LEAK_REQUEST, request, call->site);
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
    if (wm_watch_publishes)
        publish_start(request);
    if (records)
        wm_own_message_start(request);
}

/* A receive that is freed may still come: it stays pending. */
void wm_watch_forget(MPI_Request request, bool cancelled)
{
    struct wm_page_message *m = wm_watch_publishes ? wm_post_own(post_of(), (uint64_t)(uintptr_t)request) : NULL;

    if (records)
        wm_own_message_forget(request, cancelled);
    if (!cancelled)
        wm_leak_remove(WM_LEAK_REQUEST, request);
    if (!cancelled && wm_verifies_full())
        wm_buffers_free(request);
    if (m == NULL)
        return;
    if (cancelled)
        m->flags |= WM_POST_CANCELLED;
    else
        m->request = 0;
}

/* --- Completion --- */

void wm_watch_make_room(struct wm_awaited *watch)
{
    watch->requests = wm_allocate((size_t)watch->count * sizeof *watch->requests, "requests that are waited for");
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

void wm_watch_wait(struct wm_awaited *watch)
{
    if (watch->count == 0 || wm_page_is_in(wm_published))
        return;
    watch->published = true;
    wm_page_enter_message(wm_published, (enum wm_post_function)watch->function, (uint64_t)(uintptr_t)watch->site,
                          list_handles(watch));
}

void wm_watch_waited(void)
{
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

    if (wm_verifies_full() && watch->requests[index] != MPI_REQUEST_NULL) {
        if (now == MPI_REQUEST_NULL)
            wm_leak_remove(WM_LEAK_REQUEST, watch->requests[index]);
        if (now == MPI_REQUEST_NULL || complete)
            wm_buffers_over(watch->requests[index], watch->site);
    }
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
            count_received(m->comm, m->peer, m->tag);
    }
    m->flags &= (uint8_t) ~(WM_POST_ACTIVE | WM_POST_CANCELLED);
}

void wm_watch_release(struct wm_awaited *watch)
{
    free(watch->requests);
}
