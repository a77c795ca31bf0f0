/* Kin: found on their ground. */
#include "core/call/kin.h"

#include <stdlib.h>
#include <string.h>
#include "core/data/allocate.h"
#include "core/hash.h"
#include "core/node/memory.h"

void wm_kin_init(struct wm_kin *k, struct wm_ground *ground, int rank)
{
    k->users = 1;
    k->ground = ground;
    k->rank = rank;
    pthread_mutex_init(&k->lock, NULL);
    pthread_mutex_init(&k->plans.lock, NULL);
}

void wm_kin_release(struct wm_kin *k)
{
    wm_plans_release(&k->plans);
    wm_kin_forget(k);
    wm_plan_free(k->head_plan);
    wm_plan_free(k->numbers_plan);
    wm_plan_free(k->barrier_plan);
    wm_seed_cut(&k->seed, 0);
    free(k->joining);
    wm_node_free(k->node);
    pthread_mutex_destroy(&k->lock);
    pthread_mutex_destroy(&k->plans.lock);
    wm_process_lock(&wm_process.comms_lock);
    wm_ground_give(k->ground);
    wm_process_unlock(&wm_process.comms_lock);
}

static struct wm_kin *new_kin(struct wm_ground *ground, int rank)
{
    struct wm_kin *k = wm_allocate_zeroed(sizeof *k, "a communicator");

    wm_kin_init(k, ground, rank);
    k->node = wm_node_new(ground->places, ground->ranks, rank);
    ground->kin = k;
    return k;
}

/* The kin on this ground, a use of which is taken over. */
static struct wm_kin *kin_on(struct wm_ground *ground, int rank)
{
    if (ground->kin == NULL)
        return new_kin(ground, rank);
    ground->kin->users++;
    wm_ground_give(ground);
    return ground->kin;
}

struct wm_kin *wm_kin_of(const struct wm_comm *c, uint64_t name, struct wm_error *error)
{
    const struct wm_ground_key key = {c->map, name, c->ranks, c->world, c->places};
    struct wm_ground *ground;
    struct wm_kin *k;

    wm_process_lock(&wm_process.comms_lock);
    ground = wm_ground_of(&key, error);
    k = ground != NULL ? kin_on(ground, c->rank) : NULL;
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

void wm_kin_give(struct wm_kin *k)
{
    bool last;

    if (k == NULL)
        return;
    wm_process_lock(&wm_process.comms_lock);
    if ((last = --k->users == 0))
        k->ground->kin = NULL;
    wm_process_unlock(&wm_process.comms_lock);
    if (!last)
        return;
    wm_kin_release(k);
    free(k);
}

/* Axes whose groups are the same count once. */
static bool is_double(const struct wm_grid *grid, int axis)
{
    return axis > 0 && memcmp(grid->axes[axis].group, grid->axes[axis - 1].group,
                              sizeof *grid->axes->group * (size_t)grid->ranks) == 0;
}

/* On so many axes of the grid ranks of the node differ. */
static int count_axes(const struct wm_grid *grid, const struct wm_node *node)
{
    const int *ranks = node->ranks;
    int count = 0;

    for (int axis = 0; axis < grid->axis_count; axis++) {
        const int *group = grid->axes[axis].group;
        int i = 1;

        while (i < node->size && group[ranks[i]] == group[ranks[0]])
            i++;
        count += i < node->size && !is_double(grid, axis);
    }
    return count;
}

/* A path may put the node's ranks into groups along any of these axes, and each needs a lane. */
uint64_t wm_kin_lanes_bytes(const struct wm_ground *ground, const struct wm_node *node)
{
    return (((uint64_t)1 << count_axes(&ground->grid, node)) - 1) * wm_lanes_bytes(node->size);
}

static uint64_t area_bytes(const struct wm_kin *k)
{
    return wm_kin_lanes_bytes(k->ground, k->node) + wm_net_shm_bytes(k->node->size);
}

/* What is made ahead takes no more than what there was, and for many ranks, or where memory is short, nothing. */
static int seed_size(const struct wm_kin *k)
{
    enum { RANKS = 512 };
    int most = RANKS / k->ground->ranks < WM_SEEDS_MAX ? RANKS / k->ground->ranks : WM_SEEDS_MAX;
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
