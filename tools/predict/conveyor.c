/* What a conveyor's run takes. */
#include "tools/predict/conveyor.h"

#include <math.h>
#include <string.h>
#include "tools/predict/convey_traffic.h"

/* A rank that is busy so much longer than the others on average does not keep up. */
static const double behind = 1.25;

struct finding {
    struct wm_convey_time *out;
    const struct wm_model *model;
    struct wm_network *network;
    const struct wm_convey_form *form;
    double items;            /* that a rank pushes */
    double drain, mean_busy; /* ps: of the slowest hop's last item; what ranks are busy on average */
    struct wm_convey_traffics traffics;
    struct wm_error *error;
};

/* ps of a rank's, until they are rounded. */
struct sums {
    double parts[WM_CONVEY_TIME_PARTS], busy; /* busy: of all but the end and the cards */
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

/* `where`: what is to be measured on, and how it is launched. */
static const char here[] = "on a host with two ranks: mpirun -n 2",
                  hosts[] = "with two ranks on each of two hosts: mpirun -n 4 --hostfile hosts";

static int lacks(const struct finding *h, const char *what, const char *where)
{
    return wm_error_set(h->error, -WM_EINVAL,
                        "the profile does not say what %s; measure again, %s waymark profile -o machine.json", what,
                        where);
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
        } else if (row->up_to < bytes && row->up_to < low->up_to && (last == NULL || row->up_to > last->up_to)) {
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

static double item_value(const struct finding *h, int net, int parameter)
{
    uint64_t bytes = h->form->unit_bytes;

    return value_at(h->model->profile, WM_PROFILE_ITEM, wm_profile_item_kind(bytes), net, parameter, bytes);
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

/* ---- what items cost ---- */

/* Of some size: of others it may be too little to be told. */
static bool knows_relays(const struct wm_profile *p)
{
    for (size_t i = 0; i < p->row_count; i++)
        if (p->rows[i].section == WM_PROFILE_ITEM && p->rows[i].values[WM_ITEM_RELAY].value > 0)
            return true;
    return false;
}

static int add_items(struct finding *h, struct sums *s, const struct wm_convey_traffic *t)
{
    double ring[WM_ITEM_COUNT], parcel[WM_ITEM_COUNT];

    for (int p = 0; p < WM_ITEM_COUNT; p++) {
        ring[p] = item_value(h, WM_NET_SHM, p);
        parcel[p] = item_value(h, WM_NET_MPI, p);
        if (isnan(parcel[p]))
            return lacks(h, "conveyors cost", here);
        if (isnan(ring[p])) /* hosts with one rank each were measured */
            ring[p] = parcel[p];
    }
    if (t->relays > 0 && !knows_relays(h->model->profile))
        return lacks(h, "a relay costs", here);
    s->parts[WM_CONVEY_TIME_PUSH] =
        h->items * (t->pushed_messages * parcel[WM_ITEM_PUSH] + (t->pushes - t->pushed_messages) * ring[WM_ITEM_PUSH]);
    s->parts[WM_CONVEY_TIME_PULL] =
        h->items * (t->pulled_messages * parcel[WM_ITEM_PULL] + (t->pulls - t->pulled_messages) * ring[WM_ITEM_PULL]);
    s->parts[WM_CONVEY_TIME_CROSS] = h->items * t->crossings * ring[WM_ITEM_CROSS];
    s->parts[WM_CONVEY_TIME_RELAY] = h->items * t->relays * ring[WM_ITEM_RELAY];
    return 0;
}

/* Where hosts with one rank each were measured, messages have the cost of rings to oneself in theirs. */
static int add_rings(struct finding *h, struct sums *s, const struct wm_convey_lane *lane, bool own)
{
    const struct wm_profile *p = h->model->profile;
    double hand = value_at(p, WM_PROFILE_BUFFER, "core", WM_NET_SHM, WM_BUFFER_HAND, 0),
           wait = value_at(p, WM_PROFILE_BUFFER, "core", WM_NET_SHM, WM_BUFFER_WAIT, 0),
           units = (double)wm_convey_ring_units(h->form), items = h->items * lane->items;

    if (isnan(hand) && own)
        return 0;
    if (isnan(hand))
        return lacks(h, "buffers in a host's memory cost", here);
    s->parts[WM_CONVEY_TIME_BUFFERS] +=
        (hand + wait / wm_convey_ring_pieces(h->form)) * fmax(items / units, fmin(lane->links, items));
    return 0;
}

static int add_parcels(struct finding *h, struct sums *s, const struct wm_convey_lane *lane, const char *level)
{
    const struct wm_profile *p = h->model->profile;
    double units = (double)h->form->units, items = h->items * lane->items,
           filled = fmin(units, fmax(1, items / fmax(1, lane->links)));
    uint64_t bytes = (uint64_t)(filled * (double)(h->form->unit_bytes + h->form->tag_bytes));
    double hand = value_at(p, WM_PROFILE_BUFFER, level, WM_NET_MPI, WM_BUFFER_HAND, bytes),
           wait = value_at(p, WM_PROFILE_BUFFER, level, WM_NET_MPI, WM_BUFFER_WAIT, bytes);

    if (isnan(hand))
        return strcmp(level, "core") == 0 ? lacks(h, "conveyors' messages within a host cost", here)
                                          : lacks(h, "conveyors' messages between hosts cost", hosts);
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
    h->drain = fmax(h->drain, (double)row->values[WM_CONVEYOR_DRAIN].value);
    h->out->begin =
        row->values[WM_CONVEYOR_BEGIN].value > h->out->begin ? row->values[WM_CONVEYOR_BEGIN].value : h->out->begin;
}

static int add_hop(struct finding *h, struct sums *s, const struct wm_convey_traffic *t, int hop)
{
    const struct wm_grid *grid = h->model->grid;
    double end = 0;
    int rc = 0;

    for (int axis = 0; axis < grid->axis_count; axis++)
        for (int net = WM_NETWORK_OWN; rc == 0 && net <= WM_NETWORK_MESSAGES; net++) {
            const struct wm_convey_lane *lane = &t->lanes[hop][axis][net];
            bool messages = net == WM_NETWORK_MESSAGES;
            const char *level = "core";

            if (lane->items <= 0)
                continue;
            if (messages)
                level = level_of(h, axis, axis > wm_grid_axis_find(grid, "node"), WM_NET_MPI);
            rc = messages ? add_parcels(h, s, lane, level) : add_rings(h, s, lane, net == WM_NETWORK_OWN);
            add_end(h, &end, level, messages ? WM_NET_MPI : WM_NET_SHM);
        }
    s->parts[WM_CONVEY_TIME_END] += end;
    return rc;
}

/* ---- all of a run ---- */

static int add_rank(struct finding *h, struct sums *s, const struct wm_convey_traffic *t)
{
    int rc = add_items(h, s, t);

    for (int hop = 0; rc == 0 && hop < h->network->first->hops; hop++)
        rc = add_hop(h, s, t, hop);
    for (int p = 0; p < WM_CONVEY_TIME_END; p++)
        s->busy += s->parts[p];
    return rc;
}

/* The rank that is busy longest; whose end takes longest. */
static int find_busiest(struct finding *h, struct sums *most, const struct wm_convey_traffic **busiest)
{
    double end = 0;
    int rc = 0;

    *most = (struct sums){.busy = -1};
    for (int i = 0; rc == 0 && i < h->traffics.count; i++) {
        struct sums s = {0};

        rc = add_rank(h, &s, &h->traffics.of[i]);
        end = fmax(end, s.parts[WM_CONVEY_TIME_END]);
        h->mean_busy += s.busy / h->traffics.count;
        if (s.busy <= most->busy)
            continue;
        *most = s;
        *busiest = &h->traffics.of[i];
    }
    most->parts[WM_CONVEY_TIME_END] = end;
    return rc;
}

/* Ranks of the largest host share its cores. The busiest one may have one for itself. */
static void share_cores(struct finding *h, struct sums *s)
{
    double cores = (double)h->model->host[WM_HOST_CORES],
           crowd = cores > 0 && h->traffics.host_ranks > cores ? h->traffics.host_ranks / cores : 1,
           longer = s->busy > 0 ? fmax(1, crowd * h->mean_busy / s->busy) : crowd;

    for (int p = 0; p < WM_CONVEY_TIME_END; p++)
        s->parts[p] *= longer;
    s->parts[WM_CONVEY_TIME_END] *= crowd;
    s->busy *= longer;
    h->out->begin = llround((double)h->out->begin * crowd * fmax(1, ceil(log2(h->network->ranks))));
    h->out->crowded = crowd > 1;
}

/* Where the card is slower, what cores do is hidden behind it. */
static void add_card(struct finding *h, struct sums *s)
{
    double bytes = h->items * h->traffics.away * (double)(h->form->unit_bytes + h->form->tag_bytes) *
                   h->traffics.host_ranks,
           rate = fmax((double)h->model->host[WM_HOST_OUT], (double)h->model->host[WM_HOST_IN]);

    h->out->card = llround(bytes * rate * 1e-3);
    s->parts[WM_CONVEY_TIME_CARD] = fmax(0, (double)h->out->card - s->busy);
}

/* Items that a hop's links from others still hold when the last rank is done: of ranks that keep up a quarter of a
 * buffer each, seen in many runs; in front of relays of a rank that does not keep up all that there is room for. */
static double held_by(const struct finding *h, const struct wm_convey_traffic *t, int hop, bool full)
{
    double items = 0, links = 1, units = (double)h->form->units;

    for (int axis = 0; axis < h->model->grid->axis_count; axis++)
        for (int net = WM_NETWORK_MEMORY; net <= WM_NETWORK_MESSAGES; net++) {
            items += h->items * t->lanes[hop][axis][net].items;
            links = fmax(links, t->lanes[hop][axis][net].links);
        }
    return fmin(items, links * (full ? units * h->form->buffers : units / 4));
}

/* What is held is relayed over the hops to come, and pulled. */
static void find_drain(struct finding *h, const struct sums *s, const struct wm_convey_traffic *t, double busy)
{
    int last = h->network->first->hops - 1;
    double pull = (s->parts[WM_CONVEY_TIME_PULL] + s->parts[WM_CONVEY_TIME_CROSS]) / h->items,
           relay = t->relays > 0 ? s->parts[WM_CONVEY_TIME_RELAY] / h->items / t->relays : 0, drain = h->drain;

    for (int hop = 0; hop <= last; hop++)
        drain += held_by(h, t, hop, hop < last && busy > behind * h->mean_busy) * (pull + (last - hop) * relay);
    h->out->drain = llround(drain);
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
                                       "conveyors with %s are not predicted; trace a run of them, and 'waymark report' "
                                       "says what it took",
                                       what);
}

static int find(struct finding *h)
{
    const struct wm_convey_traffic *busiest = NULL;
    struct sums s;
    double busy;
    int rc = find_busiest(h, &s, &busiest);

    if (rc < 0)
        return rc;
    busy = s.busy;
    share_cores(h, &s);
    add_card(h, &s);
    find_drain(h, &s, busiest, busy);
    for (int p = 0; p < WM_CONVEY_TIME_PARTS; p++)
        h->out->time += h->out->parts[p] = llround(s.parts[p]);
    h->out->time = h->out->time > 0 ? h->out->time : 1; /* of a profile that says so */
    h->out->drain = h->out->drain < h->out->time ? h->out->drain : h->out->time;
    h->out->hops = h->traffics.hops;
    return 0;
}

int wm_convey_time_find(struct wm_convey_time *out, const struct wm_model *model, struct wm_network *network,
                        const struct wm_convey_form *form, uint64_t items, struct wm_error *error)
{
    struct finding h = {
        .out = out, .model = model, .network = network, .form = form, .items = (double)items, .error = error};
    int rc = refuse(network->design, form, error);

    *out = (struct wm_convey_time){.measured = true};
    if (rc == 0 && (rc = wm_convey_traffics_init(&h.traffics, model, network)) < 0)
        wm_error_set(error, rc, "no memory for the ways of items between %d ranks", network->ranks);
    if (rc == 0)
        rc = find(&h);
    wm_convey_traffics_release(&h.traffics);
    return rc;
}
