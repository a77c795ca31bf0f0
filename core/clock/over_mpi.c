/* Clocks' messages over MPI. */
#include "core/clock/over_mpi.h"

static int rank_of(const struct wm_clock_comm *c, int peer)
{
    return c->ranks != NULL ? c->ranks[peer] : peer;
}

static bool send(void *context, int peer, const void *data, size_t bytes)
{
    const struct wm_clock_comm *c = context;

    return PMPI_Send(data, (int)bytes, MPI_BYTE, rank_of(c, peer), 0, c->comm) == MPI_SUCCESS;
}

static bool receive(void *context, int peer, void *data, size_t bytes)
{
    const struct wm_clock_comm *c = context;

    return PMPI_Recv(data, (int)bytes, MPI_BYTE, rank_of(c, peer), 0, c->comm, MPI_STATUS_IGNORE) == MPI_SUCCESS;
}

struct wm_clock_way wm_clock_over_mpi(struct wm_clock_comm *comm)
{
    return (struct wm_clock_way){send, receive, comm};
}
