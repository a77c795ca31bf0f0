/* Completing an answer: shape procedures asked for the trees that a grid needs. */
#include "core/map/complete.h"

#include <stdio.h>
#include <stdlib.h>
#include "core/path/layout.h"
#include "core/path/path.h"

static bool is_open(const json_t *value)
{
    return json_object_get(value, "procedure") != NULL && json_object_get(value, "parents") == NULL;
}

/* Call `visit` for each open procedure that wrapper `index` of the answer was given. Stops at the first error. */
static int visit_wrapper(json_t *wrapper, int index, int (*visit)(void *data, int index, json_t *value), void *data)
{
    json_t *arguments = json_object_get(wrapper, "arguments"), *keywords = json_object_get(wrapper, "keywords"), *value;
    const char *key;
    size_t i;
    int rc = 0;

    json_array_foreach (arguments, i, value)
        if (rc == 0 && is_open(value))
            rc = visit(data, index, value);
    json_object_foreach (keywords, key, value)
        if (rc == 0 && is_open(value))
            rc = visit(data, index, value);
    return rc;
}

static int visit_all(json_t *answer, int (*visit)(void *data, int index, json_t *value), void *data)
{
    json_t *wrapper;
    size_t i;
    int rc = 0;

    json_array_foreach (json_object_get(answer, "path"), i, wrapper)
        if (rc == 0)
            rc = visit_wrapper(wrapper, (int)i, visit, data);
    return rc;
}

static int count_one(void *data, int index, json_t *value)
{
    (void)index;
    (void)value;
    ++*(int *)data;
    return 0;
}

/* {"procedure": N} becomes {"symbol": "flat"}: any tree would do, for the sizes of groups do not depend on it. */
static int flatten_one(void *data, int index, json_t *value)
{
    json_t *flat = json_string("flat");

    (void)data;
    (void)index;
    json_object_clear(value);
    return flat == NULL || json_object_set_new(value, "symbol", flat) < 0 ? -WM_ENOMEM : 0;
}

struct completion {
    struct wm_map *map;
    const struct wm_path *path;
    const struct wm_layout *layout;
    struct wm_error *error;
};

static int ask_size(const struct completion *c, int procedure, int size, json_t *trees)
{
    int *parents = calloc((size_t)size, sizeof *parents), rc;
    json_t *list = json_array();
    char key[16];

    rc = parents != NULL && list != NULL ? wm_map_parents(c->map, procedure, size, parents, c->error) : -WM_ENOMEM;
    for (int i = 0; rc == 0 && i < size; i++)
        rc = json_array_append_new(list, json_integer(parents[i])) < 0 ? -WM_ENOMEM : 0;
    snprintf(key, sizeof key, "%d", size);
    if (rc == 0 && json_object_set(trees, key, list) < 0)
        rc = -WM_ENOMEM;
    json_decref(list);
    free(parents);
    return rc;
}

static bool has_size(const json_t *trees, int size)
{
    char key[16];

    snprintf(key, sizeof key, "%d", size);
    return json_object_get(trees, key) != NULL;
}

static int complete_one(void *data, int index, json_t *value)
{
    const struct completion *c = data;
    int procedure = (int)json_integer_value(json_object_get(value, "procedure")),
        stage = c->path->wrappers[index].stage;
    const struct wm_stage_layout *s = stage >= 0 ? &c->layout->stages[stage] : NULL;
    json_t *trees = json_object();
    int rc = trees == NULL ? -WM_ENOMEM : 0;

    for (int g = 0; s != NULL && rc == 0 && g < s->group_count; g++) {
        int size = s->first[g + 1] - s->first[g];

        if (!has_size(trees, size))
            rc = ask_size(c, procedure, size, trees);
    }
    /* Where no stage is, the value stays as it is, and wm_path_parse says that it does not belong there. */
    if (rc == 0 && s != NULL && json_object_set(value, "parents", trees) < 0)
        rc = -WM_ENOMEM;
    json_decref(trees);
    return rc;
}

/* A group is what remains at a stage of the ranks that share its coordinates on the other axes, one for each coordinate
 * that occurs. Which member led the folds before decides who these ranks are, never how many: so neither the root nor
 * the trees matter to the sizes, and one layout, with any trees, tells them all. */
int wm_map_complete(struct wm_map *map, json_t *answer, enum wm_operation operation, const struct wm_grid *grid,
                    int root, struct wm_error *error)
{
    struct completion c = {.map = map, .error = error};
    struct wm_path *path = NULL;
    struct wm_layout *layout = NULL;
    json_t *sketch;
    int open = 0, rc;

    visit_all(answer, count_one, &open);
    if (open == 0)
        return 0;
    sketch = json_deep_copy(answer);
    rc = sketch != NULL ? visit_all(sketch, flatten_one, NULL) : -WM_ENOMEM;
    if (rc == 0)
        rc = wm_path_parse(&path, sketch, operation, grid, NULL, error);
    if (rc == 0)
        rc = wm_layout_new(&layout, path, grid, root, false, error);
    if (rc == 0) {
        c.path = path;
        c.layout = layout;
        rc = visit_all(answer, complete_one, &c);
    }
    if (rc == -WM_ENOMEM)
        wm_error_set(error, rc, "no memory for the map's answer");
    wm_layout_free(layout);
    wm_path_free(path);
    json_decref(sketch);
    return rc;
}
