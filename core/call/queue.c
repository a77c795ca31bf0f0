/* The queue of a communicator's requests. */
#include "core/call/queue.h"

#include <stdlib.h>
#include "core/call/again.h"
#include "core/call/ask.h"
#include "core/call/progress.h"
#include "core/call/question.h"
#include "core/call/shadow.h"
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
    c->flights += 2;
    return wm_question_begin(c, &facts, number, r->kind == WM_REQUEST_NONBLOCKING || c->in_flight != NULL);
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
        wm_cache_keep(c, path);
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
        if (path->bytes_low == 0 && path->bytes_high == UINT64_MAX && path->root < 0 && path->commutative < 0)
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

struct shadow_request {
    struct wm_request request;
    struct wm_comm *duplicate;
};

/* The queue stands until the shadow is there, for the library's calls that this takes have their order, too. */
static bool make_shadow(struct wm_request *r)
{
    if (!wm_shadow_advance(((struct shadow_request *)r)->duplicate))
        return false;
    r->comm->queue = r->next;
    wm_progress_over();
    free(r);
    return true;
}

bool wm_requests_begin(struct wm_comm *c)
{
    struct wm_request *r;
    struct wm_path *path;
    bool begun = false;

    while ((r = c->queue) != NULL && !wm_comm_is_pending(c)) {
        if (r->kind == WM_REQUEST_SHADOW) {
            if (!make_shadow(r))
                break;
            continue;
        }
        if ((r->state == WM_REQUEST_QUEUED && !wm_requests_may_fly(c)) || (path = find_path(r)) == NULL)
            break;
        c->queue = r->next;
        begin(r, path);
        begun = true;
    }
    return begun;
}

void wm_requests_make_shadow(struct wm_comm *c, struct wm_comm *duplicate)
{
    struct shadow_request *s = wm_allocate_zeroed(sizeof *s, "a duplicate of a communicator");

    s->request.kind = WM_REQUEST_SHADOW;
    s->request.comm = c;
    s->duplicate = duplicate;
    wm_request_enqueue(&s->request);
    wm_progress_begun(c);
    wm_requests_begin(c);
    wm_requests_end(c);
}

/* What has ended may make room for the queue; what has begun may be over at once. */
int wm_requests_advance(struct wm_comm *c)
{
    int messages = !wm_comm_is_pending(c) && c->engine != NULL ? wm_engine_progress(c->engine, false) : 0, over,
        all = 0;
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
