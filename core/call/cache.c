/* The caches of a communicator: bounded, the least recently used out. */
#include "core/call/cache.h"

#include <stdlib.h>
#include <string.h>
#include "core/data/allocate.h"
#include "core/process/process.h"

static void kept_plan_free(struct wm_kept_plan *kept)
{
    wm_plan_free(kept->plan);
    free(kept);
}

void wm_kept_plan_give(struct wm_kept_plan *kept)
{
    if (--kept->users == 0 && !kept->cached)
        kept_plan_free(kept);
}

static void drop_plan(struct wm_comm *c, struct wm_cached_plan *cached)
{
    if (cached->path == NULL)
        return;
    for (int op = 0; op < WM_OPERATION_COUNT; op++)
        if (c->last[op].kept == cached->kept)
            c->last[op].path = NULL;
    cached->kept->cached = false;
    if (cached->kept->users == 0)
        kept_plan_free(cached->kept);
    wm_plan_call_release(&cached->call);
    *cached = (struct wm_cached_plan){0};
}

static void free_dropped(struct wm_comm *c)
{
    while (c->dropped_count > 0)
        wm_path_free(c->dropped[--c->dropped_count]);
    free(c->dropped);
    c->dropped = NULL;
}

void wm_cache_let_paths_go(struct wm_comm *c)
{
    if (--c->path_users == 0)
        free_dropped(c);
}

/* Without memory it is not freed at all. */
static void free_path(struct wm_comm *c, struct wm_path *path)
{
    struct wm_path **grown;

    if (c->path_users == 0) {
        wm_path_free(path);
    } else if ((grown = realloc(c->dropped, sizeof *grown * (size_t)(c->dropped_count + 1))) != NULL) {
        c->dropped = grown;
        c->dropped[c->dropped_count++] = path;
    }
}

static void drop_path(struct wm_comm *c, int index)
{
    struct wm_path *path = c->paths[index];

    for (int set = 0; set < WM_PLAN_SETS; set++)
        for (int way = 0; c->plans[set] != NULL && way < WM_PLAN_WAYS; way++)
            if (c->plans[set][way].path == path)
                drop_plan(c, &c->plans[set][way]);
    for (int op = 0; op < WM_OPERATION_COUNT; op++)
        if (c->last[op].path == path)
            c->last[op].path = NULL;
    free_path(c, path);
    c->paths[index] = c->paths[--c->path_count];
}

void wm_cache_clear(struct wm_comm *c)
{
    while (c->path_count > 0)
        drop_path(c, c->path_count - 1);
    for (int set = 0; set < WM_PLAN_SETS; set++) {
        free(c->plans[set]);
        c->plans[set] = NULL;
    }
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

/* The least recently used of those that may go: at most half of all are settled. */
static int find_oldest(const struct wm_comm *c, bool blocking)
{
    int oldest = -1;

    for (int i = 0; i < c->path_count; i++)
        if ((blocking || !c->paths[i]->settled) && (oldest < 0 || c->paths[i]->used < c->paths[oldest]->used))
            oldest = i;
    return oldest;
}

void wm_cache_keep(struct wm_comm *c, struct wm_path *path, bool blocking)
{
    if (c->path_count == WM_PATHS_MAX)
        drop_path(c, find_oldest(c, blocking));
    path->used = ++c->clock;
    c->paths[c->path_count++] = path;
    c->unsettled = true;
}

void wm_cache_settle(struct wm_comm *c)
{
    int settled = 0;

    for (int i = 0; i < c->path_count; i++)
        settled += c->paths[i]->settled;
    for (int i = 0; i < c->path_count && settled < WM_PATHS_MAX / 2; i++) {
        settled += !c->paths[i]->settled;
        c->paths[i]->settled = true;
    }
    c->unsettled = false;
}

const struct wm_path *wm_cache_settled_path(const struct wm_comm *c, const struct wm_facts *facts)
{
    for (int i = 0; i < c->path_count; i++)
        if (c->paths[i]->settled && c->paths[i]->operation == facts->operation && wm_path_serves(c->paths[i], facts))
            return c->paths[i];
    return NULL;
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

static struct wm_cached_plan **find_set(struct wm_comm *c, const struct wm_path *path, const struct wm_plan_call *call)
{
    uint64_t hash = (wm_plan_call_hash(call) ^ (uintptr_t)path >> 4) * UINT64_C(0x9e3779b97f4a7c15);

    return &c->plans[(hash >> 32) % WM_PLAN_SETS];
}

struct wm_kept_plan *wm_cache_plan(struct wm_comm *c, const struct wm_path *path, const struct wm_plan_call *call)
{
    struct wm_cached_plan *set = *find_set(c, path, call);

    for (int way = 0; set != NULL && way < WM_PLAN_WAYS; way++)
        if (set[way].path == path && wm_plan_call_equal(&set[way].call, call)) {
            set[way].used = ++c->clock;
            return set[way].kept;
        }
    return NULL;
}

static bool path_is_cached(const struct wm_comm *c, const struct wm_path *path)
{
    for (int i = 0; i < c->path_count; i++)
        if (c->paths[i] == path)
            return true;
    return false;
}

static void keep_plan(struct wm_comm *c, const struct wm_path *path, const struct wm_plan_call *call,
                      struct wm_kept_plan *kept)
{
    struct wm_cached_plan **set = find_set(c, path, call), *oldest;
    struct wm_plan_call copy;

    if (!path_is_cached(c, path) || wm_plan_call_copy(&copy, call) < 0)
        return;
    if (*set == NULL)
        *set = wm_allocate_zeroed(sizeof **set * WM_PLAN_WAYS, "a communicator");
    oldest = *set;
    for (int way = 1; way < WM_PLAN_WAYS; way++)
        if ((*set)[way].used < oldest->used)
            oldest = &(*set)[way];
    drop_plan(c, oldest);
    kept->cached = true;
    *oldest = (struct wm_cached_plan){path, copy, kept, ++c->clock};
    kept->call = &oldest->call;
}

struct wm_kept_plan *wm_cache_new_plan(struct wm_comm *c, const struct wm_path *path, const struct wm_plan_call *call,
                                       struct wm_error *error)
{
    struct wm_kept_plan *kept = wm_allocate_zeroed(sizeof *kept, "a plan");

    if ((kept->plan = make_plan(c, path, call, error)) == NULL) {
        free(kept);
        return NULL;
    }
    keep_plan(c, path, call, kept);
    return kept;
}
