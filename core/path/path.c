/* Paths: read from the map server's answer, and checked. */
#include "core/path/path.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/path/design.h"
#include "core/path/fault.h"
#include "core/path/lag.h"
#include "core/path/parameter.h"

static int fail_at(struct wm_error *error, const struct wm_wrapper *wrapper)
{
    wm_error_place(error, NULL, wrapper->line, wrapper->column);
    return -WM_EMAP;
}

static int read_int(const json_t *object, const char *key, int fallback)
{
    const json_t *value = json_object_get(object, key);

    return json_is_integer(value) ? (int)json_integer_value(value) : fallback;
}

static const struct wm_param *find_param(const struct wm_wrapper_class *class, const char *name, int *index)
{
    for (*index = 0; *index < class->param_count; ++*index)
        if (strcmp(class->params[*index].name, name) == 0)
            return &class->params[*index];
    return NULL;
}

static int unknown_keyword(const struct wm_wrapper *w, const char *name, struct wm_error *error)
{
    const char *names[WM_PARAMS_MAX];
    char otherwise[96];
    size_t count = 0;

    for (int i = 0; i < w->class->param_count; i++)
        if (!w->class->params[i].positional)
            names[count++] = w->class->params[i].name;
    snprintf(otherwise, sizeof otherwise, "see waymark wrappers %s", w->class->name);
    wm_error_set(error, -WM_EMAP, "'%s' has no keyword '#:%s'%s", w->class->name, name,
                 wm_error_suggest(name, names, count, "#:", otherwise).text);
    return fail_at(error, w);
}

static int unknown_wrapper(const struct wm_wrapper *w, const char *name, struct wm_error *error)
{
    const struct wm_wrapper_class *const *classes = wm_wrapper_classes();
    const char *names[64];
    size_t count = 0;

    if (name == NULL)
        name = "?";
    for (; classes[count] != NULL && count < sizeof names / sizeof *names; count++)
        names[count] = classes[count]->name;
    wm_error_set(error, -WM_EMAP, "unknown wrapper '%s'%s", name,
                 wm_error_suggest(name, names, count, "", "see waymark wrappers").text);
    return fail_at(error, w);
}

/* Where an argument stands, if the answer knows; `word`: of a keyword, the keyword itself. */
static bool find_argument(const json_t *entry, const char *name, bool word, int *line, int *column)
{
    const json_t *place = json_object_get(json_object_get(entry, "places"), name);
    size_t first = json_array_size(place) == 4 && !word ? 2 : 0;

    *line = (int)json_integer_value(json_array_get(place, first));
    *column = (int)json_integer_value(json_array_get(place, first + 1));
    return json_array_size(place) > first;
}

/* The fault lies in one argument: place it there. */
static int place_argument(const json_t *entry, const char *name, bool word, int rc, struct wm_error *error)
{
    int line, column;

    if (rc < 0 && find_argument(entry, name, word, &line, &column))
        wm_error_place(error, NULL, line, column);
    return rc;
}

/* A parameter that has no meaning in a path of this operation. */
static int out_of_place(const struct wm_wrapper *w, const struct wm_param *param, enum wm_operation operation,
                        struct wm_error *error)
{
    wm_error_set(error, -WM_EMAP, "'%s%s' of '%s' means nothing in a path of %s; take it out",
                 param->positional ? "" : "#:", param->name, w->class->name, wm_operation_name(operation));
    return fail_at(error, w);
}

static int read_argument(struct wm_wrapper *w, int index, const json_t *entry, const char *name, const json_t *value,
                         const struct wm_path *path, const struct wm_grid *grid, struct wm_error *error)
{
    const struct wm_param *param = &w->class->params[index];
    struct wm_param_value *out = &w->values[index];

    find_argument(entry, name, false, &out->line, &out->column);
    if (param->operations != 0 && !(param->operations & WM_OPERATION_BIT(path->operation)))
        return place_argument(entry, name, !param->positional, out_of_place(w, param, path->operation, error), error);
    return place_argument(entry, name, false, wm_parameter_read(w, index, value, grid, error), error);
}

static int read_positional(struct wm_wrapper *w, const json_t *entry, const struct wm_path *path,
                           const struct wm_grid *grid, struct wm_error *error)
{
    const json_t *arguments = json_object_get(entry, "arguments");
    char name[16];
    int rc = 0;

    for (int i = 0; rc == 0 && i < (int)json_array_size(arguments); i++) {
        snprintf(name, sizeof name, "%d", i);
        if (i < w->class->param_count && w->class->params[i].positional) {
            rc = read_argument(w, i, entry, name, json_array_get(arguments, (size_t)i), path, grid, error);
            continue;
        }
        wm_error_set(error, -WM_EMAP, "'%s' takes %d argument%s beside its keywords, but has %d here", w->class->name,
                     i, i == 1 ? "" : "s", (int)json_array_size(arguments));
        rc = place_argument(entry, name, false, fail_at(error, w), error);
    }
    return rc;
}

static int read_arguments(struct wm_wrapper *w, const json_t *entry, const struct wm_path *path,
                          const struct wm_grid *grid, struct wm_error *error)
{
    json_t *keywords = json_object_get(entry, "keywords"), *value;
    const char *name;
    int index, rc = read_positional(w, entry, path, grid, error);

    if (rc < 0)
        return rc;
    json_object_foreach (keywords, name, value) {
        const struct wm_param *param = find_param(w->class, name, &index);

        if (param == NULL || param->positional)
            return place_argument(entry, name, true, unknown_keyword(w, name, error), error);
        if ((rc = read_argument(w, index, entry, name, value, path, grid, error)) < 0)
            return rc;
    }
    return wm_parameter_defaults(w, error);
}

/* The first axis and the first shape among its parameters are the stage's. */
static void keep_stage(struct wm_wrapper *w)
{
    w->axis = -1;
    for (int i = w->class->param_count - 1; i >= 0; i--) {
        if (w->class->params[i].type == WM_PARAM_AXIS)
            w->axis = w->values[i].axis;
        if (w->class->params[i].type == WM_PARAM_SHAPE)
            w->shape = w->values[i].shape;
    }
}

static int read_wrapper(struct wm_path *path, const json_t *entry, const struct wm_grid *grid, struct wm_error *error)
{
    const char *name = json_string_value(json_object_get(entry, "wrapper"));
    struct wm_wrapper *w = &path->wrappers[path->wrapper_count];
    bool designed = path->operation >= (enum wm_operation)WM_COLLECTIVE_COUNT;
    int rc;

    w->class = name != NULL ? wm_wrapper_find(name) : NULL;
    w->node = read_int(entry, "node", 0);
    w->line = read_int(entry, "line", 0);
    w->column = read_int(entry, "column", 0);
    w->stage = -1;
    if (w->class == NULL)
        return unknown_wrapper(w, name, error);
    path->wrapper_count++;
    if (path->native) {
        wm_error_set(error, -WM_EMAP, "'%s' stands behind 'native', which ends a path; take one of them out", name);
        return fail_at(error, w);
    }
    w->service = wm_wrapper_service(w->class, path->operation);
    if (w->service == NULL && designed && w->class->role == WM_ROLE_NATIVE) {
        wm_error_set(error, -WM_EMAP, "'%s' leaves calls to the MPI library, and it has no %s; take it out", name,
                     path->operation == WM_CONVEYOR   ? "conveyors"
                     : path->operation == WM_MESSAGES ? "protocols"
                                                      : "statements");
        return fail_at(error, w);
    }
    if (w->service == NULL) {
        wm_error_set(error, -WM_EMAP, "'%s' cannot stand in a path of %s; see waymark wrappers %s", name,
                     wm_operation_name(path->operation), name);
        return fail_at(error, w);
    }
    for (int i = 0; (w->class->once || designed) && i < path->wrapper_count - 1; i++)
        if (path->wrappers[i].class == w->class) {
            wm_error_set(error, -WM_EMAP, "'%s' stands twice in the path; take one out", name);
            return fail_at(error, w);
        }
    if (w->service->stage != WM_STAGE_NONE && path->stage_count < WM_PATH_STAGES_MAX) {
        w->stage = path->stage_count;
        path->stages[path->stage_count++] = path->wrapper_count - 1;
    }
    path->native = w->class->role == WM_ROLE_NATIVE;
    rc = read_arguments(w, entry, path, grid, error);
    if (rc == 0 && w->stage >= 0)
        keep_stage(w);
    return rc;
}

/* The stages' axes cover the grid once: `all` alone, or every required axis, and no axis twice. */
static int check_cover(const struct wm_path *path, const struct wm_grid *grid, const json_t *rule,
                       struct wm_error *error)
{
    bool covered[WM_GRID_AXES_MAX] = {false}, all = false;

    for (int s = 0; s < path->stage_count; s++) {
        const struct wm_wrapper *w = &path->wrappers[path->stages[s]];
        int axis = w->axis;

        if (all || (axis == WM_AXIS_ALL && s > 0)) {
            wm_error_set(error, -WM_EMAP, "the axis 'all' covers every rank, so no other stage may stand beside it");
            return fail_at(error, w);
        }
        if (axis == WM_AXIS_ALL) {
            all = true;
            continue;
        }
        if (covered[axis]) {
            wm_error_set(error, -WM_EMAP, "axis '%s' is covered twice; take one of the stages over it out",
                         wm_grid_axis_name(grid, axis));
            return fail_at(error, w);
        }
        covered[axis] = true;
    }
    for (int axis = 0; !all && axis < grid->axis_count; axis++)
        if (!wm_grid_axis_is_covered(grid, axis, covered)) {
            wm_error_set(error, -WM_EMAP, "axis '%s' is not covered; add a stage over it, or use the axis 'all' alone",
                         wm_grid_axis_name(grid, axis));
            wm_error_place(error, NULL, read_int(rule, "line", 0), read_int(rule, "column", 0));
            return -WM_EMAP;
        }
    return 0;
}

/* A conveyor has no stages: what its wrappers want together must be possible. */
static int check_conveyor(const struct wm_path *path, struct wm_error *error)
{
    struct wm_convey_design design;

    return wm_convey_design_read(&design, path, error);
}

/* What a fault does to a job is wanted if the map says so, and then once in a path. */
static int check_faults(const struct wm_path *path, bool allowed, struct wm_error *error)
{
    const struct wm_wrapper *fault = wm_path_fault(path), *w;

    if (fault != NULL && !allowed) {
        wm_error_set(
            error, -WM_EMAP,
            "'%s' breaks the job on purpose; if that is wanted, say (path-map #:faults #t …), else take it out",
            fault->class->name);
        return fail_at(error, fault);
    }
    for (w = fault; fault != NULL && ++w < path->wrappers + path->wrapper_count;)
        if (wm_class_is_fault(w->class)) {
            wm_error_set(error, -WM_EMAP, "a path has one fault, and '%s' stands before '%s'; take one out",
                         fault->class->name, w->class->name);
            return fail_at(error, w);
        }
    return 0;
}

static int refuse_native(const struct wm_wrapper *w, struct wm_error *error)
{
    wm_error_set(error, -WM_EMAP,
                 "'%s' cannot reach into the MPI library's own collective; take it out, or name stages in "
                 "the place of 'native'",
                 w->class->name);
    return fail_at(error, w);
}

static int check_path(const struct wm_path *path, const struct wm_grid *grid, const json_t *rule,
                      struct wm_error *error)
{
    if (path->operation == WM_CONVEYOR)
        return check_conveyor(path, error);
    if (wm_operation_data(path->operation) == WM_DATA_MESSAGES)
        return 0;
    if (path->native && path->stage_count > 0) {
        wm_error_set(error, -WM_EMAP, "'native' carries out the whole call, so no stage may stand before it");
        return fail_at(error, &path->wrappers[path->wrapper_count - 1]);
    }
    for (int i = 0; path->native && i < path->wrapper_count; i++)
        if (strcmp(path->wrappers[i].class->name, "segment") == 0) {
            wm_error_set(error, -WM_EMAP, "'segment' cannot cut a call that 'native' carries out; take it out");
            return fail_at(error, &path->wrappers[i]);
        }
    if (path->native && wm_path_delay(path) != NULL)
        return refuse_native(wm_path_delay(path), error);
    if (path->native && wm_path_fault(path) != NULL)
        return refuse_native(wm_path_fault(path), error);
    if (path->native)
        return 0;
    if (path->stage_count == 0) {
        wm_error_set(error, -WM_EMAP, "the path has no stage; add one that serves %s, or (native)",
                     wm_operation_name(path->operation));
        wm_error_place(error, NULL, read_int(rule, "line", 0), read_int(rule, "column", 0));
        return -WM_EMAP;
    }
    return check_cover(path, grid, rule, error);
}

int wm_path_parse(struct wm_path **out, const json_t *answer, enum wm_operation operation, const struct wm_grid *grid,
                  const char *file, struct wm_error *error)
{
    const json_t *wrappers = json_object_get(answer, "path");
    struct wm_path *path = calloc(1, sizeof *path);
    json_t *entry;
    size_t i;
    int rc = 0;

    *out = NULL;
    if (path == NULL)
        return wm_error_set(error, -WM_ENOMEM, "no memory for a path");
    path->users = 1;
    path->operation = operation;
    path->rule_line = read_int(json_object_get(answer, "rule"), "line", 0);
    path->named = json_object_get(answer, "protocol") != NULL;
    wm_validity_read(&path->validity, answer);
    if (json_is_null(wrappers))
        path->native = true; /* no rule fits */
    if (json_array_size(wrappers) > WM_PATH_WRAPPERS_MAX) {
        rc = wm_error_set(error, -WM_EMAP, "a path has at most %d wrappers", WM_PATH_WRAPPERS_MAX);
        entry = json_array_get(wrappers, WM_PATH_WRAPPERS_MAX);
        wm_error_place(error, NULL, read_int(entry, "line", 0), read_int(entry, "column", 0));
    }
    json_array_foreach (wrappers, i, entry)
        if (rc == 0)
            rc = read_wrapper(path, entry, grid, error);
    if (rc == 0)
        rc = check_faults(path, json_is_true(json_object_get(answer, "faults")), error);
    if (rc == 0)
        rc = check_path(path, grid, json_object_get(answer, "rule"), error);
    if (rc < 0) {
        wm_error_place(error, file, error != NULL ? error->line : 0, error != NULL ? error->column : 0);
        wm_path_free(path);
        return rc;
    }
    *out = path;
    return 0;
}

struct wm_path *wm_path_take(struct wm_path *path)
{
    atomic_fetch_add(&path->users, 1);
    return path;
}

void wm_path_free(struct wm_path *path)
{
    if (path == NULL || atomic_fetch_sub(&path->users, 1) > 1)
        return;
    for (int i = 0; i < path->wrapper_count; i++)
        for (int v = 0; v < path->wrappers[i].class->param_count; v++)
            if (path->wrappers[i].class->params[v].type == WM_PARAM_SHAPE)
                wm_shape_free(path->wrappers[i].values[v].shape);
    free(path);
}

/* Nothing is inside what does something to messages. */
static bool doubt_outside(const struct wm_path *path, const struct wm_wrapper *w, struct wm_error *doubt)
{
    if (w == NULL || path->stage_count == 0 || w < &path->wrappers[path->stages[path->stage_count - 1]])
        return false;
    wm_error_set(doubt, -WM_EMAP, "'%s' stands behind all stages, so no message is inside it; put it before them",
                 w->class->name);
    wm_error_place(doubt, NULL, w->line, w->column);
    return true;
}

bool wm_path_doubt(const struct wm_path *path, struct wm_error *doubt)
{
    *doubt = (struct wm_error){0};
    if (doubt_outside(path, wm_path_delay(path), doubt) || doubt_outside(path, wm_path_fault(path), doubt))
        return true;
    for (int i = 0; i < path->wrapper_count && doubt->text[0] == '\0'; i++) {
        const struct wm_wrapper *w = &path->wrappers[i];

        if (w->class->doubt != NULL)
            w->class->doubt(w, path->validity.bytes.high, doubt);
        wm_error_place(doubt, NULL, w->line, w->column);
    }
    return doubt->text[0] != '\0';
}

bool wm_path_verifies_results(const struct wm_path *path)
{
    for (int i = 0; i < path->wrapper_count; i++)
        if (path->wrappers[i].class->role == WM_ROLE_VERIFY)
            return path->wrappers[i].values[0].choice == WM_PATH_VERIFIES_RESULTS;
    return false;
}

bool wm_path_serves(const struct wm_path *path, const struct wm_facts *facts)
{
    return wm_validity_holds(&path->validity, facts);
}
