/* Readers of options' arguments, for the `read` of a struct wm_option; each says which type stands at its place. */
#ifndef WM_TOOLS_OPTIONS_H
#define WM_TOOLS_OPTIONS_H

#include "tools/cli/command.h"

/* bool: true when the option stands there. */
int wm_option_flag(void *place, const struct wm_arguments *arguments, const struct wm_option *option);

/* int: one more for each time that the option stands there. */
int wm_option_count(void *place, const struct wm_arguments *arguments, const struct wm_option *option);

/* const char *: any word. */
int wm_option_word(void *place, const struct wm_arguments *arguments, const struct wm_option *option);

/* const char *: a word that is not empty, a file's for example. */
int wm_option_name(void *place, const struct wm_arguments *arguments, const struct wm_option *option);

/* const char *: one of the words in option->argument, "text|json". */
int wm_option_one_of(void *place, const struct wm_arguments *arguments, const struct wm_option *option);

/* int or an enum: the index of the word in option->argument, from 0. */
int wm_option_choice(void *place, const struct wm_arguments *arguments, const struct wm_option *option);

/* bool: "yes" or "no". */
int wm_option_yes(void *place, const struct wm_arguments *arguments, const struct wm_option *option);

/* uint64_t: bytes, as wm_parse_bytes reads them, option->least at least. */
int wm_option_size(void *place, const struct wm_arguments *arguments, const struct wm_option *option);

/* int: a whole number from option->least to option->most. */
int wm_option_number(void *place, const struct wm_arguments *arguments, const struct wm_option *option);

/* int: a rank. */
int wm_option_rank(void *place, const struct wm_arguments *arguments, const struct wm_option *option);

/* int64_t: nanoseconds, as wm_parse_time reads them, option->least to option->most unless that is 0. */
int wm_option_time(void *place, const struct wm_arguments *arguments, const struct wm_option *option);

#endif
