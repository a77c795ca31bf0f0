/* A survey, and what a proof found, as JSON: times in nanoseconds. */
#include <string.h>
#include "tools/statement/show.h"

static json_t *names_json(const struct wm_bound_names *n)
{
    json_t *names = json_array();

    for (int i = 0; i < n->count; i++)
        json_array_append_new(names, json_pack("{ss sb sb sb si}", "name", n->names[i].name, "declared",
                                               n->names[i].declared, "known", n->names[i].known, "uniform",
                                               n->names[i].uniform, "dimensions", (int)n->bindings[i].dimensions));
    return names;
}

json_t *wm_spread_json(struct wm_spread *spread)
{
    json_int_t median = (json_int_t)wm_spread_at(spread, 50);

    return json_pack("{sI sI sI sI}", "least", (json_int_t)(spread->count > 0 ? spread->values[0] : 0), "median",
                     median, "most", (json_int_t)wm_spread_at(spread, 100), "all", (json_int_t)wm_spread_sum(spread));
}

static json_t *group_json(const struct wm_flow_group *group, bool asks)
{
    json_t *ranks = json_array(), *flows = json_array();

    for (int i = 0; i < group->rank_count; i++)
        json_array_append_new(ranks, json_integer(group->ranks[i]));
    for (size_t i = 0; i < group->flows.count; i++) {
        const struct wm_statement_flow *flow = &group->flows.list[i];

        json_array_append_new(flows,
                              json_pack("{si sI sI}", group->distances ? "distance" : "rank", flow->peer, "messages",
                                        (json_int_t)flow->messages, "bytes", (json_int_t)flow->bytes));
    }
    return json_pack("{so so}", "ranks", ranks, asks ? "receive_from" : "send_to", flows);
}

static json_t *messages_json(const struct wm_statement *s, const struct wm_statement_survey *survey)
{
    json_t *messages = json_array();

    for (size_t i = 0; i < survey->message_count; i++) {
        const struct wm_survey_message *m = &survey->messages[i];

        json_array_append_new(messages, json_pack("{si si si sI ss ss ss ss}", "source", m->source, "target", m->target,
                                                  "reduction", m->reduction, "bytes", (json_int_t)m->bytes, "operator",
                                                  wm_operator_text(s->reductions[m->reduction].combiner), "variables",
                                                  m->variables, "data", m->from, "storage", m->to));
    }
    return messages;
}

json_t *wm_survey_json(const struct wm_bound_names *names, const struct wm_statement *s,
                       struct wm_statement_survey *survey)
{
    static const char *const keys[] = {
#define X(name, key, text, bytes) key,
        WM_SURVEY_FIGURES(X)
#undef X
    };
    json_t *figures = json_object(), *groups = json_array();
    json_t *object;

    for (int i = 0; i < WM_SURVEY_FIGURE_COUNT; i++)
        json_object_set_new(figures, keys[i], wm_spread_json(&survey->figures[i]));
    for (size_t i = 0; i < survey->group_count; i++)
        json_array_append_new(groups, group_json(&survey->groups[i], survey->knowledge == WM_KNOWLEDGE_RECEIVER));
    object =
        json_pack("{ss si so ss ss so so so}", "statement", s->text, "ranks", survey->ranks, "names", names_json(names),
                  "knowledge", wm_knowledge_name(survey->knowledge), "found", wm_knowledge_name(survey->found),
                  "figures", figures, "planning_ns", wm_spread_json(&survey->planning_ns), "groups", groups);
    if (object != NULL && survey->rank >= 0) {
        json_object_set_new(object, "rank", json_integer(survey->rank));
        json_object_set_new(object, "rank_planning_ns", json_integer(survey->rank_planning_ns));
        json_object_set_new(object, "messages", messages_json(s, survey));
    }
    return object;
}

static json_t *counts_json(const struct wm_rank_counts *counts)
{
    json_t *list = json_array();

    for (int i = 0; i < counts->count; i++)
        json_array_append_new(list, json_integer(counts->list[i]));
    return list;
}

json_t *wm_statement_check_json(const struct wm_bound_names *names, const struct wm_statement *s,
                                const struct wm_statement_check *check)
{
    json_t *refuted = json_array(), *copied = json_array();

    for (int claim = 0; claim < WM_CLAIM_COUNT; claim++)
        if (check->refuted[claim].count > 0)
            json_array_append_new(refuted,
                                  json_pack("{ss so ss}", "claim", wm_claim_word((enum wm_claim)claim), "ranks",
                                            counts_json(&check->refuted[claim]), "sentence", check->first[claim].text));
    for (int i = 0; i < names->count; i++)
        if (check->last.copied[i].ranks > 0)
            json_array_append_new(copied, json_pack("{ss si si ss}", "name", names->names[i].name, "ranks",
                                                    check->last.copied[i].ranks, "first_rank",
                                                    check->last.copied[i].rank, "place", check->last.copied[i].place));
    return json_pack("{ss so so so so sI}", "statement", s->text, "names", names_json(names), "proven",
                     counts_json(&check->proven), "refuted", refuted, "copied", copied, "messages",
                     (json_int_t)check->messages);
}
