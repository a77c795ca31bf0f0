/* Teams: the roles of ranks, and who is in a rank's team. */
#include "core/statement/team.h"

#include <string.h>
#include "core/hash.h"

#define BIT(operation) (UINT64_C(1) << (operation))
#define OPERATIONS                                                                                                     \
    (BIT(WM_BCAST) | BIT(WM_SCATTER) | BIT(WM_GATHER) | BIT(WM_REDUCE) | BIT(WM_ALLGATHER) | BIT(WM_ALLTOALL) |        \
     BIT(WM_ALLREDUCE) | BIT(WM_REDUCE_SCATTER_BLOCK))

/* What a role may rule out, too: that all ranks are in a team; that leaders have a block, as the others have. */
static const uint64_t everybody = UINT64_C(1) << 63, complete = UINT64_C(1) << 62;

/* In an operation between one rank, the leader, and all. */
enum place { NOWHERE, LEADER, OTHER };

static bool comes_once(const struct wm_parts *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->parts[i].turn > 0)
            return false;
    return true;
}

/* The variables in a term have the same values in all parts. */
static bool is_alike(const struct wm_traffic *x, const struct wm_parts *list, int term)
{
    for (size_t i = 1; i < list->count; i++)
        for (int v = 0; v < x->s->variable_count; v++)
            if ((x->s->terms[term].variables >> v & 1) != 0 && list->values[list->parts[i].variables + (size_t)v].u !=
                                                                   list->values[list->parts[0].variables + (size_t)v].u)
                return false;
    return true;
}

/* `many`: the list of the side of which a leader has a part for each rank; `few`: the other one, of which it has at
 * most its own. */
static enum place find_place(const struct wm_parts *many, const struct wm_parts *few, int me)
{
    if (many->count > 1 && (few->count == 0 || (few->count == 1 && few->parts[0].peer == me)))
        return LEADER;
    return many->count == 0 && few->count == 1 ? OTHER : NOWHERE;
}

/* It sends to those of which it receives, and it is one of them. */
static bool is_mutual(const struct wm_traffic *x)
{
    bool self = false;

    if (x->sends.count != x->receives.count || (x->sends.count < 3 && x->sends.count != (size_t)x->ranks))
        return false;
    for (size_t i = 0; i < x->sends.count; i++) {
        if (x->sends.parts[i].peer != x->receives.parts[i].peer)
            return false;
        self |= x->sends.parts[i].peer == x->me;
    }
    return self;
}

/* With the others of the team it adds up to 0, if they have the same set. */
static uint64_t hash_set(const struct wm_traffic *x)
{
    uint64_t hash = WM_HASH_BEGIN;

    for (size_t i = 0; i < x->sends.count; i++)
        hash = wm_hash_add(hash, (uint64_t)x->sends.parts[i].peer);
    hash = wm_hash_scatter(hash);
    return x->sends.parts[0].peer == x->me ? -(x->sends.count - 1) * hash : hash;
}

static uint64_t from_one(const struct wm_traffic *x, const struct wm_reduction *r, bool leads)
{
    if (r->combiner != WM_OPERATOR_STORE)
        return 0;
    return leads && !is_alike(x, &x->sends, r->data) ? BIT(WM_SCATTER) : BIT(WM_SCATTER) | BIT(WM_BCAST);
}

static uint64_t to_one(const struct wm_traffic *x, const struct wm_reduction *r, bool leads)
{
    if (r->combiner == WM_OPERATOR_STORE)
        return BIT(WM_GATHER);
    return leads && !is_alike(x, &x->receives, r->storage) ? 0 : BIT(WM_REDUCE);
}

static uint64_t mutual(const struct wm_traffic *x, const struct wm_reduction *r)
{
    bool store = r->combiner == WM_OPERATOR_STORE, same = is_alike(x, &x->sends, r->data);

    if (!store && !is_alike(x, &x->receives, r->storage))
        return 0;
    return store ? BIT(WM_ALLTOALL) | (same ? BIT(WM_ALLGATHER) : 0)
                 : BIT(WM_REDUCE_SCATTER_BLOCK) | (same ? BIT(WM_ALLREDUCE) : 0);
}

struct wm_roles wm_traffic_role(const struct wm_traffic *x)
{
    const struct wm_reduction *r = &x->s->reductions[0];
    enum place from = find_place(&x->sends, &x->receives, x->me), to = find_place(&x->receives, &x->sends, x->me);
    struct wm_roles role = {.leader = -1};
    uint64_t may = 0;

    if (x->sends.count + x->receives.count == 0)
        return (struct wm_roles){.ruled_out = everybody, .leader = -1};
    if (!comes_once(&x->sends) || !comes_once(&x->receives))
        return (struct wm_roles){.ruled_out = OPERATIONS, .leader = -1};
    if (from != NOWHERE)
        may = from_one(x, r, from == LEADER);
    else if (to != NOWHERE)
        may = to_one(x, r, to == LEADER);
    else if (is_mutual(x))
        may = mutual(x, r);
    role.leader = from == LEADER || to == LEADER ? x->me
                  : x->sends.count > 0           ? x->sends.parts[0].peer
                                                 : x->receives.parts[0].peer;
    role.ruled_out = OPERATIONS & ~may;
    if ((from == LEADER && x->receives.count == 0) || (to == LEADER && x->sends.count == 0))
        role.ruled_out |= complete;
    if (from == NOWHERE && to == NOWHERE && may != 0)
        role.sets = hash_set(x);
    return role;
}

enum wm_operation wm_roles_operation(const struct wm_roles *roles, bool *team)
{
    /* The first that is not ruled out: a bcast could be a scatter, too, as others could be what stands behind them. */
    static const enum wm_operation operations[] = {WM_BCAST,     WM_SCATTER,  WM_GATHER,    WM_REDUCE,
                                                   WM_ALLGATHER, WM_ALLTOALL, WM_ALLREDUCE, WM_REDUCE_SCATTER_BLOCK};
    size_t i = 0, count = sizeof operations / sizeof operations[0];
    bool blocks;

    while (i < count && (roles->ruled_out & BIT(operations[i])) != 0)
        i++;
    if (i == count || roles->sets != 0)
        return WM_OPERATION_COUNT;
    blocks = operations[i] == WM_SCATTER || operations[i] == WM_GATHER;
    *team = roles->leader < 0 || (roles->ruled_out & everybody) != 0 || (blocks && (roles->ruled_out & complete) != 0);
    return operations[i];
}

/* ---- who is in it ---- */

struct members {
    int term; /* the rank at the other end */
    int *are; /* of each rank */
};

static void mark(struct wm_frame *f, void *with)
{
    const struct members *members = with;
    union wm_scalar room[WM_VALUE_LANES];
    struct wm_values ranks = wm_evaluate_values(f, members->term, room);

    for (int i = 0; i < wm_frame_lanes(f); i++)
        if (wm_value(ranks, i).i >= 0 && wm_value(ranks, i).i < f->ranks)
            members->are[wm_value(ranks, i).i] = true;
}

int wm_traffic_team(const struct wm_traffic *x, const struct wm_bound bindings[], int ranks[], int *root)
{
    const struct wm_reduction *r = &x->s->reductions[0];
    bool up = find_place(&x->receives, &x->sends, x->me) != NOWHERE;
    int count = 0, leader = wm_traffic_role(x).leader;
    struct wm_frame f = wm_traffic_frame(x, bindings, NULL);

    if (leader < 0)
        return 0;
    f.me = leader;
    memset(ranks, 0, sizeof *ranks * (size_t)x->ranks);
    wm_enumerate(&f, r, up ? WM_RECEIVES : WM_SENDS, mark, &(struct members){up ? r->sender : r->receiver, ranks});
    *root = -1;
    for (int rank = 0; rank < x->ranks; rank++)
        if (ranks[rank]) {
            *root = rank == leader ? count : *root;
            ranks[count++] = rank;
        }
    if (*root < 0) {
        *root = count;
        ranks[count++] = leader;
    }
    return count;
}
