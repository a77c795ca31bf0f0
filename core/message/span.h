/* Groups of endpoints that span the ranks of a communicator. */
#ifndef WM_MESSAGE_SPAN_H
#define WM_MESSAGE_SPAN_H

#include <mpi.h>
#include "core/path/grid.h"
#include "waymark/message.h"

/* Make a group with `each` endpoints at every rank of `comm`, numbered rank by rank; `places` of the ranks say which of
 * them share memory (core/node/node.h, started). Collective. NULL: the MPI library gives no communicator. */
struct wm_endpoints *wm_endpoints_span(MPI_Comm comm, const struct wm_place *places, int each,
                                       const struct wm_message_limits *limits);

#endif
