/* What the exchanges of an alltoall stage share, and how `gather` serves an alltoall. */
#ifndef WM_ALLTOALL_H
#define WM_ALLTOALL_H

#include "core/plan/matrix.h"

/* Each member gives each other the blocks from the origins it holds to the destinations that the other stands for. */
struct wm_exchange {
    const struct wm_group *group;
    const struct wm_matrix *held;        /* by this rank, on entering */
    struct wm_matrix *next;              /* what it goes on with; its own part is there already */
    const struct wm_ranks *origins;      /* by member: whose blocks it holds */
    const struct wm_ranks *destinations; /* by member */
    int number;                          /* of the shape: window, or radix */
};

/* The bundle that member `from` gives member `to`. */
struct wm_bundle wm_exchange_bundle(const struct wm_exchange *exchange, int from, int to);

/* Straight to each member, all at once or in a window. */
void wm_alltoall_flat(struct wm_planner *planner, const struct wm_exchange *exchange);
/* The same in rounds of pairs. */
void wm_alltoall_pairwise(struct wm_planner *planner, const struct wm_exchange *exchange);
/* A shared step, of parcels that are alike. */
void wm_alltoall_shared(struct wm_planner *planner, const struct wm_exchange *exchange);
/* Passing bundles on: log_k n rounds. */
void wm_alltoall_bruck(struct wm_planner *planner, const struct wm_exchange *exchange);

/* `gather` in an alltoall (wrappers/coalesce.c); its shape is parameter `param`. */
int wm_coalesce_plan(const struct wm_wrapper *self, struct wm_planner *planner, int param);

#endif
