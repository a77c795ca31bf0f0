/* A program that is run under limits, and what it said. */
#ifndef WM_TESTS_FUZZ_CHILD_H
#define WM_TESTS_FUZZ_CHILD_H

#include <stdbool.h>
#include "tests/fuzz/text.h"

struct fuzz_child {
    bool late;             /* it was killed, for it did not end within its limit */
    int status;            /* as waitpid says */
    struct fuzz_text said; /* on stdout and stderr, up to some MiB */
};

/* Run the words, for `seconds` at most. The text is the caller's to release. */
void fuzz_child_run(struct fuzz_child *child, char *const *words, int seconds);

#endif
