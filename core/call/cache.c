/* The paths of a communicator: bounded, the least recently used out. */
#include "core/call/cache.h"

#include <stdlib.h>
#include "core/call/kin.h"
#include "core/data/allocate.h"

void wm_last_call_forget(struct wm_last_call *last)
{
    if (last->kept != NULL)
        wm_kept_plan_give(last->kept);
    last->kept = NULL;
    last->path = NULL;
    last->stamp = 0;
}

/* The path at the end comes to stand here. */
static void drop_path(struct wm_comm *c, int place)
{
    int end = --c->path_count;

    for (int op = 0; op < WM_OPERATION_COUNT; op++) {
        struct wm_last_call *last = c->last[op];

        if (last == NULL || last->path == NULL)
            continue;
        if (last->place == place)
            wm_last_call_forget(last);
        else if (last->place == end)
            last->place = place;
    }
    wm_path_free(c->paths[place].path);
    c->paths[place] = c->paths[end];
}

void wm_cache_clear(struct wm_comm *c)
{
    while (c->path_count > 0)
        drop_path(c, c->path_count - 1);
    for (int op = 0; op < WM_OPERATION_COUNT; op++) {
        if (c->last[op] != NULL)
            free(c->last[op]->vectors);
        free(c->last[op]);
        c->last[op] = NULL;
    }
    free(c->paths);
    c->paths = NULL;
    c->path_room = 0;
}

struct wm_path *wm_cache_path(struct wm_comm *c, const struct wm_facts *facts)
{
    for (int i = 0; i < c->path_count; i++) {
        struct wm_path *path = c->paths[i].path;

        if (path->operation == facts->operation && wm_path_serves(path, facts)) {
            c->paths[i].used = ++c->clock;
            return path;
        }
    }
    return NULL;
}

int wm_cache_place(const struct wm_comm *c, const struct wm_path *path)
{
    int place = c->path_count - 1;

    while (place >= 0 && c->paths[place].path != path)
        place--;
    return place;
}

/* The least recently used of those that may go: at most half of all are settled. */
static int find_oldest(const struct wm_comm *c, bool blocking)
{
    int oldest = -1;

    for (int i = 0; i < c->path_count; i++)
        if ((blocking || !c->paths[i].settled) && (oldest < 0 || c->paths[i].used < c->paths[oldest].used))
            oldest = i;
    return oldest;
}

static void reserve(struct wm_comm *c, int count)
{
    struct wm_cached_path *grown;

    if (count <= c->path_room)
        return;
    if ((grown = realloc(c->paths, sizeof *grown * (size_t)(count + count / 2))) == NULL)
        wm_out_of_memory("a communicator");
    c->paths = grown;
    c->path_room = count + count / 2;
}

static void add(struct wm_comm *c, struct wm_path *path)
{
    c->paths[c->path_count++] = (struct wm_cached_path){path, ++c->clock, false};
    c->unsettled = true;
}

/* Another name, or no answer, is its own affair. */
struct wm_path *wm_cache_keep(struct wm_comm *c, struct wm_path *path, bool blocking)
{
    if (c->name != 0 && !path->failed)
        path = wm_kin_learn(c->kin, path);
    if (c->path_count == WM_PATHS_MAX)
        drop_path(c, find_oldest(c, blocking));
    reserve(c, c->path_count + 1);
    add(c, path);
    return path;
}

uint64_t wm_cache_inherit(struct wm_comm *c)
{
    struct wm_path *paths[WM_KIN_PATHS_MAX];
    uint64_t hash;
    int count = wm_kin_paths(c->kin, paths, &hash);

    reserve(c, count);
    for (int i = 0; i < count; i++)
        add(c, paths[i]);
    return hash;
}

void wm_cache_settle(struct wm_comm *c)
{
    int settled = 0;

    for (int i = 0; i < c->path_count; i++)
        settled += c->paths[i].settled;
    for (int i = 0; i < c->path_count && settled < WM_PATHS_MAX / 2; i++) {
        settled += !c->paths[i].settled;
        c->paths[i].settled = true;
    }
    c->unsettled = false;
}

const struct wm_path *wm_cache_settled_path(const struct wm_comm *c, const struct wm_facts *facts)
{
    for (int i = 0; i < c->path_count; i++) {
        const struct wm_path *path = c->paths[i].path;

        if (c->paths[i].settled && path->operation == facts->operation && wm_path_serves(path, facts))
            return path;
    }
    return NULL;
}
