/* Promises, and what later calls save by them. */
#include "core/statement/promises.h"

uint64_t wm_bindings_unpromised(const struct wm_statement *s, const struct wm_bound bindings[], uint64_t which)
{
    uint64_t unpromised = 0;

    for (int i = 0; i < s->binding_count; i++)
        if ((which >> i & 1) != 0 && (bindings[i].promises & (WM_IS_UNIFORM | WM_IS_STABLE)) == 0)
            unpromised |= UINT64_C(1) << i;
    return unpromised;
}

/* All ranks know how much a place is, whatever its array's extents become at one of them. */
static bool is_place_steady(const struct wm_statement *s, const struct wm_bound bindings[], int term)
{
    const struct wm_term *place = &s->terms[term];
    const struct wm_bound *b = &bindings[place->index];

    if (place->kind != WM_TERM_PLACE || (b->promises & (WM_IS_UNIFORM | WM_IS_STABLE | WM_IS_SIZED)) != 0)
        return true;
    return b->dimensions == 0 || (b->dimensions == 1 && place->operands[0] >= 0);
}

bool wm_statement_is_steady(const struct wm_statement *s, const struct wm_bound bindings[])
{
    for (int i = 0; i < s->reduction_count; i++)
        if (!is_place_steady(s, bindings, s->reductions[i].storage) ||
            !is_place_steady(s, bindings, s->reductions[i].data))
            return false;
    return wm_bindings_unpromised(s, bindings, s->choosing | s->sizing) == 0;
}
