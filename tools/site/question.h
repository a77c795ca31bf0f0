/* A question on a command line: the map, the call and the machine that `show` and `explain` are about. */
#ifndef WM_TOOLS_QUESTION_H
#define WM_TOOLS_QUESTION_H

#include "tools/cli/command.h"
#include "tools/site/scene.h"

/* The options that the commands share; a command's own come behind them. */
enum {
    WM_QUESTION_OP,
    WM_QUESTION_BYTES,
    WM_QUESTION_GRID,
    WM_QUESTION_ROOT,
    WM_QUESTION_COMMUTES,
    WM_QUESTION_COMMUNICATOR,
    WM_QUESTION_LOAD,
    WM_QUESTION_CROWDED,
    WM_QUESTION_OPTIONS
};

/* clang-format off */
#define WM_QUESTION_OPTION_RECORDS                                                                                      \
    [WM_QUESTION_OP] = {"op", 'o', "OPERATION", "The operation, as in a map: allreduce, bcast, conveyor, …"},            \
    [WM_QUESTION_BYTES] = {"bytes", 'b', "SIZE",                                                                        \
        "Bytes of the data, of each block, or of an item: 8 (the default), 64KiB, 1MiB, …"},                            \
    [WM_QUESTION_GRID] = {"grid", 'g', "MACHINE",                                                                       \
        "The machine: node=4,core=4 (the default). node=2,core=4+2 is a ragged one; socket=2 divides the cores of a "   \
        "node; order=cyclic deals the ranks out round-robin."},                                                         \
    [WM_QUESTION_ROOT] = {"root", 0, "RANK", "The root, where the operation has one; 0 unless given."},                 \
    [WM_QUESTION_COMMUTES] = {"commutative", 0, "yes|no",                                                               \
        "Whether the operator of a reduction commutes; yes unless given."},                                             \
    [WM_QUESTION_COMMUNICATOR] = {"communicator", 0, "NAME",                                                            \
        "The name of the communicator, or of the conveyor, which a rule may look at; MPI_COMM_WORLD unless given."},    \
    [WM_QUESTION_LOAD] = {"load", 0, "SIZE",                                                                            \
        "What a rank pushed in the conveyor's run before; 0 unless given."},                                            \
    [WM_QUESTION_CROWDED] = {"crowded", 0, "yes|no",                                                                    \
        "Whether some node has more ranks than processors for them; no unless given."}
/* clang-format on */

/* The call that is asked about when nothing is said. */
struct wm_map_question wm_question_default(void);

/* Read the map (WM_ARGUMENT_OPERAND) or one of the shared options. Returns 0 or an exit status. */
int wm_question_read(struct wm_map_question *question, const struct wm_arguments *arguments, int option);

/* Once all is read: complain about what is missing. Returns 0 or an exit status. */
int wm_question_check(const struct wm_map_question *question, const struct wm_arguments *arguments);

/* "7": a rank. False when it is none. */
bool wm_question_rank(const char *text, int *rank);

/* Two words that an option chooses between. Returns 0 or 1, or -1. */
int wm_question_choose(const char *word, const char *first, const char *second);

#endif
