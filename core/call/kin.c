/* Kin: found by ranks, map and name. */
#include "core/call/kin.h"

#include <stdlib.h>
#include <string.h>
#include "core/data/allocate.h"
#include "core/hash.h"
#include "core/node/memory.h"

enum { BUCKETS = 256 };

/* Under the communicators' lock. */
static struct wm_kin *table[BUCKETS];

static const char communicator[] = "a communicator";

static uint64_t hash_of(const struct wm_comm *c, uint64_t name)
{
    uint64_t hash = wm_hash_add(wm_hash_add(WM_HASH_BEGIN, (uintptr_t)c->map), name);

    for (int r = 0; r < c->ranks; r++)
        hash = wm_hash_add(hash, (uint64_t)c->world[r]);
    return hash;
}

static bool is_of(const struct wm_kin *k, uint64_t hash, const struct wm_comm *c, uint64_t name)
{
    return k->hash == hash && k->map == c->map && k->name == name && k->ranks == c->ranks && k->rank == c->rank &&
           memcmp(k->world, c->world, sizeof *k->world * (size_t)k->ranks) == 0;
}

static struct wm_kin *find(uint64_t hash, const struct wm_comm *c, uint64_t name)
{
    struct wm_kin *k = table[hash % BUCKETS];

    while (k != NULL && !is_of(k, hash, c, name))
        k = k->next;
    if (k != NULL)
        k->users++;
    return k;
}

static void release(struct wm_kin *k)
{
    wm_plans_release(&k->plans);
    wm_kin_forget(k);
    wm_plan_free(k->head_plan);
    wm_seed_cut(&k->seed, 0);
    free(k->joining);
    wm_node_free(k->node);
    wm_grid_release(&k->grid);
    pthread_mutex_destroy(&k->lock);
    pthread_mutex_destroy(&k->plans.lock);
    free(k->places);
    free(k->world);
    free(k);
}

static struct wm_place *new_places(const struct wm_comm *c)
{
    struct wm_place *places = wm_allocate(sizeof *places * (size_t)c->ranks, communicator);

    for (int r = 0; r < c->ranks; r++)
        places[r] = c->places != NULL ? c->places[r] : wm_process.places[c->world[r]];
    return places;
}

static struct wm_kin *new_kin(uint64_t hash, const struct wm_comm *c, uint64_t name, struct wm_error *error)
{
    struct wm_kin *k = wm_allocate_zeroed(sizeof *k, communicator);
    size_t bytes = sizeof *k->world * (size_t)c->ranks;

    *error = (struct wm_error){0};
    k->users = 1;
    k->hash = hash;
    k->map = c->map;
    k->name = name;
    k->rank = c->rank;
    k->ranks = c->ranks;
    k->world = memcpy(wm_allocate(bytes, communicator), c->world, bytes);
    k->places = new_places(c);
    k->node = wm_node_new(k->places, k->ranks, k->rank);
    pthread_mutex_init(&k->lock, NULL);
    pthread_mutex_init(&k->plans.lock, NULL);
    if (wm_grid_init(&k->grid, c->map->grid_spec, c->ranks, k->places, error) < 0) {
        wm_map_source_quote(c->map, error);
        release(k);
        return NULL;
    }
    k->nodes = wm_grid_count_nodes(k->places, k->ranks);
    k->uniform = wm_grid_uniform(&k->grid);
    k->consecutive = wm_grid_consecutive(&k->grid);
    return k;
}

static void list(struct wm_kin *k)
{
    k->next = table[k->hash % BUCKETS];
    table[k->hash % BUCKETS] = k;
}

struct wm_kin *wm_kin_of(const struct wm_comm *c, uint64_t name, struct wm_error *error)
{
    uint64_t hash = hash_of(c, name);
    struct wm_kin *k;

    wm_process_lock(&wm_process.comms_lock);
    k = find(hash, c, name);
    if (k == NULL && (k = new_kin(hash, c, name, error)) != NULL)
        list(k);
    wm_process_unlock(&wm_process.comms_lock);
    return k;
}

struct wm_kin *wm_kin_take(struct wm_kin *k)
{
    wm_process_lock(&wm_process.comms_lock);
    k->users++;
    wm_process_unlock(&wm_process.comms_lock);
    return k;
}

static void unlist(struct wm_kin *k)
{
    struct wm_kin **link = &table[k->hash % BUCKETS];

    while (*link != k)
        link = &(*link)->next;
    *link = k->next;
}

void wm_kin_give(struct wm_kin *k)
{
    bool last;

    if (k == NULL)
        return;
    wm_process_lock(&wm_process.comms_lock);
    if ((last = --k->users == 0))
        unlist(k);
    wm_process_unlock(&wm_process.comms_lock);
    if (last)
        release(k);
}

/* On so many axes of the grid ranks of the node differ. */
static int count_axes(const struct wm_kin *k)
{
    const int *ranks = k->node->ranks;
    int count = 0;

    for (int axis = 0; axis < k->grid.axis_count; axis++) {
        const int *group = k->grid.axes[axis].group;
        int i = 1;

        while (i < k->node->size && group[ranks[i]] == group[ranks[0]])
            i++;
        count += i < k->node->size;
    }
    return count;
}

/* A path may put the node's ranks into groups along any of these axes, and each needs a lane. */
static uint64_t area_bytes(const struct wm_kin *k)
{
    int size = k->node->size;

    return (((uint64_t)1 << count_axes(k)) - 1) * wm_lanes_bytes(size) + wm_net_shm_bytes(size);
}

/* What is made ahead takes no more than what there was, and for many ranks, or where memory is short, nothing. */
static int seed_size(const struct wm_kin *k)
{
    enum { RANKS = 512 };
    int most = RANKS / k->ranks < WM_SEEDS_MAX ? RANKS / k->ranks : WM_SEEDS_MAX;
    int size = k->endpoints < most ? k->endpoints : most;

    return size > 1 && !wm_process_watches() && wm_memory_is_roomy() ? size : 1;
}

struct wm_seed wm_kin_seed_take(struct wm_kin *k)
{
    struct wm_seed seed;

    wm_process_lock(&k->lock);
    seed = k->seed;
    k->seed = (struct wm_seed){0};
    if (seed.count == 0)
        wm_seed_make(&seed, k->node, area_bytes(k), seed_size(k));
    wm_process_unlock(&k->lock);
    return seed;
}

void wm_kin_seed_keep(struct wm_kin *k, struct wm_seed *seed)
{
    wm_process_lock(&k->lock);
    if (k->seed.count == 0) {
        k->seed = *seed;
        *seed = (struct wm_seed){0};
    }
    wm_process_unlock(&k->lock);
    wm_seed_cut(seed, 0);
}

void wm_kin_count(struct wm_kin *k, int endpoints)
{
    wm_process_lock(&k->lock);
    k->endpoints = k->endpoints + endpoints < WM_SEEDS_MAX ? k->endpoints + endpoints : WM_SEEDS_MAX;
    wm_process_unlock(&k->lock);
}

/* Where a path with this hash stands, or would. */
static int place_of(const struct wm_kin *k, uint64_t hash)
{
    int place = 0;

    while (place < k->known_count && k->known[place]->hash < hash)
        place++;
    return place;
}

struct wm_path *wm_kin_learn(struct wm_kin *k, struct wm_path *path)
{
    int place;

    wm_process_lock(&k->lock);
    place = place_of(k, path->hash);
    if (place < k->known_count && k->known[place]->hash == path->hash) {
        wm_path_free(path);
        path = wm_path_take(k->known[place]);
    } else if (k->known_count < WM_KIN_PATHS_MAX) {
        memmove(&k->known[place + 1], &k->known[place], sizeof *k->known * (size_t)(k->known_count++ - place));
        k->known[place] = wm_path_take(path);
    }
    wm_process_unlock(&k->lock);
    return path;
}

int wm_kin_paths(struct wm_kin *k, struct wm_path *paths[WM_KIN_PATHS_MAX], uint64_t *hash)
{
    int count;

    *hash = WM_HASH_BEGIN;
    wm_process_lock(&k->lock);
    count = k->known_count;
    for (int i = 0; i < count; i++) {
        paths[i] = wm_path_take(k->known[i]);
        *hash = wm_hash_add(*hash, k->known[i]->hash);
    }
    wm_process_unlock(&k->lock);
    return count;
}

void wm_kin_forget(struct wm_kin *k)
{
    wm_process_lock(&k->lock);
    while (k->known_count > 0)
        wm_path_free(k->known[--k->known_count]);
    wm_process_unlock(&k->lock);
}
