/* Every folder of tests/specs/invalid holds a bad map and, in `error`, the exact message that it must end in.
 *
 * The map is opened, and every operation that it names is asked for 8 bytes, messages for a mebibyte, too; the answers
 * are checked on a grid of the machine that a third file, `machine`, describes (default "node=2,core=2"), as a job
 * would. */
#include <dirent.h>
#include <unistd.h>
#include "core/path/grid.h"
#include "core/plan/convey/form.h"
#include "core/map/complete.h"
#include "core/path/layout.h"
#include "core/path/message_design.h"
#include "core/path/path.h"
#include "tests/core/map/maps.h"

enum { ENDLESS_MS = 2000, OTHERS_MS = 60000, MESSAGE_CHARS = 4096 };

static const char *folder; /* of the case that runs */

/* The text of a file of the folder, or `fallback`. The caller frees it. */
static char *read_text(const char *name, const char *fallback)
{
    char path[4096], *file = NULL, *text = NULL;
    size_t bytes;

    snprintf(path, sizeof path, "%s/tests/specs/invalid/%s/%s", maps_source_dir(), folder, name);
    if (wm_map_read(path, &file, &text, &bytes, NULL) < 0)
        return fallback != NULL ? strdup(fallback) : NULL;
    free(file);
    return text;
}

static int make_grid(struct wm_grid *grid, const struct wm_map *map, struct wm_error *error)
{
    char *machine = read_text("machine", "node=2,core=2");
    json_t *spec = json_loads(wm_map_get_head(map)->grid_json, JSON_DECODE_ANY, NULL);
    struct wm_place *places = NULL;
    int ranks, rc;

    machine[strcspn(machine, "\n")] = '\0';
    rc = wm_grid_parse_machine(machine, &places, &ranks, error);
    if (rc == 0)
        rc = wm_grid_init(grid, spec, ranks, places, error);
    json_decref(spec);
    free(places);
    free(machine);
    return rc;
}

static int try_layout(const struct wm_path *path, const struct wm_grid *grid, int root, struct wm_error *error)
{
    struct wm_layout *layout = NULL;
    int rc = wm_layout_new(&layout, path, grid, root, false, error);

    wm_layout_free(layout);
    return rc;
}

static int try_route(const struct wm_path *path, const struct wm_grid *grid, struct wm_error *error)
{
    struct wm_convey_design design;
    struct wm_route *route = NULL;
    int rc = wm_convey_design_read(&design, path, error);

    if (rc == 0)
        rc = wm_convey_design_route(&design, grid, 0, &route, error);
    wm_route_free(route);
    return rc;
}

static int try_path(const struct wm_path *path, const struct wm_facts *facts, const struct wm_grid *grid,
                    struct wm_message_net *net, struct wm_error *error)
{
    return facts->operation == WM_CONVEYOR   ? try_route(path, grid, error)
           : facts->operation == WM_MESSAGES ? wm_message_design_check(path, facts->near, net, error)
                                             : try_layout(path, grid, facts->root, error);
}

/* One question, from the answer to a checked path. */
static int ask(struct wm_map *map, struct wm_facts facts, const struct wm_grid *grid, struct wm_message_net *net,
               struct wm_error *error)
{
    struct wm_path *path = NULL;
    json_t *answer;
    int rc;

    facts.ranks = grid->ranks;
    facts.nodes = 2;
    facts.uniform = wm_grid_uniform(grid);
    rc = wm_map_answer(map, &facts, false, grid, &answer, error);
    if (rc == 0)
        rc = wm_path_parse(&path, answer, facts.operation, grid, "map.scm", error);
    if (rc == 0)
        rc = try_path(path, &facts, grid, net, error);
    wm_path_free(path);
    json_decref(answer);
    return rc;
}

/* Small messages and large ones, to near peers and to others. */
static int ask_messages(struct wm_map *map, const struct wm_grid *grid, struct wm_error *error)
{
    int rc = 0;

    for (int near = 1; near >= 0; near--) {
        struct wm_message_net net = {0};

        for (int large = 0; rc == 0 && large < 2; large++) {
            struct wm_facts facts = maps_facts(WM_MESSAGES, large ? 1 << 20 : 8);

            facts.near = near;
            rc = ask(map, facts, grid, &net, error);
        }
    }
    return rc;
}

/* What a job with such a deadline would say of the map: 0 when it is fine. */
static int judge(const char *text, unsigned deadline_ms, struct wm_error *error)
{
    struct wm_map_options options = {.deadline_ms = deadline_ms};
    struct wm_grid grid;
    struct wm_map *map;
    int rc = wm_map_open(&map, "map.scm", text, strlen(text), &options, error);

    if (rc < 0)
        return rc;
    rc = make_grid(&grid, map, error);
    for (int i = 0; rc == 0 && i < WM_OPERATION_COUNT; i++)
        if (wm_map_get_head(map)->operations & WM_OPERATION_BIT(i))
            rc = i == WM_MESSAGES ? ask_messages(map, &grid, error)
                                  : ask(map, maps_facts((enum wm_operation)i, 8), &grid, NULL, error);
    if (rc < 0) {
        /* What is not the server's own message has no file and no line yet. */
        wm_error_place(error, "map.scm", error->line, error->column);
        wm_error_quote(error, text, strlen(text));
    }
    wm_grid_release(&grid);
    wm_map_close(map);
    return rc;
}

static void run_folder(void)
{
    char *text = read_text("map.scm", NULL), *expected = read_text("error", "(no file 'error')\n");
    char message[MESSAGE_CHARS] = "(no error)\n";
    struct wm_error error = {0};
    unsigned deadline_ms = strstr(expected, "this does not end") ? ENDLESS_MS : OTHERS_MS;

    CU_ASSERT_PTR_NOT_NULL_FATAL(text);
    if (judge(text, deadline_ms, &error) < 0)
        wm_error_format(&error, message, sizeof message);
    CU_ASSERT_STRING_EQUAL(message, expected);
    if (strcmp(message, expected) != 0)
        printf("\n== %s: expected\n%s== got\n%s", folder, expected, message);
    free(text);
    free(expected);
}

static int is_case(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* CUnit's cases take no argument; one case walks all folders, and names those that fail. */
static void every_invalid_map__ends_in_its_exact_message(void)
{
    struct dirent **entries;
    char path[4096];
    int count;

    snprintf(path, sizeof path, "%s/tests/specs/invalid", maps_source_dir());
    count = scandir(path, &entries, is_case, alphasort);
    CU_ASSERT_FATAL(count > 60);
    for (int i = 0; i < count; i++) {
        folder = entries[i]->d_name;
        run_folder();
        free(entries[i]);
    }
    free(entries);
    CU_ASSERT_NOT_EQUAL(access("/tmp/waymark-was-here", F_OK), 0);
}

int main(void)
{
    static const struct check_case cases[] = {CASE(every_invalid_map__ends_in_its_exact_message)};

    maps_use_build_tree();
    return check_main("invalid maps", cases, sizeof cases / sizeof cases[0]);
}
