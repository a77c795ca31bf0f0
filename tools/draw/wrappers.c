/* waymark wrappers: what a path may be made of, told from the wrappers' class records. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/path/wrapper.h"
#include "tools/cli/commands.h"
#include "tools/cli/options.h"
#include "tools/draw/wrapper_tables.h"
#include "tools/draw/wrapper_words.h"
#include "tools/text/table.h"
#include "tools/text/units.h"

static const char *const synopsis[] = {"wrappers [NAME ...]", "wrappers --table " WM_WRAPPER_TABLES, NULL};

static const struct wm_option options[] = {
    {"table", 0, WM_WRAPPER_TABLES, "Print one of the tables of docs/maps.md, in Markdown.", .read = wm_option_choice},
    {0},
};

static const char *const description[] = {
    "List the wrappers that a path may be made of, or tell all about those named: their parameters with types, "
    "defaults and choices, the operations they serve, and where they come from.",
    "A path is a stack of wrappers, outermost first. Stage wrappers do their part over one axis of the grid on the "
    "way in, and the inverse of it on the way out; the axes of a path's stages together cover the grid once. The "
    "other wrappers may stand anywhere. Those that serve conveyors say how items travel, each once a path.",
    "Shapes are words, some with a number: (k-nomial K) is a tree of radix K, (flat W) has W messages under way at "
    "once. (tree 0 (1 (3)) (2)) is a tree written out, each member before its children; (lambda (member size) parent) "
    "is a procedure that gives each member's parent, #f for the root.",
    NULL,
};

static const struct wm_command_item examples[] = {
    {"waymark wrappers", "One line for each."},
    {"waymark wrappers reduce-scatter", "All about one."},
    {0},
};

/* What may stand in the parameter's place: its words, or its shapes, each with what it is. */
static void print_values(const struct wm_terminal *terminal, const struct wm_param *param)
{
    char text[WM_WORDS_BYTES] = "";

    for (int i = 0; param->type == WM_PARAM_CHOICE && param->choices[i] != NULL; i++)
        wm_words_append(text, " ", "'"), wm_words_append(text, "", param->choices[i]);
    if (text[0] != '\0')
        wm_terminal_wrap(terminal, "                one of ", text);
    for (int kind = 0; param->type == WM_PARAM_SHAPE && kind < WM_SHAPE_COUNT; kind++) {
        if (!wm_shape_can((enum wm_shape_kind)kind, param->shapes))
            continue;
        wm_words_shape((enum wm_shape_kind)kind, text);
        wm_words_append(text, ": ", wm_shape_help((enum wm_shape_kind)kind));
        wm_terminal_wrap(terminal, "                  ", text);
    }
}

/* A value that the example may show for a parameter: its default, or one of its type. */
static const char *example_of(const struct wm_wrapper_class *class, const struct wm_param *param)
{
    if (param->type == WM_PARAM_AXIS)
        return wm_wrapper_is_stage(class) || !param->positional ? "node" : "all";
    if (param->type == WM_PARAM_BYTES && param->fallback == NULL)
        return "64KiB";
    if (param->type == WM_PARAM_LABEL)
        return "large";
    if (param->type == WM_PARAM_TIME)
        return "500us";
    if (param->type == WM_PARAM_PERCENT && param->fallback == NULL)
        return "1%";
    if (param->type == WM_PARAM_CHOICE && param->choices[0] != NULL)
        return param->fallback != NULL ? param->fallback : param->choices[0];
    if (param->type == WM_PARAM_SHAPE && param->fallback == NULL)
        for (int kind = 0; kind < WM_SHAPE_COUNT; kind++)
            if (wm_shape_can((enum wm_shape_kind)kind, param->shapes))
                return wm_shape_name((enum wm_shape_kind)kind);
    return param->fallback != NULL ? param->fallback : "1";
}

/* Left to itself the example would not be right: an axis that need not be named, or what serves other operations. */
static bool in_example(const struct wm_wrapper_class *class, const struct wm_param *param)
{
    return (param->type != WM_PARAM_AXIS || param->required) &&
           (param->operations == 0 || param->operations & class->services[0].operations);
}

/* The wrapper as one writes it, its positional arguments and its first keyword given. */
static void write_example(const struct wm_wrapper_class *class, char *text)
{
    bool keyword = false;

    snprintf(text, WM_WORDS_BYTES, "(%s", class->name);
    for (int i = 0; i < class->param_count; i++) {
        const struct wm_param *param = &class->params[i];

        if (!param->positional && keyword)
            break;
        if (!in_example(class, param))
            continue;
        if (!param->positional)
            wm_words_append(text, " #:", param->name);
        wm_words_append(text, wm_words_quoted(param) ? " '" : " ", example_of(class, param));
        keyword = !param->positional;
    }
    wm_words_append(text, "", ")");
}

static void print_param(const struct wm_terminal *terminal, const struct wm_param *param)
{
    char prefix[64], text[WM_WORDS_BYTES] = "";

    snprintf(prefix, sizeof prefix, "    %s%-*s", param->positional ? "" : "#:", param->positional ? 12 : 10,
             param->name);
    wm_words_append(text, "", wm_words_type(param));
    wm_words_append(text, ", ", param->help);
    if (param->fallback != NULL)
        wm_words_append(text, wm_words_quoted(param) ? "; unless given, '" : "; unless given, ", param->fallback);
    else if (param->required)
        wm_words_append(text, "; ", "must be given");
    wm_terminal_wrap(terminal, prefix, text);
    print_values(terminal, param);
}

static const char *service_sentence(const struct wm_wrapper_class *class, const struct wm_service *service)
{
    static const char *const sentences[] = {
        [WM_STAGE_NONE] = "no stage: it covers no axis",
        [WM_STAGE_FOLD] = "a stage: one member of each group stands for it from here on",
        [WM_STAGE_SHARD] = "a stage: every member goes on with a share of its own",
        [WM_STAGE_REPLICATE] = "a stage: every member goes on with the same data",
    };

    if (service->convey != NULL)
        return "a part of a conveyor's path, in any place";
    if (service->message != NULL)
        return "a part of a path of messages, in any place";
    return class->role == WM_ROLE_NATIVE ? "the end of a path" : sentences[service->stage];
}

static void print_wrapper(const struct wm_terminal *terminal, const struct wm_wrapper_class *class)
{
    char text[WM_WORDS_BYTES];

    fprintf(terminal->file, "%s%s%s\n", wm_terminal_bold(terminal), class->name, wm_terminal_plain(terminal));
    wm_terminal_wrap(terminal, "    ", class->summary);
    write_example(class, text);
    wm_terminal_wrap(terminal, "    example     ", text);
    for (int i = 0; i < WM_SERVICES_MAX && class->services[i].operations != 0; i++) {
        wm_words_operations(class->services[i].operations, text);
        wm_terminal_wrap(terminal, "    serves      ", text);
        wm_terminal_wrap(terminal, "      as        ", service_sentence(class, &class->services[i]));
    }
    for (int i = 0; i < class->param_count; i++)
        print_param(terminal, &class->params[i]);
    if (class->source != NULL)
        wm_terminal_wrap(terminal, "    source      ", class->source);
}

static int print_list(const struct wm_terminal *terminal)
{
    const struct wm_wrapper_class *const *classes = wm_wrapper_classes();

    for (int i = 0; classes[i] != NULL; i++) {
        char prefix[64];

        snprintf(prefix, sizeof prefix, "  %-16s", classes[i]->name);
        wm_terminal_wrap(terminal, prefix, classes[i]->summary);
    }
    fputs("\n'waymark wrappers NAME' tells its parameters\n", terminal->file);
    return 0;
}

static int unknown_wrapper(const char *name)
{
    const struct wm_wrapper_class *const *classes = wm_wrapper_classes();
    const char *names[64];
    struct wm_error error;
    size_t count = 0;

    for (; classes[count] != NULL && count < sizeof names / sizeof names[0]; count++)
        names[count] = classes[count]->name;
    wm_error_set(&error, -WM_EINVAL, "no wrapper '%s'%s", name,
                 wm_error_suggest(name, names, count, "", "'waymark wrappers' lists them").text);
    return wm_command_failed(&error);
}

static int run(struct wm_arguments *arguments)
{
    struct wm_terminal terminal = wm_terminal_of(stdout);
    int status, table = -1;

    if (!wm_arguments_read(arguments, &table, &status))
        return status;
    if (table >= 0) {
        wm_wrapper_tables_print(table, stdout);
        return 0;
    }
    for (int i = 0; i < arguments->operand_count; i++) {
        const struct wm_wrapper_class *class = wm_wrapper_find(arguments->operands[i]);

        if (class == NULL)
            return unknown_wrapper(arguments->operands[i]);
        if (i > 0)
            fputc('\n', stdout);
        print_wrapper(&terminal, class);
    }
    return arguments->operand_count > 0 ? 0 : print_list(&terminal);
}

const struct wm_command wm_command_wrappers = {
    .name = "wrappers",
    .summary = "list the wrappers that maps are made of",
    .synopsis = synopsis,
    .description = description,
    .options = options,
    .operands = {.what = "wrapper", .most = INT_MAX},
    .examples = examples,
    .run = run,
};
