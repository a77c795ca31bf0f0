/* Folds: rounds of a program that are alike, of which the plans leave some out (core/plan/plan.h, struct wm_gap).
 *
 * A run goes on in them as in a ring: when all ranks have gone so many steps on, all that is under way is moved so many
 * steps back, where the program is the same, until as many rounds are done as the plans would have. That is exact,
 * whatever happens in them. If it then stands as it did the last time, down to the rests of divisions, it will so the
 * next time, too: what that takes is counted as often as it is to come, and not carried out. */
#ifndef WM_PREDICT_FOLDS_H
#define WM_PREDICT_FOLDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "core/error.h"

struct wm_plan;
struct wm_sim_program;
struct wm_simulation;

/* Of a program: at each rank, steps from[rank] … to[rank] - 1 are alike by so many. */
struct wm_program_fold {
    int *from, *to;
    int period; /* steps of a round */
    int wrap;   /* rounds that a run goes back */
    int rounds; /* left out */
    int reach;  /* no step is waited for by one further on */
};

/* Of a run. */
struct wm_sim_folding {
    int fold;    /* the current one */
    int watched; /* step: when it is over, it may be time to go back; -1 */
    bool due;
    int rounds; /* still to be done beside those of the program */
    size_t state_count, state_room, former_count, former_room;
    int64_t *state, *former; /* as it stood this time and the last time */
    int64_t former_time;
    size_t former_items;
};

/* What a run counts, and does not carry out: items first … first + count - 1 again, so many times. */
struct wm_sim_skip {
    int first, count, times;
};

/* How many rounds a plan is to have for a fold, of so many ranks that are carried out. */
int wm_folds_rounds(int ranks);
/* Drop dependencies that reach back over more than half of the rounds that are alike: such a step is over long before,
 * and a run that goes back would count it off again. */
void wm_folds_thin(struct wm_plan *plan);
/* Find the folds of a program. Returns 0, or as wm_folds_refuse. */
int wm_folds_find(struct wm_sim_program *program, struct wm_error *error);
/* That its rounds are not alike, or a run cannot go back in them. */
int wm_folds_refuse(struct wm_error *error);
/* Rounds that no rank's plan has, in steps of all ranks. */
size_t wm_folds_steps(const struct wm_sim_program *program);

/* Of a run: it begins; between two times, go back if all ranks have come far enough. */
void wm_folds_begin(struct wm_simulation *simulation);
void wm_folds_turn(struct wm_simulation *simulation);
void wm_folds_release(struct wm_simulation *simulation);

#endif
