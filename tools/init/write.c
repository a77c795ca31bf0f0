/* A first map: a head that says how to go on, then clause by clause, the dearest first. */
#include "tools/init/write.h"

#include <stdlib.h>
#include <string.h>
#include "tools/init/clauses.h"
#include "tools/text/units.h"

enum { RANGES_MAX = 32, STAGES_MAX = 8, COLUMNS = 118, WORDS_BYTES = 512 };

static const uint64_t end_of_sizes = (uint64_t)1 << 40;

/* The sizes for which a rule answers on the machine, and the stages of all answers. */
struct here {
    int range_count, stage_count;
    struct {
        int line;
        uint64_t low, high; /* both included */
    } ranges[RANGES_MAX];
    struct {
        const struct wm_wrapper_class *class;
        char axis[WM_AXIS_NAME_CHARS];
    } stages[STAGES_MAX];
};

static void keep_stage(struct here *here, const struct wm_wrapper *stage, const struct wm_grid *grid)
{
    const char *axis = wm_grid_axis_name(grid, stage->axis);

    for (int i = 0; i < here->stage_count; i++)
        if (here->stages[i].class == stage->class && strcmp(here->stages[i].axis, axis) == 0)
            return;
    if (here->stage_count == STAGES_MAX)
        return;
    here->stages[here->stage_count].class = stage->class;
    snprintf(here->stages[here->stage_count++].axis, WM_AXIS_NAME_CHARS, "%s", axis);
}

static void keep_answer(struct here *here, const struct wm_site_answer *answer, const struct wm_grid *grid,
                        uint64_t bytes)
{
    here->ranges[here->range_count].line = answer->path->rule_line;
    here->ranges[here->range_count].low = bytes;
    here->ranges[here->range_count++].high = answer->validity.bytes.high;
    for (int s = 0; s < answer->path->stage_count; s++)
        keep_stage(here, &answer->path->wrappers[answer->path->stages[s]], grid);
}

/* Ask about calls of all sizes, on all ranks of the machine. */
static int look(struct here *here, const struct wm_init_source *source, enum wm_operation operation,
                struct wm_error *error)
{
    struct wm_facts facts = source->site->facts;
    uint64_t high = 0;
    int rc = 0;

    *here = (struct here){0};
    facts.operation = operation;
    facts.root = wm_operation_rooted(operation) ? 0 : -1;
    facts.commutative = true;
    for (facts.bytes = 0; rc == 0 && high < end_of_sizes && here->range_count < RANGES_MAX; facts.bytes = high + 1) {
        struct wm_site_answer answer;

        rc = wm_site_ask(source->map, source->site, &facts, false, &answer, error);
        if (rc == 0 && answer.has_rule)
            keep_answer(here, &answer, &source->site->grid, facts.bytes);
        high = answer.validity.bytes.high;
        wm_site_answer_release(&answer);
    }
    return rc;
}

static void print_range(FILE *out, uint64_t low, uint64_t high)
{
    char least[32], most[32];

    wm_bytes_describe(low > 0 ? low - 1 : 0, least, sizeof least);
    wm_bytes_describe(high, most, sizeof most);
    if (low > 0)
        fprintf(out, " above %s", least);
    if (high < end_of_sizes)
        fprintf(out, " up to %s", most);
}

/* A comment before the rule that begins on the line, if it answers here. */
static void print_here(FILE *out, const struct here *here, int line, int indent)
{
    bool said = false;

    for (int i = 0; i < here->range_count; i++)
        if (here->ranges[i].line == line) {
            fprintf(out, "%*s%s", said ? 0 : indent, "", said ? " and" : ";; Here");
            print_range(out, here->ranges[i].low, here->ranges[i].high);
            said = true;
        }
    if (said)
        fputs(":\n", out);
}

/* Words behind a comment's beginning, on as many lines as they take. */
static void print_words(FILE *out, const char *begin, const char *words)
{
    int column = 0;

    for (size_t length; words += strspn(words, " "), (length = strcspn(words, " ")) > 0; words += length) {
        if (column == 0 || column + 1 + (int)length > COLUMNS)
            column = fprintf(out, "%s  %s", column > 0 ? "\n" : "", begin) - (column > 0);
        column += fprintf(out, " %.*s", (int)length, words);
    }
    fputc('\n', out);
}

/* The shapes that a stage may have on the machine: "'flat 'chain …". */
static void list_shapes(const struct here *here, int stage, const struct wm_init_source *source, char *out,
                        size_t out_bytes)
{
    const struct wm_wrapper_class *class = here->stages[stage].class;
    bool apart = source->site->facts.nodes > 1 && strcmp(here->stages[stage].axis, "core") != 0;
    int used = 0;

    out[0] = '\0';
    for (int i = 0; i < class->param_count; i++)
        for (int kind = 0; strcmp(class->params[i].name, "shape") == 0 && kind < WM_SHAPE_COUNT; kind++)
            if (kind != WM_SHAPE_TREE && (kind != WM_SHAPE_SHARED || !apart) &&
                wm_shape_can((enum wm_shape_kind)kind, class->params[i].shapes))
                used += snprintf(out + used, out_bytes - (size_t)used, " '%s",
                                 kind == WM_SHAPE_KNOMIAL ? "binomial" : wm_shape_name((enum wm_shape_kind)kind));
}

/* What may stand in the place of the shapes. Stages that have the same choice share a comment. */
static void print_shapes(FILE *out, const struct here *here, const struct wm_init_source *source)
{
    char shapes[STAGES_MAX][WORDS_BYTES], words[2 * WORDS_BYTES];

    for (int i = 0; i < here->stage_count; i++)
        list_shapes(here, i, source, shapes[i], sizeof shapes[i]);
    for (int i = 0; i < here->stage_count; i++) {
        int used = snprintf(words, sizeof words, "Shapes of");
        bool told = strrchr(shapes[i], ' ') == shapes[i]; /* there is no choice */

        for (int j = 0; j < here->stage_count; j++) {
            if (strcmp(shapes[i], shapes[j]) != 0)
                continue;
            told |= j < i;
            used += snprintf(words + used, sizeof words - (size_t)used, " (%s %s)", here->stages[j].class->name,
                             here->stages[j].axis);
        }
        snprintf(words + used, sizeof words - (size_t)used, ":%s.", shapes[i]);
        if (!told)
            print_words(out, ";;", words);
    }
}

static void print_cost(FILE *out, const struct wm_job_costs *costs, enum wm_operation operation)
{
    const struct wm_operation_cost *cost = &costs->operations[operation];
    char words[512], sizes[128] = "";

    if (cost->calls == 0)
        return;
    if (wm_operation_data(operation) == WM_DATA_WHOLE && operation != WM_BARRIER)
        snprintf(sizes, sizeof sizes, " of %s%s%s", wm_bytes_text(cost->bytes_least).text,
                 cost->bytes_most > cost->bytes_least ? " to " : "",
                 cost->bytes_most > cost->bytes_least ? wm_bytes_text(cost->bytes_most).text : "");
    snprintf(words, sizeof words, "%s: %s%s took %s of rank time, %s of all; %s of that waiting for the last to come.",
             wm_operation_name(operation), wm_number_text(cost->calls, operation == WM_CONVEYOR ? "run" : "call").text,
             sizes, wm_time_text(cost->time_ns).text, wm_share_text(cost->time_ns, costs->time_ns).text,
             wm_share_text(cost->late_ns, cost->time_ns).text);
    print_words(out, ";;", words);
}

/* The form, line by line. */
static void print_form(FILE *out, const struct wm_map_clause *clause, const struct here *here)
{
    int line = clause->line;

    for (const char *at = clause->begin; at < clause->end; line++) {
        size_t length = strcspn(at, "\n");

        if (at + length > clause->end)
            length = (size_t)(clause->end - at);
        if (at > clause->begin)
            print_here(out, here, line, (int)strspn(at, " "));
        fprintf(out, "%s%.*s%s", at == clause->begin ? "  " : "", (int)length, at,
                at + length < clause->end ? "\n" : "");
        at += length + 1;
    }
}

static int print_clause(FILE *out, const struct wm_init_source *source, const struct wm_map_clause *clause,
                        struct wm_error *error)
{
    struct here here;
    int rc = 0, first = 0;

    while (!(clause->operations & WM_OPERATION_BIT(first)))
        first++;
    if ((rc = look(&here, source, (enum wm_operation)first, error)) < 0)
        return rc;
    for (int o = first; source->trace != NULL && o < WM_OPERATION_COUNT; o++)
        if (clause->operations & WM_OPERATION_BIT(o))
            print_cost(out, source->costs, (enum wm_operation)o);
    fprintf(out, "%.*s", (int)(clause->begin - strlen("  ") - clause->comment), clause->comment);
    print_shapes(out, &here, source);
    print_form(out, clause, &here);
    return 0;
}

static void print_head(FILE *out, const struct wm_init_source *source)
{
    const char *file = source->file != NULL ? source->file : "map.scm", *machine = source->site->machine;
    const char *here = strchr(file, '/') != NULL ? "" : "./";

    fprintf(out, ";; A first map: the rules of '%s', for you to change. 'waymark init' wrote it for %s", source->name,
            machine);
    if (source->costs->likened)
        fputs(",\n;; which has as many ranks on each host as the run had, but in order", out);
    if (source->trace != NULL)
        fprintf(out, ",\n;; in the order of what the calls in %s cost, under the map %s", source->trace,
                source->costs->map);
    fprintf(out,
            ".\n;;\n"
            ";;   waymark explain %s%s --grid %s --op allreduce --bytes 8    which rule, and why\n"
            ";;   waymark check %s%s --grid %s    after each change: is it right?\n"
            ";;   mpirun -n %d waymark run -m %s%s -t trace -- ./program\n"
            ";;   waymark report trace    what costs most, and what to change next\n"
            ";;\n",
            here, file, machine, here, file, machine, source->site->ranks, here, file);
    fputs(
        ";; Rules are tried in order; the one behind \"Here\" is taken by calls on all ranks of this machine, and\n"
        ";; communicators of other ranks may take others. What to change: the size at which rules part; the #:shape "
        "of\n"
        ";; a stage, as (bcast node #:shape 'chain); (segment 128KiB) before the stages of a bcast, reduce, allreduce\n"
        ";; or scan, so that large data goes in pieces that overlap; or (native), which is the MPI library's own, as "
        "is\n"
        ";; every operation that is not named. The language: docs/maps.md. All wrappers: waymark wrappers.\n",
        out);
}

static int64_t time_of(const struct wm_job_costs *costs, const struct wm_map_clause *clause)
{
    int64_t time_ns = 0;

    for (int o = 0; o < WM_OPERATION_COUNT; o++)
        if (clause->operations & WM_OPERATION_BIT(o))
            time_ns += costs->operations[o].time_ns;
    return time_ns;
}

static int compare(const void *left, const void *right, void *costs)
{
    const struct wm_map_clause *a = left, *b = right;
    int64_t a_ns = time_of(costs, a), b_ns = time_of(costs, b);

    return a_ns != b_ns ? (a_ns < b_ns ? 1 : -1) : a->line - b->line;
}

int wm_init_write(const struct wm_init_source *source, FILE *out, struct wm_error *error)
{
    struct wm_map_clauses c;
    int rc = wm_map_clauses_read(&c, source->map->text);
    bool called = true;

    if (rc < 0)
        return wm_error_set(error, rc, "the clauses of the map '%s' cannot be told apart", source->map->file);
    if (source->trace != NULL)
        qsort_r(c.clauses, (size_t)c.count, sizeof c.clauses[0], compare, (void *)source->costs);
    print_head(out, source);
    fprintf(out, "%.*s(path-map", (int)(c.map - c.definitions), c.definitions);
    for (int i = 0; rc == 0 && i < c.count; i++) {
        fputs(i > 0 ? "\n\n" : "\n", out);
        if (source->trace != NULL && called && time_of(source->costs, &c.clauses[i]) == 0) {
            fprintf(out, "  ;; What follows is not called in %s.\n\n", source->trace);
            called = false;
        }
        rc = print_clause(out, source, &c.clauses[i], error);
    }
    fputs(")\n", out);
    return rc;
}
