/* Cases by the seed, in a process that may die of them. */
#ifndef WM_TESTS_FUZZ_CASES_H
#define WM_TESTS_FUZZ_CASES_H

#include <stdint.h>
#include "tests/fuzz/text.h"

/* Runs one case: NULL where all is well, else a static sentence. What it tries is put into `tried`. */
typedef const char *fuzz_case(uint64_t seed, struct fuzz_text *tried);

/* The main function of a fuzzer of this name: options --seed, --cases, --seconds and --keep. Cases run in children; one
 * that dies, or takes more than a minute, is a finding like one that returns a sentence. What was tried is kept.
 * Returns an exit status. */
int fuzz_cases_main(const char *name, int argc, char **argv, fuzz_case *run);

#endif
