/* Parts in a shared step: who gives what to whom, by kind. */
#include "tools/proof/parts.h"

enum giver { ROOT, OTHER /* whose number the range has */, EVERYONE };
enum from { FIRST, SHARE /* of the member that gets it */ };
enum whose { ALL, UP_TO_IT, BEFORE_IT };

static const struct {
    enum giver giver;
    enum from from;
    bool whole, rooted;
    enum whose whose; /* contributions that are combined */
} kinds[WM_SHARED_KIND_COUNT] = {
    [WM_SHARED_BCAST] = {ROOT, FIRST, .whole = true, .rooted = true},
    [WM_SHARED_GATHER] = {OTHER, FIRST, .rooted = true},
    [WM_SHARED_SCATTER] = {ROOT, SHARE, .rooted = true},
    [WM_SHARED_ALLGATHER] = {OTHER, FIRST},
    [WM_SHARED_ALLTOALL] = {OTHER, SHARE},
    [WM_SHARED_REDUCE] = {EVERYONE, FIRST, .whole = true, .rooted = true},
    [WM_SHARED_ALLREDUCE] = {EVERYONE, FIRST, .whole = true},
    [WM_SHARED_REDUCE_SCATTER] = {EVERYONE, SHARE},
    [WM_SHARED_SCAN] = {EVERYONE, FIRST, .whole = true, .whose = UP_TO_IT},
    [WM_SHARED_EXSCAN] = {EVERYONE, FIRST, .whole = true, .whose = BEFORE_IT},
};

bool wm_part_whole(const struct wm_shared *s)
{
    return kinds[s->kind].whole;
}

int wm_part_root(const struct wm_shared *s)
{
    return kinds[s->kind].rooted ? s->members[s->root] : -1;
}

int wm_part_giver(const struct wm_shared *s, int range, int *from)
{
    *from = kinds[s->kind].from == FIRST ? 0 : s->self;
    if (kinds[s->kind].giver == EVERYONE)
        return -1;
    return kinds[s->kind].giver == ROOT ? s->root : range;
}

int wm_part_combined(const struct wm_shared *s)
{
    return kinds[s->kind].whose == ALL ? s->size : s->self + (kinds[s->kind].whose == UP_TO_IT);
}

static size_t sum(const struct wm_shared *s, bool (*side)(const struct wm_shared *, int, struct wm_ref *, size_t *),
                  int *ranges, struct wm_ref *first)
{
    size_t units = 0;

    *ranges = 0;
    for (int i = 0; i < s->size; i++) {
        struct wm_ref at;
        size_t count;

        if (!side(s, i, &at, &count))
            continue;
        if ((*ranges)++ == 0)
            *first = at;
        units += count;
    }
    return units;
}

size_t wm_part_given(const struct wm_shared *s, int *ranges, struct wm_ref *first)
{
    return sum(s, wm_shared_gives, ranges, first);
}

size_t wm_part_gotten(const struct wm_shared *s, int *ranges, struct wm_ref *first)
{
    size_t units = sum(s, wm_shared_gets, ranges, first), own;
    struct wm_ref at;
    int from;

    return wm_part_giver(s, s->self, &from) == s->self && wm_shared_gets(s, s->self, &at, &own) ? units - own : units;
}
