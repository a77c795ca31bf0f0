/* Errors of conveyors: one message each, and their sentences. */
#include <stdio.h>
#include "core/convey/state.h"
#include "core/process/process.h"

static const char *sentence_of(int code)
{
    switch (code) {
#define X(id, number, sentence)                                                                                        \
    case convey_error_##id:                                                                                            \
        return sentence;
        WM_CONVEY_ERRORS(X)
#undef X
    default:
        return NULL;
    }
}

const char *convey_error_string(convey_t *c, int error)
{
    const char *sentence = error == 0 ? "not now, or complete" : error > 0 ? "no error" : sentence_of(error);

    (void)c;
    return sentence != NULL ? sentence : sentence_of(convey_error_UNKNOWN);
}

/* Of its kind, of this conveyor or of those that are NULL. */
static bool is_first(struct wm_conveyor *c, int code)
{
    static bool told_of_null;
    uint64_t bit = UINT64_C(1) << -code % 64;
    bool first = c != NULL ? (c->told & bit) == 0 : code != convey_error_NULL || !told_of_null;

    if (c != NULL)
        c->told |= bit;
    else if (code == convey_error_NULL)
        told_of_null = true;
    return first;
}

int wm_convey_fail(struct wm_conveyor *c, const char *function, int code)
{
    if (!is_first(c, code))
        return code;
    if (c == NULL)
        fprintf(stderr, "waymark: %s: %s\n", function, convey_error_string(NULL, code));
    else if ((c->wish.options & convey_opt_QUIET) == 0)
        fprintf(stderr, "waymark: %s: %s (rank %d%s%s)\n", function, convey_error_string(NULL, code), c->rank,
                c->wish.name[0] != '\0' ? " of " : "", c->wish.name);
    return code;
}
