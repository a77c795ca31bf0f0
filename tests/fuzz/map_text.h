/* Maps to try: mutated ones, and ones made up from the records of wrappers and shapes. */
#ifndef WM_TESTS_FUZZ_MAP_TEXT_H
#define WM_TESTS_FUZZ_MAP_TEXT_H

#include "tests/fuzz/random.h"
#include "tests/fuzz/text.h"

/* Change one to three things of a map; `other` is one from which pieces may come. */
void fuzz_map_mutate(struct fuzz_text *map, const struct fuzz_text *other, struct fuzz_random *random);

/* Write a map that keeps to the grammar; most of them are accepted. */
void fuzz_map_generate(struct fuzz_text *map, struct fuzz_random *random);

/* A name out of the records, for any place. */
const char *fuzz_map_name(struct fuzz_random *random);

#endif
