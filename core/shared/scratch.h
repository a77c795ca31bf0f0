/* Scratch of a shared step: memory of this member alone for values that are neither in the user's buffers nor in slots.
 *
 * A member that combines a share for the root keeps the packed result here until it is posted; where no kernel serves
 * (the user's operators and datatypes), values stand here as the operator wants them. */
#ifndef WM_SHARED_SCRATCH_H
#define WM_SHARED_SCRATCH_H

#include "core/shared/shared.h"

/* The first error stays; the rounds go on, for the others wait for them. */
static inline void wm_shared_note(struct wm_shared_task *task, int rc)
{
    if (rc != MPI_SUCCESS && task->error == MPI_SUCCESS)
        task->error = rc;
}

/* Take what the step needs. */
void wm_shared_scratch_take(struct wm_shared_task *task);
void wm_shared_scratch_release(struct wm_shared_task *task);

/* Where the result of chunk `k` stands, packed; it may stay until chunk k + 2. NULL: the step has none. */
char *wm_shared_scratch_result(const struct wm_shared_task *task, size_t k);

/* Combine a packed contribution, number `turn` from 0, with those before it; the last leaves `count` units at `result`,
 * `packed` or as the user has them. */
void wm_shared_combine_slowly(struct wm_shared_task *task, const char *contribution, char *result, int turn, bool last,
                              bool packed, size_t count);

#endif
