/* A group over a communicator: where its ranks are. */
#include "waymark/message_comm.h"

#include <stdlib.h>
#include "core/data/allocate.h"
#include "core/message/span.h"
#include "core/process/machine.h"

struct wm_endpoints *wm_endpoints_over(MPI_Comm comm, const struct wm_message_limits *limits)
{
    struct wm_endpoints *group = NULL;
    struct wm_place *places;
    bool known;
    int ranks;

    PMPI_Comm_size(comm, &ranks);
    places = wm_allocate_zeroed(sizeof *places * (size_t)ranks, "messages");
    if (wm_machine_places_of(comm, ranks, places, &known) == 0)
        group = wm_endpoints_span(comm, known ? places : NULL, 1, limits);
    free(places);
    return group;
}
