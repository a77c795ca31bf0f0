/* Shapes: who talks to whom within a group, apart from any operation. Pure functions.
 *
 * A group has `size` members, numbered 0 … size-1 along its axis. Tree shapes give each member a parent; exchange
 * shapes (ring, butterfly, halving) are loops that the stages write with the helpers below.
 * Trees are rooted at any member: member m stands at the place (m - root) mod size of a tree rooted at 0, or, for an
 * explicit tree that names its own root, at (m - root + its root) mod size. */
#ifndef WM_SHAPE_H
#define WM_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

/* clang-format off */
#define WM_SHAPES(X)                                                                                  \
    X(FLAT,      "flat",      true,  "the root talks to every member itself")                         \
    X(CHAIN,     "chain",     true,  "each member talks to the one before and the one after")         \
    X(BINARY,    "binary",    true,  "a complete binary tree")                                        \
    X(KNOMIAL,   "k-nomial",  true,  "a k-nomial tree, (k-nomial 4); binomial is k = 2")              \
    X(TREE,      "tree",      true,  "a tree written out, (tree 0 (1 (3)) (2)), or (lambda (member size) parent)") \
    X(RING,      "ring",      false, "size - 1 rounds of neighbour to neighbour, a shard at a time")  \
    X(BUTTERFLY, "butterfly", false, "recursive doubling; any number of members")                     \
    X(HALVING,   "halving",   false, "recursive halving, then doubling (Rabenseifner)")
/* clang-format on */

enum wm_shape_kind {
#define X(id, name, is_tree, help) WM_SHAPE_##id,
    WM_SHAPES(X)
#undef X
        WM_SHAPE_COUNT
};

#define WM_SHAPE_BIT(kind) (1u << (kind))
/* Every shape that is a tree. */
#define WM_SHAPE_TREES                                                                                                 \
    (WM_SHAPE_BIT(WM_SHAPE_FLAT) | WM_SHAPE_BIT(WM_SHAPE_CHAIN) | WM_SHAPE_BIT(WM_SHAPE_BINARY) |                      \
     WM_SHAPE_BIT(WM_SHAPE_KNOMIAL) | WM_SHAPE_BIT(WM_SHAPE_TREE))

/* The parents of one explicit tree, made for groups of `size` members. */
struct wm_shape_tree {
    int size;
    int root;     /* the member whose parent is -1 */
    int *parents; /* size entries */
    struct wm_shape_tree *next;
};

struct wm_shape {
    enum wm_shape_kind kind;
    int radix;                   /* k of a k-nomial tree, 2 otherwise */
    int procedure;               /* number to ask wm_map_parents for; -1 when not a procedure */
    struct wm_shape_tree *trees; /* TREE: one for each group size that occurs */
};

const char *wm_shape_name(enum wm_shape_kind kind);
bool wm_shape_is_tree(enum wm_shape_kind kind);
/* The kind called `name`, or -1. "binomial" is k-nomial. */
int wm_shape_find(const char *name);

/* Store an explicit tree, copying `parents`. Returns 0, -WM_ENOMEM, or -WM_EINVAL when the parents are not one tree
 * over all members: *culprit is then the first member at fault. */
int wm_shape_add_tree(struct wm_shape *shape, int size, const int *parents, int *culprit);
/* The tree for `size` members, or NULL. */
const struct wm_shape_tree *wm_shape_tree_find(const struct wm_shape *shape, int size);
void wm_shape_free(struct wm_shape *shape);

/* Member 0, or the root that an explicit tree for `size` members names: who leads where the operation has no root. */
int wm_shape_root(const struct wm_shape *shape, int size);
/* The parent of `member` in the tree rooted at `root`, or -1. */
int wm_shape_parent(const struct wm_shape *shape, int size, int root, int member);
/* The children of `member`, in the order in which the root side would send; `children` holds `size` entries.
 * Returns their number. */
int wm_shape_children(const struct wm_shape *shape, int size, int root, int member, int *children);

#endif
