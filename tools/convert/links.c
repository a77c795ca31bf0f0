/* Links under way: open addressing, and no marks of what was removed. */
#include "tools/convert/links.h"

#include <stdlib.h>
#include "core/error.h"

void wm_links_release(struct wm_links *links)
{
    free(links->slots);
}

/* Where the flow is, or the empty slot where it would be. */
static size_t find(const struct wm_links *links, uint64_t flow)
{
    size_t at = flow & (links->slot_count - 1);

    while (links->slots[at].flow != 0 && links->slots[at].flow != flow)
        at = (at + 1) & (links->slot_count - 1);
    return at;
}

static int grow(struct wm_links *links)
{
    struct wm_links grown = {.slot_count = links->slot_count > 0 ? 2 * links->slot_count : 64};

    grown.slots = calloc(grown.slot_count, sizeof *grown.slots);
    if (grown.slots == NULL)
        return -WM_ENOMEM;
    for (size_t i = 0; i < links->slot_count; i++)
        if (links->slots[i].flow != 0)
            grown.slots[find(&grown, links->slots[i].flow)] = links->slots[i];
    grown.count = links->count;
    free(links->slots);
    *links = grown;
    return 0;
}

/* Empty a slot, and move those behind it that it had pushed on. */
static void empty(struct wm_links *links, size_t at)
{
    size_t mask = links->slot_count - 1;

    links->count--;
    links->slots[at].flow = 0;
    for (size_t next = (at + 1) & mask; links->slots[next].flow != 0; next = (next + 1) & mask) {
        struct wm_link moved = links->slots[next];

        links->slots[next].flow = 0;
        links->slots[find(links, moved.flow)] = moved;
    }
}

int wm_links_meet(struct wm_links *links, const struct wm_link *end)
{
    size_t at;

    if (2 * (links->count + 1) > links->slot_count && grow(links) < 0)
        return -WM_ENOMEM;
    at = find(links, end->flow);
    if (links->slots[at].flow == 0) {
        links->slots[at] = *end;
        links->count++;
        return 0;
    }
    if (links->slots[at].sent == end->sent)
        return 0;
    empty(links, at);
    return 1;
}
