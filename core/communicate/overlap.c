/* Places into which several messages are stored. */
#include "core/communicate/overlap.h"

#include <stdlib.h>
#include "core/data/allocate.h"

/* The elements of a binding that a part is stored into are among these. */
struct range {
    int binding;
    size_t begin, end;
    struct wm_load *load;
};

static struct range range_of(const struct wm_section *section, struct wm_load *load)
{
    struct range range = {section->binding, section->offset, section->offset + 1, load};

    for (int d = 0; d < section->dimensions; d++)
        range.end += (section->counts[d] - 1) * section->strides[d];
    return range;
}

static int by_place(const void *a, const void *b)
{
    const struct range *x = a, *y = b;

    if (x->binding != y->binding)
        return x->binding < y->binding ? -1 : 1;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

/* Of ranges by place, each is compared with the one before it that reaches farthest. */
static void sweep(const struct range ranges[], size_t count)
{
    const struct range *farthest = ranges;

    for (size_t i = 1; i < count; i++) {
        bool same = ranges[i].binding == farthest->binding;

        if (same && ranges[i].begin < farthest->end)
            ranges[i].load->direct = farthest->load->direct = false;
        if (!same || ranges[i].end > farthest->end)
            farthest = &ranges[i];
    }
}

void wm_loads_part_overlaps(struct wm_loads *loads, const struct wm_parts *parts)
{
    struct range *ranges;
    size_t count = 0;

    if (loads->count < 2)
        return;
    ranges = wm_allocate(sizeof *ranges * parts->count, "a statement");
    for (int i = 0; i < loads->count; i++)
        for (size_t k = loads->loads[i].first; k < loads->loads[i].first + loads->loads[i].count; k++)
            if (parts->parts[k].count > 0)
                ranges[count++] = range_of(&parts->parts[k].section, &loads->loads[i]);
    qsort(ranges, count, sizeof *ranges, by_place);
    sweep(ranges, count);
    free(ranges);
}
