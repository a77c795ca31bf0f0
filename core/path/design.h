/* The design of a conveyor: what a path's wrappers, or a constructor's arguments, say of it. Pure.
 *
 * Wrappers of a conveyor's path fill the design (struct wm_service, `convey`); the runtime builds links and buffers of
 * it; `waymark show` and `check` read it. What it costs in memory is told by core/plan/convey/form.h. */
#ifndef WM_DESIGN_H
#define WM_DESIGN_H

#include <stdbool.h>
#include <stddef.h>
#include "core/error.h"
#include "core/path/grid.h"
#include "core/path/lag.h"
#include "core/path/path.h"
#include "core/path/transport.h"

enum { WM_CONVEY_HOPS_MAX = 4 };

enum wm_codec_choice { WM_CODEC_NONE, WM_CODEC_SQUEEZE, WM_CODEC_LZ4, WM_CODEC_USER };

/* Which buffers are closed before they are full: those that hold items while nothing else is under way on their link
 * (STEADY: what was pushed arrives without anybody being done), or none until the endgame. In shared memory buffers are
 * always closed when the reader waits for them. */
enum { WM_CONVEY_BUFFER_BYTES = 16 << 10, WM_CONVEY_BUFFERS = 4, WM_CONVEY_BUFFERS_MAX = 64 };

struct wm_convey_design {
    size_t buffer_bytes; /* of a buffer; it holds at least one item, so large items make it larger */
    int buffers;         /* a link */
    int hops;
    int axes[WM_CONVEY_HOPS_MAX]; /* of the grid; one hop: {WM_AXIS_ALL} */
    bool synchronous;             /* bulk exchanges: one or two hops */
    bool steady;
    enum wm_codec_choice codec;         /* between nodes */
    enum wm_net_choice inside, between; /* the nets within a node and between nodes; SHM between: there is one node */
    bool traced;
    int trace_node, route_node, aggregate_node; /* wm_wrapper.node of these, 0: not in the path */
    /* Where they stand, for errors; of the path that was read, NULL: not in it. */
    const struct wm_wrapper *route, *synchrony, *remote, *delay;
    struct wm_lag lag; /* with `delay`, and between which ranks: wm_convey_design_hold */
    const int *apart;  /* apart[rank]: buffers for others than those of the same are held; NULL: none are */
};

/* What a design is without a path: one hop, the default buffers. */
void wm_convey_design_default(struct wm_convey_design *design);

/* Hops, and buffers of the default size, for a conveyor that leaves them to the machine: one hop in a group of ranks
 * near each other, else by `core` and `node` of the grid, if it has these axes and needs no others, so that links stay
 * few. */
void wm_convey_design_suit(struct wm_convey_design *design, const struct wm_grid *grid, bool one_group);

/* Fill a design from a conveyor's path; one without wrappers, which stands for "no rule fits", gives the default.
 * Returns 0, or -WM_EMAP with the place of the wrapper at fault: synchronous with three hops, … */
int wm_convey_design_read(struct wm_convey_design *design, const struct wm_path *path, struct wm_error *error);
/* The same over a design that is there: of what the path does not name, the buffers and the codec stay as they are, and
 * so do the hops, bulk exchanges or not, where it names neither a route nor bulk exchanges. */
int wm_convey_design_amend(struct wm_convey_design *design, const struct wm_path *path, struct wm_error *error);

/* Find out between which of the grid's ranks the design's `delay`, if it has one, holds buffers. The grid lives as
 * long.
 */
void wm_convey_design_hold(struct wm_convey_design *design, const struct wm_grid *grid);

/* The design of a conveyor that leaves all to this machine and the path. */
int wm_convey_design_make(struct wm_convey_design *design, const struct wm_path *path, const struct wm_grid *grid,
                          struct wm_error *error);

#endif
