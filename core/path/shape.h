/* Shapes: who talks to whom within a group, apart from any operation. Pure functions.
 *
 * A group has `size` members, numbered 0 … size-1 along its axis. Tree shapes give each member a parent; exchange
 * shapes (ring, butterfly, …) are loops in files of their own under wrappers/.
 * Trees are rooted at any member: member m stands at the place (m - root) mod size of a tree rooted at 0, or, for an
 * explicit tree that names its own root, at (m - root + its root) mod size. Only the in-order tree is not turned: below
 * any member, and any root, stands a range of members.
 * A double tree is no tree, but has two: as trees they are shapes of that kind with `radix` 0 and 1. */
#ifndef WM_SHAPE_H
#define WM_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

/* What a shape can do, as flags. A parameter of a wrapper (core/path/wrapper.h) takes the shapes that can do one of the
 * things that it names. How a shape does each stands in its row of wrappers/shapes.c. */
enum wm_shape_ability {
    WM_SHAPE_IS_TREE = 1 << 0,         /* has parents and children; all others are exchanges */
    WM_SHAPE_COMBINES = 1 << 1,        /* everyone's value at one member; and hands shares of it out */
    WM_SHAPE_SPREADS = 1 << 2,         /* one member's data to all */
    WM_SHAPE_DEALS = 1 << 3,           /* a share to each member, and the reverse */
    WM_SHAPE_COMBINES_ALL = 1 << 4,    /* everyone's value at everyone */
    WM_SHAPE_MEETS = 1 << 5,           /* the same of values of no bytes: a barrier */
    WM_SHAPE_COMBINES_SHARES = 1 << 6, /* each member's share of everyone's value */
    WM_SHAPE_SPREADS_SHARES = 1 << 7,  /* everyone's share to everyone, or to one member */
    WM_SHAPE_SCANS = 1 << 8,           /* to each member what those before it have */
    WM_SHAPE_RETURNS = 1 << 9,         /* spreads on a scan's way out, from its last member */
    WM_SHAPE_EXCHANGES = 1 << 10,      /* from each member to each */
    WM_SHAPE_IS_DIRECT = 1 << 11,      /* a message goes straight from who has the data to who wants it */
    WM_SHAPE_NEIGHBOURS = 1 << 12      /* along the edges of a topology */
};

/* A tree's; one that has a root of its own, written out, does not return. */
#define WM_SHAPE_TREE_WRITTEN                                                                                          \
    (WM_SHAPE_IS_TREE | WM_SHAPE_COMBINES | WM_SHAPE_SPREADS | WM_SHAPE_DEALS | WM_SHAPE_COMBINES_ALL | WM_SHAPE_MEETS)
#define WM_SHAPE_TREE_MADE (WM_SHAPE_TREE_WRITTEN | WM_SHAPE_RETURNS)

/* X(id, name, abilities, number, least, help): `number` is what it takes when none is given, `least` the smallest that
 * may be given (0: it takes none). */
/* clang-format off */
#define WM_SHAPES(X)                                                                                                        \
    X(FLAT, "flat",                                                                                                         \
      WM_SHAPE_TREE_MADE | WM_SHAPE_COMBINES_SHARES | WM_SHAPE_SPREADS_SHARES | WM_SHAPE_SCANS | WM_SHAPE_EXCHANGES |       \
      WM_SHAPE_IS_DIRECT | WM_SHAPE_NEIGHBOURS, 0, 1,                                                                       \
      "the root talks to every member itself; (flat 4): with 4 at a time")                                                  \
    X(CHAIN, "chain", WM_SHAPE_TREE_MADE | WM_SHAPE_SCANS, 0, 0, "each member talks to the one before and the one after")   \
    X(BINARY, "binary", WM_SHAPE_TREE_MADE, 0, 0, "a complete binary tree")                                                 \
    X(IN_ORDER, "in-order-binary", WM_SHAPE_TREE_MADE, 0, 0,                                                                \
      "a binary tree over ranges of members: for operators that do not commute")                                            \
    X(KNOMIAL, "k-nomial", WM_SHAPE_TREE_MADE | WM_SHAPE_SCANS, 2, 2, "a k-nomial tree, (k-nomial 4); binomial is k = 2")   \
    X(TREE, "tree", WM_SHAPE_TREE_WRITTEN, 0, 0,                                                                            \
      "a tree written out, (tree 0 (1 (3)) (2)), or (lambda (member size) parent)")                                         \
    X(DOUBLE_TREE, "double-tree", WM_SHAPE_COMBINES | WM_SHAPE_SPREADS | WM_SHAPE_COMBINES_ALL, 0, 0,                       \
      "two binary trees, half the data each; who is inside one is a leaf of the other")                                     \
    X(SPLIT_BINARY, "split-binary", WM_SHAPE_SPREADS, 0, 0,                                                                 \
      "half the data down each side of a binary tree, then exchanged")                                                      \
    X(RING, "ring",                                                                                                         \
      WM_SHAPE_COMBINES_SHARES | WM_SHAPE_SPREADS_SHARES | WM_SHAPE_COMBINES_ALL | WM_SHAPE_MEETS, 0, 0,                    \
      "size - 1 rounds of neighbour to neighbour, a share at a time; a barrier twice round")                                \
    X(EXCHANGE, "neighbour-exchange", WM_SHAPE_SPREADS_SHARES, 0, 0,                                                        \
      "size / 2 rounds between the two neighbours in turn; an odd size goes as ring")                                       \
    X(BUTTERFLY, "butterfly",                                                                                               \
      WM_SHAPE_COMBINES_SHARES | WM_SHAPE_SPREADS_SHARES | WM_SHAPE_COMBINES_ALL | WM_SHAPE_MEETS | WM_SHAPE_SCANS, 2, 2,   \
      "recursive doubling; (butterfly 4): recursive multiplying by 4; for shares halving from near to far (Träff)")         \
    X(HALVING, "halving", WM_SHAPE_COMBINES_SHARES | WM_SHAPE_SPREADS_SHARES | WM_SHAPE_COMBINES_ALL, 0, 0,                 \
      "recursive halving, then doubling (Rabenseifner)")                                                                    \
    X(PAIRWISE, "pairwise",                                                                                                 \
      WM_SHAPE_COMBINES_SHARES | WM_SHAPE_SPREADS_SHARES | WM_SHAPE_EXCHANGES | WM_SHAPE_IS_DIRECT, 0, 0,                   \
      "size - 1 rounds, in each one partner to send to and one to receive from")                                            \
    X(BRUCK, "bruck", WM_SHAPE_SPREADS_SHARES | WM_SHAPE_EXCHANGES, 2, 2,                                                   \
      "log size rounds that pass blocks on (Bruck); (bruck 4): radix 4")                                                    \
    X(DISSEMINATION, "dissemination", WM_SHAPE_MEETS | WM_SHAPE_SCANS, 2, 2,                                                \
      "log size rounds of signals to ever farther members; (dissemination 4): 3 at a time")                                 \
    X(SHARED, "shared",                                                                                                     \
      WM_SHAPE_COMBINES | WM_SHAPE_SPREADS | WM_SHAPE_DEALS | WM_SHAPE_COMBINES_ALL | WM_SHAPE_MEETS |                      \
      WM_SHAPE_COMBINES_SHARES | WM_SHAPE_SPREADS_SHARES | WM_SHAPE_SCANS | WM_SHAPE_RETURNS | WM_SHAPE_EXCHANGES, 0, 2,    \
      "all at once, in the memory that the ranks of a node share; (shared 8): at most 8 read one another directly; much "   \
      "data of two ranks goes straight between their buffers; where it cannot be (nonblocking calls, gatherv, scatterv, "   \
      "alltoallv and w, large units) the default shape")
/* clang-format on */

enum wm_shape_kind {
#define X(id, name, abilities, number, least, help) WM_SHAPE_##id,
    WM_SHAPES(X)
#undef X
        WM_SHAPE_COUNT
};

enum { WM_SHAPE_NUMBER_MAX = 1024 };

/* The parents of one explicit tree, made for groups of `size` members. */
struct wm_shape_tree {
    int size;
    int root;     /* the member whose parent is -1 */
    int *parents; /* size entries */
    struct wm_shape_tree *next;
};

struct wm_shape {
    enum wm_shape_kind kind;
    int radix;                   /* the number that it takes; of a flat shape how many at a time, 0: all;
                                    of a double tree which of the two; of shared memory the fan-in, 0: its choice */
    int procedure;               /* number to ask wm_map_parents for; -1 when not a procedure */
    struct wm_shape_tree *trees; /* TREE: one for each group size that occurs */
};

const char *wm_shape_name(enum wm_shape_kind kind);
/* It can do one of these things, flags of enum wm_shape_ability. */
bool wm_shape_can(enum wm_shape_kind kind, uint32_t abilities);
/* One line for the user. */
const char *wm_shape_help(enum wm_shape_kind kind);
/* The number that a kind takes when none is given, and the least it may be: 0, it takes none. */
int wm_shape_number(enum wm_shape_kind kind);
int wm_shape_least(enum wm_shape_kind kind);
/* The kind called `name`, or -1. "binomial" is k-nomial. */
int wm_shape_find(const char *name);

/* The shape as its name alone makes it; not for TREE. */
const struct wm_shape *wm_shape_plain(enum wm_shape_kind kind);

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
/* The children of `member`, in the order in which the root side would send; `children` has room for the most there may
 * be. Returns their number. */
int wm_shape_children(const struct wm_shape *shape, int size, int root, int member, int *children);
/* A bound of that number. */
int wm_shape_children_most(const struct wm_shape *shape, int size, int root, int member);

#endif
