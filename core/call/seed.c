/* Seeds: numbers and areas, and the word that tells of them. */
#include "core/call/seed.h"

#include "core/net/net.h"
#include "core/node/memory.h"

/* From below: the number, the count, and what stands in an area's offset above the zeros that it ends with. */
enum { NUMBER_BITS = 16, COUNT_BITS = 8, PIECE_SHIFT = 12 };

_Static_assert(WM_MEMORY_PIECE_BYTES == 1 << PIECE_SHIFT, "an area begins a piece");
_Static_assert(WM_SEEDS_MAX < 1 << COUNT_BITS, "a seed's count fits its word");

static bool takes_areas(const struct wm_node *node)
{
    return node->size > 1 && node->self == 0;
}

/* Where there is no area at all, one endpoint will do without. */
static int take_areas(struct wm_seed *seed, const struct wm_node *node, uint64_t bytes)
{
    uint64_t last = seed->area = wm_node_take_area(node, bytes, 0);
    int count = 1;

    while (last != 0 && count < seed->count && (last = wm_node_take_area(node, bytes, last)) != 0)
        count++;
    return count;
}

static void give_numbers(const struct wm_seed *seed, int from)
{
    for (int i = from; i < seed->count; i++)
        wm_net_number_give(seed->number + i);
}

void wm_seed_make(struct wm_seed *seed, const struct wm_node *node, uint64_t area_bytes, int count)
{
    int areas;

    *seed = (struct wm_seed){.count = count};
    seed->number = wm_net_numbers_take(&seed->count);
    if (seed->count == 0 || !takes_areas(node))
        return;
    areas = take_areas(seed, node, area_bytes);
    give_numbers(seed, areas);
    seed->count = areas;
}

void wm_seed_cut(struct wm_seed *seed, int count)
{
    uint64_t area = seed->area;

    for (int i = 0; i < seed->count && area != 0; i++) {
        uint64_t next = wm_node_next_area(area);

        if (i >= count)
            wm_node_give_area(area);
        area = next;
    }
    give_numbers(seed, count);
    if (count == 0)
        seed->area = 0;
    seed->count = count < seed->count ? count : seed->count;
}

wm_seed_word wm_seed_tell(const struct wm_seed *s)
{
    if (s->count == 0)
        return 0;
    return s->area >> PIECE_SHIFT << (COUNT_BITS + NUMBER_BITS) | (uint64_t)s->count << NUMBER_BITS |
           (uint64_t)s->number;
}

struct wm_seed wm_seed_hear(wm_seed_word word)
{
    return (struct wm_seed){.count = (int)(word >> NUMBER_BITS & ((1 << COUNT_BITS) - 1)),
                            .number = (int)(word & ((1 << NUMBER_BITS) - 1)),
                            .area = word >> (COUNT_BITS + NUMBER_BITS) << PIECE_SHIFT};
}
