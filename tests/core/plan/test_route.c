/* Routes of conveyors: every item followed hop by hop, by links and tags alone. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/plan/convey/route.h"
#include "tests/check.h"
#include "tests/fixture.h"

enum { RANKS_MAX = 64 };

/* A grid, and the routes of all its ranks. */
struct net {
    char text[128];
    struct wm_grid grid;
    struct wm_route *routes[RANKS_MAX];
};

static int read_axes(const struct wm_grid *grid, const char *names, int *axes)
{
    char copy[64], *next;
    int count = 0;

    snprintf(copy, sizeof copy, "%s", names);
    for (char *name = strtok_r(copy, " ", &next); name != NULL; name = strtok_r(NULL, " ", &next))
        axes[count++] = wm_grid_axis_find(grid, name);
    return count;
}

static void net_open(struct net *net, const char *machine, const char *names)
{
    int axes[WM_ROUTE_HOPS_MAX], count;
    struct wm_error error = {0};

    snprintf(net->text, sizeof net->text, "%s on %s", names, machine);
    CU_ASSERT_FATAL(fixture_grid(&net->grid, machine));
    count = read_axes(&net->grid, names, axes);
    for (int r = 0; r < net->grid.ranks; r++) {
        CU_ASSERT_EQUAL_FATAL(wm_route_new(&net->routes[r], &net->grid, axes, count, r, &error), 0);
        CU_ASSERT_EQUAL(net->routes[r]->rank, r);
        CU_ASSERT_EQUAL(net->routes[r]->hops, count);
    }
}

static void net_close(struct net *net)
{
    for (int r = 0; r < net->grid.ranks; r++)
        wm_route_free(net->routes[r]);
    wm_grid_release(&net->grid);
}

static bool tag_fits(const struct wm_route *route, uint32_t tag)
{
    return route->tag_bits == 32 || tag >> route->tag_bits == 0;
}

static int hop_of_outlet(const struct wm_route *route, int outlet)
{
    int hop = 0;

    while (outlet >= route->hop[hop].first_out + route->hop[hop].links)
        hop++;
    return hop;
}

/* Bring an item from `source` where it goes; returns the source that it tells there, *arrived and *hops, or -1. */
static int follow(struct wm_route *const *routes, int source, int destination, int *arrived, int *hops)
{
    const struct wm_route *route = routes[source];
    int outlet;
    uint32_t tag;

    wm_route_way(route, destination, &outlet, &tag);
    for (*hops = 1;; ++*hops) {
        int hop = hop_of_outlet(route, outlet);
        struct wm_route_end end = route->hop[hop].out[outlet - route->hop[hop].first_out];
        struct wm_route_turn turn;

        if (end.rank < 0 || !tag_fits(route, tag))
            return -1;
        route = routes[end.rank];
        *arrived = end.rank;
        if (hop == route->hops - 1)
            return wm_route_source(route, end.link, tag);
        turn = wm_route_turn(route, hop, end.link);
        outlet = turn.base + (int)(tag & turn.mask);
        tag = tag >> turn.shift | turn.add;
    }
}

static bool delivers(const struct net *net)
{
    for (int s = 0; s < net->grid.ranks; s++)
        for (int d = 0; d < net->grid.ranks; d++) {
            int arrived = -1, hops = 0, told = follow(net->routes, s, d, &arrived, &hops);

            if (told != s || arrived != d || hops > net->routes[s]->hops) {
                printf("\n    %s: %d to %d arrives at %d from %d\n", net->text, s, d, arrived, told);
                return false;
            }
        }
    return true;
}

/* Each link names the other end, which names it. */
static bool ends_agree(const struct net *net)
{
    for (int r = 0; r < net->grid.ranks; r++)
        for (int h = 0; h < net->routes[r]->hops; h++) {
            const struct wm_route_hop *hop = &net->routes[r]->hop[h];

            for (int link = 0; link < hop->links; link++) {
                struct wm_route_end out = hop->out[link], in = hop->in[link], back;

                back = out.rank < 0 ? (struct wm_route_end){r, link} : net->routes[out.rank]->hop[h].in[out.link];
                if (back.rank != r || back.link != link)
                    return false;
                back = in.rank < 0 ? (struct wm_route_end){r, link} : net->routes[in.rank]->hop[h].out[in.link];
                if (back.rank != r || back.link != link)
                    return false;
            }
        }
    return true;
}

static void expect_net(const char *machine, const char *names)
{
    struct net net = {.text = ""};

    net_open(&net, machine, names);
    CU_ASSERT(delivers(&net));
    CU_ASSERT(ends_agree(&net));
    net_close(&net);
}

static const char *const two_axes[] = {"all", "node core", "core node", "core node core", "node core node"};
static const char *const three_axes[] = {"all",
                                         "node socket core",
                                         "node core socket",
                                         "socket node core",
                                         "socket core node",
                                         "core node socket",
                                         "core socket node",
                                         "core node",
                                         "core node core"};

#define EACH(names, i) for (size_t i = 0; i < sizeof names / sizeof *names; i++)

static void route__every_item_arrives_once_with_its_source(void)
{
    char machine[64];

    for (int nodes = 1; nodes <= 8; nodes++)
        for (int cores = 1; nodes * cores <= 40 && cores <= 9; cores++)
            for (int cyclic = 0; cyclic < 2; cyclic++) {
                snprintf(machine, sizeof machine, "node=%d,core=%d%s", nodes, cores, cyclic ? ",order=cyclic" : "");
                EACH(two_axes, i)
                expect_net(machine, two_axes[i]);
            }
}

/* Sizes that no pattern made: nodes of any number of cores, dealt out in either order. */
static void route__ragged_grids_are_no_exception(void)
{
    unsigned seed = 7;

    for (int trial = 0; trial < 150; trial++) {
        char machine[128] = "";
        int nodes = 1 + (int)((seed = seed * 1103515245 + 12345) >> 16) % 7, ranks = 0;

        snprintf(machine, sizeof machine, "node=%d,core=", nodes);
        for (int n = 0; n < nodes; n++) {
            int left = 40 - ranks - (nodes - n - 1), cores = 1 + (int)((seed = seed * 1103515245 + 12345) >> 16) % 9;

            ranks += cores < left ? cores : left;
            snprintf(machine + strlen(machine), sizeof machine - strlen(machine), "%s%d", n > 0 ? "+" : "",
                     cores < left ? cores : left);
        }
        strcat(machine, trial % 2 ? ",order=cyclic" : "");
        expect_net(machine, two_axes[(size_t)trial % 5]);
    }
}

static void route__three_axes_go_in_any_order(void)
{
    static const char *const machines[] = {"node=3,core=6,socket=2", "node=2,core=5,socket=2",
                                           "node=3,core=7+3+5,socket=3", "node=2,core=6,socket=3,order=cyclic",
                                           "node=1,core=4,socket=2"};

    EACH(machines, m)
    EACH(three_axes, i)
    expect_net(machines[m], three_axes[i]);
}

static void route__core_node_core_has_one_link_between_two_nodes(void)
{
    struct net net = {.text = ""};
    int links[6][6] = {{0}};

    net_open(&net, "node=6,core=3", "core node core");
    for (int r = 0; r < 18; r++)
        for (int link = 0; link < net.routes[r]->hop[1].links; link++)
            if (net.routes[r]->hop[1].out[link].rank >= 0)
                links[r / 3][net.routes[r]->hop[1].out[link].rank / 3]++;
    for (int from = 0; from < 6; from++)
        for (int to = 0; to < 6; to++)
            CU_ASSERT_EQUAL(links[from][to], 1);
    net_close(&net);
}

static void route__what_no_item_uses_has_no_end(void)
{
    struct net net = {.text = ""};

    net_open(&net, "node=2,core=3+1", "core node");
    CU_ASSERT_EQUAL(net.routes[0]->hop[0].out[0].rank, -1); /* to itself, with a hop to come */
    CU_ASSERT_EQUAL(net.routes[0]->hop[1].out[0].rank, 0);
    CU_ASSERT_EQUAL(net.routes[3]->cells, 3);
    CU_ASSERT_EQUAL(net.routes[3]->hop[0].out[1].rank, 3); /* to a cell that it hosts */
    CU_ASSERT_EQUAL(net.routes[3]->hop[0].out[1].link, 3);
    CU_ASSERT_EQUAL(net.routes[3]->hop[0].out[3].rank, -1); /* from there nobody sets out */
    CU_ASSERT_EQUAL(net.routes[3]->hop[1].out[2].rank, 1);
    CU_ASSERT_EQUAL(net.routes[1]->hop[1].out[1].rank, -1); /* nor arrives */
    net_close(&net);
}

static void route__an_item_for_oneself_takes_one_hop(void)
{
    struct net net = {.text = ""};
    int arrived, hops;

    net_open(&net, "node=3,core=2", "core node");
    for (int r = 0; r < 6; r++) {
        CU_ASSERT_EQUAL(follow(net.routes, r, r, &arrived, &hops), r);
        CU_ASSERT_EQUAL(hops, 1);
    }
    net_close(&net);
}

static void expect_tag(const char *machine, const char *names, int bits, int bytes, bool arithmetic)
{
    int axes[WM_ROUTE_HOPS_MAX], count;
    struct wm_error error = {0};
    struct wm_route *route;
    struct wm_grid grid;

    CU_ASSERT_FATAL(fixture_grid(&grid, machine));
    count = read_axes(&grid, names, axes);
    CU_ASSERT_EQUAL_FATAL(wm_route_new(&route, &grid, axes, count, 0, &error), 0);
    CU_ASSERT_EQUAL(route->tag_bits, bits);
    CU_ASSERT_EQUAL(route->tag_bytes, bytes);
    CU_ASSERT_EQUAL(route->arithmetic, arithmetic);
    wm_route_free(route);
    wm_grid_release(&grid);
}

static void route__tags_are_as_small_as_will_do(void)
{
    expect_tag("node=4,core=8", "all", 0, 0, true);
    expect_tag("node=1,core=8", "core node", 3, 1, true);
    expect_tag("node=8,core=8", "core node", 3, 1, true);
    expect_tag("node=8,core=8,order=cyclic", "core node", 3, 1, true);
    expect_tag("node=300,core=8", "core node", 9, 2, true);
    expect_tag("node=8,core=8+7", "core node", 3, 1, false);
    expect_tag("node=64,core=16", "core node core", 8, 1, true);
    expect_tag("node=512,core=16", "core node core", 9, 2, true);
}

/* 131,072 ranks: what the route of the paper's section 4.3.1 is for. Routes are made of those on the way alone. */
static void route__serves_large_machines(void)
{
    enum { NODES = 4096, CORES = 32, RANKS = NODES * CORES, SAMPLES = 40 };
    static struct wm_route *routes[RANKS];
    int axes[3], pairs[SAMPLES][2];
    struct wm_error error = {0};
    struct wm_grid grid;
    unsigned seed = 3;

    CU_ASSERT_FATAL(fixture_grid(&grid, "node=4096,core=32"));
    read_axes(&grid, "core node core", axes);
    for (int i = 0; i < SAMPLES; i++) {
        int x, y, relays[4];

        pairs[i][0] = (int)((seed = seed * 1103515245 + 12345) >> 8) % RANKS;
        pairs[i][1] = (int)((seed = seed * 1103515245 + 12345) >> 8) % RANKS;
        x = pairs[i][0] / CORES;
        y = pairs[i][1] / CORES;
        memcpy(relays, (int[]){pairs[i][0], x * CORES + y % CORES, y * CORES + x % CORES, pairs[i][1]}, sizeof relays);
        for (int j = 0; j < 4; j++)
            if (routes[relays[j]] == NULL)
                CU_ASSERT_EQUAL_FATAL(wm_route_new(&routes[relays[j]], &grid, axes, 3, relays[j], &error), 0);
    }
    for (int i = 0; i < SAMPLES; i++) {
        int arrived = -1, hops;

        CU_ASSERT_EQUAL(follow(routes, pairs[i][0], pairs[i][1], &arrived, &hops), pairs[i][0]);
        CU_ASSERT_EQUAL(arrived, pairs[i][1]);
    }
    CU_ASSERT_EQUAL(routes[pairs[0][0]]->outlets, 32 + 128 + 32);
    CU_ASSERT(routes[pairs[0][0]]->arithmetic && wm_route_bytes(routes[pairs[0][0]]) < 8192);
    for (int r = 0; r < RANKS; r++)
        wm_route_free(routes[r]);
    wm_grid_release(&grid);
}

static void expect_refusal(const char *machine, const char *names, const char *sentence)
{
    int axes[2 * WM_ROUTE_HOPS_MAX], count;
    struct wm_error error = {0};
    struct wm_route *route;
    struct wm_grid grid;

    CU_ASSERT_FATAL(fixture_grid(&grid, machine));
    count = read_axes(&grid, names, axes);
    CU_ASSERT_EQUAL(wm_route_new(&route, &grid, axes, count, 0, &error), -WM_EMAP);
    CU_ASSERT_PTR_NULL(route);
    CU_ASSERT_STRING_EQUAL(error.text, sentence);
    wm_grid_release(&grid);
}

static void route__wrong_axes_are_named(void)
{
    expect_refusal("node=2,core=2", "core", "the route does not name axis 'node'; add it, or use the axis 'all' alone");
    expect_refusal("node=2,core=2", "all node", "the axis 'all' reaches every rank in one hop; name it alone");
    expect_refusal("node=2,core=2", "all core all", "the axis 'all' reaches every rank in one hop; name it alone");
    expect_refusal("node=2,core=2", "core core node",
                   "the route names axis 'core' twice, but only the first and the last of three hops may be over one "
                   "axis; take one out");
    expect_refusal("node=2,core=2", "core node core node",
                   "the route names axis 'core' twice, but only the first and the last of three hops may be over one "
                   "axis; take one out");
    expect_refusal("node=2,core=2", "core node core node core", "a route has 1 to 4 hops, not 5");
}

static void route__a_grid_that_is_too_ragged_is_refused(void)
{
    expect_refusal("node=2,core=70000+1", "core node",
                   "the grid is too ragged for this route, since rank 70000 would stand in for 69999 others; use the "
                   "axis 'all' alone");
}

static const struct check_case cases[] = {
    CASE(route__every_item_arrives_once_with_its_source),
    CASE(route__ragged_grids_are_no_exception),
    CASE(route__three_axes_go_in_any_order),
    CASE(route__core_node_core_has_one_link_between_two_nodes),
    CASE(route__what_no_item_uses_has_no_end),
    CASE(route__an_item_for_oneself_takes_one_hop),
    CASE(route__tags_are_as_small_as_will_do),
    CASE(route__serves_large_machines),
    CASE(route__wrong_axes_are_named),
    CASE(route__a_grid_that_is_too_ragged_is_refused),
};

CHECK_MAIN("route", cases)
