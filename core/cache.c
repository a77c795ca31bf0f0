/* The caches of a communicator: bounded, the least recently used out. */
#include "core/cache.h"

#include <stdlib.h>
#include <string.h>
#include "core/process.h"

static void drop_plan(struct wm_comm *c, struct wm_cached_plan *cached)
{
    for (int op = 0; op < WM_OPERATION_COUNT; op++)
        if (c->last[op].plan == cached->plan)
            c->last[op].plan = NULL;
    wm_plan_free(cached->plan);
    *cached = (struct wm_cached_plan){0};
}

static void drop_path(struct wm_comm *c, int index)
{
    struct wm_path *path = c->paths[index];

    for (int set = 0; set < WM_PLAN_SETS; set++)
        for (int way = 0; way < WM_PLAN_WAYS; way++)
            if (c->plans[set][way].path == path)
                drop_plan(c, &c->plans[set][way]);
    wm_path_free(path);
    c->paths[index] = c->paths[--c->path_count];
}

void wm_cache_clear(struct wm_comm *c)
{
    while (c->path_count > 0)
        drop_path(c, c->path_count - 1);
}

struct wm_path *wm_cache_path(struct wm_comm *c, const struct wm_facts *facts)
{
    for (int i = 0; i < c->path_count; i++) {
        struct wm_path *path = c->paths[i];

        if (path->operation == facts->operation && wm_path_serves(path, facts)) {
            path->used = ++c->clock;
            return path;
        }
    }
    return NULL;
}

void wm_cache_keep(struct wm_comm *c, struct wm_path *path)
{
    int oldest = 0;

    for (int i = 1; i < c->path_count; i++)
        if (c->paths[i]->used < c->paths[oldest]->used)
            oldest = i;
    if (c->path_count == WM_PATHS_MAX)
        drop_path(c, oldest);
    path->used = ++c->clock;
    c->paths[c->path_count++] = path;
}

static size_t hash_call(const struct wm_path *path, const struct wm_plan_call *call)
{
    size_t hash = (size_t)path >> 4;

    hash = (hash ^ call->count) * 0x9e3779b97f4a7c15u;
    hash = (hash ^ (hash >> 29) ^ call->unit_bytes) * 0x9e3779b97f4a7c15u;
    hash = (hash ^ (hash >> 29) ^ (size_t)call->root) * 0x9e3779b97f4a7c15u;
    return hash >> 32;
}

static bool same_call(const struct wm_plan_call *a, const struct wm_plan_call *b)
{
    return a->operation == b->operation && a->count == b->count && a->unit_bytes == b->unit_bytes &&
           a->root == b->root && a->in_place == b->in_place && a->commutative == b->commutative;
}

static struct wm_plan *make_plan(struct wm_comm *c, const struct wm_path *path, const struct wm_plan_call *call,
                                 struct wm_error *error)
{
    struct wm_layout *layout;
    struct wm_plan *plan = NULL;

    if (wm_layout_new(&layout, path, &c->grid, call->root, !call->commutative, error) < 0)
        return NULL;
    wm_plan_make(&plan, path, layout, call, c->rank, error);
    wm_layout_free(layout);
    atomic_fetch_add_explicit(&wm_process.plans, 1, memory_order_relaxed);
    return plan;
}

static struct wm_cached_plan *find_set(struct wm_comm *c, const struct wm_path *path, const struct wm_plan_call *call)
{
    return c->plans[hash_call(path, call) % WM_PLAN_SETS];
}

const struct wm_plan *wm_cache_plan(struct wm_comm *c, const struct wm_path *path, const struct wm_plan_call *call)
{
    struct wm_cached_plan *set = find_set(c, path, call);

    for (int way = 0; way < WM_PLAN_WAYS; way++)
        if (set[way].path == path && same_call(&set[way].call, call)) {
            set[way].used = ++c->clock;
            return set[way].plan;
        }
    return NULL;
}

const struct wm_plan *wm_cache_new_plan(struct wm_comm *c, const struct wm_path *path, const struct wm_plan_call *call,
                                        struct wm_error *error)
{
    struct wm_cached_plan *set = find_set(c, path, call), *oldest = set;
    struct wm_plan *plan = make_plan(c, path, call, error);

    for (int way = 1; way < WM_PLAN_WAYS; way++)
        if (set[way].used < oldest->used)
            oldest = &set[way];
    if (plan == NULL)
        return NULL;
    drop_plan(c, oldest);
    *oldest = (struct wm_cached_plan){path, *call, plan, ++c->clock};
    return plan;
}
