/* Maps made up from the records of wrappers and shapes: random stacks with random options. */
#include <string.h>
#include "core/path/wrapper.h"
#include "tests/fuzz/map_text.h"

enum { AXES_MAX = 4 };

/* A grid, as the map says it, and its axes from the outside. */
static const struct grid {
    const char *text;
    const char *axes[AXES_MAX];
    int count;
} grids[] = {
    {"", {"node", "core"}, 2},
    {"", {"node", "core"}, 2},
    {"", {"node", "core"}, 2},
    {"", {"node", "socket", "core"}, 3},
    {"#:grid '(half (core 2))", {"half", "core"}, 2},
    {"#:grid '((pod (\"node0\") (\"*\")) node core)", {"pod", "node", "core"}, 3},
    {"#:grid '((team (0 1) (2 3)) core)", {"team", "core"}, 2},
    {"#:grid '(core)", {"core"}, 1},
};

static const char *const words[] = {
    "path",         "on",           "path-map", "tree",    "node",         "core",   "socket",   "numa",
    "all",          "bytes",        "ranks",    "nodes",   "commutative?", "root",   "load",     "uniform?",
    "else",         "lambda",       "define",   "crowded", "crowded?",     "car",    "map",      "list",
    "if",           "let",          "quote",    "set!",    "open-file",    "system", "...",      "_",
    "communicator", "consecutive?", "#:shape",  "#:grid",  "#:order",      "#:out",  "operation"};

const char *fuzz_map_name(struct fuzz_random *random)
{
    const struct wm_wrapper_class *const *classes = wm_wrapper_classes();
    size_t count = 0;

    while (classes[count] != NULL)
        count++;
    switch (fuzz_below(random, 4)) {
    case 0:
        return classes[fuzz_below(random, count)]->name;
    case 1:
        return wm_shape_name((enum wm_shape_kind)fuzz_below(random, WM_SHAPE_COUNT));
    case 2:
        return wm_operation_name((enum wm_operation)fuzz_below(random, WM_OPERATION_COUNT));
    default:
        return FUZZ_PICK(random, words);
    }
}

static void add_tree(struct fuzz_text *map, struct fuzz_random *random)
{
    static const char *const trees[] = {"(tree 0 1)",
                                        "(tree 0 (1 (3)) 2)",
                                        "(tree 2 (1 0) 3)",
                                        "(lambda (m) (if (= m 0) #f (quotient (- m 1) 3)))",
                                        "(lambda (m size) (if (= m (- size 1)) #f (+ m 1)))",
                                        "(lambda (m size) (if (= m 0) #f 0))",
                                        "(lambda (m size) (if (< m nodes) #f 0))"};

    fuzz_text_print(map, "%s", FUZZ_PICK(random, trees));
}

/* One of the shapes that the parameter takes; now and then any. */
static void add_shape(struct fuzz_text *map, const struct wm_param *param, struct fuzz_random *random)
{
    enum wm_shape_kind kind = (enum wm_shape_kind)fuzz_below(random, WM_SHAPE_COUNT);
    bool any = fuzz_chance(random, 3);

    while (!any && !wm_shape_can(kind, param->shapes))
        kind = (kind + 1) % WM_SHAPE_COUNT;
    if (kind == WM_SHAPE_TREE)
        add_tree(map, random);
    else if (wm_shape_least(kind) > 0 && fuzz_chance(random, 60))
        fuzz_text_print(map, "(%s %d)", wm_shape_name(kind), wm_shape_least(kind) + (int)fuzz_below(random, 7));
    else
        fuzz_text_print(map, "'%s", kind == WM_SHAPE_KNOMIAL ? "binomial" : wm_shape_name(kind));
}

static void add_number(struct fuzz_text *map, const struct wm_param *param, struct fuzz_random *random)
{
    static const int64_t sizes[] = {1, 7, 8, 64, 1000, 4096, 16384, 65536, 1 << 20};
    int64_t least = param->least > 0 ? param->least : 1, most = param->most > 0 ? param->most : INT64_MAX,
            number = param->type == WM_PARAM_BYTES ? FUZZ_PICK(random, sizes) : 1 + (int64_t)fuzz_below(random, 16);

    if (fuzz_chance(random, 5))
        number = fuzz_chance(random, 50) ? least : most;
    number = number < least ? least : number > most ? most : number;
    fuzz_text_print(map, "%lld%s", (long long)number, param->type == WM_PARAM_BYTES ? "B" : "");
}

static void add_value(struct fuzz_text *map, const struct wm_param *param, const char *axis, struct fuzz_random *random)
{
    size_t choices = 0;

    switch (param->type) {
    case WM_PARAM_AXIS:
        fuzz_text_print(map, "%s", axis);
        return;
    case WM_PARAM_SHAPE:
        add_shape(map, param, random);
        return;
    case WM_PARAM_BYTES:
    case WM_PARAM_COUNT:
        add_number(map, param, random);
        return;
    case WM_PARAM_CHOICE:
        while (param->choices[choices] != NULL)
            choices++;
        fuzz_text_print(map, "'%s", param->choices[fuzz_below(random, choices)]);
        return;
    case WM_PARAM_LABEL:
        fuzz_text_print(map, "'label-%d", (int)fuzz_below(random, 100));
        return;
    case WM_PARAM_TIME:
        fuzz_text_print(map, "%dus", (int)fuzz_below(random, 10));
        return;
    case WM_PARAM_PERCENT:
        fuzz_text_print(map, "%d%%", (int)fuzz_below(random, 101));
    }
}

/* (WRAPPER …) with what it requires, and some of what it takes. */
static void add_wrapper(struct fuzz_text *map, const struct wm_wrapper_class *class, const struct grid *grid,
                        const char *axis, struct fuzz_random *random)
{
    bool open = true;

    fuzz_text_print(map, " (%s", class->name);
    for (int i = 0; i < class->param_count; i++) {
        const struct wm_param *param = &class->params[i];

        if (!param->required && !fuzz_chance(random, 40)) {
            open = false; /* no later positional argument can be given */
            continue;
        }
        if (param->positional && !open)
            continue;
        fuzz_text_add(map, " ", 1);
        if (!param->positional)
            fuzz_text_print(map, "#:%s ", param->name);
        add_value(map, param, axis != NULL ? axis : grid->axes[fuzz_below(random, (size_t)grid->count)], random);
    }
    fuzz_text_add(map, ")", 1);
}

/* Any wrapper that can stand in a path of the operation, a stage or none; NULL: there is none. */
static const struct wm_wrapper_class *pick_class(enum wm_operation operation, bool stage, struct fuzz_random *random)
{
    const struct wm_wrapper_class *const *classes = wm_wrapper_classes(), *found = NULL;
    size_t fitting = 0;

    for (int i = 0; classes[i] != NULL; i++) {
        const struct wm_service *service = wm_wrapper_service(classes[i], operation);

        if (service == NULL || classes[i]->role == WM_ROLE_NATIVE || (service->stage != WM_STAGE_NONE) != stage)
            continue;
        if (fuzz_below(random, ++fitting) == 0)
            found = classes[i];
    }
    return found;
}

static void add_others(struct fuzz_text *map, enum wm_operation operation, const struct grid *grid,
                       struct fuzz_random *random)
{
    while (fuzz_chance(random, operation == WM_CONVEYOR ? 60 : 30)) {
        const struct wm_wrapper_class *class = pick_class(operation, false, random);

        if (class != NULL)
            add_wrapper(map, class, grid, NULL, random);
    }
}

/* Stages over all axes, mostly from the inside to the outside, or over all ranks. */
static void add_path(struct fuzz_text *map, enum wm_operation operation, const struct grid *grid,
                     struct fuzz_random *random)
{
    bool outwards = fuzz_chance(random, 60), together = fuzz_chance(random, 25);

    fuzz_text_print(map, "(path");
    for (int i = 0; i < (together ? 1 : grid->count); i++) {
        const char *axis = together ? "all" : grid->axes[outwards ? grid->count - 1 - i : i];
        const struct wm_wrapper_class *class = pick_class(operation, true, random);

        add_others(map, operation, grid, random);
        if (class != NULL)
            add_wrapper(map, class, grid, fuzz_chance(random, 2) ? fuzz_map_name(random) : axis, random);
    }
    fuzz_text_add(map, ")", 1);
}

static void add_predicate(struct fuzz_text *map, struct fuzz_random *random)
{
    static const char *const predicates[] = {"(<= bytes 2KiB)",
                                             "(< 7 bytes 4097)",
                                             "uniform?",
                                             "(not consecutive?)",
                                             "commutative?",
                                             "(= nodes 1)",
                                             "(> ranks 3)",
                                             "(and uniform? (> bytes 1MiB))",
                                             "(= root 0)",
                                             "(even? bytes)",
                                             "crowded?",
                                             "#f",
                                             "(or (= bytes 8) (>= bytes 64KiB))",
                                             "(>= load 1KiB)",
                                             "(string-prefix? \"MPI\" communicator)",
                                             "(eq? operation 'bcast)",
                                             "(odd? ranks)",
                                             "(memv ranks '(2 4 8))",
                                             "(< (* bytes ranks) 1MiB)"};

    fuzz_text_print(map, "%s", FUZZ_PICK(random, predicates));
}

static void add_rules(struct fuzz_text *map, enum wm_operation operation, const struct grid *grid,
                      struct fuzz_random *random)
{
    fuzz_text_print(map, "\n  (on %s", wm_operation_name(operation));
    for (size_t rules = fuzz_below(random, 3); rules > 0; rules--) {
        fuzz_text_print(map, "\n    (");
        add_predicate(map, random);
        fuzz_text_print(map, "\n     ");
        add_path(map, operation, grid, random);
        fuzz_text_print(map, ")");
    }
    fuzz_text_print(map, "\n    (else ");
    add_path(map, operation, grid, random);
    fuzz_text_print(map, "))");
}

void fuzz_map_generate(struct fuzz_text *map, struct fuzz_random *random)
{
    const struct grid *grid = &FUZZ_PICK(random, grids);
    uint32_t done = 0;

    fuzz_text_print(map, "(path-map %s", grid->text);
    for (size_t count = 1 + fuzz_below(random, 3); count > 0; count--) {
        enum wm_operation operation = (enum wm_operation)fuzz_below(random, WM_OPERATION_COUNT);

        if (done & WM_OPERATION_BIT(operation))
            continue;
        done |= WM_OPERATION_BIT(operation);
        add_rules(map, operation, grid, random);
    }
    fuzz_text_print(map, ")\n");
}
