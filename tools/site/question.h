/* A question on a command line: the map, the call and the machine that `show` and `explain` are about. */
#ifndef WM_TOOLS_QUESTION_H
#define WM_TOOLS_QUESTION_H

#include "tools/cli/options.h"
#include "tools/site/scene.h"

/* The options that the commands share, whose struct wm_map_question stands at `base` in their choice. */
/* clang-format off */
#define WM_QUESTION_OPTIONS(base)                                                                                      \
    {"op", 'o', "OPERATION", "The operation, as in a map: allreduce, bcast, conveyor, …",                              \
     .read = wm_option_operation, .place = (base) + offsetof(struct wm_map_question, operation)},                      \
    {"bytes", 'b', "SIZE", "Bytes of the data, of each block, or of an item: 8 (the default), 64KiB, 1MiB, …",         \
     .read = wm_option_size, .place = (base) + offsetof(struct wm_map_question, bytes)},                               \
    {"grid", 'g', "MACHINE",                                                                                           \
     "The machine: node=4,core=4 (the default). node=2,core=4+2 is a ragged one; socket=2 divides the cores of a "     \
     "node; order=cyclic deals the ranks out round-robin.",                                                            \
     .read = wm_option_word, .place = (base) + offsetof(struct wm_map_question, machine)},                             \
    {"root", 0, "RANK", "The root, where the operation has one; 0 unless given.",                                      \
     .read = wm_option_rank, .place = (base) + offsetof(struct wm_map_question, root)},                                \
    {"commutative", 0, "yes|no", "Whether the operator of a reduction commutes; yes unless given.",                    \
     .read = wm_option_yes, .place = (base) + offsetof(struct wm_map_question, commutative)},                          \
    {"communicator", 0, "NAME",                                                                                        \
     "The name of the communicator, or of the conveyor, which a rule may look at; MPI_COMM_WORLD unless given.",       \
     .read = wm_option_word, .place = (base) + offsetof(struct wm_map_question, communicator)},                        \
    {"load", 0, "SIZE", "What a rank pushed in the conveyor's run before; 0 unless given.",                            \
     .read = wm_option_size, .place = (base) + offsetof(struct wm_map_question, load)},                                \
    {"crowded", 0, "yes|no", "Whether some node has more ranks than processors for them; no unless given.",            \
     .read = wm_option_yes, .place = (base) + offsetof(struct wm_map_question, crowded)}
#define WM_QUESTION_OPERANDS {.what = "map", .least = 1, .most = 1}
/* clang-format on */

/* The call that is asked about when nothing is said. */
struct wm_map_question wm_question_default(void);

/* Once all is read: take the map over, and complain when no operation is named. Returns 0 or an exit status. */
int wm_question_check(struct wm_map_question *question, const struct wm_arguments *arguments);

/* Reader of an option: one operation into an enum wm_operation. */
int wm_option_operation(void *place, const struct wm_arguments *arguments, const struct wm_option *option);

/* Reader of an option: the operations of a list, added to the bits of a uint32_t. */
int wm_option_operations(void *place, const struct wm_arguments *arguments, const struct wm_option *option);

#endif
