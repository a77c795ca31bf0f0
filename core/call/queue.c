/* The queue of a communicator's requests. */
#include "core/call/queue.h"

#include <stdlib.h>
#include "core/call/again.h"
#include "core/call/ask.h"
#include "core/call/progress.h"
#include "core/call/join.h"
#include "core/call/meeting.h"
#include "core/call/question.h"
#include "core/data/allocate.h"

void wm_request_enqueue(struct wm_request *r)
{
    struct wm_comm *c = r->comm;

    r->next = NULL;
    if (c->queue == NULL)
        c->queue_end = &c->queue;
    *c->queue_end = r;
    c->queue_end = &r->next;
}

/* A blocking call may wait for the map server itself, unless others of this rank are in flight. */
static struct wm_question *ask(struct wm_request *r)
{
    struct wm_comm *c = r->comm;
    struct wm_facts facts = r->described.facts;
    uint32_t number = c->flights;

    wm_comm_facts(c, &facts);
    if (wm_comm_name_hash(facts.communicator) != c->name)
        c->name = 0;
    c->flights += 2;
    return wm_question_begin(c, &facts, number, r->kind == WM_REQUEST_NONBLOCKING || c->in_flight != NULL, r->print);
}

/* NULL: it is not known yet. */
static struct wm_path *find_path(struct wm_request *r)
{
    struct wm_comm *c = r->comm;
    struct wm_path *path;

    if (r->state == WM_REQUEST_QUEUED) {
        r->first = c->flights;
        if ((path = wm_cache_path(c, &r->described.facts)) != NULL)
            return path;
        r->question = ask(r);
        r->state = WM_REQUEST_ASKING;
    }
    if ((path = wm_question_look(r->question)) != NULL)
        path = wm_cache_keep(c, path, r->kind == WM_REQUEST_BLOCKING);
    return path;
}

/* A blocking call comes at the same place of all ranks' order: from here on all may know that the operation is native
 * whatever the call. */
static void leave(struct wm_request *r)
{
    struct wm_comm *c = r->comm;
    struct wm_path *path = r->path;

    if (r->kind == WM_REQUEST_BLOCKING) {
        wm_again_remember(c, r->call, path, NULL, &r->described);
        if (wm_validity_is_any(&path->validity))
            c->silent[r->call->operation] = !wm_process_watches() && !path->failed;
    }
    wm_described_release(&r->described);
    r->state = WM_REQUEST_LEFT;
}

static void begin(struct wm_request *r, struct wm_path *path)
{
    r->path = path;
    if (path->native && r->kind == WM_REQUEST_NONBLOCKING)
        wm_request_begin_native(r);
    else if (path->native || (r->kind == WM_REQUEST_PERSISTENT && r->comm->persistent == WM_ORDINARY_FLIGHTS))
        leave(r);
    else
        wm_request_begin(r);
}

/* What a question waited for is over. */
static bool stop(struct wm_comm *c)
{
    struct wm_request *r = c->queue;

    if (r == NULL)
        return false;
    if (c->end != NULL)
        wm_engine_progress(c->end->engine, false);
    for (; r != NULL; r = c->queue) {
        c->queue = r->next;
        wm_request_stop(r);
    }
    return true;
}

bool wm_requests_begin(struct wm_comm *c)
{
    struct wm_request *r;
    struct wm_path *path;
    bool begun = false;

    if (c->stopped != 0)
        return stop(c);

    while ((r = c->queue) != NULL && wm_join_advance(c)) {
        if (c->native_only) { /* it could not join */
            c->queue = r->next;
            wm_request_begin_native(r);
            continue;
        }
        if (r->state == WM_REQUEST_QUEUED && (!wm_requests_may_fly(c) || !wm_meeting_over(c, r->turn, r->sequence)))
            break;
        path = r->own ? NULL : find_path(r);
        if (path == NULL && !r->own)
            break;
        c->queue = r->next;
        if (path == NULL)
            wm_request_begin_own(r);
        else
            begin(r, path);
        begun = true;
    }
    return begun;
}

/* What has ended may make room for the queue; what has begun may be over at once. */
int wm_requests_advance(struct wm_comm *c)
{
    int messages = c->end != NULL ? wm_engine_progress(c->end->engine, false) : 0, over, all = 0;
    bool begun = wm_requests_begin(c);

    if (messages == 0 && !begun && c->native_in_flight == 0)
        return 0;
    do
        all += over = wm_requests_end(c);
    while (over > 0 && wm_requests_begin(c));
    return all;
}

bool wm_requests_start(void)
{
    return wm_progress_start(wm_requests_advance);
}
