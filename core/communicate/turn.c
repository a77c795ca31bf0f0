/* Turns go through their states: what holds of the last one is used again, or found out anew. */
#include "core/communicate/turn.h"

#include "core/communicate/agree.h"
#include "core/communicate/check.h"
#include "core/communicate/collective.h"
#include "core/communicate/fly.h"
#include "core/communicate/record.h"
#include "core/communicate/rule.h"
#include "core/communicate/team.h"
#include "core/message/far.h"

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

void wm_turn_init(struct wm_turn *turn, struct wm_talk *t, struct wm_deal *d, struct wm_bound bindings[], bool blocking)
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

bool wm_turn_advance(struct wm_turn *turn)
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
