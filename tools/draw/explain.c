/* waymark explain: which rule of a map a call falls under, and why the rules before it let it pass. */
#include <stdlib.h>
#include <string.h>
#include "core/map/explain.h"
#include "tools/cli/commands.h"
#include "tools/draw/drawing.h"
#include "tools/site/question.h"

static const struct wm_option options[] = {WM_QUESTION_OPTIONS, {0}};

static const char *const synopsis[] = {"explain " WM_QUESTION_SYNOPSIS, NULL};

static const char *const description[] = {
    "Explain which rule of a map a call falls under: the rules of the operation in order, each with its predicate as "
    "it is written, whether it held, and the facts that it looked at; for which sizes, roots and operators the answer "
    "holds; and the path, as each rank walks it, a conveyor's items hop, or a message goes. What no rule takes stays "
    "native, or is the conveyor that its constructor asks for, or goes as the program says, and is said to.",
    "MAP is a file, or the name of a map that comes with Waymark. The machine is given in words. A job says the same "
    "of its own calls under WAYMARK_VERBOSE=2 (waymark run -vv); 'waymark show' draws the messages of the path.",
    NULL,
};

static const struct wm_command_item statuses[] = {
    {"0", "The answer is explained."},
    {"1", "The map is wrong, or its path does not serve the call; the message says where."},
    {0},
};

static const struct wm_command_item examples[] = {
    {"waymark explain hierarchy --op allreduce --bytes 4096", "Why an allreduce of 4 KiB goes the way it goes."},
    {"waymark explain my.scm -g node=2,core=3+2 -o reduce --commutative no",
     "The same of a reduce on a ragged machine, with an operator that does not commute."},
    {"waymark explain my.scm -o alltoall", "Whether the map says anything about an operation."},
    {"waymark explain fast -o conveyor -b 16 -g node=64,core=32 --load 1MiB",
     "The route of a conveyor of items of 16 bytes, once a rank has pushed a mebibyte of them."},
    {"waymark explain my.scm -o messages --protocol mail --near yes -b 1KiB",
     "How a message of 1 KiB of the protocol 'mail' goes to a peer of the same node."},
    {0},
};

/* Lines begin at the columns of the drawings below them. */
static void print_line(void *context, enum wm_explain_kind kind, const char *text)
{
    static const char *const prefixes[] = {
        [WM_EXPLAIN_OPERATION] = "",  [WM_EXPLAIN_PASSED] = "    ", [WM_EXPLAIN_CHOSEN] = "  * ",
        [WM_EXPLAIN_MORE] = "      ", [WM_EXPLAIN_RESULT] = "",
    };
    const struct wm_terminal *terminal = context;

    if (kind == WM_EXPLAIN_CHOSEN)
        fputs(wm_terminal_bold(terminal), terminal->file);
    else if (kind == WM_EXPLAIN_PASSED)
        fputs(wm_terminal_dim(terminal), terminal->file);
    wm_terminal_wrap(terminal, prefixes[kind], text);
    if (kind == WM_EXPLAIN_CHOSEN || kind == WM_EXPLAIN_PASSED)
        fputs(wm_terminal_plain(terminal), terminal->file);
}

static int draw(const struct wm_terminal *terminal, struct wm_scene *scene)
{
    if (!scene->answer.has_rule)
        return 0;
    wm_drawing_path(terminal, scene);
    if (scene->is_conveyor) {
        wm_drawing_hops(terminal, scene, 0);
        return 0;
    }
    if (scene->is_messages) {
        wm_drawing_message(terminal, scene);
        return 0;
    }
    return scene->plans == NULL ? 0 : wm_drawing_walks(terminal, scene);
}

/* A path that does not serve the call is explained all the same: that rule is the one to mend. */
static int explain(const struct wm_map_question *question)
{
    struct wm_terminal terminal = wm_terminal_of(stdout);
    struct wm_scene scene;
    struct wm_error error = {0};
    int rc = wm_scene_init(&scene, question, true, &error);

    if (scene.answer.json != NULL) {
        wm_drawing_head(&terminal, question, &scene.facts);
        wm_explain(scene.answer.json, &scene.facts, scene.map.file, print_line, &terminal);
    }
    if (rc == 0 && (rc = draw(&terminal, &scene)) < 0)
        wm_error_set(&error, rc, "%s", wm_error_sentence(rc));
    fflush(stdout);
    wm_scene_release(&scene);
    return rc < 0 ? wm_command_failed(&error) : 0;
}

static int run(struct wm_arguments *arguments)
{
    struct wm_map_question question = wm_question_default();
    int status;

    if (!wm_arguments_read(arguments, &question, &status) || (status = wm_question_check(&question, arguments)) != 0)
        return status;
    return explain(&question);
}

const struct wm_command wm_command_explain = {
    .name = "explain",
    .summary = "explain which rule of a map a call falls under, and why",
    .synopsis = synopsis,
    .description = description,
    .options = options,
    .operands = WM_QUESTION_OPERANDS,
    .statuses = statuses,
    .examples = examples,
    .run = run,
};
