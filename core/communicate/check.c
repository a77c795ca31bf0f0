/* What is looked at where WAYMARK_CHECK is set. */
#include "core/communicate/check.h"

#include "core/process/process.h"
#include "core/statement/places.h"

static void refuse(const struct wm_turn *turn, const struct wm_place_range *first, const struct wm_place_range *second,
                   size_t element)
{
    const struct wm_traffic *x = &turn->deal->traffic;
    const struct wm_bound *b = &turn->bindings[first->binding];
    const struct wm_statement_part *one = &x->receives.parts[first->message];
    const struct wm_statement_part *other = &x->receives.parts[second->message];
    struct wm_error error = {0};
    char what_one[128], what_other[128];

    wm_part_describe(x, one, true, what_one, sizeof what_one);
    wm_part_describe(x, other, true, what_other, sizeof what_other);
    wm_error_set(&error, -WM_EINVAL,
                 "element %zu of '%s' is stored into twice at rank %d: rank %d sends it %s; and rank %d sends it %s",
                 wm_binding_element(b, element), b->name, x->me, one->peer, what_one, other->peer, what_other);
    wm_deal_abort(turn->deal, &error);
}

void wm_check_stores(const struct wm_turn *turn)
{
    const struct wm_traffic *x = &turn->deal->traffic;
    struct wm_places places = {0};
    struct wm_place_range first, second;
    size_t element;

    if (!wm_process.settings.check)
        return;
    if (wm_places_of(&places, x, WM_USE_ASSIGNED, UINT64_MAX) == 0 &&
        wm_places_twice(&places, &first, &second, &element))
        refuse(turn, &first, &second, element);
    wm_places_release(&places);
}
