/* Traffic: how many of the items that all ranks of a conveyor push go over which links, if each is for a rank that is
 * drawn with equal chances. Pure.
 *
 * Of up to WM_CONVEY_TRAFFIC_RANKS ranks all pairs are followed, and each rank has its own; of more some of every kind
 * of pair, and one traffic stands for every rank's. */
#ifndef WM_PREDICT_CONVEY_TRAFFIC_H
#define WM_PREDICT_CONVEY_TRAFFIC_H

#include "tools/predict/model.h"
#include "tools/routes/network.h"

enum { WM_CONVEY_TRAFFIC_RANKS = 64 };

/* Links of a hop on a net that first differ on an axis. Of an item both ends of its link have half. */
struct wm_convey_lane {
    double items, links; /* links: out of the rank */
};

/* At a rank, for each item that a rank pushes. */
struct wm_convey_traffic {
    struct wm_convey_lane lanes[WM_ROUTE_HOPS_MAX][WM_GRID_AXES_MAX][WM_NETWORK_MESSAGES + 1];
    double pushes, pushed_messages; /* the latter: to links that are messages */
    double pulls, pulled_messages;
    double relays;
    double crossings; /* through the node's memory to another rank; halves */
};

struct wm_convey_traffics {
    int count; /* of ranks, or 1 */
    struct wm_convey_traffic *of;
    double hops;       /* that an item takes, on average */
    double away;       /* how often it leaves a host */
    double host_ranks; /* of the largest host */
};

/* Returns 0 or -WM_ENOMEM; release it in any case. */
int wm_convey_traffics_init(struct wm_convey_traffics *traffics, const struct wm_model *model,
                            struct wm_network *network);
void wm_convey_traffics_release(struct wm_convey_traffics *traffics);

#endif
