/* The design of messages: what a path says of those of a protocol, of a range of sizes, to near or to far peers; and of
 * those of a statement. Pure.
 *
 * Wrappers of a path of messages or of a statement fill the design (struct wm_service, `message`). The runtime makes a
 * protocol's ways of designs (core/call/ways.h), core/communicate a statement's; `waymark show` and `check` read them.
 */
#ifndef WM_MESSAGE_DESIGN_H
#define WM_MESSAGE_DESIGN_H

#include <stdbool.h>
#include <stddef.h>
#include "core/error.h"
#include "core/path/lag.h"
#include "core/path/path.h"
#include "core/path/transport.h"

/* How a statement is carried out; AUTO: as the collective operation that it is, else by messages. */
enum wm_via { WM_VIA_AUTO, WM_VIA_COLLECTIVE, WM_VIA_MESSAGES, WM_VIA_CONVEYOR };

struct wm_message_design {
    enum wm_net_choice inside, between; /* the nets within a node and between nodes */
    size_t eager_bytes;  /* larger ones wait with their sender for a receive; 0: the group's, or wm_eager_bytes */
    bool rendezvous;     /* all do */
    uint8_t copy;        /* enum wm_copy: of data that waits, to a peer of the node */
    size_t gather_bytes; /* of small ones by MPI, which wait for others up to so many; 0: none do */
    bool traced;
    int trace_node;                  /* wm_wrapper.node of `trace`, 0: not in the path */
    const struct wm_wrapper *remote; /* of the path that was read, NULL: not in it */
    enum wm_via via;
    const struct wm_wrapper *via_wrapper; /* NULL: not in it */
    const struct wm_wrapper *delay;       /* likewise */
    struct wm_lag lag;                    /* with `delay` */
};

/* A path without wrappers, which stands for "no rule fits", gives the default. */
struct wm_message_design wm_message_design_read(const struct wm_path *path);

/* A statement's own rule says how its messages go; else the rules of messages do. */
bool wm_message_design_says(const struct wm_message_design *design);

/* They go by messages of the MPI library. `near`: to peers of the same node. */
bool wm_message_design_by_mpi(const struct wm_message_design *design, bool near);

/* The net of a protocol's messages to some peers, and where the map names it; all zeros: not known yet. */
struct wm_message_net {
    bool known, by_mpi;
    int line, column;
};

/* What the path says of messages to peers that are there: of the same node, or of others. Returns 0, or -WM_EMAP with
 * the place: shared memory does not reach other nodes; and messages of one protocol to one peer go by one net whatever
 * their size, or they would come out of order. *net: that of the smaller ones; becomes that of these. */
int wm_message_design_check(const struct wm_path *path, bool near, struct wm_message_net *net, struct wm_error *error);

#endif
