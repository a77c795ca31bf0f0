/* Plans kept: found by path and call. */
#include "core/call/plans.h"

#include <stdlib.h>
#include "core/data/allocate.h"
#include "core/process/process.h"

void wm_kept_plan_give(struct wm_kept_plan *kept)
{
    if (atomic_fetch_sub_explicit(&kept->users, 1, memory_order_acq_rel) > 1)
        return;
    wm_plan_free(kept->plan);
    wm_plan_call_release(&kept->call);
    wm_path_free(kept->path);
    free(kept);
}

static struct wm_plan_place **find_set(struct wm_plans *p, const struct wm_path *path, const struct wm_plan_call *call)
{
    uint64_t hash = (wm_plan_call_hash(call) ^ (uintptr_t)path >> 4) * UINT64_C(0x9e3779b97f4a7c15);

    return &p->sets[(hash >> 32) % WM_PLAN_SETS];
}

struct wm_kept_plan *wm_plans_find(struct wm_plans *p, const struct wm_path *path, const struct wm_plan_call *call)
{
    struct wm_kept_plan *found = NULL;
    struct wm_plan_place *set;

    wm_process_lock(&p->lock);
    set = *find_set(p, path, call);
    for (int way = 0; found == NULL && set != NULL && way < WM_PLAN_WAYS; way++) {
        struct wm_kept_plan *kept = set[way].kept;

        if (kept == NULL || kept->path != path || !wm_plan_call_equal(&kept->call, call))
            continue;
        set[way].used = ++p->clock;
        found = kept;
        wm_kept_plan_take(found);
    }
    wm_process_unlock(&p->lock);
    return found;
}

static struct wm_plan *make_plan(const struct wm_path *path, const struct wm_grid *grid, int rank,
                                 const struct wm_plan_call *call, struct wm_error *error)
{
    struct wm_layout *layout;
    struct wm_plan *plan = NULL;

    if (wm_layout_new(&layout, path, grid, call->root, !call->commutative, error) < 0)
        return NULL;
    wm_plan_make(&plan, path, layout, call, rank, error);
    wm_layout_free(layout);
    atomic_fetch_add_explicit(&wm_process.plans, 1, memory_order_relaxed);
    return plan;
}

static void drop(struct wm_plan_place *place)
{
    if (place->kept != NULL)
        wm_kept_plan_give(place->kept);
    *place = (struct wm_plan_place){0};
}

static void keep(struct wm_plans *p, struct wm_kept_plan *kept)
{
    struct wm_plan_place **set, *oldest;

    wm_process_lock(&p->lock);
    set = find_set(p, kept->path, &kept->call);
    if (*set == NULL)
        *set = wm_allocate_zeroed(sizeof **set * WM_PLAN_WAYS, "a communicator");
    oldest = *set;
    for (int way = 1; way < WM_PLAN_WAYS; way++)
        if ((*set)[way].used < oldest->used)
            oldest = &(*set)[way];
    drop(oldest);
    wm_kept_plan_take(kept);
    *oldest = (struct wm_plan_place){kept, ++p->clock};
    wm_process_unlock(&p->lock);
}

struct wm_kept_plan *wm_plans_make(struct wm_plans *p, struct wm_path *path, const struct wm_grid *grid, int rank,
                                   const struct wm_plan_call *call, struct wm_error *error)
{
    struct wm_kept_plan *kept = wm_allocate_zeroed(sizeof *kept, "a plan");

    if ((kept->plan = make_plan(path, grid, rank, call, error)) == NULL) {
        free(kept);
        return NULL;
    }
    kept->users = 1;
    kept->path = wm_path_take(path);
    if (wm_plan_call_copy(&kept->call, call) == 0)
        keep(p, kept);
    return kept;
}

struct wm_kept_plan *wm_plans_latest(struct wm_plans *p)
{
    const struct wm_plan_place *latest = NULL;
    struct wm_kept_plan *kept = NULL;

    wm_process_lock(&p->lock);
    for (int i = 0; i < WM_PLAN_SETS; i++)
        for (int way = 0; p->sets[i] != NULL && way < WM_PLAN_WAYS; way++)
            if (p->sets[i][way].kept != NULL && (latest == NULL || p->sets[i][way].used > latest->used))
                latest = &p->sets[i][way];
    if (latest != NULL) {
        kept = latest->kept;
        wm_kept_plan_take(kept);
    }
    wm_process_unlock(&p->lock);
    return kept;
}

void wm_plans_forget(struct wm_plans *p, const struct wm_neighbours *neighbours)
{
    wm_process_lock(&p->lock);
    for (int i = 0; i < WM_PLAN_SETS * WM_PLAN_WAYS; i++) {
        struct wm_plan_place *set = p->sets[i / WM_PLAN_WAYS], *place = set != NULL ? &set[i % WM_PLAN_WAYS] : NULL;

        if (place != NULL && place->kept != NULL && place->kept->call.neighbours == neighbours)
            drop(place);
    }
    wm_process_unlock(&p->lock);
}

void wm_plans_release(struct wm_plans *p)
{
    for (int i = 0; i < WM_PLAN_SETS; i++) {
        for (int way = 0; p->sets[i] != NULL && way < WM_PLAN_WAYS; way++)
            drop(&p->sets[i][way]);
        free(p->sets[i]);
    }
}
