/* What a conveyor's run takes. */
#include "tools/predict/conveyor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EVERY_RANKS = 64, NEAR_MAX = 16 };

/* Items of one hop that go over links of a kind, and how many such links a rank has; a rank's. */
struct lane {
    double items, links;
};

enum pair { TO_ITSELF, TO_ITS_HOST, TO_OTHERS, PAIRS };

struct traffic {
    double share[PAIRS]; /* of items, by whom they are for */
    double seen[PAIRS];  /* items that were followed */
    struct lane lanes[WM_ROUTE_HOPS_MAX][WM_GRID_AXES_MAX][WM_NETWORK_MESSAGES + 1];
    double first_messages, last_messages, relays, crossings, hops, away; /* an item's, on average */
};

struct finding {
    struct wm_convey_time *out;
    const struct wm_model *model;
    struct wm_network *network;
    const struct wm_convey_form *form;
    double items;      /* that a rank pushes */
    double host_ranks; /* of the largest host */
    struct traffic traffic;
    struct wm_error *error;
};

const char *wm_convey_time_name(enum wm_convey_time_part part)
{
    static const char *const names[] = {
        [WM_CONVEY_TIME_PUSH] = "pushes",
        [WM_CONVEY_TIME_RELAY] = "relays, from hop to hop",
        [WM_CONVEY_TIME_CROSS] = "items through the node's memory",
        [WM_CONVEY_TIME_BUFFERS] = "buffers, handed over and waited for",
        [WM_CONVEY_TIME_CARD] = "waiting for the hosts' cards",
        [WM_CONVEY_TIME_PULL] = "pulls",
        [WM_CONVEY_TIME_END] = "the end, hop by hop",
    };

    return names[part];
}

/* ---- what the profile has ---- */

static int lacks(const struct finding *h, const char *what, const char *how)
{
    return wm_error_set(h->error, -WM_EINVAL,
                        "the profile does not say what %s; measure again, %s: mpirun -n 2 waymark profile -o "
                        "machine.json",
                        what, how);
}

static bool is_wanted(const struct wm_profile_row *row, enum wm_profile_section section, const char *name, int net)
{
    return row->section == section && row->net == net && strcmp(row->name, name) == 0;
}

/* A value at a size, in proportion between the rows around it; beyond the last as between the last two; below the
 * first as that. NaN: there is no such row. */
static double value_at(const struct wm_profile *p, enum wm_profile_section section, const char *name, int net,
                       int parameter, uint64_t bytes)
{
    const struct wm_profile_row *low = NULL, *high = NULL, *last = NULL;
    double at, from, to;

    for (size_t i = 0; i < p->row_count; i++) {
        const struct wm_profile_row *row = &p->rows[i];

        if (!is_wanted(row, section, name, net))
            continue;
        if (row->up_to >= bytes && (high == NULL || row->up_to < high->up_to))
            high = row;
        if (row->up_to < bytes && (low == NULL || row->up_to > low->up_to)) {
            last = low;
            low = row;
        } else if (row->up_to < bytes && (last == NULL || row->up_to > last->up_to)) {
            last = row;
        }
    }
    if (high == NULL) { /* beyond the last */
        high = low;
        low = last;
    }
    if (high == NULL)
        return NAN;
    to = (double)high->values[parameter].value;
    if (low == NULL)
        return to;
    from = (double)low->values[parameter].value;
    at = ((double)bytes - (double)low->up_to) / ((double)high->up_to - (double)low->up_to);
    return fmax(0, from + at * (to - from));
}

/* The header inlines the copies of these (waymark/convey.h). */
static bool is_inlined(uint64_t bytes)
{
    return bytes == 4 || bytes == 8 || bytes == 16 || bytes == 32 || bytes == 64 || bytes == 128;
}

static double item_value(const struct finding *h, int net, int parameter)
{
    uint64_t bytes = h->form->unit_bytes;

    return value_at(h->model->profile, WM_PROFILE_ITEM, is_inlined(bytes) ? "inlined" : "copied", net, parameter,
                    bytes);
}

static bool has_rows(const struct finding *h, enum wm_profile_section section, const char *name, int net)
{
    for (size_t i = 0; i < h->model->profile->row_count; i++)
        if (is_wanted(&h->model->profile->rows[i], section, name, net))
            return true;
    return false;
}

/* Whose rows stand for links of an axis. */
static const char *level_of(struct finding *h, int axis, bool near, int net)
{
    const char *own = wm_model_level_name(h->model->grid, axis), *usual = near ? "core" : "node";

    if (has_rows(h, WM_PROFILE_BUFFER, own, net))
        return own;
    h->out->measured = h->out->measured && strcmp(own, usual) == 0;
    return usual;
}

/* ---- the way of items ---- */

static enum pair pair_of(const struct wm_grid *grid, int source, int destination)
{
    if (source == destination)
        return TO_ITSELF;
    return grid->node[source] == grid->node[destination] ? TO_ITS_HOST : TO_OTHERS;
}

static int compare_nodes(const void *a, const void *b)
{
    return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

/* Which share of the items that ranks push is for whom, and how many ranks the largest host has. */
static int find_hosts(struct finding *h)
{
    const struct wm_grid *grid = h->model->grid;
    int *nodes = malloc(sizeof *nodes * (size_t)grid->ranks);
    double ranks = grid->ranks, near = 0;

    if (nodes == NULL)
        return wm_error_set(h->error, -WM_ENOMEM, "no memory for %d ranks", grid->ranks);
    memcpy(nodes, grid->node, sizeof *nodes * (size_t)grid->ranks);
    qsort(nodes, (size_t)grid->ranks, sizeof *nodes, compare_nodes);
    for (int r = 0, first = 0; r < grid->ranks; r++)
        if (r + 1 == grid->ranks || nodes[r + 1] != nodes[r]) {
            double here = r + 1 - first;

            near += here * (here - 1);
            h->host_ranks = fmax(h->host_ranks, here);
            first = r + 1;
        }
    free(nodes);
    h->traffic.share[TO_ITSELF] = 1 / ranks;
    h->traffic.share[TO_ITS_HOST] = near / ranks / ranks;
    h->traffic.share[TO_OTHERS] = 1 - 1 / ranks - near / ranks / ranks;
    return 0;
}

static void follow(struct finding *h, int source, int destination, double weight)
{
    struct traffic *t = &h->traffic;
    const struct wm_grid *grid = h->network->grid;
    struct wm_journey journey;

    wm_network_follow(h->network, source, destination, &journey);
    for (int i = 0; i < journey.count; i++) {
        const struct wm_leg *leg = &journey.legs[i];
        enum wm_network_net net = wm_network_net(h->network, leg->rank, leg->end.rank);
        int axis = net == WM_NETWORK_OWN ? 0 : wm_model_level(h->model, leg->rank, leg->end.rank);

        t->lanes[leg->hop][axis][net].items += weight;
        t->crossings += net == WM_NETWORK_MEMORY ? weight : 0;
        t->first_messages += i == 0 && net == WM_NETWORK_MESSAGES ? weight : 0;
        t->last_messages += i == journey.count - 1 && net == WM_NETWORK_MESSAGES ? weight : 0;
        t->away += grid->node[leg->rank] != grid->node[leg->end.rank] ? weight : 0;
    }
    t->hops += weight * journey.count;
    t->relays += weight * (journey.count - 1);
}

/* The i-th of those that a rank's items are followed to: itself, some of its host, some of all. */
static int destination_of(const struct finding *h, int source, int i)
{
    int ranks = h->network->ranks, peer = source;

    if (ranks <= EVERY_RANKS)
        return i;
    if (i == 0)
        return source;
    if (i > NEAR_MAX)
        return wm_network_sample(ranks, EVERY_RANKS, i - 1 - NEAR_MAX);
    for (int step = 1; step <= ranks && i > 0; step++) { /* hosts' ranks are mostly neighbours */
        peer = (source + step) % ranks;
        i -= h->network->grid->node[peer] == h->network->grid->node[source];
    }
    return peer;
}

static void each_pair(struct finding *h, bool count)
{
    struct traffic *t = &h->traffic;
    int ranks = h->network->ranks, sources = ranks < EVERY_RANKS ? ranks : EVERY_RANKS;
    int destinations = ranks <= EVERY_RANKS ? ranks : 1 + NEAR_MAX + EVERY_RANKS;

    for (int s = 0; s < sources; s++) {
        int source = wm_network_sample(ranks, sources, s);

        for (int i = 0; i < destinations; i++) {
            int destination = destination_of(h, source, i);
            enum pair pair = pair_of(h->network->grid, source, destination);

            if (count)
                t->seen[pair]++;
            else
                follow(h, source, destination, t->share[pair] / t->seen[pair]);
        }
    }
}

/* Links out of a rank, on average over some. */
static void count_links(struct finding *h)
{
    int ranks = h->network->ranks, some = ranks < EVERY_RANKS ? ranks : EVERY_RANKS;

    for (int i = 0; i < some; i++) {
        int rank = wm_network_sample(ranks, some, i);
        const struct wm_route *route = wm_network_route(h->network, rank);

        for (int hop = 0; hop < route->hops; hop++)
            for (int link = 0; link < route->hop[hop].links; link++) {
                int peer = route->hop[hop].out[link].rank;
                enum wm_network_net net = wm_network_net(h->network, rank, peer);
                int axis = net == WM_NETWORK_OWN || net == WM_NETWORK_UNUSED ? 0 : wm_model_level(h->model, rank, peer);

                h->traffic.lanes[hop][axis][net].links += 1.0 / some;
            }
    }
}

/* ---- what they cost ---- */

/* Sums in ps of a rank's items, until they are rounded. */
struct sums {
    double parts[WM_CONVEY_TIME_PARTS], drain;
};

/* Of some size: of others it may be too little to be told. */
static bool knows_relays(const struct wm_profile *p)
{
    for (size_t i = 0; i < p->row_count; i++)
        if (p->rows[i].section == WM_PROFILE_ITEM && p->rows[i].values[WM_ITEM_RELAY].value > 0)
            return true;
    return false;
}

static int add_items(struct finding *h, struct sums *s)
{
    const struct traffic *t = &h->traffic;
    double ring[WM_ITEM_COUNT], parcel[WM_ITEM_COUNT];

    for (int p = 0; p < WM_ITEM_COUNT; p++) {
        ring[p] = item_value(h, WM_NET_SHM, p);
        parcel[p] = item_value(h, WM_NET_MPI, p);
        if (isnan(parcel[p]))
            return lacks(h, "conveyors cost", "by this version");
        if (isnan(ring[p])) /* hosts with one rank each were measured */
            ring[p] = parcel[p];
    }
    if (t->relays > 0 && !knows_relays(h->model->profile))
        return lacks(h, "a relay costs", "with two ranks on a host");
    s->parts[WM_CONVEY_TIME_PUSH] =
        h->items * (t->first_messages * parcel[WM_ITEM_PUSH] + (1 - t->first_messages) * ring[WM_ITEM_PUSH]);
    s->parts[WM_CONVEY_TIME_PULL] =
        h->items * (t->last_messages * parcel[WM_ITEM_PULL] + (1 - t->last_messages) * ring[WM_ITEM_PULL]);
    s->parts[WM_CONVEY_TIME_CROSS] = h->items * t->crossings * ring[WM_ITEM_CROSS];
    s->parts[WM_CONVEY_TIME_RELAY] = h->items * t->relays * ring[WM_ITEM_RELAY];
    return 0;
}

static int add_rings(struct finding *h, struct sums *s, const struct lane *lane)
{
    const struct wm_profile *p = h->model->profile;
    double hand = value_at(p, WM_PROFILE_BUFFER, "core", WM_NET_SHM, WM_BUFFER_HAND, 0),
           wait = value_at(p, WM_PROFILE_BUFFER, "core", WM_NET_SHM, WM_BUFFER_WAIT, 0),
           pieces = h->form->buffers > 1 ? h->form->buffers : 2,
           units =
               h->form->buffers > 1 || h->form->units < 2 ? (double)h->form->units : floor((double)h->form->units / 2),
           items = h->items * lane->items;

    if (isnan(hand) && lane == &h->traffic.lanes[0][0][WM_NETWORK_OWN])
        return 0;
    if (isnan(hand))
        return lacks(h, "buffers in a host's memory cost", "with two ranks on a host");
    s->parts[WM_CONVEY_TIME_BUFFERS] += (hand + wait / pieces) * fmax(items / units, fmin(lane->links, items));
    return 0;
}

static int add_parcels(struct finding *h, struct sums *s, const struct lane *lane, const char *level)
{
    const struct wm_profile *p = h->model->profile;
    double units = (double)h->form->units, items = h->items * lane->items,
           filled = fmin(units, fmax(1, items / fmax(1, lane->links)));
    uint64_t bytes = (uint64_t)(filled * (double)(h->form->unit_bytes + h->form->tag_bytes));
    double hand = value_at(p, WM_PROFILE_BUFFER, level, WM_NET_MPI, WM_BUFFER_HAND, bytes),
           wait = value_at(p, WM_PROFILE_BUFFER, level, WM_NET_MPI, WM_BUFFER_WAIT, bytes);

    if (isnan(hand))
        return strcmp(level, "core") == 0
                   ? lacks(h, "conveyors' messages within a host cost", "with two ranks on a host")
                   : lacks(h, "conveyors' messages between hosts cost",
                           "with ranks on two hosts, as --hostfile names "
                           "them");
    s->parts[WM_CONVEY_TIME_BUFFERS] += (hand + wait / (h->form->buffers * fmax(1, lane->links))) * items / filled;
    return 0;
}

/* The slowest of a hop's kinds of links. */
static void add_end(struct finding *h, double *end, const char *level, int net)
{
    const struct wm_profile_row *row = wm_profile_find(h->model->profile, WM_PROFILE_CONVEYOR, level, net, 0, 0);

    if (row == NULL)
        return;
    *end = fmax(*end, (double)row->values[WM_CONVEYOR_END].value);
    h->out->begin =
        row->values[WM_CONVEYOR_BEGIN].value > h->out->begin ? row->values[WM_CONVEYOR_BEGIN].value : h->out->begin;
}

static int add_hop(struct finding *h, struct sums *s, int hop)
{
    double end = 0;
    int rc = 0;

    for (int axis = 0; axis < h->model->grid->axis_count; axis++)
        for (int net = WM_NETWORK_OWN; rc == 0 && net <= WM_NETWORK_MESSAGES; net++) {
            const struct lane *lane = &h->traffic.lanes[hop][axis][net];
            bool near = axis > wm_grid_axis_find(h->model->grid, "node");
            const char *level = "core";

            if (lane->items <= 0)
                continue;
            if (net == WM_NETWORK_MESSAGES)
                level = level_of(h, axis, near, WM_NET_MPI);
            rc = net == WM_NETWORK_MESSAGES ? add_parcels(h, s, lane, level) : add_rings(h, s, lane);
            add_end(h, &end, level, net == WM_NETWORK_MESSAGES ? WM_NET_MPI : WM_NET_SHM);
        }
    s->parts[WM_CONVEY_TIME_END] += end;
    return rc;
}

/* Ranks a core, at least 1. */
static double find_crowd(const struct finding *h)
{
    double cores = (double)h->model->host[WM_HOST_CORES];

    return cores > 0 && h->host_ranks > cores ? h->host_ranks / cores : 1;
}

/* Where the card is slower, what cores do is hidden behind it. */
static void add_card(struct finding *h, struct sums *s)
{
    double bytes = h->items * h->traffic.away * (double)(h->form->unit_bytes + h->form->tag_bytes) * h->host_ranks,
           rate = fmax((double)h->model->host[WM_HOST_OUT], (double)h->model->host[WM_HOST_IN]), busy = 0;

    for (int p = 0; p < WM_CONVEY_TIME_END; p++)
        busy += s->parts[p];
    h->out->card = llround(bytes * rate * 1e-3);
    s->parts[WM_CONVEY_TIME_CARD] = fmax(0, (double)h->out->card - busy);
}

/* Behind the last push come the end, and what lies in half of the last hop's buffers. */
static void find_drain(struct finding *h, const struct sums *s)
{
    int last = h->network->first->hops - 1;
    double links = 0, held;

    for (int axis = 0; axis < h->model->grid->axis_count; axis++)
        for (int net = WM_NETWORK_OWN; net <= WM_NETWORK_MESSAGES; net++)
            links += h->traffic.lanes[last][axis][net].links;
    held = fmin(h->items, links * (double)h->form->units / 2);
    h->out->drain = llround(s->parts[WM_CONVEY_TIME_END] +
                            held / h->items * (s->parts[WM_CONVEY_TIME_PULL] + s->parts[WM_CONVEY_TIME_CROSS]));
}

static int refuse(const struct wm_convey_design *d, const struct wm_convey_form *form, struct wm_error *error)
{
    const char *what = d->synchronous              ? "exchanges in bulk"
                       : d->codec != WM_CODEC_NONE ? "buffers that are compressed"
                       : d->apart != NULL          ? "buffers that 'delay' holds"
                       : form->elastic             ? "items of various sizes"
                                                   : NULL;

    return what == NULL ? 0
                        : wm_error_set(error, -WM_EINVAL,
                                       "conveyors with %s are not predicted; run them: mpirun … waymark report tells "
                                       "what they took",
                                       what);
}

int wm_convey_time_find(struct wm_convey_time *out, const struct wm_model *model, struct wm_network *network,
                        const struct wm_convey_form *form, uint64_t items, struct wm_error *error)
{
    struct finding h = {
        .out = out, .model = model, .network = network, .form = form, .items = (double)items, .error = error};
    struct sums s = {0};
    int rc = refuse(network->design, form, error);
    double crowd;

    *out = (struct wm_convey_time){.measured = true};
    if (rc == 0)
        rc = find_hosts(&h);
    if (rc < 0)
        return rc;
    each_pair(&h, true);
    each_pair(&h, false);
    count_links(&h);
    rc = add_items(&h, &s);
    for (int hop = 0; rc == 0 && hop < network->first->hops; hop++)
        rc = add_hop(&h, &s, hop);
    if (rc < 0)
        return rc;
    crowd = find_crowd(&h);
    for (int p = 0; p < WM_CONVEY_TIME_PARTS; p++)
        s.parts[p] *= crowd;
    out->crowded = crowd > 1;
    add_card(&h, &s);
    find_drain(&h, &s);
    for (int p = 0; p < WM_CONVEY_TIME_PARTS; p++)
        out->time += out->parts[p] = llround(s.parts[p]);
    out->begin = llround((double)out->begin * crowd * fmax(1, ceil(log2(network->ranks))));
    out->hops = h.traffic.hops;
    return 0;
}
