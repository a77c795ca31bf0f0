/* Every wrapper, shape and operation, on many grids, proved by the symbolic executor; a new wrapper is covered by
 * itself. WM_CONFORMANCE=full tries all that a few minutes allow, else a sample of it: WM_CONFORMANCE_SEED says which,
 * without it the day, so that each one draws another. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "core/path/fault.h"
#include "core/path/transport.h"
#include "tests/check.h"
#include "tools/proof/prove.h"
#include "wrappers/shapes.h"

/* Large units leave room for two arriving messages alone. */
enum { RANKS_MAX = 33, UNIT_BYTES = 8, LARGE_UNIT_BYTES = 1 << 20, FAULTS_SHOWN = 4, PAIRS_TRIED = 60 };

static const struct wm_prove_options usual = {.random_orders = 1, .seed = 1, .race_steps_max = 600};
static json_t *made_variants[WM_COLLECTIVE_COUNT][2];
static size_t proofs, refusals, gatherings;
static int faults;
static uint64_t random_state = 88172645463325252u;

/* A part of the work is enough for every day, and less under the sanitizers, which are slow: it is the same code. */
#if defined(__SANITIZE_ADDRESS__)
enum { THINNED = 48 };
#else
enum { THINNED = 36 };
#endif
static int thinned = THINNED; /* 1: WM_CONFORMANCE=full */

static int pick(int below)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (int)(random_state % (uint64_t)below);
}

/* Grids. */

enum { TOPOLOGIES = 3 };

struct site {
    struct wm_grid grid;
    char text[128];
    bool uniform;
    struct wm_arena arena;
    struct wm_topology topologies[TOPOLOGIES];
};

static void site_open(struct site *site, const char *machine, const char *spec)
{
    struct wm_place *places;
    struct wm_error error = {0};
    json_t *json = spec != NULL ? json_loads(spec, 0, NULL) : NULL;
    int ranks;

    CU_ASSERT_EQUAL_FATAL(wm_grid_parse_machine(machine, &places, &ranks, &error), 0);
    CU_ASSERT_EQUAL_FATAL(wm_grid_init(&site->grid, json, ranks, places, &error), 0);
    snprintf(site->text, sizeof site->text, "%s %s", machine, spec != NULL ? spec : "");
    site->uniform = wm_grid_uniform(&site->grid);
    site->arena = (struct wm_arena){0};
    site->topologies[0] = wm_topology_cartesian(&site->arena, ranks, (unsigned)ranks);
    site->topologies[1] = wm_topology_cartesian(&site->arena, ranks, 3);
    site->topologies[2] = wm_topology_random(&site->arena, ranks, 5, (uint64_t)ranks);
    json_decref(json);
    free(places);
}

static void site_close(struct site *site)
{
    wm_grid_release(&site->grid);
    wm_arena_release(&site->arena);
}

/* Variants of a wrapper: entries of a path, one for each combination of its parameters' values. */

static json_t *symbol(const char *word)
{
    return json_pack("{ss}", "symbol", word);
}

/* A tree for every number of members, none rooted at 0 where there is a choice: bushy, or one long chain. */
static json_t *made_parents(bool chain)
{
    json_t *trees = json_object();

    for (int size = 1; size <= RANKS_MAX; size++) {
        json_t *parents = json_array();
        char key[16];

        for (int member = 0; member < size; member++) {
            int root = size > 1 ? (chain ? size - 1 : 1) : 0, place = (member - root + size) % size;
            int above = chain ? place - 1 : (place * 7 + 3) % (place > 0 ? place : 1);

            json_array_append_new(parents, json_integer(place == 0 ? -1 : (above + root) % size));
        }
        snprintf(key, sizeof key, "%d", size);
        json_object_set_new(trees, key, parents);
    }
    return json_pack("{so, si}", "parents", trees, "procedure", chain ? 1 : 0);
}

/* The first parameter of a type, NULL: none. */
static const struct wm_param *find_param(const struct wm_wrapper_class *class, enum wm_param_type type)
{
    for (int i = 0; i < class->param_count; i++)
        if (class->params[i].type == type)
            return &class->params[i];
    return NULL;
}

static json_t *shape_values(uint32_t shapes)
{
    json_t *values = json_array();

    for (int kind = 0; kind < WM_SHAPE_COUNT; kind++) {
        if (!wm_shape_can((enum wm_shape_kind)kind, shapes))
            continue;
        if (kind == WM_SHAPE_KNOMIAL) {
            json_array_append_new(values, symbol("binomial"));
            json_array_append_new(values, json_pack("[o, i]", symbol("k-nomial"), 3));
            json_array_append_new(values, json_pack("[o, i]", symbol("k-nomial"), 5));
        } else if (kind == WM_SHAPE_TREE) {
            json_array_append_new(values, made_parents(false));
            json_array_append_new(values, made_parents(true));
        } else {
            json_array_append_new(values, symbol(wm_shape_name((enum wm_shape_kind)kind)));
            if (wm_shape_least((enum wm_shape_kind)kind) > 0)
                json_array_append_new(values, json_pack("[o, i]", symbol(wm_shape_name((enum wm_shape_kind)kind)), 3));
        }
    }
    return values;
}

/* What a parameter may be: a list of VALUEs; null: left out. */
static json_t *param_values(const struct wm_param *param)
{
    json_t *values;

    switch (param->type) {
    case WM_PARAM_SHAPE:
        values = shape_values(param->shapes);
        if (param->fallback == NULL)
            json_array_append_new(values, json_null());
        return values;
    case WM_PARAM_CHOICE:
        values = json_array();
        for (int i = 0; param->choices[i] != NULL; i++)
            json_array_append_new(values, symbol(param->choices[i]));
        return values;
    case WM_PARAM_BYTES:
        if (param->most > 0) /* of a net, which changes no step: one will do */
            return json_pack("[I]", (json_int_t)param->least);
        return json_pack("[i, i, i]", 1, 3 * UNIT_BYTES, 7 * UNIT_BYTES);
    case WM_PARAM_COUNT:
        if (param->most > 0) /* of a network, likewise */
            return json_pack("[I]", (json_int_t)param->least);
        return json_pack("[i, i, i]", 1, 2, 8);
    case WM_PARAM_TIME:
        return json_pack("[s]", "500us");
    case WM_PARAM_PERCENT:
        return json_pack("[s]", "10%");
    case WM_PARAM_AXIS: /* of no stage */
        return json_pack("[{ss}, {ss}]", "axis", "all", "axis", "node");
    default:
        return json_pack("[n]");
    }
}

/* Each entry of `entries` with each value of the parameter: a new list in the place of the old. */
static json_t *multiply(json_t *entries, const struct wm_param *param)
{
    json_t *product = json_array(), *values = param_values(param), *entry, *value;
    size_t i, j;

    json_array_foreach (entries, i, entry)
        json_array_foreach (values, j, value) {
            json_t *more = json_deep_copy(entry);

            if (param->positional && !json_is_null(value))
                json_array_append(json_object_get(more, "arguments"), value);
            else if (!json_is_null(value))
                json_object_set(json_object_get(more, "keywords"), param->name, value);
            json_array_append_new(product, more);
        }
    json_decref(values);
    json_decref(entries);
    return product;
}

static json_t *variants_of(const struct wm_wrapper_class *class)
{
    json_t *entries = json_pack("[{ss, s[], s{}}]", "wrapper", class->name, "arguments", "keywords");

    for (int i = 0; i < class->param_count; i++)
        if ((class->params[i].type != WM_PARAM_AXIS || !wm_wrapper_is_stage(class)) &&
            (class->params[i].operations == 0 || class->params[i].operations & WM_EVERY_COLLECTIVE))
            entries = multiply(entries, &class->params[i]);
    return entries;
}

/* All variants of the stages, or else of the other wrappers that let the path go on, which serve the operation. */
static json_t *make_variants(enum wm_operation operation, bool stages)
{
    json_t *all = json_array();

    for (const struct wm_wrapper_class *const *class = wm_wrapper_classes(); *class != NULL; class ++) {
        json_t *variants;

        if (wm_wrapper_service(*class, operation) == NULL || (*class)->role == WM_ROLE_NATIVE ||
            wm_wrapper_is_stage(*class) != stages)
            continue;
        variants = variants_of(*class);
        json_array_extend(all, variants);
        json_decref(variants);
    }
    return all;
}

/* The same, made once; a new reference. */
static json_t *variants_for(enum wm_operation operation, bool stages)
{
    if (made_variants[operation][stages] == NULL)
        made_variants[operation][stages] = make_variants(operation, stages);
    return json_incref(made_variants[operation][stages]);
}

static bool has_stages(enum wm_operation operation)
{
    json_t *variants = variants_for(operation, true);
    bool some = json_array_size(variants) > 0;

    json_decref(variants);
    return some;
}

/* A stage's variant, put over an axis. */
static json_t *over(const json_t *variant, const char *axis)
{
    json_t *entry = json_copy((json_t *)variant), *arguments = json_copy(json_object_get(variant, "arguments"));

    json_array_insert_new(arguments, 0, json_pack("{ss}", "axis", axis));
    json_object_set_new(entry, "arguments", arguments);
    return entry;
}

/* Number the wrappers as places of the map, and parse. */
static struct wm_path *parse(const json_t *wrappers, enum wm_operation operation, const struct site *site,
                             struct wm_error *error)
{
    json_t *places = json_array(), *answer, *entry;
    struct wm_path *path;
    size_t i;

    json_array_foreach (wrappers, i, entry) {
        entry = json_copy(entry);
        json_object_set_new(entry, "node", json_integer((int)i + 1));
        json_object_set_new(entry, "line", json_integer((int)i + 2));
        json_object_set_new(entry, "column", json_integer(7));
        json_array_append_new(places, entry);
    }
    answer = json_pack("{sb, s[in], s{si, si}, so}", "faults", 1, "bytes", 0, "rule", "line", 1, "column", 1, "path",
                       places);
    wm_path_parse(&path, answer, operation, &site->grid, "map.scm", error);
    json_decref(answer);
    return path;
}

/* Proofs. */

static void show_fault(const json_t *wrappers, const struct wm_scenario *s, const struct site *site,
                       const struct wm_error *error)
{
    char *text;

    if (++faults > FAULTS_SHOWN)
        return;
    text = json_dumps(wrappers, JSON_COMPACT | JSON_SORT_KEYS);
    printf("\n    %s on %s: each %zu, root %d%s%s%s%s%s%s%s\n    %.600s\n    -> %s\n", wm_operation_name(s->operation),
           site->text, s->each, s->root, s->in_place ? ", in place" : "", s->commutative ? "" : ", not commutative",
           s->uneven ? ", uneven" : "", s->scattered ? ", scattered" : "", s->traced ? ", traced" : "",
           s->unshared ? ", unshared" : "",
           s->topology == NULL            ? ""
           : s->topology->of[0].cartesian ? ", cartesian"
                                          : ", graph",
           text, error->text);
    free(text);
}

/* What is being proven: told where a wrapper makes the planner abort. */
static struct {
    const json_t *wrappers;
    const struct wm_scenario *scenario;
    const struct site *site;
} at_work;

static void show_bug(int signal)
{
    (void)signal;
    faults = 0;
    if (at_work.wrappers != NULL)
        show_fault(at_work.wrappers, at_work.scenario, at_work.site, &(struct wm_error){.text = "the planner aborts"});
    fflush(stdout);
}

/* A scan goes through the ranks in the order of their coordinates, the last stage's before the others: that must be
 * rank order. */
static bool is_out_of_order(const struct wm_path *path, const struct wm_grid *grid)
{
    int axes[WM_PATH_STAGES_MAX], column[WM_PATH_STAGES_MAX], count = path->stage_count;
    int *coordinates = malloc(sizeof *coordinates * (size_t)(grid->ranks * (count + 1)));
    bool out_of_order = false;

    for (int s = 0; s < count; s++) {
        column[s] = 0;
        for (int other = 0; other < count; other++)
            column[s] += path->wrappers[path->stages[other]].axis < path->wrappers[path->stages[s]].axis;
        axes[column[s]] = path->wrappers[path->stages[s]].axis;
    }
    CU_ASSERT_EQUAL_FATAL(wm_grid_coordinates(grid, axes, count, coordinates), 0);
    for (int r = 0; r + 1 < grid->ranks; r++) {
        const int *here = &coordinates[r * count], *next = here + count;
        int s = count - 1;

        while (s > 0 && here[column[s]] == next[column[s]])
            s--;
        out_of_order = out_of_order || here[column[s]] >= next[column[s]];
    }
    free(coordinates);
    return out_of_order;
}

/* The next outer axis that the path names, -1: none. */
static int outer_axis(const struct wm_path *path, int axis)
{
    int outer = -1;

    for (int s = 0; s < path->stage_count; s++) {
        int other = path->wrappers[path->stages[s]].axis;

        outer = other < axis && other > outer ? other : outer;
    }
    return outer;
}

/* Does the stage bring ranks of different groups, such as nodes, together? */
static bool joins(const struct wm_path *path, int stage, const struct wm_grid *grid, const int *groups)
{
    int axis = path->wrappers[path->stages[stage]].axis, further = outer_axis(path, axis);
    const int *inner = axis >= 0 ? grid->axes[axis].group : NULL,
              *outer = further >= 0 ? grid->axes[further].group : NULL;

    for (int a = 0; a < grid->ranks; a++)
        for (int b = 0; b < a; b++)
            if (groups[a] != groups[b] && (inner == NULL || inner[a] != inner[b]) &&
                (outer == NULL || outer[a] == outer[b]))
                return true;
    return false;
}

static bool is_shared(const struct wm_wrapper *w)
{
    for (int v = 1; v < w->class->param_count; v++)
        if (w->class->params[v].type == WM_PARAM_SHAPE && w->values[v].shape != NULL &&
            w->values[v].shape->kind == WM_SHAPE_SHARED)
            return true;
    return false;
}

/* The stage has a shape, or a net of its own, that needs shared memory. */
static bool needs_memory(const struct wm_path *path, int stage)
{
    const struct wm_wrapper *w = &path->wrappers[path->stages[stage]];

    if (is_shared(w))
        return true;
    for (w--; w >= path->wrappers; w--)
        if (w->class->role == WM_ROLE_NET)
            return w->values[0].choice == WM_CHOOSE_SHM;
    return false;
}

/* The stage writes into shared memory what a delay around it ought to hold. */
static bool evades_delay(const struct wm_path *path, const struct wm_grid *grid, int stage)
{
    const struct wm_wrapper *w = &path->wrappers[path->stages[stage]], *delay = wm_path_delay(path);
    struct wm_lag lag;

    if (delay == NULL || delay > w || !is_shared(w))
        return false;
    lag = wm_lag_of(delay);
    return joins(path, stage, grid, wm_lag_groups(&lag, grid));
}

/* The stage writes into shared memory what a fault around it ought to spoil. */
static bool evades_fault(const struct wm_path *path, int stage)
{
    const struct wm_wrapper *w = &path->wrappers[path->stages[stage]], *fault = wm_path_fault(path);

    return fault != NULL && wm_wrapper_spoils(fault) && fault < w && is_shared(w);
}

/* Must this path be refused on this grid? Shared memory needs groups within a node, and a stage that is no fold uniform
 * ones, unless it is the last. */
static bool is_refused(const struct wm_path *path, const struct site *site)
{
    if ((WM_SCAN_BITS & WM_OPERATION_BIT(path->operation)) && !path->native && is_out_of_order(path, &site->grid))
        return true;
    for (int s = 0; s < path->stage_count; s++)
        if (evades_delay(path, &site->grid, s) || evades_fault(path, s) ||
            (needs_memory(path, s) && joins(path, s, &site->grid, site->grid.node)))
            return true;
    if (WM_SCAN_BITS & WM_OPERATION_BIT(path->operation))
        return false;
    for (int s = 0; !site->uniform && s + 1 < path->stage_count; s++)
        if (path->wrappers[path->stages[s]].service->stage != WM_STAGE_FOLD)
            return true;
    return false;
}

/* On a ragged grid, who leads the folds before a stage decides whether its groups span nodes. */
static bool may_be_refused(const struct wm_path *path, const struct site *site, const struct wm_proof *proof)
{
    bool needed = false;

    for (int s = 0; s < path->stage_count; s++)
        needed = needed || needs_memory(path, s);
    return needed && !site->uniform && proof->outcome == WM_REFUSED &&
           (strstr(proof->error.text, "of different nodes") != NULL ||
            strstr(proof->error.text, "'delay' at line") != NULL);
}

static void prove_call(const struct wm_path *path, const json_t *wrappers, const struct site *site,
                       const struct wm_scenario *scenario)
{
    struct wm_proof proof;
    bool refused = is_refused(path, site), right;

    at_work.wrappers = wrappers, at_work.scenario = scenario, at_work.site = site;
    wm_prove(&proof, path, &site->grid, scenario, &usual);
    at_work.wrappers = NULL;
    refused = refused || may_be_refused(path, site, &proof);
    right = proof.outcome == (refused ? WM_REFUSED : WM_PROVEN);
    if (refused && right)
        right = proof.error.code == -WM_EPATH &&
                (strstr(proof.error.text, "this grid is ragged") != NULL ||
                 strstr(proof.error.text, "dealt out otherwise") != NULL ||
                 strstr(proof.error.text, "of different nodes") != NULL ||
                 strstr(proof.error.text, "'delay' at line") != NULL ||
                 strstr(proof.error.text, "cannot reach what ranks write") != NULL) &&
                proof.error.line >= 2 && proof.error.column == 7;
    refusals += refused;
    gatherings += proof.shared_steps;
    proofs++;
    if (!right)
        show_fault(wrappers, scenario, site, &proof.error);
}

/* Around the number of ranks where data is whole, and shares of it are cut; a few where it is blocks. */
static size_t some_count(enum wm_operation operation, int ranks, int which)
{
    const size_t p = (size_t)ranks, whole[] = {p, 1, 0, 17, p + 1, p - 1, 2, 2 * p + 3}, blocks[] = {1, 3, 0, 2};

    return wm_operation_data(operation) == WM_DATA_WHOLE ? whole[which % 8] : blocks[which % 4];
}

/* The particulars of a call, as bits of its kind. */
enum { IN_PLACE = 1, ORDERED = 2, UNEVEN = 4, KINDS = 8 };

/* Does an operation have calls of this kind? */
static bool has_kind(enum wm_operation operation, int kind)
{
    return (!(kind & IN_PLACE) || wm_operation_in_place(operation)) &&
           (!(kind & ORDERED) || (wm_operation_combines(operation) && operation != WM_BARRIER)) &&
           (!(kind & UNEVEN) || wm_operation_takes_vectors(operation));
}

static struct wm_scenario make_scenario(enum wm_operation operation, const struct site *site, int root, int which,
                                        int kind)
{
    return (struct wm_scenario){
        .operation = operation,
        .root = wm_operation_rooted(operation) ? root : -1,
        .each = some_count(operation, site->grid.ranks, which),
        .unit_bytes = which % 2 ? UNIT_BYTES : LARGE_UNIT_BYTES,
        .in_place = kind & IN_PLACE,
        .commutative = !(kind & ORDERED),
        .uneven = kind & UNEVEN,
        .scattered = kind & UNEVEN,
        .unshared = which % 4 == 3,
        .seed = (uint64_t)(which + 8 * root + 64 * site->grid.ranks),
        .topology = wm_operation_data(operation) == WM_DATA_EDGES ? &site->topologies[which % TOPOLOGIES] : NULL,
    };
}

/* A call of random particulars. */
static struct wm_scenario some_scenario(enum wm_operation operation, const struct site *site)
{
    struct wm_scenario scenario;
    int kind;

    do
        kind = pick(KINDS);
    while (!has_kind(operation, kind));
    scenario = make_scenario(operation, site, pick(site->grid.ranks), pick(24), kind);
    scenario.traced = pick(2);
    return scenario;
}

static void prove_some(const json_t *wrappers, enum wm_operation operation, const struct site *site, int calls)
{
    struct wm_error error = {0};
    struct wm_path *path = parse(wrappers, operation, site, &error);

    for (int i = 0; path != NULL && i < calls; i++) {
        struct wm_scenario scenario = some_scenario(operation, site);

        prove_call(path, wrappers, site, &scenario);
    }
    if (path == NULL)
        show_fault(wrappers, &(struct wm_scenario){.operation = operation}, site, &error);
    wm_path_free(path);
}

/* All roots, counts, places of the data and kinds of operator, up to 9 ranks; above that each root class with some. */
static void prove_all_calls(const struct wm_path *path, const json_t *wrappers, const struct site *site)
{
    int ranks = site->grid.ranks, step = ranks <= 9 ? 1 : (ranks + 2) / 3;

    for (int root = 0; root < (wm_operation_rooted(path->operation) ? ranks : 1); root += step)
        for (int which = 0; which < (path->operation == WM_BARRIER ? 1 : 8); which++)
            for (int kind = 0; kind < KINDS; kind++) {
                struct wm_scenario scenario;

                if (!has_kind(path->operation, kind) || (ranks > 4 && (which + root + kind) % 3 != 0) ||
                    (ranks > 2 && pick(thinned) != 0) || (ranks > 9 && pick(4) != 0))
                    continue;
                scenario = make_scenario(path->operation, site, root, which, kind);
                prove_call(path, wrappers, site, &scenario);
            }
}

static void check_faults(void)
{
    printf("(%zu proofs, %zu refusals, %zu shared steps) ", proofs, refusals, gatherings);
    CU_ASSERT_EQUAL(faults, 0);
    CU_ASSERT(proofs > 0);
    faults = 0;
    proofs = refusals = gatherings = 0;
}

static void one_axis(enum wm_operation operation, const struct site *site)
{
    json_t *variants = variants_for(operation, true), *variant;
    size_t i;

    json_array_foreach (variants, i, variant) {
        json_t *wrappers = json_pack("[o]", over(variant, "all"));
        struct wm_error error = {0};
        struct wm_path *path = parse(wrappers, operation, site, &error);

        if (path != NULL)
            prove_all_calls(path, wrappers, site);
        else
            show_fault(wrappers, &(struct wm_scenario){.operation = operation}, site, &error);
        wm_path_free(path);
        json_decref(wrappers);
    }
    json_decref(variants);
}

static void conformance__one_stage_over_all_ranks(void)
{
    for (int ranks = 1; ranks <= RANKS_MAX; ranks++) {
        struct site site;
        char machine[32];

        snprintf(machine, sizeof machine, "core=%d", ranks);
        site_open(&site, machine, NULL);
        for (int operation = 0; operation < WM_COLLECTIVE_COUNT; operation++)
            one_axis((enum wm_operation)operation, &site);
        site_close(&site);
    }
    CU_ASSERT(gatherings > 0);
    check_faults();
}

/* Paths of one random variant an axis, the axes in any order. */
static json_t *random_stages(const json_t *variants, const char *const *axes, int count)
{
    json_t *wrappers = json_array();

    for (int i = 0; i < count; i++) {
        const json_t *variant = json_array_get(variants, (size_t)pick((int)json_array_size(variants)));

        json_array_insert_new(wrappers, (size_t)pick(i + 1), over(variant, axes[i]));
    }
    return wrappers;
}

static const char *const two_levels[] = {
    "node=2,core=2",
    "node=3,core=2",
    "node=2,core=5",
    "node=5,core=3",
    "node=4,core=4",
    "node=1,core=4",
    "node=4,core=1",
    "node=3,core=3,order=cyclic",
    "node=2,core=4,order=cyclic",
    "node=2,core=4+2",
    "node=3,core=1+3+2",
    "node=3,core=2+4+1,order=cyclic",
    "node=4,core=3+1,order=cyclic",
    "node=2,core=1+5",
};

/* Every two variants after one another, in both orders, each pair on some of the grids. */
static void two_axes(enum wm_operation operation, const struct site *site, const char *outer, const char *inner,
                     int every)
{
    json_t *variants = variants_for(operation, true), *first, *second;
    size_t i, j, pairs = json_array_size(variants) * json_array_size(variants);

    if (thinned > 1 && pairs / PAIRS_TRIED > (size_t)every)
        every = (int)(pairs / PAIRS_TRIED);
    json_array_foreach (variants, i, first)
        json_array_foreach (variants, j, second) {
            json_t *wrappers;

            if (pick(every) != 0)
                continue;
            wrappers = json_pack("[o, o]", over(first, outer), over(second, inner));
            prove_some(wrappers, operation, site, 2);
            json_decref(wrappers);
        }
    json_decref(variants);
}

static void conformance__two_levels(void)
{
    for (size_t g = 0; g < sizeof two_levels / sizeof *two_levels; g++)
        for (int operation = 0; operation < WM_COLLECTIVE_COUNT; operation++) {
            struct site site;

            site_open(&site, two_levels[g], NULL);
            two_axes((enum wm_operation)operation, &site, "node", "core", 6 * thinned);
            two_axes((enum wm_operation)operation, &site, "core", "node", 6 * thinned);
            site_close(&site);
        }
    check_faults();
}

static const struct {
    const char *machine, *spec;
} three_levels[] = {
    {"node=4,core=2",
     "[{\"axis\":\"cluster\",\"hosts\":[[\"node0\",\"node1\"],[\"node*\"]]},{\"axis\":\"node\"},{\"axis\":\"core\"}]"},
    {"node=6,core=2",
     "[{\"axis\":\"cluster\",\"hosts\":[[\"node[024]\"],[\"node*\"]]},{\"axis\":\"node\"},{\"axis\":\"core\"}]"},
    {"node=4,core=3,order=cyclic",
     "[{\"axis\":\"cluster\",\"hosts\":[[\"node0\",\"node2\"],[\"node*\"]]},{\"axis\":\"node\"},{\"axis\":\"core\"}]"},
    {"node=3,core=4",
     "[{\"axis\":\"cluster\",\"hosts\":[[\"node0\"],[\"node*\"]]},{\"axis\":\"node\"},{\"axis\":\"core\"}]"},
    {"node=5,core=3+1+2,order=cyclic",
     "[{\"axis\":\"cluster\",\"hosts\":[[\"node1\",\"node4\"],[\"node*\"]]},{\"axis\":\"node\"},{\"axis\":\"core\"}]"},
    {"core=24", "[{\"axis\":\"cluster\",\"count\":2},{\"axis\":\"node\",\"count\":3},{\"axis\":\"core\",\"count\":4}]"},
    {"core=8", "[{\"axis\":\"cluster\",\"ranks\":[[0,5,6,3],[1,2,7,4]]},{\"axis\":\"node\",\"ranks\":[[0,6],[5,3],[1,7]"
               ",[4,2]]},{\"axis\":\"core\"}]"},
};

static const char *const three_axes[] = {"cluster", "node", "core"};

static void conformance__three_levels(void)
{
    for (size_t g = 0; g < sizeof three_levels / sizeof *three_levels; g++)
        for (int operation = 0; operation < WM_COLLECTIVE_COUNT; operation++) {
            json_t *variants = variants_for((enum wm_operation)operation, true);
            struct site site;

            site_open(&site, three_levels[g].machine, three_levels[g].spec);
            for (int i = 0; has_stages((enum wm_operation)operation) && i < 500 / thinned; i++) {
                json_t *wrappers = random_stages(variants, three_axes, 3);

                prove_some(wrappers, (enum wm_operation)operation, &site, 2);
                json_decref(wrappers);
            }
            site_close(&site);
            json_decref(variants);
        }
    check_faults();
}

/* Four axes of the machine itself, and two of them left out. */
static void conformance__sockets_named_and_not_named(void)
{
    static const char *const axes[] = {"node", "socket", "core"};
    struct site site;

    site_open(&site, "node=2,socket=2,core=6", NULL);
    for (int operation = 0; operation < WM_COLLECTIVE_COUNT; operation++) {
        json_t *variants = variants_for((enum wm_operation)operation, true);

        for (int i = 0; json_array_size(variants) > 0 && i < 300 / thinned; i++) {
            json_t *wrappers = random_stages(variants, axes, 3);

            prove_some(wrappers, (enum wm_operation)operation, &site, 2);
            json_decref(wrappers);
        }
        json_decref(variants);
    }
    site_close(&site);
    check_faults();
}

/* Each other wrapper (segment, trace, remote, …) in each variant at every place of a path. */
static void insert_everywhere(enum wm_operation operation, const struct site *site, const json_t *wrappers)
{
    json_t *others = variants_for(operation, false), *other;
    size_t i;

    json_array_foreach (others, i, other)
        for (size_t at = 0; at <= json_array_size(wrappers); at++) {
            json_t *more = json_copy((json_t *)wrappers);

            json_array_insert(more, at, other);
            prove_some(more, operation, site, 1);
            json_decref(more);
        }
    json_decref(others);
}

static const struct {
    const char *machine;
    int axis_count;
    const char *axes[2];
} inserted_grids[] = {
    {"core=1", 1, {"all"}},
    {"core=2", 1, {"all"}},
    {"core=3", 1, {"all"}},
    {"core=5", 1, {"all"}},
    {"core=8", 1, {"all"}},
    {"core=9", 1, {"all"}},
    {"node=2,core=3", 2, {"node", "core"}},
    {"node=3,core=2,order=cyclic", 2, {"node", "core"}},
    {"node=3,core=3+1+2", 2, {"node", "core"}},
    {"node=4,core=4", 2, {"node", "core"}},
};

static void conformance__other_wrappers_at_every_place(void)
{
    for (size_t g = 0; g < sizeof inserted_grids / sizeof *inserted_grids; g++)
        for (int operation = 0; operation < WM_COLLECTIVE_COUNT; operation++) {
            json_t *variants = variants_for((enum wm_operation)operation, true);
            struct site site;

            site_open(&site, inserted_grids[g].machine, NULL);
            for (int i = 0; json_array_size(variants) > 0 && i < 60 / thinned; i++) {
                json_t *wrappers = random_stages(variants, inserted_grids[g].axes, inserted_grids[g].axis_count);

                insert_everywhere((enum wm_operation)operation, &site, wrappers);
                json_decref(wrappers);
            }
            site_close(&site);
            json_decref(variants);
        }
    check_faults();
}

/* Two of the other wrappers at once; two segments are refused, which tests/core/path/test_path.c has. */
static void conformance__segment_and_trace_together(void)
{
    static const char *const axes[] = {"node", "core"};

    for (size_t g = 0; g < sizeof two_levels / sizeof *two_levels; g++) {
        struct site site;

        site_open(&site, two_levels[g], NULL);
        for (int i = 0; i < 200 / thinned; i++) {
            static const enum wm_operation segmented[] = {WM_BCAST, WM_REDUCE, WM_ALLREDUCE};
            enum wm_operation operation = segmented[pick(3)];
            json_t *variants = variants_for(operation, true), *wrappers = random_stages(variants, axes, 2);

            json_array_insert_new(wrappers, (size_t)pick(3),
                                  json_pack("{ss, s[i], s{si}}", "wrapper", "segment", "arguments",
                                            UNIT_BYTES * (1 + pick(3)), "keywords", "window", 1 + pick(3)));
            for (int t = 0; t < 3; t++)
                json_array_insert_new(wrappers, (size_t)pick(4 + t), json_pack("{ss}", "wrapper", "trace"));
            prove_some(wrappers, operation, &site, 3);
            json_decref(wrappers);
            json_decref(variants);
        }
        site_close(&site);
    }
    check_faults();
}

/* Trees written out, for groups of exactly their size; for others the layout refuses them. */
static void conformance__written_trees(void)
{
    static const struct {
        int size;
        const char *tree;
    } trees[] = {
        {1, "[0]"},
        {4, "[0, [1, [3]], [2]]"},
        {4, "[3, [2, [1, [0]]]]"},
        {5, "[2, 0, [4, 1, 3]]"},
        {6, "[5, [0, [3, [1, 4], 2]]]"},
    };

    for (size_t t = 0; t < sizeof trees / sizeof *trees; t++)
        for (int operation = 0; operation < WM_COLLECTIVE_COUNT; operation++)
            for (const struct wm_wrapper_class *const *class = wm_wrapper_classes(); *class != NULL; class ++) {
                char machine[64], axis[8];
                json_t *entry, *wrappers;
                struct site site;

                const struct wm_param *shape = find_param(*class, WM_PARAM_SHAPE);

                if (wm_wrapper_service(*class, operation) == NULL || !wm_wrapper_is_stage(*class) || shape == NULL ||
                    !wm_shape_can(WM_SHAPE_TREE, shape->shapes))
                    continue;
                strcpy(axis, t % 2 == 0 ? "all" : "core");
                snprintf(machine, sizeof machine, t % 2 == 0 ? "core=%d" : "node=3,core=%d,order=cyclic",
                         trees[t].size);
                site_open(&site, machine, NULL);
                entry = json_pack("{ss, s[{ss}], s{s{so}}}", "wrapper", (*class)->name, "arguments", "axis", axis,
                                  "keywords", "shape", "tree", json_loads(trees[t].tree, 0, NULL));
                wrappers = json_pack("[O]", entry);
                if (t % 2 == 1)
                    json_array_insert_new(
                        wrappers, (size_t)pick(2),
                        json_pack("{ss, s[{ss}]}", "wrapper", (*class)->name, "arguments", "axis", "node"));
                prove_some(wrappers, (enum wm_operation)operation, &site, 40);
                json_decref(entry);
                json_decref(wrappers);
                site_close(&site);
            }
    check_faults();
}

static void conformance__a_tree_of_another_size_is_refused(void)
{
    struct site site;
    struct wm_error error = {0};
    json_t *wrappers = json_loads("[{\"wrapper\":\"reduce\",\"arguments\":[{\"axis\":\"all\"}],"
                                  "\"keywords\":{\"shape\":{\"tree\":[0,1,2]}}}]",
                                  0, NULL);
    struct wm_scenario scenario = {
        .operation = WM_ALLREDUCE, .each = 9, .unit_bytes = 8, .root = -1, .commutative = true};
    struct wm_path *path;
    struct wm_proof proof;

    site_open(&site, "core=4", NULL);
    path = parse(wrappers, WM_ALLREDUCE, &site, &error);
    CU_ASSERT_PTR_NOT_NULL_FATAL(path);
    CU_ASSERT_EQUAL(wm_prove(&proof, path, &site.grid, &scenario, &usual), WM_REFUSED);
    CU_ASSERT_STRING_EQUAL(proof.error.text, "the tree of 'reduce' names 3 members, but a group of axis 'all' has 4; "
                                             "write a tree for that number, or a procedure");
    CU_ASSERT_EQUAL(proof.error.line, 2);
    wm_path_free(path);
    json_decref(wrappers);
    site_close(&site);
}

/* `native` behind each of the other wrappers that may stand before it: one native step, within the marks. */
static void conformance__native_ends_any_operation(void)
{
    struct site site;

    site_open(&site, "node=2,core=2", NULL);
    for (int operation = 0; operation < WM_COLLECTIVE_COUNT; operation++) {
        json_t *wrappers = json_pack("[{ss}, {ss}]", "wrapper", "trace", "wrapper", "native");

        prove_some(wrappers, (enum wm_operation)operation, &site, 4);
        json_decref(wrappers);
    }
    site_close(&site);
    check_faults();
}

/* The records say all that the map's checker and the manual need. */
/* The row of a shape has what an ability of enum wm_shape_ability needs. */
static bool has_slots(const struct wm_shape_class *row, enum wm_shape_ability ability)
{
    switch (ability) {
    case WM_SHAPE_COMBINES:
        return row->combine != NULL && row->scatter != NULL;
    case WM_SHAPE_SPREADS:
    case WM_SHAPE_RETURNS:
        return row->spread != NULL;
    case WM_SHAPE_DEALS:
        return row->scatter != NULL && row->gather != NULL && row->spread != NULL;
    case WM_SHAPE_COMBINES_ALL:
        return row->combine_all != NULL;
    case WM_SHAPE_MEETS:
        return row->meet != NULL;
    case WM_SHAPE_COMBINES_SHARES:
        return row->combine_shares != NULL && row->spread_shares != NULL;
    case WM_SHAPE_SPREADS_SHARES:
        return row->spread_shares != NULL && row->gather_shares != NULL;
    case WM_SHAPE_SCANS:
        return row->scan != NULL;
    case WM_SHAPE_EXCHANGES:
        return row->exchange != NULL;
    case WM_SHAPE_IS_TREE: /* tests/core/path/test_shape.c */
    case WM_SHAPE_IS_DIRECT:
    case WM_SHAPE_NEIGHBOURS:
        return true;
    }
    return false;
}

static void conformance__shapes_can_what_they_say(void)
{
    for (int kind = 0; kind < WM_SHAPE_COUNT; kind++) {
        int abilities = 0;

        for (uint32_t ability = 1; ability <= WM_SHAPE_NEIGHBOURS; ability *= 2)
            if (wm_shape_can((enum wm_shape_kind)kind, ability)) {
                const struct wm_shape_class *row =
                    wm_shape_class(&(struct wm_shape){.kind = (enum wm_shape_kind)kind}, ability);

                CU_ASSERT_TRUE(has_slots(row, (enum wm_shape_ability)ability));
                abilities++;
            }
        CU_ASSERT_TRUE(abilities > 0);
    }
}

static void conformance__class_records_are_complete(void)
{
    for (const struct wm_wrapper_class *const *class = wm_wrapper_classes(); *class != NULL; class ++) {
        const struct wm_wrapper_class *c = *class;

        CU_ASSERT(c->name != NULL && c->summary != NULL && c->source != NULL && wm_wrapper_operations(c) != 0);
        CU_ASSERT(c->param_count <= WM_PARAMS_MAX);
        CU_ASSERT_PTR_EQUAL(wm_wrapper_find(c->name), c);
        CU_ASSERT(!wm_wrapper_is_stage(c) || find_param(c, WM_PARAM_AXIS) != NULL);
        for (int i = 0; i < c->param_count; i++) {
            CU_ASSERT(c->params[i].name != NULL && c->params[i].help != NULL);
            CU_ASSERT(c->params[i].type != WM_PARAM_CHOICE || c->params[i].choices != NULL);
            CU_ASSERT(c->params[i].type != WM_PARAM_SHAPE || c->params[i].shapes != 0);
        }
    }
}

static void release_variants(void)
{
    for (int operation = 0; operation < WM_COLLECTIVE_COUNT; operation++)
        for (int stages = 0; stages < 2; stages++)
            json_decref(made_variants[operation][stages]);
}

static const struct check_case cases[] = {
    CASE(conformance__shapes_can_what_they_say),
    CASE(conformance__class_records_are_complete),
    CASE(conformance__one_stage_over_all_ranks),
    CASE(conformance__two_levels),
    CASE(conformance__three_levels),
    CASE(conformance__sockets_named_and_not_named),
    CASE(conformance__other_wrappers_at_every_place),
    CASE(conformance__segment_and_trace_together),
    CASE(conformance__written_trees),
    CASE(conformance__a_tree_of_another_size_is_refused),
    CASE(conformance__native_ends_any_operation),
};

int main(void)
{
    const char *wanted = getenv("WM_CONFORMANCE"), *chosen = getenv("WM_CONFORMANCE_SEED");
    uint64_t seed = chosen != NULL ? strtoull(chosen, NULL, 10) : (uint64_t)time(NULL) / 86400;
    int failed;

    printf("WM_CONFORMANCE_SEED=%llu\n", (unsigned long long)seed);
    random_state ^= seed << 16;
    if (wanted != NULL && strcmp(wanted, "full") == 0)
        thinned = 1;
    signal(SIGABRT, show_bug);
    failed = check_main("conformance", cases, sizeof cases / sizeof *cases);

    release_variants();
    return failed;
}
