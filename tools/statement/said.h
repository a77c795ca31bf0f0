/* What a command line says of a statement's names, and the names that come of it. */
#ifndef WM_TOOLS_SAID_H
#define WM_TOOLS_SAID_H

#include "tools/cli/options.h"
#include "tools/statement/names.h"

struct wm_said {
    int let_count;
    const char *lets[WM_BINDINGS_MAX];
    int stable_count;
    const char *stable[WM_BINDINGS_MAX];
};

/* Readers of options: a let, and a name that is promised to be stable, into a struct wm_said. */
int wm_option_let(void *place, const struct wm_arguments *arguments, const struct wm_option *option);
int wm_option_stable(void *place, const struct wm_arguments *arguments, const struct wm_option *option);

/* The names of a statement on so many ranks, as it is said. Returns as wm_names_init; release them in any case. */
int wm_said_names(struct wm_bound_names *names, const struct wm_said *said, const char *text, int ranks,
                  struct wm_error *error);

#endif
