/* What follows from a conveyor's design: its route, the form of its buffers, its memory. */
#include "core/plan/convey/form.h"

static int place(const struct wm_wrapper *wrapper, int rc, struct wm_error *error)
{
    if (wrapper != NULL)
        wm_error_place(error, NULL, wrapper->line, wrapper->column);
    return rc;
}

int wm_convey_design_route(const struct wm_convey_design *design, const struct wm_grid *grid, int rank,
                           struct wm_route **route, struct wm_error *error)
{
    *route = NULL;
    if (design->between == WM_CHOOSE_SHM && !wm_grid_is_one_node(grid))
        return place(design->remote,
                     wm_error_set(error, -WM_EMAP,
                                  "shared memory does not reach the ranks of other nodes; write (remote 'shm 'mpi)"),
                     error);
    return place(design->route, wm_route_new(route, grid, design->axes, design->hops, rank, error), error);
}

/* ---- memory ---- */

static size_t round_up(size_t bytes)
{
    return (bytes + 63) & ~(size_t)63;
}

struct wm_convey_form wm_convey_form(const struct wm_convey_design *design, const struct wm_route *route,
                                     size_t item_bytes, bool elastic)
{
    struct wm_convey_form form = {.buffer_bytes = design->buffer_bytes,
                                  .due_bytes = design->apart != NULL ? WM_CONVEY_DUE_BYTES : 0,
                                  .buffers = design->buffers,
                                  .elastic = elastic};
    size_t least = elastic ? WM_ELASTIC_UNITS_MIN : 1;

    form.unit_bytes = elastic ? WM_ELASTIC_UNIT_BYTES : item_bytes > 0 ? item_bytes : 1;
    form.tag_bytes = elastic ? 0 : (size_t)route->tag_bytes;
    form.units = design->buffer_bytes / (form.unit_bytes + form.tag_bytes);
    if (form.units > WM_UNITS_ROUNDED)
        form.units &= ~(size_t)7;
    if (form.units < least)
        form.units = least;
    return form;
}

static size_t room_of(const struct wm_convey_form *form)
{
    size_t filled = form->units * (form->unit_bytes + form->tag_bytes);

    return filled > form->buffer_bytes ? filled : form->buffer_bytes;
}

size_t wm_convey_ring_bytes(const struct wm_convey_form *form)
{
    return round_up(3 * 64 + (size_t)form->buffers * room_of(form));
}

size_t wm_convey_ring_units(const struct wm_convey_form *form)
{
    return form->buffers > 1 || form->units < 2 ? form->units : form->units / 2;
}

int wm_convey_ring_pieces(const struct wm_convey_form *form)
{
    return form->buffers > 1 ? form->buffers : 2;
}

size_t wm_convey_parcel_bytes(const struct wm_convey_form *form)
{
    return round_up(WM_CONVEY_HEADER_BYTES + room_of(form) + form->due_bytes);
}

enum { UNDER_WAY_MAX = 8, SOURCES_MAX = 4, PARCELS_IN_MIN = 2, PARCELS_IN_MAX = 16 };

int wm_convey_parcels_out(const struct wm_convey_form *form, int links)
{
    long more = (long)links * (form->buffers - 1);

    return links + (int)(more < UNDER_WAY_MAX ? more : UNDER_WAY_MAX);
}

int wm_convey_parcels_in(const struct wm_convey_form *form, int links)
{
    int parcels = (links < SOURCES_MAX ? links : SOURCES_MAX) * form->buffers;

    if (links == 0)
        return 0;
    return parcels < PARCELS_IN_MIN ? PARCELS_IN_MIN : parcels > PARCELS_IN_MAX ? PARCELS_IN_MAX : parcels;
}

enum net { UNUSED, OWN, RING, PARCELS };

/* What is held travels by MPI. */
static enum net link_net(const struct wm_convey_design *design, const struct wm_route *route, int peer, const int *node)
{
    if (peer < 0)
        return UNUSED;
    if (design->synchronous)
        return PARCELS;
    if (peer == route->rank)
        return OWN;
    if (design->apart != NULL && design->apart[peer] != design->apart[route->rank])
        return PARCELS;
    return node[peer] == node[route->rank] && design->inside != WM_CHOOSE_MPI ? RING : PARCELS;
}

static void add_hop(struct wm_convey_memory *memory, const struct wm_convey_design *design,
                    const struct wm_convey_form *form, const struct wm_route *route, const struct wm_route_hop *hop,
                    const int *node)
{
    int out[PARCELS + 1] = {0}, in[PARCELS + 1] = {0}, parcels;

    for (int link = 0; link < hop->links; link++) {
        out[link_net(design, route, hop->out[link].rank, node)]++;
        in[link_net(design, route, hop->in[link].rank, node)]++;
    }
    parcels = design->synchronous ? out[PARCELS] + in[PARCELS]
                                  : wm_convey_parcels_out(form, out[PARCELS]) + wm_convey_parcels_in(form, in[PARCELS]);
    memory->self_links += in[OWN];
    memory->ring_links += in[RING];
    memory->parcel_links_out += out[PARCELS];
    memory->parcel_links_in += in[PARCELS];
    memory->rings += wm_convey_ring_bytes(form) * (size_t)(in[OWN] + in[RING]);
    memory->parcels += wm_convey_parcel_bytes(form) * (size_t)parcels;
    memory->tables += (size_t)WM_CONVEY_OUTLET_BYTES * (size_t)(hop->links - out[UNUSED]) +
                      (size_t)WM_CONVEY_INLET_BYTES * (size_t)(hop->links - in[UNUSED]);
}

/* Of the table of ways, one a destination (waymark/convey.h): 0 where there are too many destinations, outlets or bits
 * of a tag for it. */
static size_t ways_bytes(const struct wm_route *route)
{
    bool fits = route->ranks <= WM_ROUTE_WAYS_MAX && route->outlets <= 1 << 16 && route->tag_bits <= 16;

    return fits ? sizeof(uint32_t) * (size_t)route->ranks : 0;
}

/* Of the tables of origins by tag: one where the route is arithmetic, else one a link of the last hop to the own cell;
 * 0 without tags, or with more than 16 bits of them. */
static size_t origins_bytes(const struct wm_convey_form *form, const struct wm_route *route)
{
    const struct wm_route_hop *last = &route->hop[route->hops - 1];
    int bits = 0;

    for (int h = 0; h < route->hops - 1; h++)
        bits += route->hop[h].bits;
    if (form->tag_bytes == 0 || route->tag_bits > 16)
        return 0;
    return (sizeof(int64_t) << bits) * (size_t)(route->arithmetic ? 1 : last->fan);
}

struct wm_convey_memory wm_convey_memory(const struct wm_convey_design *design, const struct wm_convey_form *form,
                                         const struct wm_route *route, const int *node)
{
    struct wm_convey_memory memory = {.tables = wm_route_bytes(route)};

    for (int h = 0; h < route->hops; h++)
        add_hop(&memory, design, form, route, &route->hop[h], node);
    memory.tables += ways_bytes(route) + origins_bytes(form, route);
    memory.total = memory.rings + memory.parcels + memory.tables;
    return memory;
}
