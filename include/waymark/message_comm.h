/* Endpoints at the ranks of a communicator: messages of any protocol between them (waymark/message.h).
 *
 * What is under way goes on in every wait of the process: for an envelope, in any MPI call that waits, in a collective
 * of the map, in a conveyor's idle turns. Under MPI_THREAD_MULTIPLE it does so in the thread that made the group, or in
 * all, where the group is many threads' (waymark/message_threads.h). */
#ifndef WM_MESSAGE_COMM_H
#define WM_MESSAGE_COMM_H

#include <mpi.h>
#include "waymark/expect.h"
#include "waymark/message.h"

/* Make a group with an endpoint at every rank of `comm`, of the same number: to be freed by wm_endpoints_free before
 * MPI_Finalize. No endpoint is sent to before it has opened the protocol: open all of them, then meet, in MPI_Barrier
 * for one. `limits` NULL: all are 0; what a map says of messages (docs/maps.md) goes before them. Where nothing is set,
 * WAYMARK_UNEXPECTED limits copies, and sentences go to stderr, those of keys under WAYMARK_VERBOSE. Collective. NULL:
 * the MPI library gives no communicator. */
WM_MESSAGE_API struct wm_endpoints *wm_endpoints_over(MPI_Comm comm, const struct wm_message_limits *limits);

#endif
