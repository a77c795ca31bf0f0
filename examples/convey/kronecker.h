/* A graph like those of the Graph 500 benchmark: 2^scale vertices, `degree` edges a vertex thrown by a Kronecker
 * product of a 2 × 2 matrix, vertices shuffled. Undirected, without loops and double edges. */
#ifndef EXAMPLES_CONVEY_KRONECKER_H
#define EXAMPLES_CONVEY_KRONECKER_H

#include <stdint.h>
#include "examples/convey/matrix.h"

struct kronecker {
    int64_t seed, scale, degree;
};

/* Each edge once in each direction; `kronecker` lives as long as the generator. */
struct generator kronecker_edges(const struct kronecker *kronecker);
/* Each edge once, from its larger to its smaller vertex. */
struct generator kronecker_lower(const struct kronecker *kronecker);

#endif
