/* The grid: axes out of a declaration and the machine's places, and coordinates along them. */
#include "core/path/grid.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include "core/hash.h"

enum { COUNT_MAX = 1 << 24 };

#define RANKS_BEYOND (1L << 31) /* more than there can be */

/* What the machine tells, from the outermost axis inwards. A grid that ends in its cores has the optional ones
 * within a node, too. */
enum { MACHINE_AXES = 7, MACHINE_CLUSTER = 0, MACHINE_CORE = MACHINE_AXES - 1 };
static const struct {
    const char *name;
    bool optional;
} machine_axes[MACHINE_AXES] = {{"cluster", true}, {"node", false},   {"socket", true}, {"numa", true},
                                {"process", true}, {"sibling", true}, {"core", false}};

/* Sorting ranks by (outer group, key) brings those together that share a group. */
struct keyed {
    int outer, key, rank;
};

static int keyed_compare(const void *left, const void *right)
{
    const struct keyed *a = left, *b = right;

    if (a->outer != b->outer)
        return a->outer < b->outer ? -1 : 1;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->rank - b->rank;
}

/* Each rank is a group of its own there. */
static bool axis_is_single(const struct wm_grid *grid, int axis)
{
    return grid->ranks > 0 && grid->axes[axis].group[grid->ranks - 1] == grid->ranks - 1;
}

/* Number the groups in the order of their first ranks, within the groups of the outer axis. */
static int axis_number(struct wm_grid *grid, int axis, const int *keys)
{
    size_t ranks = (size_t)grid->ranks;
    struct keyed *sorted;
    int *first, *group = calloc(ranks, sizeof *group), next = 0;

    if ((grid->axes[axis].group = group) == NULL)
        return -WM_ENOMEM;
    if (axis > 0 && axis_is_single(grid, axis - 1)) {
        memcpy(group, grid->axes[axis - 1].group, sizeof *group * ranks);
        return 0;
    }
    sorted = calloc(ranks, sizeof *sorted);
    first = calloc(ranks, sizeof *first);
    if (sorted == NULL || first == NULL) {
        free(sorted);
        free(first);
        return -WM_ENOMEM;
    }
    for (int r = 0; r < grid->ranks; r++)
        sorted[r] = (struct keyed){axis > 0 ? grid->axes[axis - 1].group[r] : 0, keys[r], r};
    qsort(sorted, ranks, sizeof *sorted, keyed_compare);
    for (int i = 0; i < grid->ranks; i++) {
        bool same = i > 0 && sorted[i].outer == sorted[i - 1].outer && sorted[i].key == sorted[i - 1].key;

        first[sorted[i].rank] = same ? first[sorted[i - 1].rank] : sorted[i].rank;
    }
    for (int r = 0; r < grid->ranks; r++)
        group[r] = first[r] == r ? next++ : group[first[r]];
    free(sorted);
    free(first);
    return 0;
}

static int spec_error(const json_t *entry, struct wm_error *error)
{
    wm_error_place(error, NULL, (int)json_integer_value(json_object_get(entry, "line")),
                   (int)json_integer_value(json_object_get(entry, "column")));
    return -WM_EMAP;
}

static const char *entry_name(const json_t *entry)
{
    const char *name = json_string_value(json_object_get(entry, "axis"));

    return name != NULL ? name : "";
}

/* Ranks that stand together on the axes inside entry `index`, at most RANKS_BEYOND; 0 when one of those has no count.
 */
static long counts_inside(const json_t *spec, size_t index)
{
    long product = 1;

    for (size_t i = index + 1; i < json_array_size(spec); i++) {
        product *= json_integer_value(json_object_get(json_array_get(spec, i), "count"));
        product = product < RANKS_BEYOND ? product : RANKS_BEYOND;
    }
    return product;
}

static int keys_by_count(const json_t *spec, size_t index, int ranks, const struct wm_place *places, int *keys,
                         struct wm_error *error)
{
    const json_t *entry = json_array_get(spec, index);
    long inside = counts_inside(spec, index), count = json_integer_value(json_object_get(entry, "count"));

    if (inside == 0) {
        wm_error_set(error, -WM_EMAP, "axis '%s' has a count, but an axis inside it has none; give all of them counts",
                     entry_name(entry));
        return spec_error(entry, error);
    }
    for (int r = 0; r < ranks; r++) {
        keys[r] = (int)(places[r].world_rank / inside);
        if (index == 0 && count > 0 && keys[r] >= count) {
            wm_error_set(error, -WM_EMAP,
                         "the grid has places for %ld ranks, but the job has a rank %d; raise the counts",
                         count * inside, places[r].world_rank);
            return spec_error(entry, error);
        }
    }
    return 0;
}

static int group_of_rank(const json_t *groups, int world_rank)
{
    size_t g, i;
    json_t *group, *member;

    json_array_foreach (groups, g, group)
        json_array_foreach (group, i, member)
            if (json_integer_value(member) == world_rank)
                return (int)g;
    return -1;
}

static int group_of_host(const json_t *groups, const char *host)
{
    size_t g, i;
    json_t *group, *glob;

    json_array_foreach (groups, g, group)
        json_array_foreach (group, i, glob)
            if (json_is_string(glob) && fnmatch(json_string_value(glob), host, 0) == 0)
                return (int)g;
    return -1;
}

static int keys_by_groups(const json_t *entry, int ranks, const struct wm_place *places, int *keys,
                          struct wm_error *error)
{
    const json_t *by_rank = json_object_get(entry, "ranks"), *by_host = json_object_get(entry, "hosts");

    for (int r = 0; r < ranks; r++) {
        keys[r] =
            by_rank != NULL ? group_of_rank(by_rank, places[r].world_rank) : group_of_host(by_host, places[r].host);
        if (keys[r] >= 0)
            continue;
        if (by_rank != NULL)
            wm_error_set(error, -WM_EMAP, "rank %d is in no group of axis '%s'; add it to one", places[r].world_rank,
                         entry_name(entry));
        else
            wm_error_set(error, -WM_EMAP, "host '%s' is in no group of axis '%s'; add its name or a glob to one",
                         places[r].host, entry_name(entry));
        return spec_error(entry, error);
    }
    return 0;
}

/* The axis of the machine called `name`, or -1. */
static int machine_axis(const char *name)
{
    for (int i = 0; i < MACHINE_AXES; i++)
        if (strcmp(machine_axes[i].name, name) == 0)
            return i;
    return -1;
}

static void machine_keys(int axis, int ranks, const struct wm_place *places, int *keys)
{
    for (int r = 0; r < ranks; r++) {
        int process = places[r].process != 0 ? places[r].process : -1 - r;
        const int of_rank[MACHINE_AXES] = {
            places[r].cluster, places[r].node, places[r].socket, places[r].numa, process, r, r};

        keys[r] = of_rank[axis];
    }
}

static int keys_by_machine(const json_t *entry, int ranks, const struct wm_place *places, int *keys,
                           struct wm_error *error)
{
    int axis = machine_axis(entry_name(entry));

    if (axis >= 0) {
        machine_keys(axis, ranks, places, keys);
        return 0;
    }
    wm_error_set(error, -WM_EMAP,
                 "the machine knows no axis '%s'; give it a count, groups of ranks, or groups of host names",
                 entry_name(entry));
    return spec_error(entry, error);
}

static int entry_keys(const json_t *spec, size_t index, int ranks, const struct wm_place *places, int *keys,
                      struct wm_error *error)
{
    const json_t *entry = json_array_get(spec, index);
    bool inner_counts = index + 1 < json_array_size(spec) && counts_inside(spec, index) > 0;

    if (json_object_get(entry, "ranks") != NULL || json_object_get(entry, "hosts") != NULL)
        return keys_by_groups(entry, ranks, places, keys, error);
    if (json_object_get(entry, "count") != NULL || inner_counts)
        return keys_by_count(spec, index, ranks, places, keys, error);
    return keys_by_machine(entry, ranks, places, keys, error);
}

/* Every rank must be alone in its group of the innermost axis. */
static int check_innermost(const struct wm_grid *grid, const json_t *spec, struct wm_error *error)
{
    const struct wm_grid_axis *inner = &grid->axes[grid->axis_count - 1];

    for (int r = 0; r < grid->ranks; r++)
        if (inner->group[r] != r) {
            wm_error_set(error, -WM_EMAP,
                         "axis '%s' is the innermost of the grid, but several ranks share its groups; add an axis such "
                         "as 'core' inside it",
                         inner->name);
            return spec_error(json_array_get(spec, json_array_size(spec) - 1), error);
        }
    return 0;
}

static int spec_check(const json_t *spec, struct wm_error *error)
{
    size_t i, j;
    json_t *entry;

    if (!json_is_array(spec) || json_array_size(spec) == 0 || json_array_size(spec) > WM_GRID_AXES_MAX) {
        wm_error_set(error, -WM_EMAP, "a grid has 1 to %d axes", WM_GRID_AXES_MAX);
        return spec_error(json_array_get(spec, WM_GRID_AXES_MAX), error);
    }
    json_array_foreach (spec, i, entry) {
        const json_t *count = json_object_get(entry, "count");

        for (j = 0; j < i; j++)
            if (strcmp(entry_name(entry), entry_name(json_array_get(spec, j))) == 0) {
                wm_error_set(error, -WM_EMAP, "axis '%s' stands twice in the grid", entry_name(entry));
                return spec_error(entry, error);
            }
        if (strcmp(entry_name(entry), "all") == 0 || strlen(entry_name(entry)) >= WM_AXIS_NAME_CHARS) {
            wm_error_set(error, -WM_EMAP, "an axis cannot be called '%s'", entry_name(entry));
            return spec_error(entry, error);
        }
        if (count != NULL && (json_integer_value(count) < 1 || json_integer_value(count) > COUNT_MAX)) {
            wm_error_set(error, -WM_EMAP, "axis '%s' needs a count from 1 to %d", entry_name(entry), COUNT_MAX);
            return spec_error(entry, error);
        }
    }
    return 0;
}

/* The declaration with the machine's optional axes put before a `core` that the machine tells; a new reference. */
static json_t *spec_complete(const json_t *spec)
{
    json_t *full = json_copy((json_t *)spec);
    size_t last = json_array_size(full) - 1;
    const json_t *core = json_array_get(full, last);

    if (machine_axis(entry_name(core)) != MACHINE_CORE || json_object_get(core, "count") != NULL)
        return full;
    for (int i = 0; i < MACHINE_AXES; i++) {
        bool wanted = machine_axes[i].optional && i != MACHINE_CLUSTER && json_array_size(full) < WM_GRID_AXES_MAX;
        size_t j;
        json_t *entry;

        json_array_foreach (full, j, entry)
            wanted = wanted && machine_axis(entry_name(entry)) != i;
        if (wanted)
            json_array_insert_new(full, last++, json_pack("{ss, sb}", "axis", machine_axes[i].name, "optional", 1));
    }
    return full;
}

static int add_axis(struct wm_grid *grid, const char *name, bool optional, const int *keys)
{
    struct wm_grid_axis *axis = &grid->axes[grid->axis_count];

    strncpy(axis->name, name, sizeof axis->name - 1);
    axis->optional = optional;
    return axis_number(grid, grid->axis_count++, keys);
}

/* Without a declaration: what the machine tells. */
static int add_default(struct wm_grid *grid, const struct wm_place *places, int *keys)
{
    int rc = 0;

    for (int i = 0; rc == 0 && i < MACHINE_AXES; i++) {
        machine_keys(i, grid->ranks, places, keys);
        rc = add_axis(grid, machine_axes[i].name, machine_axes[i].optional, keys);
    }
    return rc;
}

static int add_declared(struct wm_grid *grid, const json_t *spec, const struct wm_place *places, int *keys,
                        struct wm_error *error)
{
    json_t *full, *entry;
    int rc = spec_check(spec, error);
    size_t i;

    if (rc < 0)
        return rc;
    full = spec_complete(spec);
    json_array_foreach (full, i, entry) {
        rc = entry_keys(full, i, grid->ranks, places, keys, error);
        if (rc == 0)
            rc = add_axis(grid, entry_name(entry), json_is_true(json_object_get(entry, "optional")), keys);
        if (rc < 0)
            break;
    }
    if (rc == 0)
        rc = check_innermost(grid, full, error);
    json_decref(full);
    return rc;
}

int wm_grid_init(struct wm_grid *grid, const json_t *spec, int ranks, const struct wm_place *places,
                 struct wm_error *error)
{
    int *keys = calloc((size_t)ranks, sizeof *keys), rc = -WM_ENOMEM;

    memset(grid, 0, sizeof *grid);
    grid->ranks = ranks;
    grid->node = malloc(sizeof *grid->node * (size_t)(ranks > 0 ? ranks : 1));
    for (int r = 0; keys != NULL && grid->node != NULL && r < ranks; r++)
        grid->node[r] = places[r].node;
    if (keys != NULL && grid->node != NULL)
        rc = spec == NULL || json_is_null(spec) ? add_default(grid, places, keys)
                                                : add_declared(grid, spec, places, keys, error);
    if (rc < 0)
        wm_grid_release(grid);
    free(keys);
    return rc;
}

void wm_grid_release(struct wm_grid *grid)
{
    for (int i = 0; i < WM_GRID_AXES_MAX; i++)
        free(grid->axes[i].group);
    free(grid->node);
    memset(grid, 0, sizeof *grid);
}

int wm_grid_axis_find(const struct wm_grid *grid, const char *name)
{
    if (strcmp(name, "all") == 0)
        return WM_AXIS_ALL;
    for (int i = 0; i < grid->axis_count; i++)
        if (strcmp(grid->axes[i].name, name) == 0)
            return i;
    return -1;
}

const char *wm_grid_axis_name(const struct wm_grid *grid, int axis)
{
    return axis == WM_AXIS_ALL ? "all" : grid->axes[axis].name;
}

/* The axis called `name` is covered, which need not be there. */
static bool is_named(const struct wm_grid *grid, const char *name, const bool *covered)
{
    int axis = wm_grid_axis_find(grid, name);

    return axis >= 0 && covered[axis];
}

bool wm_grid_axis_is_covered(const struct wm_grid *grid, int axis, const bool covered[WM_GRID_AXES_MAX])
{
    if (covered[axis] || grid->axes[axis].optional)
        return true;
    return strcmp(grid->axes[axis].name, "core") == 0 && is_named(grid, "process", covered) &&
           is_named(grid, "sibling", covered);
}

int wm_grid_group_count(const struct wm_grid *grid, int axis)
{
    int highest = -1;

    for (int r = 0; r < grid->ranks; r++)
        highest = grid->axes[axis].group[r] > highest ? grid->axes[axis].group[r] : highest;
    return highest + 1;
}

/* All groups of an axis hold as many ranks: compare each with the first. */
static bool axis_uniform(const struct wm_grid *grid, int axis)
{
    int groups = wm_grid_group_count(grid, axis);
    int *held = calloc((size_t)groups, sizeof *held);
    bool uniform = held != NULL;

    for (int r = 0; uniform && r < grid->ranks; r++)
        held[grid->axes[axis].group[r]]++;
    for (int g = 1; uniform && g < groups; g++)
        uniform = held[g] == held[0];
    free(held);
    return uniform;
}

int wm_grid_count_clusters(const struct wm_grid *grid)
{
    int axis = wm_grid_axis_find(grid, machine_axes[MACHINE_CLUSTER].name);

    return axis < 0 ? 1 : wm_grid_group_count(grid, axis);
}

bool wm_grid_uniform(const struct wm_grid *grid)
{
    int cluster = wm_grid_axis_find(grid, machine_axes[MACHINE_CLUSTER].name);

    for (int i = 0; i < grid->axis_count; i++)
        if ((!grid->axes[i].optional || i == cluster) && !axis_uniform(grid, i))
            return false;
    return true;
}

bool wm_grid_uniform_along(const struct wm_grid *grid, const int *axes, int count)
{
    for (int i = 0; i < count; i++)
        if (axes[i] != WM_AXIS_ALL && !axis_uniform(grid, axes[i]))
            return false;
    return true;
}

int wm_grid_coordinates(const struct wm_grid *grid, const int *axes, int count, int *coordinates)
{
    size_t ranks = (size_t)grid->ranks;
    int *place = malloc(ranks * sizeof *place), *members = malloc(ranks * sizeof *members);

    if (place == NULL || members == NULL) {
        free(place);
        free(members);
        return -WM_ENOMEM;
    }
    for (int i = 0; i < count; i++) {
        const int *group = axes[i] == WM_AXIS_ALL ? NULL : grid->axes[axes[i]].group;
        const int *outer = i > 0 ? grid->axes[axes[i - 1]].group : NULL;

        for (size_t r = 0; r < ranks; r++)
            place[r] = -1, members[r] = 0;
        for (int r = 0; r < grid->ranks; r++) {
            int id = group != NULL ? group[r] : r;

            if (place[id] < 0)
                place[id] = members[outer != NULL ? outer[r] : 0]++;
            coordinates[r * count + i] = place[id];
        }
    }
    free(place);
    free(members);
    return 0;
}

bool wm_grid_consecutive(const struct wm_grid *grid)
{
    int axes[WM_GRID_AXES_MAX], count = grid->axis_count;
    int *coordinates = malloc(sizeof *coordinates * (size_t)grid->ranks * (size_t)(count > 0 ? count : 1));
    bool consecutive = coordinates != NULL;

    for (int i = 0; i < count; i++)
        axes[i] = i;
    consecutive = consecutive && wm_grid_coordinates(grid, axes, count, coordinates) == 0;
    for (int r = 1; consecutive && r < grid->ranks; r++) {
        const int *here = &coordinates[r * count], *before = here - count;
        int i = 0;

        while (i + 1 < count && here[i] == before[i])
            i++;
        consecutive = count == 0 || here[i] > before[i];
    }
    free(coordinates);
    return consecutive;
}

uint64_t wm_grid_hash(const struct wm_grid *grid)
{
    uint64_t hash = wm_hash_add(WM_HASH_BEGIN, (uint64_t)grid->ranks);

    for (int r = 0; r < grid->ranks; r++)
        hash = wm_hash_add(hash, (uint64_t)grid->node[r]);
    for (int axis = 0; axis < grid->axis_count; axis++) {
        hash = wm_hash_add_text(hash, grid->axes[axis].name);
        for (int r = 0; r < grid->ranks; r++)
            hash = wm_hash_add(hash, (uint64_t)grid->axes[axis].group[r]);
    }
    return hash;
}

bool wm_grid_is_one_node(const struct wm_grid *grid)
{
    for (int r = 1; r < grid->ranks; r++)
        if (grid->node[r] != grid->node[0])
            return false;
    return true;
}

static int compare_nodes(const void *left, const void *right)
{
    const struct wm_place *a = left, *b = right;

    return (a->node > b->node) - (a->node < b->node);
}

int wm_grid_count_nodes(const struct wm_place *places, int ranks)
{
    struct wm_place *sorted = malloc(sizeof *sorted * (size_t)ranks);
    int nodes = 0;

    if (sorted == NULL)
        return 1;
    memcpy(sorted, places, sizeof *sorted * (size_t)ranks);
    qsort(sorted, (size_t)ranks, sizeof *sorted, compare_nodes);
    for (int r = 0; r < ranks; r++)
        nodes += r == 0 || sorted[r].node != sorted[r - 1].node;
    free(sorted);
    return nodes;
}
