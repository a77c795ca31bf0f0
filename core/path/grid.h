/* The grid: where the ranks of a communicator stand.
 *
 * A grid is a list of named axes, outermost first (`cluster node socket numa core`); each rank belongs to one group
 * at each axis, groups of an inner axis lie within one group of the outer, and at the innermost axis every rank is a
 * group of its own. An axis is *required* (a path must cover it) or *optional* (cluster, socket, numa, process and
 * sibling of the default grid: a path that does not name them sees `node` span all nodes, and `core` the whole node).
 * Where several ranks live in a process of the operating system, `sibling` spans those of one process; a path that
 * names `process` and `sibling` needs no `core`, which is what both are together. A path names axes; the coordinate of
 * a rank along one is the number of its group among those within the next outer axis that the path names, in the order
 * of first ranks. Nothing is assumed of rank order: round-robin, ragged and shuffled placements are the same to it. The
 * axis `all` stands apart: it spans every rank, and a path that names it names no other. Pure: the machine is described
 * to it by `struct wm_place`, which core/process/machine.c fills. */
#ifndef WM_GRID_H
#define WM_GRID_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include "core/error.h"

enum { WM_GRID_AXES_MAX = 8, WM_AXIS_NAME_CHARS = 32, WM_HOST_CHARS = 64 };

/* Where one rank runs, as the machine tells it. */
struct wm_place {
    int world_rank;         /* of MPI_COMM_WORLD; declared groups of ranks speak of it */
    int node, socket, numa; /* any numbers; equal numbers mean together; socket and numa within the node */
    int process;            /* equal numbers are of one process, within the node; 0: alone in its process */
    int cluster;            /* equal numbers are of nodes that are near each other; 0 where nobody has asked */
    char host[WM_HOST_CHARS];
};

struct wm_grid_axis {
    char name[WM_AXIS_NAME_CHARS];
    bool optional;
    int *group; /* group[rank]: number of its group on this axis, unique across the grid */
};

struct wm_grid {
    int ranks;
    int *node; /* node[rank]: equal numbers share memory, whatever the axes are called and declared to be */
    int axis_count;
    struct wm_grid_axis axes[WM_GRID_AXES_MAX]; /* outermost first; `all` is not among them */
};

/* Index that stands for the axis `all`. */
enum { WM_AXIS_ALL = -2 };

/* Build the grid of `ranks` places by the declaration `spec`: JSON null for the default (cluster?, node, socket?,
 * numa?, process?, sibling?, core), else an array, outermost first, of
 *   {"axis": "node"}                                   as the machine tells, or what inner counts leave over
 *   {"axis": "core", "count": 4}                        by counts, in the order of world ranks
 *   {"axis": "half", "ranks": [[0,1],[2,3]]}            by groups of world ranks
 *   {"axis": "cluster", "hosts": [["h1","h2"],["h3*"]]} by groups of host names with globs (fnmatch)
 * each with "line" and "column" of its place in the map.
 * Returns 0, -WM_ENOMEM, or -WM_EMAP with place and sentence (a rank or host in no group, an axis named twice, …). */
int wm_grid_init(struct wm_grid *grid, const json_t *spec, int ranks, const struct wm_place *places,
                 struct wm_error *error);
void wm_grid_release(struct wm_grid *grid);

/* Index of the axis called `name`, WM_AXIS_ALL for "all", -1 when there is none. */
int wm_grid_axis_find(const struct wm_grid *grid, const char *name);
const char *wm_grid_axis_name(const struct wm_grid *grid, int axis);
/* A path over the axes covered[…] covers this one, too: it names it, or need not. */
bool wm_grid_axis_is_covered(const struct wm_grid *grid, int axis, const bool covered[WM_GRID_AXES_MAX]);
/* Number of groups on an axis: the nodes that a communicator touches. */
int wm_grid_group_count(const struct wm_grid *grid, int axis);
/* How many groups there are on the axis `cluster`; 1 where there is no such axis. */
int wm_grid_count_clusters(const struct wm_grid *grid);
/* On every required axis, and on `cluster`, each group holds as many ranks as the others. */
bool wm_grid_uniform(const struct wm_grid *grid);

/* In rank order, ranks stand in the order of their coordinates: the ranks of every group are neighbours. */
bool wm_grid_consecutive(const struct wm_grid *grid);

/* Equal for equal grids: the same ranks in the same groups. */
uint64_t wm_grid_hash(const struct wm_grid *grid);

/* All ranks are on one node. */
bool wm_grid_is_one_node(const struct wm_grid *grid);

/* How many nodes the places lie on. */
int wm_grid_count_nodes(const struct wm_place *places, int ranks);

/* The same as wm_grid_uniform for the axes listed alone. */
bool wm_grid_uniform_along(const struct wm_grid *grid, const int *axes, int count);

/* Coordinates of every rank along `axes` (`count` of them, in grid order, or {WM_AXIS_ALL}):
 * coordinates[rank * count + i]. Returns 0 or -WM_ENOMEM. */
int wm_grid_coordinates(const struct wm_grid *grid, const int *axes, int count, int *coordinates);

/* Places for a machine that one does not have: "node=4,core=8". Numbers are given in turn to node after node:
 * "node=4,core=4+2" is 4, 2, 4 and 2 cores. "cluster=2" has the nodes in so many clusters, block by block,
 * "cluster=1+2" in the clusters of these numbers; "sibling=4" has so many ranks in the process of each core;
 * "order=cyclic" deals processes round-robin; "host=n1+n2" names the nodes' hosts, else "node0", "node1", … *places
 * (caller frees) has *ranks entries. Returns 0 or -WM_E… with a sentence. */
int wm_grid_parse_machine(const char *text, struct wm_place **places, int *ranks, struct wm_error *error);
/* Write such a text of nodes, cores and clusters, which are numbered in the order of their first ranks. False, and "":
 * the ranks stand in no order that it can say, or it has no room. */
bool wm_grid_write_machine(const struct wm_place *places, int ranks, char *text, size_t text_bytes);

#endif
