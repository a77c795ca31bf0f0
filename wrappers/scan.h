/* A scan within one group: every member learns the prefix of those before it, and the last one the total.
 *
 * `own` is what the member brings. The prefix comes to stand at `home`: `inclusive` of the member's own contribution,
 * which stands there already when the exchange begins, unless that is shared, or exclusive of it; then the first member
 * gets none. `own` is another place than `home`, but for inclusive prefixes in place, for the first member's exclusive
 * one, and where no total is wanted of a shared scan. It is only read, unless it is a `spare` copy. Where a `total` is
 * wanted apart from the prefix, the exchange leaves it at `sum`, which is no place of the user's, but for a single
 * member's own. Contributions are combined in the order of members, whatever the operator. Costs: n members, m bytes, α
 * a message's latency, β a byte's time, γ the reduction of a byte. */
#ifndef WM_SCAN_H
#define WM_SCAN_H

#include "core/plan/planner.h"

struct wm_scan {
    const struct wm_group *group;
    size_t count;
    struct wm_ref own, home;
    bool inclusive, spare;
    bool total, ordered;
    struct wm_ref sum;
};

/* Along a tree whose subtrees are runs of members, the parent first (flat, chain, k-nomial): up go the sums of subtrees
 * that have somebody behind them, down the prefixes. A chain needs no way up: (n-1)(α + m β + m γ); binomial:
 * 2 log2 n (α + m β + m γ).
 * Blelloch, "Prefix Sums and Their Applications", 1990, 1.2. */
void wm_scan_tree(struct wm_planner *planner, struct wm_scan *scan, const struct wm_shape *shape);

/* Recursive doubling: partners exchange the sums of their blocks of members, and the upper one has a prefix more.
 * log2 n (α + m β + 2 m γ), any n. Thakur and others in MPICH, MPIR_Scan_intra_recursive_doubling. */
void wm_scan_butterfly(struct wm_planner *planner, struct wm_scan *scan, const struct wm_shape *shape);

/* Sums over ever longer windows to the left, k times as long every round: log_k n (α + (k-1) m (β + γ)), any n; an
 * exclusive scan is that of the left neighbours' contributions, a round (α + m β) more.
 * Hillis and Steele, "Data Parallel Algorithms", 1986; the simultaneous binomial trees of Sanders and Träff, "Parallel
 * Prefix (Scan) Algorithms for MPI", 2006. */
void wm_scan_dissemination(struct wm_planner *planner, struct wm_scan *scan, const struct wm_shape *shape);

/* In the memory of a node: one step. A small block: α + i m γ at member i; a large one: (n-1) α + m (β + γ), along a
 * chain. */
void wm_scan_shared(struct wm_planner *planner, struct wm_scan *scan, const struct wm_shape *shape);

/* The exclusive prefix and the own contribution together, in a place that may be written to. */
struct wm_ref wm_scan_sum(struct wm_planner *planner, struct wm_scan *scan);

#endif
