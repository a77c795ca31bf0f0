/* Topologies: cartesian, and random graphs. */
#include "tools/proof/topology.h"

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static struct wm_topology topology_new(struct wm_arena *arena, int ranks)
{
    return (struct wm_topology){ranks, 0, wm_arena_take(arena, sizeof(struct wm_neighbours) * (size_t)ranks)};
}

struct wm_topology wm_topology_cartesian(struct wm_arena *arena, int ranks, unsigned periodic)
{
    struct wm_topology topology = topology_new(arena, ranks);
    int sizes[2] = {1, ranks}, steps[2];

    for (int size = 2; size * size <= ranks; size++)
        if (ranks % size == 0)
            sizes[0] = size;
    sizes[1] = ranks / sizes[0];
    steps[0] = sizes[1];
    steps[1] = 1;
    for (int rank = 0; rank < ranks; rank++) {
        int *list = wm_arena_take(arena, 4 * sizeof *list);

        for (int side = 0; side < 4; side++) {
            int d = side / 2, at = rank / steps[d] % sizes[d], to = at + (side % 2 ? 1 : -1);
            bool out = to < 0 || to == sizes[d];

            list[side] = out && !(periodic >> d & 1) ? -1 : rank + ((to + sizes[d]) % sizes[d] - at) * steps[d];
        }
        topology.of[rank] = (struct wm_neighbours){true, 4, 4, list, list};
    }
    topology.destinations_max = 4;
    return topology;
}

static void shuffle(int *list, int count, uint64_t *state)
{
    for (int i = count - 1; i > 0; i--) {
        int j = (int)(next_random(state) % (uint64_t)(i + 1)), swap = list[i];

        list[i] = list[j];
        list[j] = swap;
    }
}

/* Some to the same rank twice, and one in eight to nobody. */
static void choose_destinations(struct wm_topology *t, struct wm_arena *arena, int rank, int degree, uint64_t *state)
{
    int count = (int)(next_random(state) % (uint64_t)(degree + 1));
    int *list = wm_arena_take(arena, sizeof *list * ((size_t)count + 1));

    for (int i = 0; i < count; i++) {
        list[i] = next_random(state) % 8 == 0 ? -1 : (int)(next_random(state) % (uint64_t)t->ranks);
        if (i > 0 && next_random(state) % 4 == 0)
            list[i] = list[i - 1];
    }
    t->of[rank].destination_count = count;
    t->of[rank].destinations = list;
    t->destinations_max = count > t->destinations_max ? count : t->destinations_max;
}

/* With room for one more. */
static void list_sources(struct wm_topology *t, struct wm_arena *arena)
{
    int *counts = wm_arena_take(arena, sizeof *counts * (size_t)t->ranks);

    for (int rank = 0; rank < t->ranks; rank++)
        for (int i = 0; i < t->of[rank].destination_count; i++)
            if (t->of[rank].destinations[i] >= 0)
                counts[t->of[rank].destinations[i]]++;
    for (int rank = 0; rank < t->ranks; rank++)
        t->of[rank].sources = wm_arena_take(arena, sizeof(int) * ((size_t)counts[rank] + 1));
    for (int rank = 0; rank < t->ranks; rank++)
        for (int i = 0; i < t->of[rank].destination_count; i++) {
            struct wm_neighbours *to = t->of[rank].destinations[i] >= 0 ? &t->of[t->of[rank].destinations[i]] : NULL;

            if (to != NULL)
                ((int *)to->sources)[to->source_count++] = rank;
        }
}

struct wm_topology wm_topology_random(struct wm_arena *arena, int ranks, int degree, uint64_t seed)
{
    struct wm_topology t = topology_new(arena, ranks);
    uint64_t state = seed * 2 + 1;

    for (int i = 0; i < 8; i++)
        next_random(&state);
    for (int rank = 0; rank < ranks; rank++)
        choose_destinations(&t, arena, rank, degree, &state);
    list_sources(&t, arena);
    for (int rank = 0; rank < ranks; rank++) {
        if (next_random(&state) % 4 == 0)
            ((int *)t.of[rank].sources)[t.of[rank].source_count++] = -1;
        shuffle((int *)t.of[rank].sources, t.of[rank].source_count, &state);
    }
    return t;
}

int wm_topology_slot(const struct wm_topology *t, int rank, int slot)
{
    const struct wm_neighbours *own = &t->of[rank], *source = &t->of[own->sources[slot]];
    int before = 0, at = -1;

    if (own->cartesian)
        return slot ^ 1;
    for (int i = 0; i < slot; i++)
        before += own->sources[i] == own->sources[slot];
    do
        at++;
    while (at < source->destination_count && (source->destinations[at] != rank || before-- > 0));
    return at;
}
