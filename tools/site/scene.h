/* A scene: one call on a machine that one need not have, and what a map makes of it on every rank.
 *
 * wm_scene_init fills it from top to bottom: the map is read, the machine's grid is laid out, the map server answers,
 * the path is parsed, and every rank's plan is made, from the plan call that the runtime would make for it
 * (tools/proof/scenario.h): blocks are all of one size, and a neighbor-… has a periodic cartesian topology, as square
 * as the ranks allow. A conveyor has no plans, but a design and routes, messages a design. Nothing is run. */
#ifndef WM_TOOLS_SCENE_H
#define WM_TOOLS_SCENE_H

#include <stdbool.h>
#include <stdint.h>
#include "core/path/layout.h"
#include "core/path/message_design.h"
#include "core/plan/plan.h"
#include "core/plan/planner.h"
#include "tools/routes/network.h"
#include "tools/proof/prove.h"
#include "tools/site/site.h"

/* The call to look at. */
struct wm_map_question {
    struct wm_facts
        facts;       /* those that a tool is told; of `bytes`, `load` and `root` those count that the operation has */
    const char *map; /* path or name */
    const char *machine; /* wm_grid_parse_machine */
    bool elastic;        /* a conveyor's items differ in size, up to `bytes` */
    bool nonblocking;    /* so that its plans have no shared steps */
};

struct wm_scene {
    struct wm_map_question question;
    struct wm_site_map map; /* its server is gone */
    struct wm_site site;
    struct wm_facts facts; /* what the map was asked */
    struct wm_site_answer answer;
    struct wm_layout *layout;    /* NULL, like plans: native, or no collective */
    struct wm_scenario scenario; /* what the plans are made for */
    struct wm_arena arena;       /* keeps what the plan calls need */
    bool sizes_ahead;            /* ranks first tell each other the sizes of blocks (core/call/sizes.h) */
    struct wm_plan **plans;
    bool is_conveyor; /* and a rule fits, so that there are: */
    struct wm_convey_design design;
    struct wm_convey_form form;
    struct wm_network network;
    bool is_messages; /* and a rule fits: */
    struct wm_message_design message;
};

/* What a map is asked about the call on a site: what the operation does not have is as it is in a job. Returns 0, or
 * -WM_EINVAL where there is no such root. */
int wm_scene_facts(const struct wm_map_question *question, const struct wm_site *site, struct wm_facts *facts,
                   struct wm_error *error);
/* What its plans are made for, traced; of facts that wm_scene_facts filled. */
struct wm_scenario wm_scene_scenario(const struct wm_map_question *question, const struct wm_site *site,
                                     const struct wm_facts *facts);

/* Fill it, with the map's explanation in the answer when `explain` is wanted. Returns 0, or -WM_E… with sentence and
 * place; what was made until then is there, so that a rule whose path does not serve the call can be explained. Release
 * it in any case. */
int wm_scene_init(struct wm_scene *scene, const struct wm_map_question *question, bool explain, struct wm_error *error);
void wm_scene_release(struct wm_scene *scene);

/* The wrapper at the map's place `node`, or NULL. */
const struct wm_wrapper *wm_scene_wrapper(const struct wm_scene *scene, int node);
/* Bytes of `units`. */
uint64_t wm_scene_bytes(const struct wm_scene *scene, size_t units);

#endif
