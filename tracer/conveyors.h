/* Conveyors in a trace's definitions: their hops and this rank's links. Nothing in a definition is trusted. */
#ifndef WM_TRACE_CONVEYORS_H
#define WM_TRACE_CONVEYORS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

enum { WM_TRACE_HOPS_MAX = 4 };

/* One end of a link. */
struct wm_trace_link {
    int number; /* at this rank */
    int hop;
    int peer;  /* rank in the conveyor's communicator, not negative */
    int there; /* the link's number at the peer, within the hop */
    char net[8];
};

struct wm_trace_hop {
    char axis[32];
    int first_out, first_in; /* numbers of the hop's first outlet and inlet at this rank */
};

/* As one rank defines it, for runs from `run` on. */
struct wm_trace_conveyor {
    uint32_t communicator, run;
    char name[64];
    int node; /* of the trace wrapper */
    uint64_t item_bytes, unit_bytes, tag_bytes, units;
    int buffers, sample;
    bool elastic;
    int hop_count;
    struct wm_trace_hop hops[WM_TRACE_HOPS_MAX];
    int outlet_count, inlet_count;
    struct wm_trace_link *outlets, *inlets; /* ascending by number, which may leave some out */
    int node_count;                         /* 0: unknown, else as many as ranks */
    int *nodes;                             /* by rank */
};

/* Read a definition. Returns 0, 1 when it is not understood, -WM_ENOMEM; release what it holds after 0 alone. */
int wm_trace_conveyor_read(struct wm_trace_conveyor *conveyor, const json_t *definition);

/* The link of this number among a conveyor's outlets or inlets, or NULL. */
const struct wm_trace_link *wm_trace_link_find(const struct wm_trace_link *links, int count, int number);

void wm_trace_conveyor_release(struct wm_trace_conveyor *conveyor);

#endif
