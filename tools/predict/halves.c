/* Which halves a call has. */
#include "tools/predict/halves.h"

#include <string.h>

static struct wm_param_value *value_of(struct wm_wrapper *wrapper, const char *name)
{
    for (int i = 0; i < wrapper->class->param_count; i++)
        if (strcmp(wrapper->class->params[i].name, name) == 0)
            return &wrapper->values[i];
    return NULL;
}

/* The stage stays where it is, and goes as `shape` if that is given. */
static void make_half(struct wm_half *half, const struct wm_path *path, const struct wm_scenario *scenario,
                      enum wm_operation operation, const struct wm_shape *shape)
{
    struct wm_wrapper *stage = &half->path.wrappers[path->stages[0]];

    half->path = *path;
    half->path.operation = operation;
    half->scenario = *scenario;
    half->scenario.operation = operation;
    half->times = wm_operation_rooted(operation) ? 2 : 1;
    half->scenario.root = wm_operation_rooted(operation) ? scenario->root : -1;
    half->scenario.each = (scenario->each + (size_t)scenario->ranks - 1) / (size_t)scenario->ranks;
    if (shape != NULL) {
        stage->class = wm_wrapper_find(wm_operation_name(operation));
        value_of(stage, "shape")->shape = (struct wm_shape *)shape;
        stage->shape = shape;
    }
    for (int i = 0; i < path->wrapper_count; i++)
        half->path.wrappers[i].service = wm_wrapper_service(half->path.wrappers[i].class, operation);
}

/* One stage, and nothing that cuts messages or holds them. */
static bool is_plain(const struct wm_path *path)
{
    for (int i = 0; i < path->wrapper_count; i++) {
        enum wm_wrapper_role role = path->wrappers[i].class->role;

        if (path->wrappers[i].stage < 0 && role != WM_ROLE_TRACE && role != WM_ROLE_VERIFY && role != WM_ROLE_NET)
            return false;
    }
    return path->stage_count == 1;
}

bool wm_halves_find(struct wm_half halves[WM_HALVES], const struct wm_path *path, const struct wm_scenario *scenario)
{
    struct wm_wrapper stage;

    if (!is_plain(path))
        return false;
    stage = path->wrappers[path->stages[0]];
    if (scenario->operation == WM_BCAST && strcmp(stage.class->name, "scatter") == 0) {
        make_half(&halves[0], path, scenario, WM_SCATTER, NULL);
        make_half(&halves[1], path, scenario, WM_ALLGATHER, value_of(&stage, "out")->shape);
        return true;
    }
    if (scenario->operation != WM_REDUCE || stage.shape == NULL || stage.shape->kind != WM_SHAPE_RING ||
        value_of(&stage, "out")->given)
        return false;
    make_half(&halves[0], path, scenario, WM_REDUCE_SCATTER_BLOCK, NULL);
    make_half(&halves[1], path, scenario, WM_GATHER, wm_shape_plain(WM_SHAPE_FLAT));
    return true;
}

int wm_halves_posted(const struct wm_sim_program *program)
{
    int most = 0;

    for (int rank = 0; rank < program->ranks; rank++) {
        const struct wm_plan *plan = program->plans[rank];
        int posted = 0;

        for (int i = 0; i < plan->root_count; i++)
            posted += plan->steps[plan->roots[i]].kind == WM_STEP_RECV;
        most = posted > most ? posted : most;
    }
    return most;
}

bool wm_halves_flow(const struct wm_sim_program *program, const struct wm_model *model)
{
    struct wm_simulation simulation = {.program = program, .model = model};

    for (size_t i = 0; i < program->first[program->ranks]; i++)
        if (program->steps[i].kind == WM_STEP_SEND && wm_simulation_asks(&simulation, (int)i))
            return false;
    return true;
}
