/* Shared steps: what each member gives and gets, by kind, and copies of them. */
#include "core/plan/plan.h"

#include <stdlib.h>
#include <string.h>

/* Who has part on a side, and with what. */
enum who { ROOT, BUT_ROOT, ALL, BUT_FIRST, BUT_LAST };
enum what {
    WHOLE,  /* number 0 alone, the whole block */
    OWN,    /* number 0 alone, its own share */
    EVERY,  /* a share for each member */
    OTHERS, /* the same, but not its own */
    MOVED,  /* the same, and its own where that is not given from there */
};

struct side {
    enum who who;
    enum what what;
};

/* clang-format off */
static const struct {
    struct side gives, gets;
} kinds[WM_SHARED_KIND_COUNT] = {
    [WM_SHARED_BCAST]          = {{ROOT, WHOLE}, {BUT_ROOT, WHOLE}},
    [WM_SHARED_GATHER]         = {{BUT_ROOT, OWN}, {ROOT, OTHERS}},
    [WM_SHARED_SCATTER]        = {{ROOT, OTHERS}, {BUT_ROOT, OWN}},
    [WM_SHARED_ALLGATHER]      = {{ALL, OWN}, {ALL, MOVED}},
    [WM_SHARED_ALLTOALL]       = {{ALL, OTHERS}, {ALL, OTHERS}},
    [WM_SHARED_REDUCE]         = {{ALL, WHOLE}, {ROOT, WHOLE}},
    [WM_SHARED_ALLREDUCE]      = {{ALL, WHOLE}, {ALL, WHOLE}},
    [WM_SHARED_REDUCE_SCATTER] = {{ALL, EVERY}, {ALL, OWN}},
    [WM_SHARED_SCAN]           = {{ALL, WHOLE}, {ALL, WHOLE}},
    [WM_SHARED_EXSCAN]         = {{BUT_LAST, WHOLE}, {BUT_FIRST, WHOLE}},
};
/* clang-format on */

const char *wm_shared_name(enum wm_shared_kind kind)
{
    static const char *const names[] = {
#define X(id, name, help) [WM_SHARED_##id] = name,
        WM_SHARED_KINDS(X)
#undef X
    };

    return names[kind];
}

bool wm_shared_moves_own(const struct wm_shared *s)
{
    return s->from[0].buffer != s->to[s->self].buffer || s->from[0].offset != s->to[s->self].offset;
}

static bool takes_part(const struct wm_shared *s, enum who who)
{
    switch (who) {
    case ALL:
        return true;
    case BUT_FIRST:
        return s->self > 0;
    case BUT_LAST:
        return s->self < s->size - 1;
    default:
        return (who == ROOT) == (s->self == s->root);
    }
}

/* Units of range `i` of a side. */
static size_t side_units(const struct wm_shared *s, struct side side, int i)
{
    if (!takes_part(s, side.who))
        return 0;
    switch (side.what) {
    case WHOLE:
        return i == 0 ? s->counts[0] : 0;
    case OWN:
        return i == 0 ? s->counts[s->self] : 0;
    case EVERY:
        return s->counts[i];
    case MOVED:
        return i != s->self || wm_shared_moves_own(s) ? s->counts[i] : 0;
    default:
        return i != s->self ? s->counts[i] : 0;
    }
}

bool wm_shared_gives(const struct wm_shared *s, int i, struct wm_ref *at, size_t *count)
{
    *count = side_units(s, kinds[s->kind].gives, i);
    *at = s->from[i];
    return *count > 0;
}

bool wm_shared_gets(const struct wm_shared *s, int i, struct wm_ref *at, size_t *count)
{
    *count = side_units(s, kinds[s->kind].gets, i);
    *at = s->to[i];
    return *count > 0;
}

size_t wm_shared_units(const struct wm_shared *s)
{
    size_t units = s->counts[0];

    for (int i = 1; kinds[s->kind].gives.what != WHOLE && kinds[s->kind].gets.what != WHOLE && i < s->size; i++)
        units += s->counts[i];
    return units;
}

/* Members stand first, then, aligned for them, places and counts. */
bool wm_shared_copy(struct wm_shared *to, const struct wm_shared *from)
{
    size_t n = (size_t)from->size, places = sizeof(struct wm_ref), head = (n * sizeof(int) + places - 1) / places;
    struct wm_ref *memory = malloc((head + 2 * n) * places + n * sizeof *from->counts);
    struct wm_ref *starts[3] = {memory + head, memory + head + n, memory + head + 2 * n};

    if (memory == NULL)
        return false;
    *to = *from;
    to->members = memcpy(memory, from->members, n * sizeof(int));
    to->from = memcpy(starts[0], from->from, n * places);
    to->to = memcpy(starts[1], from->to, n * places);
    to->counts = memcpy(starts[2], from->counts, n * sizeof *from->counts);
    return true;
}

void wm_shared_release(struct wm_shared *shared)
{
    free((void *)shared->members);
    *shared = (struct wm_shared){0};
}
