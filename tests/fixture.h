/* A grid and a path for a test, each from one line of text. */
#ifndef WM_TESTS_FIXTURE_H
#define WM_TESTS_FIXTURE_H

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "core/path/path.h"

/* The default grid of a machine such as "node=2,core=4"; false when there is an error. */
static inline bool fixture_grid(struct wm_grid *grid, const char *machine)
{
    struct wm_place *places;
    int ranks;
    bool made;

    if (wm_grid_parse_machine(machine, &places, &ranks, NULL) < 0)
        return false;
    made = wm_grid_init(grid, NULL, ranks, places, NULL) == 0;
    free(places);
    return made;
}

/* Parse the wrappers, a JSON array of core/path/path.h with ' for "; wrapper i stands on line i + 1, column 5, the rule
 * on line 9, column 3. NULL, with the error, when it is refused. */
static inline struct wm_path *fixture_path(const char *wrappers, enum wm_operation operation,
                                           const struct wm_grid *grid, struct wm_error *error)
{
    json_t *answer = json_pack("{s[in], s{si, si}}", "bytes", 0, "rule", "line", 9, "column", 3), *entry, *list;
    struct wm_path *path = NULL;
    char *text = strdup(wrappers);
    size_t i;

    for (char *at = text; *at != '\0'; at++)
        *at = *at == '\'' ? '"' : *at;
    list = json_loads(text, 0, NULL);
    json_array_foreach (list, i, entry) {
        json_object_set_new(entry, "node", json_integer((int)i + 1));
        json_object_set_new(entry, "line", json_integer((int)i + 1));
        json_object_set_new(entry, "column", json_integer(5));
    }
    json_object_set_new(answer, "path", list);
    wm_path_parse(&path, answer, operation, grid, "map.scm", error);
    json_decref(answer);
    free(text);
    return path;
}

#endif
