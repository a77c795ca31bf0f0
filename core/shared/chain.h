/* Chains: large scans. The first member posts its contribution; every other reads what the one before it posted, the
 * sum of all contributions so far, and posts the sum with its own, chunk by chunk. So all combine at once, and each
 * contribution is read once. */
#ifndef WM_SHARED_CHAIN_H
#define WM_SHARED_CHAIN_H

#include "core/shared/shared.h"
#include "core/shared/phase.h"

/* Do a member's part of a round, but the first's: read, combine, post and keep what this member gets. Chunk `k`; false:
 * the one before it has not posted. */
bool wm_shared_chain_pass(struct wm_shared_task *task, const struct wm_shared_phase *phase, size_t k, uint64_t round);

#endif
