/* waymark show: what a map makes of a call, on a machine that one need not have. */
#include <stdlib.h>
#include <string.h>
#include "tools/cli/commands.h"
#include "tools/draw/drawing.h"
#include "tools/site/question.h"

struct view {
    struct wm_map_question question; /* first, as WM_QUESTION_OPTIONS wants it */
    int rank;                        /* -1: all */
    int to;                          /* -1: the last */
    enum { TEXT, DOT } format;
    bool all;
};

static const struct wm_option options[] = {
    WM_QUESTION_OPTIONS,
    {"rank", 'r', "RANK",
     "Show the steps of this rank alone, in the order of its plan; of a conveyor its links, its memory, and an item "
     "that it sends.",
     .read = wm_option_rank, .place = offsetof(struct view, rank)},
    {"format", 'f', "text|dot", "Text (the default), or a graph for 'dot -Tsvg'.", .read = wm_option_choice,
     .place = offsetof(struct view, format)},
    {"all", 'a', NULL, "Leave out no rounds and no messages, however many there are.", .read = wm_option_flag,
     .place = offsetof(struct view, all)},
    {"to", 0, "RANK", "conveyor: where the item goes that is followed; the last rank unless given.",
     .read = wm_option_rank, .place = offsetof(struct view, to)},
    {"elastic", 0, NULL, "conveyor: items differ in size, up to --bytes.", .read = wm_option_flag,
     .place = offsetof(struct view, question.elastic)},
    {0},
};

static const char *const synopsis[] = {
    "show " WM_QUESTION_SYNOPSIS " [--rank RANK] [--to RANK] [--elastic] [--format text|dot] [--all]",
    NULL,
};

static const char *const description[] = {
    "Show what a map makes of a call, without running anything: the rule that answers and for which sizes it does, "
    "the path as each rank walks it, and who talks to whom, in rounds. MAP is a file, or the name of a map that "
    "comes with Waymark. The machine is given in words, so that a laptop shows what a cluster would do.",
    "A round holds the messages that can go once those of the rounds before have come; the number of rounds is the "
    "longest chain of messages. 'combine' is a message that its receiver reduces into what it has, 'deliver' one "
    "that it takes as it is, 'shared' a collective of ranks of a node in their shared memory, which is in one round at "
    "all of them. 1-3→0 stands for three messages, 0↔4 for one each way, 0→2×8 for eight; "
    "{0-3}→0 for a shared step with 0 as root. Messages 'in memory' go through shared memory too.",
    "Where every rank has a block, all blocks are drawn with the bytes that are asked for: a gatherv as the gather "
    "that goes its way, an alltoallv as the alltoall. The neighbors of neighbor-… are those of a periodic cartesian "
    "topology of two dimensions, as square as the number of ranks allows.",
    "Of a conveyor the hops are shown, and how many links a rank has on each net; the way of one item, with its tag: a "
    "list of digits, the next hop's first, each of which says over which link the item leaves, and behind the bar "
    "those by which its destination learns the source; its buffers; and the memory that a rank holds, which is what "
    "convey_live tells there: of all ranks of up to 2048, of a sample of larger machines. Shared memory counts where "
    "it is read from.",
    "Of messages it is told how one of --bytes goes to a peer of the same node (--near yes), or of another.",
    NULL,
};

static const struct wm_command_item statuses[] = {
    {"0", "The answer is shown."},
    {"1", "The map is wrong, or its path does not serve the call; the message says where."},
    {0},
};

static const struct wm_command_item examples[] = {
    {"waymark show hierarchy --op allreduce --bytes 8", "The small allreduce of a map that comes with Waymark."},
    {"waymark show my.scm -g node=2,core=3+2 -o reduce --root 3 --rank 3",
     "What the root of a reduce does on a ragged machine."},
    {"waymark show fast -o conveyor -b 8 -g node=4096,core=32", "The memory that a conveyor holds on a large machine."},
    {"waymark show ring -o allreduce -b 64KiB -f dot | dot -Tsvg > ring.svg", "An allreduce as a picture."},
    {0},
};

static int draw_conveyor(const struct view *view, struct wm_scene *scene)
{
    struct wm_terminal terminal = wm_terminal_of(stdout);
    int to = view->to >= 0 ? view->to : scene->site.ranks - 1;

    if (view->format == DOT)
        return wm_drawing_conveyor_dot(stdout, scene, view->rank, to, view->all);
    wm_drawing_answer(&terminal, scene);
    wm_drawing_conveyor(&terminal, scene, view->rank, to);
    return 0;
}

static int draw(const struct view *view, struct wm_scene *scene, const struct wm_rounds *rounds)
{
    struct wm_terminal terminal = wm_terminal_of(stdout);

    if (scene->is_conveyor)
        return draw_conveyor(view, scene);
    if (scene->is_messages) {
        wm_drawing_answer(&terminal, scene);
        wm_drawing_message(&terminal, scene);
        return 0;
    }
    if (view->format == DOT)
        return wm_drawing_dot(stdout, scene, rounds);
    if (view->rank >= 0 && scene->plans != NULL)
        return wm_drawing_rank(&terminal, scene, rounds, view->rank);
    return wm_drawing_print(&terminal, scene, rounds, view->all);
}

static int show(const struct view *view)
{
    struct wm_scene scene;
    struct wm_rounds rounds = {0};
    struct wm_error error = {0};
    int rc = wm_scene_init(&scene, &view->question, false, &error);

    if (rc == 0 && (view->rank >= scene.site.ranks || view->to >= scene.site.ranks))
        rc = wm_error_set(&error, -WM_EINVAL, "there is no rank %d: the machine '%s' has %d, from 0",
                          view->rank >= scene.site.ranks ? view->rank : view->to, view->question.machine,
                          scene.site.ranks);
    if (rc == 0 && view->format == DOT && scene.facts.operation == WM_CONVEYOR && !scene.is_conveyor)
        rc = wm_error_set(&error, -WM_EINVAL, "no rule of the map fits, so that there are no hops to draw");
    if (rc == 0 && view->format == DOT && wm_operation_data(scene.facts.operation) == WM_DATA_MESSAGES)
        rc = wm_error_set(&error, -WM_EINVAL,
                          "nobody knows who sends messages to whom, so that there is no graph; take "
                          "--format text");
    if (rc == 0 && scene.plans != NULL)
        rc = wm_rounds_init(&rounds, scene.plans, scene.site.ranks, scene.answer.path, &error);
    if (rc == 0 && (rc = draw(view, &scene, &rounds)) < 0)
        wm_error_set(&error, rc, "%s", wm_error_sentence(rc));
    wm_rounds_release(&rounds);
    wm_scene_release(&scene);
    return rc < 0 ? wm_command_failed(&error) : 0;
}

static int run(struct wm_arguments *arguments)
{
    struct view view = {.question = wm_question_default(), .rank = -1, .to = -1};
    int status;

    if (!wm_arguments_read(arguments, &view, &status) || (status = wm_question_check(&view.question, arguments)) != 0)
        return status;
    return show(&view);
}

const struct wm_command wm_command_show = {
    .name = "show",
    .summary = "show what a map makes of a call: who talks to whom, in rounds",
    .synopsis = synopsis,
    .description = description,
    .options = options,
    .operands = WM_QUESTION_OPERANDS,
    .statuses = statuses,
    .examples = examples,
    .run = run,
};
