/* A network: the routes of all ranks of a conveyor, made as they are needed, and the way of any item. */
#include "tools/routes/network.h"

#include <stdlib.h>
#include <string.h>
#include "tools/proof/arena.h"

/* What may be kept, and looked at, at a time: links of routes, both ways. */
enum { LINKS_KEPT_MAX = 8 << 20, LINKS_MADE_MAX = 2 << 20, SLOTS_MIN = 16, SAMPLE_MIN = 8 };

const struct wm_network_laws wm_network_laws_route = {
    .way = wm_route_way, .turn = wm_route_turn, .source = wm_route_source};

static void spoil(const struct wm_network *n, struct wm_route *route)
{
    if (n->laws->spoil != NULL)
        n->laws->spoil(route);
}

int wm_network_init(struct wm_network *n, const struct wm_convey_design *design, const struct wm_grid *grid,
                    const struct wm_network_laws *laws, struct wm_error *error)
{
    int rc;

    *n = (struct wm_network){
        .design = design, .grid = grid, .laws = laws != NULL ? laws : &wm_network_laws_route, .ranks = grid->ranks};
    if ((rc = wm_convey_design_route(design, grid, 0, &n->first, error)) < 0)
        return rc;
    n->slots = LINKS_KEPT_MAX / (n->first->outlets > 0 ? n->first->outlets : 1);
    if (n->slots < SLOTS_MIN)
        n->slots = SLOTS_MIN;
    if (n->slots > n->ranks)
        n->slots = n->ranks;
    n->kept = calloc((size_t)n->slots, sizeof(struct wm_route *));
    if (n->kept != NULL)
        return 0;
    wm_network_release(n);
    return wm_error_set(error, -WM_ENOMEM, "no memory for the routes of %d ranks", n->ranks);
}

void wm_network_release(struct wm_network *n)
{
    for (int i = 0; n->kept != NULL && i < n->slots; i++)
        wm_route_free(n->kept[i]);
    free(n->kept);
    wm_route_free(n->first);
    n->kept = NULL;
    n->first = NULL;
}

const struct wm_route *wm_network_route(struct wm_network *n, int rank)
{
    struct wm_route **slot = &n->kept[rank % n->slots];

    if (*slot != NULL && (*slot)->rank == rank)
        return *slot;
    wm_route_free(*slot);
    if (wm_route_new_like(slot, n->first, rank) < 0)
        wm_proof_out_of_memory();
    spoil(n, *slot);
    return *slot;
}

int wm_network_sample_count(const struct wm_network *n, int fellows)
{
    int64_t cost = (int64_t)n->first->outlets * (1 + fellows), count = LINKS_MADE_MAX / (cost > 0 ? cost : 1);

    if (n->ranks <= WM_NETWORK_EVERY || count >= n->ranks)
        return n->ranks;
    return count < SAMPLE_MIN ? SAMPLE_MIN : (int)count;
}

static int common_divisor(int a, int b)
{
    while (b != 0) {
        int rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

/* One of each of so many strata, in ever another place of it: by a step of about the golden section. */
int wm_network_sample(int total, int count, int i)
{
    int width, step;

    if (count >= total)
        return i;
    if (i == count - 1)
        return total - 1;
    width = total / count;
    step = (int)(width * 0.618) + 1;
    while (common_divisor(step, width) != 1)
        step++;
    return (int)((int64_t)i * total / count + (int64_t)i * step % width);
}

enum wm_network_net wm_network_net(const struct wm_network *n, int rank, int peer)
{
    const int *node = n->grid->node;

    if (peer < 0)
        return WM_NETWORK_UNUSED;
    if (n->design->synchronous)
        return WM_NETWORK_MESSAGES;
    if (peer == rank)
        return WM_NETWORK_OWN;
    return node[peer] == node[rank] && n->design->inside != WM_CHOOSE_MPI ? WM_NETWORK_MEMORY : WM_NETWORK_MESSAGES;
}

/* ---- an item's way ---- */

/* Number of the hop that an outlet belongs to; hops where there is none. */
static int hop_of_outlet(const struct wm_route *route, int outlet)
{
    int hop = 0;

    while (hop < route->hops &&
           (outlet < route->hop[hop].first_out || outlet >= route->hop[hop].first_out + route->hop[hop].links))
        hop++;
    return hop;
}

static const char *take_leg(const struct wm_network *n, const struct wm_route *route, int outlet, uint32_t tag,
                            struct wm_journey *j)
{
    int hop = hop_of_outlet(route, outlet);
    struct wm_leg *leg = &j->legs[j->count];

    if (hop == route->hops)
        return "goes to a link that is not there";
    *leg = (struct wm_leg){route->rank, hop, outlet - route->hop[hop].first_out, tag, {-1, -1}};
    if (route->tag_bits < 32 && tag >> route->tag_bits != 0)
        return "has a tag of more bits than tags have";
    leg->end = route->hop[hop].out[leg->link];
    j->count++;
    if (leg->end.rank < 0 || leg->end.rank >= n->ranks)
        return "goes over a link that has no other end";
    return NULL;
}

const char *wm_network_follow(struct wm_network *n, int source, int destination, struct wm_journey *j)
{
    const struct wm_route *route = wm_network_route(n, source);
    const char *fault;
    int outlet;
    uint32_t tag;

    *j = (struct wm_journey){.source = source, .destination = destination, .told = -1};
    n->laws->way(route, destination, &outlet, &tag);
    while ((fault = take_leg(n, route, outlet, tag, j)) == NULL) {
        const struct wm_leg *leg = &j->legs[j->count - 1];
        struct wm_route_turn turn;

        route = wm_network_route(n, leg->end.rank);
        if (leg->end.link < 0 || leg->end.link >= route->hop[leg->hop].links)
            return "comes in at a link that is not there";
        if (leg->hop == route->hops - 1) {
            j->told = n->laws->source(route, leg->end.link, tag);
            return NULL;
        }
        if (j->count == WM_ROUTE_HOPS_MAX)
            return "goes on and on";
        turn = n->laws->turn(route, leg->hop, leg->end.link);
        outlet = turn.base + (int)(tag & turn.mask);
        tag = (uint32_t)((uint64_t)tag >> turn.shift) | turn.add;
    }
    return fault;
}
