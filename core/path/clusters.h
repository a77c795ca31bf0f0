/* Clusters: which hosts are near each other, found by the round trips between them.
 *
 * A level parts all hosts into groups; the groups of an inner level lie within one of the outer. What is asked: a host
 * of a set, its pivot, measures all others. Where the logarithms of these round trips, sorted, have a step of 1.5 and
 * of 6 times the spread of what is on both sides, the near ones are the pivot's group; each further group gets a pivot
 * of its own, for groups that are equally far look alike from outside; then the groups are parted in the same way.
 * Where there is no step, pairs of the others are asked, too: a pivot that stands alone sees all others equally far.
 *
 * A round trip may be too long, never too short: lonely values are asked again, a new pivot is compared with those
 * before it, and the least counts. Pairs of different groups are asked at last: where more than 5 % of them are near
 * after all, there is no clear hierarchy, and the set stays whole. Which pairs are asked follows from the answers
 * alone. Pure: the caller measures.
 *
 * Cost: each set asks (1 + groups) / 2 round trips a host, the first of them answered already but at the outermost; in
 * all at most hosts x log2 hosts. What would take more is no clear hierarchy either.
 * Source: Shirai, Saito, Taura, A Fast Topology Inference, HPDC 2007 (round trips alone). */
#ifndef WM_CLUSTERS_H
#define WM_CLUSTERS_H

#include <stdbool.h>
#include <stdint.h>
#include "core/error.h"

enum { WM_CLUSTER_LEVELS_MAX = 4 };

/* A question, and its answer. */
struct wm_round_trip {
    int from, to; /* hosts, not equal */
    int64_t ns;
};

struct wm_clusters {
    int hosts;
    int levels;   /* 0: all hosts are alike, or as good as */
    int asked;    /* round trips */
    bool unclear; /* some hosts are near and far without a hierarchy; they stay together */
    struct wm_cluster_level {
        int *cluster; /* [hosts] its number, from 0 in the order of first hosts */
        double step;  /* the least ratio of the typical round trip from group to group to that within one */
    } level[WM_CLUSTER_LEVELS_MAX]; /* outermost first */
};

/* Measures so many round trips, in any order and several at once; a negative number ends the search. */
typedef int wm_round_trips(void *context, struct wm_round_trip *trips, int count);

/* Find the clusters of so many hosts. Returns 0, -WM_ENOMEM, or what `measure` has returned; *clusters is empty then.
 */
int wm_clusters_find(struct wm_clusters *clusters, int hosts, wm_round_trips *measure, void *context);

/* Ask again, within groups and between them: by the least that is seen, is it at least `step` times as far between any
 * two as it typically is within one, and at least so many ns? Do ways between groups differ by less than they are
 * longer? Where processors are late, near hosts look far, and groups are found that are none. A level of two groups or
 * more, one of them of two hosts or more, as wm_clusters_find finds them. Costs 32 round trips a group at most. Returns
 * 0, -WM_ENOMEM, or what `measure` has returned. */
int wm_clusters_check(const struct wm_cluster_level *level, int hosts, double step, int64_t least_ns,
                      wm_round_trips *measure, void *context, bool *holds);

void wm_clusters_release(struct wm_clusters *clusters);

/* Where sorted values (logarithms, `count` of them) fall into a near and a far part: the number of near ones for the
 * outermost step, 0 where there is none. *step: the distance of the parts' medians next to it. */
int wm_clusters_cut(const double *sorted, int count, double *step);

#endif
