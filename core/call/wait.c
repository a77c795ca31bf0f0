/* Waiting for requests. */
#include "core/call/wait.h"

#include <string.h>
#include "core/call/broadcast.h"
#include "core/call/join.h"
#include "core/call/kin.h"
#include "core/call/meeting.h"
#include "core/call/question.h"
#include "core/call/verify.h"
#include "core/node/progress_library.h"

static bool is_settled(const struct wm_request *r)
{
    return r->state >= WM_REQUEST_LEFT;
}

/* Nothing else is to go on: the engine waits better. */
static bool is_alone(const struct wm_request *r)
{
    const struct wm_comm *c = r->comm;

    return (r->state == WM_REQUEST_SIZING || r->state == WM_REQUEST_IN_FLIGHT) && c->queue == NULL &&
           c->in_flight == r && r->next == NULL;
}

void wm_request_wait(struct wm_request *r)
{
    wm_requests_begin(r->comm);
    while (!is_settled(r)) {
        if (is_alone(r)) {
            if (r->flight != NULL)
                wm_engine_finish(r->comm->end->engine, r->flight);
            wm_requests_end(r->comm);
        } else {
            wm_requests_advance(r->comm);
            if (!is_settled(r))
                wm_progress_idle();
        }
    }
}

void wm_requests_settle(struct wm_comm *c)
{
    while (c->queue != NULL) {
        wm_requests_advance(c);
        if (c->queue != NULL)
            wm_progress_idle();
    }
}

static bool is_any_in_flight(const struct wm_comm *c, bool persistent)
{
    const struct wm_request *r = c->in_flight;

    while (r != NULL && r->kind == WM_REQUEST_PERSISTENT && !persistent)
        r = r->next;
    return r != NULL;
}

void wm_requests_finish(struct wm_comm *c, bool persistent)
{
    wm_requests_settle(c);
    while (is_any_in_flight(c, persistent)) {
        wm_requests_advance(c);
        wm_progress_idle();
    }
}

static void await_numbers(struct wm_comm *c)
{
    while (!wm_requests_may_fly(c)) {
        wm_requests_advance(c);
        wm_progress_idle();
    }
}

static void finish_among_others(struct wm_comm *c, const struct wm_flight *flight)
{
    while (!wm_flight_over(flight)) {
        wm_requests_advance(c);
        if (!wm_flight_over(flight))
            wm_progress_idle();
    }
}

uint32_t wm_requests_number(struct wm_comm *c)
{
    await_numbers(c);
    return c->flights++ % WM_ORDINARY_FLIGHTS;
}

int wm_requests_fly_numbered(struct wm_comm *c, const struct wm_plan *plan, const struct wm_binding *binding)
{
    struct wm_flight *flight = wm_engine_start(c->end->engine, plan, binding);

    if (c->in_flight == NULL)
        wm_engine_finish(c->end->engine, flight);
    else
        finish_among_others(c, flight);
    return wm_engine_give(c->end->engine, flight);
}

int wm_requests_fly_plan(struct wm_comm *c, const struct wm_plan *plan, struct wm_binding *binding)
{
    binding->number = wm_requests_number(c);
    return wm_requests_fly_numbered(c, plan, binding);
}

static int fly_described(struct wm_comm *c, const struct wm_plan *plan, struct wm_described *d, bool checked)
{
    d->binding.checked = checked;
    d->binding.print = checked ? wm_verify_print(c) : 0;
    return wm_requests_fly_plan(c, plan, &d->binding);
}

int wm_requests_fly_own(struct wm_comm *c, const struct wm_call *call, bool checked)
{
    struct wm_described d;
    struct wm_plan *plan;
    int rc;

    if (!wm_describe(c, call, &d))
        WM_BUG("numbers are no numbers");
    plan = wm_own_plan(c, &d.plan_call);
    rc = fly_described(c, plan, &d, checked);
    wm_plan_free(plan);
    wm_described_release(&d);
    return rc;
}

/* One plan serves, whatever the operator. */
int wm_requests_combine(struct wm_comm *c, uint64_t *numbers, int count, MPI_Op op, bool checked)
{
    uint64_t all[WM_NUMBERS_MAX] = {0};
    const struct wm_call call = {.comm = c->user,
                                 .send = MPI_IN_PLACE,
                                 .receive = all,
                                 .receive_type = MPI_UINT64_T,
                                 .op = op,
                                 .operation = WM_ALLREDUCE,
                                 .receive_count = WM_NUMBERS_MAX};
    struct wm_described d;
    int rc;

    memcpy(all, numbers, (size_t)count * sizeof *numbers);
    if (!wm_describe(c, &call, &d))
        WM_BUG("numbers are no numbers");
    wm_process_lock(&c->kin->lock);
    if (c->kin->numbers_plan == NULL)
        c->kin->numbers_plan = wm_own_plan(c, &d.plan_call);
    wm_process_unlock(&c->kin->lock);
    rc = fly_described(c, c->kin->numbers_plan, &d, checked);
    wm_described_release(&d);
    memcpy(numbers, all, (size_t)count * sizeof *numbers);
    return rc;
}

int wm_requests_compare(struct wm_comm *c)
{
    static const struct wm_call call = {.operation = WM_BARRIER};
    struct wm_binding binding = {.geometry = wm_geometry_bytes(),
                                 .call = &call,
                                 .sequence = c->sequence,
                                 .checked = true,
                                 .print = wm_verify_print(c)};

    wm_process_lock(&c->kin->lock);
    if (c->kin->barrier_plan == NULL)
        c->kin->barrier_plan = wm_barrier_plan(c);
    wm_process_unlock(&c->kin->lock);
    return wm_requests_fly_plan(c, c->kin->barrier_plan, &binding);
}

void wm_requests_meet(struct wm_comm *c, uint32_t sequence)
{
    uint64_t turn = wm_meeting_turn(c);

    if (c->native_only)
        return;
    wm_join(c);
    if (c->native_only)
        return;
    if (turn >= c->tuning->next)
        await_numbers(c);
    while (!wm_meeting_over(c, turn, sequence)) {
        wm_requests_advance(c);
        wm_progress_idle();
    }
    wm_meeting_settle(c);
}

struct wm_path *wm_requests_ask(struct wm_comm *c, const struct wm_facts *facts)
{
    struct wm_question *question;
    struct wm_path *path;

    wm_requests_settle(c);
    if (c->tuning != NULL)
        wm_requests_meet(c, c->sequence);
    await_numbers(c);
    question = wm_question_begin(c, facts, c->flights, c->in_flight != NULL, 0);
    c->flights += 2;
    while ((path = wm_question_look(question)) == NULL) {
        wm_requests_advance(c);
        wm_progress_idle();
    }
    return path;
}
