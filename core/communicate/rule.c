/* Rules: asked for, applied, kept. */
#include "core/communicate/rule.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/call/ask.h"
#include "core/call/kin.h"
#include "core/call/over.h"
#include "core/call/ways.h"
#include "core/data/allocate.h"
#include "core/path/message_design.h"
#include "core/process/process.h"

enum { ANSWER_BYTES = 8192 };
enum { MOST_ITEMS, MOST_BYTES, MEASURES };

struct wm_rule {
    struct wm_facts facts; /* it was asked for */
    struct wm_path *path;  /* NULL: it was not, so far */
    struct wm_message_design design;
    struct wm_message_way ways[2]; /* as of struct wm_protocol */
    struct wm_message_delay delay; /* under which they are, if the map says so */
    char answer[ANSWER_BYTES];     /* of rank 0, as it comes; "": there is none */
};

struct wm_comm *wm_rules_record(MPI_Comm comm)
{
    return wm_comm_ruled(comm, WM_STATEMENT);
}

void wm_rule_measure(struct wm_turn *turn)
{
    const struct wm_traffic *x = &turn->deal->traffic;

    turn->mine[MOST_ITEMS] = x->sends.count;
    turn->mine[MOST_BYTES] = wm_parts_bytes(x, &x->sends);
    PMPI_Iallreduce(turn->mine, turn->all, MEASURES, MPI_UINT64_T, MPI_MAX, turn->talk->own, &turn->asked);
}

static struct wm_rule *rule_of(struct wm_deal *d)
{
    if (d->rule == NULL)
        d->rule = wm_allocate_zeroed(sizeof *d->rule, "a statement");
    return d->rule;
}

static struct wm_facts facts_of(const struct wm_turn *turn)
{
    const struct wm_deal *d = turn->deal;
    bool asked = d->s->hint == WM_KNOWLEDGE_RECEIVER;
    struct wm_facts facts = {.operation = WM_STATEMENT, .root = -1, .commutative = true};

    wm_comm_facts(turn->talk->record, &facts);
    facts.items = turn->all[MOST_ITEMS] < INT_MAX ? (int)turn->all[MOST_ITEMS] : INT_MAX;
    facts.bytes = turn->all[MOST_BYTES];
    snprintf(facts.statement, sizeof facts.statement, "%s", d->s->name);
    snprintf(facts.knowledge, sizeof facts.knowledge, "%s", wm_knowledge_name(asked ? d->s->hint : d->knowledge));
    return facts;
}

bool wm_rule_ask(struct wm_turn *turn)
{
    struct wm_rule *rule = rule_of(turn->deal);
    struct wm_facts facts = facts_of(turn);
    struct wm_error error = {0};
    uint64_t cost_ns;
    char *text;

    if (rule->path != NULL && strcmp(rule->facts.knowledge, facts.knowledge) == 0 && wm_path_serves(rule->path, &facts))
        return false;
    rule->facts = facts;
    if (turn->talk->rank == 0) {
        text = wm_ask_server(turn->talk->record, &facts, &cost_ns, &error);
        if (text == NULL)
            wm_process_unanswered(&error);
        if (text != NULL && strlen(text) >= sizeof rule->answer)
            WM_BUG("a statement's path is longer than any can be");
        snprintf(rule->answer, sizeof rule->answer, "%s", text != NULL ? text : "");
        free(text);
    }
    PMPI_Ibcast(rule->answer, sizeof rule->answer, MPI_CHAR, 0, turn->talk->own, &turn->asked);
    return true;
}

void wm_rule_take(struct wm_turn *turn)
{
    struct wm_rule *rule = turn->deal->rule;

    wm_path_free(rule->path);
    rule->path = wm_ask_parse(turn->talk->record, rule->answer[0] != '\0' ? rule->answer : NULL, &rule->facts);
    rule->design = wm_message_design_read(rule->path);
    if (rule->design.delay != NULL)
        rule->delay = (struct wm_message_delay){
            .uplink = wm_uplink_find(&rule->design.lag),
            .groups = wm_lag_groups(&rule->design.lag, &turn->talk->record->kin->ground->grid)};
    for (int near = 0; near < 2; near++)
        rule->ways[near] = wm_way_of(&rule->design, near, 0, rule->design.delay != NULL ? &rule->delay : NULL);
}

/* The map says so, and it cannot be. All ranks know. */
static _Noreturn void refuse(const struct wm_turn *turn, const char *sentence)
{
    const struct wm_rule *rule = turn->deal->rule;
    struct wm_error error = {0};

    wm_error_set(&error, -WM_EMAP, "%s at line %d of '%s' %s", rule->design.via_wrapper->class->name,
                 rule->design.via_wrapper->line, turn->talk->record->map->file, sentence);
    wm_deal_fail(turn->talk, turn->deal, &error);
}

void wm_rule_apply(struct wm_turn *turn)
{
    struct wm_deal *d = turn->deal;

    d->traced = d->rule->design.traced && wm_process.recordings != NULL;
    if (d->rule->design.via == WM_VIA_COLLECTIVE && d->collective.operation == WM_OPERATION_COUNT)
        refuse(turn, "wants a collective operation, and the statement is none; see waymark statement");
    if (d->rule->design.via == WM_VIA_CONVEYOR && d->s->hint == WM_KNOWLEDGE_RECEIVER)
        refuse(turn, "wants a conveyor, which carries what senders know of, and the statement says 'receiver'");
    if (d->rule->design.via >= WM_VIA_MESSAGES)
        d->collective.operation = WM_OPERATION_COUNT;
    d->conveyed = d->rule->design.via == WM_VIA_CONVEYOR;
}

void wm_rule_hold(const struct wm_turn *turn)
{
    const struct wm_rule *rule = turn->deal->rule;
    struct wm_protocol *mail = &turn->talk->mail.common;
    bool says = rule != NULL && wm_message_design_says(&rule->design);

    for (int near = 0; near < 2; near++)
        mail->ways[near] = says ? &rule->ways[near] : turn->talk->ways[near];
}

const struct wm_path *wm_rule_path(const struct wm_rule *rule)
{
    return rule->path;
}

void wm_rule_free(struct wm_rule *rule)
{
    if (rule != NULL)
        wm_path_free(rule->path);
    free(rule);
}
