/* Mutations of JSON: of values by their places, then of bytes. */
#ifndef WM_TESTS_FUZZ_JSON_MUTATE_H
#define WM_TESTS_FUZZ_JSON_MUTATE_H

#include "tests/fuzz/random.h"
#include "tests/fuzz/text.h"

/* Change one to four values of a text that is JSON, and now and then its bytes. */
void fuzz_json_mutate(struct fuzz_text *text, struct fuzz_random *random);

#endif
