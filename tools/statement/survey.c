/* All ranks' traffic, summed up. */
#include "tools/statement/survey.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/statement/agreement.h"
#include "tools/statement/flows.h"
#include "tools/statement/tell.h"
#include "core/vector.h"
#include "tracer/clock.h"

struct surveying {
    struct wm_statement_survey *survey;
    const struct wm_bound_names *names;
    const struct wm_statement *s;
    struct wm_flow_keys *keys;    /* of every rank */
    bool asks;                    /* receivers alone know of messages */
    int64_t *heard, *heard_bytes; /* by rank: of what others tell it */
    uint64_t words[WM_WORDS];     /* of all ranks so far */
    struct wm_error *error;
};

void wm_survey_place(const struct wm_bound *b, const struct wm_section *section, char *out, size_t out_bytes)
{
    wm_text_append(out, out_bytes, "%s", b->name);
    for (int d = 0; d < section->dimensions; d++) {
        size_t from = section->offset / section->strides[d] % b->extents[d];

        if (section->counts[d] == 1)
            wm_text_append(out, out_bytes, "[%zu]", from);
        else
            wm_text_append(out, out_bytes, "[%zu ... %zu]", from, from + section->counts[d]);
    }
}

/* Describe a message that `x` tells of; at its other end its place is where that rank has it. */
static int add_message(struct surveying *v, const struct wm_traffic *x, const struct wm_statement_part *part)
{
    struct wm_statement_survey *survey = v->survey;
    const struct wm_reduction *r = &v->s->reductions[part->reduction];
    const struct wm_bound *here = wm_names_bindings(v->names, x->me), *there = wm_names_bindings(v->names, part->peer);
    struct wm_frame f = {.s = v->s, .bindings = there, .me = part->peer, .ranks = x->ranks, .error = v->error};
    int far = v->asks ? r->data : r->storage, near = v->asks ? r->storage : r->data;
    struct wm_survey_message *m;
    char where[sizeof m->variables] = "";
    struct wm_section section;

    if (wm_vector_reserve(&survey->messages, &survey->message_capacity, survey->message_count + 1, sizeof *m) < 0)
        return wm_error_set(v->error, -WM_ENOMEM, "out of memory");
    m = &survey->messages[survey->message_count++];
    *m = (struct wm_survey_message){.source = v->asks ? part->peer : x->me,
                                    .target = v->asks ? x->me : part->peer,
                                    .reduction = part->reduction,
                                    .bytes = (int64_t)wm_part_bytes(x, part)};
    wm_frame_take_variables(&f, wm_told(x), part);
    wm_frame_append_variables(&f, UINT32_MAX, where, sizeof where);
    snprintf(m->variables, sizeof m->variables, "%s", where[0] != '\0' ? where + strlen(", where ") : "");
    if (v->s->terms[near].kind == WM_TERM_PLACE)
        wm_survey_place(&here[part->section.binding], &part->section, v->asks ? m->to : m->from, sizeof m->to);
    if (v->s->terms[far].kind != WM_TERM_PLACE)
        return 0;
    section = wm_evaluate_place(&f, far);
    if (f.rc != 0)
        return wm_names_fault(v->error, part->peer, x->ranks);
    wm_survey_place(&there[section.binding], &section, v->asks ? m->from : m->to, sizeof m->to);
    return 0;
}

/* Those between the rank asked for and another one, once. */
static int add_messages(struct surveying *v, const struct wm_traffic *x)
{
    const struct wm_parts *told = wm_told(x);
    int rank = v->survey->rank, rc = 0;

    for (size_t i = 0; i < told->count && rank >= 0 && rc == 0; i++)
        if (x->me == rank || told->parts[i].peer == rank)
            rc = add_message(v, x, &told->parts[i]);
    return rc;
}

static int add_figures(struct surveying *v, const struct wm_traffic *x, const struct wm_statement_flows *flows)
{
    struct wm_spread *figures = v->survey->figures;
    int64_t bytes = 0;
    int rc;

    for (size_t i = 0; i < flows->count; i++) {
        bytes += flows->list[i].bytes;
        v->heard[flows->list[i].peer] += flows->list[i].messages;
        v->heard_bytes[flows->list[i].peer] += flows->list[i].bytes;
    }
    if ((rc = wm_spread_add(&figures[v->asks ? WM_SURVEY_MESSAGES_RECEIVED : WM_SURVEY_MESSAGES_SENT],
                            (int64_t)wm_told(x)->count)) == 0 &&
        (rc = wm_spread_add(&figures[v->asks ? WM_SURVEY_BYTES_RECEIVED : WM_SURVEY_BYTES_SENT], bytes)) == 0)
        rc = wm_spread_add(&figures[WM_SURVEY_PEERS], (int64_t)flows->count);
    return rc == 0 ? 0 : wm_error_set(v->error, rc, "out of memory");
}

/* The rank tells its words. */
static void join(struct surveying *v, const struct wm_traffic *x)
{
    uint64_t words[WM_WORDS];

    wm_agreement_tell(words, x, wm_names_bindings(v->names, x->me));
    if (x->me == 0)
        memcpy(v->words, words, sizeof words);
    else
        wm_agreement_join(v->words, words);
}

static int survey_rank(struct surveying *v, int rank)
{
    struct wm_statement_survey *survey = v->survey;
    struct wm_traffic x;
    struct wm_statement_flows flows = {0};
    uint64_t begin = wm_clock_monotonic_ns();
    int rc = wm_tell(&x, v->names, v->s, rank, true, v->error);
    int64_t ns = (int64_t)(wm_clock_monotonic_ns() - begin);

    if (rc < 0)
        return wm_names_fault(v->error, rank, survey->ranks);
    if (rank == survey->rank)
        survey->rank_planning_ns = ns;
    join(v, &x);
    if (wm_flows_of(&flows, &x) < 0 || wm_spread_add(&survey->planning_ns, ns) < 0)
        rc = wm_error_set(v->error, -WM_ENOMEM, "out of memory");
    if (rc == 0 && (rc = add_figures(v, &x, &flows)) == 0 && (rc = add_messages(v, &x)) == 0)
        v->keys[rank] = wm_flows_keys(&flows, rank, survey->ranks);
    wm_flows_release(&flows);
    wm_traffic_release(&x);
    return rc;
}

static void conclude(struct surveying *v)
{
    struct wm_statement_survey *survey = v->survey;
    const struct wm_bound *bindings = v->names->bindings;
    struct wm_agreement a =
        wm_agreement_of(v->words, &(struct wm_traffic){.s = v->s, .ranks = survey->ranks}, bindings);

    survey->found = a.knowledge;
    if (v->asks)
        survey->found = wm_statement_is_global(v->s, bindings) ? WM_KNOWLEDGE_GLOBAL : WM_KNOWLEDGE_RECEIVER;
    survey->knowledge = v->s->hint != WM_KNOWLEDGE_UNSAID ? v->s->hint : survey->found;
    survey->collective = a.collective;
}

static int finish(struct surveying *v)
{
    struct wm_statement_survey *survey = v->survey;
    struct wm_spread *messages = &survey->figures[v->asks ? WM_SURVEY_MESSAGES_SENT : WM_SURVEY_MESSAGES_RECEIVED];
    struct wm_spread *bytes = &survey->figures[v->asks ? WM_SURVEY_BYTES_SENT : WM_SURVEY_BYTES_RECEIVED];
    int rc = 0;

    for (int rank = 0; rank < survey->ranks && rc == 0; rank++)
        if ((rc = wm_spread_add(messages, v->heard[rank])) == 0)
            rc = wm_spread_add(bytes, v->heard_bytes[rank]);
    conclude(v);
    return rc == 0 ? wm_flow_groups_make(survey, v->names, v->s, v->keys, v->error)
                   : wm_error_set(v->error, rc, "out of memory");
}

int wm_survey_init(struct wm_statement_survey *survey, const struct wm_bound_names *names,
                   const struct wm_statement *statement, int rank, struct wm_error *error)
{
    size_t ranks = (size_t)names->ranks;
    struct surveying v = {.survey = survey,
                          .names = names,
                          .s = statement,
                          .keys = calloc(ranks, sizeof *v.keys),
                          .asks = wm_teller(statement) == WM_RECEIVES,
                          .heard = calloc(ranks, sizeof *v.heard),
                          .heard_bytes = calloc(ranks, sizeof *v.heard_bytes),
                          .error = error};
    int rc = 0;

    *survey = (struct wm_statement_survey){.ranks = names->ranks, .rank = rank};
    if (v.keys == NULL || v.heard == NULL || v.heard_bytes == NULL)
        rc = wm_error_set(error, -WM_ENOMEM, "out of memory");
    for (int r = 0; r < names->ranks && rc == 0; r++)
        rc = survey_rank(&v, r);
    if (rc == 0)
        rc = finish(&v);
    free(v.keys);
    free(v.heard);
    free(v.heard_bytes);
    return rc;
}

void wm_survey_release(struct wm_statement_survey *survey)
{
    for (int i = 0; i < WM_SURVEY_FIGURE_COUNT; i++)
        wm_spread_release(&survey->figures[i]);
    wm_spread_release(&survey->planning_ns);
    for (size_t i = 0; i < survey->group_count; i++) {
        free(survey->groups[i].ranks);
        wm_flows_release(&survey->groups[i].flows);
    }
    free(survey->groups);
    free(survey->messages);
    *survey = (struct wm_statement_survey){0};
}
