/* How many items go over which links. */
#include "tools/predict/convey_traffic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NEAR_MAX = 16 };

/* Whom an item is for. */
enum pair { TO_ITSELF, TO_ITS_HOST, TO_OTHERS, PAIRS };

struct following {
    struct wm_convey_traffics *traffics;
    const struct wm_model *model;
    struct wm_network *network;
    double share[PAIRS]; /* of all items */
    double seen[PAIRS];  /* pairs that are followed */
};

static int compare_nodes(const void *a, const void *b)
{
    return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

/* Which share of the items is for whom, and how many ranks the largest host has. */
static int find_hosts(struct following *f)
{
    const struct wm_grid *grid = f->model->grid;
    int *nodes = malloc(sizeof *nodes * (size_t)grid->ranks);
    double ranks = grid->ranks, near = 0;

    if (nodes == NULL)
        return -WM_ENOMEM;
    memcpy(nodes, grid->node, sizeof *nodes * (size_t)grid->ranks);
    qsort(nodes, (size_t)grid->ranks, sizeof *nodes, compare_nodes);
    for (int r = 0, first = 0; r < grid->ranks; r++)
        if (r + 1 == grid->ranks || nodes[r + 1] != nodes[r]) {
            double here = r + 1 - first;

            near += here * (here - 1);
            f->traffics->host_ranks = fmax(f->traffics->host_ranks, here);
            first = r + 1;
        }
    free(nodes);
    f->share[TO_ITSELF] = 1 / ranks;
    f->share[TO_ITS_HOST] = near / ranks / ranks;
    f->share[TO_OTHERS] = 1 - 1 / ranks - near / ranks / ranks;
    return 0;
}

static enum pair pair_of(const struct wm_grid *grid, int source, int destination)
{
    if (source == destination)
        return TO_ITSELF;
    return grid->node[source] == grid->node[destination] ? TO_ITS_HOST : TO_OTHERS;
}

static struct wm_convey_traffic *of_rank(const struct following *f, int rank)
{
    return &f->traffics->of[f->traffics->count > 1 ? rank : 0];
}

static int axis_of(const struct following *f, int rank, int peer, enum wm_network_net net)
{
    return net == WM_NETWORK_MEMORY || net == WM_NETWORK_MESSAGES ? wm_model_level(f->model, rank, peer) : 0;
}

static void follow_leg(struct following *f, const struct wm_journey *journey, int i, double weight)
{
    const struct wm_leg *leg = &journey->legs[i];
    enum wm_network_net net = wm_network_net(f->network, leg->rank, leg->end.rank);
    struct wm_convey_traffic *from = of_rank(f, leg->rank), *to = of_rank(f, leg->end.rank);
    int axis = axis_of(f, leg->rank, leg->end.rank, net);
    double messages = net == WM_NETWORK_MESSAGES ? weight : 0, crossing = net == WM_NETWORK_MEMORY ? weight / 2 : 0;

    from->lanes[leg->hop][axis][net].items += weight / 2;
    to->lanes[leg->hop][axis][net].items += weight / 2;
    from->crossings += crossing;
    to->crossings += crossing;
    if (i == 0) {
        from->pushes += weight;
        from->pushed_messages += messages;
    } else
        from->relays += weight;
    if (i == journey->count - 1) {
        to->pulls += weight;
        to->pulled_messages += messages;
    }
    if (f->network->grid->node[leg->rank] != f->network->grid->node[leg->end.rank])
        f->traffics->away += weight / f->traffics->count;
}

/* The i-th rank that a rank's items are followed to: all in turn, or itself, some of its host, some of all. */
static int destination_of(const struct following *f, int source, int i)
{
    int ranks = f->network->ranks, peer = source;

    if (ranks <= WM_CONVEY_TRAFFIC_RANKS)
        return i;
    if (i == 0)
        return source;
    if (i > NEAR_MAX)
        return wm_network_sample(ranks, WM_CONVEY_TRAFFIC_RANKS, i - 1 - NEAR_MAX);
    for (int step = 1; step <= ranks && i > 0; step++) { /* hosts' ranks are mostly neighbours */
        peer = (source + step) % ranks;
        i -= f->network->grid->node[peer] == f->network->grid->node[source];
    }
    return peer;
}

/* A weight is such that all items together make one for each traffic. */
static void each_pair(struct following *f, bool count)
{
    int ranks = f->network->ranks, sources = ranks < WM_CONVEY_TRAFFIC_RANKS ? ranks : WM_CONVEY_TRAFFIC_RANKS;
    int destinations = ranks <= WM_CONVEY_TRAFFIC_RANKS ? ranks : 1 + NEAR_MAX + WM_CONVEY_TRAFFIC_RANKS;

    for (int i = 0; i < sources * destinations; i++) {
        int source = wm_network_sample(ranks, sources, i / destinations),
            destination = destination_of(f, source, i % destinations);
        enum pair pair = pair_of(f->network->grid, source, destination);
        double weight = f->traffics->count * f->share[pair] / f->seen[pair];
        struct wm_journey journey;

        if (count) {
            f->seen[pair]++;
            continue;
        }
        wm_network_follow(f->network, source, destination, &journey);
        for (int leg = 0; leg < journey.count; leg++)
            follow_leg(f, &journey, leg, weight);
        f->traffics->hops += weight * journey.count / f->traffics->count;
    }
}

static void count_links(struct following *f, int rank, double weight)
{
    const struct wm_route *route = wm_network_route(f->network, rank);

    for (int hop = 0; hop < route->hops; hop++)
        for (int link = 0; link < route->hop[hop].links; link++) {
            int peer = route->hop[hop].out[link].rank;
            enum wm_network_net net = wm_network_net(f->network, rank, peer);

            of_rank(f, rank)->lanes[hop][axis_of(f, rank, peer, net)][net].links += weight;
        }
}

int wm_convey_traffics_init(struct wm_convey_traffics *traffics, const struct wm_model *model,
                            struct wm_network *network)
{
    struct following f = {.traffics = traffics, .model = model, .network = network};
    int some = network->ranks < WM_CONVEY_TRAFFIC_RANKS ? network->ranks : WM_CONVEY_TRAFFIC_RANKS;

    *traffics = (struct wm_convey_traffics){.count = network->ranks <= WM_CONVEY_TRAFFIC_RANKS ? network->ranks : 1};
    traffics->of = calloc((size_t)traffics->count, sizeof *traffics->of);
    if (traffics->of == NULL || find_hosts(&f) < 0)
        return -WM_ENOMEM;
    each_pair(&f, true);
    each_pair(&f, false);
    for (int i = 0; i < some; i++)
        count_links(&f, wm_network_sample(network->ranks, some, i), traffics->count > 1 ? 1 : 1.0 / some);
    return 0;
}

void wm_convey_traffics_release(struct wm_convey_traffics *traffics)
{
    free(traffics->of);
    *traffics = (struct wm_convey_traffics){0};
}
