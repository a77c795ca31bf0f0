/* Statements are made: blocking ones, or, in queues, nonblocking ones. */
#include "waymark/communicate.h"

#include <stdlib.h>
#include "core/communicate/collective.h"
#include "core/communicate/fly.h"
#include "core/communicate/patience.h"
#include "core/data/allocate.h"
#include "core/message/far.h"
#include "core/node/progress_library.h"

/* ---- queues of turns ---- */

/* What advances calls the library, which calls back. */
static bool advancing;

static void finish(struct wm_turn *turn)
{
    turn->talk->turns = turn->next;
    PMPI_Grequest_complete(turn->request);
    free(turn->bindings);
    free(turn);
}

/* Advance the nonblocking ones. True: some are over. */
static bool advance_turns(struct wm_talk *t)
{
    bool some = false;

    if (advancing)
        return false;
    advancing = true;
    while (t->turns != NULL && wm_turn_advance(t->turns)) {
        finish(t->turns);
        some = true;
    }
    advancing = false;
    return some;
}

void wm_turns_finish(struct wm_talk *t)
{
    struct wm_patience patience = {0};

    for (unsigned turn = 0; t->turns != NULL;) {
        if (advance_turns(t))
            continue;
        wm_endpoints_rest(t->group, &turn);
        wm_patience_rest(&patience, t->turns);
    }
}

/* ---- nonblocking calls ---- */

static bool progresses; /* the library calls us back */

static int progress(void)
{
    int over = 0;

    for (struct wm_talk *t = wm_talks(); t != NULL; t = t->next)
        over += t->turns != NULL && wm_far_may_drain(t->group) && advance_turns(t);
    return over;
}

void wm_turns_stop(void)
{
    if (progresses)
        wm_progress_library.stop(progress);
    progresses = false;
}

static int query(void *turn, MPI_Status *status)
{
    (void)turn;
    PMPI_Status_set_elements(status, MPI_BYTE, 0);
    PMPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

static int let_go(void *turn)
{
    (void)turn;
    return MPI_SUCCESS;
}

static int cancel(void *turn, int complete)
{
    (void)turn, (void)complete;
    return MPI_SUCCESS;
}

/* With values behind them. */
static struct wm_bound *copy(const struct wm_bound bindings[], int count)
{
    struct wm_bound *copy = wm_allocate((sizeof *copy + sizeof(union wm_scalar)) * (size_t)(count + 1), "a statement");

    for (int i = 0; i < count; i++)
        copy[i] = wm_binding_keep(&bindings[i], (union wm_scalar *)(copy + count) + i);
    return copy;
}

int wm_icommunicate(MPI_Comm comm, const struct wm_statement_site *site, struct wm_bound bindings[], int count,
                    MPI_Request *request)
{
    struct wm_talk *t = wm_talk_on(comm);
    struct wm_turn *turn = wm_allocate(sizeof *turn, "a statement"), **end = &t->turns;

    wm_turn_init(turn, t, wm_deal_of(t, site, bindings, count), copy(bindings, count), false);
    PMPI_Grequest_start(query, let_go, cancel, turn, &turn->request);
    *request = turn->request;
    while (*end != NULL)
        end = &(*end)->next;
    *end = turn;
    if (!progresses && wm_progress_possible())
        progresses = wm_progress_library.start(progress) == 0;
    advance_turns(t);
    if (!progresses)
        wm_turns_finish(t);
    return MPI_SUCCESS;
}

/* ---- blocking calls ---- */

/* Nothing has changed that the last call found out: its messages, of which both ends know, are made again. */
static void repeat(struct wm_talk *t, struct wm_deal *d, struct wm_bound bindings[])
{
    struct wm_turn turn;
    struct wm_patience patience = {0};
    unsigned rests = 0;

    turn.talk = t;
    turn.deal = d;
    turn.bindings = bindings;
    turn.number = t->number;
    turn.state = WM_TURN_TRAVELS;
    wm_fly_begin(&turn);
    while (!wm_fly_is_complete(&turn)) {
        wm_endpoints_rest(t->group, &rests);
        wm_patience_rest(&patience, &turn);
    }
    wm_fly_end(&turn);
}

/* Not inlined: what comes again saves no registers for it. */
static __attribute__((noinline)) void make(MPI_Comm comm, const struct wm_statement_site *site,
                                           struct wm_bound bindings[], int count)
{
    struct wm_talk *t = wm_talk_on(comm);
    struct wm_turn turn;
    struct wm_patience patience = {0};
    unsigned rests = 0;

    wm_turns_finish(t);
    wm_turn_init(&turn, t, wm_deal_of(t, site, bindings, count), bindings, true);
    while (!wm_turn_advance(&turn)) {
        wm_endpoints_rest(t->group, &rests);
        wm_patience_rest(&patience, &turn);
    }
}

int wm_communicate(MPI_Comm comm, const struct wm_statement_site *site, struct wm_bound bindings[], int count)
{
    struct wm_talk *t = wm_talk_recent;
    struct wm_deal *d = t != NULL && t->comm == comm ? *wm_deal_slot(t, site) : NULL;

    if (d != NULL && d->site == site && t->turns == NULL && wm_deal_is_unchanged(d)) {
        t->number += 2;
        if (d->collective.operation != WM_OPERATION_COUNT)
            wm_fly_collective(d, bindings);
        else
            repeat(t, d, bindings);
    } else {
        make(comm, site, bindings, count);
    }
    return MPI_SUCCESS;
}
