/* A site: a machine that one need not have, laid out as a map's grid says, and the map asked about calls there.
 *
 * `show` and `explain` ask about one call (tools/site/scene.h), `check` about many. An error has its place in the map's
 * file, and the line itself, wherever one is known. */
#ifndef WM_TOOLS_SITE_H
#define WM_TOOLS_SITE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include "core/map/map.h"
#include "core/path/facts.h"
#include "core/path/grid.h"
#include "core/path/path.h"
#include "tools/proof/topology.h"

/* A map that is asked: its file, and a server that has read it. */
struct wm_site_map {
    char *file, *text;
    size_t text_bytes;
    struct wm_map *map;
    char communicator[WM_FACT_TEXT_CHARS]; /* the name of the one that its sites ask about; MPI_COMM_WORLD unless set */
    char protocol[WM_FACT_TEXT_CHARS];     /* likewise of messages; "" unless set */
    char statement[WM_FACT_TEXT_CHARS];    /* likewise of statements */
};

struct wm_site {
    const char *machine; /* wm_grid_parse_machine */
    int ranks;
    struct wm_place *places; /* by rank */
    struct wm_grid grid;
    struct wm_facts facts;            /* those of the grid, the communicator and the protocol */
    struct wm_topology topologies[2]; /* for neighbor-…: periodic and cartesian, as square as may be; random */
    struct wm_arena arena;            /* holds them */
};

struct wm_site_answer {
    json_t *json;         /* as the server gave it, completed */
    struct wm_path *path; /* native where no rule fits */
    bool has_rule;        /* a rule fits */
    struct wm_validity validity;
};

/* Open a map by its path or name. Returns 0, or -WM_E… with nothing left open. */
int wm_site_map_open(struct wm_site_map *map, const char *name, struct wm_error *error);
void wm_site_map_close(struct wm_site_map *map);

/* Give an error of the pure parts, which know a line and no file, its place in the map. Returns its code. */
int wm_site_map_place(const struct wm_site_map *map, struct wm_error *error);

/* Lay a machine out; `machine` must outlive the site. Returns 0 or -WM_E…; release it in any
 * case. */
int wm_site_init(struct wm_site *site, const struct wm_site_map *map, const char *machine, struct wm_error *error);
/* The same of ranks whose places are known: allocated, by rank of the communicator; the site's in any case. */
int wm_site_init_places(struct wm_site *site, const struct wm_site_map *map, struct wm_place *places, int ranks,
                        struct wm_error *error);
void wm_site_release(struct wm_site *site);

/* Ask about a call. With `explain` the JSON holds an explanation (core/map/explain.h). Returns 0 or -WM_E…; the answer
 * is to be released in any case, and may hold JSON without a path. */
int wm_site_ask(const struct wm_site_map *map, const struct wm_site *site, const struct wm_facts *facts, bool explain,
                struct wm_site_answer *answer, struct wm_error *error);
void wm_site_answer_release(struct wm_site_answer *answer);

#endif
