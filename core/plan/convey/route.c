/* Routes: over which ranks an item of a conveyor goes, and what its tag says. */
#include "core/plan/convey/route.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "core/plan/convey/cells.h"

enum { LINKS_MAX = 1 << 24 };

/* `cells->axes` are the axes that the route names, each once, in the grid's order; `along` says which of them a hop
 * changes. */
struct route {
    struct wm_route open; /* first: what others see */
    struct wm_cells cells;
    bool borrowed; /* the cells' tables are another route's */
    int along[WM_ROUTE_HOPS_MAX];
    bool spread; /* X Y X */
    int total_bits;
    int own[WM_CELLS_AXES_MAX];
    struct wm_route_end *ends; /* out and in of all hops */
};

static const struct route *inside(const struct wm_route *route)
{
    return (const struct route *)route;
}

/* ---- which axes, and in how many digits ---- */

static int check_twice(const struct wm_grid *grid, const int *axes, int count, struct wm_error *error)
{
    for (int i = 0; i < count; i++) {
        if (axes[i] == WM_AXIS_ALL && count > 1)
            return wm_error_set(error, -WM_EMAP, "the axis 'all' reaches every rank in one hop; name it alone");
        for (int j = 0; j < i; j++)
            if (axes[i] == axes[j])
                return wm_error_set(error, -WM_EMAP,
                                    "the route names axis '%s' twice, but only the first and the last of three hops "
                                    "may be over one axis; take one out",
                                    wm_grid_axis_name(grid, axes[i]));
    }
    return 0;
}

static int check_covered(const struct wm_grid *grid, const int *axes, int count, struct wm_error *error)
{
    for (int axis = 0; axes[0] != WM_AXIS_ALL && axis < grid->axis_count; axis++) {
        bool named = grid->axes[axis].optional;

        for (int i = 0; i < count; i++)
            named |= axes[i] == axis;
        if (!named)
            return wm_error_set(error, -WM_EMAP,
                                "the route does not name axis '%s'; add it, or use the axis 'all' alone",
                                wm_grid_axis_name(grid, axis));
    }
    return 0;
}

static int check_axes(const struct wm_grid *grid, const int *axes, int count, struct wm_error *error)
{
    bool spread = count == 3 && axes[0] == axes[2] && axes[0] != WM_AXIS_ALL;
    int rc;

    if (count < 1 || count > WM_ROUTE_HOPS_MAX)
        return wm_error_set(error, -WM_EMAP, "a route has 1 to %d hops, not %d", WM_ROUTE_HOPS_MAX, count);
    rc = check_twice(grid, axes, spread ? 2 : count, error);
    return rc < 0 ? rc : check_covered(grid, axes, count, error);
}

/* The axes in the grid's order, each once; returns how many. */
static int sort_axes(const int *axes, int count, int *sorted)
{
    int distinct = 0;

    for (int i = 0; i < count; i++) {
        int at = 0;

        while (at < distinct && sorted[at] < axes[i])
            at++;
        if (at < distinct && sorted[at] == axes[i])
            continue;
        memmove(&sorted[at + 1], &sorted[at], sizeof *sorted * (size_t)(distinct - at));
        sorted[at] = axes[i];
        distinct++;
    }
    return distinct;
}

static int bits_of(int fan)
{
    int bits = 0;

    while (1 << bits < fan)
        bits++;
    return bits;
}

static void measure_hops(struct route *route, const int *axes, const int *sorted)
{
    struct wm_route *open = &route->open;

    for (int h = 0; h < open->hops; h++) {
        struct wm_route_hop *hop = &open->hop[h];

        while (sorted[route->along[h]] != axes[h])
            route->along[h]++;
        hop->axis = axes[h];
        hop->fan = route->cells.size[route->along[h]];
    }
    if (route->spread)
        open->hop[1].fan = (open->hop[1].fan + open->hop[0].fan - 1) / open->hop[0].fan;
    for (int h = 0; h < open->hops; h++) {
        open->hop[h].bits = bits_of(open->hop[h].fan);
        route->total_bits += open->hop[h].bits;
    }
}

/* On a hop, a tag holds the digits of all the others. */
static int measure_tag(struct route *route, struct wm_error *error)
{
    struct wm_route *open = &route->open;

    for (int h = 0; h < open->hops; h++)
        if (route->total_bits - open->hop[h].bits > open->tag_bits)
            open->tag_bits = route->total_bits - open->hop[h].bits;
    if (open->tag_bits > 32)
        return wm_error_set(error, -WM_EMAP,
                            "items on this route would carry tags of %d bits, and 32 is the most; name fewer axes",
                            open->tag_bits);
    open->tag_bytes = open->tag_bits > 16 ? 4 : (open->tag_bits + 7) / 8;
    return 0;
}

/* ---- digits ---- */

static int side(const struct route *route, int hop)
{
    return route->cells.size[route->along[hop]];
}

/* The digits of a cell, as a destination; those of a source are the same but for X Y X, where the order turns: its
 * first hop replaces x, the others y. */
static void cell_digits(const struct route *route, const int *cell, bool source, int *digits)
{
    if (route->spread) {
        int x = cell[route->along[0]], y = cell[route->along[1]];

        digits[source ? 2 : 0] = y % side(route, 0);
        digits[1] = y / side(route, 0);
        digits[source ? 0 : 2] = x;
        return;
    }
    for (int h = 0; h < route->open.hops; h++)
        digits[h] = cell[route->along[h]];
}

static void source_cell(const struct route *route, const int *digits, int *cell)
{
    if (route->spread) {
        cell[route->along[0]] = digits[0];
        cell[route->along[1]] = digits[1] * side(route, 0) + digits[2];
        return;
    }
    for (int h = 0; h < route->open.hops; h++)
        cell[route->along[h]] = digits[h];
}

/* The cell that a hop's link `digit` leads to from `cell`, and that link's digit there; false: there is none. In X Y X
 * the first hop goes where there are groups of Y to serve, and the last one comes from such places. */
static bool cell_beyond(const struct route *route, int hop, const int *cell, int digit, int *beyond, int *back)
{
    int x = route->along[0], y = route->along[1], width = side(route, 0);

    memcpy(beyond, cell, sizeof *beyond * (size_t)route->cells.axes);
    if (!route->spread || hop != 1) {
        *back = cell[route->along[hop]];
        beyond[route->along[hop]] = digit;
        return !route->spread || (hop == 0 ? digit : *back) < side(route, 1);
    }
    beyond[y] = digit * width + cell[x];
    beyond[x] = cell[y] % width;
    *back = cell[y] / width;
    return beyond[y] < side(route, 1);
}

/* ---- links ---- */

/* The other end of this rank's link `link` of a hop: an outlet, or an inlet, whose ways are those of the hops in
 * reverse order. Items set out from own cells, arrive at own cells, and leave out a first hop to the own cell. */
static struct wm_route_end link_end(const struct route *route, int hop, int link, bool out)
{
    const struct wm_route *open = &route->open;
    int cell[WM_CELLS_AXES_MAX], beyond[WM_CELLS_AXES_MAX], fan = open->hop[hop].fan, here = link / fan, there, back;
    struct wm_route_end end;
    bool first = hop == 0, last = hop == open->hops - 1;

    wm_cells_place(&route->cells, open->rank, here, cell);
    if (!cell_beyond(route, out || !route->spread ? hop : 2 - hop, cell, link % fan, beyond, &back))
        return (struct wm_route_end){-1, -1};
    end.rank = wm_cells_host(&route->cells, beyond, &there);
    end.link = there * fan + back;
    if ((first && (out ? here : there) > 0) || (last && (out ? there : here) > 0) ||
        (first && !last && memcmp(cell, beyond, sizeof *cell * (size_t)route->cells.axes) == 0))
        return (struct wm_route_end){-1, -1};
    return end;
}

/* Every rank looks at all, so that all refuse alike. */
static int check_ragged(const struct route *route, struct wm_error *error)
{
    int64_t fans = 0;

    for (int h = 0; h < route->open.hops; h++)
        fans += route->open.hop[h].fan;
    for (int r = 0; !route->cells.arithmetic && r < route->cells.ranks; r++) {
        int64_t cells = wm_cells_count(&route->cells, r);

        if (cells > LINKS_MAX / fans)
            return wm_error_set(error, -WM_EMAP,
                                "the grid is too ragged for this route, since rank %d would stand in for %" PRId64
                                " others; use the axis 'all' alone",
                                r, cells - 1);
    }
    return 0;
}

static void count_links(struct route *route)
{
    struct wm_route *open = &route->open;

    open->cells = (int)wm_cells_count(&route->cells, open->rank);
    for (int h = 0; h < open->hops; h++) {
        struct wm_route_hop *hop = &open->hop[h];

        hop->links = open->cells * hop->fan;
        hop->first_out = hop->first_in = open->outlets;
        open->outlets += hop->links;
    }
    open->inlets = open->outlets;
}

static int make_links(struct route *route)
{
    struct wm_route *open = &route->open;
    struct wm_route_end *out, *in;

    route->ends = malloc(sizeof *route->ends * 2 * (size_t)open->outlets);
    if (route->ends == NULL)
        return -WM_ENOMEM;
    for (int h = 0; h < open->hops; h++) {
        struct wm_route_hop *hop = &open->hop[h];

        hop->out = out = &route->ends[hop->first_out];
        hop->in = in = &route->ends[open->outlets + hop->first_in];
        for (int link = 0; link < hop->links; link++) {
            out[link] = link_end(route, h, link, true);
            in[link] = link_end(route, h, link, false);
        }
    }
    return 0;
}

static int make_route(struct route *route, const struct wm_grid *grid, const int *axes, struct wm_error *error)
{
    int sorted[WM_ROUTE_HOPS_MAX + 1], distinct = sort_axes(axes, route->open.hops, sorted), rc;

    if ((rc = wm_cells_init(&route->cells, grid, sorted, distinct)) < 0)
        return rc;
    route->open.arithmetic = route->cells.arithmetic;
    route->spread = route->open.hops > distinct;
    measure_hops(route, axes, sorted);
    if ((rc = measure_tag(route, error)) < 0 || (rc = check_ragged(route, error)) < 0)
        return rc;
    count_links(route);
    wm_cells_place(&route->cells, route->open.rank, 0, route->own);
    return make_links(route);
}

int wm_route_new(struct wm_route **out, const struct wm_grid *grid, const int *axes, int count, int rank,
                 struct wm_error *error)
{
    struct route *route;
    int rc = check_axes(grid, axes, count, error);

    *out = NULL;
    if (rc < 0)
        return rc;
    route = calloc(1, sizeof *route);
    if (route == NULL)
        return wm_error_set(error, -WM_ENOMEM, "no memory for a route");
    route->open.ranks = grid->ranks;
    route->open.rank = rank;
    route->open.hops = count;
    rc = make_route(route, grid, axes, error);
    if (rc < 0) {
        wm_route_free(&route->open);
        return rc == -WM_ENOMEM ? wm_error_set(error, rc, "no memory for a route") : rc;
    }
    *out = &route->open;
    return 0;
}

int wm_route_new_like(struct wm_route **out, const struct wm_route *like, int rank)
{
    struct route *route = malloc(sizeof *route);

    *out = NULL;
    if (route == NULL)
        return -WM_ENOMEM;
    *route = *inside(like);
    route->borrowed = true;
    route->ends = NULL;
    route->open.rank = rank;
    route->open.outlets = 0;
    count_links(route);
    wm_cells_place(&route->cells, rank, 0, route->own);
    if (make_links(route) < 0) {
        wm_route_free(&route->open);
        return -WM_ENOMEM;
    }
    *out = &route->open;
    return 0;
}

void wm_route_free(struct wm_route *open)
{
    struct route *route = (struct route *)open;

    if (route == NULL)
        return;
    if (!route->borrowed)
        wm_cells_release(&route->cells);
    free(route->ends);
    free(route);
}

/* ---- what an item and its tag do ---- */

/* The tag of an item that leaves hop `hop` behind, whose link here had `digit`. */
static uint64_t tag_turned(const struct route *route, int hop, uint64_t tag, int digit)
{
    int next = route->open.hop[hop + 1].bits, top = route->total_bits - next - route->open.hop[hop].bits;

    return tag >> next | (uint64_t)digit << top;
}

void wm_route_way(const struct wm_route *open, int destination, int *outlet, uint32_t *tag)
{
    const struct route *route = inside(open);
    int cell[WM_CELLS_AXES_MAX], beyond[WM_CELLS_AXES_MAX], to[WM_ROUTE_HOPS_MAX], from[WM_ROUTE_HOPS_MAX], back;
    int hop = 0, shift = 0;
    uint64_t digits = 0;

    wm_cells_place(&route->cells, destination, 0, cell);
    cell_digits(route, cell, false, to);
    cell_digits(route, route->own, true, from);
    for (int h = 1; h < open->hops; h++) {
        digits |= (uint64_t)to[h] << shift;
        shift += open->hop[h].bits;
    }
    for (; hop < open->hops - 1; hop++) {
        cell_beyond(route, hop, route->own, to[hop], beyond, &back);
        if (memcmp(beyond, route->own, sizeof *beyond * (size_t)route->cells.axes) != 0)
            break;
        digits = tag_turned(route, hop, digits, from[hop]);
    }
    *outlet = open->hop[hop].first_out + to[hop];
    *tag = (uint32_t)digits;
}

struct wm_route_turn wm_route_turn(const struct wm_route *open, int hop, int link)
{
    const struct wm_route_hop *came = &open->hop[hop], *next = came + 1;

    return (struct wm_route_turn){.base = next->first_out + link / came->fan * next->fan,
                                  .mask = ((uint32_t)1 << next->bits) - 1,
                                  .add = (uint32_t)tag_turned(inside(open), hop, 0, link % came->fan),
                                  .shift = next->bits};
}

int wm_route_source(const struct wm_route *open, int link, uint32_t tag)
{
    const struct route *route = inside(open);
    int digits[WM_ROUTE_HOPS_MAX], cell[WM_CELLS_AXES_MAX], last = open->hops - 1, number;

    for (int h = 0; h < last; h++) {
        digits[h] = (int)(tag & (((uint32_t)1 << open->hop[h].bits) - 1));
        tag = (uint32_t)((uint64_t)tag >> open->hop[h].bits);
    }
    digits[last] = link % open->hop[last].fan;
    source_cell(route, digits, cell);
    return wm_cells_host(&route->cells, cell, &number);
}

size_t wm_route_bytes(const struct wm_route *open)
{
    const struct route *route = inside(open);

    return sizeof *route + wm_cells_bytes(&route->cells) + sizeof *route->ends * 2 * (size_t)open->outlets;
}
