/* Mutations of a trace that know what its parts mean; for the fuzzer and for the test of damage. */
#ifndef WM_TESTS_FUZZ_MUTATE_H
#define WM_TESTS_FUZZ_MUTATE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "tests/tracer/fuzz_input.h"

/* Change one to four things, which the seed alone decides. */
void fuzz_mutate(struct fuzz_input *input, uint64_t seed);

#endif
