/* An upper triangular sparse matrix whose rows and columns are shuffled: what a topological sort is to find in order.
 */
#ifndef EXAMPLES_CONVEY_SHUFFLED_H
#define EXAMPLES_CONVEY_SHUFFLED_H

#include <stdint.h>
#include "examples/convey/matrix.h"

struct shuffled {
    int64_t seed, scale, degree; /* 2^scale rows of `degree` entries, the diagonal's among them */
};

/* Its entries; `shuffled` lives as long as the generator. */
struct generator shuffled_entries(const struct shuffled *shuffled);
/* Those of its transpose. */
struct generator shuffled_turned(const struct shuffled *shuffled);

/* Look at all entries at rank 0, for there are many right answers: positions that are out of range or taken, and
 * entries left of the diagonal. The positions are this rank's, dealt out. Collective. */
int64_t shuffled_faults(const struct job *job, const struct generator *entries, const int64_t *row_position,
                        const int64_t *column_position);

#endif
