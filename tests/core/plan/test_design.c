/* Designs of conveyors: what their paths say, what their buffers hold, and what that takes of memory. */
#include "core/plan/convey/form.h"
#include "tests/check.h"
#include "tests/fixture.h"

/* A path, the design that it gives, and rank 0's route. */
struct bench {
    struct wm_grid grid;
    struct wm_path *path;
    struct wm_convey_design design;
    struct wm_route *route;
};

static void bench_open(struct bench *b, const char *machine, const char *wrappers, int rank)
{
    struct wm_error error = {0};

    CU_ASSERT_FATAL(fixture_grid(&b->grid, machine));
    b->path = fixture_path(wrappers, WM_CONVEYOR, &b->grid, &error);
    CU_ASSERT_STRING_EQUAL(error.text, "");
    CU_ASSERT_PTR_NOT_NULL_FATAL(b->path);
    CU_ASSERT_EQUAL_FATAL(wm_convey_design_read(&b->design, b->path, &error), 0);
    CU_ASSERT_EQUAL_FATAL(wm_convey_design_route(&b->design, &b->grid, rank, &b->route, &error), 0);
}

static void bench_close(struct bench *b)
{
    wm_route_free(b->route);
    wm_path_free(b->path);
    wm_grid_release(&b->grid);
}

#define AGGREGATE(bytes, keywords) "{'wrapper': 'aggregate', 'arguments': [" bytes "], 'keywords': {" keywords "}}"
#define ROUTE(axes) "{'wrapper': 'route', 'arguments': [" axes "]}"
#define AXIS(name) "{'axis': '" name "'}"
#define THREE_HOPS ROUTE(AXIS("core") ", " AXIS("node") ", " AXIS("core"))

/* Hops over `core` and `node`, or one where these do not reach all ranks of the grid. */
static void design__suits_the_grid(void)
{
    static const struct {
        const char *spec;
        int hops;
    } cases[] = {{"null", 2},
                 {"[{\"axis\": \"node\"}, {\"axis\": \"core\"}]", 2},
                 {"[{\"axis\": \"pod\", \"ranks\": [[0, 1], [2, 3]]}, {\"axis\": \"node\"}, {\"axis\": \"core\"}]", 1},
                 {"[{\"axis\": \"pod\", \"ranks\": [[0, 1], [2, 3]]}, {\"axis\": \"core\"}]", 1}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *spec = json_loads(cases[i].spec, JSON_DECODE_ANY, NULL);
        struct wm_convey_design design;
        struct wm_route *route = NULL;
        struct wm_place *places;
        struct wm_grid grid;
        int ranks;

        CU_ASSERT_EQUAL_FATAL(wm_grid_parse_machine("node=2,core=2", &places, &ranks, NULL), 0);
        CU_ASSERT_EQUAL_FATAL(wm_grid_init(&grid, spec, ranks, places, NULL), 0);
        wm_convey_design_default(&design);
        wm_convey_design_suit(&design, &grid, false);
        CU_ASSERT_EQUAL(design.hops, cases[i].hops);
        CU_ASSERT_EQUAL(wm_convey_design_route(&design, &grid, 0, &route, NULL), 0);
        wm_route_free(route);
        wm_grid_release(&grid);
        free(places);
        json_decref(spec);
    }
}

static void design__is_simple_unless_told(void)
{
    struct bench b;

    bench_open(&b, "node=2,core=2", "[{'wrapper': 'compress'}]", 0);
    CU_ASSERT_EQUAL(b.design.codec, WM_CODEC_SQUEEZE);
    CU_ASSERT_EQUAL(b.design.hops, 1);
    CU_ASSERT_EQUAL(b.design.axes[0], WM_AXIS_ALL);
    CU_ASSERT_EQUAL(b.design.buffer_bytes, WM_CONVEY_BUFFER_BYTES);
    CU_ASSERT_EQUAL(b.design.buffers, WM_CONVEY_BUFFERS);
    CU_ASSERT(b.design.inside == WM_CHOOSE_AUTO && b.design.between == WM_CHOOSE_AUTO);
    CU_ASSERT_FALSE(b.design.steady || b.design.synchronous || b.design.traced);
    CU_ASSERT_EQUAL(b.design.route_node, 0);
    bench_close(&b);
}

static void design__holds_what_each_wrapper_says(void)
{
    struct bench b;

    bench_open(&b, "node=2,core=2",
               "[{'wrapper': 'trace'}, " AGGREGATE("32768", "'buffers': 2, 'flush': {'symbol': 'steady'}") ", " ROUTE(
                   AXIS("core") ", " AXIS("node")) ", {'wrapper': 'compress', 'arguments': [{'symbol': 'lz4'}]}, "
                                                   "{'wrapper': 'remote', 'arguments': [{'symbol': 'shm'}, {'symbol': "
                                                   "'mpi'}]}]",
               0);
    CU_ASSERT_EQUAL(b.design.buffer_bytes, 32768);
    CU_ASSERT_EQUAL(b.design.buffers, 2);
    CU_ASSERT(b.design.steady && b.design.traced);
    CU_ASSERT_EQUAL(b.design.hops, 2);
    CU_ASSERT_EQUAL(b.design.axes[0], wm_grid_axis_find(&b.grid, "core"));
    CU_ASSERT_EQUAL(b.design.axes[1], wm_grid_axis_find(&b.grid, "node"));
    CU_ASSERT_EQUAL(b.design.codec, WM_CODEC_LZ4);
    CU_ASSERT(b.design.inside == WM_CHOOSE_SHM && b.design.between == WM_CHOOSE_MPI);
    CU_ASSERT_EQUAL(b.design.trace_node, 1);
    CU_ASSERT_EQUAL(b.design.aggregate_node, 2);
    CU_ASSERT_EQUAL(b.design.route_node, 3);
    CU_ASSERT_PTR_EQUAL(b.design.route, &b.path->wrappers[2]);
    bench_close(&b);
}

static void design__one_net_holds_for_all(void)
{
    struct bench b;

    bench_open(&b, "core=4", "[{'wrapper': 'remote', 'arguments': [{'symbol': 'shm'}]}]", 0);
    CU_ASSERT(b.design.inside == WM_CHOOSE_SHM && b.design.between == WM_CHOOSE_SHM);
    bench_close(&b);
    bench_open(&b, "node=2,core=4", "[{'wrapper': 'remote', 'arguments': [{'symbol': 'mpi'}]}]", 0);
    CU_ASSERT(b.design.inside == WM_CHOOSE_MPI && b.design.between == WM_CHOOSE_MPI);
    bench_close(&b);
}

static void form__units_and_tags_fill_a_buffer(void)
{
    struct wm_convey_form form;
    struct bench b;

    bench_open(&b, "node=2,core=2", "[" AGGREGATE("1000", "") ", " ROUTE(AXIS("core") ", " AXIS("node")) "]", 0);
    form = wm_convey_form(&b.design, b.route, 8, false);
    CU_ASSERT(form.unit_bytes == 8 && form.tag_bytes == 1 && form.buffers == 4 && !form.elastic);
    CU_ASSERT_EQUAL(form.units, 104); /* 111 by eights */
    form = wm_convey_form(&b.design, b.route, 300, false);
    CU_ASSERT_EQUAL(form.units, 3);
    form = wm_convey_form(&b.design, b.route, 0, false);
    CU_ASSERT(form.unit_bytes == 1 && form.units == 496);
    form = wm_convey_form(&b.design, b.route, 1 << 20, false);
    CU_ASSERT(form.unit_bytes == 1 << 20 && form.units == 1);
    form = wm_convey_form(&b.design, b.route, 1 << 20, true);
    CU_ASSERT(form.elastic && form.unit_bytes == WM_ELASTIC_UNIT_BYTES && form.tag_bytes == 0);
    CU_ASSERT_EQUAL(form.units, 120);
    b.design.buffer_bytes = 100;
    CU_ASSERT_EQUAL(wm_convey_form(&b.design, b.route, 8, false).units, 11); /* few are not rounded */
    b.design.buffer_bytes = 1;
    CU_ASSERT_EQUAL(wm_convey_form(&b.design, b.route, 1 << 20, true).units, WM_ELASTIC_UNITS_MIN);
    bench_close(&b);
}

static void memory__of_a_ring_and_of_a_parcel(void)
{
    struct wm_convey_form form = {.unit_bytes = 8, .tag_bytes = 1, .units = 104, .buffers = 4};

    CU_ASSERT_EQUAL(wm_convey_ring_bytes(&form), 192 + 3776); /* 3744 rounded up */
    CU_ASSERT_EQUAL(wm_convey_parcel_bytes(&form), 1024);     /* 64 and 936 */
}

static void memory__parcels_are_few(void)
{
    struct wm_convey_form form = {.unit_bytes = 8, .units = 8, .buffers = 4};

    CU_ASSERT_EQUAL(wm_convey_parcels_out(&form, 0), 0);
    CU_ASSERT_EQUAL(wm_convey_parcels_out(&form, 1), 4);
    CU_ASSERT_EQUAL(wm_convey_parcels_out(&form, 3), 11);
    CU_ASSERT_EQUAL(wm_convey_parcels_out(&form, 100), 108);
    CU_ASSERT_EQUAL(wm_convey_parcels_in(&form, 0), 0);
    CU_ASSERT_EQUAL(wm_convey_parcels_in(&form, 1), 4);
    CU_ASSERT_EQUAL(wm_convey_parcels_in(&form, 100), 16);
    form.buffers = 1;
    CU_ASSERT_EQUAL(wm_convey_parcels_out(&form, 100), 100);
    CU_ASSERT_EQUAL(wm_convey_parcels_in(&form, 1), 2);
    form.buffers = 64;
    CU_ASSERT_EQUAL(wm_convey_parcels_in(&form, 2), 16);
}

static struct wm_convey_memory memory_of(const char *machine, const char *wrappers, int rank, size_t item_bytes)
{
    struct wm_convey_memory memory;
    struct wm_convey_form form;
    struct bench b;

    bench_open(&b, machine, wrappers, rank);
    form = wm_convey_form(&b.design, b.route, item_bytes, false);
    memory = wm_convey_memory(&b.design, &form, b.route, b.grid.node);
    CU_ASSERT_EQUAL(memory.total, memory.rings + memory.parcels + memory.tables);
    CU_ASSERT(memory.tables > wm_route_bytes(b.route));
    CU_ASSERT_EQUAL(memory.rings, wm_convey_ring_bytes(&form) * (size_t)(memory.ring_links + memory.self_links));
    bench_close(&b);
    return memory;
}

static void expect_links(struct wm_convey_memory m, int rings, int self, int parcels_out, int parcels_in)
{
    CU_ASSERT_EQUAL(m.ring_links, rings);
    CU_ASSERT_EQUAL(m.self_links, self);
    CU_ASSERT_EQUAL(m.parcel_links_out, parcels_out);
    CU_ASSERT_EQUAL(m.parcel_links_in, parcels_in);
}

static void memory__counts_the_links_of_each_net(void)
{
#define TWO_HOPS ROUTE(AXIS("core") ", " AXIS("node"))
    expect_links(memory_of("node=4,core=8", "[" ROUTE(AXIS("all")) "]", 0, 8), 7, 1, 24, 24);
    expect_links(memory_of("node=4,core=8", "[" TWO_HOPS "]", 0, 8), 7, 1, 3, 3);
    expect_links(
        memory_of("node=4,core=8", "[" TWO_HOPS ", {'wrapper': 'remote', 'arguments': [{'symbol': 'mpi'}]}]", 0, 8), 0,
        1, 10, 10);
    expect_links(memory_of("node=4,core=8", "[" TWO_HOPS ", {'wrapper': 'synchronous'}]", 0, 8), 0, 0, 11, 11);
    expect_links(memory_of("core=1", "[" TWO_HOPS "]", 0, 8), 0, 1, 0, 0);
    CU_ASSERT_EQUAL(memory_of("core=8", "[" ROUTE(AXIS("all")) "]", 3, 8).parcels, 0);
}

/* The goal: under 2 MiB at 131,072 ranks, three hops, 8 KiB buffers. */
static void memory__of_131072_ranks_is_small(void)
{
    struct wm_convey_memory m =
        memory_of("node=4096,core=32", "[" AGGREGATE("8192", "'buffers': 1") ", " THREE_HOPS "]", 77777, 8);

    CU_ASSERT(m.total < 2 << 20);
    CU_ASSERT_EQUAL(m.parcel_links_out, 128);
    CU_ASSERT_EQUAL(m.ring_links + m.self_links, 63);
    printf("\n    131,072 ranks: %zu bytes of rings, %zu of parcels, %zu of tables ", m.rings, m.parcels, m.tables);
}

static void memory__does_not_grow_with_the_ranks(void)
{
    struct wm_convey_memory few = memory_of("node=32,core=32", "[" THREE_HOPS "]", 5, 8);
    struct wm_convey_memory many = memory_of("node=512,core=32", "[" THREE_HOPS "]", 5, 8);

    CU_ASSERT_EQUAL(few.rings, many.rings);
    CU_ASSERT_EQUAL(few.parcel_links_out, 1);
    CU_ASSERT_EQUAL(many.parcel_links_out, 16);
}

static void check_refused(const char *machine, const char *wrappers, int line, const char *sentence)
{
    struct wm_convey_design design;
    struct wm_route *route = NULL;
    struct wm_error error = {0};
    struct wm_grid grid;
    struct wm_path *path;

    CU_ASSERT_FATAL(fixture_grid(&grid, machine));
    path = fixture_path(wrappers, WM_CONVEYOR, &grid, &error);
    if (path != NULL && wm_convey_design_read(&design, path, &error) == 0)
        CU_ASSERT_EQUAL(wm_convey_design_route(&design, &grid, 0, &route, &error), -WM_EMAP);
    CU_ASSERT_PTR_NULL(route);
    CU_ASSERT_STRING_EQUAL(error.text, sentence);
    CU_ASSERT_EQUAL(error.line, line);
    wm_path_free(path);
    wm_grid_release(&grid);
}

static void design__what_cannot_be_is_placed_at_its_wrapper(void)
{
    static const char far[] = "shared memory does not reach the ranks of other nodes; write (remote 'shm 'mpi)";

    check_refused("node=2,core=2", "[{'wrapper': 'aggregate'}, " THREE_HOPS ", {'wrapper': 'synchronous'}]", 3,
                  "'synchronous' exchanges in bulk over one or two hops, but the route has 3; take it out, or name "
                  "fewer axes");
    check_refused("node=2,core=2", "[" AGGREGATE("8", "'flush': {'symbol': 'steady'}") ", {'wrapper': 'synchronous'}]",
                  2,
                  "'synchronous' waits for all ranks, so what was pushed cannot arrive steadily; take it or #:flush "
                  "'steady out");
    check_refused("core=2", "[{'wrapper': 'remote', 'arguments': [{'symbol': 'mpi'}, {'symbol': 'shm'}]}]", 1, far);
    check_refused("node=2,core=2", "[{'wrapper': 'trace'}, {'wrapper': 'remote', 'arguments': [{'symbol': 'shm'}]}]", 2,
                  far);
    check_refused("node=2,core=2", "[{'wrapper': 'trace'}, " ROUTE(AXIS("node")) "]", 2,
                  "the route does not name axis 'core'; add it, or use the axis 'all' alone");
}

static const struct check_case cases[] = {
    CASE(design__suits_the_grid),
    CASE(design__is_simple_unless_told),
    CASE(design__holds_what_each_wrapper_says),
    CASE(design__one_net_holds_for_all),
    CASE(form__units_and_tags_fill_a_buffer),
    CASE(memory__of_a_ring_and_of_a_parcel),
    CASE(memory__parcels_are_few),
    CASE(memory__counts_the_links_of_each_net),
    CASE(memory__of_131072_ranks_is_small),
    CASE(memory__does_not_grow_with_the_ranks),
    CASE(design__what_cannot_be_is_placed_at_its_wrapper),
};

CHECK_MAIN("design", cases)
