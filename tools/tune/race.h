/* A race: paths at one size of an operation, timed in rounds; who is behind, and whose gap is known. Pure.
 *
 * A round has one sample of each path that still runs, so that drift and neighbours hit all alike: what is compared is
 * the logarithm of the ratio of two samples of one round. Its middle is the median over the rounds, its error comes
 * from the median deviation, so that outliers move neither. A path is out when it is more than 2 % behind the leader
 * with 95 %, by Holm's procedure over all paths of the round. */
#ifndef WM_TUNE_RACE_H
#define WM_TUNE_RACE_H

#include <stdbool.h>
#include "tools/tune/paths.h"

enum { WM_TUNE_ROUNDS_MAX = 60, WM_TUNE_ROUNDS_LEAST = 7 };
enum { WM_TUNE_LOOK_MS = 250 }; /* the race of a check's point, at least; further ones there are longer */

struct wm_tune_race {
    int count;      /* of paths, by their numbers in the list */
    int fast;       /* the path of the map 'fast', which stays, too; 0: native, or none of the list */
    int rounds;     /* that are complete */
    double slow_ns; /* a barrier, where it takes long: the first sample tells who is far behind; else 0 */
    bool runs[WM_TUNE_PATHS_MAX];
    int sampled[WM_TUNE_PATHS_MAX]; /* rounds of it, from the first on */
    double ns[WM_TUNE_PATHS_MAX][WM_TUNE_ROUNDS_MAX];
};

/* The logarithm of how much longer one takes than another: its middle, and the error of that. */
struct wm_tune_gap {
    double middle, error;
    int rounds; /* that both have; 0: not known */
};

struct wm_tune_gap wm_tune_gap(const double *ns, const double *other_ns, int rounds);
/* Of two paths of a race. */
struct wm_tune_gap wm_tune_race_gap(const struct wm_tune_race *race, int path, int other);
/* Below which, and above which, the gap is with 95 % (one-sided). */
double wm_tune_gap_low(const struct wm_tune_gap *gap);
double wm_tune_gap_high(const struct wm_tune_gap *gap);

/* The probability of a t of so many degrees of freedom, or more. */
double wm_tune_student(double t, int freedom);

/* The path that runs and takes least, by the median of its samples. */
int wm_tune_race_leader(const struct wm_tune_race *race);
/* A round is complete: put out who is behind. Native, number 0, stays, as what all are held against, and
 * so does what 'fast' takes, to fall back to. */
void wm_tune_race_judge(struct wm_tune_race *race);
/* Nothing is left to find out: one runs beside native, or all gaps are known to 1 %. */
bool wm_tune_race_settled(const struct wm_tune_race *race);
/* The median of a path's samples; 0: it has none. */
double wm_tune_race_ns(const struct wm_tune_race *race, int path);

#endif
