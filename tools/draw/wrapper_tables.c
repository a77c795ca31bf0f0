/* waymark wrappers --table: facts, operations, wrappers, their parameters, and shapes, in Markdown. */
#include "tools/draw/wrapper_tables.h"

#include <ctype.h>
#include <string.h>
#include "core/path/facts.h"
#include "tools/draw/wrapper_words.h"

/* In a cell a bar would begin the next one. */
static void print_cell(FILE *out, const char *text)
{
    for (; *text != '\0'; text++)
        fprintf(out, *text == '|' ? "\\%c" : "%c", *text);
}

static void print_facts(FILE *out)
{
    static const char *const types[] = {
        [WM_FACT_OPERATION] = "symbol", [WM_FACT_SIZE] = "bytes",   [WM_FACT_COUNT] = "number",
        [WM_FACT_RANK] = "rank, or -1", [WM_FACT_TRUTH] = "#t, #f", [WM_FACT_TEXT] = "string",
    };

    fputs("| fact | type | meaning | option of `show` and `explain` |\n| --- | --- | --- | --- |\n", out);
    for (int i = 0; i < WM_FACT_ROWS; i++) {
        const struct wm_fact *fact = &wm_fact_rows[i];

        fprintf(out, "| `%s` | %s | ", fact->word, types[fact->type]);
        print_cell(out, fact->help);
        if (fact->option == NULL)
            fputs(" | follows from `--grid` |\n", out);
        else
            fprintf(out, " | `--%s` |\n", fact->option);
    }
}

/* Does the wrapper stand for work of its own in the operation's paths: a stage, what no collective has, or a net of
 * messages? */
static bool is_part(const struct wm_wrapper_class *class, enum wm_operation operation)
{
    bool for_collectives = (wm_wrapper_operations(class) & WM_EVERY_COLLECTIVE) != 0;

    return wm_wrapper_service(class, operation) != NULL &&
           (wm_wrapper_is_stage(class) || !for_collectives || wm_operation_data(operation) == WM_DATA_MESSAGES);
}

static void print_parts(FILE *out, enum wm_operation operation)
{
    const char *separator = "";

    for (const struct wm_wrapper_class *const *class = wm_wrapper_classes(); *class != NULL; class ++)
        if (is_part(*class, operation)) {
            fprintf(out, "%s`%s`", separator, (*class)->name);
            separator = " ";
        }
}

static void print_operations(FILE *out)
{
    static const char *const flows[] = {
        [WM_FLOW_DOWN] = "from the root", [WM_FLOW_UP] = "to the root", [WM_FLOW_ALL] = "to all"};
    static const char *const data[] = {
        [WM_DATA_WHOLE] = "the whole",
        [WM_DATA_BLOCKS] = "a block for each rank",
        [WM_DATA_PAIRS] = "a block for each pair of ranks",
        [WM_DATA_EDGES] = "a block for each neighbour",
        [WM_DATA_ITEMS] = "items",
        [WM_DATA_MESSAGES] = "messages",
    };

    fputs("| operation | function | data goes | it is | combined | `bytes` is known | paths are made of |\n"
          "| --- | --- | --- | --- | --- | --- | --- |\n",
          out);
    for (int i = 0; i < WM_OPERATION_COUNT; i++) {
        enum wm_operation o = (enum wm_operation)i;

        fprintf(out, "| `%s` | `%s` | %s | %s | %s | %s | ", wm_operation_name(o), wm_operation_function(o),
                wm_operation_data(o) == WM_DATA_MESSAGES ? "to one" : flows[wm_operation_flow(o)],
                o == WM_BARRIER ? "nothing" : data[wm_operation_data(o)], wm_operation_combines(o) ? "yes" : "",
                wm_operation_bytes_shared(o) ? "yes" : "no");
        print_parts(out, o);
        fputs(" |\n", out);
    }
}

/* (reduce AXIS [#:shape SHAPE] [#:order ORDER]) */
static void print_written(FILE *out, const struct wm_wrapper_class *class)
{
    fprintf(out, "| `(%s", class->name);
    for (int i = 0; i < class->param_count; i++) {
        const struct wm_param *param = &class->params[i];

        fputs(param->required ? " " : " [", out);
        if (!param->positional)
            fprintf(out, "#:%s ", param->name);
        for (const char *c = param->name; *c != '\0'; c++)
            fputc(toupper((unsigned char)*c), out);
        fputs(param->required ? "" : "]", out);
    }
    fputs(")` | ", out);
}

static void print_services(FILE *out, const struct wm_wrapper_class *class)
{
    static const char *const stages[] = {[WM_STAGE_NONE] = "",
                                         [WM_STAGE_FOLD] = ": fold",
                                         [WM_STAGE_SHARD] = ": shard",
                                         [WM_STAGE_REPLICATE] = ": replicate"};

    for (int i = 0; i < WM_SERVICES_MAX && class->services[i].operations != 0; i++) {
        char text[WM_WORDS_BYTES];

        wm_words_operations(class->services[i].operations, text);
        fprintf(out, "%s%s%s", i > 0 ? "; " : "", text, stages[class->services[i].stage]);
    }
}

static void print_wrappers(FILE *out)
{
    fputs("| wrapper | what it does | serves |\n| --- | --- | --- |\n", out);
    for (const struct wm_wrapper_class *const *class = wm_wrapper_classes(); *class != NULL; class ++) {
        print_written(out, *class);
        print_cell(out, (*class)->summary);
        fputs(" | ", out);
        print_services(out, *class);
        fputs(" |\n", out);
    }
}

static bool same_param(const struct wm_param *a, const struct wm_param *b)
{
    return strcmp(a->name, b->name) == 0 && a->type == b->type && strcmp(a->help, b->help) == 0;
}

/* The first parameter of all that is this one, or of the same words. */
static const struct wm_param *first_like(const struct wm_param *wanted)
{
    for (const struct wm_wrapper_class *const *class = wm_wrapper_classes(); *class != NULL; class ++)
        for (int i = 0; i < (*class)->param_count; i++)
            if (same_param(&(*class)->params[i], wanted))
                return &(*class)->params[i];
    return wanted;
}

/* The wrappers that have the parameter, each with its default. */
static void print_owners(FILE *out, const struct wm_param *wanted)
{
    const char *separator = "";

    for (const struct wm_wrapper_class *const *class = wm_wrapper_classes(); *class != NULL; class ++)
        for (int i = 0; i < (*class)->param_count; i++) {
            const struct wm_param *param = &(*class)->params[i];

            if (!same_param(param, wanted))
                continue;
            fprintf(out, "%s%s", separator, (*class)->name);
            if (param->fallback != NULL)
                fprintf(out, " `%s%s`", wm_words_quoted(param) ? "'" : "", param->fallback);
            separator = ", ";
        }
}

static void print_param(FILE *out, const struct wm_param *param)
{
    fprintf(out, "| `%s%s` | ", param->positional ? "" : "#:", param->name);
    for (int i = 0; param->type == WM_PARAM_CHOICE && param->choices[i] != NULL; i++)
        fprintf(out, "%s`'%s`", i > 0 ? " " : "", param->choices[i]);
    fprintf(out, "%s | ", param->type == WM_PARAM_CHOICE ? "" : wm_words_type(param));
    print_cell(out, param->help);
    fputs(" | ", out);
    print_owners(out, param);
    fputs(" |\n", out);
}

static void print_parameters(FILE *out)
{
    fputs("| parameter | is | meaning | of (unless given) |\n| --- | --- | --- | --- |\n", out);
    for (const struct wm_wrapper_class *const *class = wm_wrapper_classes(); *class != NULL; class ++)
        for (int i = 0; i < (*class)->param_count; i++)
            if (first_like(&(*class)->params[i]) == &(*class)->params[i])
                print_param(out, &(*class)->params[i]);
}

/* The stages that take the shape in the parameter of the name. */
static void print_takers(FILE *out, enum wm_shape_kind kind, const char *name)
{
    char text[WM_WORDS_BYTES] = "";

    for (const struct wm_wrapper_class *const *class = wm_wrapper_classes(); *class != NULL; class ++)
        for (int i = 0; i < (*class)->param_count; i++) {
            const struct wm_param *param = &(*class)->params[i];

            if (param->type == WM_PARAM_SHAPE && strcmp(param->name, name) == 0 && wm_shape_can(kind, param->shapes))
                wm_words_append(text, ", ", (*class)->name);
        }
    fputs(text, out);
}

static void print_shapes(FILE *out)
{
    fputs("| shape | who talks to whom | `#:shape` of | `#:out` of |\n| --- | --- | --- | --- |\n", out);
    for (int kind = 0; kind < WM_SHAPE_COUNT; kind++) {
        char text[WM_WORDS_BYTES];

        wm_words_shape((enum wm_shape_kind)kind, text);
        fprintf(out, "| `%s` | ", text);
        print_cell(out, wm_shape_help((enum wm_shape_kind)kind));
        fputs(" | ", out);
        print_takers(out, (enum wm_shape_kind)kind, "shape");
        fputs(" | ", out);
        print_takers(out, (enum wm_shape_kind)kind, "out");
        fputs(" |\n", out);
    }
}

/* In the order of WM_WRAPPER_TABLES. */
void wm_wrapper_tables_print(int table, FILE *out)
{
    static void (*const prints[])(FILE * out) = {print_facts, print_operations, print_wrappers, print_parameters,
                                                 print_shapes};

    prints[table](out);
}
