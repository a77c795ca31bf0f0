/* Holdings: pieces of the path's order, and where each stands. */
#include "core/plan/holdings.h"

#include <string.h>
#include "core/error.h"
#include "core/plan/copying.h"
#include "core/plan/planner_state.h"
#include "core/search.h"

static bool is_known(const struct wm_planner *p)
{
    return p->call->data.count == p->layout->ranks;
}

size_t wm_holdings_start(const struct wm_planner *p, int place)
{
    return p->starts != NULL ? p->starts[place] : (size_t)place * p->call->data.each;
}

static int own_place(const struct wm_planner *p)
{
    return p->layout->order->place_of[p->rank];
}

/* The place whose block holds the unit. */
static int place_at(const struct wm_planner *p, size_t offset)
{
    if (p->starts == NULL)
        return p->call->data.each > 0 ? (int)(offset / p->call->data.each) : 0;
    return (int)WM_LAST_WHILE(i, p->layout->ranks, p->starts[i] <= offset);
}

/* Does this rank end with the block of the place, and where in its receive buffer? */
static bool wants(const struct wm_planner *p, int place, size_t *offset)
{
    const struct wm_blocks *receive = &p->call->receive;

    *offset = 0;
    if (receive->count > 1 || p->layout->ranks == 1) {
        *offset = wm_blocks_offset(receive, p->layout->order->rank_at[place]);
        return receive->count > 0;
    }
    return receive->count == 1 && place == own_place(p);
}

/* The range belongs to one range of the receive buffer: *at. */
static bool final_place(const struct wm_planner *p, size_t low, size_t high, struct wm_ref *at)
{
    int place;
    size_t first, next;

    if (!is_known(p)) { /* a leaf takes what is its own */
        *at = (struct wm_ref){WM_BUFFER_RECEIVE, 0};
        return p->call->receive.count == 1;
    }
    if (low == high)
        return false;
    if (p->in_order) {
        *at = (struct wm_ref){WM_BUFFER_RECEIVE, low};
        return true;
    }
    place = place_at(p, low);
    if (!wants(p, place, &first))
        return false;
    first += low - wm_holdings_start(p, place);
    for (int i = place + 1; i < p->layout->ranks && wm_holdings_start(p, i) < high; i++)
        if (wm_holdings_start(p, i + 1) > wm_holdings_start(p, i) &&
            (!wants(p, i, &next) || next != first + (wm_holdings_start(p, i) - low)))
            return false;
    *at = (struct wm_ref){WM_BUFFER_RECEIVE, first};
    return true;
}

static int find_piece(const struct wm_planner *p, size_t offset)
{
    return (int)WM_COUNT_WHILE(i, p->piece_count, p->pieces[i].high <= offset);
}

static void insert_piece(struct wm_planner *p, int at, struct wm_piece piece)
{
    if (!wm_planner_grow(p, (void **)&p->pieces, p->piece_count, &p->piece_room, sizeof piece))
        return;
    memmove(&p->pieces[at + 1], &p->pieces[at], sizeof piece * (size_t)(p->piece_count - at));
    p->pieces[at] = piece;
    p->piece_count++;
}

static void remove_piece(struct wm_planner *p, int at)
{
    p->piece_count--;
    memmove(&p->pieces[at], &p->pieces[at + 1], sizeof *p->pieces * (size_t)(p->piece_count - at));
}

static struct wm_piece upper_part(struct wm_piece piece, size_t low)
{
    piece.at.offset += low - piece.low;
    piece.low = low;
    return piece;
}

static bool continues(const struct wm_piece *left, const struct wm_piece *right)
{
    return left->high == right->low && left->at.buffer == right->at.buffer &&
           left->at.offset + (left->high - left->low) == right->at.offset;
}

/* Take out what the pieces say about a range. */
static void forget(struct wm_planner *p, size_t low, size_t high)
{
    int i = find_piece(p, low);

    if (i < p->piece_count && p->pieces[i].low < low && p->status == 0) {
        insert_piece(p, i + 1, upper_part(p->pieces[i], low));
        p->pieces[i++].high = low;
    }
    while (p->status == 0 && i < p->piece_count && p->pieces[i].low < high) {
        if (p->pieces[i].high > high) {
            p->pieces[i] = upper_part(p->pieces[i], high);
            return;
        }
        remove_piece(p, i);
    }
}

void wm_holdings_put(struct wm_planner *p, size_t offset, size_t count, struct wm_ref at)
{
    struct wm_piece piece = {offset, offset + count, at};
    int i;

    if (count == 0 || p->status < 0)
        return;
    forget(p, offset, offset + count);
    i = find_piece(p, offset);
    insert_piece(p, i, piece);
    if (p->status < 0)
        return;
    if (i + 1 < p->piece_count && continues(&p->pieces[i], &p->pieces[i + 1])) {
        p->pieces[i].high = p->pieces[i + 1].high;
        remove_piece(p, i + 1);
    }
    if (i > 0 && continues(&p->pieces[i - 1], &p->pieces[i])) {
        p->pieces[i - 1].high = p->pieces[i].high;
        remove_piece(p, i);
    }
}

static bool is_held(const struct wm_planner *p, size_t low, size_t high)
{
    for (int i = find_piece(p, low); low < high; i++) {
        if (i == p->piece_count || p->pieces[i].low > low)
            return false;
        low = p->pieces[i].high;
    }
    return true;
}

/* Copy `count` units; in place they may overlap where they shall stand, and take a detour. */
static void copy_units(struct wm_planner *p, struct wm_copying *copying, struct wm_ref from, struct wm_ref to,
                       size_t count)
{
    struct wm_ref detour;

    if (from.buffer == to.buffer && from.offset == to.offset)
        return;
    if (from.buffer == to.buffer && from.offset < to.offset + count && to.offset < from.offset + count) {
        detour = wm_planner_temporary(p, count);
        wm_copying_end(p, copying);
        wm_planner_copy(p, from, detour, count);
        from = detour;
    }
    wm_copying_add(p, copying, from, to, count);
}

/* Copy the range, piece by piece, to one range. */
static void copy_range(struct wm_planner *p, struct wm_copying *copying, size_t low, size_t high, struct wm_ref to)
{
    size_t begin = low;

    if (!is_held(p, low, high)) {
        if (p->status == 0)
            WM_BUG("a rank gives what it does not hold");
        return;
    }
    for (int i = find_piece(p, low); low < high; i++) {
        struct wm_piece from = upper_part(p->pieces[i], low);
        size_t end = from.high < high ? from.high : high;

        copy_units(p, copying, from.at, (struct wm_ref){to.buffer, to.offset + (low - begin)}, end - low);
        low = end;
    }
}

/* Before a range is packed: bring the own block, if it is in it as one piece, to its place in the receive buffer, where
 * blocks that came stand already. So all ranks pack by as many copies, whichever block is theirs. */
static void settle_own(struct wm_planner *p, size_t low, size_t high)
{
    int own = own_place(p), i;
    size_t first = is_known(p) ? wm_holdings_start(p, own) : high, end;
    struct wm_ref from, to;

    if (first < low || first >= high || p->delivered[own] || (end = wm_holdings_start(p, own + 1)) > high)
        return;
    i = find_piece(p, first);
    if (i == p->piece_count || p->pieces[i].low > first || p->pieces[i].high < end)
        return;
    from = upper_part(p->pieces[i], first).at;
    if (wm_holdings_settle(p, first, end - first, &to))
        wm_planner_copy(p, from, to, end - first);
}

struct wm_ref wm_holdings_find(struct wm_planner *p, size_t offset, size_t count)
{
    struct wm_ref at = {WM_BUFFER_TEMPORARY, 0};
    struct wm_copying copying = {0};
    int i = find_piece(p, offset);

    if (p->status < 0 || count == 0)
        return at;
    if (i < p->piece_count && p->pieces[i].low <= offset && p->pieces[i].high >= offset + count)
        return upper_part(p->pieces[i], offset).at;
    settle_own(p, offset, offset + count);
    at = wm_holdings_room(p, offset, count);
    copy_range(p, &copying, offset, offset + count, at);
    wm_copying_end(p, &copying);
    wm_holdings_put(p, offset, count, at);
    return at;
}

/* A range announced by wm_holdings_unite. */
static const struct wm_piece *find_region(const struct wm_planner *p, size_t low, size_t high)
{
    for (int i = p->region_count - 1; i >= 0; i--)
        if (p->regions[i].low <= low && p->regions[i].high >= high)
            return &p->regions[i];
    return NULL;
}

static void mark_delivered(struct wm_planner *p, size_t low, size_t high)
{
    if (!is_known(p))
        p->delivered[own_place(p)] = true;
    else if (low < high)
        memset(&p->delivered[place_at(p, low)], true, (size_t)(place_at(p, high - 1) + 1 - place_at(p, low)));
}

struct wm_ref wm_holdings_room(struct wm_planner *p, size_t offset, size_t count)
{
    const struct wm_piece *region;
    struct wm_ref at;

    if (p->status == 0 && final_place(p, offset, offset + count, &at)) {
        mark_delivered(p, offset, offset + count);
        return at;
    }
    if ((region = find_region(p, offset, offset + count)) != NULL)
        return upper_part(*region, offset).at;
    return wm_planner_temporary(p, count);
}

bool wm_holdings_settle(struct wm_planner *p, size_t offset, size_t count, struct wm_ref *at)
{
    struct wm_ref now = wm_holdings_find(p, offset, count);

    if (p->status < 0 || count == 0 || now.buffer == WM_BUFFER_RECEIVE || !final_place(p, offset, offset + count, at))
        return false;
    mark_delivered(p, offset, offset + count);
    wm_holdings_put(p, offset, count, *at);
    return true;
}

void wm_holdings_unite(struct wm_planner *p, size_t offset, size_t count)
{
    struct wm_ref at;

    if (count == 0 || p->status < 0 || find_region(p, offset, offset + count) != NULL ||
        final_place(p, offset, offset + count, &at) ||
        !wm_planner_grow(p, (void **)&p->regions, p->region_count, &p->region_room, sizeof *p->regions))
        return;
    p->regions[p->region_count++] = (struct wm_piece){offset, offset + count, wm_planner_temporary(p, count)};
}

/* Are the receive buffer's blocks those of all places, one behind the other? */
static bool is_in_order(const struct wm_planner *p)
{
    const struct wm_blocks *receive = &p->call->receive;

    if (!p->layout->order->identity || receive->count != p->layout->ranks)
        return false;
    if (receive->offsets == NULL || p->starts == NULL)
        return receive->offsets == NULL && p->starts == NULL;
    return receive->offsets == p->starts ||
           memcmp(receive->offsets, p->starts, sizeof *p->starts * (size_t)receive->count) == 0;
}

static const size_t *make_starts(struct wm_planner *p)
{
    const struct wm_blocks *data = &p->call->data;
    size_t ranks = (size_t)p->layout->ranks, at = 0;
    size_t *starts;

    if (data->offsets != NULL && p->layout->order->identity)
        return data->offsets;
    starts = wm_planner_allocate(p, sizeof *starts * (ranks + 1));
    for (size_t place = 0; starts != NULL && place <= ranks; place++) {
        starts[place] = at;
        at += place < ranks ? data->counts[p->layout->order->rank_at[place]] : 0;
    }
    return starts;
}

/* The root of a scatter brings all blocks, the others of a gather or allgather their own. */
static void put_own(struct wm_planner *p)
{
    const struct wm_blocks *send = &p->call->send;
    const struct wm_order *order = p->layout->order;
    int own = own_place(p);
    size_t at;

    if (wm_operation_flow(p->call->operation) == WM_FLOW_DOWN) {
        for (int place = 0; p->rank == p->call->root && place < order->ranks; place++)
            wm_holdings_put(p, wm_holdings_start(p, place), wm_blocks_count(send, order->rank_at[place]),
                            (struct wm_ref){WM_BUFFER_SEND, wm_blocks_offset(send, order->rank_at[place])});
        p->delivered[own] = p->rank == p->call->root && p->call->in_place;
    } else if (p->call->in_place && wants(p, own, &at)) {
        wm_holdings_put(p, wm_holdings_start(p, own), wm_blocks_count(&p->call->receive, p->rank),
                        (struct wm_ref){WM_BUFFER_RECEIVE, at});
        p->delivered[own] = true;
    } else {
        wm_holdings_put(p, is_known(p) ? wm_holdings_start(p, own) : 0, wm_blocks_count(send, 0),
                        (struct wm_ref){WM_BUFFER_SEND, wm_blocks_offset(send, 0)});
    }
}

void wm_holdings_begin(struct wm_planner *p)
{
    p->delivered = wm_planner_allocate(p, sizeof *p->delivered * (size_t)p->layout->ranks);
    if (is_known(p) && p->call->data.counts != NULL)
        p->starts = make_starts(p);
    p->in_order = is_known(p) && is_in_order(p);
    if (p->status == 0 && !wm_operation_combines(p->call->operation))
        put_own(p);
}

void wm_holdings_deliver(struct wm_planner *p)
{
    bool one = p->call->receive.count <= 1;
    int first = one ? own_place(p) : 0, last = one ? first : p->layout->ranks - 1;
    struct wm_copying copying = {0};

    if (p->status < 0 || memchr(&p->delivered[first], false, (size_t)(last + 1 - first)) == NULL)
        return;
    for (int i = first; p->status == 0 && i <= last; i++) {
        int place = one ? i : p->layout->order->place_of[i]; /* by ranks, as the receive buffer has them */
        size_t low, high, at;

        if (p->delivered[place] || !wants(p, place, &at))
            continue;
        if (!is_known(p)) /* its own block alone, which came straight */
            return;
        low = wm_holdings_start(p, place);
        high = wm_holdings_start(p, place + 1);
        copy_range(p, &copying, low, high, (struct wm_ref){WM_BUFFER_RECEIVE, at});
    }
    wm_copying_end(p, &copying);
}
