/* Chains of shared scans: a member's round. */
#include "core/shared/chain.h"

#include "core/shared/data.h"
#include "core/shared/lane.h"
#include "core/shared/scratch.h"

/* sum = earlier op own, packed. */
static void add_own(struct wm_shared_task *t, size_t k, const char *earlier, char *sum, size_t units)
{
    struct wm_ref from = t->step->from[0];

    if (t->data.kernel != NULL) {
        t->data.kernel(earlier, wm_shared_address(&t->data, from, k * t->units), sum, units);
        return;
    }
    wm_shared_pack(t, sum, from, k * t->units, units);
    wm_shared_combine_slowly(t, earlier, NULL, 0, false, true, units);
    wm_shared_combine_slowly(t, sum, sum, 1, true, true, units);
}

/* The first member posts once all are through with what was in the round's slots: so nobody else has to ask. The last
 * member's sum goes on to nobody, and straight home where it may be made there. */
bool wm_shared_chain_pass(struct wm_shared_task *t, const struct wm_shared_phase *phase, size_t k, uint64_t round)
{
    const struct wm_shared *s = t->step;
    size_t bytes = wm_shared_round_bytes(t, phase, k), units = bytes > 0 ? bytes / t->data.unit_bytes : 0;
    const char *earlier = wm_shared_payload(t->lane, round, s->self - 1, bytes);
    char *slot = wm_shared_payload(t->lane, round, s->self, bytes);
    bool last = s->self == s->size - 1, inclusive = s->kind == WM_SHARED_SCAN;
    bool straight = last && inclusive && t->data.kernel != NULL;

    if (!wm_shared_posted(t->lane, round, s->self - 1))
        return false;
    if (straight)
        add_own(t, k, earlier, wm_shared_address(&t->data, s->to[0], k * t->units), units);
    else if (inclusive || !last)
        add_own(t, k, earlier, slot, units);
    if (!last)
        wm_shared_post(t->lane, round);
    if (!straight)
        wm_shared_unpack(t, inclusive ? slot : earlier, s->to[0], k * t->units, units);
    return true;
}
