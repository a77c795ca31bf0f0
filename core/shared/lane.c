/* Lanes: a group's lines and slots in shared memory. */
#include "core/shared/lane.h"

#include <stdlib.h>
#include <sys/mman.h>
#include "core/data/allocate.h"
#include "core/shared/tree.h"

static const size_t class_bytes[WM_SHARED_CLASSES] = {WM_SHARED_SMALL, 4 << 10, 8 << 10, 16 << 10, WM_SHARED_PAYLOAD};

/* The smallest class has a slot for each flag. */
static uint64_t slot_count(int class, int size)
{
    uint64_t count = WM_SHARED_SLOTS;

    while (class > 0 && count > WM_SHARED_LARGE_SLOTS &&
           (uint64_t)size * class_bytes[class] * count > WM_SHARED_CLASS_BYTES)
        count /= 2;
    return count;
}

/* All lines; they end at a page. */
static size_t lines_bytes(int size)
{
    size_t bytes = (size_t)size * WM_SHARED_LINE * (1 + WM_SHARED_SLOTS);

    return (bytes + WM_SHARED_PAGE - 1) / WM_SHARED_PAGE * WM_SHARED_PAGE;
}

/* What a slot of the last class holds. */
static size_t payload_bytes(int size)
{
    size_t parts = (size_t)size * WM_SHARED_UNIT_BYTES_MAX;

    return parts > WM_SHARED_PAYLOAD ? parts : WM_SHARED_PAYLOAD;
}

/* Whether pages are asked for ahead: those of all members' slots, though a bcast uses one member's alone. */
static bool is_small(const struct wm_shared_slots *slots, int size)
{
    return (uint64_t)size * slots->bytes * slots->count <= 2 * WM_SHARED_CLASS_BYTES;
}

/* The classes' slots stand behind the lines; returns where they end. */
static size_t lay_out(struct wm_shared_slots *slots, int size)
{
    size_t end = lines_bytes(size);

    for (int i = 0; i < WM_SHARED_CLASSES; i++) {
        bool last = i == WM_SHARED_CLASSES - 1;

        slots[i] = (struct wm_shared_slots){
            .offset = end,
            .bytes = last ? payload_bytes(size) : class_bytes[i],
            .count = slot_count(i, size),
            .ahead = 1,
        };
        if (!is_small(&slots[i], size))
            slots[i].ready = UINT64_MAX;
        end += (size_t)size * slots[i].bytes * slots[i].count;
    }
    return end;
}

size_t wm_shared_area_bytes(int size)
{
    struct wm_shared_slots slots[WM_SHARED_CLASSES];

    return lay_out(slots, size);
}

void wm_shared_lane_init(struct wm_shared_lane *lane, void *area, int size, int self, bool crowded)
{
    static struct wm_check none;

    *lane = (struct wm_shared_lane){
        .size = size,
        .self = self,
        .crowded = crowded,
        .payload = payload_bytes(size),
        .area = area,
        .check = &none,
        .known = wm_allocate_zeroed(sizeof *lane->known * (size_t)size, "a group of ranks that share memory"),
        .tree = size > WM_SHARED_FAN_MIN ? wm_shared_tree_new(size) : NULL,
    };
    lay_out(lane->slots, size);
}

void wm_shared_lane_release(struct wm_shared_lane *lane)
{
    free(lane->known);
    free(lane->tree);
    lane->known = NULL;
    lane->tree = NULL;
}

void wm_shared_lane_expect(struct wm_shared_lane *lane)
{
    for (int m = 0; m < lane->size; m++) {
        (void)atomic_load_explicit(wm_shared_done(lane, m), memory_order_relaxed);
        (void)atomic_load_explicit(&wm_shared_line(lane, 1, m)->flag, memory_order_relaxed);
    }
}

/* Nothing before Linux 5.14: each round has its faults there. */
static void ask_for_pages(char *begin, char *end)
{
#ifdef MADV_POPULATE_WRITE
    begin -= (uintptr_t)begin % WM_SHARED_PAGE;
    madvise(begin, (size_t)(end - begin), MADV_POPULATE_WRITE);
#else
    (void)begin, (void)end;
#endif
}

void wm_shared_prepare(const struct wm_shared_lane *lane, struct wm_shared_slots *slots, uint64_t round)
{
    uint64_t first = round & (slots->count - 1), end = first + slots->ahead;
    size_t row_bytes = (size_t)lane->size * slots->bytes;
    char *area = lane->area + slots->offset;

    if (end > slots->count)
        end = slots->count;
    ask_for_pages(area + first * row_bytes, area + end * row_bytes);
    slots->ready = slots->ahead < slots->count ? round + (end - first) - 1 : UINT64_MAX;
    slots->ahead *= 2;
}

/* A flag that was read may have told it; else the members' own lines do. */
bool wm_shared_look(struct wm_shared_lane *lane, uint64_t round, uint64_t slots)
{
    uint64_t quiet = lane->done;

    for (int m = 0; m < lane->size; m++) {
        if (m == lane->self)
            continue;
        if (round > lane->known[m] + slots)
            lane->known[m] = atomic_load_explicit(wm_shared_done(lane, m), memory_order_acquire);
        if (lane->known[m] < quiet)
            quiet = lane->known[m];
    }
    lane->quiet = quiet;
    return round <= quiet + slots;
}
