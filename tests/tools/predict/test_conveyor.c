/* Tests of what a conveyor's run takes: worked out by hand, on machines of a few ranks; and what is refused. */
#include <stdlib.h>
#include <string.h>
#include "tests/check.h"
#include "tests/fixture.h"
#include "tools/predict/conveyor.h"

#define ROUTE(axes) "{'wrapper': 'route', 'arguments': [" axes "]}"
#define AXIS(name) "{'axis': '" name "'}"
#define CORE_NODE ROUTE(AXIS("core") ", " AXIS("node"))

/* In ps; buffers of 800 bytes hold 100 items of 8 bytes without a tag, 96 as rounded down to eights. */
enum { PUSH = 1000, PULL = 2000, CROSS = 300, RELAY = 4000, HAND = 9600, WAIT = 19200, FAR = 960000, END = 50000 };
enum { ITEMS = 9600, BUFFER = 800, UNITS = 96 };

static void set(struct wm_profile_row *row, int first, int second, int third, int fourth)
{
    const int values[] = {first, second, third, fourth};

    for (int i = 0; i < 4; i++)
        row->values[i].value = values[i];
}

static struct wm_profile make_profile(bool far)
{
    struct wm_profile p = {0};

    set(wm_profile_add(&p, WM_PROFILE_ITEM, "inlined", WM_NET_SHM, 0, 8), PUSH, PULL, CROSS, RELAY);
    set(wm_profile_add(&p, WM_PROFILE_ITEM, "inlined", WM_NET_SHM, 0, 16), 3 * PUSH, PULL, CROSS, RELAY);
    set(wm_profile_add(&p, WM_PROFILE_ITEM, "copied", WM_NET_SHM, 0, 24), 4 * PUSH, PULL, CROSS, RELAY);
    set(wm_profile_add(&p, WM_PROFILE_ITEM, "copied", WM_NET_SHM, 0, 40), 6 * PUSH, PULL, CROSS, RELAY);
    set(wm_profile_add(&p, WM_PROFILE_ITEM, "inlined", WM_NET_MPI, 0, 8), 2 * PUSH, 2 * PULL, 0, RELAY);
    set(wm_profile_add(&p, WM_PROFILE_ITEM, "copied", WM_NET_MPI, 0, 24), 2 * PUSH, 2 * PULL, 0, RELAY);
    set(wm_profile_add(&p, WM_PROFILE_BUFFER, "core", WM_NET_SHM, 0, 0), HAND, WAIT, 0, 0);
    set(wm_profile_add(&p, WM_PROFILE_CONVEYOR, "core", WM_NET_SHM, 0, 0), 7000, END, END / 5, 0);
    if (far) {
        set(wm_profile_add(&p, WM_PROFILE_BUFFER, "node", WM_NET_MPI, 0, 100), 0, 0, 0, 0);
        set(wm_profile_add(&p, WM_PROFILE_BUFFER, "node", WM_NET_MPI, 0, 2 * UNITS * 8 - 100), 2 * FAR, 0, 0, 0);
        set(wm_profile_add(&p, WM_PROFILE_CONVEYOR, "node", WM_NET_MPI, 0, 0), 9000, 4 * END, END, 0);
    }
    return p;
}

/* ps; negative: refused, with the sentence in `error`. */
static int64_t time_of(struct wm_convey_time *time, struct wm_profile *profile, const char *machine,
                       const char *wrappers, size_t item_bytes, uint64_t items, struct wm_error *error)
{
    struct wm_convey_design design;
    struct wm_convey_form form;
    struct wm_network network;
    struct wm_model model;
    struct wm_path *path;
    struct wm_grid grid;
    int64_t sum = 0;
    int rc;

    CU_ASSERT_FATAL(fixture_grid(&grid, machine));
    path = fixture_path(wrappers, WM_CONVEYOR, &grid, error);
    CU_ASSERT_PTR_NOT_NULL_FATAL(path);
    CU_ASSERT_EQUAL_FATAL(wm_convey_design_read(&design, path, error), 0);
    design.buffer_bytes = BUFFER;
    CU_ASSERT_EQUAL_FATAL(wm_network_init(&network, &design, &grid, NULL, error), 0);
    form = wm_convey_form(&design, network.first, item_bytes, false);
    CU_ASSERT_EQUAL_FATAL(wm_model_init(&model, profile, &grid), 0);
    rc = wm_convey_time_find(time, &model, &network, &form, items, error);
    for (int i = 0; i < WM_CONVEY_TIME_PARTS; i++)
        sum += time->parts[i];
    CU_ASSERT_EQUAL(sum, time->time);
    wm_model_release(&model);
    wm_network_release(&network);
    wm_path_free(path);
    wm_grid_release(&grid);
    return rc < 0 ? rc : sum;
}

static int64_t near_time(struct wm_convey_time *time, const char *machine, const char *wrappers, size_t item_bytes)
{
    struct wm_profile profile = make_profile(false);
    struct wm_error error = {0};
    int64_t ps = time_of(time, &profile, machine, wrappers, item_bytes, ITEMS, &error);

    wm_profile_release(&profile);
    return ps;
}

static void one_hop__takes_pushes_pulls_buffers_and_its_end(void)
{
    struct wm_convey_time t;

    near_time(&t, "core=2", "[" ROUTE("{'axis': 'all'}") "]", 8);
    CU_ASSERT_EQUAL(t.parts[WM_CONVEY_TIME_PUSH], ITEMS * PUSH);
    CU_ASSERT_EQUAL(t.parts[WM_CONVEY_TIME_PULL], ITEMS * PULL);
    CU_ASSERT_EQUAL(t.parts[WM_CONVEY_TIME_CROSS], ITEMS / 2 * CROSS);
    CU_ASSERT_EQUAL(t.parts[WM_CONVEY_TIME_RELAY], 0);
    CU_ASSERT_EQUAL(t.parts[WM_CONVEY_TIME_BUFFERS], ITEMS / UNITS * (HAND + WAIT / 4));
    CU_ASSERT_EQUAL(t.parts[WM_CONVEY_TIME_END], END);
    CU_ASSERT_EQUAL(t.begin, 7000);
    CU_ASSERT_EQUAL(t.card, 0);
    CU_ASSERT(t.measured && !t.crowded && t.hops == 1);
    CU_ASSERT_EQUAL(t.drain, END / 5 + UNITS / 4 * (PULL + CROSS / 2));
}

static void a_ring_of_one_buffer__is_handed_over_in_halves(void)
{
    struct wm_convey_time t;

    near_time(&t, "core=2", "[{'wrapper': 'aggregate', 'keywords': {'buffers': 1}}]", 8);
    CU_ASSERT_EQUAL(t.parts[WM_CONVEY_TIME_BUFFERS], ITEMS / (UNITS / 2) * (HAND + WAIT / 2));
}

static void sizes_between__cost_in_proportion_by_their_kind(void)
{
    struct wm_convey_time t;

    near_time(&t, "core=2", "[" ROUTE("{'axis': 'all'}") "]", 16);
    CU_ASSERT_EQUAL(t.parts[WM_CONVEY_TIME_PUSH], ITEMS * 3 * PUSH);
    near_time(&t, "core=2", "[" ROUTE("{'axis': 'all'}") "]", 36); /* 24: 4, 40: 6 */
    CU_ASSERT_EQUAL(t.parts[WM_CONVEY_TIME_PUSH], ITEMS * 11 / 2 * PUSH);
    near_time(&t, "core=2", "[" ROUTE("{'axis': 'all'}") "]", 56); /* beyond the last */
    CU_ASSERT_EQUAL(t.parts[WM_CONVEY_TIME_PUSH], ITEMS * 8 * PUSH);
}

static void two_hops__relay_what_needs_both(void)
{
    struct wm_profile profile = make_profile(true);
    struct wm_error error = {0};
    struct wm_convey_time t;

    time_of(&t, &profile, "node=2,core=2", "[" CORE_NODE "]", 8, ITEMS, &error);
    /* To oneself and to the same core of the other host: one hop. To the other cores: two, though the second one,
     * within the host, is a ring to itself. */
    CU_ASSERT_EQUAL(t.parts[WM_CONVEY_TIME_RELAY], ITEMS / 2 * RELAY);
    CU_ASSERT_EQUAL(t.parts[WM_CONVEY_TIME_CROSS], ITEMS / 2 * CROSS);
    /* One in four is pushed to a message, one in two pulled from one. */
    CU_ASSERT_EQUAL(t.parts[WM_CONVEY_TIME_PUSH], ITEMS * PUSH * 5 / 4);
    CU_ASSERT_EQUAL(t.parts[WM_CONVEY_TIME_PULL], ITEMS * PULL * 3 / 2);
    CU_ASSERT_EQUAL(t.parts[WM_CONVEY_TIME_END], 5 * END);
    CU_ASSERT_EQUAL(t.begin, 18000);
    wm_profile_release(&profile);
}

/* On one host all that rank 1 pushes goes over rank 0, which relays it twice: it is busy longest. */
static void the_busiest_rank__decides(void)
{
    struct wm_convey_time t;

    near_time(&t, "core=2", "[" ROUTE(AXIS("core") ", " AXIS("node") ", " AXIS("core")) "]", 8);
    CU_ASSERT_EQUAL(t.parts[WM_CONVEY_TIME_RELAY], 2 * ITEMS * RELAY);
    CU_ASSERT_EQUAL(t.parts[WM_CONVEY_TIME_END], 3 * END);
    CU_ASSERT(t.drain > 4 * (BUFFER / 9 - 8) * 2 * RELAY); /* its rings are full: buffers of items with a tag */
    CU_ASSERT_EQUAL(t.hops, 2);
}

/* Of many ranks one stands for all; of items for themselves there are few. */
static void large_machines__are_sampled(void)
{
    struct wm_profile profile = make_profile(true);
    struct wm_error error = {0};
    struct wm_convey_time t;

    time_of(&t, &profile, "node=64,core=32", "[" CORE_NODE "]", 8, ITEMS, &error);
    /* All but those for the own core, here and elsewhere, take two hops: 31 of 32. */
    CU_ASSERT_DOUBLE_EQUAL((double)t.parts[WM_CONVEY_TIME_RELAY], 31.0 / 32 * ITEMS * RELAY, 0.02 * ITEMS * RELAY);
    CU_ASSERT_DOUBLE_EQUAL(t.hops, 1 + 31.0 / 32, 0.02);
    wm_profile_release(&profile);
}

static void a_slow_card__decides(void)
{
    struct wm_profile profile = make_profile(true);
    struct wm_error error = {0};
    struct wm_convey_time t;

    set(wm_profile_add(&profile, WM_PROFILE_HOST, "", 0, 0, 0), 0, 0, 9000000, 9000000); /* 9 ns a byte */
    time_of(&t, &profile, "node=2,core=2", "[" ROUTE("{'axis': 'all'}") "]", 8, ITEMS, &error);
    CU_ASSERT_EQUAL(t.card, INT64_C(9000) * ITEMS / 2 * 8 * 2);
    CU_ASSERT(t.parts[WM_CONVEY_TIME_CARD] > 0);
    CU_ASSERT_EQUAL(t.time, t.card + t.parts[WM_CONVEY_TIME_END]);
    wm_profile_release(&profile);
}

static void more_ranks_than_cores__share_them(void)
{
    struct wm_profile profile = make_profile(false);
    struct wm_error error = {0};
    struct wm_convey_time t;

    set(wm_profile_add(&profile, WM_PROFILE_HOST, "", 0, 0, 0), 1, 0, 0, 0);
    time_of(&t, &profile, "core=2", "[" ROUTE("{'axis': 'all'}") "]", 8, ITEMS, &error);
    CU_ASSERT(t.crowded);
    CU_ASSERT_EQUAL(t.parts[WM_CONVEY_TIME_PUSH], 2 * ITEMS * PUSH);
    /* Beside a rank that relays for both, the other one needs less than half of the core. */
    time_of(&t, &profile, "core=2", "[" ROUTE(AXIS("core") ", " AXIS("node") ", " AXIS("core")) "]", 8, ITEMS, &error);
    CU_ASSERT(t.parts[WM_CONVEY_TIME_RELAY] > 2 * ITEMS * RELAY && t.parts[WM_CONVEY_TIME_RELAY] < 4 * ITEMS * RELAY);
    CU_ASSERT_EQUAL(t.parts[WM_CONVEY_TIME_END], 2 * 3 * END);
    wm_profile_release(&profile);
}

static void few_items__fill_no_buffers(void)
{
    struct wm_profile profile = make_profile(false);
    struct wm_error error = {0};
    struct wm_convey_time t;

    time_of(&t, &profile, "core=2", "[" ROUTE("{'axis': 'all'}") "]", 8, 1, &error);
    CU_ASSERT(t.parts[WM_CONVEY_TIME_BUFFERS] >= HAND + WAIT / 4);
    wm_profile_release(&profile);
}

static void what_was_not_measured__is_not_guessed(void)
{
    static const struct {
        const char *machine, *wrappers, *fault;
        int rows; /* that the profile has of all */
    } wrong[] = {
        {"core=2", "[{'wrapper': 'synchronous'}]", "exchanges in bulk", 8},
        {"core=2", "[{'wrapper': 'compress'}]", "that are compressed", 8},
        {"node=2,core=2", "[" ROUTE("{'axis': 'all'}") "]", "messages between hosts", 8},
        {"core=2", "[" ROUTE("{'axis': 'all'}") "]", "on a host with two ranks", 6},
        {"core=2", "[" ROUTE("{'axis': 'all'}") "]", "waymark profile -o", 0},
    };

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct wm_profile profile = make_profile(false);
        struct wm_error error = {0};
        struct wm_convey_time t;

        profile.row_count = (size_t)wrong[i].rows;
        CU_ASSERT(time_of(&t, &profile, wrong[i].machine, wrong[i].wrappers, 8, ITEMS, &error) < 0);
        CU_ASSERT_PTR_NOT_NULL(strstr(error.text, wrong[i].fault));
        wm_profile_release(&profile);
    }
}

static const struct check_case cases[] = {
    CASE(one_hop__takes_pushes_pulls_buffers_and_its_end),
    CASE(a_ring_of_one_buffer__is_handed_over_in_halves),
    CASE(sizes_between__cost_in_proportion_by_their_kind),
    CASE(two_hops__relay_what_needs_both),
    CASE(the_busiest_rank__decides),
    CASE(large_machines__are_sampled),
    CASE(a_slow_card__decides),
    CASE(more_ranks_than_cores__share_them),
    CASE(few_items__fill_no_buffers),
    CASE(what_was_not_measured__is_not_guessed),
};

CHECK_MAIN("conveyors' time", cases)
