/* Crossings: from step to step. */
#include "core/subrank/crossing.h"
#include <stdlib.h>
#include "core/data/allocate.h"
#include "core/p2p/process.h"
#include "core/subrank/collective.h"
#include "core/subrank/inter.h"

static const char what[] = "a collective between two groups";

struct wm_rank_crossing *wm_rank_crossing_new(struct wm_rank_comm *c)
{
    struct wm_rank_crossing *k = wm_allocate_zeroed(sizeof *k, what);

    k->comm = c;
    k->own = c->inter != NULL ? c->inter->own : c;
    return k;
}

void wm_rank_crossing_free(struct wm_rank_crossing *k)
{
    wm_retained_release(&k->retained);
    for (size_t i = 0; i < sizeof k->room / sizeof k->room[0]; i++)
        free(k->room[i]);
    free(k->transfers);
    free(k->requests);
    free(k);
}

/* There is room for a power of two. */
void wm_rank_crossing_add(struct wm_rank_crossing *k, bool sends, int peer, const struct wm_side_block *block)
{
    int count = k->transfer_count;

    if ((count & (count - 1)) == 0) {
        k->transfers = realloc(k->transfers, (size_t)(count > 0 ? 2 * count : 1) * sizeof *k->transfers);
        if (k->transfers == NULL)
            wm_out_of_memory(what);
    }
    k->transfers[k->transfer_count++] = (struct wm_rank_transfer){sends, peer, *block};
    wm_retain_type(&k->retained, block->type);
}

/* ---- steps ---- */

static void note_error(struct wm_rank_crossing *k, int error)
{
    if (k->error == MPI_SUCCESS)
        k->error = error;
}

/* What is begun wakes the rank when it is done. */
static void await(struct wm_rank_crossing *k, int error, struct wm_p2p_request *request)
{
    note_error(k, error);
    if (error != MPI_SUCCESS)
        return;
    if (!wm_p2p_request_is_done(request))
        wm_p2p_count(request, WM_P2P_AWAITED, &request->process->always);
    k->requests[k->request_count++] = request;
}

static void call_own(struct wm_rank_crossing *k, const struct wm_call *call)
{
    struct wm_p2p_request *request;
    int error = wm_rank_collective_later(k->own, call, &request);

    await(k, error, request);
}

static void cross(struct wm_rank_crossing *k)
{
    struct wm_p2p_comm *messages = k->transfer_count > 0 ? k->comm->inter->messages : NULL;

    for (int i = 0; i < k->transfer_count; i++) {
        const struct wm_rank_transfer *t = &k->transfers[i];
        const struct wm_side_block *b = &t->block;
        struct wm_p2p_request *request = NULL;
        int error = t->sends ? wm_p2p_isend(WM_P2P_STANDARD, b->at, b->count, b->type, t->peer, 0, messages, &request)
                             : wm_p2p_irecv(b->at, b->count, b->type, t->peer, 0, messages, &request);

        await(k, error, request);
    }
}

static void begin_step(struct wm_rank_crossing *k)
{
    k->step++;
    wm_rank_calls_step();
    if (k->step == WM_STEP_BEFORE && k->has_before)
        call_own(k, &k->before);
    if (k->step == WM_STEP_CROSSES)
        cross(k);
    if (k->step == WM_STEP_AFTER && k->has_after)
        call_own(k, &k->after);
}

static bool step_is_done(const struct wm_rank_crossing *k)
{
    for (int i = 0; i < k->request_count; i++)
        if (!wm_p2p_request_is_done(k->requests[i]))
            return false;
    return true;
}

static void end_step(struct wm_rank_crossing *k)
{
    for (int i = 0; i < k->request_count; i++)
        note_error(k, wm_p2p_request_finish(k->requests[i], MPI_STATUS_IGNORE));
    k->request_count = 0;
}

static bool has_turn(const struct wm_rank_crossing *k)
{
    return k->comm->inter == NULL || k->comm->inter->crossing == k;
}

/* True: a step began. */
static bool advance(struct wm_rank_crossing *k)
{
    bool began = false;

    while (k->step != WM_STEP_OVER && has_turn(k) && step_is_done(k)) {
        end_step(k);
        begin_step(k);
        began = true;
    }
    return began;
}

/* ---- a rank's ---- */

static struct wm_rank_crossing *next_of(struct wm_rank_crossing *k, const struct wm_rank_comm *c)
{
    while (k != NULL && k->comm != c)
        k = k->next;
    return k;
}

bool wm_rank_is_crossing(const struct wm_rank_comm *c)
{
    return next_of(c->rank->crossings, c) != NULL;
}

static void end(struct wm_rank_crossing *k)
{
    if (k->comm->inter != NULL)
        k->comm->inter->crossing = next_of(k->next, k->comm);
    if (k->then != NULL && k->error == MPI_SUCCESS)
        k->then(k->with);
    wm_p2p_other_complete(k->request);
}

bool wm_rank_crossings_advance(struct wm_rank *rank)
{
    struct wm_rank_crossing **link = &rank->crossings, *k;
    bool began = false;

    while ((k = *link) != NULL) {
        began = advance(k) || began;
        if (k->step != WM_STEP_OVER) {
            link = &k->next;
            continue;
        }
        *link = k->next;
        end(k);
    }
    return began;
}

static int end_request(void *with)
{
    struct wm_rank_crossing *k = with;
    int error = k->error;

    wm_rank_crossing_free(k);
    return error;
}

static const struct wm_p2p_other_class crossings = {.end = end_request};

int wm_rank_crossing_begin(struct wm_rank_crossing *k, struct wm_p2p_request **request)
{
    struct wm_rank_crossing **link = &k->comm->rank->crossings;
    struct wm_rank_inter *inter = k->comm->inter;
    int error = wm_p2p_other_new(k->comm->rank->process, &crossings, k, request);

    if (error != MPI_SUCCESS) {
        wm_rank_crossing_free(k);
        return error;
    }
    k->request = *request;
    k->requests = wm_allocate(((size_t)k->transfer_count + 1) * sizeof(struct wm_p2p_request *), what);
    if (inter != NULL && inter->crossing == NULL)
        inter->crossing = k;
    while (*link != NULL)
        link = &(*link)->next;
    *link = k;
    advance(k);
    return MPI_SUCCESS;
}
