/* Up to which size a message leaves although its receiver does nothing. */
#include <stdlib.h>
#include <time.h>
#include "tools/gauge/session.h"
#include "tracer/clock.h"

enum { LEAST = 64, MOST = 4 << 20, PATIENCE_NS = 400000, LATE_NS = 1500000, TRIES = 8 };

/* At the sender: is it complete before the receiver does anything? */
static int leaves(MPI_Comm pair, char *buffer, int bytes)
{
    uint64_t end;
    MPI_Request request;
    int left = 0;

    PMPI_Isend(buffer, bytes, MPI_CHAR, 1, 0, pair, &request);
    end = wm_clock_monotonic_ns() + PATIENCE_NS;
    do
        PMPI_Test(&request, &left, MPI_STATUS_IGNORE);
    while (!left && wm_clock_monotonic_ns() < end);
    if (!left)
        PMPI_Wait(&request, MPI_STATUS_IGNORE);
    return left;
}

static int is_eager(MPI_Comm pair, int rank, char *buffer, uint64_t bytes)
{
    static const struct timespec late = {.tv_nsec = LATE_NS};
    int left = 0;

    for (int i = 0; i < TRIES && !left; i++) {
        int now = 0;

        wm_gauge_meet(pair);
        if (rank == 0)
            now = leaves(pair, buffer, (int)bytes);
        else {
            nanosleep(&late, NULL);
            PMPI_Recv(buffer, (int)bytes, MPI_CHAR, 0, 0, pair, MPI_STATUS_IGNORE);
        }
        left = now;
        PMPI_Bcast(&left, 1, MPI_INT, 0, pair);
    }
    return left;
}

uint64_t wm_gauge_eager_bytes(MPI_Comm pair)
{
    char *buffer = calloc(1, MOST);
    uint64_t low = 0, high = LEAST;
    bool good = buffer != NULL;
    int rank;

    PMPI_Comm_rank(pair, &rank);
    PMPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_C_BOOL, MPI_LAND, pair);
    while (good && high < MOST && is_eager(pair, rank, buffer, high)) {
        low = high;
        high *= 2;
    }
    while (good && high < MOST && high - low > high / 64) {
        uint64_t middle = low + (high - low) / 2;

        if (is_eager(pair, rank, buffer, middle))
            low = middle;
        else
            high = middle;
    }
    free(buffer);
    return low;
}
