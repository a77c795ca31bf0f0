/* What is said of a case: the cause first and once, then who waits, in at most 40 lines. */
#ifndef WM_DOCTOR_WORDS_H
#define WM_DOCTOR_WORDS_H

#include <jansson.h>
#include <stdio.h>

enum { WM_WORDS_LINES = 40, WM_WORDS_RANK_CHARS = 96 };

/* "rank 4", "ranks 0-3, 5". `out`: of WM_WORDS_RANK_CHARS. */
void wm_words_ranks(const json_t *list, char *out);

/* Print the case, as made by wm_case_make. */
void wm_words_print(FILE *out, const json_t *object);

#endif
