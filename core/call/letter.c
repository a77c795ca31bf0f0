/* Letters: a head of a fixed size, and the rest. */
#include "core/call/letter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/call/broadcast.h"
#include "core/call/kin.h"
#include "core/call/verify.h"
#include "core/data/allocate.h"

static void start(struct wm_letter *l, const struct wm_plan *plan, void *data, uint32_t number)
{
    static const struct wm_call call = {.operation = WM_BCAST};
    struct wm_binding binding = {.receive = data,
                                 .geometry = wm_geometry_bytes(),
                                 .unit_bytes = 1,
                                 .call = &call,
                                 .sequence = l->comm->sequence,
                                 .number = number % WM_ORDINARY_FLIGHTS,
                                 .checked = wm_verifies_each(),
                                 .print = l->print};

    l->flight = wm_engine_start(l->comm->end->engine, plan, &binding);
}

static void start_head(struct wm_letter *l)
{
    struct wm_comm *c = l->comm;

    wm_process_lock(&c->kin->lock);
    if (c->kin->head_plan == NULL)
        c->kin->head_plan = wm_broadcast_plan(c, 0, sizeof l->head);
    wm_process_unlock(&c->kin->lock);
    start(l, c->kin->head_plan, &l->head, l->number);
}

void wm_letter_begin(struct wm_letter *l, struct wm_comm *c, uint32_t number)
{
    l->comm = c;
    l->number = number;
    if (c->rank > 0)
        start_head(l);
}

void wm_letter_post(struct wm_letter *l, char *text)
{
    l->text = text;
    l->head.length = text != NULL ? (int)strlen(text) : -1;
    snprintf(l->head.text, sizeof l->head.text, "%s", text != NULL ? text : "");
    start_head(l);
}

bool wm_letter_is_posted(const struct wm_letter *l)
{
    return l->flight != NULL || l->comm->rank > 0;
}

/* The head is there: the rest, if there is one, is under way. */
static void start_rest(struct wm_letter *l)
{
    size_t known = sizeof l->head.text - 1, length = l->head.length > 0 ? (size_t)l->head.length : 0;

    if (l->head.length >= 0 && l->comm->rank > 0)
        l->text = wm_allocate_zeroed(length + 1, "a path");
    if (l->comm->rank > 0 && length > 0)
        memcpy(l->text, l->head.text, length < known ? length : known);
    if (length <= known)
        return;
    l->rest_plan = wm_broadcast_plan(l->comm, 0, length - known);
    start(l, l->rest_plan, l->text + known, l->number + 1);
}

static void end_flight(struct wm_letter *l)
{
    int rc = wm_engine_give(l->comm->end->engine, l->flight);

    l->flight = NULL;
    if (rc == MPI_SUCCESS || l->comm->stopped != 0)
        return;
    if (l->print != 0)
        wm_verify_unlike("a call that asks for its path");
    WM_BUG("what rank 0 of a communicator tells did not come");
}

bool wm_letter_look(struct wm_letter *l)
{
    if (!wm_flight_over(l->flight))
        return false;
    end_flight(l);
    if (l->rest_plan == NULL)
        start_rest(l);
    if (l->flight != NULL) {
        if (!wm_flight_over(l->flight))
            return false;
        end_flight(l);
    }
    return true;
}

void wm_letter_release(struct wm_letter *l)
{
    wm_plan_free(l->rest_plan);
    free(l->text);
}

void wm_letter_drop(struct wm_letter *l)
{
    if (l->flight != NULL)
        wm_engine_give(l->comm->end->engine, l->flight);
    wm_letter_release(l);
}
