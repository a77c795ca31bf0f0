/* Plans kept: beneath paths, by what is local, for all communicators of a kin (core/call/kin.h).
 *
 * A plan lives while it is in use, and while it is kept: in sets of a few ways, the least recently used of a set goes.
 * It never changes. Any thread. */
#ifndef WM_PLANS_H
#define WM_PLANS_H

#include <pthread.h>
#include <stdatomic.h>
#include "core/path/path.h"
#include "core/plan/planner.h"

enum { WM_PLAN_SETS = 64, WM_PLAN_WAYS = 4 };

/* A plan, with what it was made for. */
struct wm_kept_plan {
    struct wm_plan *plan;
    struct wm_path *path; /* which it is a user of */
    struct wm_plan_call call;
    _Atomic int users;
};

/* A place for one. */
struct wm_plan_place {
    struct wm_kept_plan *kept; /* NULL: the place is free */
    uint64_t used;
};

/* All zeros but for the lock: none is kept. */
struct wm_plans {
    pthread_mutex_t lock;
    uint64_t clock;                           /* for last use */
    struct wm_plan_place *sets[WM_PLAN_SETS]; /* [WM_PLAN_WAYS], made when a plan is kept; NULL */
};

/* The plan made earlier for an equal call, or NULL. The caller is its user. */
struct wm_kept_plan *wm_plans_find(struct wm_plans *plans, const struct wm_path *path, const struct wm_plan_call *call);

/* Make the plan of a rank, and keep it. The caller is its user. NULL, with the error filled, when it cannot be made. */
struct wm_kept_plan *wm_plans_make(struct wm_plans *plans, struct wm_path *path, const struct wm_grid *grid, int rank,
                                   const struct wm_plan_call *call, struct wm_error *error);

/* The plan that was looked up last, or NULL. The caller is its user. */
struct wm_kept_plan *wm_plans_latest(struct wm_plans *plans);

/* Keep no plan for these neighbours, which go. */
void wm_plans_forget(struct wm_plans *plans, const struct wm_neighbours *neighbours);

/* Keep no plan. */
void wm_plans_release(struct wm_plans *plans);

/* One user more, and one less. */
static inline void wm_kept_plan_take(struct wm_kept_plan *kept)
{
    atomic_fetch_add_explicit(&kept->users, 1, memory_order_relaxed);
}

void wm_kept_plan_give(struct wm_kept_plan *kept);

#endif
