/* The time of a quotient is that of the full run, to the picosecond, at every rank: of machines, paths, sizes and
 * parameters drawn by a seed. WM_SYMMETRY_SEED is another seed, WM_SYMMETRY_DRAWS another number of draws. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/check.h"
#include "tests/fixture.h"
#include "tests/tools/proof/symmetric_paths.h"
#include "tools/predict/blame.h"
#include "tools/predict/quotient.h"
#include "tools/predict/simulation.h"
#include "tools/proof/prove.h"

enum { DRAWS = 300, RANKS_MAX = 128, FOLDED_DRAWS = 5, FOLDED_RANKS = 3500 };

struct draw {
    char machine[64];
    int path;
    struct wm_scenario scenario;
    struct wm_grid grid;
    struct wm_path *parsed;
    struct wm_layout *layout;
    struct wm_profile profile;
};

static void draw_row(struct wm_profile_row *row, int parameters, int most)
{
    for (int v = 0; v < parameters; v++)
        row->values[v].value = pick(most);
}

/* Messages of up to a limit are eager; cards and memories may be what is short. */
static void draw_profile(struct wm_profile *p)
{
    static const char *const levels[] = {"core", "node"};

    *p = (struct wm_profile){0};
    for (int net = 0; net < WM_NET_COUNT; net++)
        for (int l = 0; l < 2; l++) {
            draw_row(wm_profile_add(p, WM_PROFILE_LINK, levels[l], net, 0, 0), WM_LINK_COUNT, 300);
            draw_row(wm_profile_add(p, WM_PROFILE_MESSAGE, levels[l], net, 0, 0), WM_MESSAGE_COUNT, 20000);
        }
    draw_row(wm_profile_add(p, WM_PROFILE_HOST, "", 0, 0, 0), WM_HOST_COUNT, pick(2) == 0 ? 1 : 30000);
    draw_row(wm_profile_add(p, WM_PROFILE_ENGINE, "", 0, 0, 0), WM_ENGINE_COUNT, 50);
    draw_row(wm_profile_add(p, WM_PROFILE_KERNEL, "copy", 0, 0, 0), WM_KERNEL_COUNT, 1000);
    draw_row(wm_profile_add(p, WM_PROFILE_KERNEL, "combine", 0, 0, 0), WM_KERNEL_COUNT, 1000);
    draw_row(wm_profile_add(p, WM_PROFILE_SHARED, "*", 0, 2, 0), WM_SHARED_COUNT, 1000);
}

static void draw_call(struct draw *d, int path, int nodes, int cores)
{
    struct wm_error error = {0};

    *d = (struct draw){.path = path};
    snprintf(d->machine, sizeof d->machine, "node=%d,core=%d%s", nodes, cores, pick(3) == 0 ? ",order=cyclic" : "");
    d->scenario = (struct wm_scenario){.operation = symmetric_paths[d->path].operation,
                                       .ranks = nodes * cores,
                                       .root = -1,
                                       .each = (size_t)(1 + pick(pick(2) == 0 ? 40 : 1000)),
                                       .unit_bytes = 8,
                                       .commutative = true};
    d->scenario.unit_bytes = d->scenario.operation == WM_BARRIER ? 0 : 8;
    draw_profile(&d->profile);
    CU_ASSERT_FATAL(fixture_grid(&d->grid, d->machine));
    d->parsed = fixture_path(symmetric_paths[d->path].wrappers, d->scenario.operation, &d->grid, &error);
    CU_ASSERT_PTR_NOT_NULL_FATAL(d->parsed);
    CU_ASSERT_EQUAL_FATAL(wm_layout_new(&d->layout, d->parsed, &d->grid, -1, false, &error), 0);
}

static void draw_small(struct draw *d)
{
    static const int powers[] = {2, 4, 8, 16};
    bool even = pick(3) == 0;
    int nodes = even ? powers[pick(4)] : 1 + pick(12), cores = even ? powers[pick(3)] : 1 + pick(RANKS_MAX / nodes);

    draw_call(d, pick(SYMMETRIC_PATHS), nodes, cores);
}

static void draw_release(struct draw *d)
{
    wm_layout_free(d->layout);
    wm_path_free(d->parsed);
    wm_grid_release(&d->grid);
    wm_profile_release(&d->profile);
}

/* How it was found out. */
struct timing {
    int ranks, skips;
    size_t folds;
    int64_t end, blamed;
};

/* The end of every rank that is carried out, into ends[rank]. */
static void time_ranks(const struct draw *d, const struct wm_quotient *q, struct wm_plan **plans, int ranks,
                       int64_t *ends, struct timing *timing)
{
    struct wm_arena arena = {0};
    struct wm_sim_program program;
    struct wm_model model;
    struct wm_simulation simulation;
    struct wm_error error = {0};
    struct wm_time_blame blame;
    int *host, *alike, hosts = wm_quotient_hosts(q, ranks, &host, &alike, &arena);

    CU_ASSERT_EQUAL_FATAL(wm_program_init(&program, plans, ranks, host, hosts, d->scenario.unit_bytes, d->parsed,
                                          q->found ? &q->symmetry : NULL, &error),
                          0);
    program.alike = alike;
    CU_ASSERT_EQUAL_FATAL(wm_model_init(&model, &d->profile, &d->grid), 0);
    CU_ASSERT_EQUAL(wm_simulation_run(&simulation, &program, &model, 0, &error), 0);
    for (int r = 0; r < ranks; r++)
        ends[r] = wm_simulation_rank_end(&simulation, r, 0);
    wm_blame_walk(&blame, &simulation, d->parsed);
    *timing = (struct timing){ranks, simulation.skip_count, wm_folds_steps(&program), simulation.end, 0};
    for (int i = 0; i < blame.count; i++)
        timing->blamed += blame.parts[i].time;
    wm_simulation_release(&simulation);
    wm_model_release(&model);
    wm_program_release(&program);
    wm_arena_release(&arena);
}

static void plan_all(const struct draw *d, const struct wm_scenario *scenario, struct wm_plan **plans,
                     struct wm_arena *arena)
{
    struct wm_cast cast = wm_cast_make(scenario, d->parsed, arena);
    struct wm_error error = {0};

    for (int r = 0; r < d->grid.ranks; r++) {
        struct wm_plan_call call = wm_cast_call(&cast, r, arena);

        CU_ASSERT_EQUAL_FATAL(wm_plan_make(&plans[r], d->parsed, d->layout, &call, r, &error), 0);
    }
}

static void free_plans(struct wm_plan **plans, int ranks)
{
    for (int r = 0; r < ranks; r++)
        wm_plan_free(plans[r]);
}

/* True: it has a quotient. */
static bool compare(const struct draw *d)
{
    struct wm_plan *few[RANKS_MAX] = {NULL}, *all[RANKS_MAX] = {NULL};
    int64_t one[RANKS_MAX], each[RANKS_MAX];
    struct wm_arena arena = {0};
    struct wm_error error = {0};
    struct timing timing;
    struct wm_quotient q = {.path = d->parsed,
                            .grid = &d->grid,
                            .layout = d->layout,
                            .scenario = d->scenario,
                            .steps_max = WM_PROOF_STEPS_MAX},
                       none = q;
    int step, wrong = -1;

    CU_ASSERT_EQUAL_FATAL(wm_quotient_find(&q, few, &arena, &error), 0);
    if (q.found) {
        step = q.symmetry.step;
        CU_ASSERT(q.bounds || q.scenario.each == d->scenario.each);
        plan_all(d, &q.scenario, all, &arena);
        time_ranks(d, &q, few, step, one, &timing);
        time_ranks(d, &none, all, d->grid.ranks, each, &timing);
        for (int r = 0; r < d->grid.ranks && wrong < 0; r++)
            wrong = each[r] != one[r % step] ? r : -1;
        if (wrong >= 0)
            printf("\n    %s of %zu units on %s: rank %d ends at %lld, its representative of %d at %lld\n",
                   symmetric_paths[d->path].wrappers, q.scenario.each, d->machine, wrong, (long long)each[wrong], step,
                   (long long)one[wrong % step]);
        CU_ASSERT_EQUAL(wrong, -1);
        free_plans(few, step);
        free_plans(all, d->grid.ranks);
    }
    wm_arena_release(&arena);
    return q.found && q.symmetry.step < d->grid.ranks;
}

static void quotient__takes_what_the_full_run_takes(void)
{
    const char *seed = getenv("WM_SYMMETRY_SEED"), *drawn = getenv("WM_SYMMETRY_DRAWS");
    int found = 0, count = drawn != NULL ? atoi(drawn) : DRAWS;

    state = seed != NULL ? strtoull(seed, NULL, 10) : 1;
    for (int i = 0; i < count; i++) {
        struct draw d;

        draw_small(&d);
        found += compare(&d);
        draw_release(&d);
    }
    printf(" %d of %d", found, count);
    CU_ASSERT(found > count / 2);
}

/* Of the representatives together; 0: none are found, and no plan is left. */
static size_t count_steps(const struct draw *d, size_t steps_max)
{
    struct wm_plan *plans[RANKS_MAX] = {NULL};
    struct wm_arena arena = {0};
    struct wm_error error = {0};
    struct wm_quotient q = {
        .path = d->parsed, .grid = &d->grid, .layout = d->layout, .scenario = d->scenario, .steps_max = steps_max};
    size_t steps = 0;

    CU_ASSERT_EQUAL(wm_quotient_find(&q, plans, &arena, &error), 0);
    for (int rank = 0; rank < RANKS_MAX; rank++) {
        CU_ASSERT_EQUAL(plans[rank] != NULL, q.found && rank < q.symmetry.step);
        steps += plans[rank] != NULL ? (size_t)plans[rank]->step_count : 0;
    }
    free_plans(plans, RANKS_MAX);
    wm_arena_release(&arena);
    return steps;
}

static void quotient__is_given_up_where_it_has_too_many_steps(void)
{
    for (int path = 0; path < SYMMETRIC_PATHS; path++) {
        struct draw d;
        size_t steps;

        if (strstr(symmetric_paths[path].wrappers, "{'axis':'all'}],'keywords':{'shape':{'symbol':'flat'}}}") == NULL)
            continue;
        draw_call(&d, path, 5, 3);
        steps = count_steps(&d, WM_PROOF_STEPS_MAX);
        CU_ASSERT(steps > 0);
        CU_ASSERT_EQUAL(count_steps(&d, steps), steps);
        CU_ASSERT_EQUAL(count_steps(&d, steps - 1), 0);
        CU_ASSERT_EQUAL(count_steps(&d, 10), 0);
        draw_release(&d);
    }
}

/* The ends of representatives whose plans have all rounds, or leave some out. */
static void time_rounds(const struct draw *d, enum wm_quotient_rounds rounds, int64_t *ends, struct timing *timing)
{
    struct wm_plan **plans = calloc((size_t)d->grid.ranks, sizeof *plans);
    struct wm_arena arena = {0};
    struct wm_error error = {0};
    struct wm_quotient q = {.path = d->parsed,
                            .grid = &d->grid,
                            .layout = d->layout,
                            .scenario = d->scenario,
                            .rounds = rounds,
                            .steps_max = WM_PROOF_STEPS_MAX};

    CU_ASSERT_PTR_NOT_NULL_FATAL(plans);
    CU_ASSERT_EQUAL_FATAL(wm_quotient_find(&q, plans, &arena, &error), 0);
    CU_ASSERT_FATAL(q.found && q.symmetry.step <= RANKS_MAX);
    time_ranks(d, &q, plans, q.symmetry.step, ends, timing);
    free_plans(plans, q.symmetry.step);
    free(plans);
    wm_arena_release(&arena);
}

/* Rounds of rings that are left out take what they take where they are not, and are told of as well. */
static void folds__take_what_all_rounds_take(void)
{
    int skips = 0;

    for (int i = 0, path = 0; i < FOLDED_DRAWS; path = (path + 1) % SYMMETRIC_PATHS) {
        int64_t folded[RANKS_MAX], whole[RANKS_MAX];
        struct timing few, all;
        struct draw d;
        int cores = 1 + pick(3);

        if (strstr(symmetric_paths[path].wrappers, "{'axis':'all'}],'keywords':{'shape':{'symbol':'ring'}}}") == NULL)
            continue;
        draw_call(&d, path, (FOLDED_RANKS + pick(1000)) / cores, cores);
        time_rounds(&d, WM_ROUNDS_FEW, folded, &few);
        time_rounds(&d, WM_ROUNDS_ALL, whole, &all);
        CU_ASSERT(few.folds > 0 && all.folds == 0);
        CU_ASSERT_EQUAL(few.end, all.end);
        CU_ASSERT_EQUAL(memcmp(folded, whole, sizeof *folded * (size_t)all.ranks), 0);
        CU_ASSERT_EQUAL(few.blamed, all.blamed);
        skips += few.skips;
        draw_release(&d);
        i++;
    }
    printf(" %d skips", skips);
    CU_ASSERT(skips > 0);
}

static const struct check_case cases[] = {
    CASE(quotient__takes_what_the_full_run_takes),
    CASE(quotient__is_given_up_where_it_has_too_many_steps),
    CASE(folds__take_what_all_rounds_take),
};

CHECK_MAIN("quotients", cases)
