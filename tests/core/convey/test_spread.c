/* Spreading: units go where their tags say, in order, with their new tags, and nothing else is written. */
#include "core/convey/spread.h"
#include "tests/check.h"

enum { COUNT_MAX = 300, STRIDE_MAX = 16, GUARD = 64, BLANK = 0x5a };

struct end {
    char items[(COUNT_MAX + GUARD) * STRIDE_MAX], tags[COUNT_MAX + GUARD];
    struct wm_convey_outlet out;
};

static char items[COUNT_MAX * STRIDE_MAX], tags[COUNT_MAX];
static struct end ends[WM_SPREAD_OUTLETS_MAX];
static struct wm_convey_outlet outlets[WM_SPREAD_OUTLETS_MAX];

static unsigned next(void)
{
    static unsigned number = 1;

    number = number * 1103515245 + 12345;
    return number >> 16;
}

/* Digits below `fan`, and anything above them. */
static void fill(unsigned fan, struct wm_route_turn turn)
{
    for (int i = 0; i < COUNT_MAX; i++)
        tags[i] = (char)((next() & (0x7f & ~turn.mask)) | next() % fan);
    for (size_t i = 0; i < sizeof items; i++)
        items[i] = (char)next();
}

static void open_ends(size_t room, size_t stride)
{
    memset(ends, BLANK, sizeof ends);
    for (int i = 0; i < WM_SPREAD_OUTLETS_MAX; i++)
        outlets[i] = (struct wm_convey_outlet){ends[i].items, ends[i].items + room * stride, ends[i].tags, NULL};
}

static bool is_blank(const char *from, const char *end)
{
    while (from < end && *from == BLANK)
        from++;
    return from == end;
}

/* What the first `moved` units left at outlet `digit`. */
static bool is_right(unsigned digit, size_t moved, size_t room, size_t stride, struct wm_route_turn turn)
{
    const struct end *e = &ends[digit];
    size_t count = 0;
    bool right = true;

    for (size_t i = 0; i < moved; i++) {
        unsigned tag = (unsigned char)tags[i];

        if ((tag & turn.mask) != digit)
            continue;
        right = right && memcmp(e->items + count * stride, items + i * stride, stride) == 0;
        right = right && (unsigned char)e->tags[count] == (tag >> turn.shift | turn.add);
        count++;
    }
    return right && outlets[digit].at == e->items + count * stride && outlets[digit].tag == e->tags + count &&
           is_blank(e->items + room * stride, e->items + sizeof e->items) &&
           is_blank(e->tags + count, e->tags + sizeof e->tags);
}

static size_t check(unsigned fan, size_t count, size_t room, size_t stride, struct wm_route_turn turn)
{
    size_t moved;

    fill(fan, turn);
    open_ends(room, stride);
    moved = wm_spread(outlets, items, tags, count, stride, turn);
    for (unsigned digit = 0; digit <= turn.mask; digit++)
        CU_ASSERT(is_right(digit, moved, room, stride, turn));
    return moved;
}

/* A turn into so many outlets; the tag's new digit goes above what is left of it. */
static struct wm_route_turn turn_of(unsigned fan)
{
    struct wm_route_turn turn = {.mask = fan > 2 ? 3 : fan - 1, .shift = fan > 2 ? 2 : (int)fan - 1, .add = 0x80};

    return turn;
}

static void check_sizes(unsigned fan, size_t stride)
{
    struct wm_route_turn turn = turn_of(fan);

    if (!wm_spread_serves(stride, 1, turn))
        return;
    for (size_t count = 0; count <= COUNT_MAX; count++)
        CU_ASSERT_EQUAL(check(fan, count, COUNT_MAX + 8, stride, turn), count);
    for (size_t room = 0; room <= COUNT_MAX; room++)
        CU_ASSERT(check(fan, COUNT_MAX, room, stride, turn) <= fan * room);
}

static void units__go_where_their_tags_say(void)
{
    for (unsigned fan = 1; fan <= WM_SPREAD_OUTLETS_MAX; fan++) {
        check_sizes(fan, 8);
        check_sizes(fan, 16);
    }
}

static void digits__that_no_unit_has_need_no_outlet(void)
{
    struct wm_route_turn turn = turn_of(3);

    if (!wm_spread_serves(8, 1, turn))
        return;
    fill(3, turn);
    open_ends(COUNT_MAX + 8, 8);
    outlets[3] = (struct wm_convey_outlet){NULL, NULL, NULL, NULL};
    CU_ASSERT_EQUAL(wm_spread(outlets, items, tags, COUNT_MAX, 8, turn), COUNT_MAX);
    CU_ASSERT_PTR_NULL(outlets[3].at);
}

static void others__are_left_to_the_relay(void)
{
    struct wm_route_turn turn = turn_of(2), wide = {.mask = WM_SPREAD_OUTLETS_MAX, .shift = 3};

    CU_ASSERT(!wm_spread_serves(24, 1, turn));
    CU_ASSERT(!wm_spread_serves(8, 2, turn));
    CU_ASSERT(!wm_spread_serves(8, 1, wide));
}

static const struct check_case cases[] = {
    CASE(units__go_where_their_tags_say),
    CASE(digits__that_no_unit_has_need_no_outlet),
    CASE(others__are_left_to_the_relay),
};

CHECK_MAIN("spread", cases)
