/* What the rounds of a shared step carry: from the user's memory into this member's slot, and out of the others'.
 *
 * A chunk is what a round has of each stream, or of each part of a split one. In slots units stand packed. Errors are
 * noted in the task; the rounds go on, for the others wait for them. */
#ifndef WM_SHARED_DATA_H
#define WM_SHARED_DATA_H

#include "core/shared.h"
#include "core/shared_leg.h"

/* Everyone's contribution is of the whole block: reduce and allreduce. */
bool wm_shared_reduces_whole(const struct wm_shared *step);
/* This member reads its own contribution where it posted it: what stands in the user's buffer is to be overwritten
 * before, or is not packed. */
bool wm_shared_posts_own(const struct wm_shared_task *task, const struct wm_shared_leg *leg);
/* The payload of a round of chunk `k`, as large as any member's: all know it. */
size_t wm_shared_round_bytes(const struct wm_shared_task *task, const struct wm_shared_leg *leg, size_t k);

/* Put what this member gives of chunk `k` into its slot. */
void wm_shared_fill(struct wm_shared_task *task, const struct wm_shared_leg *leg, size_t k, char *slot);
/* Whom a round is read from in turn `turn`, below the count; perhaps this member itself. */
int wm_shared_source_count(const struct wm_shared_task *task, const struct wm_shared_leg *leg);
int wm_shared_source(const struct wm_shared_task *task, const struct wm_shared_leg *leg, int turn);
/* Take what member `m` gives out of its slot. */
void wm_shared_copy_out(struct wm_shared_task *task, const struct wm_shared_leg *leg, size_t k, int m,
                        const char *slot);
/* Combine member `m`'s contribution with those before it; the first is only kept in mind. */
void wm_shared_combine_in(struct wm_shared_task *task, const struct wm_shared_leg *leg, size_t k, int m,
                          uint64_t round);

#endif
