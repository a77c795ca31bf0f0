/* The carrier of a synchronous hop, as its own files see it. */
#ifndef WM_CARRIER_SYNC_STATE_H
#define WM_CARRIER_SYNC_STATE_H

#include "core/convey/carrier_sync.h"

/* MPI counts in words, so that groups' buffers may exceed 2 GiB. */
enum { WM_SYNC_WORD_BYTES = 8, WM_SYNC_BLOCK_ALIGN = 64 };

struct wm_sync_outlet {
    struct wm_outlet base;
    size_t kept; /* units that were closed */
};

struct wm_sync_inlet {
    struct wm_inlet base;
    char *landed; /* what was exchanged and not taken */
    size_t units;
};

/* A link in the order of messages: by member, then by number at the receiver. */
struct wm_sync_lane {
    int member, number, link;
};

/* One side of the hop: its links in order, their buffers, and what MPI is told. */
struct wm_sync_side {
    int lanes;
    struct wm_sync_lane *lane;
    int *units;          /* [lanes] in the buffer of each */
    int *links, *before; /* [members] lanes of a member, and of all before it */
    int *words, *places; /* [members] of its message */
    char *block;         /* [lanes] buffers of `pitch` bytes */
};

struct wm_sync_carrier {
    struct wm_carrier base;
    struct wm_convey_form form;
    struct wm_convey_store *store;
    MPI_Comm comm;
    int members;
    bool even; /* a lane to each member and from each */
    bool wanted, ended;
    size_t pitch;
    struct wm_sync_side out, in;
    char *spare; /* as in.block */
    struct wm_sync_outlet *outlets;
    struct wm_sync_inlet *inlets;
};

static inline struct wm_sync_carrier *wm_sync_carrier(struct wm_carrier *carrier)
{
    return (struct wm_sync_carrier *)carrier;
}

/* Where the buffer of an outlet begins; `inlet` says which lane it is. */
static inline char *wm_sync_buffer(struct wm_sync_carrier *s, int lane)
{
    return s->out.block + (size_t)lane * s->pitch;
}

static inline char *wm_sync_tags(struct wm_sync_carrier *s, char *buffer)
{
    return buffer + s->form.units * s->form.unit_bytes;
}

static inline size_t wm_sync_round_up(size_t bytes, size_t grain)
{
    return (bytes + grain - 1) / grain * grain;
}

static inline size_t wm_sync_block_bytes(const struct wm_sync_carrier *s, const struct wm_sync_side *side)
{
    return (size_t)side->lanes * s->pitch;
}

#endif
