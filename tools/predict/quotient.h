/* A quotient: where turns or flips of all ranks leave a call as it is (tools/proof/symmetry.h), ranks that they take to
 * each other do the same at the same times, for nothing in a simulation tells equals apart: what is shared is fluid,
 * and events of one time are ordered by what they are to their rank. So one of them is carried out for all, and the
 * time is that of the full run to the picosecond.
 *
 * That plans are alike, but for the names of peers and where data stands, is looked at: of all ranks up to 128, else of
 * one image of each representative and of 4 to 64 more. Data that the path cuts into uneven shares is rounded up to
 * even ones; the time is then a bound. */
#ifndef WM_PREDICT_QUOTIENT_H
#define WM_PREDICT_QUOTIENT_H

#include "tools/profile/machine.h"
#include "tools/proof/scenario.h"
#include "tools/proof/symmetry.h"

/* Are rounds that are alike left out of the plans (tools/predict/folds.h)? */
enum wm_quotient_rounds {
    WM_ROUNDS_BEST, /* where there are many */
    WM_ROUNDS_ALL,
    WM_ROUNDS_FEW /* wherever it is possible */
};

struct wm_quotient {
    const struct wm_path *path;
    const struct wm_grid *grid;
    const struct wm_layout *layout;
    struct wm_scenario scenario; /* its `each` is rounded up */
    enum wm_quotient_rounds rounds;
    size_t steps_max;            /* that the representatives may have together */
    bool found, bounds;          /* bounds: it was rounded */
    struct wm_symmetry symmetry; /* the representatives are its first `step` ranks */
};

/* Look for it, and make the representatives' plans: plans[rank], room for all ranks. What they need beside is in
 * `arena`. Pure. Returns 0, with quotient->found, or -WM_E…. */
int wm_quotient_find(struct wm_quotient *quotient, struct wm_plan **plans, struct wm_arena *arena,
                     struct wm_error *error);

/* Can a profile be used so? What a cut of the network carries is told for its own ranks, not for those that they are
 * for: no. */
bool wm_quotient_serves(const struct wm_profile *profile);

/* The hosts of the `ranks` that are carried out, numbered in the order of their first ranks, and, where they stand for
 * all, how many of their host do as each does; else *alike is NULL. Returns the number of hosts. */
int wm_quotient_hosts(const struct wm_quotient *quotient, int ranks, int **host, int **alike, struct wm_arena *arena);

#endif
