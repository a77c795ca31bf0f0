/* The shapes, a row for each: by which exchange it does what WM_SHAPES (core/path/shape.h) says that it can. */
#include "wrappers/shapes.h"
#include "core/error.h"
#include "wrappers/alltoall.h"
#include "wrappers/scan.h"
#include "wrappers/shared.h"

/* Shares to one member: along a binomial tree where they went along one, else all straight to it. */
static void gather_binomial(struct wm_planner *p, const struct wm_group *group, const struct wm_shape *shape, int root)
{
    (void)shape;
    wm_tree_gather(p, group, wm_shape_plain(WM_SHAPE_KNOMIAL), root);
}

static void gather_flat(struct wm_planner *p, const struct wm_group *group, const struct wm_shape *shape, int root)
{
    (void)shape;
    wm_tree_gather(p, group, wm_shape_plain(WM_SHAPE_FLAT), root);
}

/* What all trees do. */
#define TREE                                                                                                           \
    .combine = wm_tree_combine, .spread = wm_tree_spread, .scatter = wm_tree_scatter, .gather = wm_tree_gather,        \
    .combine_all = wm_all_by_root, .meet = wm_all_by_root

static const struct wm_shape_class classes[WM_SHAPE_COUNT] = {
    [WM_SHAPE_FLAT] = {TREE, .combine_shares = wm_direct_combine, .spread_shares = wm_direct_spread,
                       .gather_shares = wm_tree_gather, .scan = wm_scan_tree, .exchange = wm_alltoall_flat},
    [WM_SHAPE_CHAIN] = {TREE, .scan = wm_scan_tree},
    [WM_SHAPE_BINARY] = {TREE},
    [WM_SHAPE_IN_ORDER] = {TREE},
    [WM_SHAPE_KNOMIAL] = {TREE, .scan = wm_scan_tree},
    [WM_SHAPE_TREE] = {TREE},
    /* Shares go along the first of the two. */
    [WM_SHAPE_DOUBLE_TREE] = {.combine = wm_double_tree_combine,
                              .spread = wm_double_tree_spread,
                              .scatter = wm_tree_scatter,
                              .combine_all = wm_all_by_root},
    [WM_SHAPE_SPLIT_BINARY] = {.spread = wm_split_binary_spread},
    [WM_SHAPE_RING] = {.combine_all = wm_all_by_shares,
                       .meet = wm_ring_pass,
                       .combine_shares = wm_ring_combine,
                       .spread_shares = wm_ring_spread,
                       .gather_shares = gather_flat},
    [WM_SHAPE_EXCHANGE] = {.spread_shares = wm_exchange_spread, .gather_shares = gather_flat},
    [WM_SHAPE_BUTTERFLY] = {.combine_all = wm_butterfly_combine,
                            .meet = wm_butterfly_combine,
                            .combine_shares = wm_multiply_combine,
                            .spread_shares = wm_butterfly_spread,
                            .gather_shares = gather_binomial,
                            .scan = wm_scan_butterfly},
    [WM_SHAPE_HALVING] = {.combine_all = wm_all_by_shares,
                          .combine_shares = wm_halving_combine,
                          .spread_shares = wm_halving_spread,
                          .gather_shares = gather_binomial},
    [WM_SHAPE_PAIRWISE] = {.combine_shares = wm_direct_combine,
                           .spread_shares = wm_direct_spread,
                           .gather_shares = gather_flat,
                           .exchange = wm_alltoall_pairwise},
    [WM_SHAPE_BRUCK] = {.spread_shares = wm_bruck_spread,
                        .gather_shares = gather_binomial,
                        .exchange = wm_alltoall_bruck},
    [WM_SHAPE_DISSEMINATION] = {.meet = wm_dissemination_combine, .scan = wm_scan_dissemination},
    [WM_SHAPE_SHARED] = {.combine = wm_shared_combine,
                         .spread = wm_shared_spread,
                         .scatter = wm_shared_scatter,
                         .gather = wm_shared_gather,
                         .combine_all = wm_shared_combine_all,
                         .meet = wm_shared_combine_all,
                         .combine_shares = wm_shared_shares_combine,
                         .spread_shares = wm_shared_shares_spread,
                         .gather_shares = wm_shared_gather,
                         .scan = wm_scan_shared,
                         .exchange = wm_alltoall_shared},
};

const struct wm_shape_class *wm_shape_class(const struct wm_shape *shape, uint32_t abilities)
{
    if (!wm_shape_can(shape->kind, abilities))
        WM_BUG("a stage asks a shape for what it cannot do");
    return &classes[shape->kind];
}

void wm_rooted_combine(struct wm_planner *p, const struct wm_group *group, const struct wm_shape *shape, int root,
                       bool ordered)
{
    wm_shape_class(shape, WM_SHAPE_COMBINES)->combine(p, group, shape, root, ordered);
}

void wm_rooted_spread(struct wm_planner *p, const struct wm_group *group, const struct wm_shape *shape, int root)
{
    wm_shape_class(shape, WM_SHAPE_SPREADS | WM_SHAPE_RETURNS)->spread(p, group, shape, root);
}

void wm_rooted_scatter(struct wm_planner *p, const struct wm_group *group, const struct wm_shape *shape, int root)
{
    wm_shape_class(shape, WM_SHAPE_DEALS | WM_SHAPE_COMBINES)->scatter(p, group, shape, root);
}

void wm_rooted_gather(struct wm_planner *p, const struct wm_group *group, const struct wm_shape *shape, int root)
{
    wm_shape_class(shape, WM_SHAPE_DEALS)->gather(p, group, shape, root);
}

void wm_shares_combine(struct wm_planner *p, const struct wm_group *group, const struct wm_shape *shape, bool ordered)
{
    wm_shape_class(shape, WM_SHAPE_COMBINES_SHARES)->combine_shares(p, group, shape, ordered);
}

void wm_shares_spread(struct wm_planner *p, const struct wm_group *group, const struct wm_shape *shape)
{
    wm_shape_class(shape, WM_SHAPE_SPREADS_SHARES)->spread_shares(p, group, shape);
}

void wm_shares_gather(struct wm_planner *p, const struct wm_group *group, const struct wm_shape *shape, int root)
{
    wm_shape_class(shape, WM_SHAPE_SPREADS_SHARES)->gather_shares(p, group, shape, root);
}
