/* Things dealt out over the ranks like cards, brought together at rank 0. */
#include <mpi.h>
#include <stdlib.h>
#include "examples/convey/dealt.h"

static void put(const struct job *job, int rank, const int64_t *values, int64_t all, int64_t *result)
{
    for (int64_t number = rank; number < all; number += job->ranks)
        result[number] = values[number / job->ranks];
}

int64_t *dealt_gather(const struct job *job, const int64_t *mine, int64_t all)
{
    int64_t most = (all + job->ranks - 1) / job->ranks;
    int64_t *result, *values;

    if (job->rank > 0) {
        MPI_Send(mine, (int)dealt_count(job, all), MPI_INT64_T, 0, 0, MPI_COMM_WORLD);
        return NULL;
    }
    result = job_memory(job, all, sizeof *result);
    values = job_memory(job, most, sizeof *values);
    put(job, 0, mine, all, result);
    for (int rank = 1; rank < job->ranks; rank++) {
        MPI_Recv(values, (int)most, MPI_INT64_T, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        put(job, rank, values, all, result);
    }
    free(values);
    return result;
}
