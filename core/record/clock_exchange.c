/* Ping-pongs that compare two ranks' clocks. */
#include "core/record/clock_exchange.h"

#include "tracer/clock.h"

enum { PING_TAG, PONG_TAG };

bool wm_clock_exchange_ask(MPI_Comm comm, int peer, int count, struct wm_offset *offset)
{
    struct wm_interval interval;
    uint64_t there_ns[2] = {0, 0};

    wm_interval_clear(&interval);
    for (int i = 0; i < count; i++) {
        struct wm_clock_exchange exchange = {.sent_ns = wm_clock_monotonic_ns()};

        if (PMPI_Send(NULL, 0, MPI_BYTE, peer, PING_TAG, comm) != MPI_SUCCESS ||
            PMPI_Recv(there_ns, sizeof there_ns, MPI_BYTE, peer, PONG_TAG, comm, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            break;
        exchange.back_ns = wm_clock_monotonic_ns();
        exchange.there_in_ns = there_ns[0];
        exchange.there_out_ns = there_ns[1];
        wm_interval_add(&interval, &exchange);
    }
    return wm_interval_offset(&interval, offset);
}

void wm_clock_exchange_answer(MPI_Comm comm, int peer, int count)
{
    uint64_t here_ns[2];

    for (int i = 0; i < count; i++) {
        if (PMPI_Recv(NULL, 0, MPI_BYTE, peer, PING_TAG, comm, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return;
        here_ns[0] = wm_clock_monotonic_ns();
        here_ns[1] = wm_clock_monotonic_ns();
        if (PMPI_Send(here_ns, sizeof here_ns, MPI_BYTE, peer, PONG_TAG, comm) != MPI_SUCCESS)
            return;
    }
}
