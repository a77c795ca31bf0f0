/* Up to which size a message is sent without being asked for. No clock says so, for a rank may be off its core at any
 * time: a message is eager if its send is complete before its receive is posted, although later messages have
 * gone there and back. */
#include <stdlib.h>
#include "tools/gauge/session.h"

enum { LEAST = 64, MOST = 4 << 20, TRIES = 3, TRIPS = 2, LOOKS = 20 };
enum { DATA, LATER, BACK, TOLD };

/* At the sender. What an eager message took is given back before the answers, but may be seen behind them; looks are
 * few, for each may cost a time slice. */
static int leaves(MPI_Comm pair, char *buffer, int bytes)
{
    MPI_Request request;
    int left = 0;

    PMPI_Isend(buffer, bytes, MPI_CHAR, 1, DATA, pair, &request);
    for (int i = 0; i < TRIPS; i++) {
        PMPI_Send(NULL, 0, MPI_CHAR, 1, LATER, pair);
        PMPI_Recv(NULL, 0, MPI_CHAR, 1, BACK, pair, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < LOOKS && !left; i++)
        PMPI_Test(&request, &left, MPI_STATUS_IGNORE);
    PMPI_Send(&left, 1, MPI_INT, 1, TOLD, pair);
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
    return left;
}

/* At the receiver, which learns what the sender saw. */
static int takes(MPI_Comm pair, char *buffer, int bytes)
{
    int left;

    for (int i = 0; i < TRIPS; i++) {
        PMPI_Recv(NULL, 0, MPI_CHAR, 0, LATER, pair, MPI_STATUS_IGNORE);
        PMPI_Send(NULL, 0, MPI_CHAR, 0, BACK, pair);
    }
    PMPI_Recv(&left, 1, MPI_INT, 0, TOLD, pair, MPI_STATUS_IGNORE);
    PMPI_Recv(buffer, bytes, MPI_CHAR, 0, DATA, pair, MPI_STATUS_IGNORE);
    return left;
}

/* Once seen is enough: what is not eager is never complete before its receive. */
static int is_eager(MPI_Comm pair, int rank, char *buffer, uint64_t bytes)
{
    int left = 0;

    for (int i = 0; i < TRIES && !left; i++)
        left = rank == 0 ? leaves(pair, buffer, (int)bytes) : takes(pair, buffer, (int)bytes);
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
    while (good && high < MOST && high - low > 1) {
        uint64_t middle = low + (high - low) / 2;

        if (is_eager(pair, rank, buffer, middle))
            low = middle;
        else
            high = middle;
    }
    free(buffer);
    return low;
}
