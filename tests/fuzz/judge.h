/* What is wrong with what a program said of a map. */
#ifndef WM_TESTS_FUZZ_JUDGE_H
#define WM_TESTS_FUZZ_JUDGE_H

#include "tests/fuzz/child.h"

/* NULL where all is well; else a static sentence. `map` is the text of the file `name`, which the program was given. */
const char *fuzz_judge_check(const struct fuzz_child *child, const struct fuzz_text *map, const char *name);

/* The same of a job: it ended well, with the program's `verdict` on one line, or was refused with a place. */
const char *fuzz_judge_job(const struct fuzz_child *child, const struct fuzz_text *map, const char *name,
                           const char *verdict);

#endif
