/* A question on a command line: the map, the call and the machine that `show` and `explain` are about. */
#ifndef WM_TOOLS_QUESTION_H
#define WM_TOOLS_QUESTION_H

#include <limits.h>
#include "tools/cli/options.h"
#include "tools/site/scene.h"

/* The options that the commands share, those of the facts from their table; for a choice that begins with a struct
 * wm_map_question. */
/* clang-format off */
#define WM_QUESTION_OPTIONS                                                                                             \
    WM_TOLD_FACTS(WM_QUESTION_FACT)                                                                                     \
    {"grid", 'g', "MACHINE",                                                                                            \
     "The machine: node=4,core=4 (the default). node=2,core=4+2 is a ragged one; socket=2 divides the cores of a "      \
     "node; cluster=2 has the nodes in two clusters, cluster=1+2 in turn; order=cyclic deals the ranks out "              \
     "round-robin; host=n1+n2 names the hosts of a map that has groups of them.",                                        \
     .read = wm_option_name, .place = offsetof(struct wm_map_question, machine)}
#define WM_QUESTION_FACT(field, type, word, option, letter, argument, help)                                             \
    {option, letter, argument, help, .read = WM_QUESTION_##type, .most = INT_MAX,                                       \
     .place = offsetof(struct wm_map_question, facts.field)},
#define WM_QUESTION_OPERATION wm_option_operation
#define WM_QUESTION_SIZE wm_option_size
#define WM_QUESTION_RANK wm_option_rank
#define WM_QUESTION_COUNT wm_option_number
#define WM_QUESTION_TRUTH wm_option_yes
#define WM_QUESTION_TEXT wm_option_fact_text
#define WM_QUESTION_OPERANDS {.what = "map", .least = 1, .most = 1}

/* How these are written on a command line. */
#define WM_QUESTION_SYNOPSIS "MAP" WM_TOLD_FACTS(WM_QUESTION_WORDS) " [--grid MACHINE]"
#define WM_QUESTION_WORDS(field, type, word, option, letter, argument, help)                                            \
    WM_QUESTION_WORDS_##type("--" option " " argument)
#define WM_QUESTION_WORDS_OPERATION(words) " " words
#define WM_QUESTION_WORDS_SIZE(words) " [" words "]"
#define WM_QUESTION_WORDS_RANK WM_QUESTION_WORDS_SIZE
#define WM_QUESTION_WORDS_COUNT WM_QUESTION_WORDS_SIZE
#define WM_QUESTION_WORDS_TRUTH WM_QUESTION_WORDS_SIZE
#define WM_QUESTION_WORDS_TEXT WM_QUESTION_WORDS_SIZE
/* clang-format on */

/* The call that is asked about when nothing is said. */
struct wm_map_question wm_question_default(void);

/* Once all is read: take the map over, and complain when no operation is named. Returns 0 or an exit status. */
int wm_question_check(struct wm_map_question *question, const struct wm_arguments *arguments);

/* Reader of an option: one operation into an enum wm_operation. */
int wm_option_operation(void *place, const struct wm_arguments *arguments, const struct wm_option *option);

/* Reader of an option: a name into WM_FACT_TEXT_CHARS characters. */
int wm_option_fact_text(void *place, const struct wm_arguments *arguments, const struct wm_option *option);

/* Reader of an option: the operations of a list, added to the bits of a uint32_t. */
int wm_option_operations(void *place, const struct wm_arguments *arguments, const struct wm_option *option);

#endif
