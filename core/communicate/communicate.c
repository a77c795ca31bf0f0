/* Turns go through their states: what holds of the last one is used again, or found out anew. */
#include "waymark/communicate.h"

#include <stdlib.h>
#include <string.h>
#include "core/communicate/agree.h"
#include "core/communicate/check.h"
#include "core/communicate/collective.h"
#include "core/communicate/fly.h"
#include "core/communicate/patience.h"
#include "core/communicate/record.h"
#include "core/communicate/rule.h"
#include "core/communicate/team.h"
#include "core/data/allocate.h"
#include "core/message/far.h"
#include "core/node/progress_library.h"

/* List what this rank sends, and, where the other end may know, receives. */
static void list(const struct wm_turn *turn, bool believes)
{
    struct wm_deal *d = turn->deal;
    struct wm_error error = {0};

    wm_deal_clear(d);
    if (wm_traffic_new(&d->traffic, d->s, turn->bindings, turn->talk->rank, turn->talk->ranks, believes, &error) < 0)
        wm_deal_abort(d, &error);
}

/* What is sent and received is found out. */
static void settle(const struct wm_turn *turn)
{
    wm_deal_settle(turn->deal, turn->bindings);
    if (turn->deal->knowledge != WM_KNOWLEDGE_SENDER)
        wm_check_stores(turn);
}

/* ---- states ---- */

static void end(struct wm_turn *turn)
{
    turn->state = WM_TURN_OVER;
    if (turn->deal->traced)
        wm_turn_record_leave(turn);
}

static void travel(struct wm_turn *turn)
{
    struct wm_deal *d = turn->deal;
    bool alone = d->knowledge == WM_KNOWLEDGE_SENDER;

    turn->state = WM_TURN_TRAVELS;
    wm_team_call(turn);
    if (turn->talk->record != NULL)
        wm_rule_hold(turn);
    if (alone)
        wm_fly_pack(turn);
    if (d->traced)
        wm_turn_record_enter(turn, wm_rule_path(d->rule));
    if (d->conveyed && turn->blocking) {
        wm_fly_conveyor(turn);
        end(turn);
        return;
    }
    if (alone) {
        wm_fly_senders_begin(turn);
        return;
    }
    wm_deal_bind(turn->talk, d, turn->bindings, turn->blocking);
    if (turn->blocking && wm_deal_is_operation(d)) {
        if (d->blocks.call.comm != NULL)
            wm_fly_collective(d, turn->bindings);
        end(turn);
    } else {
        wm_fly_begin(turn);
    }
}

/* What the map says is known, if it has rules. */
static void depart(struct wm_turn *turn)
{
    if (turn->talk->record != NULL)
        wm_rule_apply(turn);
    settle(turn);
    travel(turn);
}

/* Who sends what to whom is found out, and who knows of it. */
static void know(struct wm_turn *turn)
{
    if (turn->talk->record == NULL) {
        depart(turn);
        return;
    }
    turn->state = WM_TURN_MEASURES;
    wm_rule_measure(turn);
}

/* List what this rank receives, which it alone knows, and ask for it. */
static void ask_for(struct wm_turn *turn)
{
    struct wm_deal *d = turn->deal;
    struct wm_error error = {0};

    wm_deal_clear(d);
    if (wm_traffic_new_requests(&d->traffic, d->s, turn->bindings, turn->talk->rank, turn->talk->ranks, &error) < 0)
        wm_deal_abort(d, &error);
    turn->state = WM_TURN_REQUESTS;
    if (turn->talk->record != NULL)
        wm_rule_hold(turn);
    wm_fly_requests_begin(turn);
}

static void find_out(struct wm_turn *turn)
{
    struct wm_deal *d = turn->deal;
    bool believes = d->s->hint != WM_KNOWLEDGE_SENDER;

    wm_team_leave(d);
    if (d->s->hint == WM_KNOWLEDGE_RECEIVER) {
        ask_for(turn);
        return;
    }
    if (believes || d->form->steady || turn->talk->record != NULL) {
        list(turn, believes);
    } else {
        wm_deal_clear(d);
        d->traffic = (struct wm_traffic){.s = d->s, .me = turn->talk->rank, .ranks = turn->talk->ranks};
    }
    if (believes) {
        turn->state = WM_TURN_AGREES;
        wm_agree_tell(turn);
        return;
    }
    d->knowledge = WM_KNOWLEDGE_SENDER;
    know(turn);
}

/* The turn begins with what ranks ask each other: it is the first one, or all ranks see that something changed. */
static bool asks_all(const struct wm_turn *turn)
{
    const struct wm_deal *d = turn->deal;

    if (!d->made || d->knowledge == WM_KNOWLEDGE_RECEIVER)
        return true;
    return turn->change == WM_CHOICE_CHANGED || (turn->change == WM_SIZES_CHANGED && d->learned);
}

/* What it depends on has changed: at all ranks, or in sizes alone, of which each rank has its own. What sizes
 * of blocks depend on is promised to be uniform: it changes at all of them. */
static void renew(struct wm_turn *turn)
{
    struct wm_deal *d = turn->deal;

    if (d->made && d->knowledge == WM_KNOWLEDGE_SENDER) {
        travel(turn);
        return;
    }
    if (asks_all(turn) || (d->collective.operation != WM_OPERATION_COUNT && turn->change != WM_UNCHANGED &&
                           wm_deal_uniform_changed(d, turn->bindings))) {
        find_out(turn);
        return;
    }
    if (d->learned && turn->change != WM_UNCHANGED) {
        wm_deal_check_fit(d, turn->bindings);
    } else if (turn->change != WM_UNCHANGED) {
        list(turn, true);
        settle(turn);
    }
    travel(turn);
}

static void begin(struct wm_turn *turn)
{
    struct wm_deal *d = turn->deal;

    turn->change = d->made ? wm_deal_changed(d, turn->bindings, turn->touched) : WM_CHOICE_CHANGED;
    if (turn->change != WM_UNCHANGED && d->made && !turn->touched)
        wm_deal_check_stable(d, turn->bindings);
    if (d->made && d->form->asks && d->knowledge < WM_KNOWLEDGE_SENDER) {
        turn->state = WM_TURN_ASKS;
        wm_agree_ask(turn);
    } else {
        renew(turn);
    }
}

/* Words are set when they are told. */
static void init(struct wm_turn *turn, struct wm_talk *t, struct wm_deal *d, struct wm_bound bindings[], bool blocking)
{
    turn->next = NULL;
    turn->talk = t;
    turn->deal = d;
    turn->bindings = bindings;
    wm_deal_name(d, bindings);
    turn->state = WM_TURN_WAITS;
    turn->blocking = blocking;
    turn->number = t->number += 2;
    turn->touched = wm_deal_is_touched(d, bindings);
    d->touched = wm_touches();
    turn->asked = MPI_REQUEST_NULL;
    turn->arrived = NULL;
    turn->barred = false;
    if (t->record != NULL)
        wm_turn_record_begin(turn);
}

/* What ranks ask each other is answered. */
static bool is_answered(struct wm_turn *turn)
{
    int answered;

    PMPI_Test(&turn->asked, &answered, MPI_STATUS_IGNORE);
    return answered != 0;
}

/* Go as far as it goes without waiting. True: it is over. */
static bool advance(struct wm_turn *turn)
{
    struct wm_deal *d = turn->deal;

    if (turn->state == WM_TURN_WAITS)
        begin(turn);
    if (turn->state == WM_TURN_ASKS && is_answered(turn)) {
        turn->change = turn->changed ? WM_CHOICE_CHANGED : turn->change;
        renew(turn);
    }
    if (turn->state == WM_TURN_AGREES && is_answered(turn)) {
        wm_agree_conclude(turn);
        know(turn);
    }
    if (turn->state == WM_TURN_REQUESTS && wm_fly_senders_take(turn)) {
        wm_fly_requests_end(turn);
        wm_deal_take_requests(d);
        know(turn);
    }
    if (turn->state == WM_TURN_MEASURES && is_answered(turn)) {
        turn->state = WM_TURN_RULES;
        if (!wm_rule_ask(turn))
            depart(turn);
    }
    if (turn->state == WM_TURN_RULES && is_answered(turn)) {
        wm_rule_take(turn);
        depart(turn);
    }
    if (turn->state != WM_TURN_TRAVELS)
        return turn->state == WM_TURN_OVER;
    if (d->knowledge == WM_KNOWLEDGE_SENDER) {
        if (!wm_fly_senders_take(turn))
            return false;
        wm_fly_senders_end(turn);
        wm_deal_learn(d, turn->bindings);
    } else {
        if (!wm_fly_is_complete(turn) && !(wm_endpoints_drain(turn->talk->group) && wm_fly_is_complete(turn)))
            return false;
        wm_fly_end(turn);
    }
    end(turn);
    return true;
}

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
    while (t->turns != NULL && advance(t->turns)) {
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

    init(turn, t, wm_deal_of(t, site, bindings, count), copy(bindings, count), false);
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
    init(&turn, t, wm_deal_of(t, site, bindings, count), bindings, true);
    while (!advance(&turn)) {
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
