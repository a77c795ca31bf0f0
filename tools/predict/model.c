/* What a profile says, laid out for a grid. */
#include "tools/predict/model.h"

#include <stdlib.h>
#include <string.h>

int64_t wm_model_bytes(int64_t femtoseconds, uint64_t bytes)
{
    return (int64_t)(((__int128)femtoseconds * bytes + 500) / 1000);
}

int wm_model_level(const struct wm_model *m, int rank, int other)
{
    int axis = 0;

    while (axis < m->grid->axis_count - 1 && m->grid->axes[axis].group[rank] == m->grid->axes[axis].group[other])
        axis++;
    return axis;
}

const char *wm_model_level_name(const struct wm_grid *grid, int axis)
{
    const char *name = wm_grid_axis_name(grid, axis);

    return strcmp(name, "process") == 0 ? "core" : name;
}

/* Do groups of this axis lie within a node? */
static bool is_inner(const struct wm_grid *grid, int axis)
{
    int node = wm_grid_axis_find(grid, "node");

    return node >= 0 ? axis > node : axis == grid->axis_count - 1 && grid->axis_count > 1;
}

static bool has_rows(const struct wm_profile *p, enum wm_profile_section section, const char *name, int net)
{
    for (size_t i = 0; i < p->row_count; i++)
        if (p->rows[i].section == section && p->rows[i].net == net && strcmp(p->rows[i].name, name) == 0)
            return true;
    return false;
}

/* Whose rows stand for the axis. */
static const char *name_of(const struct wm_model *m, enum wm_profile_section section, int axis, int net)
{
    const char *own = wm_model_level_name(m->grid, axis), *usual = is_inner(m->grid, axis) ? "core" : "node";

    if (has_rows(m->profile, section, own, net))
        return own;
    return has_rows(m->profile, section, usual, net) ? usual : "*";
}

static int compare_brackets(const void *left, const void *right)
{
    const struct wm_model_bracket *a = left, *b = right;

    return (a->up_to > b->up_to) - (a->up_to < b->up_to);
}

/* The rows of a name, by size; a size beyond the last is served by the last. */
static int list_brackets(struct wm_model_bracket **out, const struct wm_profile *p, enum wm_profile_section section,
                         const char *name, int net)
{
    int count = 0;

    *out = calloc(p->row_count + 1, sizeof **out);
    if (*out == NULL)
        return -WM_ENOMEM;
    for (size_t i = 0; i < p->row_count; i++) {
        const struct wm_profile_row *row = &p->rows[i];

        if (row->section != section || row->net != net || strcmp(row->name, name) != 0)
            continue;
        (*out)[count].up_to = row->up_to > 0 ? row->up_to : UINT64_MAX;
        for (int v = 0; v < wm_profile_parameter_count(section); v++)
            (*out)[count].values[v] = row->values[v].value;
        count++;
    }
    qsort(*out, (size_t)count, sizeof **out, compare_brackets);
    if (count == 0)
        count = 1;
    (*out)[count - 1].up_to = UINT64_MAX;
    return count;
}

static void copy_values(int64_t *out, const struct wm_profile_row *row, enum wm_profile_section section)
{
    for (int v = 0; row != NULL && v < wm_profile_parameter_count(section); v++)
        out[v] = row->values[v].value;
}

static int fill_link(struct wm_model *m, int axis, int net)
{
    struct wm_model_link *link = &m->links[axis][net];
    const char *name = name_of(m, WM_PROFILE_MESSAGE, axis, net);

    link->own = strcmp(name, "*") != 0;
    link->row = wm_profile_find(m->profile, WM_PROFILE_LINK, name, net, 0, 0);
    link->values[WM_LINK_EAGER] = INT64_MAX;
    copy_values(link->values, link->row, WM_PROFILE_LINK);
    link->bracket_count = list_brackets(&link->brackets, m->profile, WM_PROFILE_MESSAGE, name, net);
    return link->bracket_count < 0 ? link->bracket_count : 0;
}

int wm_model_init(struct wm_model *m, const struct wm_profile *profile, const struct wm_grid *grid)
{
    static const char *const kernels[] = {"copy", "combine"};
    int rc = 0;

    *m = (struct wm_model){.profile = profile, .grid = grid, .halved = -1};
    copy_values(m->host, wm_profile_find(profile, WM_PROFILE_HOST, "", 0, 0, 0), WM_PROFILE_HOST);
    copy_values(m->engine, wm_profile_find(profile, WM_PROFILE_ENGINE, "", 0, 0, 0), WM_PROFILE_ENGINE);
    for (int axis = 0; rc == 0 && axis < grid->axis_count; axis++) {
        for (int net = 0; rc == 0 && net < WM_NET_COUNT; net++)
            rc = fill_link(m, axis, net);
        for (size_t i = 0; i < profile->row_count; i++)
            if (profile->rows[i].section == WM_PROFILE_CUT &&
                strcmp(profile->rows[i].name, wm_grid_axis_name(grid, axis)) == 0)
                copy_values(m->cuts[axis], &profile->rows[i], WM_PROFILE_CUT);
    }
    for (int k = 0; rc == 0 && k < 2; k++) {
        m->kernel_counts[k] = list_brackets(&m->kernels[k], profile, WM_PROFILE_KERNEL, kernels[k], 0);
        rc = m->kernel_counts[k] < 0 ? m->kernel_counts[k] : 0;
    }
    return rc;
}

void wm_model_release(struct wm_model *m)
{
    for (int axis = 0; axis < WM_GRID_AXES_MAX; axis++)
        for (int net = 0; net < WM_NET_COUNT; net++)
            free(m->links[axis][net].brackets);
    free(m->kernels[0]);
    free(m->kernels[1]);
    *m = (struct wm_model){0};
}

static const struct wm_model_bracket *bracket_of(const struct wm_model_bracket *brackets, uint64_t bytes)
{
    while (bytes > brackets->up_to)
        brackets++;
    return brackets;
}

const struct wm_model_bracket *wm_model_message(const struct wm_model_link *link, uint64_t bytes)
{
    return bracket_of(link->brackets, bytes);
}

int64_t wm_model_kernel(const struct wm_model *m, bool combines, uint64_t bytes)
{
    const int64_t *values = bracket_of(m->kernels[combines], bytes)->values;

    return values[WM_KERNEL_CALL] + wm_model_bytes(values[WM_KERNEL_BYTE], bytes);
}

/* A parameter of a shared step, of which half may be taken. */
static int64_t shared_value(const struct wm_model *m, const struct wm_profile_row *row, int parameter)
{
    return row->values[parameter].value / (m->halved == parameter ? 2 : 1);
}

struct wm_model_cost wm_model_shared(const struct wm_model *m, enum wm_shared_kind kind, int members, uint64_t bytes)
{
    const struct wm_profile_row *row =
        wm_profile_find(m->profile, WM_PROFILE_SHARED, wm_shared_name(kind), 0, members, bytes);
    int more = row != NULL && members > row->members ? members - row->members : 0;

    if (row == NULL)
        return (struct wm_model_cost){0};
    return (struct wm_model_cost){
        .call = shared_value(m, row, WM_SHARED_CALL),
        .moved = wm_model_bytes(shared_value(m, row, WM_SHARED_BYTE), bytes),
        .more = more * shared_value(m, row, WM_SHARED_ORDER),
        .post = shared_value(m, row, WM_SHARED_POST),
        .own = row->members == members && strcmp(row->name, "*") != 0,
    };
}

static void halve_brackets(struct wm_model_bracket *brackets, int count, int parameter)
{
    for (int i = 0; i < count; i++)
        brackets[i].values[parameter] /= 2;
}

/* Hosts carry as much as one flow between them; what is faster one way alone gains nothing. */
static void halve_hosts(struct wm_model *m)
{
    m->host[WM_HOST_OUT] /= 2;
    m->host[WM_HOST_IN] /= 2;
}

void wm_model_halve(struct wm_model *m, enum wm_profile_section section, int parameter, int level, int net)
{
    switch (section) {
    case WM_PROFILE_LINK:
        m->links[level][net].values[parameter] /= 2;
        return;
    case WM_PROFILE_MESSAGE:
        halve_brackets(m->links[level][net].brackets, m->links[level][net].bracket_count, parameter);
        if (parameter == WM_MESSAGE_BYTE && !is_inner(m->grid, level))
            halve_hosts(m);
        return;
    case WM_PROFILE_HOST:
        if (parameter == WM_HOST_OUT)
            halve_hosts(m);
        else
            m->host[parameter] /= 2;
        return;
    case WM_PROFILE_CUT:
        m->cuts[level][WM_CUT_OUT] /= 2;
        m->cuts[level][WM_CUT_IN] /= 2;
        return;
    case WM_PROFILE_KERNEL:
        halve_brackets(m->kernels[level], m->kernel_counts[level], parameter);
        return;
    case WM_PROFILE_ENGINE:
        m->engine[parameter] /= 2;
        return;
    default:
        m->halved = parameter;
    }
}
