/* The form of a conveyor's buffers, its route, and what it holds in memory: what follows from its design. Pure; the
 * runtime allocates what is computed here. */
#ifndef WM_CONVEY_FORM_H
#define WM_CONVEY_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "core/plan/convey/route.h"
#include "core/path/design.h"

/* The route of `rank` that the design asks for on this grid (wm_route_free). The path that was read is still there.
 * Returns 0, -WM_ENOMEM; -WM_EMAP, placed at the wrapper at fault, without a file: what wm_route_new refuses, and
 * shared memory alone where there are several nodes. */
int wm_convey_design_route(const struct wm_convey_design *design, const struct wm_grid *grid, int rank,
                           struct wm_route **route, struct wm_error *error);

/* What a buffer holds. Fixed items: units are items. Elastic: units are WM_ELASTIC_UNIT_BYTES of records. Units and
 * tags together fill buffer_bytes at most, if that is enough for one unit, or for WM_ELASTIC_UNITS_MIN. Where there
 * are WM_UNITS_ROUNDED and more, they are a multiple of eight. */
enum { WM_ELASTIC_UNIT_BYTES = 8, WM_ELASTIC_UNITS_MIN = 16, WM_UNITS_ROUNDED = 64 };
struct wm_convey_form {
    size_t unit_bytes;   /* stride: of items of no bytes 1 */
    size_t tag_bytes;    /* a unit, beside it; 0 for elastic ones, whose records hold it */
    size_t units;        /* a buffer */
    size_t buffer_bytes; /* that the design gives a buffer, if that is more than its units and tags take */
    size_t due_bytes;    /* behind what travels: when it is due (core/process/uplink.h); 0: nothing is held */
    int buffers;
    bool elastic; /* records of several units, which are not cut */
};
/* For items of `item_bytes`; elastic: of up to that many, and `units` has room for the record of any item that goes in
 * a buffer (those that exceed a quarter of it go on a ticket). */
struct wm_convey_form wm_convey_form(const struct wm_convey_design *design, const struct wm_route *route,
                                     size_t item_bytes, bool elastic);

/* Bytes of one link's ring in shared memory: two lines of counters, one for a sample, units, tags; a multiple of 64. It
 * and a parcel are as large for all items that fit into buffer_bytes. */
size_t wm_convey_ring_bytes(const struct wm_convey_form *form);
/* What a ring hands over at once, in units, and how many of these it has: a buffer; of a ring of one its half, so that
 * one end can fill while the other empties. */
size_t wm_convey_ring_units(const struct wm_convey_form *form);
int wm_convey_ring_pieces(const struct wm_convey_form *form);
/* Bytes of one buffer that travels by MPI: a header of WM_CONVEY_HEADER_BYTES, units, tags, and when they are due; a
 * multiple of 64. */
enum { WM_CONVEY_HEADER_BYTES = 64, WM_CONVEY_DUE_BYTES = 24 };
size_t wm_convey_parcel_bytes(const struct wm_convey_form *form);
/* Parcels of a hop with so many links over MPI, to send and to receive: one being filled a link, and those under way.
 */
int wm_convey_parcels_out(const struct wm_convey_form *form, int links);
int wm_convey_parcels_in(const struct wm_convey_form *form, int links);

/* What the runtime keeps for a link beside its buffers, at most; it asserts so. */
enum { WM_CONVEY_OUTLET_BYTES = 192, WM_CONVEY_INLET_BYTES = 192 };

/* What a rank holds, in bytes. `node`: of every rank (grid->node), to tell the nets. A synchronous conveyor has a
 * buffer for each link out, and as much for what comes: they count as parcels. Links that are not used hold nothing. */
struct wm_convey_memory {
    size_t rings;   /* in shared memory: those it reads from, and those to itself */
    size_t parcels; /* to send and to receive */
    size_t tables;  /* links, the route, ways, origins */
    size_t total;
    int ring_links, parcel_links_out, parcel_links_in, self_links;
};
struct wm_convey_memory wm_convey_memory(const struct wm_convey_design *design, const struct wm_convey_form *form,
                                         const struct wm_route *route, const int *node);

#endif
