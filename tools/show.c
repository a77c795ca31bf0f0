/* waymark show: what a map makes of a call, on a machine that one need not have. */
#include <stdlib.h>
#include <string.h>
#include "tools/commands.h"
#include "tools/drawing.h"

#define DEFAULT_MACHINE "node=4,core=4"

enum { OPTION_OP, OPTION_BYTES, OPTION_GRID, OPTION_ROOT, OPTION_COMMUTES, OPTION_RANK, OPTION_FORMAT, OPTION_ALL };

static const struct wm_option options[] = {
    [OPTION_OP] = {"op", 'o', "OPERATION", "The collective operation, as in a map: allreduce, bcast, …"},
    [OPTION_BYTES] = {"bytes", 'b', "SIZE", "Bytes of the message at each rank: 8 (the default), 64KiB, 1MiB, …"},
    [OPTION_GRID] = {"grid", 'g', "MACHINE",
                     "The machine: node=4,core=4 (the default). node=2,core=4+2 is a ragged one; socket=2 divides "
                     "the cores of a node; order=cyclic deals the ranks out round-robin."},
    [OPTION_ROOT] = {"root", 0, "RANK", "The root of a bcast or reduce; 0 unless given."},
    [OPTION_COMMUTES] = {"commutative", 0, "yes|no", "Whether the operator of a reduction commutes; yes unless given."},
    [OPTION_RANK] = {"rank", 'r', "RANK", "Show the steps of this rank alone, in the order of its plan."},
    [OPTION_FORMAT] = {"format", 'f', "text|dot", "Text (the default), or a graph for 'dot -Tsvg'."},
    [OPTION_ALL] = {"all", 'a', NULL, "Leave out no rounds and no messages, however many there are."},
    {0},
};

static const char *const synopsis[] = {
    "show MAP --op OPERATION [--bytes SIZE] [--grid MACHINE] [--root RANK] [--commutative yes|no] [--rank RANK] "
    "[--format text|dot] [--all]",
    NULL,
};

static const char *const description[] = {
    "Show what a map makes of a call, without running anything: the rule that answers and for which sizes it does, "
    "the path as each rank walks it, and who talks to whom, in rounds. MAP is a file, or the name of a map that "
    "comes with Waymark. The machine is given in words, so that a laptop shows what a cluster would do.",
    "A round holds the messages that can go once those of the rounds before have come; the number of rounds is the "
    "longest chain of messages. 'combine' is a message that its receiver reduces into what it has, 'deliver' one "
    "that it takes as it is. 1-3→0 stands for three messages, 0↔4 for one each way, 0→2×8 for eight.",
    NULL,
};

static const struct wm_command_item statuses[] = {
    {"0", "The answer is shown."},
    {"1", "The map is wrong, or its path does not serve the call; the message says where."},
    {"2", "The command line was wrong."},
    {0},
};

static const struct wm_command_section sections[] = {{"EXIT STATUS", statuses}, {0}};

static const struct wm_command_item examples[] = {
    {"waymark show hierarchy --op allreduce --bytes 8", "The small allreduce of a map that comes with Waymark."},
    {"waymark show my.scm -g node=2,core=3+2 -o reduce --root 3 --rank 3",
     "What the root of a reduce does on a ragged machine."},
    {"waymark show ring -o allreduce -b 64KiB -f dot | dot -Tsvg > ring.svg", "An allreduce as a picture."},
    {0},
};

struct view {
    struct wm_question question;
    int rank; /* -1: all */
    bool dot, all;
};

/* A whole number with an optional KiB, MiB or GiB behind it. */
static bool parse_bytes(const char *text, uint64_t *bytes)
{
    static const struct {
        const char *name;
        int shift;
    } units[] = {{"", 0}, {"B", 0}, {"KiB", 10}, {"MiB", 20}, {"GiB", 30}};
    char *end;
    unsigned long long number = strtoull(text, &end, 10);

    if (end == text || text[0] < '0' || text[0] > '9')
        return false;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(end, units[i].name) == 0 && number <= UINT64_C(1) << (50 - units[i].shift)) {
            *bytes = (uint64_t)number << units[i].shift;
            return true;
        }
    return false;
}

static bool parse_rank(const char *text, int *rank)
{
    char *end;
    long number = strtol(text, &end, 10);

    *rank = (int)number;
    return end != text && *end == '\0' && number >= 0 && number < 1 << 30;
}

static int unknown_operation(const struct wm_arguments *arguments, const char *word)
{
    const char *names[WM_OPERATION_COUNT], *near;

    for (int o = 0; o < WM_OPERATION_COUNT; o++)
        names[o] = wm_operation_name((enum wm_operation)o);
    near = wm_error_nearest(word, names, WM_OPERATION_COUNT);
    if (near != NULL)
        return wm_arguments_misuse(arguments, "unknown operation '%s'; did you mean '%s'?", word, near);
    return wm_arguments_misuse(arguments, "unknown operation '%s'; name one as in a map, such as 'allreduce'", word);
}

/* Two words that an option chooses between. Returns 0 or 1, or -1. */
static int choose(const char *word, const char *first, const char *second)
{
    return strcmp(word, first) == 0 ? 0 : strcmp(word, second) == 0 ? 1 : -1;
}

/* Read one option. Returns 0 or an exit status. */
static int read_option(struct view *view, const struct wm_arguments *a, int option)
{
    const char *value = a->value;
    int choice = 0, operation;

    switch (option) {
    case WM_ARGUMENT_OPERAND:
        if (view->question.map != NULL)
            return wm_arguments_misuse(a, "one map at a time, but there are '%s' and '%s'", view->question.map, value);
        view->question.map = value;
        return 0;
    case OPTION_OP:
        if ((operation = wm_operation_find(value)) < 0)
            return unknown_operation(a, value);
        view->question.operation = (enum wm_operation)operation;
        return 0;
    case OPTION_BYTES:
        return parse_bytes(value, &view->question.bytes)
                   ? 0
                   : wm_arguments_misuse(a, "'%s' is no size; write a whole number, such as 8, 64KiB or 1MiB", value);
    case OPTION_GRID:
        view->question.machine = value;
        return 0;
    case OPTION_ROOT:
        return parse_rank(value, &view->question.root) ? 0 : wm_arguments_misuse(a, "'%s' is no rank", value);
    case OPTION_RANK:
        return parse_rank(value, &view->rank) ? 0 : wm_arguments_misuse(a, "'%s' is no rank", value);
    case OPTION_COMMUTES:
        view->question.commutative = (choice = choose(value, "no", "yes")) == 1;
        break;
    case OPTION_FORMAT:
        view->dot = (choice = choose(value, "text", "dot")) == 1;
        break;
    case OPTION_ALL:
        view->all = true;
        break;
    }
    return choice >= 0 ? 0
                       : wm_arguments_misuse(a, "--%s is %s, not '%s'", options[option].name,
                                             option == OPTION_FORMAT ? "'text' or 'dot'" : "'yes' or 'no'", value);
}

static int draw(const struct view *view, const struct wm_scene *scene, const struct wm_rounds *rounds)
{
    struct wm_page page = wm_page_of(stdout);

    if (view->dot)
        return wm_drawing_dot(stdout, scene, rounds);
    if (view->rank >= 0 && !scene->path->native)
        return wm_drawing_rank(&page, scene, rounds, view->rank);
    return wm_drawing_print(&page, scene, rounds, view->all);
}

static int show(const struct view *view)
{
    struct wm_scene scene;
    struct wm_rounds rounds = {0};
    struct wm_error error = {0};
    int rc = wm_scene_init(&scene, &view->question, &error);

    if (rc < 0)
        return wm_command_failed(&error);
    if (view->rank >= scene.ranks)
        rc = wm_error_set(&error, -WM_EINVAL, "there is no rank %d: the machine '%s' has %d, from 0", view->rank,
                          view->question.machine, scene.ranks);
    if (rc == 0 && !scene.path->native)
        rc = wm_rounds_init(&rounds, scene.plans, scene.ranks, &error);
    if (rc == 0 && (rc = draw(view, &scene, &rounds)) < 0)
        wm_error_set(&error, rc, "%s", wm_error_sentence(rc));
    wm_rounds_release(&rounds);
    wm_scene_release(&scene);
    return rc < 0 ? wm_command_failed(&error) : 0;
}

static int run(int argc, char **argv)
{
    struct view view = {
        .question = {.machine = DEFAULT_MACHINE, .operation = WM_OPERATION_COUNT, .bytes = 8, .commutative = true},
        .rank = -1,
    };
    struct wm_arguments arguments = wm_arguments_begin(&wm_command_show, argc, argv);
    int option, status = 0;

    while (status == 0 && ((option = wm_arguments_next(&arguments)) >= 0 || option == WM_ARGUMENT_OPERAND))
        status = read_option(&view, &arguments, option);
    if (status == 0 && option != WM_ARGUMENT_END)
        return wm_arguments_status(option);
    if (status == 0 && view.question.map == NULL)
        status = wm_arguments_misuse(&arguments, "no map is named");
    if (status == 0 && view.question.operation == WM_OPERATION_COUNT)
        status = wm_arguments_misuse(&arguments, "no operation is named; add --op, for example --op allreduce");
    return status != 0 ? status : show(&view);
}

const struct wm_command wm_command_show = {
    .name = "show",
    .summary = "show what a map makes of a call: who talks to whom, in rounds",
    .synopsis = synopsis,
    .description = description,
    .options = options,
    .sections = sections,
    .examples = examples,
    .run = run,
};
