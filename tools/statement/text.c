/* A survey as text. */
#include <stdio.h>
#include <string.h>
#include "tools/statement/show.h"
#include "tools/text/units.h"

enum { LINES_MAX = 32, RANKS_CHARS = 40, DISTANCES_MAX = 6, WORDS_CHARS = 1024 };

static void append_name(const struct wm_bound_names *n, int i, char *out, size_t out_bytes)
{
    wm_text_append(out, out_bytes, "%s%s", out[0] != '\0' ? ", " : "", n->names[i].name);
    for (int d = 0; d < n->bindings[i].dimensions && n->names[i].declared; d++)
        wm_text_append(out, out_bytes, "[]");
}

void wm_names_declared(const struct wm_bound_names *n, char *out, size_t out_bytes)
{
    char places[WORDS_CHARS / 2] = "", operators[WORDS_CHARS / 2] = "";

    for (int i = 0; i < n->count; i++)
        if (n->names[i].declared) {
            bool is_operator = n->bindings[i].kind == WM_BOUND_FUNCTION;

            append_name(n, i, is_operator ? operators : places, WORDS_CHARS / 2);
        }
    snprintf(out, out_bytes, "%s%s%s%s%s", places, places[0] != '\0' ? ": doubles" : "",
             places[0] != '\0' && operators[0] != '\0' ? "; " : "", operators,
             operators[0] != '\0' ? ": operator" : "");
}

void wm_names_values(const struct wm_bound_names *n, char *out, size_t out_bytes)
{
    char alike[WORDS_CHARS / 2] = "", differing[WORDS_CHARS / 2] = "";

    for (int i = 0; i < n->count; i++)
        if (n->names[i].known)
            append_name(n, i, n->names[i].uniform ? alike : differing, WORDS_CHARS / 2);
    snprintf(out, out_bytes, "%s%s%s%s%s", alike, alike[0] != '\0' ? " alike at all ranks" : "",
             alike[0] != '\0' && differing[0] != '\0' ? "; " : "", differing,
             differing[0] != '\0' ? " not alike at all ranks" : "");
}

static const char *meaning(enum wm_knowledge knowledge)
{
    switch (knowledge) {
    case WM_KNOWLEDGE_GLOBAL:
        return "every rank can tell all messages";
    case WM_KNOWLEDGE_CORRESPONDING:
        return "both ends of a message can tell it";
    case WM_KNOWLEDGE_SENDER:
        return "receivers cannot tell what comes to them";
    default:
        return "senders cannot tell what they are to send, and are asked for it";
    }
}

static void print_head(const struct wm_terminal *t, const struct wm_bound_names *names, const struct wm_statement *s,
                       const struct wm_statement_survey *survey)
{
    char words[WORDS_CHARS];

    wm_terminal_wrap(t, "statement  ", s->text);
    wm_names_declared(names, words, sizeof words);
    if (words[0] != '\0') {
        wm_text_append(words, sizeof words, "; --let says otherwise");
        wm_terminal_wrap(t, "declared   ", words);
    }
    wm_names_values(names, words, sizeof words);
    if (words[0] != '\0')
        wm_terminal_wrap(t, "let        ", words);
    snprintf(words, sizeof words, "%s: %s", wm_knowledge_name(survey->knowledge), meaning(survey->knowledge));
    if (s->hint != WM_KNOWLEDGE_UNSAID && survey->found != WM_KNOWLEDGE_RECEIVER)
        wm_text_append(words, sizeof words, " (as the statement says; without a hint: %s)",
                       wm_knowledge_name(survey->found));
    wm_terminal_wrap(t, "knowledge  ", words);
}

/* ---- who sends to whom ---- */

static void distances_text(const struct wm_statement_flows *flows, char *out, size_t out_bytes)
{
    out[0] = '\0';
    for (size_t i = 0; i < flows->count && i < DISTANCES_MAX; i++) {
        int far = flows->list[i].peer;

        wm_text_append(out, out_bytes, i > 0 ? ", " : "");
        wm_text_append(out, out_bytes, far == 0 ? "me" : "me%+d", far);
    }
    if (flows->count > DISTANCES_MAX)
        wm_text_append(out, out_bytes, ", …");
}

static void peers_text(const struct wm_flow_group *group, char *out, size_t out_bytes)
{
    int ranges = 0;

    if (group->distances) {
        distances_text(&group->flows, out, out_bytes);
        return;
    }
    if (group->flows.count == 0) {
        snprintf(out, out_bytes, "nobody");
        return;
    }
    for (size_t i = 0, end; i < group->flows.count; i = end) {
        for (end = i + 1;
             end < group->flows.count && group->flows.list[end].peer == group->flows.list[end - 1].peer + 1;)
            end++;
        wm_text_append(out, out_bytes, "%s%d", i > 0 ? ", " : "", group->flows.list[i].peer);
        if (end - i > 1)
            wm_text_append(out, out_bytes, "-%d", group->flows.list[end - 1].peer);
        if (++ranges == DISTANCES_MAX && end < group->flows.count) {
            wm_text_append(out, out_bytes, ", … %d", group->flows.list[group->flows.count - 1].peer);
            return;
        }
    }
}

/* "8 B", or, where not all are alike, "8 B to 1 KiB". */
static void range_text(const struct wm_statement_flows *flows, bool bytes, char *out, size_t out_bytes)
{
    int64_t least = INT64_MAX, most = 0;

    for (size_t i = 0; i < flows->count; i++) {
        int64_t value = bytes ? flows->list[i].bytes : flows->list[i].messages;

        least = value < least ? value : least;
        most = value > most ? value : most;
    }
    if (flows->count == 0) {
        snprintf(out, out_bytes, "-");
        return;
    }
    snprintf(out, out_bytes, "%s", bytes ? wm_bytes_text((uint64_t)least).text : wm_count_text((uint64_t)least).text);
    if (most > least)
        wm_text_append(out, out_bytes, " to %s",
                       bytes ? wm_bytes_text((uint64_t)most).text : wm_count_text((uint64_t)most).text);
}

static void print_groups(const struct wm_terminal *t, const struct wm_statement_survey *survey)
{
    struct wm_table table;
    bool far = false;
    int left = 0;

    wm_table_init(&table, "llrrr");
    for (const char *const *title =
             (const char *const[]){"ranks", survey->knowledge == WM_KNOWLEDGE_RECEIVER ? "receive from" : "send to",
                                   "peers", "messages each", "bytes each", NULL};
         *title != NULL; title++)
        wm_table_cell(&table, "%s", *title);
    for (size_t i = 0; i < survey->group_count; i++) {
        const struct wm_flow_group *group = &survey->groups[i];
        char ranks[RANKS_CHARS], peers[128] = "", messages[64], bytes[64];

        if (i >= LINES_MAX) {
            left += group->rank_count;
            continue;
        }
        wm_ranks_text(group->ranks, group->rank_count, ranks, sizeof ranks);
        peers_text(group, peers, sizeof peers);
        range_text(&group->flows, false, messages, sizeof messages);
        range_text(&group->flows, true, bytes, sizeof bytes);
        wm_table_cell(&table, "%s", ranks);
        wm_table_cell(&table, "%s", peers);
        wm_table_cell(&table, "%zu", group->flows.count);
        wm_table_cell(&table, "%s", messages);
        wm_table_cell(&table, "%s", bytes);
        far |= group->distances;
    }
    fputc('\n', t->file);
    wm_table_print(&table, t);
    if (left > 0)
        fprintf(t->file, "  … and %s more; --rank shows one\n", wm_number_text((uint64_t)left, "rank").text);
    if (far)
        fprintf(t->file, "  me+1 counts modulo %d\n", survey->ranks);
}

/* ---- one rank ---- */

static void print_messages(const struct wm_terminal *t, const struct wm_statement *s,
                           const struct wm_statement_survey *survey, bool sent)
{
    struct wm_table table;
    size_t count = 0;

    wm_table_init(&table, "rlrl");
    for (const char *const *title =
             (const char *const[]){sent ? "to" : "from", "where", "bytes", sent ? "what" : "stored in", NULL};
         *title != NULL; title++)
        wm_table_cell(&table, "%s", *title);
    for (size_t i = 0; i < survey->message_count; i++) {
        const struct wm_survey_message *m = &survey->messages[i];
        const struct wm_reduction *r = &s->reductions[m->reduction];

        if ((sent ? m->source : m->target) != survey->rank)
            continue;
        wm_table_cell(&table, "%d", sent ? m->target : m->source);
        wm_table_cell(&table, "%s", m->variables);
        wm_table_cell(&table, "%s", wm_bytes_text((uint64_t)m->bytes).text);
        if (r->combiner == WM_OPERATOR_STORE)
            wm_table_cell(&table, "%s <<= %s", m->to, m->from[0] != '\0' ? m->from : "an expression");
        else
            wm_table_cell(&table, "%s << %s << %s", m->to,
                          r->combiner == WM_OPERATOR_BOUND ? "an operator" : wm_operator_text(r->combiner),
                          m->from[0] != '\0' ? m->from : "an expression");
        count++;
    }
    fprintf(t->file, "\nrank %d %s %s\n", survey->rank, sent ? "sends" : "receives",
            wm_number_text(count, "message").text);
    wm_table_print(&table, t);
}

/* ---- figures ---- */

void wm_figures_begin(struct wm_table *table, const char *title)
{
    const char *const titles[] = {title, "least", "median", "most", "all ranks"};

    wm_table_init(table, "lrrrr");
    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++)
        wm_table_cell(table, "%s", titles[i]);
}

void wm_figures_add(struct wm_table *table, const char *text, struct wm_spread *spread, enum wm_figure figure)
{
    int64_t median = wm_spread_at(spread, 50);
    int64_t values[] = {spread->count > 0 ? spread->values[0] : 0, median, wm_spread_at(spread, 100),
                        wm_spread_sum(spread)};

    wm_table_cell(table, "%s", text);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        wm_table_cell(table, "%s",
                      figure == WM_FIGURE_TIMES   ? wm_time_text(values[i]).text
                      : figure == WM_FIGURE_BYTES ? wm_bytes_text((uint64_t)values[i]).text
                                                  : wm_count_text((uint64_t)values[i]).text);
}

static void print_figures(const struct wm_terminal *t, struct wm_statement_survey *survey)
{
    static const struct {
        const char *text;
        bool bytes;
    } figures[] = {
#define X(name, key, text, bytes) {text, bytes},
        WM_SURVEY_FIGURES(X)
#undef X
    };
    struct wm_table table;

    wm_figures_begin(&table, "a rank");
    for (int i = 0; i < WM_SURVEY_FIGURE_COUNT; i++)
        wm_figures_add(&table, figures[i].text, &survey->figures[i],
                       figures[i].bytes ? WM_FIGURE_BYTES : WM_FIGURE_COUNTS);
    wm_figures_add(&table, "planning", &survey->planning_ns, WM_FIGURE_TIMES);
    fputc('\n', t->file);
    wm_table_print(&table, t);
    if (survey->rank >= 0)
        fprintf(t->file, "  planning took rank %d %s\n", survey->rank, wm_time_text(survey->rank_planning_ns).text);
}

void wm_survey_print(const struct wm_terminal *t, const struct wm_bound_names *names, const struct wm_statement *s,
                     struct wm_statement_survey *survey)
{
    print_head(t, names, s, survey);
    if (survey->rank >= 0) {
        print_messages(t, s, survey, true);
        print_messages(t, s, survey, false);
    } else {
        print_groups(t, survey);
    }
    print_figures(t, survey);
}
