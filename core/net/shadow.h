/* The shadow: the communicator of ours that the net over MPI sends on. Made and freed in shadow.c. */
#ifndef WM_NET_SHADOW_H
#define WM_NET_SHADOW_H

#include <mpi.h>

extern MPI_Comm wm_net_shadow;

#endif
