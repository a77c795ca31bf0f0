/* Asking a map, from the question to an answer that a path can be read from. */
#include <stdlib.h>
#include "core/map/complete.h"

int wm_map_answer(struct wm_map *map, const struct wm_facts *facts, bool explain, const struct wm_grid *grid,
                  json_t **answer, struct wm_error *error)
{
    char *text;
    int rc = (explain ? wm_map_explain : wm_map_ask)(map, facts, &text, error);

    *answer = NULL;
    if (rc < 0)
        return rc;
    *answer = json_loads(text, 0, NULL);
    free(text);
    if (*answer == NULL)
        return wm_error_set(error, -WM_ESERVER, "the map server's answer cannot be read");
    return wm_map_complete(map, *answer, facts->operation, grid, facts->root, error);
}
