/* Floors: service times by class, and the low percentile of those of the calmest instances. */
#include "tools/analysis/floors.h"

#include <stdlib.h>
#include "core/vector.h"

enum { CALM_PERCENT = 25, FLOOR_PERCENT = 5, ENOUGH = 20 };

struct calls {
    int64_t skew_ns;
    size_t first; /* of its services; the next one's is their end */
};

struct wm_floor_class {
    uint16_t line;
    int size; /* bits of the bytes */
    uint32_t ranks, next;
    size_t count, capacity;
    struct calls *calls;
    size_t service_count, service_capacity;
    int64_t *services_ns;
};

void wm_floors_release(struct wm_floors *floors)
{
    for (size_t i = 0; i < floors->count; i++) {
        free(floors->classes[i].calls);
        free(floors->classes[i].services_ns);
    }
    free(floors->classes);
}

static int bits_of(uint64_t bytes)
{
    int bits = 0;

    for (; bytes > 0; bytes >>= 1)
        bits++;
    return bits;
}

/* The class, brought to the front of its line's list: calls of a kind come in rows. */
static struct wm_floor_class *find_class(struct wm_floors *floors, uint16_t line, int size, uint32_t ranks)
{
    uint32_t *link = &floors->first_of_line[line], found;

    while (*link != 0 && (floors->classes[*link - 1].size != size || floors->classes[*link - 1].ranks != ranks))
        link = &floors->classes[*link - 1].next;
    found = *link;
    if (found != 0) {
        *link = floors->classes[found - 1].next;
    } else {
        if (wm_vector_reserve(&floors->classes, &floors->capacity, floors->count + 1, sizeof *floors->classes) < 0)
            return NULL;
        floors->classes[floors->count++] = (struct wm_floor_class){.line = line, .size = size, .ranks = ranks};
        found = (uint32_t)floors->count;
    }
    floors->classes[found - 1].next = floors->first_of_line[line];
    floors->first_of_line[line] = found;
    return &floors->classes[found - 1];
}

int wm_floors_begin(struct wm_floors *floors, uint16_t line, uint64_t bytes, uint32_t count, int64_t skew_ns)
{
    struct wm_floor_class *class = find_class(floors, line, bits_of(bytes), count);

    if (class == NULL ||
        wm_vector_reserve(&class->calls, &class->capacity, class->count + 1, sizeof *class->calls) < 0 ||
        wm_vector_reserve(&class->services_ns, &class->service_capacity, class->service_count + count,
                          sizeof *class->services_ns) < 0)
        return -WM_ENOMEM;
    class->calls[class->count++] = (struct calls){skew_ns, class->service_count};
    floors->current = (size_t)(class - floors->classes);
    return 0;
}

void wm_floors_add(struct wm_floors *floors, int64_t service_ns)
{
    struct wm_floor_class *class = &floors->classes[floors->current];

    class->services_ns[class->service_count++] = service_ns;
}

/* The greatest skew that is still calm. */
static int calm_skew(const struct wm_floor_class *class, int64_t *skew_ns)
{
    struct wm_spread skews = {0};
    int rc = 0;

    for (size_t i = 0; i < class->count && rc >= 0; i++)
        rc = wm_spread_add(&skews, class->calls[i].skew_ns);
    *skew_ns = wm_spread_at(&skews, CALM_PERCENT);
    wm_spread_release(&skews);
    return rc;
}

static int find_floor(const struct wm_floor_class *class, int64_t *floor_ns)
{
    struct wm_spread calm = {0};
    int64_t skew_ns;
    int rc = calm_skew(class, &skew_ns);

    for (size_t i = 0; i < class->count && rc >= 0; i++) {
        size_t end = i + 1 < class->count ? class->calls[i + 1].first : class->service_count;

        for (size_t k = class->calls[i].first; class->calls[i].skew_ns <= skew_ns && k < end && rc >= 0; k++)
            rc = wm_spread_add(&calm, class->services_ns[k]);
    }
    *floor_ns = wm_spread_at(&calm, calm.count < ENOUGH ? 1 : FLOOR_PERCENT);
    wm_spread_release(&calm);
    return rc;
}

int wm_floors_find(struct wm_floors *floors, struct wm_line *lines)
{
    for (size_t i = 0; i < floors->count; i++) {
        const struct wm_floor_class *class = &floors->classes[i];
        struct wm_line *line = &lines[class->line];
        int64_t floor_ns;

        if (find_floor(class, &floor_ns) < 0)
            return -WM_ENOMEM;
        line->floor_ns += floor_ns * (int64_t) class->service_count;
        for (size_t k = 0; k < class->service_count; k++)
            if (class->services_ns[k] > floor_ns)
                line->excess_ns += class->services_ns[k] - floor_ns;
    }
    return 0;
}
