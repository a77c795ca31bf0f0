/* Tests of what makes a map of races: known differences go in, with noise and outliers, and come out as few rules. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/check.h"
#include "tests/fixture.h"
#include "tools/tune/routes.h"
#include "tools/tune/state.h"

enum { ROUNDS = 31 };

static uint64_t state = 1;

static double chance(void)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(state >> 11) / (double)(UINT64_C(1) << 53);
}

/* A time as it would be measured: 3 % off at most, and one of ten by far. */
static double noisy(double ns)
{
    return ns * (1 + 0.05 * (chance() - 0.5)) * (chance() < 0.1 ? 1 + 20 * chance() : 1);
}

/* Races of these times; ns[0] is native's. */
static void run(struct wm_tune_race *r, const double *ns, int count)
{
    memset(r, 0, sizeof *r);
    r->count = count;
    for (int i = 0; i < count; i++)
        r->runs[i] = true;
    while (r->rounds < ROUNDS) {
        for (int i = 0; i < count; i++)
            if (r->runs[i])
                r->ns[i][r->sampled[i]++] = noisy(ns[i]);
        r->rounds++;
        wm_tune_race_judge(r);
    }
}

static void student__is_that_of_the_tables(void)
{
    CU_ASSERT_DOUBLE_EQUAL(wm_tune_student(2.132, 4), 0.05, 1e-4);
    CU_ASSERT_DOUBLE_EQUAL(wm_tune_student(2.764, 10), 0.01, 1e-4);
    CU_ASSERT_DOUBLE_EQUAL(wm_tune_student(-1.697, 30), 0.95, 1e-4);
    CU_ASSERT_DOUBLE_EQUAL(wm_tune_student(0, 3), 0.5, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(wm_tune_student(6.314, 1), 0.05, 1e-4);
}

static void race__puts_out_who_is_behind_and_keeps_who_is_not(void)
{
    static struct wm_tune_race r;
    const double ns[] = {1000, 500, 505, 580, 2000};

    run(&r, ns, 5);
    CU_ASSERT(r.runs[0]); /* native is what all are held against */
    CU_ASSERT(r.runs[1] && r.runs[2]);
    CU_ASSERT_FALSE(r.runs[3]);
    CU_ASSERT_FALSE(r.runs[4]);
    CU_ASSERT(r.sampled[4] <= WM_TUNE_ROUNDS_LEAST);
    CU_ASSERT(wm_tune_race_leader(&r) == 1 || wm_tune_race_leader(&r) == 2);
}

/* One round: 1 is beyond twice what the leader and a barrier take together, 2 is not. */
static void race__of_slow_calls_puts_out_who_is_far_behind_at_once(void)
{
    static struct wm_tune_race r;
    const double ns[] = {1000, 7000, 5000};

    for (int slow = 0; slow < 2; slow++) {
        r = (struct wm_tune_race){.count = 3, .rounds = 1, .slow_ns = slow * 2000};
        for (int i = 0; i < 3; i++) {
            r.runs[i] = true;
            r.ns[i][r.sampled[i]++] = ns[i];
        }
        wm_tune_race_judge(&r);
        CU_ASSERT_EQUAL(r.runs[1], slow == 0);
        CU_ASSERT(r.runs[0] && r.runs[2]);
    }
}

static void race__seldom_puts_out_an_equal_one(void)
{
    static struct wm_tune_race r;
    double ns[9];
    int out = 0;

    for (int i = 0; i < 9; i++)
        ns[i] = 700;
    for (int trial = 0; trial < 50; trial++) {
        run(&r, ns, 9);
        for (int i = 1; i < 9; i++)
            out += !r.runs[i];
    }
    CU_ASSERT(out <= 50 * 8 / 20);
}

static void gap__holds_what_it_says(void)
{
    int inside = 0;

    for (int trial = 0; trial < 200; trial++) {
        double a[ROUNDS], b[ROUNDS];
        struct wm_tune_gap gap;

        for (int i = 0; i < ROUNDS; i++) {
            a[i] = noisy(1100);
            b[i] = noisy(1000);
        }
        gap = wm_tune_gap(a, b, ROUNDS);
        inside += wm_tune_gap_low(&gap) <= log(1.1) && log(1.1) <= wm_tune_gap_high(&gap);
    }
    CU_ASSERT(inside >= 160);
}

static void list__begins_with_native_and_has_shapes_and_segments(void)
{
    static struct wm_tune_list list;
    bool ring = false, shared = false, levels = false, cut = false;

    wm_tune_list_paths(&list, WM_ALLREDUCE, 2, 1);
    CU_ASSERT_STRING_EQUAL(list.paths[0].text, "(native)");
    CU_ASSERT(list.count > 20 && list.count < WM_TUNE_PATHS_MAX);
    for (int i = 0; i < list.count; i++) {
        const struct wm_tune_path *p = &list.paths[i];

        CU_ASSERT(i == 0 || p->effort >= list.paths[i - 1].effort);
        ring |= strcmp(p->text, "(path (allreduce all #:shape 'ring))") == 0 && !p->uniform;
        levels |= strcmp(p->text, "(path (reduce-scatter core #:shape 'shared) (allreduce node #:shape 'ring))") == 0 &&
                  p->uniform;
        cut |= strstr(p->text, "(segment 128KiB)") != NULL && p->least_bytes > 128 << 10;
        shared |= strstr(p->text, "all #:shape 'shared") != NULL; /* two nodes share no memory */
    }
    CU_ASSERT(ring && levels && cut && !shared);
    wm_tune_list_paths(&list, WM_BCAST, 1, 1);
    for (int i = 0; i < list.count; i++)
        shared |= strcmp(list.paths[i].text, "(path (bcast all #:shape 'shared))") == 0 && list.paths[i].near;
    CU_ASSERT(shared);
}

static void list__of_clusters_has_three_levels(void)
{
    static struct wm_tune_list list;
    bool leaders = false, shards = false, down = false, two = false;

    wm_tune_list_paths(&list, WM_ALLREDUCE, 4, 2);
    CU_ASSERT(list.count < WM_TUNE_PATHS_MAX);
    for (int i = 0; i < list.count; i++) {
        const char *text = list.paths[i].text;

        leaders |= strcmp(text, "(path (reduce core #:shape 'shared) (reduce node) (allreduce cluster))") == 0;
        shards |= strcmp(text, "(path (reduce-scatter core #:shape 'shared) (reduce-scatter node) "
                               "(allreduce cluster))") == 0 &&
                  list.paths[i].uniform;
        two |= strstr(text, "core") != NULL && strstr(text, "cluster") == NULL;
    }
    CU_ASSERT(leaders && shards && !two);
    wm_tune_list_paths(&list, WM_BCAST, 4, 2);
    shards = false;
    for (int i = 0; i < list.count; i++) {
        const char *text = list.paths[i].text;

        down |= strcmp(text, "(path (bcast cluster) (bcast node) (bcast core #:shape 'shared))") == 0;
        shards |=
            strcmp(text, "(path (segment 32KiB) (scatter core #:shape 'shared) (bcast cluster) (bcast node))") == 0;
    }
    CU_ASSERT(down && shards);
}

static bool has_path(const struct wm_tune_list *list, const char *text)
{
    for (int i = 0; i < list->count; i++)
        if (strcmp(list->paths[i].text, text) == 0)
            return true;
    return false;
}

static void routes__of_one_node_have_one_hop_and_of_several_up_to_three(void)
{
    static struct wm_tune_list list;

    wm_tune_list_routes(&list, WM_CONVEYOR, 1, 1);
    CU_ASSERT_STRING_EQUAL(list.paths[0].text, "(native)");
    CU_ASSERT(has_path(&list, "(path (aggregate 1KiB #:buffers 2) (route all))"));
    CU_ASSERT(has_path(&list, "(path (aggregate 64KiB) (route all))"));
    CU_ASSERT_FALSE(has_path(&list, "(path (aggregate 64KiB) (route core node))"));
    wm_tune_list_routes(&list, WM_CONVEYOR, 4, 1);
    CU_ASSERT(has_path(&list, "(path (aggregate 8KiB #:buffers 8) (route core node core))"));
    CU_ASSERT_FALSE(has_path(&list, "(path (aggregate 8KiB) (route core node cluster))"));
    wm_tune_list_routes(&list, WM_CONVEYOR, 4, 2);
    CU_ASSERT(has_path(&list, "(path (aggregate 8KiB) (route core node cluster))"));
    CU_ASSERT(list.count < WM_TUNE_PATHS_MAX);
}

#define AXIS(name) "{'axis': '" name "'}"
#define ROUTE(axes) "[{'wrapper': 'route', 'arguments': [" axes "]}]"

static bool serves(const char *machine, const char *wrappers, uint64_t most_bytes)
{
    struct wm_convey_design design;
    struct wm_path *path;
    struct wm_grid grid;
    struct wm_error error;
    bool good;

    CU_ASSERT_FATAL(fixture_grid(&grid, machine));
    path = fixture_path(wrappers, WM_CONVEYOR, &grid, &error);
    CU_ASSERT_PTR_NOT_NULL_FATAL(path);
    good = wm_tune_route_serves(&design, path, &grid, 8, most_bytes);
    wm_path_free(path);
    wm_grid_release(&grid);
    return good;
}

static void routes__serve_where_they_are_proven_and_fit(void)
{
    CU_ASSERT(serves("node=2,core=2", ROUTE(AXIS("all")), 1 << 20));
    CU_ASSERT(serves("node=2,core=2", ROUTE(AXIS("core") ", " AXIS("node")), 1 << 20));
    CU_ASSERT_FALSE(serves("node=2,core=2", ROUTE(AXIS("node")), 1 << 20)); /* not everybody is reached */
    CU_ASSERT_FALSE(serves("node=2,core=1", ROUTE(AXIS("core") ", " AXIS("node")), 1 << 20)); /* a hop to oneself */
    CU_ASSERT_FALSE(serves("node=2,core=2", ROUTE(AXIS("all")), 1000));                       /* it holds more */
}

/* A field of three paths: native, and two others. */
static void begin(struct wm_tune_field *f)
{
    memset(f, 0, sizeof *f);
    f->operation = WM_BCAST;
    f->list.count = 3;
    f->list.paths[1].effort = 100;
    f->list.paths[2].effort = 160;
}

/* A race of the three at a size, in a launch. */
static struct wm_tune_point *add(struct wm_tune_field *f, uint64_t bytes, const double *ns, int launch)
{
    static struct wm_tune_race r;
    struct wm_tune_point *p;

    run(&r, ns, 3);
    p = wm_tune_field_add(f, &r, bytes, launch, false);
    CU_ASSERT_PTR_NOT_NULL_FATAL(p);
    return p;
}

static void fill(struct wm_tune_field *f, const double (*ns)[3], int count)
{
    begin(f);
    for (int i = 0; i < count; i++)
        add(f, UINT64_C(8) << 3 * i, ns[i], 1);
    wm_tune_field_choose(f);
}

/* The path that the rules give to so many bytes. */
static int path_of(const struct wm_tune_field *f, uint64_t bytes)
{
    struct wm_tune_rule rules[WM_TUNE_RULES_MAX];
    int count = wm_tune_field_rules(f, rules);

    for (int i = 0; i < count; i++)
        if (bytes <= rules[i].bound)
            return rules[i].path;
    return 0;
}

static void field__makes_few_rules_and_leaves_native_what_is_its(void)
{
    /* The second path is ahead by a hair at 64 B, clearly from 4 KiB on; native wins at 2 MiB. */
    static const double ns[][3] = {{300, 100, 130},    {300, 100, 99},     {500, 200, 250},      {900, 400, 300},
                                   {4000, 2500, 1500}, {9000, 9000, 7000}, {50000, 70000, 60000}};
    static struct wm_tune_field f;
    struct wm_tune_rule rules[WM_TUNE_RULES_MAX];

    fill(&f, ns, 7);
    CU_ASSERT_EQUAL_FATAL(wm_tune_field_rules(&f, rules), 3);
    CU_ASSERT(rules[0].path == 1 && rules[0].bound == 2048); /* between 512 B and 4 KiB */
    CU_ASSERT(rules[1].path == 2 && rules[1].from == 2049 && rules[1].bound == 256 << 10);
    CU_ASSERT_EQUAL(rules[2].path, 0);
    CU_ASSERT_EQUAL(path_of(&f, 2049), 2);
    CU_ASSERT_EQUAL(path_of(&f, (256 << 10) + 1), 0);
    CU_ASSERT_EQUAL(wm_tune_field_gap(&f), 2048);
}

/* Its points are 4, 8, 12 and so on. */
static void field__that_is_full_has_room_at_its_points_alone(void)
{
    static const double ns[3] = {300, 100, 130};
    static struct wm_tune_field f;
    static struct wm_tune_race r;
    uint64_t last = UINT64_C(4) * WM_TUNE_POINTS_MAX;

    begin(&f);
    for (uint64_t bytes = 4; bytes < last; bytes += 4)
        add(&f, bytes, ns, 1);
    CU_ASSERT_EQUAL(wm_tune_field_room(&f, 9), 9);
    add(&f, last, ns, 1);
    CU_ASSERT_EQUAL_FATAL(f.count, WM_TUNE_POINTS_MAX);
    run(&r, ns, 3);
    CU_ASSERT_PTR_NULL(wm_tune_field_add(&f, &r, 9, 2, false));
    CU_ASSERT_EQUAL(wm_tune_field_room(&f, 9), 12);
    CU_ASSERT_EQUAL(wm_tune_field_room(&f, 12), 12);
    CU_ASSERT_EQUAL(wm_tune_field_room(&f, 1), 4);
    CU_ASSERT_EQUAL(wm_tune_field_room(&f, last + 1), last);
    CU_ASSERT_PTR_NOT_NULL(wm_tune_field_add(&f, &r, wm_tune_field_room(&f, 9), 2, false));
    CU_ASSERT_EQUAL(f.count, WM_TUNE_POINTS_MAX);
    wm_tune_field_choose(&f);
    CU_ASSERT_EQUAL(path_of(&f, 9), 1);
}

static void field__takes_native_within_three_per_cent(void)
{
    static const double ns[][3] = {{100, 99, 99}, {200, 198, 199}, {400, 600, 800}};
    static struct wm_tune_field f;

    fill(&f, ns, 3);
    for (int i = 0; i < 3; i++)
        CU_ASSERT_EQUAL(f.points[i].path, 0);
}

static void field__takes_a_segmented_path_where_there_are_segments(void)
{
    static const double ns[][3] = {{300, 100, 100}, {300, 100, 100}, {900, 300, 300}, {900, 500, 400}};
    static struct wm_tune_field f;

    begin(&f);
    f.list.paths[2].least_bytes = 513;
    for (int i = 0; i < 4; i++)
        add(&f, UINT64_C(8) << 3 * i, ns[i], 1);
    wm_tune_field_choose(&f);
    CU_ASSERT(f.points[0].path == 1 && f.points[2].path == 1 && f.points[3].path == 2);
}

static void field__takes_another_safe_path_where_one_was_slow_in_some_launch(void)
{
    static const double ns[][3] = {{300, 100, 105}, {300, 100, 105}, {500, 200, 210}}, other[] = {300, 400, 105};
    static struct wm_tune_field f;
    struct wm_tune_rule rules[WM_TUNE_RULES_MAX];

    fill(&f, ns, 3);
    CU_ASSERT_EQUAL(path_of(&f, 100), 1);
    add(&f, 64, other, 2);
    CU_ASSERT_FALSE(wm_tune_point_safe(&f.points[1], 1));
    CU_ASSERT_TRUE(wm_tune_point_safe(&f.points[1], 2));
    wm_tune_field_choose(&f);
    CU_ASSERT_EQUAL(wm_tune_field_rules(&f, rules), 1); /* 5 % more time is less than a rule more */
    CU_ASSERT_EQUAL(rules[0].path, 2);
}

static void field__gives_native_what_no_path_holds(void)
{
    static const double ns[][3] = {{300, 100, 130}, {300, 100, 130}, {500, 200, 250}}, slow[] = {90, 100, 130};
    static struct wm_tune_field f;
    struct wm_tune_rule rules[WM_TUNE_RULES_MAX];

    fill(&f, ns, 3);
    add(&f, 100, slow, 1);
    wm_tune_field_choose(&f);
    CU_ASSERT_EQUAL_FATAL(wm_tune_field_rules(&f, rules), 3);
    CU_ASSERT_EQUAL(path_of(&f, 64), 1);
    CU_ASSERT_EQUAL(path_of(&f, 100), 0);
    CU_ASSERT_EQUAL(path_of(&f, 511), 0);
    CU_ASSERT_EQUAL(path_of(&f, 512), 1);
}

static void field__keeps_rules_that_launches_confirmed(void)
{
    static const double ns[][3] = {{300, 100, 130}, {300, 100, 130}, {900, 700, 300}, {900, 700, 300}};
    static struct wm_tune_field f;

    fill(&f, ns, 4);
    add(&f, 23, ns[0], 1)->held_out = true;
    add(&f, 31, ns[0], 2)->held_out = true;
    add(&f, 717, ns[3], 2)->held_out = true;
    wm_tune_field_choose(&f);
    wm_tune_field_settle(&f, 2);
    CU_ASSERT_EQUAL(path_of(&f, 40), 1);
    CU_ASSERT_EQUAL(path_of(&f, 1000), 0);
    wm_tune_field_doubt(&f);
    wm_tune_field_settle(&f, 1);
    CU_ASSERT_FALSE(wm_tune_field_named(&f));
}

static void state__is_read_as_it_was_written(void)
{
    static struct wm_tune_state s, again;
    static const double ns[] = {300, 100, 130};
    char file[] = "/tmp/wm-tune-XXXXXX";
    int fd = mkstemp(file);
    struct wm_error error;

    CU_ASSERT_FATAL(fd >= 0);
    s.budget_s = 7.5;
    s.seed = 3;
    strcpy(s.output, "mine.scm");
    s.launches[s.launch_count++] = (struct wm_tune_launch){.seconds = 2, .batches = 9, .barrier_low_ns = 70};
    begin(&s.fields[0]);
    wm_tune_list_paths(&s.fields[0].list, WM_BCAST, 1, 1);
    s.fields[0].list.count = 3;
    s.fields[0].sizes = (struct wm_size_list){.count = 2, .bytes = {8, 64}};
    add(&s.fields[0], 64, ns, 1)->held_out = true;
    begin(&s.fields[1]);
    s.fields[1].operation = WM_CONVEYOR;
    s.fields[1].load_bytes = 5000;
    s.fields[1].sizes = s.fields[0].sizes;
    strcpy(s.fields[1].name, "histogram");
    add(&s.fields[1], 64, ns, 1);
    s.count = 2;
    CU_ASSERT_EQUAL_FATAL(wm_tune_state_save(&s, file, &error), 0);
    CU_ASSERT_EQUAL(wm_tune_state_load(&again, file, &error), 0);
    CU_ASSERT_EQUAL(again.seed, 3);
    CU_ASSERT_STRING_EQUAL(again.output, "mine.scm");
    CU_ASSERT(again.launch_count == 1 && again.launches[0].batches == 9 && !again.launches[0].whole);
    CU_ASSERT_EQUAL_FATAL(again.fields[0].count, 1);
    CU_ASSERT_STRING_EQUAL(again.fields[0].list.paths[2].text, s.fields[0].list.paths[2].text);
    CU_ASSERT(again.fields[0].points[0].held_out && wm_tune_point_safe(&again.fields[0].points[0], 1));
    CU_ASSERT_EQUAL(wm_tune_point_seen(&again.fields[0].points[0], 2)->low, s.fields[0].points[0].seen[2].low);
    CU_ASSERT(again.count == 2 && again.fields[1].operation == WM_CONVEYOR && again.fields[1].count == 1);
    CU_ASSERT_STRING_EQUAL(again.fields[1].name, "histogram");
    CU_ASSERT_EQUAL(wm_tune_field_items(&again.fields[1], 64), 5000 / 64);
    CU_ASSERT_FALSE(wm_tune_state_done(&again));
    CU_ASSERT_EQUAL(truncate(file, 100), 0);
    CU_ASSERT_EQUAL(wm_tune_state_load(&again, file, &error), -WM_EINVAL);
    close(fd);
    unlink(file);
}

static const struct check_case cases[] = {
    CASE(student__is_that_of_the_tables),
    CASE(race__puts_out_who_is_behind_and_keeps_who_is_not),
    CASE(race__of_slow_calls_puts_out_who_is_far_behind_at_once),
    CASE(race__seldom_puts_out_an_equal_one),
    CASE(gap__holds_what_it_says),
    CASE(list__begins_with_native_and_has_shapes_and_segments),
    CASE(list__of_clusters_has_three_levels),
    CASE(routes__of_one_node_have_one_hop_and_of_several_up_to_three),
    CASE(routes__serve_where_they_are_proven_and_fit),
    CASE(field__makes_few_rules_and_leaves_native_what_is_its),
    CASE(field__that_is_full_has_room_at_its_points_alone),
    CASE(field__takes_native_within_three_per_cent),
    CASE(field__takes_another_safe_path_where_one_was_slow_in_some_launch),
    CASE(field__gives_native_what_no_path_holds),
    CASE(field__keeps_rules_that_launches_confirmed),
    CASE(state__is_read_as_it_was_written),
    CASE(field__takes_a_segmented_path_where_there_are_segments),
};

CHECK_MAIN("tune", cases)
