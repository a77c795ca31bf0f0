/* From a statement's text to a time. */
#include "tools/predict/statement.h"

#include <limits.h>
#include <stdlib.h>
#include "tools/predict/exchange.h"
#include "tools/text/units.h"

/* A statement under a map. */
struct deciding {
    const struct wm_predict_statement *statement;
    const struct wm_site_map *map;
    const struct wm_site *site;
    const struct wm_map_question *question;
    const struct wm_profile *profile;
    struct wm_site_answer rule, near, far; /* of the statement; of messages as they go where that says nothing */
    struct wm_message_design own;          /* of the statement's rule */
    struct wm_message_design designs[2];   /* of messages to far and to near peers */
    struct wm_statement_survey survey;     /* the statement's, but for what the map rules out */
    struct wm_statement_plan plan;
    struct wm_statement_loads *loads; /* by rank */
};

/* ---- the statement ---- */

int wm_predict_statement_init(struct wm_predict_statement *w, const struct wm_said *said, const char *text, int ranks,
                              struct wm_error *error)
{
    int64_t items;
    int rc;

    *w = (struct wm_predict_statement){0};
    if (ranks > WM_STATEMENT_RANKS_MAX)
        return wm_error_set(error, -WM_EINVAL, "statements are evaluated for up to %d ranks; ask about fewer than %d",
                            WM_STATEMENT_RANKS_MAX, ranks);
    if ((rc = wm_said_names(&w->names, said, text, ranks, error)) < 0 ||
        (rc = wm_names_compile(&w->names, text, &w->s, error)) < 0 ||
        (rc = wm_survey_init(&w->survey, &w->names, w->s, -1, error)) < 0)
        return rc;
    items = wm_spread_at(&w->survey.figures[WM_SURVEY_MESSAGES_SENT], 100);
    w->items = items < INT_MAX ? (int)items : INT_MAX;
    w->bytes = (uint64_t)wm_spread_at(&w->survey.figures[WM_SURVEY_BYTES_SENT], 100);
    return 0;
}

void wm_predict_statement_release(struct wm_predict_statement *w)
{
    wm_survey_release(&w->survey);
    wm_statement_free(w->s);
    wm_names_release(&w->names);
}

/* ---- what the map says ---- */

static int ask_messages(const struct deciding *d, struct wm_site_answer *answer, bool near, struct wm_error *error)
{
    struct wm_map_question question = *d->question;
    struct wm_facts facts;
    int rc;

    question.facts.operation = WM_MESSAGES;
    question.facts.bytes = d->statement->bytes;
    question.facts.near = near;
    snprintf(question.facts.protocol, sizeof question.facts.protocol, "statements");
    if ((rc = wm_scene_facts(&question, d->site, &facts, error)) < 0)
        return rc;
    return wm_site_ask(d->map, d->site, &facts, false, answer, error);
}

/* As core/communicate/rule.c asks; what it says of messages holds, or the rules of messages do. */
static int ask(struct deciding *d, struct wm_error *error)
{
    struct wm_map_question question = *d->question;
    struct wm_facts facts;
    int rc;

    question.facts.operation = WM_STATEMENT;
    question.facts.bytes = d->statement->bytes;
    question.facts.items = d->statement->items;
    snprintf(question.facts.statement, sizeof question.facts.statement, "%s", d->statement->s->name);
    snprintf(question.facts.knowledge, sizeof question.facts.knowledge, "%s", wm_knowledge_name(d->survey.knowledge));
    if ((rc = wm_scene_facts(&question, d->site, &facts, error)) < 0 ||
        (rc = wm_site_ask(d->map, d->site, &facts, false, &d->rule, error)) < 0 ||
        (rc = ask_messages(d, &d->near, true, error)) < 0 || (rc = ask_messages(d, &d->far, false, error)) < 0)
        return rc;
    d->own = wm_message_design_read(d->rule.path);
    d->designs[false] = wm_message_design_says(&d->own) ? d->own : wm_message_design_read(d->far.path);
    d->designs[true] = wm_message_design_says(&d->own) ? d->own : wm_message_design_read(d->near.path);
    return 0;
}

/* How it goes: the plan is the one that the rule leaves. */
static int decide(struct deciding *d, struct wm_error *error)
{
    enum wm_operation *operation = &d->survey.collective.operation;

    if (d->own.via == WM_VIA_COLLECTIVE && *operation == WM_OPERATION_COUNT)
        return wm_error_set(error, -WM_EMAP,
                            "the rule at line %d wants a collective operation, and the statement is none; see waymark "
                            "statement",
                            d->rule.path->rule_line);
    if (d->own.via == WM_VIA_CONVEYOR)
        return wm_error_set(error, -WM_EINVAL,
                            "by the rule at line %d the statement goes by a conveyor, in items of various sizes, which "
                            "is not predicted; trace a run of it, and 'waymark report' says what it took",
                            d->rule.path->rule_line);
    if (d->own.via == WM_VIA_MESSAGES || d->survey.collective.team)
        *operation = WM_OPERATION_COUNT;
    d->loads = calloc((size_t)d->site->ranks, sizeof *d->loads);
    if (d->loads == NULL)
        return wm_error_set(error, -WM_ENOMEM, "no memory for the messages of %d ranks", d->site->ranks);
    return wm_statement_plan_init(&d->plan, &d->statement->names, d->statement->s, &d->survey, d->loads, error);
}

/* ---- a collective operation ---- */

/* What some rank copies most, before the operation or behind it. */
static int64_t most_copied(const struct deciding *d, bool received)
{
    int64_t most = 0;

    for (int rank = 0; rank < d->site->ranks; rank++)
        for (size_t i = 0; i < d->loads[rank].count; i++)
            if (d->loads[rank].list[i].received == received && d->loads[rank].list[i].bytes > most)
                most = d->loads[rank].list[i].bytes;
    return most;
}

/* A copy more. What half of the first part takes is known where that is still the first, and no part of copies. */
static void add_copy(struct wm_prediction *p, int64_t time)
{
    const struct wm_blame_part *first = p->blame.parts;
    bool known = p->halved > 0 && first->section != WM_PROFILE_KERNEL;

    wm_blame_add(&p->blame, WM_PROFILE_KERNEL, WM_KERNEL_BYTE, time);
    p->time += time;
    p->halved = known && first->section != WM_PROFILE_KERNEL ? p->halved + time : 0;
}

/* Before the operation and behind it, as if the rank that copies most were the one that all wait for. */
static int add_copies(struct wm_prediction *p, const struct deciding *d, struct wm_error *error)
{
    struct wm_model model;
    int rc = wm_model_init(&model, d->profile, &d->site->grid);

    for (int received = 0; rc == 0 && received < 2; received++) {
        int64_t bytes = most_copied(d, received);

        if (bytes > 0)
            add_copy(p, wm_model_kernel(&model, false, (uint64_t)bytes));
    }
    wm_model_release(&model);
    return rc < 0 ? wm_error_set(error, rc, "no memory for the model") : 0;
}

static int predict_collective(struct wm_prediction *p, const struct deciding *d, bool halve, struct wm_error *error)
{
    const struct wm_collective *c = &d->survey.collective;
    struct wm_map_question question = *d->question;
    int rc;

    question.facts.operation = c->operation;
    question.facts.root = c->root;
    question.facts.bytes = c->block * d->statement->s->reductions[0].element_bytes;
    rc = wm_predict(p, d->map, d->site, &question, d->profile, halve, error);
    if (rc == 0 && !p->native)
        rc = add_copies(p, d, error);
    wm_statement_collective_text(d->statement->s, c, p->way, sizeof p->way);
    return rc;
}

/* ---- messages ---- */

static int make_plans(struct wm_plan **plans, const struct deciding *d, struct wm_error *error)
{
    struct wm_sim_exchange exchange = {.grid = &d->site->grid,
                                       .loads = d->loads,
                                       .designs = {&d->designs[false], &d->designs[true]},
                                       .taken = d->plan.again.way == WM_STATEMENT_NBX};
    size_t weight = 0, room = wm_proof_room();
    int rc = 0;

    for (int rank = 0; rc == 0 && rank < d->site->ranks; rank++) {
        if (wm_exchange_plan(&plans[rank], &exchange, rank) < 0)
            return wm_error_set(error, -WM_ENOMEM, "no memory for the messages of %d ranks", d->site->ranks);
        rc = wm_proof_weigh(&weight, plans[rank], d->site->ranks, room, error);
    }
    return rc;
}

/* No profile has tested such messages: what it says of those of plans stands in. */
static int predict_messages(struct wm_prediction *p, struct deciding *d, bool halve, struct wm_error *error)
{
    struct wm_predict_call w = {0};
    struct wm_plan **plans;
    int rc;

    if (d->plan.again.way == WM_STATEMENT_REQUESTS || !d->plan.counted)
        return wm_error_set(error, -WM_EINVAL,
                            d->plan.counted ? "requests of receivers are not predicted; promises (WM_STABLE, "
                                              "WM_UNIFORM) make calls that come again go without them"
                                            : "the hint does not hold, or there are too many messages; see waymark "
                                              "statement");
    if (d->designs[false].delay != NULL || d->designs[true].delay != NULL)
        return wm_error_set(error, -WM_EINVAL,
                            "messages of statements that 'delay' holds are not predicted; take it out of the map");
    plans = calloc((size_t)d->site->ranks, sizeof *plans);
    if (plans == NULL)
        return wm_error_set(error, -WM_ENOMEM, "no memory for the plans of %d ranks", d->site->ranks);
    rc = make_plans(plans, d, error);
    if (rc < 0) {
        for (int rank = 0; rank < d->site->ranks; rank++)
            wm_plan_free(plans[rank]);
        free(plans);
        return rc;
    }
    rc = wm_predict_call_take(&w, d->site, &d->rule, plans, d->profile, error);
    d->rule = (struct wm_site_answer){0};
    if (rc == 0)
        rc = wm_predict_time(p, &w, halve, error);
    p->stamp = wm_stamp_of(d->profile, d->site->ranks, false);
    wm_predict_call_release(&w);
    snprintf(p->way, sizeof p->way, "%s", wm_statement_way_text(d->plan.again.way));
    return rc;
}

/* ---- either ---- */

static void tell_rest(struct wm_prediction *p, const struct deciding *d)
{
    if (d->statement->survey.collective.team && d->own.via != WM_VIA_MESSAGES)
        wm_text_append(p->way, sizeof p->way,
                       "; where the map has rules for it, it is %s among teams of ranks when it has come some times",
                       wm_operation_name(d->statement->survey.collective.operation));
    wm_text_append(p->way, sizeof p->way, ". Not in the time: what ranks agree on before the first call%s",
                   d->plan.again.allreduces > 0
                       ? ", and before each the library's allreduce that asks whether names changed that nothing "
                         "promises"
                       : "");
}

static void release(struct deciding *d)
{
    for (int rank = 0; d->loads != NULL && rank < d->site->ranks; rank++)
        free(d->loads[rank].list);
    free(d->loads);
    wm_statement_plan_release(&d->plan);
    wm_site_answer_release(&d->rule);
    wm_site_answer_release(&d->near);
    wm_site_answer_release(&d->far);
}

int wm_predict_statement(struct wm_prediction *p, const struct wm_predict_statement *statement,
                         const struct wm_site_map *map, const struct wm_site *site,
                         const struct wm_map_question *question, const struct wm_profile *profile, bool halve,
                         struct wm_error *error)
{
    struct deciding d = {.statement = statement,
                         .map = map,
                         .site = site,
                         .question = question,
                         .profile = profile,
                         .survey = statement->survey};
    int rc;

    *p = (struct wm_prediction){0};
    if ((rc = ask(&d, error)) == 0 && (rc = decide(&d, error)) == 0) {
        rc = d.plan.again.way == WM_STATEMENT_COLLECTIVE ? predict_collective(p, &d, halve, error)
                                                         : predict_messages(p, &d, halve, error);
        tell_rest(p, &d);
    }
    release(&d);
    return rc < 0 ? wm_site_map_place(map, error) : 0;
}
