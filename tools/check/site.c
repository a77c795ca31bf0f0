/* waymark check: a map is asked about calls on machines that one need not have. */
#include "tools/check/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/map/complete.h"
#include "tools/run/maps.h"

/* What the pure parts refuse has a line and no file; it is the map's. */
static int place_error(const struct wm_check_map *m, struct wm_error *error)
{
    if (error->line > 0 && error->file[0] == '\0')
        wm_error_place(error, m->file, error->line, error->column);
    if (error->line > 0 && error->excerpt[0] == '\0' && m->text != NULL)
        wm_error_quote(error, m->text, m->text_bytes);
    return error->code;
}

int wm_check_map_open(struct wm_check_map *m, const char *name, struct wm_error *error)
{
    int rc;

    *m = (struct wm_check_map){0};
    if ((rc = wm_maps_read(name, &m->file, &m->text, &m->text_bytes, error)) == 0)
        rc = wm_maps_open(&m->map, m->file, m->text, m->text_bytes, error);
    if (rc < 0)
        wm_check_map_close(m);
    return rc;
}

void wm_check_map_close(struct wm_check_map *m)
{
    wm_map_close(m->map);
    free(m->text);
    free(m->file);
    *m = (struct wm_check_map){0};
}

int wm_check_site_init(struct wm_check_site *s, const struct wm_check_map *m, const char *machine,
                       struct wm_error *error)
{
    struct wm_place *places = NULL;
    json_t *spec;
    int rc;

    *s = (struct wm_check_site){.machine = machine};
    if ((rc = wm_grid_parse_machine(machine, &places, &s->ranks, error)) < 0)
        return rc;
    spec = json_loads(wm_map_get_head(m->map)->grid_json, JSON_DECODE_ANY, NULL);
    rc = wm_grid_init(&s->grid, spec, s->ranks, places, error);
    json_decref(spec);
    if (rc == 0) {
        s->facts = (struct wm_facts){.ranks = s->ranks,
                                     .nodes = wm_grid_count_nodes(places, s->ranks),
                                     .uniform = wm_grid_uniform(&s->grid),
                                     .consecutive = wm_grid_consecutive(&s->grid),
                                     .communicator = "MPI_COMM_WORLD"};
        s->topologies[0] = wm_topology_cartesian(&s->arena, s->ranks, 3);
        s->topologies[1] = wm_topology_random(&s->arena, s->ranks, 4, 1);
    }
    free(places);
    return rc < 0 ? place_error(m, error) : 0;
}

void wm_check_site_release(struct wm_check_site *s)
{
    wm_grid_release(&s->grid);
    wm_arena_release(&s->arena);
}

/* The upper end of a range that the answer holds for. */
static uint64_t read_high(const json_t *json, const char *fact)
{
    json_t *high = json_array_get(json_object_get(json, fact), 1);

    return json_is_integer(high) ? (uint64_t)json_integer_value(high) : UINT64_MAX;
}

static int parse(struct wm_check_answer *answer, json_t *json, const struct wm_check_map *m,
                 const struct wm_check_site *s, const struct wm_facts *facts, struct wm_error *error)
{
    int rc;

    answer->bytes_high = read_high(json, "bytes");
    answer->load_high = read_high(json, "load");
    if (json_is_null(json_object_get(json, "path")))
        return 0;
    rc = wm_map_complete(m->map, json, facts->operation, &s->grid, facts->root, error);
    if (rc == 0)
        rc = wm_path_parse(&answer->path, json, facts->operation, &s->grid, m->file, error);
    return rc;
}

int wm_check_ask(const struct wm_check_map *m, const struct wm_check_site *s, enum wm_operation operation,
                 uint64_t bytes, uint64_t load, int root, bool commutative, struct wm_check_answer *answer,
                 struct wm_error *error)
{
    struct wm_facts facts = s->facts;
    json_t *json;
    char *text;
    int rc;

    *answer = (struct wm_check_answer){.bytes_high = UINT64_MAX, .load_high = UINT64_MAX};
    facts.operation = operation;
    facts.bytes = bytes;
    facts.load = operation == WM_CONVEYOR ? load : 0;
    facts.root = wm_operation_rooted(operation) ? root : -1;
    facts.commutative = commutative;
    rc = wm_map_ask(m->map, &facts, &text, error);
    if (rc < 0)
        return place_error(m, error);
    json = json_loads(text, 0, NULL);
    free(text);
    if (json == NULL)
        return wm_error_set(error, -WM_ESERVER, "the map server's answer cannot be read");
    rc = parse(answer, json, m, s, &facts, error);
    json_decref(json);
    return rc < 0 ? place_error(m, error) : 0;
}
