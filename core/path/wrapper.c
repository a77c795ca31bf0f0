/* A wrapper in words. */
#include "core/path/wrapper.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "core/path/grid.h"

static void describe_shape(const struct wm_shape *shape, char *out, size_t room)
{
    if (shape->radix != wm_shape_number(shape->kind))
        snprintf(out, room, "(%s %d)", wm_shape_name(shape->kind), shape->radix);
    else if (shape->kind == WM_SHAPE_TREE)
        snprintf(out, room, shape->procedure >= 0 ? "(lambda …)" : "(tree …)");
    else
        snprintf(out, room, "'%s", shape->kind == WM_SHAPE_KNOMIAL ? "binomial" : wm_shape_name(shape->kind));
}

void wm_bytes_describe(uint64_t bytes, char *out, size_t room)
{
    static const char *const units[] = {"", "KiB", "MiB", "GiB"};
    int unit = 0;

    for (; unit < 3 && bytes > 0 && bytes % 1024 == 0; unit++)
        bytes /= 1024;
    snprintf(out, room, "%" PRIu64 "%s", bytes, units[unit]);
}

void wm_time_describe(uint64_t ns, char *out, size_t room)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    int unit = 0;

    for (; unit < 3 && ns > 0 && ns % 1000 == 0; unit++)
        ns /= 1000;
    snprintf(out, room, "%" PRIu64 "%s", ns, units[unit]);
}

static void describe_value(const struct wm_wrapper *w, int index, const struct wm_grid *grid, char *out, size_t room)
{
    const struct wm_param *param = &w->class->params[index];
    const struct wm_param_value *value = &w->values[index];

    switch (param->type) {
    case WM_PARAM_AXIS:
        snprintf(out, room, "%s", wm_grid_axis_name(grid, value->axis));
        break;
    case WM_PARAM_SHAPE:
        describe_shape(value->shape, out, room);
        break;
    case WM_PARAM_BYTES:
        wm_bytes_describe(value->bytes, out, room);
        break;
    case WM_PARAM_COUNT:
        snprintf(out, room, "%" PRId64, value->count);
        break;
    case WM_PARAM_CHOICE:
        snprintf(out, room, "'%s", param->choices[value->choice]);
        break;
    case WM_PARAM_LABEL:
        snprintf(out, room, "'%s", value->label);
        break;
    case WM_PARAM_TIME:
        wm_time_describe(value->ns, out, room);
        break;
    case WM_PARAM_PERCENT:
        snprintf(out, room, "%g%%", value->ppm / 1e4);
        break;
    }
}

void wm_wrapper_describe(const struct wm_wrapper *w, const struct wm_grid *grid, char *out, size_t out_bytes)
{
    out[0] = '\0';
    for (int i = 0; i < w->class->param_count; i++) {
        const struct wm_param *param = &w->class->params[i];
        size_t used = strlen(out);
        char value[64];

        if (!w->values[i].given && (param->type != WM_PARAM_SHAPE || w->values[i].shape == NULL))
            continue;
        describe_value(w, i, grid, value, sizeof value);
        snprintf(out + used, out_bytes - used, "%s%s%s%s%s", used > 0 ? " " : "",
                 param->positional ? "" : "#:", param->positional ? "" : param->name, param->positional ? "" : " ",
                 value);
    }
}

uint32_t wm_wrapper_operations(const struct wm_wrapper_class *class)
{
    uint32_t operations = 0;

    for (int i = 0; i < WM_SERVICES_MAX; i++)
        operations |= class->services[i].operations;
    return operations;
}

const struct wm_service *wm_wrapper_service(const struct wm_wrapper_class *class, enum wm_operation operation)
{
    for (int i = 0; i < WM_SERVICES_MAX; i++)
        if (class->services[i].operations & WM_OPERATION_BIT(operation))
            return &class->services[i];
    return NULL;
}

bool wm_wrapper_is_stage(const struct wm_wrapper_class *class)
{
    return class->services[0].stage != WM_STAGE_NONE;
}
