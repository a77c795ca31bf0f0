/* Completing an answer: shape procedures asked for the trees that a grid needs. */
#ifndef WM_MAP_COMPLETE_H
#define WM_MAP_COMPLETE_H

#include <jansson.h>
#include "core/path/grid.h"
#include "core/map/map.h"
#include "waymark/operation.h"

/* Put into `answer` (core/path/path.h), for every {"procedure": N} that stands at a stage, the trees of the sizes that
 * the stage's groups have on `grid`: {"parents": {"4": [-1, 0, 0, 1]}, "procedure": N}. Call it between wm_map_ask and
 * wm_path_parse; an answer without procedures stays as it is and costs nothing. `root` is any root of the call
 * (-1: none): the sizes do not depend on it.
 * Returns 0; -WM_ENOMEM; -WM_EMAP or -WM_EPATH when the path is wrong whatever the procedures say, or one of them
 * fails: placed, but the file is left empty where the map is not asked, and the caller adds it; -WM_ESERVER.
 * That the parents make a tree is for wm_path_parse to say. After a failure the answer may be half complete. */
int wm_map_complete(struct wm_map *map, json_t *answer, enum wm_operation operation, const struct wm_grid *grid,
                    int root, struct wm_error *error);

/* Ask the map (wm_map_explain with `explain`, else wm_map_ask), and complete what it answers on `grid`: wm_path_parse
 * takes it then. *answer is the caller's: what the server said, also where completing it failed, or NULL.
 * Returns what these two do, or -WM_ESERVER for an answer that is no JSON. */
int wm_map_answer(struct wm_map *map, const struct wm_facts *facts, bool explain, const struct wm_grid *grid,
                  json_t **answer, struct wm_error *error);

#endif
