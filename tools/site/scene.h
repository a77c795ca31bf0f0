/* A scene: one call on a machine that one need not have, and what a map makes of it on every rank.
 *
 * wm_scene_init fills it from top to bottom: the map is read, the machine's grid is laid out, the map server answers,
 * the path is parsed, and every rank's plan is made, from the plan call that the runtime would make for it
 * (tools/proof/scenario.h): blocks are all of one size, and a neighbor-… has a periodic cartesian topology, as square
 * as the ranks allow. A conveyor has no plans, but a design and routes. Nothing is run. */
#ifndef WM_TOOLS_SCENE_H
#define WM_TOOLS_SCENE_H

#include <stdbool.h>
#include <stdint.h>
#include "core/path/facts.h"
#include "core/path/grid.h"
#include "core/path/layout.h"
#include "core/path/path.h"
#include "core/plan/plan.h"
#include "core/plan/planner.h"
#include "tools/routes/network.h"
#include "tools/proof/prove.h"

/* The answer with its explanation (core/map/explain.h), and what it is about. */
struct wm_explained {
    json_t *answer; /* NULL: the map has not answered */
    struct wm_facts facts;
    char *file;
};

/* The call to look at. */
struct wm_map_question {
    const char *map;     /* path or name */
    const char *machine; /* wm_grid_parse_machine */
    enum wm_operation operation;
    uint64_t bytes; /* of the data, of each block, of an item; where ranks need not know it, no rule can look at it */
    uint64_t load;  /* of a conveyor's run before; ignored elsewhere */
    bool elastic;   /* a conveyor's items differ in size, up to `bytes` */
    int root;       /* ignored where the operation has none */
    bool commutative, crowded;
    const char *communicator;       /* its name */
    struct wm_explained *explained; /* NULL: none wanted; else filled, even where the path does not serve the call */
};

struct wm_scene {
    struct wm_map_question question;
    char *file, *text; /* the map's file and what it holds */
    size_t text_bytes;
    int ranks;
    struct wm_place *places;
    struct wm_grid grid;
    struct wm_facts facts;
    struct wm_path *path;
    bool has_rule;               /* false: no rule of the map fits the call */
    struct wm_layout *layout;    /* NULL, like plans: native, or a conveyor */
    struct wm_scenario scenario; /* what the plans are made for */
    struct wm_arena arena;       /* keeps what the plan calls need, */
    struct wm_topology topology; /* and this */
    bool sizes_ahead;            /* ranks first tell each other the sizes of blocks (core/call/sizes.h) */
    struct wm_plan **plans;
    bool is_conveyor; /* and a rule fits, so that there are: */
    struct wm_convey_design design;
    struct wm_convey_form form;
    struct wm_network network;
};

/* Returns 0, or -WM_E… with sentence and place; the scene is then released. */
int wm_scene_init(struct wm_scene *scene, const struct wm_map_question *question, struct wm_error *error);
void wm_scene_release(struct wm_scene *scene);
void wm_explained_release(struct wm_explained *explained);

/* The wrapper at the map's place `node`, or NULL. */
const struct wm_wrapper *wm_scene_wrapper(const struct wm_scene *scene, int node);
/* Bytes of `units`. */
uint64_t wm_scene_bytes(const struct wm_scene *scene, size_t units);

#endif
