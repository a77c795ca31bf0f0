/* Lets and promises of a command line. */
#include "tools/statement/said.h"

int wm_option_let(void *place, const struct wm_arguments *a, const struct wm_option *option)
{
    struct wm_said *said = place;

    (void)option;
    if (said->let_count == WM_BINDINGS_MAX)
        return wm_arguments_misuse(a, "there are more than %d lets", WM_BINDINGS_MAX);
    said->lets[said->let_count++] = a->value;
    return 0;
}

int wm_option_stable(void *place, const struct wm_arguments *a, const struct wm_option *option)
{
    struct wm_said *said = place;

    (void)option;
    if (said->stable_count == WM_BINDINGS_MAX)
        return wm_arguments_misuse(a, "there are more than %d stable names", WM_BINDINGS_MAX);
    said->stable[said->stable_count++] = a->value;
    return 0;
}

int wm_said_names(struct wm_bound_names *names, const struct wm_said *said, const char *text, int ranks,
                  struct wm_error *error)
{
    int rc = wm_names_init(names, text, said->lets, said->let_count, ranks, error);

    for (int i = 0; i < said->stable_count && rc == 0; i++)
        rc = wm_names_promise(names, said->stable[i], error);
    return rc;
}
