/* The window of a biconveyor: places of replies, and whose turn it is.
 *
 * Places of one destination are chained by `next`, in the order of the queries; node mask + 1 + d is the head of
 * destination d's chain, and last[d] its last node, the head if it is empty. So a push appends by two stores, and a
 * reply finds its place by one load. */
#include "core/convey/biconvey_state.h"

#include <stdlib.h>
#include <string.h>

/* Replies that may be outstanding: many enough to fill the buffers towards all ranks, few enough to stay in the
 * second-level cache. */
enum { PLACES_MIN = 64, PLACES_MAX = 1 << 18, LINE_BYTES = 64 };
enum { REPLY_BYTES = 256 }; /* up to which windows fit into the reserve */
enum { WINDOW_BYTES = 512 << 10, WINDOW_BYTES_A_RANK = 128 << 10, WINDOW_BYTES_MAX = 4 << 20 };

static size_t place_bytes(const struct wm_biconveyor *b)
{
    return b->head.reply_bytes + sizeof *b->head.next + sizeof *b->here;
}

static size_t window_bytes(const struct wm_biconveyor *b)
{
    size_t bytes = (size_t)b->ranks * WINDOW_BYTES_A_RANK;

    if (bytes < WINDOW_BYTES)
        bytes = WINDOW_BYTES;
    if (bytes > WINDOW_BYTES_MAX)
        bytes = WINDOW_BYTES_MAX;
    return bytes < b->max_bytes ? bytes : b->max_bytes;
}

static size_t choose_places(const struct wm_biconveyor *b)
{
    size_t limit = window_bytes(b), places = PLACES_MIN;

    while (places < PLACES_MAX && 2 * places <= limit / place_bytes(b))
        places *= 2;
    return places;
}

static size_t lines(size_t bytes)
{
    return (bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
}

static void clear_chains(struct wm_biconveyor *b, size_t places)
{
    for (int64_t d = 0; d < b->ranks; d++)
        b->head.last[d] = (uint32_t)(places + (size_t)d);
    memset(b->here, 0, places);
    b->head.mask = places - 1;
    b->head.room = places;
    b->head.pushed = b->head.pulled = b->head.ready = 0;
}

/* Where a window's parts begin, in its memory. */
struct parts {
    size_t reply, next, last, here, bytes;
};

static struct parts parts_of(size_t places, size_t reply_bytes, size_t ranks)
{
    struct parts p;

    p.reply = lines(places * reply_bytes);
    p.next = p.reply + lines(reply_bytes + 1);
    p.last = p.next + lines((places + ranks) * sizeof(uint32_t));
    p.here = p.last + lines(ranks * sizeof(uint32_t));
    p.bytes = p.here + lines(places);
    return p;
}

size_t wm_biconvey_window_reserve(const struct wm_biconveyor *b)
{
    size_t least = parts_of(PLACES_MIN, REPLY_BYTES, (size_t)b->ranks).bytes;

    return least + window_bytes(b); /* what the places may take, and what stands beside them */
}

bool wm_biconvey_window_new(struct wm_biconveyor *b)
{
    size_t places = choose_places(b);
    struct parts p = parts_of(places, b->head.reply_bytes, (size_t)b->ranks);
    char *at = wm_convey_store_take(&b->store, p.bytes);

    if ((b->memory = at) == NULL)
        return false;
    b->head.replies = at;
    b->work.reply = at + p.reply;
    b->head.next = (uint32_t *)(void *)(at + p.next);
    b->head.last = (uint32_t *)(void *)(at + p.last);
    b->here = (unsigned char *)(at + p.here);
    clear_chains(b, places);
    return true;
}

void wm_biconvey_window_free(struct wm_biconveyor *b)
{
    if (b->memory == NULL)
        return;
    wm_convey_store_give(&b->store, b->memory);
    b->memory = NULL;
    b->head.room = 0;
}

/* Bring `count` replies of one rank into their places. Inlined for each size that is worth it. */
static inline __attribute__((always_inline)) void place_sized(struct wm_biconveyor *b, const char *from, size_t count,
                                                              size_t stride, size_t bytes, int64_t source)
{
    uint32_t *next = b->head.next, head = (uint32_t)(b->head.mask + 1 + (uint64_t)source), place = head;
    char *replies = b->head.replies;
    unsigned char *here = b->here;

    for (size_t i = 0; i < count; i++) {
        place = i == 0 ? next[head] : next[place];
        memcpy(replies + (size_t)place * bytes, from, bytes);
        here[place] = 1;
        from += stride;
    }
    if (b->head.last[source] == place)
        b->head.last[source] = head;
    else
        next[head] = next[place];
}

static void place(struct wm_biconveyor *b, const char *from, size_t count, int64_t source)
{
    size_t bytes = b->head.reply_bytes;

    if (bytes == 8)
        place_sized(b, from, count, 8, 8, source);
    else if (bytes == 16)
        place_sized(b, from, count, 16, 16, source);
    else if (bytes == 4)
        place_sized(b, from, count, 4, 4, source);
    else
        place_sized(b, from, count, b->replies->stride, bytes, source);
}

/* Without tags what stands together is of one source. */
static int64_t collect_spans(struct wm_biconveyor *b)
{
    const void *items;
    int64_t count, from;

    while ((count = convey_pull_span(b->replies, &items, &from)) > 0)
        place(b, items, (size_t)count, from);
    return count;
}

static int64_t collect_singles(struct wm_biconveyor *b)
{
    const void *item;
    int64_t from;

    while ((item = convey_apull(b->replies, &from)) != NULL)
        place(b, item, 1, from);
    return 0;
}

/* Places are pulled in order: go on to the first that has no reply, eight at a time where that can be. */
static void find_ready(struct wm_biconveyor *b)
{
    static const unsigned char all[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    unsigned char *here = b->here;
    uint64_t ready = b->head.ready, mask = b->head.mask;

    while (here[ready & mask]) {
        size_t many = (ready & 7) == 0 && memcmp(here + (ready & mask), all, 8) == 0 ? 8 : 1;

        memset(here + (ready & mask), 0, many);
        ready += many;
    }
    b->head.ready = ready;
}

int wm_biconvey_collect(struct wm_biconveyor *b)
{
    int64_t rc = b->replies->tag_bytes == 0 ? collect_spans(b) : collect_singles(b);

    find_ready(b);
    return rc < 0 ? (int)rc : 0;
}
