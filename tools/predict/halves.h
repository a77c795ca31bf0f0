/* Halves: a rooted call over one stage that cuts whole data into shares is a tree, or messages straight to the root,
 * and rounds among all. The root leaves no symmetry; with it gone, the rounds have one. So each half is a call of its
 * own: a bcast by `scatter` a scatter, then an allgather; a reduce by `reduce-scatter` that, then a gather.
 *
 * One behind the other, and the one with the root twice, they take no less than the call: the halves overlap there, and
 * at each step of the tree a core may be at the rounds first. While the first goes on, the receives of the second are
 * posted, at all ranks as many as at the one that has most. Where a message of the rounds asks first, ranks that are
 * out of step hold each other up at every round, and nothing is said. That this bounds full runs is tested, by draws;
 * it is not proven. */
#ifndef WM_PREDICT_HALVES_H
#define WM_PREDICT_HALVES_H

#include "core/path/path.h"
#include "tools/predict/simulation.h"
#include "tools/proof/scenario.h"

enum { WM_HALVES = 2 };

struct wm_half {
    struct wm_path path; /* its wrappers' values are those of the whole path, which must outlive it */
    struct wm_scenario scenario;
    int times; /* that it counts */
};

/* False: the call has none. Shares that are uneven are rounded up. Pure. */
bool wm_halves_find(struct wm_half halves[WM_HALVES], const struct wm_path *path, const struct wm_scenario *scenario);
/* The most receives that a rank posts at once. */
int wm_halves_posted(const struct wm_sim_program *program);
/* Does every message go at once, without being asked for? */
bool wm_halves_flow(const struct wm_sim_program *program, const struct wm_model *model);

#endif
