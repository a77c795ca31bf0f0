/* A sparse matrix, or a graph, by compressed rows that are dealt out over the ranks (dealt.h).
 *
 * It is made of entries that any rank can generate, by their number: each rank generates a part of them and sends them
 * over a conveyor to the ranks that have their rows. */
#ifndef EXAMPLES_CONVEY_MATRIX_H
#define EXAMPLES_CONVEY_MATRIX_H

#include <stdbool.h>
#include <stdint.h>
#include "examples/convey/job.h"

struct entry {
    int64_t row, column;
};

struct generator {
    /* Entry `number`, from 0 to entries - 1, into *entry; false: there is none of this number. */
    bool (*make)(const void *context, int64_t number, struct entry *entry);
    const void *context;
    int64_t rows, entries;
    bool once; /* of equal entries one is kept */
};

struct matrix {
    int64_t places;  /* rows of this rank */
    int64_t *start;  /* [places + 1] where a row's columns begin */
    int64_t *column; /* [start[places]] rising within a row */
};

/* Collective. */
void matrix_make(struct matrix *matrix, const struct job *job, const struct generator *generator);
/* The same without any communication, for comparison: this rank generates all entries and keeps its own. */
void matrix_make_alone(struct matrix *matrix, const struct job *job, const struct generator *generator);
void matrix_release(struct matrix *matrix);

#endif
