/* Parameters: values of a map, checked against the class records. */
#include "core/path/parameter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/parse.h"

enum { PPM_A_PERCENT = 10000 };

static int fail(const struct wm_wrapper *w, struct wm_error *error)
{
    wm_error_place(error, NULL, w->line, w->column);
    return -WM_EMAP;
}

/* How the user would call this parameter: 'axis', or '#:shape'. */
static const char *written(const struct wm_param *param)
{
    static _Thread_local char name[64];

    snprintf(name, sizeof name, "%s%s", param->positional ? "" : "#:", param->name);
    return name;
}

static int wrong_type(const struct wm_wrapper *w, const struct wm_param *param, const char *wanted,
                      struct wm_error *error)
{
    wm_error_set(error, -WM_EMAP, "'%s' of '%s' must be %s", written(param), w->class->name, wanted);
    return fail(w, error);
}

/* The symbol or string in a VALUE, or NULL. */
static const char *word_of(const json_t *value)
{
    return json_string_value(json_is_string(value) ? value : json_object_get(value, "symbol"));
}

static int read_axis(struct wm_wrapper *w, const struct wm_param *param, struct wm_param_value *out,
                     const json_t *value, const struct wm_grid *grid, struct wm_error *error)
{
    const char *name = json_string_value(json_object_get(value, "axis")), *names[WM_GRID_AXES_MAX + 1];
    size_t count = 0;

    if (name == NULL)
        name = word_of(value);
    if (name == NULL)
        return wrong_type(w, param, "an axis of the grid, such as node, core or all", error);
    out->axis = wm_grid_axis_find(grid, name);
    if (out->axis != -1)
        return 0;
    for (int i = 0; i < grid->axis_count; i++)
        names[count++] = grid->axes[i].name;
    names[count++] = "all";
    wm_error_set(error, -WM_EMAP, "the grid has no axis '%s'%s", name,
                 wm_error_suggest(name, names, count, "", "name it in #:grid").text);
    return fail(w, error);
}

static int unknown_word(const struct wm_wrapper *w, const struct wm_param *param, const char *word,
                        const char *const *words, size_t count, struct wm_error *error)
{
    const char *near = wm_error_nearest(word, words, count);
    char list[256] = "";

    for (size_t i = 0; i < count; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i > 0 ? ", " : "", words[i]);
    if (near != NULL)
        wm_error_set(error, -WM_EMAP, "'%s' of '%s' cannot be '%s'; did you mean '%s'? (%s)", written(param),
                     w->class->name, word, near, list);
    else
        wm_error_set(error, -WM_EMAP, "'%s' of '%s' cannot be '%s'; choose one of %s", written(param), w->class->name,
                     word, list);
    return fail(w, error);
}

static int unknown_shape(const struct wm_wrapper *w, const struct wm_param *param, const char *word,
                         struct wm_error *error)
{
    const char *words[WM_SHAPE_COUNT + 1];
    size_t count = 0;

    for (int i = 0; i < WM_SHAPE_COUNT; i++)
        if (wm_shape_can((enum wm_shape_kind)i, param->shapes))
            words[count++] = wm_shape_name(i);
    if (wm_shape_can(WM_SHAPE_KNOMIAL, param->shapes))
        words[count++] = "binomial";
    return unknown_word(w, param, word, words, count, error);
}

struct tree_reading {
    int parents[4096];
    int size, highest;
};

/* [label, child, …]: children are trees, or labels alone. */
static bool read_tree_node(struct tree_reading *t, const json_t *node, int parent)
{
    const json_t *label = json_is_array(node) ? json_array_get(node, 0) : node;
    json_int_t number = json_integer_value(label);

    if (!json_is_integer(label) || number < 0 || number >= (json_int_t)(sizeof t->parents / sizeof *t->parents) ||
        t->parents[number] != -2)
        return false;
    t->parents[number] = parent;
    t->size++;
    t->highest = (int)number > t->highest ? (int)number : t->highest;
    for (size_t i = 1; i < json_array_size(node); i++)
        if (!read_tree_node(t, json_array_get(node, i), (int)number))
            return false;
    return true;
}

static int read_tree(struct wm_wrapper *w, struct wm_shape *shape, const json_t *tree, struct wm_error *error)
{
    struct tree_reading *t = malloc(sizeof *t);
    int culprit, rc = 0;

    if (t == NULL)
        return -WM_ENOMEM;
    t->size = 0;
    t->highest = -1;
    for (size_t i = 0; i < sizeof t->parents / sizeof *t->parents; i++)
        t->parents[i] = -2;
    if (!read_tree_node(t, tree, -1) || t->highest + 1 != t->size) {
        wm_error_set(error, -WM_EMAP, "a tree names each member from 0 up once, such as (tree 0 (1 (3)) (2))");
        rc = fail(w, error);
    } else {
        rc = wm_shape_add_tree(shape, t->size, t->parents, &culprit);
    }
    free(t);
    return rc;
}

static int read_parents(struct wm_wrapper *w, struct wm_shape *shape, json_t *trees, struct wm_error *error)
{
    const char *size;
    json_t *list;

    json_object_foreach (trees, size, list) {
        int count = (int)json_array_size(list), culprit = 0, rc;
        int *parents = calloc((size_t)count + 1, sizeof *parents);

        if (parents == NULL)
            return -WM_ENOMEM;
        for (int i = 0; i < count; i++)
            parents[i] = (int)json_integer_value(json_array_get(list, (size_t)i));
        rc = wm_shape_add_tree(shape, count, parents, &culprit);
        if (rc == -WM_EINVAL) {
            wm_error_set(error, -WM_EMAP,
                         "the procedure given to '%s' makes no tree of %d members: the parent of member %d is "
                         "wrong (%d); one member must have no parent (#f), all others must lead to it",
                         w->class->name, count, culprit, parents[culprit]);
            rc = fail(w, error);
        }
        free(parents);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int read_radix(struct wm_wrapper *w, const struct wm_param *param, struct wm_shape *shape, const json_t *radix,
                      struct wm_error *error)
{
    const char *name = wm_shape_name(shape->kind);
    int least = wm_shape_least(shape->kind);
    char wanted[128];

    if (least > 0 && json_is_integer(radix) && json_integer_value(radix) >= least &&
        json_integer_value(radix) <= WM_SHAPE_NUMBER_MAX) {
        shape->radix = (int)json_integer_value(radix);
        return 0;
    }
    if (least == 0)
        snprintf(wanted, sizeof wanted, "a shape; '%s' takes no number", name);
    else
        snprintf(wanted, sizeof wanted, "a shape; '%s' takes a number from %d to %d", name, least, WM_SHAPE_NUMBER_MAX);
    return wrong_type(w, param, wanted, error);
}

/* 'binomial, (k-nomial 4), a tree, or a procedure. */
static int fill_shape(struct wm_wrapper *w, const struct wm_param *param, struct wm_shape *shape, const json_t *value,
                      struct wm_error *error)
{
    const char *word = word_of(json_is_array(value) ? json_array_get(value, 0) : value);
    const json_t *radix = json_array_get(value, 1), *tree = json_object_get(value, "tree");
    json_t *parents = json_object_get(value, "parents"), *procedure = json_object_get(value, "procedure");
    int kind = tree != NULL || procedure != NULL || parents != NULL ? WM_SHAPE_TREE
               : word != NULL                                       ? wm_shape_find(word)
                                                                    : -1;

    shape->procedure = json_is_integer(procedure) ? (int)json_integer_value(procedure) : -1;
    if (kind < 0 && word == NULL)
        return wrong_type(w, param, "a shape, such as 'binomial, (k-nomial 4), (tree 0 (1) (2)) or a procedure", error);
    if (kind < 0 || !wm_shape_can((enum wm_shape_kind)kind, param->shapes) || (kind == WM_SHAPE_TREE && word != NULL))
        return unknown_shape(w, param, word != NULL ? word : "tree", error);
    shape->kind = (enum wm_shape_kind)kind;
    shape->radix = wm_shape_number(shape->kind);
    if (tree != NULL)
        return read_tree(w, shape, tree, error);
    if (parents != NULL)
        return read_parents(w, shape, parents, error);
    return radix != NULL ? read_radix(w, param, shape, radix, error) : 0;
}

static int read_shape(struct wm_wrapper *w, const struct wm_param *param, struct wm_param_value *out,
                      const json_t *value, struct wm_error *error)
{
    out->shape = calloc(1, sizeof *out->shape);
    return out->shape == NULL ? -WM_ENOMEM : fill_shape(w, param, out->shape, value, error);
}

static int wrong_number(const struct wm_wrapper *w, const struct wm_param *param, struct wm_error *error)
{
    const char *what = param->type == WM_PARAM_BYTES ? "number of bytes" : "whole number";
    char least[32] = "1", most[32], wanted[128];

    if (param->most > 0) {
        wm_bytes_describe((uint64_t)param->least, least, sizeof least);
        wm_bytes_describe((uint64_t)param->most, most, sizeof most);
    }
    snprintf(wanted, sizeof wanted, "a %s from %s%s%s%s", what, least, param->most > 0 ? " to " : "",
             param->most > 0 ? most : "", param->type == WM_PARAM_BYTES ? ", such as 64KiB" : "");
    return wrong_type(w, param, wanted, error);
}

static int read_number(struct wm_wrapper *w, const struct wm_param *param, int64_t *out, const json_t *value,
                       struct wm_error *error)
{
    int64_t least = param->most > 0 ? param->least : 1, most = param->most > 0 ? param->most : INT64_MAX;

    if (!json_is_integer(value) || json_integer_value(value) < least || json_integer_value(value) > most)
        return wrong_number(w, param, error);
    *out = json_integer_value(value);
    return 0;
}

static int read_choice(struct wm_wrapper *w, const struct wm_param *param, struct wm_param_value *out,
                       const json_t *value, struct wm_error *error)
{
    const char *word = word_of(value);
    size_t count = 0;

    if (word == NULL)
        return wrong_type(w, param, "a quoted word", error);
    for (; param->choices[count] != NULL; count++)
        if (strcmp(param->choices[count], word) == 0) {
            out->choice = (int)count;
            return 0;
        }
    return unknown_word(w, param, word, param->choices, count, error);
}

static int read_label(struct wm_wrapper *w, const struct wm_param *param, struct wm_param_value *out,
                      const json_t *value, struct wm_error *error)
{
    const char *word = word_of(value);

    if (word == NULL || strlen(word) >= sizeof out->label)
        return wrong_type(w, param, "a word of at most 31 characters", error);
    strcpy(out->label, word);
    return 0;
}

/* A word with a unit. */
static int read_time(struct wm_wrapper *w, const struct wm_param *param, struct wm_param_value *out,
                     const json_t *value, struct wm_error *error)
{
    const char *word = word_of(value);
    int64_t ns;

    if (word == NULL || strspn(word, "0123456789.") == strlen(word) || !wm_parse_time(word, &ns))
        return wrong_type(w, param, "a time, such as 500us, 2ms or 1s", error);
    out->ns = (uint64_t)ns;
    return 0;
}

static int read_percent(struct wm_wrapper *w, const struct wm_param *param, struct wm_param_value *out,
                        const json_t *value, struct wm_error *error)
{
    const char *word = word_of(value);
    char *end;
    double percent = word != NULL && strspn(word, "0123456789.") > 0 ? strtod(word, &end) : -1;

    if (percent < 0 || percent > 100 || strcmp(end, "%") != 0)
        return wrong_type(w, param, "a percentage from 0% to 100%, such as 10%", error);
    out->ppm = (uint32_t)(percent * PPM_A_PERCENT + 0.5);
    return 0;
}

int wm_parameter_read(struct wm_wrapper *w, int index, const json_t *value, const struct wm_grid *grid,
                      struct wm_error *error)
{
    const struct wm_param *param = &w->class->params[index];
    struct wm_param_value *out = &w->values[index];

    out->given = true;
    switch (param->type) {
    case WM_PARAM_AXIS:
        return read_axis(w, param, out, value, grid, error);
    case WM_PARAM_SHAPE:
        return read_shape(w, param, out, value, error);
    case WM_PARAM_BYTES:
    case WM_PARAM_COUNT:
        return read_number(w, param, &out->count, value, error);
    case WM_PARAM_CHOICE:
        return read_choice(w, param, out, value, error);
    case WM_PARAM_LABEL:
        return read_label(w, param, out, value, error);
    case WM_PARAM_TIME:
        return read_time(w, param, out, value, error);
    case WM_PARAM_PERCENT:
        return read_percent(w, param, out, value, error);
    }
    return -WM_EINVAL;
}

int wm_parameter_defaults(struct wm_wrapper *w, struct wm_error *error)
{
    for (int i = 0; i < w->class->param_count; i++) {
        const struct wm_param *param = &w->class->params[i];
        bool number = param->type == WM_PARAM_BYTES || param->type == WM_PARAM_COUNT;
        json_t *value;
        int rc;

        if (w->values[i].given)
            continue;
        if (param->required) {
            wm_error_set(error, -WM_EMAP, "'%s' needs its argument '%s': %s", w->class->name, param->name, param->help);
            return fail(w, error);
        }
        if (param->fallback == NULL)
            continue;
        value = number ? json_integer(atoll(param->fallback)) : json_string(param->fallback);
        rc = value != NULL ? wm_parameter_read(w, i, value, NULL, error) : -WM_ENOMEM;
        json_decref(value);
        w->values[i].given = false;
        if (rc < 0)
            return rc;
    }
    return 0;
}
