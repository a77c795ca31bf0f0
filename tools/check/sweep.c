/* waymark check: every rule of a map, for all kinds of calls. */
#include "tools/check/check.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/path/message_design.h"
#include "core/statement/statement.h"
#include "core/vector.h"

enum { QUESTIONS_MAX = 32, RACE_STEPS_MAX = 8192, LOCAL_BYTES = 12, KINDS = 8, SIZES = 3 };

static const uint64_t open_end_bytes = 64 << 10;        /* at least so large a call stands for all larger ones */
static const uint64_t end_of_sizes = (uint64_t)1 << 40; /* a range that ends behind it has no end */
static const uint64_t end_of_single_sizes = 1 << 20; /* where sizes are answered one by one, each is a call to prove */

struct sweep {
    const struct wm_check_plan *plan;
    const struct wm_site_map *map;
    const struct wm_site *site;
    struct wm_check_result *result;
    void (*progress)(const struct wm_site *, enum wm_operation, size_t);
    struct wm_error *error;
    int root;
    bool commutative;
    uint64_t load; /* of a conveyor; of a statement its items */
    bool near;     /* of messages, as the net */
    struct wm_message_net net;
    const char *knowledge; /* of a statement */
    int trial_count;
    struct wm_check_trial trials[SIZES * KINDS]; /* of one path */
};

enum wm_check_outcome wm_check_call(struct wm_check_figures *figures, const struct wm_site *site,
                                    const struct wm_path *path, const struct wm_scenario *scenario, int orders,
                                    size_t bytes_max)
{
    static const enum wm_check_outcome outcomes[] = {[WM_PROVEN] = WM_CHECK_PROVEN,
                                                     [WM_REFUSED] = WM_CHECK_REFUSED,
                                                     [WM_REFUTED] = WM_CHECK_REFUTED,
                                                     [WM_TOO_LARGE] = WM_CHECK_TOO_LARGE};
    struct wm_prove_options options = {
        .random_orders = orders, .seed = 1, .race_steps_max = RACE_STEPS_MAX, .bytes_max = bytes_max};
    enum wm_check_outcome outcome;

    *figures = (struct wm_check_figures){0};
    if (scenario->operation == WM_CONVEYOR)
        return wm_check_conveyor(figures, site, path);
    outcome = outcomes[wm_prove(&figures->plans, path, &site->grid, scenario, &options)];
    figures->error = figures->plans.error;
    return outcome;
}

struct wm_facts wm_check_facts(const struct wm_site *site, enum wm_operation operation, uint64_t bytes, uint64_t load,
                               int root, bool commutative)
{
    struct wm_facts facts = site->facts;

    facts.operation = operation;
    facts.bytes = bytes;
    facts.load = operation == WM_CONVEYOR ? load : 0;
    facts.items = operation == WM_STATEMENT && load < INT_MAX ? (int)load : 0;
    facts.root = wm_operation_rooted(operation) ? root : -1;
    facts.commutative = commutative;
    return facts;
}

/* "bcast node binomial > bcast core flat" */
static void describe_path(const struct wm_check_row *row, const struct wm_path *path, const struct wm_grid *grid,
                          char *out, size_t out_bytes)
{
    bool designed = wm_operation_data(row->operation) == WM_DATA_MESSAGES;
    const char *none = designed ? "(no rule)" : "(no rule: native)";
    size_t used = 0;

    snprintf(out, out_bytes, "%s", path == NULL ? none : "");
    for (int i = 0; path != NULL && i < path->wrapper_count && used < out_bytes; i++) {
        char arguments[96];

        wm_wrapper_describe(&path->wrappers[i], grid, arguments, sizeof arguments);
        used += (size_t)snprintf(out + used, out_bytes - used, "%s(%s%s%s)", i > 0 ? " " : "",
                                 path->wrappers[i].class->name, arguments[0] != '\0' ? " " : "", arguments);
    }
}

static struct wm_check_row *find_row(struct sweep *s, enum wm_operation operation, const struct wm_path *path,
                                     uint64_t low, uint64_t high)
{
    struct wm_check_result *result = s->result;
    int line = path != NULL ? path->rule_line : 0;
    struct wm_check_row *row;

    for (int i = 0; i < result->row_count; i++) {
        row = &result->rows[i];
        if (row->operation == operation && row->rule_line == line && row->bytes_low == low && row->bytes_high == high)
            return row;
    }
    if (result->row_count == result->row_room) {
        int room = result->row_room > 0 ? 2 * result->row_room : 32;
        struct wm_check_row *grown = realloc(result->rows, sizeof *grown * (size_t)room);

        if (grown == NULL)
            return NULL;
        result->rows = grown;
        result->row_room = room;
    }
    row = &result->rows[result->row_count++];
    *row = (struct wm_check_row){
        .operation = operation, .rule_line = line, .bytes_low = low, .bytes_high = high, .unit_bytes = 1};
    describe_path(row, path, &s->site->grid, row->path, sizeof row->path);
    return row;
}

static void record_failure(struct sweep *s, struct wm_check_row *row, const struct wm_scenario *scenario,
                           enum wm_check_outcome outcome, const struct wm_error *error)
{
    s->result->failures++;
    if (row->failures++ > 0)
        return;
    row->first = (struct wm_check_failure){.outcome = outcome, .load = s->load, .scenario = *scenario, .error = *error};
    row->first.topology = scenario->topology == NULL ? -1 : (int)(scenario->topology - s->site->topologies);
    row->first.scenario.topology = NULL;
    snprintf(row->first.machine, sizeof row->first.machine, "%s", s->site->machine);
    wm_site_map_place(s->map, &row->first.error);
}

/* Messages have no plans: their net must reach the peers. Those of a statement go to all of them, one to each. */
static enum wm_check_outcome check_messages(struct sweep *s, const struct wm_path *path, struct wm_error *error)
{
    if (path->operation == WM_STATEMENT) {
        s->near = s->site->facts.nodes == 1;
        s->net = (struct wm_message_net){0};
    }
    return wm_message_design_check(path, s->near, &s->net, error) < 0 ? WM_CHECK_REFUSED : WM_CHECK_PROVEN;
}

static void note_symmetry(struct sweep *s, struct wm_check_row *row, const struct wm_proof *proof)
{
    if (proof->representatives == 0)
        return;
    s->result->symmetric++;
    row->symmetric++;
    row->apart = row->apart || proof->apart;
    row->symmetry = *proof;
    snprintf(row->symmetric_machine, sizeof row->symmetric_machine, "%s", s->site->machine);
}

static void note_period(struct sweep *s, struct wm_check_row *row, int period)
{
    if (period == 0)
        return;
    row->repeating++;
    row->period = period;
    snprintf(row->repeating_machine, sizeof row->repeating_machine, "%s", s->site->machine);
}

static void record_trial(struct sweep *s, struct wm_check_row *row, const struct wm_check_trial *trial)
{
    const struct wm_scenario *scenario = &trial->scenario;
    const struct wm_check_figures *figures = &trial->figures;

    row->calls++;
    s->result->calls++;
    if (trial->outcome != WM_CHECK_PROVEN) {
        record_failure(s, row, scenario, trial->outcome, &figures->error);
        return;
    }
    note_symmetry(s, row, &figures->plans);
    note_period(s, row, figures->plans.period);
    if (s->site->ranks > row->ranks ||
        (s->site->ranks == row->ranks &&
         figures->plans.rank_units * scenario->unit_bytes >= row->figures.plans.rank_units * row->unit_bytes)) {
        row->ranks = s->site->ranks;
        row->unit_bytes = scenario->operation == WM_BARRIER ? 0 : scenario->unit_bytes;
        row->figures = *figures;
    }
}

static void check_trials(struct sweep *s, const struct wm_path *path, struct wm_check_row *row)
{
    s->progress(s->site, path->operation, s->result->calls);
    if (wm_operation_data(path->operation) == WM_DATA_MESSAGES)
        for (int i = 0; i < s->trial_count; i++)
            s->trials[i].outcome = check_messages(s, path, &s->trials[i].figures.error);
    else
        wm_check_calls(s->trials, s->trial_count, s->site, path, s->plan->orders);
    for (int i = 0; i < s->trial_count; i++)
        record_trial(s, row, &s->trials[i]);
    s->trial_count = 0;
}

/* A call of the size in all its kinds. */
static void add_size(struct sweep *s, enum wm_operation operation, uint64_t bytes)
{
    bool edges = wm_operation_data(operation) == WM_DATA_EDGES;

    for (int kind = 0; kind < KINDS; kind++) {
        struct wm_scenario scenario = wm_scenario_of(operation, bytes);

        if ((kind & 1 && !wm_operation_in_place(operation)) || (kind & 2 && !wm_operation_takes_vectors(operation)) ||
            (kind & 4 && !edges))
            continue;
        scenario.root = s->root;
        scenario.commutative = s->commutative;
        scenario.in_place = kind & 1;
        scenario.uneven = scenario.scattered = kind & 2;
        scenario.topology = edges ? &s->site->topologies[kind >> 2] : NULL;
        s->trials[s->trial_count++] = (struct wm_check_trial){.scenario = scenario};
    }
}

/* … and of those that stand for its range. */
static void add_sizes(struct sweep *s, enum wm_operation operation, uint64_t bytes, uint64_t high)
{
    if (!wm_operation_bytes_shared(operation) && s->plan->sizes.count == 0) {
        add_size(s, operation, LOCAL_BYTES);
        return;
    }
    add_size(s, operation, bytes);
    if (s->plan->sizes.count > 0 || high == bytes || operation == WM_BARRIER ||
        operation >= (enum wm_operation)WM_COLLECTIVE_COUNT)
        return; /* no message of a barrier has bytes, and neither routes nor nets depend on them */
    if (bytes < 8 && high > 8)
        add_size(s, operation, 8);
    if (high > end_of_sizes)
        high = 2 * bytes > open_end_bytes ? 2 * bytes : open_end_bytes;
    add_size(s, operation, high);
}

static void check_path(struct sweep *s, enum wm_operation operation, uint64_t bytes,
                       const struct wm_site_answer *answer)
{
    const struct wm_path *path = answer->has_rule ? answer->path : NULL;
    uint64_t low = s->plan->sizes.count > 0                           ? bytes
                   : path != NULL && path->validity.bytes.low < bytes ? path->validity.bytes.low
                                                                      : bytes;
    uint64_t high = s->plan->sizes.count > 0 ? bytes : answer->validity.bytes.high;
    struct wm_check_row *row = find_row(s, operation, path, low, high);

    if (row == NULL || ((path == NULL || path->native) && wm_operation_data(operation) != WM_DATA_MESSAGES))
        return;
    add_sizes(s, operation, bytes, high);
    check_trials(s, answer->path, row);
}

/* The next number to ask for behind a range; those that are answered one by one in doubling steps. */
static uint64_t next_after(uint64_t asked, uint64_t high)
{
    return high == asked && high > 0 ? 2 * high : high + 1;
}

/* The rule of this line, new if need be; NULL: no memory. */
static struct wm_check_rule *find_rule(struct wm_check_result *result, enum wm_operation operation, int line)
{
    for (size_t i = 0; i < result->rule_count; i++)
        if (result->rules[i].operation == operation && result->rules[i].line == line)
            return &result->rules[i];
    if (wm_vector_reserve(&result->rules, &result->rule_room, result->rule_count + 1, sizeof *result->rules) < 0)
        return NULL;
    result->rules[result->rule_count] = (struct wm_check_rule){.operation = operation, .line = line};
    return &result->rules[result->rule_count++];
}

/* Which rules were tried for an answer, and which one held. */
static void note_rules(struct wm_check_result *result, enum wm_operation operation, const json_t *answer)
{
    const json_t *explanation = json_object_get(answer, "explanation"), *entry;
    int untried = (int)json_integer_value(json_object_get(explanation, "untried"));
    size_t i;

    json_array_foreach (json_object_get(explanation, "rules"), i, entry) {
        struct wm_check_rule *rule =
            find_rule(result, operation, (int)json_integer_value(json_object_get(entry, "line")));

        if (rule != NULL)
            rule->held |= json_is_true(json_object_get(entry, "holds"));
    }
    if (untried < result->untried[operation])
        result->untried[operation] = untried;
}

/* One size, with all loads of a conveyor, or numbers of items of a statement. *high: the size up to which all these
 * answers hold. */
static int ask_at(struct sweep *s, enum wm_operation operation, uint64_t bytes, uint64_t *high)
{
    uint64_t load_high = 0;
    int rc = 0;

    s->load = 0;
    *high = UINT64_MAX;
    for (int i = 0; rc == 0 && i < QUESTIONS_MAX && load_high < end_of_sizes; i++) {
        struct wm_facts facts = wm_check_facts(s->site, operation, bytes, s->load, s->root, s->commutative);
        struct wm_site_answer answer;

        facts.near = s->near && operation == WM_MESSAGES;
        snprintf(facts.knowledge, sizeof facts.knowledge, "%s", operation == WM_STATEMENT ? s->knowledge : "");
        rc = wm_site_ask(s->map, s->site, &facts, true, &answer, s->error);
        if (rc == 0 && s->plan->sizes.count == 0)
            note_rules(s->result, operation, answer.json);
        if (rc == 0)
            check_path(s, operation, bytes, &answer);
        load_high = operation == WM_STATEMENT ? answer.validity.items.high : answer.validity.load.high;
        *high = answer.validity.bytes.high < *high ? answer.validity.bytes.high : *high;
        s->load = next_after(s->load, load_high);
        wm_site_answer_release(&answer);
    }
    return rc;
}

/* The sizes named, or range by range. */
static int check_sizes(struct sweep *s, enum wm_operation operation)
{
    uint64_t bytes = 0, high = 0;
    int rc = 0;

    s->net = (struct wm_message_net){0};
    for (int i = 0; rc == 0 && i < s->plan->sizes.count; i++)
        rc = ask_at(s, operation, s->plan->sizes.bytes[i], &high);
    for (int i = 0; rc == 0 && s->plan->sizes.count == 0 && i < QUESTIONS_MAX; i++) {
        rc = ask_at(s, operation, bytes, &high);
        if (high >= end_of_sizes || operation == WM_BARRIER || (high == bytes && bytes >= end_of_single_sizes))
            break;
        bytes = next_after(bytes, high);
    }
    return rc;
}

/* To near peers, and to others where there are some. */
static int check_peers(struct sweep *s)
{
    int rc;

    s->root = -1;
    s->commutative = true;
    s->near = true;
    rc = check_sizes(s, WM_MESSAGES);
    s->near = false;
    return rc == 0 && s->site->facts.nodes > 1 ? check_sizes(s, WM_MESSAGES) : rc;
}

/* Known to all ranks, to both ends, to one. */
static int check_statements(struct sweep *s)
{
    int rc = 0;

    s->root = -1;
    s->commutative = true;
    for (int k = WM_KNOWLEDGE_GLOBAL; rc == 0 && k <= WM_KNOWLEDGE_RECEIVER; k++) {
        s->knowledge = wm_knowledge_name((enum wm_knowledge)k);
        rc = check_sizes(s, WM_STATEMENT);
    }
    return rc;
}

/* Roots, and operators that commute or not. */
static int check_calls(struct sweep *s, enum wm_operation operation)
{
    bool rooted = wm_operation_rooted(operation), combines = wm_operation_combines(operation);
    int last = rooted && s->plan->root < 0 ? s->site->ranks - 1 : s->plan->root, rc = 0;

    for (int commutes = 1; rc == 0 && commutes >= (combines && operation != WM_BARRIER ? 0 : 1); commutes--) {
        s->commutative = commutes;
        s->root = rooted ? (s->plan->root < 0 ? 0 : s->plan->root) : -1;
        rc = check_sizes(s, operation);
        if (rc == 0 && rooted && last > s->root) {
            s->root = last;
            rc = check_sizes(s, operation);
        }
    }
    return rc;
}

static int check_operations(struct sweep *s)
{
    uint32_t operations = s->plan->operations & wm_map_get_head(s->map->map)->operations;
    int rc = 0;

    for (int operation = 0; rc == 0 && operation < WM_OPERATION_COUNT; operation++)
        if (operations & WM_OPERATION_BIT(operation))
            rc = operation == WM_MESSAGES    ? check_peers(s)
                 : operation == WM_STATEMENT ? check_statements(s)
                                             : check_calls(s, (enum wm_operation)operation);
    return rc;
}

/* Neither a machine nor the kind of a call or its peer says whether it is true, and the map can look at it. */
static bool is_open(const struct wm_fact *fact, const struct wm_site_map *map)
{
    return fact->type == WM_FACT_TRUTH && fact->offset != offsetof(struct wm_facts, commutative) &&
           fact->offset != offsetof(struct wm_facts, near) &&
           memmem(map->text, map->text_bytes, fact->word, strlen(fact->word)) != NULL;
}

/* With both values of each open fact from row `row` on. */
static int check_truths(struct sweep *s, struct wm_site *site, int row)
{
    bool *truth;
    int rc;

    while (row < WM_TOLD_FACT_ROWS && !is_open(&wm_fact_rows[row], s->map))
        row++;
    if (row == WM_TOLD_FACT_ROWS)
        return check_operations(s);
    truth = (bool *)((char *)&site->facts + wm_fact_rows[row].offset);
    rc = check_truths(s, site, row + 1);
    *truth = true;
    if (rc == 0)
        rc = check_truths(s, site, row + 1);
    *truth = false;
    return rc;
}

static int check_machine(struct sweep *s, const char *machine)
{
    struct wm_site site;
    int rc = wm_site_init(&site, s->map, machine, s->error);

    if (rc < 0) {
        wm_site_release(&site);
        return s->plan->machines_named ? rc : 0;
    }
    s->site = &site;
    s->result->machines++;
    if (s->plan->root >= site.ranks)
        rc = wm_error_set(s->error, -WM_EINVAL, "there is no rank %d: the machine '%s' has %d, from 0", s->plan->root,
                          machine, site.ranks);
    if (rc == 0)
        rc = check_truths(s, &site, 0);
    wm_site_release(&site);
    return rc;
}

int wm_check_sweep(struct wm_check_result *result, const struct wm_check_plan *plan, const struct wm_site_map *map,
                   void (*progress)(const struct wm_site *, enum wm_operation, size_t), struct wm_error *error)
{
    struct sweep s = {.plan = plan, .map = map, .result = result, .progress = progress, .error = error};
    int rc = 0;

    *result = (struct wm_check_result){0};
    for (int operation = 0; operation < WM_OPERATION_COUNT; operation++)
        result->untried[operation] = INT_MAX;
    for (int i = 0; rc == 0 && i < plan->machine_count; i++)
        rc = check_machine(&s, plan->machines[i]);
    return rc == 0 && result->machines == 0 ? error->code : rc; /* the last that did not fit says why */
}

void wm_check_result_release(struct wm_check_result *result)
{
    free(result->rows);
    free(result->rules);
    *result = (struct wm_check_result){0};
}
