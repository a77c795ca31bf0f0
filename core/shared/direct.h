/* Direct steps: large ones of two members, who move data between their buffers without slots (core/node/single_copy.h).
 *
 * In one round both offer where their data stand; each moves its share; in the next round both tell whether their moves
 * went well, and only then are the buffers the users' again. A bcast, or an exscan, is half written by the
 * giver and half read by the other, at once; in a gather or scatter the other moves all, while the root copies its own
 * share; in an allgather or alltoall each reads what it gets. Where one of them cannot (unpacked data, no permission,
 * memory that the kernel does not copy), both see it and the step goes through its slots. Costs, m bytes: m β, of a
 * bcast m β / 2, with the kernel's β, which is that of a copy and a page's cost. */
#ifndef WM_SHARED_DIRECT_H
#define WM_SHARED_DIRECT_H

#include "core/shared/shared.h"

enum wm_shared_direct {
    WM_SHARED_BY_SLOTS, /* not, or not any more */
    WM_SHARED_OFFERS,
    WM_SHARED_MEETS,
    WM_SHARED_TELLS,
    WM_SHARED_PARTS,
    WM_SHARED_OVER
};

enum { WM_SHARED_DIRECT_ROUNDS = 2 };

/* All members answer alike. */
bool wm_shared_takes_direct(const struct wm_shared *step, size_t unit_bytes, const struct wm_transport *transport);
/* Do what can be done. True: the step is over, or is to go through slots. */
bool wm_shared_direct_advance(struct wm_shared_task *task);

#endif
