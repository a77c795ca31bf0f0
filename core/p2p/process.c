/* Processes and communicators; orphans; and what a process does that waits. */
#include <stdlib.h>
#include <string.h>
#include "core/message/far.h"
#include "core/p2p/process.h"

int wm_p2p_process_new(struct wm_p2p_process **process, struct wm_endpoints *group, int self,
                       const struct wm_p2p_rest *rest)
{
    struct wm_p2p_process *p = calloc(1, sizeof *p);
    int error = p != NULL ? wm_p2p_protocol_open(&p->protocol, group, self, "MPI") : WM_MESSAGE_MEMORY;

    if (error != WM_MESSAGE_DONE) {
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

static void free_list(struct wm_p2p_request *r)
{
    for (struct wm_p2p_request *next; r != NULL; r = next) {
        next = r->next;
        wm_p2p_packed_free(r->packed);
        free(r);
    }
}

void wm_p2p_process_free(struct wm_p2p_process *process)
{
    unsigned turn = 0;

    while (sends_wait(process))
        wm_p2p_rest(process, &turn);
    wm_p2p_protocol_close(&process->protocol);
    free_list(process->orphans);
    free_list(process->idle);
    free(process);
}

/* Finish the orphans that are complete. */
static void sweep(struct wm_p2p_process *process)
{
    struct wm_p2p_request **link = &process->orphans, *r;

    if (__builtin_expect(*link == NULL, 1))
        return;
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

bool wm_p2p_progress(struct wm_p2p_process *process)
{
    bool moved = wm_endpoints_drain(process->protocol.common.group);

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

void wm_p2p_rest(struct wm_p2p_process *process, unsigned *turn)
{
    if (process->rest.rest != NULL) {
        wm_p2p_poll(process);
        return;
    }
    wm_endpoints_rest(process->protocol.common.group, turn);
    sweep(process);
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
    memcpy(comm->endpoints, endpoints, (size_t)size * sizeof comm->endpoints[0]);
    if (context >= process->next_context)
        process->next_context = context + 1;
    return comm;
}

void wm_p2p_comm_free(struct wm_p2p_comm *comm)
{
    free(comm);
}
