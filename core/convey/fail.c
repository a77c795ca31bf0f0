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
    const char *sentence = sentence_of(error);

    (void)c;
    return sentence != NULL ? sentence : sentence_of(convey_error_UNKNOWN);
}

int wm_convey_fail(struct wm_conveyor *c, const char *function, int code)
{
    if (c == NULL)
        fprintf(stderr, "waymark: %s: %s\n", function, convey_error_string(NULL, code));
    else if ((c->wish.options & convey_opt_QUIET) == 0)
        fprintf(stderr, "waymark: %s: %s (rank %d%s%s)\n", function, convey_error_string(NULL, code), c->rank,
                c->wish.name[0] != '\0' ? " of " : "", c->wish.name);
    return code;
}
