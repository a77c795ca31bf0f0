/* A map asked about calls on a machine that one need not have. */
#include "tools/site/site.h"

#include <stdlib.h>
#include <string.h>
#include "core/map/complete.h"
#include "core/map/explain.h"
#include "tools/run/maps.h"

int wm_site_map_place(const struct wm_site_map *m, struct wm_error *error)
{
    if (error->line > 0 && error->file[0] == '\0')
        wm_error_place(error, m->file, error->line, error->column);
    if (error->line > 0 && error->excerpt[0] == '\0' && m->text != NULL)
        wm_error_quote(error, m->text, m->text_bytes);
    return error->code;
}

int wm_site_map_open(struct wm_site_map *m, const char *name, struct wm_error *error)
{
    int rc;

    *m = (struct wm_site_map){.communicator = "MPI_COMM_WORLD"};
    if ((rc = wm_maps_read(name, &m->file, &m->text, &m->text_bytes, error)) == 0 &&
        (rc = wm_maps_open(&m->map, m->file, m->text, m->text_bytes, error)) < 0)
        wm_site_map_place(m, error);
    if (rc < 0)
        wm_site_map_close(m);
    return rc;
}

void wm_site_map_close(struct wm_site_map *m)
{
    wm_map_close(m->map);
    free(m->text);
    free(m->file);
    *m = (struct wm_site_map){0};
}

/* The facts of WM_GRID_FACTS, a function each. */

static int find_ranks(const struct wm_site *s)
{
    return s->ranks;
}

static int find_nodes(const struct wm_site *s)
{
    return wm_grid_count_nodes(s->places, s->ranks);
}

static int find_clusters(const struct wm_site *s)
{
    return wm_grid_count_clusters(&s->grid);
}

static bool find_uniform(const struct wm_site *s)
{
    return wm_grid_uniform(&s->grid);
}

static bool find_consecutive(const struct wm_site *s)
{
    return wm_grid_consecutive(&s->grid);
}

static int lay_out(struct wm_site *s, const struct wm_site_map *m, struct wm_error *error)
{
    json_t *spec;
    int rc;

    spec = json_loads(wm_map_get_head(m->map)->grid_json, JSON_DECODE_ANY, NULL);
    rc = wm_grid_init(&s->grid, spec, s->ranks, s->places, error);
    json_decref(spec);
    if (rc == 0) {
        s->facts = (struct wm_facts){
#define X(field, ...) .field = find_##field(s),
            WM_GRID_FACTS(X)
#undef X
        };
        memcpy(s->facts.communicator, m->communicator, sizeof s->facts.communicator);
        memcpy(s->facts.protocol, m->protocol, sizeof s->facts.protocol);
        memcpy(s->facts.statement, m->statement, sizeof s->facts.statement);
        s->topologies[0] = wm_topology_cartesian(&s->arena, s->ranks, 3);
        s->topologies[1] = wm_topology_random(&s->arena, s->ranks, 4, 1);
    }
    return rc < 0 ? wm_site_map_place(m, error) : 0;
}

int wm_site_init(struct wm_site *s, const struct wm_site_map *m, const char *machine, struct wm_error *error)
{
    int rc;

    *s = (struct wm_site){.machine = machine};
    rc = wm_grid_parse_machine(machine, &s->places, &s->ranks, error);
    return rc < 0 ? rc : lay_out(s, m, error);
}

int wm_site_init_places(struct wm_site *s, const struct wm_site_map *m, struct wm_place *places, int ranks,
                        struct wm_error *error)
{
    *s = (struct wm_site){.machine = "that of the trace", .ranks = ranks, .places = places};
    return lay_out(s, m, error);
}

void wm_site_release(struct wm_site *s)
{
    wm_grid_release(&s->grid);
    wm_arena_release(&s->arena);
    free(s->places);
    *s = (struct wm_site){0};
}

/* The upper end of a range that the answer holds for. */
int wm_site_ask(const struct wm_site_map *m, const struct wm_site *s, const struct wm_facts *facts, bool explain,
                struct wm_site_answer *answer, struct wm_error *error)
{
    int rc;

    *answer = (struct wm_site_answer){0};
    rc = wm_map_answer(m->map, facts, explain, &s->grid, &answer->json, error);
    if (rc == 0)
        rc = wm_path_parse(&answer->path, answer->json, facts->operation, &s->grid, m->file, error);
    if (rc == 0)
        wm_explain_doubt(answer->path, m->file, m->text, m->text_bytes);
    answer->has_rule = json_is_array(json_object_get(answer->json, "path"));
    wm_validity_read(&answer->validity, answer->json);
    return rc < 0 ? wm_site_map_place(m, error) : 0;
}

void wm_site_answer_release(struct wm_site_answer *answer)
{
    json_decref(answer->json);
    wm_path_free(answer->path);
    *answer = (struct wm_site_answer){0};
}
