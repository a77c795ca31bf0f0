/* Processes and communicators; orphans; and what a process does that waits. */
#include <stdlib.h>
#include <string.h>
#include "core/message/far.h"
#include "core/p2p/process.h"

static void free_list(struct wm_p2p_request *r)
{
    for (struct wm_p2p_request *next; r != NULL; r = next) {
        next = r->next;
        wm_p2p_packed_free(r->packed);
        free(r);
    }
}

static struct wm_p2p_request *make_sent(struct wm_p2p_process *process)
{
    struct wm_p2p_request *r = wm_p2p_request_new(process);

    if (r != NULL)
        r->active = r->stays = r->e.message.complete = true;
    return r;
}

int wm_p2p_process_new(struct wm_p2p_process **process, struct wm_endpoints *group, int self,
                       const struct wm_p2p_rest *rest)
{
    struct wm_p2p_process *p = calloc(1, sizeof *p);
    int error = WM_MESSAGE_MEMORY;

    if (p != NULL && (p->sent = make_sent(p)) != NULL)
        error = wm_p2p_protocol_open(&p->protocol, group, self, "MPI");
    if (error != WM_MESSAGE_DONE) {
        if (p != NULL)
            free(p->sent);
        free(p);
        return error == WM_MESSAGE_MEMORY ? MPI_ERR_NO_MEM : MPI_ERR_RANK;
    }
    if (rest != NULL)
        p->rest = *rest;
    *process = p;
    return MPI_SUCCESS;
}

static bool sends_wait(const struct wm_p2p_process *process)
{
    for (const struct wm_p2p_request *r = process->orphans; r != NULL; r = r->next)
        if (!r->receives && !r->e.message.complete)
            return true;
    return false;
}

void wm_p2p_process_free(struct wm_p2p_process *process, bool all_received)
{
    while (!all_received && sends_wait(process))
        wm_p2p_sleep(process);
    wm_p2p_protocol_close(&process->protocol);
    free_list(process->orphans);
    free_list(process->idle);
    free(process->sent);
    free(process);
}

static __attribute__((noinline)) void sweep_orphans(struct wm_p2p_process *process)
{
    struct wm_p2p_request **link = &process->orphans, *r;

    wm_p2p_buffer_sweep(process);
    while ((r = *link) != NULL) {
        if (!r->e.message.complete) {
            link = &r->next;
            continue;
        }
        *link = r->next;
        r->buffered = false;
        wm_p2p_request_finish(r, MPI_STATUS_IGNORE);
    }
}

/* Finish the orphans that are complete. */
static inline void sweep(struct wm_p2p_process *process)
{
    if (__builtin_expect(process->orphans != NULL, 0))
        sweep_orphans(process);
}

bool wm_p2p_progress(struct wm_p2p_process *process)
{
    struct wm_endpoints *group = process->protocol.common.group;
    bool moved = group->far != NULL && group->far->wire.processes > 1 && wm_endpoints_drain(group);

    sweep(process);
    return moved;
}

bool wm_p2p_poll(struct wm_p2p_process *process)
{
    if (wm_p2p_progress(process))
        return true;
    if (process->rest.rest == NULL)
        return false;
    process->rest.rest(process->rest.with);
    return true;
}

/* ---- waiting ---- */

static inline void wake(struct wm_p2p_process *process)
{
    if (!process->asleep)
        return;
    process->asleep = false;
    process->rest.wake(process->rest.with);
}

static inline void count_off(struct wm_p2p_request *r, int which)
{
    struct wm_p2p_tally *tally = r->tallies[which];

    if (tally == NULL)
        return;
    r->tallies[which] = NULL;
    if (which == WM_P2P_STARTED) {
        tally->peer = r->e.message.peer;
        tally->tag = r->e.header.tag;
    }
    if ((--tally->pending == 0 && tally == r->process->awaits) || tally == &r->process->always)
        wake(r->process);
}

static void notify(struct wm_envelope *e)
{
    struct wm_p2p_request *r = (struct wm_p2p_request *)((char *)e - offsetof(struct wm_p2p_request, e.message));

    count_off(r, WM_P2P_AWAITED);
    count_off(r, WM_P2P_STARTED);
}

void wm_p2p_count(struct wm_p2p_request *r, int which, struct wm_p2p_tally *tally)
{
    r->tallies[which] = tally;
    r->e.message.notify = notify;
    tally->pending++;
}

void wm_p2p_count_started(struct wm_p2p_process *process, struct wm_p2p_tally *sends, struct wm_p2p_tally *receives)
{
    process->sends = sends;
    process->receives = receives;
}

void wm_p2p_uncount(struct wm_p2p_request *r, int which)
{
    if (r->tallies[which] != NULL)
        r->tallies[which]->pending--;
    r->tallies[which] = NULL;
}

/* What moves from here on wakes it. */
void wm_p2p_sleep(struct wm_p2p_process *process)
{
    const struct wm_p2p_rest *rest = &process->rest;

    if (rest->rest == NULL) {
        wm_endpoints_rest(process->protocol.common.group, &process->turn);
        sweep(process);
    } else if (!wm_p2p_progress(process)) {
        process->asleep = rest->sleep != NULL;
        (rest->sleep != NULL ? rest->sleep : rest->rest)(rest->with);
        process->asleep = false;
    }
}

static void notify_come(struct wm_protocol *p)
{
    wake((struct wm_p2p_process *)((char *)p - offsetof(struct wm_p2p_process, protocol.common)));
}

void wm_p2p_sleep_for_message(struct wm_p2p_process *process)
{
    process->protocol.common.notify = notify_come;
    wm_p2p_sleep(process);
    process->protocol.common.notify = NULL;
}

bool wm_p2p_sends_away(const struct wm_p2p_process *process)
{
    return process->sends_away;
}

void wm_p2p_await(struct wm_p2p_process *process, const struct wm_p2p_tally *tally)
{
    process->awaits = tally;
    while (tally->pending > 0)
        wm_p2p_sleep(process);
    process->awaits = NULL;
}

int32_t wm_p2p_next_context(const struct wm_p2p_process *process)
{
    return process->next_context;
}

struct wm_p2p_comm *wm_p2p_comm_new(struct wm_p2p_process *process, int32_t context, int self, int size,
                                    const int endpoints[])
{
    struct wm_p2p_comm *comm = malloc(sizeof *comm + (size_t)size * sizeof comm->endpoints[0]);

    if (comm == NULL)
        return NULL;
    comm->process = process;
    comm->context = context;
    comm->self = self;
    comm->size = size;
    comm->apart = false;
    memcpy(comm->endpoints, endpoints, (size_t)size * sizeof comm->endpoints[0]);
    if (context >= process->next_context)
        process->next_context = context + 1;
    return comm;
}

void wm_p2p_comm_free(struct wm_p2p_comm *comm)
{
    free(comm);
}
