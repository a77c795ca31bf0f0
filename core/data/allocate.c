/* Memory, or the end of the job with a sentence. */
#include "core/data/allocate.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

void wm_out_of_memory(const char *what)
{
    int rank = 0;

    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    fprintf(stderr, "waymark: no memory for %s at rank %d: the job ends, for the other ranks would wait for ever\n",
            what, rank);
    fflush(stderr);
    PMPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}

/* An empty piece is a piece. */
static size_t at_least_one(size_t bytes)
{
    return bytes > 0 ? bytes : 1;
}

void *wm_allocate(size_t bytes, const char *what)
{
    void *memory = malloc(at_least_one(bytes));

    if (memory == NULL)
        wm_out_of_memory(what);
    return memory;
}

void *wm_allocate_zeroed(size_t bytes, const char *what)
{
    void *memory = calloc(1, at_least_one(bytes));

    if (memory == NULL)
        wm_out_of_memory(what);
    return memory;
}
