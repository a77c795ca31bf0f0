/* What the rounds of a shared step carry: from the user's memory into this member's slot, and out of the others'.
 *
 * A chunk is what a round has of each stream, or of each part of a split one. In slots units stand packed. Errors are
 * noted in the task; the rounds go on, for the others wait for them. */
#ifndef WM_SHARED_DATA_H
#define WM_SHARED_DATA_H

#include "core/shared/shared.h"
#include "core/shared/phase.h"

/* Everyone's contribution is of the whole block: reduce, allreduce, scan and exscan. */
bool wm_shared_reduces_whole(const struct wm_shared *step);
/* Scan and exscan: member i gets what those before it hold together. */
static inline bool wm_shared_scans(const struct wm_shared *step)
{
    return step->kind == WM_SHARED_SCAN || step->kind == WM_SHARED_EXSCAN;
}
/* This member reads its own contribution where it posted it: what stands in the user's buffer is to be overwritten
 * before, or is not packed. */
bool wm_shared_posts_own(const struct wm_shared_task *task, const struct wm_shared_phase *phase);
/* The payload of a round of chunk `k`, as large as any member's: all know it. */
size_t wm_shared_round_bytes(const struct wm_shared_task *task, const struct wm_shared_phase *phase, size_t k);

/* Put what this member gives of chunk `k` into its slot. */
void wm_shared_fill(struct wm_shared_task *task, const struct wm_shared_phase *phase, size_t k, char *slot);
/* Bring this member's own share of chunk `k` to its place, where an allgather asks for that. */
void wm_shared_keep(struct wm_shared_task *task, size_t k);
/* Whom a round is read from in turn `turn`, below the count; perhaps this member itself. */
int wm_shared_source_count(const struct wm_shared_task *task, const struct wm_shared_phase *phase);
int wm_shared_source(const struct wm_shared_task *task, const struct wm_shared_phase *phase, int turn);
/* Take what member `m` gives out of its slot. */
void wm_shared_copy_out(struct wm_shared_task *task, const struct wm_shared_phase *phase, size_t k, int m,
                        const char *slot);
/* Put `units` units at `from`, without their first `skip`, into a slot, and the reverse. */
void wm_shared_pack(struct wm_shared_task *task, char *slot, struct wm_ref from, size_t skip, size_t units);
void wm_shared_unpack(struct wm_shared_task *task, const char *slot, struct wm_ref to, size_t skip, size_t units);
/* Where the user, or a temporary, has unit `units` of those at `ref`. */
char *wm_shared_address(const struct wm_shared_data *data, struct wm_ref ref, size_t units);
/* Combine member `m`'s contribution with those before it; the first is only kept in mind, unless it is alone. */
void wm_shared_combine_in(struct wm_shared_task *task, const struct wm_shared_phase *phase, size_t k, int m,
                          uint64_t round);

#endif
