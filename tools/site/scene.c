/* A scene: a map is asked about a call on a machine that one need not have, and every rank's plan is made. */
#include "tools/site/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/map/complete.h"
#include "core/map/map.h"
#include "tools/run/maps.h"

static int fill_facts(struct wm_scene *s, struct wm_error *error)
{
    bool rooted = wm_operation_rooted(s->question.operation);

    if (rooted && (s->question.root < 0 || s->question.root >= s->ranks))
        return wm_error_set(error, -WM_EINVAL, "there is no rank %d: the machine '%s' has %d, from 0", s->question.root,
                            s->question.machine, s->ranks);
    s->facts = (struct wm_facts){
        .operation = s->question.operation,
        .bytes = wm_operation_bytes_shared(s->question.operation) && s->question.operation != WM_BARRIER
                     ? s->question.bytes
                     : 0,
        .load = s->question.operation == WM_CONVEYOR ? s->question.load : 0,
        .ranks = s->ranks,
        .nodes = wm_grid_count_nodes(s->places, s->ranks),
        .uniform = wm_grid_uniform(&s->grid),
        .root = rooted ? s->question.root : -1,
        .commutative = s->question.commutative || !wm_operation_combines(s->question.operation) ||
                       s->question.operation == WM_BARRIER,
    };
    s->facts.crowded = s->question.crowded;
    s->facts.consecutive = wm_grid_consecutive(&s->grid);
    snprintf(s->facts.communicator, sizeof s->facts.communicator, "%s", s->question.communicator);
    return 0;
}

static int make_grid(struct wm_scene *s, const struct wm_map *map, struct wm_error *error)
{
    json_t *spec = json_loads(wm_map_get_head(map)->grid_json, JSON_DECODE_ANY, NULL);
    int rc = wm_grid_init(&s->grid, spec, s->ranks, s->places, error);

    json_decref(spec);
    return rc;
}

static void keep_explanation(const struct wm_scene *s, json_t *answer)
{
    struct wm_explained *explained = s->question.explained;

    if (explained == NULL || answer == NULL)
        return;
    *explained = (struct wm_explained){json_incref(answer), s->facts, strdup(s->file)};
}

static int ask(struct wm_scene *s, struct wm_map *map, struct wm_error *error)
{
    json_t *answer;
    char *text;
    int rc = s->question.explained != NULL ? wm_map_explain(map, &s->facts, &text, error)
                                           : wm_map_ask(map, &s->facts, &text, error);

    if (rc < 0)
        return rc;
    answer = json_loads(text, 0, NULL);
    free(text);
    keep_explanation(s, answer);
    rc = answer == NULL ? wm_error_set(error, -WM_ESERVER, "the map server's answer cannot be read") : 0;
    if (rc == 0)
        rc = wm_map_complete(map, answer, s->facts.operation, &s->grid, s->facts.root, error);
    if (rc == 0)
        rc = wm_path_parse(&s->path, answer, s->facts.operation, &s->grid, s->file, error);
    s->has_rule = !json_is_null(json_object_get(answer, "path"));
    json_decref(answer);
    return rc;
}

static void fill_scenario(struct wm_scene *s)
{
    s->scenario = wm_scenario_of(s->facts.operation, s->question.bytes);
    s->scenario.ranks = s->ranks;
    s->scenario.root = s->facts.root;
    s->scenario.commutative = s->facts.commutative;
    s->scenario.traced = true;
    if (s->facts.operation == WM_BARRIER)
        s->scenario.unit_bytes = 0;
    if (wm_operation_data(s->facts.operation) == WM_DATA_EDGES) {
        s->topology = wm_topology_cartesian(&s->arena, s->ranks, 3);
        s->scenario.topology = &s->topology;
    }
}

static int make_plans(struct wm_scene *s, struct wm_error *error)
{
    int rc = wm_layout_new(&s->layout, s->path, &s->grid, s->facts.root, !s->facts.commutative, error);
    struct wm_cast cast;
    size_t weight = 0;

    if (rc < 0 || (rc = wm_proof_fits(&s->scenario, s->ranks, error)) < 0)
        return rc;
    cast = wm_cast_make(&s->scenario, s->path, &s->arena);
    s->sizes_ahead = cast.told && !wm_operation_bytes_shared(s->facts.operation) && s->scenario.topology == NULL;
    s->plans = calloc((size_t)s->ranks, sizeof(struct wm_plan *));
    if (s->plans == NULL)
        return wm_error_set(error, -WM_ENOMEM, "no memory for the plans of %d ranks", s->ranks);
    for (int r = 0; rc == 0 && r < s->ranks; r++) {
        struct wm_plan_call call = wm_cast_call(&cast, r, &s->arena);

        rc = wm_plan_make(&s->plans[r], s->path, s->layout, &call, r, error);
        if (rc == 0)
            rc = wm_proof_weigh(&weight, s->plans, r, s->ranks, error);
    }
    return rc;
}

/* A conveyor has routes instead of plans. */
static int make_network(struct wm_scene *s, struct wm_error *error)
{
    int rc = wm_convey_design_read(&s->design, s->path, error);

    if (rc == 0)
        rc = wm_network_init(&s->network, &s->design, &s->grid, NULL, error);
    if (rc < 0)
        return rc;
    s->is_conveyor = true;
    s->form = wm_convey_form(&s->design, s->network.first, (size_t)s->question.bytes, s->question.elastic);
    return 0;
}

static int fill(struct wm_scene *s, struct wm_map **map, struct wm_error *error)
{
    int rc;

    if ((rc = wm_maps_read(s->question.map, &s->file, &s->text, &s->text_bytes, error)) < 0 ||
        (rc = wm_grid_parse_machine(s->question.machine, &s->places, &s->ranks, error)) < 0 ||
        (rc = wm_maps_open(map, s->file, s->text, s->text_bytes, error)) < 0 || (rc = make_grid(s, *map, error)) < 0 ||
        (rc = fill_facts(s, error)) < 0 || (rc = ask(s, *map, error)) < 0)
        return rc;
    if (s->facts.operation == WM_CONVEYOR)
        return s->has_rule ? make_network(s, error) : 0;
    fill_scenario(s);
    return s->path->native ? 0 : make_plans(s, error);
}

/* What the pure parts refuse has a line and no file; it is the map's. */
static void place_error(const struct wm_scene *s, struct wm_error *error)
{
    if (error->line <= 0 || s->text == NULL)
        return;
    if (error->file[0] == '\0')
        wm_error_place(error, s->file, error->line, error->column);
    if (error->excerpt[0] == '\0')
        wm_error_quote(error, s->text, s->text_bytes);
}

int wm_scene_init(struct wm_scene *s, const struct wm_map_question *question, struct wm_error *error)
{
    struct wm_map *map = NULL;
    int rc;

    *s = (struct wm_scene){.question = *question};
    rc = fill(s, &map, error);
    wm_map_close(map);
    if (rc < 0) {
        place_error(s, error);
        wm_scene_release(s);
    }
    return rc;
}

void wm_explained_release(struct wm_explained *explained)
{
    json_decref(explained->answer);
    free(explained->file);
}

void wm_scene_release(struct wm_scene *s)
{
    for (int r = 0; s->plans != NULL && r < s->ranks; r++)
        wm_plan_free(s->plans[r]);
    free(s->plans);
    wm_network_release(&s->network);
    wm_layout_free(s->layout);
    wm_path_free(s->path);
    wm_grid_release(&s->grid);
    wm_arena_release(&s->arena);
    free(s->places);
    free(s->text);
    free(s->file);
    *s = (struct wm_scene){0};
}

const struct wm_wrapper *wm_scene_wrapper(const struct wm_scene *s, int node)
{
    for (int i = 0; i < s->path->wrapper_count; i++)
        if (s->path->wrappers[i].node == node)
            return &s->path->wrappers[i];
    return NULL;
}

uint64_t wm_scene_bytes(const struct wm_scene *s, size_t units)
{
    return (uint64_t)units * s->scenario.unit_bytes;
}
