/* Scan by recursive doubling: prefixes, and sums of ever larger blocks of members. */
#include "wrappers/scan.h"

/* The sum of the member's block and where it may grow. */
struct block {
    struct wm_ref sum, room;
    bool own_place; /* `sum` may be written to */
    bool has_room;  /* `room` is a free temporary */
};

/* The sum after the round with `mask` goes to somebody in a later one. */
static bool is_sent_later(int members, int member, int mask)
{
    for (mask *= 2; mask < members; mask *= 2)
        if ((member ^ mask) < members)
            return true;
    return false;
}

/* What comes from below is part of the prefix; what comes from above serves later rounds alone. */
static bool is_wanted(int members, int member, int mask)
{
    return (member & mask) != 0 || is_sent_later(members, member, mask);
}

static struct wm_ref find_room(struct wm_planner *p, struct block *b, size_t count)
{
    if (!b->has_room)
        b->room = wm_planner_temporary(p, count);
    b->has_room = true;
    return b->room;
}

/* sum = arrived op sum */
static void grow_left(struct wm_planner *p, struct block *b, struct wm_ref arrived, size_t count)
{
    if (!b->own_place) {
        struct wm_ref copy = wm_planner_temporary(p, count);

        wm_planner_copy(p, b->sum, copy, count);
        b->sum = copy;
        b->own_place = true;
    }
    wm_planner_reduce(p, arrived, b->sum, count, true);
}

/* sum = sum op arrived, which stands in the block's room */
static void grow_right(struct wm_planner *p, struct block *b, size_t count)
{
    struct wm_ref former = b->sum;

    wm_planner_reduce(p, b->sum, b->room, count, true);
    b->sum = b->room;
    b->room = former;
    b->has_room = b->own_place;
    b->own_place = true;
}

static void take(struct wm_planner *p, struct wm_scan *s, struct block *b, int mask, bool *has)
{
    int self = s->group->self;
    bool below = (self & mask) != 0;
    bool grows = is_sent_later(s->group->size, self, mask) || s->total;
    struct wm_ref at = below && !*has ? s->home : find_room(p, b, s->count);

    wm_planner_recv(p, s->group->members[self ^ mask], at, s->count);
    if (below && *has)
        wm_planner_reduce(p, at, s->home, s->count, true);
    *has = *has || below;
    if (below && grows)
        grow_left(p, b, at, s->count);
    else if (!below && grows)
        grow_right(p, b, s->count);
}

void wm_scan_butterfly(struct wm_planner *p, struct wm_scan *s, const struct wm_shape *shape)
{
    int n = s->group->size, self = s->group->self;
    struct block b = {.sum = s->own, .own_place = s->spare};
    bool has = s->inclusive;

    (void)shape;
    if (s->inclusive && s->own.buffer == s->home.buffer && n > 1) {
        b.sum = wm_planner_temporary(p, s->count);
        b.own_place = true;
        wm_planner_copy(p, s->own, b.sum, s->count);
    }
    for (int mask = 1; mask < n; mask *= 2) {
        int partner = self ^ mask;

        if (partner < n && is_wanted(n, partner, mask))
            wm_planner_send(p, s->group->members[partner], b.sum, s->count);
        if (partner < n && is_wanted(n, self, mask))
            take(p, s, &b, mask, &has);
    }
    s->sum = b.sum;
}
