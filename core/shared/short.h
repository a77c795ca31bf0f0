/* Short steps: shared steps done at once, those of a single round with what is known of it.
 *
 * What does not change between equal calls is found out beforehand: kernel, sizes, where payloads stand. Blocking calls
 * only; waits until the step is over at this member, and lets the MPI library progress meanwhile (core/node/node.h).
 * Each member may take its steps so or by core/shared/shared.h: on the lane both are the same. */
#ifndef WM_SHARED_SHORT_H
#define WM_SHARED_SHORT_H

#include "core/shared/shared.h"

struct wm_shared_short;
typedef void wm_shared_short_part(const struct wm_shared_short *short_step, uintptr_t send, uintptr_t receive);

struct wm_shared_short {
    wm_shared_short_part *run;
    const struct wm_shared *step;
    struct wm_shared_lane *lane;
    wm_kernel *kernel;
    size_t unit_bytes;
    /* Of a single round: */
    bool posts, split, even; /* split: a part for each member; even: all give the same count */
    bool keeps;              /* brings its own share to its place */
    bool fills_own;          /* … into the slot, where it is read from */
    int sources;             /* whom this member reads: the first so many; 1, where nothing is combined: the root */
    size_t units;            /* that this member combines */
    size_t bytes, payload;   /* of a stream, or a part, at most; of the round */
    size_t stride;           /* from a member's payload to the next one's */
    size_t skip;             /* where this member's part stands in the others' payloads */
    /* Of any other: */
    struct wm_shared_task task; /* planned */
    struct wm_transport transport;
};

/* Make a step ready to be run. False: it is not short, which takes plain bytes in the user's own buffers, and a kernel
 * where it combines. `data->geometry` lives as long; the buffers do not matter. */
bool wm_shared_short_make(struct wm_shared_short *short_step, struct wm_shared_lane *lane, const struct wm_shared *step,
                          const struct wm_shared_data *data, const struct wm_transport *transport);

static inline void wm_shared_short_run(const struct wm_shared_short *short_step, const void *send, void *receive)
{
    short_step->run(short_step, (uintptr_t)send, (uintptr_t)receive);
}

/* The same in two parts, of a step that is direct (core/shared/direct.h): between them the caller may do what others
 * need not wait for. */
static inline bool wm_shared_short_has_parts(const struct wm_shared_short *short_step)
{
    return short_step->task.direct != 0;
}
void wm_shared_short_begin(const struct wm_shared_short *short_step, const void *send, const void *receive,
                           struct wm_shared_task *task);
void wm_shared_short_end(const struct wm_shared_short *short_step, struct wm_shared_task *task);

#endif
