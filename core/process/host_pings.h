/* Pings of hosts: the round trips that one rank of them all, the asker, wants to know, measured by others.
 *
 * One rank a host takes part, its leader, on a communicator of ours. A leader answers pings, and pings the leaders that
 * the asker lists for it, several at once; so all of them are in wm_host_pings_serve, or the asker between its first
 * wm_host_pings_ask and wm_host_pings_end. */
#ifndef WM_HOST_PINGS_H
#define WM_HOST_PINGS_H

#include <mpi.h>
#include "core/path/clusters.h"

struct wm_host_pings {
    MPI_Comm comm;
    int hosts;
    const int *leaders; /* [hosts] their ranks in `comm`, in rising order; the first is the asker */
};

/* Measure: for the asker. A wm_round_trips, with these as its context. 0, -WM_ENOMEM or -WM_EMPI. */
int wm_host_pings_ask(void *pings, struct wm_round_trip *trips, int count);

/* Answer until the asker lets go: for all other leaders. 0, -WM_ENOMEM or -WM_EMPI. */
int wm_host_pings_serve(const struct wm_host_pings *pings);

/* Let the others go. For the asker. */
void wm_host_pings_end(const struct wm_host_pings *pings);

#endif
