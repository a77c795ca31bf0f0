/* Facts: what a rule of the map may look at. All ranks of a communicator share them, so that they choose alike. */
#ifndef WM_FACTS_H
#define WM_FACTS_H

#include <stdbool.h>
#include <stdint.h>
#include "waymark/operation.h"

enum { WM_COMMUNICATOR_NAME_CHARS = 64 };

struct wm_facts {
    enum wm_operation operation;
    uint64_t bytes; /* of the signature (docs in core/call/describe.h); 0 for barrier */
    uint64_t load; /* conveyor: bytes that a rank pushed in the run before, the most of all ranks; 0 before the first */
    int ranks;     /* size of the communicator */
    int nodes;     /* nodes that the communicator touches */
    int root;      /* -1: the operation has none */
    bool commutative; /* the operator; true where there is none */
    bool uniform;     /* every node of the communicator has as many of its ranks */
    bool consecutive; /* ranks stand in the order of their coordinates on the grid */
    bool crowded;     /* on some node of the job, ranks outnumber the processors they may use */
    char communicator[WM_COMMUNICATOR_NAME_CHARS]; /* its MPI name, "" when it has none */
};

#endif
