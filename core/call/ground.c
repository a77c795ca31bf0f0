/* Grounds: found by ranks, map and name. */
#include "core/call/ground.h"

#include <stdlib.h>
#include <string.h>
#include "core/data/allocate.h"
#include "core/hash.h"
#include "core/process/process.h"

enum { BUCKETS = 256 };

/* Under the communicators' lock. */
static struct wm_ground *table[BUCKETS];

static const char communicator[] = "a communicator";

static uint64_t hash_of(const struct wm_ground_key *key)
{
    uint64_t hash = wm_hash_add(wm_hash_add(WM_HASH_BEGIN, (uintptr_t)key->map), key->name);

    for (int r = 0; r < key->ranks; r++)
        hash = wm_hash_add(hash, (uint64_t)key->world[r]);
    return hash;
}

static bool is_of(const struct wm_ground *g, uint64_t hash, const struct wm_ground_key *key)
{
    return g->hash == hash && g->map == key->map && g->name == key->name && g->ranks == key->ranks &&
           memcmp(g->world, key->world, sizeof *g->world * (size_t)g->ranks) == 0;
}

static void release(struct wm_ground *g)
{
    wm_grid_release(&g->grid);
    free(g->places);
    free(g->world);
    free(g);
}

static struct wm_place *new_places(const struct wm_ground_key *key)
{
    struct wm_place *places = wm_allocate(sizeof *places * (size_t)key->ranks, communicator);

    for (int r = 0; r < key->ranks; r++)
        places[r] = key->places != NULL ? key->places[r] : wm_process.places[key->world[r]];
    return places;
}

static struct wm_ground *new_ground(uint64_t hash, const struct wm_ground_key *key, struct wm_error *error)
{
    struct wm_ground *g = wm_allocate_zeroed(sizeof *g, communicator);
    size_t bytes = sizeof *g->world * (size_t)key->ranks;

    *error = (struct wm_error){0};
    g->hash = hash;
    g->map = key->map;
    g->name = key->name;
    g->ranks = key->ranks;
    g->world = memcpy(wm_allocate(bytes, communicator), key->world, bytes);
    g->places = new_places(key);
    if (wm_grid_init(&g->grid, g->map->grid_spec, g->ranks, g->places, error) < 0) {
        wm_map_source_quote(g->map, error);
        release(g);
        return NULL;
    }
    g->nodes = wm_grid_count_nodes(g->places, g->ranks);
    g->clusters = wm_grid_count_clusters(&g->grid);
    g->uniform = wm_grid_uniform(&g->grid);
    g->consecutive = wm_grid_consecutive(&g->grid);
    g->next = table[hash % BUCKETS];
    table[hash % BUCKETS] = g;
    return g;
}

struct wm_ground *wm_ground_of(const struct wm_ground_key *key, struct wm_error *error)
{
    uint64_t hash = hash_of(key);
    struct wm_ground *g = table[hash % BUCKETS];

    while (g != NULL && !is_of(g, hash, key))
        g = g->next;
    if (g == NULL)
        g = new_ground(hash, key, error);
    if (g != NULL)
        g->users++;
    return g;
}

void wm_ground_give(struct wm_ground *g)
{
    struct wm_ground **link;

    if (g == NULL || --g->users > 0)
        return;
    for (link = &table[g->hash % BUCKETS]; *link != g; link = &(*link)->next)
        ;
    *link = g->next;
    release(g);
}
