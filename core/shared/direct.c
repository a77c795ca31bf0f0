/* Direct steps of two members. */
#include "core/shared/direct.h"

#include <string.h>
#include "core/shared/data.h"
#include "core/shared/lane.h"
#include "core/node/single_copy.h"

enum { PAGE = 4096 };

/* Smaller steps, and those of other kinds (0), are faster through slots: measured on two cores, with buffers that stay
 * in the caches and with such that do not. */
static const size_t direct_bytes[WM_SHARED_KIND_COUNT] = {
    [WM_SHARED_BCAST] = 32 << 10,    [WM_SHARED_GATHER] = 32 << 10,  [WM_SHARED_SCATTER] = 16 << 10,
    [WM_SHARED_ALLGATHER] = 8 << 10, [WM_SHARED_ALLTOALL] = 8 << 10, [WM_SHARED_EXSCAN] = 32 << 10,
};

/* What a flag carries: in the first round where this member's data stand, in the second whether its moves went well. */
struct word {
    uint64_t good, give, get;
};

bool wm_shared_takes_direct(const struct wm_shared *s, size_t unit_bytes, const struct wm_transport *transport)
{
    size_t bytes = wm_shared_largest_count(s) * unit_bytes, least = direct_bytes[s->kind];

    if (s->size != 2 || least == 0 || transport->copy == WM_COPY_DOUBLE)
        return false;
    return bytes >= (transport->copy == WM_COPY_SINGLE ? 1 : least);
}

static bool goes_both_ways(const struct wm_shared *s)
{
    return s->kind == WM_SHARED_ALLTOALL || s->kind == WM_SHARED_ALLGATHER;
}

/* Whose data cross, where they go one way. */
static int giver_of(const struct wm_shared *s)
{
    switch (s->kind) {
    case WM_SHARED_GATHER:
        return 1 - s->root;
    case WM_SHARED_EXSCAN:
        return 0;
    default:
        return s->root;
    }
}

static bool gives(const struct wm_shared *s)
{
    return goes_both_ways(s) || s->self == giver_of(s);
}

static bool gets(const struct wm_shared *s)
{
    return goes_both_ways(s) || !gives(s);
}

/* What crosses from `giver` to the other. */
static size_t bytes_of(const struct wm_shared_task *t, int giver)
{
    const struct wm_shared *s = t->step;
    bool own = s->kind == WM_SHARED_GATHER || s->kind == WM_SHARED_ALLGATHER;
    int share = own ? giver : s->kind == WM_SHARED_SCATTER ? 1 - giver : 0;

    return s->counts[share] * t->data.unit_bytes;
}

/* NULL: no byte of this member's crosses. A share of no units stands nowhere. */
static char *own_give(const struct wm_shared_task *t)
{
    const struct wm_shared *s = t->step;
    bool parts = s->kind == WM_SHARED_ALLTOALL || s->kind == WM_SHARED_SCATTER;
    struct wm_ref at;
    size_t units;

    return gives(s) && wm_shared_gives(s, parts ? 1 - s->self : 0, &at, &units) ? wm_shared_address(&t->data, at, 0)
                                                                                : NULL;
}

static char *own_get(const struct wm_shared_task *t)
{
    const struct wm_shared *s = t->step;
    bool apart = goes_both_ways(s) || s->kind == WM_SHARED_GATHER;
    struct wm_ref at;
    size_t units;

    return gets(s) && wm_shared_gets(s, apart ? 1 - s->self : 0, &at, &units) ? wm_shared_address(&t->data, at, 0)
                                                                              : NULL;
}

static bool is_able(const struct wm_shared_task *t)
{
    return t->lane->other_process > 0 && t->data.geometry->packed;
}

static bool post(struct wm_shared_task *t, uint64_t round, const struct word *word)
{
    if (!wm_shared_may_post(t->lane, round, sizeof *word))
        return false;
    memcpy(wm_shared_payload(t->lane, round, t->step->self, sizeof *word), word, sizeof *word);
    wm_shared_post(t->lane, round);
    return true;
}

static bool hear(struct wm_shared_task *t, uint64_t round, struct word *word)
{
    int other = 1 - t->step->self;

    if (!wm_shared_posted(t->lane, round, other))
        return false;
    memcpy(word, wm_shared_payload(t->lane, round, other, sizeof *word), sizeof *word);
    wm_shared_pass(t->lane, round);
    return true;
}

static bool offer(struct wm_shared_task *t)
{
    struct word word = {0};

    if (is_able(t))
        word = (struct word){true, (uintptr_t)own_give(t), (uintptr_t)own_get(t)};
    return post(t, t->first + 1, &word);
}

/* How much of what goes one way its giver writes, the rest being read; up to a page's end. The root of a gather or
 * scatter has its own share to copy meanwhile. */
static size_t written_bytes(const struct wm_shared *s, size_t bytes)
{
    switch (s->kind) {
    case WM_SHARED_GATHER:
        return bytes;
    case WM_SHARED_BCAST:
    case WM_SHARED_EXSCAN:
        return bytes / 2 / PAGE * PAGE;
    default:
        return 0;
    }
}

static bool move(const struct wm_shared_task *t, const struct word *other)
{
    const struct wm_shared *s = t->step;
    size_t bytes = bytes_of(t, gets(s) ? 1 - s->self : s->self), written = written_bytes(s, bytes);

    if (bytes == 0)
        return true;
    if (!gets(s))
        return wm_single_copy_write(t->lane->other_process, other->get, own_give(t), written);
    return wm_single_copy_read(t->lane->other_process, other->give + written, own_get(t) + written, bytes - written);
}

static void meet(struct wm_shared_task *t)
{
    struct word other;

    if (!hear(t, t->first + 1, &other))
        return;
    t->direct = WM_SHARED_BY_SLOTS;
    if (!is_able(t) || !other.good)
        return;
    t->moved = move(t, &other);
    t->direct = WM_SHARED_TELLS;
}

static void part(struct wm_shared_task *t)
{
    struct word other;

    if (hear(t, t->first + 2, &other))
        t->direct = t->moved && other.good ? WM_SHARED_OVER : WM_SHARED_BY_SLOTS;
}

bool wm_shared_direct_advance(struct wm_shared_task *t)
{
    if (t->direct == WM_SHARED_OFFERS && offer(t)) {
        if (t->step->kind == WM_SHARED_ALLGATHER)
            wm_shared_keep(t, 0);
        t->direct = WM_SHARED_MEETS;
    }
    if (t->direct == WM_SHARED_MEETS)
        meet(t);
    if (t->direct == WM_SHARED_TELLS && post(t, t->first + 2, &(struct word){.good = t->moved}))
        t->direct = WM_SHARED_PARTS;
    if (t->direct == WM_SHARED_PARTS)
        part(t);
    return t->direct == WM_SHARED_BY_SLOTS || t->direct == WM_SHARED_OVER;
}
