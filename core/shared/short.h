/* The short road: a step of a single round, or through a tree, done at once.
 *
 * What does not change between equal calls is found out beforehand: kernel, sizes, where payloads stand. Blocking calls
 * only; waits until the step is over at this member, and lets the MPI library progress meanwhile (core/node/node.h). */
#ifndef WM_SHARED_SHORT_H
#define WM_SHARED_SHORT_H

#include "core/shared/shared.h"

struct wm_shared_short {
    void (*run)(const struct wm_shared_short *road, uintptr_t send, uintptr_t receive); /* NULL: not for this step */
    const struct wm_shared *step;
    struct wm_shared_lane *lane;
    wm_kernel *kernel;
    bool in_place;
    size_t units, bytes; /* of a stream, or a part */
    size_t payload;      /* bytes of a round */
    size_t unit_bytes;
    struct wm_shared_data data; /* through a tree: what stays the same of it */
    struct wm_transport transport;
};

/* Make it ready. False: the step does not go that way: it is one round, or a barrier, bcast or allreduce through a
 * tree; plain bytes in the user's own buffers, and a kernel where it combines. `data->geometry` lives as long as the
 * road. */
bool wm_shared_short_make(struct wm_shared_short *road, struct wm_shared_lane *lane, const struct wm_shared *step,
                          const struct wm_shared_data *data, const struct wm_transport *transport);

static inline void wm_shared_short_run(const struct wm_shared_short *road, const void *send, void *receive)
{
    road->run(road, (uintptr_t)send, (uintptr_t)receive);
}

#endif
