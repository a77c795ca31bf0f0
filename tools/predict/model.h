/* A model: what a machine's profile says of the messages, shared steps and kernels between ranks of a grid; found once,
 * asked millions of times. Costs are in picoseconds, rates in femtoseconds a byte; rounding is to the nearest.
 *
 * Ranks whose places first differ on an axis use its row; else that of "core" within a node, of "node" between nodes;
 * else that of "*". What is asked for and not there is 0; without a row of links all messages
 * are eager. */
#ifndef WM_PREDICT_MODEL_H
#define WM_PREDICT_MODEL_H

#include <stdbool.h>
#include <stdint.h>
#include "core/path/grid.h"
#include "core/path/transport.h"
#include "core/plan/plan.h"
#include "tools/profile/machine.h"

/* Messages up to a size. */
struct wm_model_bracket {
    uint64_t up_to; /* UINT64_MAX: any */
    int64_t values[WM_MESSAGE_COUNT];
};

struct wm_model_link {
    const struct wm_profile_row *row; /* NULL: none is known */
    bool own;                         /* the level's, not that of "*" */
    int64_t values[WM_LINK_COUNT];
    int bracket_count;
    struct wm_model_bracket *brackets;
};

/* Of a shared step: once, by its bytes, for members more than the row's; of a member that waits for none. */
struct wm_model_cost {
    int64_t call, moved, more, post;
    bool own; /* of a row of so many members */
};

struct wm_model {
    const struct wm_profile *profile;
    const struct wm_grid *grid;
    struct wm_model_link links[WM_GRID_AXES_MAX][WM_NET_COUNT];
    int64_t cuts[WM_GRID_AXES_MAX][WM_CUT_COUNT]; /* 0: none */
    int64_t host[WM_HOST_COUNT], engine[WM_ENGINE_COUNT];
    struct wm_model_bracket *kernels[2]; /* copies, combinations: values KERNEL_… */
    int kernel_counts[2];
    int halved; /* of shared steps, this parameter is taken by half; else -1 */
};

/* The profile and the grid must outlive it. Returns 0 or -WM_ENOMEM; release it in any case. */
int wm_model_init(struct wm_model *model, const struct wm_profile *profile, const struct wm_grid *grid);
void wm_model_release(struct wm_model *model);

/* Take half of a parameter: of a net at a level, of shared steps (all kinds), of a kernel, of hosts, cuts or the
 * engine; `net` and `level` as a part of the blame has them (tools/predict/blame.h). `out` and `in` are
 * halved together, of hosts and of cuts; those of hosts with a byte between nodes, too: they are one flow's rate. */
void wm_model_halve(struct wm_model *model, enum wm_profile_section section, int parameter, int level, int net);

/* The first axis on which the two ranks differ. */
int wm_model_level(const struct wm_model *model, int rank, int other);
/* What the axis is called in a profile: process, which nobody names, is core. */
const char *wm_model_level_name(const struct wm_grid *grid, int axis);
/* The row of a message, and what it costs by a parameter that is a time, or, times the bytes, a rate. */
const struct wm_model_bracket *wm_model_message(const struct wm_model_link *link, uint64_t bytes);
int64_t wm_model_bytes(int64_t femtoseconds, uint64_t bytes);
/* Of a reduction, else of a copy. */
int64_t wm_model_kernel(const struct wm_model *model, bool combines, uint64_t bytes);
/* Of a shared step of so many members, once all have come that it needs. */
struct wm_model_cost wm_model_shared(const struct wm_model *model, enum wm_shared_kind kind, int members,
                                     uint64_t bytes);

#endif
