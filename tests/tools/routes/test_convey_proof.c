/* The proof of a conveyor's routes: what is right passes, and routes that break their laws in every way that it is to
 * see are refuted. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/check.h"
#include "tests/fixture.h"
#include "tools/routes/cycles.h"
#include "tools/routes/prove.h"
#include "tools/routes/survey.h"

#define AXIS(name) "{'axis': '" name "'}"
#define ROUTE(axes) "{'wrapper': 'route', 'arguments': [" axes "]}"
#define THREE_HOPS ROUTE(AXIS("core") ", " AXIS("node") ", " AXIS("core"))
#define TWO_HOPS ROUTE(AXIS("node") ", " AXIS("core"))

/* A path on a machine, and its network. */
struct bench {
    struct wm_grid grid;
    struct wm_path *path;
    struct wm_convey_design design;
    struct wm_network network;
};

static int bench_open(struct bench *b, const char *machine, const char *wrappers, const struct wm_network_laws *laws,
                      struct wm_error *error)
{
    CU_ASSERT_FATAL(fixture_grid(&b->grid, machine));
    b->path = fixture_path(wrappers, WM_CONVEYOR, &b->grid, error);
    CU_ASSERT_PTR_NOT_NULL_FATAL(b->path);
    CU_ASSERT_EQUAL_FATAL(wm_convey_design_read(&b->design, b->path, error), 0);
    return wm_network_init(&b->network, &b->design, &b->grid, laws, error);
}

static void bench_close(struct bench *b)
{
    wm_network_release(&b->network);
    wm_path_free(b->path);
    wm_grid_release(&b->grid);
}

static struct wm_convey_proof prove(const char *machine, const char *wrappers, const struct wm_network_laws *laws)
{
    struct wm_convey_proof proof;
    struct wm_error error = {0};
    struct bench b;

    CU_ASSERT_EQUAL_FATAL(bench_open(&b, machine, wrappers, laws, &error), 0);
    wm_convey_prove(&proof, &b.network);
    bench_close(&b);
    return proof;
}

/* Behind a wrapper on line 1 the route stands on line 2. */
static void refutes(const struct wm_network_laws *laws, const char *sentence)
{
    struct wm_convey_proof proof = prove("node=2,core=2", "[{'wrapper': 'aggregate'}, " THREE_HOPS "]", laws);

    CU_ASSERT_FALSE(proof.proven);
    CU_ASSERT_EQUAL(proof.error.line, 2);
    CU_ASSERT_EQUAL(proof.error.column, 5);
    if (strcmp(proof.error.text, sentence) != 0) {
        printf("\n    wanted: %s\n    found:  %s\n", sentence, proof.error.text);
        CU_FAIL("another sentence");
    }
}

static void proof__passes_what_is_right(void)
{
    static const char *const machines[] = {"core=1",        "core=5",          "node=2,core=2",
                                           "node=7,core=3", "node=3,core=7",   "node=4,core=4,order=cyclic",
                                           "node=5,core=1", "node=3,core=1+4", "node=5,core=4+2+3,order=cyclic"};
    static const char *const paths[] = {"[" ROUTE(AXIS("all")) "]", "[" TWO_HOPS "]", "[" THREE_HOPS "]",
                                        "[" THREE_HOPS ", {'wrapper': 'remote', 'arguments': [{'symbol': 'mpi'}]}]"};

    for (size_t m = 0; m < sizeof machines / sizeof *machines; m++)
        for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
            struct wm_convey_proof proof = prove(machines[m], paths[i], NULL);

            CU_ASSERT(proof.proven);
            CU_ASSERT_STRING_EQUAL(proof.error.text, "");
            CU_ASSERT_FALSE(proof.sampled);
            CU_ASSERT_EQUAL(proof.pairs, (size_t)proof.ranks * (size_t)proof.ranks);
        }
}

/* On two nodes of two: four links a rank by one hop, and hops that one can count by hand. */
static void proof__counts_pairs_links_and_hops(void)
{
    struct wm_convey_proof proof = prove("node=2,core=2", "[" ROUTE(AXIS("all")) "]", NULL);

    CU_ASSERT(proof.links == 16 && proof.hops_least == 1 && proof.hops_most == 1 && proof.waits == 8);
    proof = prove("node=2,core=2", "[" TWO_HOPS "]", NULL);
    CU_ASSERT(proof.pairs == 16 && proof.hops_least == 1 && proof.hops_most == 2);
    CU_ASSERT_EQUAL(proof.hops_sum, 4 * (1 + 1 + 2 + 2));
    CU_ASSERT(proof.tag_bits == 1 && proof.tag_bytes == 1);
}

static void proof__takes_a_sample_of_a_large_machine(void)
{
    struct wm_convey_proof proof = prove("node=512,core=8", "[" THREE_HOPS "]", NULL);

    CU_ASSERT(proof.proven);
    CU_ASSERT(proof.sampled);
    CU_ASSERT(proof.pairs > 1000 && proof.pairs < 4096ul * 4096);
    CU_ASSERT(proof.hops_least == 1 && proof.hops_most == 3);
}

/* ---- broken laws ---- */

static void way_astray(const struct wm_route *route, int destination, int *outlet, uint32_t *tag)
{
    wm_route_way(route, destination == 3 && route->rank == 1 ? 2 : destination, outlet, tag);
}

static void way_too_large(const struct wm_route *route, int destination, int *outlet, uint32_t *tag)
{
    wm_route_way(route, destination, outlet, tag);
    *tag |= (uint32_t)(destination == 2) << route->tag_bits;
}

static void way_nowhere(const struct wm_route *route, int destination, int *outlet, uint32_t *tag)
{
    wm_route_way(route, destination, outlet, tag);
    *outlet += destination == 1 ? route->outlets : 0;
}

static struct wm_route_turn turn_for_ever(const struct wm_route *route, int hop, int link)
{
    struct wm_route_turn turn = wm_route_turn(route, hop, link);

    turn.base = route->hop[1].first_out;
    turn.mask = 0;
    return turn;
}

static int source_off(const struct wm_route *route, int link, uint32_t tag)
{
    int source = wm_route_source(route, link, tag);

    return route->rank == 2 && source == 1 ? 0 : source;
}

static void proof__refutes_items_that_go_astray(void)
{
    struct wm_network_laws laws = wm_network_laws_route;

    laws.way = way_astray;
    refutes(&laws, "an item from rank 1 to rank 3 comes to rank 2");
    laws.way = way_too_large;
    refutes(&laws, "an item from rank 0 to rank 2 has a tag of more bits than tags have, at rank 0 behind hop 0");
    laws.way = way_nowhere;
    refutes(&laws, "an item from rank 0 to rank 1 goes to a link that is not there, at rank 0 behind hop 0");
    laws = wm_network_laws_route;
    laws.turn = turn_for_ever;
    refutes(&laws, "an item from rank 0 to rank 2 goes on and on, at rank 2 behind hop 4");
    laws = wm_network_laws_route;
    laws.source = source_off;
    refutes(&laws, "an item from rank 1 to rank 2 is taken there to come from rank 0");
}

static struct wm_route_end *spoilt_end(struct wm_route *route, int hop, int link)
{
    return (struct wm_route_end *)&route->hop[hop].out[link];
}

static void end_elsewhere(struct wm_route *route)
{
    if (route->rank == 1)
        spoilt_end(route, 1, 0)->rank = 3;
}

static void end_beyond(struct wm_route *route)
{
    if (route->rank == 2)
        spoilt_end(route, 2, 1)->rank = 4;
}

static void end_missing(struct wm_route *route)
{
    if (route->rank == 3)
        spoilt_end(route, 2, 0)->rank = -1;
}

static void tags_too_small(struct wm_route *route)
{
    route->tag_bytes = 0;
}

static void proof__refutes_links_whose_ends_differ(void)
{
    struct wm_network_laws laws = wm_network_laws_route;

    laws.spoil = end_elsewhere;
    refutes(&laws, "the ends of a link differ: rank 1's link 0 of hop 2 leads to rank 3 as its link 0, which takes it "
                   "for link 0 of rank 3");
    laws.spoil = end_beyond;
    refutes(&laws, "rank 2's link 1 of hop 3 leads to rank 4, which is not there");
    laws.spoil = end_missing;
    refutes(&laws, "the ends of a link differ: rank 2's link 1 of hop 3 comes from rank 3 as its link 0, which takes "
                   "it for link 1 of rank -1");
    laws.spoil = tags_too_small;
    refutes(&laws, "tags of 2 bits do not go in 0 bytes");
}

/* ---- laws of another kind: the tag lists the outlets to come, and in the end the source ---- */

enum { OUTLET_BITS = 8, RANKS = 4 };

static struct wm_route *truth[RANKS];
static bool detours, alternates;
static int asked;

/* The outlets that an item takes by the laws of routes; returns how many. */
static int true_outlets(int source, int destination, int *outlets)
{
    const struct wm_route *route = truth[source];
    uint32_t tag;
    int hop = 0;

    wm_route_way(route, destination, &outlets[0], &tag);
    for (int count = 1;; count++) {
        struct wm_route_end end;
        struct wm_route_turn turn;

        while (outlets[count - 1] >= route->hop[hop].first_out + route->hop[hop].links)
            hop++;
        if (hop == 2)
            return count;
        end = route->hop[hop].out[outlets[count - 1] - route->hop[hop].first_out];
        route = truth[end.rank];
        turn = wm_route_turn(route, hop, end.link);
        outlets[count] = turn.base + (int)(tag & turn.mask);
        tag = tag >> turn.shift | turn.add;
    }
}

/* To the other core of the node: there by the first hop, back by it, and there by the last one. */
static int detour_outlets(int source, int destination, int *outlets)
{
    const struct wm_route *route = truth[source];

    outlets[0] = route->hop[0].first_out + destination % 2;
    outlets[1] = route->hop[0].first_out + source % 2;
    outlets[2] = route->hop[2].first_out + destination % 2;
    return 3;
}

static void way_listed(const struct wm_route *route, int destination, int *outlet, uint32_t *tag)
{
    bool fellow = route->rank != destination && route->rank / 2 == destination / 2;
    int outlets[3], count;

    if (fellow && detours && (!alternates || asked++ % 2 == 0))
        count = detour_outlets(route->rank, destination, outlets);
    else
        count = true_outlets(route->rank, destination, outlets);
    *outlet = outlets[0];
    *tag = (uint32_t)route->rank << OUTLET_BITS * (count - 1);
    for (int i = 1; i < count; i++)
        *tag |= (uint32_t)outlets[i] << OUTLET_BITS * (i - 1);
}

static struct wm_route_turn turn_listed(const struct wm_route *route, int hop, int link)
{
    (void)route, (void)hop, (void)link;
    return (struct wm_route_turn){.mask = (1u << OUTLET_BITS) - 1, .shift = OUTLET_BITS};
}

static int source_listed(const struct wm_route *route, int link, uint32_t tag)
{
    (void)route, (void)link;
    return (int)tag;
}

static void widen_tags(struct wm_route *route)
{
    route->tag_bits = 32;
    route->tag_bytes = 4;
}

static const struct wm_network_laws listed = {way_listed, turn_listed, source_listed, widen_tags};

static void open_truth(void)
{
    struct wm_error error = {0};
    struct wm_grid grid;
    int axes[3];

    CU_ASSERT_FATAL(fixture_grid(&grid, "node=2,core=2"));
    axes[0] = axes[2] = wm_grid_axis_find(&grid, "core");
    axes[1] = wm_grid_axis_find(&grid, "node");
    for (int r = 0; r < RANKS; r++)
        CU_ASSERT_EQUAL_FATAL(wm_route_new(&truth[r], &grid, axes, 3, r, &error), 0);
    wm_grid_release(&grid);
    detours = alternates = false;
    asked = 0;
}

static void close_truth(void)
{
    for (int r = 0; r < RANKS; r++)
        wm_route_free(truth[r]);
}

static void proof__does_not_care_what_tags_mean(void)
{
    struct wm_convey_proof proof;

    open_truth();
    proof = prove("node=2,core=2", "[" THREE_HOPS "]", &listed);
    CU_ASSERT(proof.proven);
    CU_ASSERT_EQUAL(proof.tag_bits, 2); /* the route's own */
    close_truth();
}

/* Every item arrives, from the right source, in order; but rank 0's ring to rank 1 waits for rank 1's to rank 0, which
 * waits for it. */
static void proof__refutes_buffers_that_wait_in_a_circle(void)
{
    open_truth();
    detours = true;
    refutes(&listed, "2 buffers wait for each other: the ring of rank 0's link 1 of hop 1, for the ring of rank 1's "
                     "link 0 of hop 1, for the first");
    close_truth();
}

static void proof__refutes_ways_that_change(void)
{
    open_truth();
    detours = alternates = true;
    refutes(&listed, "two items from rank 0 to rank 1 go different ways, so that one may overtake the other");
    close_truth();
}

/* ---- waits ---- */

static size_t cycle_of(const char *edges, uint64_t *cycle)
{
    struct wm_waits waits = {0};
    size_t length;

    for (const char *at = edges; *at != '\0'; at += at[2] == ' ' ? 3 : 2)
        wm_waits_add(&waits, (uint64_t)at[0], (uint64_t)at[1]);
    length = wm_waits_cycle(&waits, cycle, 3);
    wm_waits_release(&waits);
    return length;
}

static void waits__circles_are_found_wherever_they_are(void)
{
    uint64_t cycle[3];

    CU_ASSERT_EQUAL(cycle_of("", cycle), 0);
    CU_ASSERT_EQUAL(cycle_of("ab bc ac ad dc", cycle), 0);
    CU_ASSERT_EQUAL(cycle_of("aa", cycle), 1);
    CU_ASSERT_EQUAL(cycle[0], 'a');
    CU_ASSERT_EQUAL(cycle_of("ab bc ab cd dc", cycle), 2);
    CU_ASSERT(cycle[0] == 'c' && cycle[1] == 'd');
    CU_ASSERT_EQUAL(cycle_of("bc zb cd de ef fb ab", cycle), 5);
    CU_ASSERT(cycle[0] == 'b' && cycle[1] == 'c' && cycle[2] == 'd');
    CU_ASSERT_EQUAL(cycle_of("ad bd cd de ef fg gc", cycle), 5);
}

static void waits__many_edges_are_kept_once(void)
{
    struct wm_waits waits = {0};
    uint64_t cycle[1];

    for (int round = 0; round < 4; round++)
        for (uint64_t i = 0; i < 5000; i++)
            wm_waits_add(&waits, i, i + 1);
    CU_ASSERT_EQUAL(wm_waits_cycle(&waits, cycle, 1), 0);
    CU_ASSERT_EQUAL(waits.count, 5000);
    wm_waits_add(&waits, 5000, 0);
    CU_ASSERT_EQUAL(wm_waits_cycle(&waits, cycle, 1), 5001);
    wm_waits_release(&waits);
}

/* ---- the network, and what it is asked ---- */

static void network__is_refused_with_its_place(void)
{
    struct wm_error error = {0};
    struct bench b;

    CU_ASSERT_EQUAL(bench_open(&b, "node=2,core=2", "[{'wrapper': 'trace'}, " ROUTE(AXIS("node")) "]", NULL, &error),
                    -WM_EMAP);
    CU_ASSERT_STRING_EQUAL(error.text, "the route does not name axis 'core'; add it, or use the axis 'all' alone");
    CU_ASSERT(error.line == 2 && error.column == 5);
    bench_close(&b);
}

static void sample__is_spread_over_every_axis(void)
{
    bool nodes[512] = {false}, cores[8] = {false};
    int seen_nodes = 0, seen_cores = 0;

    for (int i = 0; i < 512; i++) {
        int rank = wm_network_sample(4096, 512, i);

        CU_ASSERT_FATAL(rank >= 0 && rank < 4096);
        seen_nodes += !nodes[rank / 8];
        seen_cores += !cores[rank % 8];
        nodes[rank / 8] = cores[rank % 8] = true;
    }
    CU_ASSERT_EQUAL(wm_network_sample(4096, 512, 0), 0);
    CU_ASSERT_EQUAL(wm_network_sample(4096, 512, 511), 4095);
    CU_ASSERT_EQUAL(seen_nodes, 512);
    CU_ASSERT_EQUAL(seen_cores, 8);
    for (int i = 0; i < 9; i++)
        CU_ASSERT_EQUAL(wm_network_sample(9, 9, i), i);
}

/* Routes that share tables are those that are made one by one. */
static void network__makes_the_routes_of_all_ranks(void)
{
    struct wm_error error = {0};
    struct bench b;

    CU_ASSERT_EQUAL_FATAL(bench_open(&b, "node=3,core=3+2", "[" THREE_HOPS "]", NULL, &error), 0);
    for (int r = 0; r < b.grid.ranks; r++) {
        const struct wm_route *shared = wm_network_route(&b.network, r);
        struct wm_route *own;

        CU_ASSERT_EQUAL_FATAL(wm_convey_design_route(&b.design, &b.grid, r, &own, &error), 0);
        CU_ASSERT(shared->cells == own->cells && shared->outlets == own->outlets);
        for (int h = 0; h < own->hops; h++) {
            size_t bytes = sizeof *own->hop[h].out * (size_t)own->hop[h].links;

            CU_ASSERT_EQUAL(memcmp(shared->hop[h].out, own->hop[h].out, bytes), 0);
            CU_ASSERT_EQUAL(memcmp(shared->hop[h].in, own->hop[h].in, bytes), 0);
        }
        CU_ASSERT_EQUAL(wm_route_bytes(shared), wm_route_bytes(own));
        wm_route_free(own);
    }
    bench_close(&b);
}

static void survey__finds_the_least_and_the_most(void)
{
    struct wm_error error = {0};
    struct wm_convey_form form;
    struct wm_survey survey;
    struct bench b;

    CU_ASSERT_EQUAL_FATAL(bench_open(&b, "node=3,core=3+2", "[" THREE_HOPS "]", NULL, &error), 0);
    form = wm_convey_form(&b.design, b.network.first, 8, false);
    wm_survey_make(&survey, &b.network, &form);
    CU_ASSERT_EQUAL(survey.looked, 8);
    CU_ASSERT(survey.least.total < survey.most.total);
    for (int r = 0; r < b.grid.ranks; r++) {
        size_t total = wm_convey_memory(&b.design, &form, wm_network_route(&b.network, r), b.grid.node).total;

        CU_ASSERT(total >= survey.least.total && total <= survey.most.total);
        CU_ASSERT(r != survey.least_rank || total == survey.least.total);
        CU_ASSERT(r != survey.most_rank || total == survey.most.total);
    }
    bench_close(&b);
}

static const struct check_case cases[] = {
    CASE(proof__passes_what_is_right),
    CASE(proof__counts_pairs_links_and_hops),
    CASE(proof__takes_a_sample_of_a_large_machine),
    CASE(proof__refutes_items_that_go_astray),
    CASE(proof__refutes_links_whose_ends_differ),
    CASE(proof__does_not_care_what_tags_mean),
    CASE(proof__refutes_buffers_that_wait_in_a_circle),
    CASE(proof__refutes_ways_that_change),
    CASE(waits__circles_are_found_wherever_they_are),
    CASE(waits__many_edges_are_kept_once),
    CASE(network__is_refused_with_its_place),
    CASE(network__makes_the_routes_of_all_ranks),
    CASE(sample__is_spread_over_every_axis),
    CASE(survey__finds_the_least_and_the_most),
};

CHECK_MAIN("tools/routes", cases)
