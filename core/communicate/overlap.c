/* Places into which several messages are stored. */
#include "core/communicate/overlap.h"

#include "core/statement/places.h"

/* Two of them meet, or it would take too much to tell. */
static bool meet(const struct wm_parts *parts)
{
    struct wm_places places = {0};
    struct wm_place_range first, second;
    size_t element;
    bool twice;
    int rc = 0;

    for (size_t i = 0; i < parts->count && rc == 0; i++)
        rc = wm_places_add(&places, &parts->parts[i].section, i);
    wm_places_sort(&places);
    twice = rc < 0 || wm_places_twice(&places, &first, &second, &element);
    wm_places_release(&places);
    return twice;
}

void wm_loads_part_overlaps(struct wm_loads *loads, const struct wm_parts *parts)
{
    bool direct = false;

    for (int i = 0; i < loads->count; i++)
        direct |= loads->loads[i].direct;
    if (!direct || parts->count < 2 || !meet(parts))
        return;
    for (int i = 0; i < loads->count; i++)
        loads->loads[i].direct = false;
}
