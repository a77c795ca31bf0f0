/* Ground: where the ranks of communicators stand, as a map sees them: what communicators of the same ranks in the same
 * order, under the same map and name, have in common at all of their ranks.
 *
 * Grid and facts follow from ranks and map. A ground never changes, and lives while it is used: by kin
 * (core/call/kin.h), of which one process may hold several, those of subranks. Any thread. */
#ifndef WM_GROUND_H
#define WM_GROUND_H

#include "core/path/grid.h"
#include "core/process/map_source.h"

struct wm_kin;

struct wm_ground {
    struct wm_ground *next;
    int users;
    uint64_t hash; /* of what they have in common */
    const struct wm_map_source *map;
    uint64_t name;
    int ranks, nodes, clusters;
    int *world; /* [ranks] ranks in MPI_COMM_WORLD, or in the world of subranks */
    bool uniform, consecutive;
    struct wm_grid grid;
    struct wm_place *places;
    struct wm_kin *kin; /* of a communicator of the library; under the communicators' lock */
};

/* What a ground is made for. */
struct wm_ground_key {
    const struct wm_map_source *map;
    uint64_t name; /* hash of the communicator's */
    int ranks;
    const int *world;
    const struct wm_place *places; /* [ranks]; NULL: as the process knows them (wm_process.places) */
};

/* Use the ground of these ranks, made if there is none. NULL with the error filled, which need not be cleared before,
 * the same at all ranks, where the map's grid does not fit. Hold the communicators' lock. Local. */
struct wm_ground *wm_ground_of(const struct wm_ground_key *key, struct wm_error *error);

/* Use it once less. Hold the communicators' lock. NULL is allowed. */
void wm_ground_give(struct wm_ground *ground);

#endif
