/* Shapes: parents and children in trees over a group. */
#include "core/path/shape.h"

#include <stdlib.h>
#include <string.h>
#include "core/error.h"

static const struct {
    const char *name;
    uint32_t abilities;
    int number, least;
    const char *help;
} shapes[WM_SHAPE_COUNT] = {
#define X(id, name, abilities, number, least, help) [WM_SHAPE_##id] = {name, abilities, number, least, help},
    WM_SHAPES(X)
#undef X
};

const char *wm_shape_name(enum wm_shape_kind kind)
{
    return shapes[kind].name;
}

const char *wm_shape_help(enum wm_shape_kind kind)
{
    return shapes[kind].help;
}

bool wm_shape_can(enum wm_shape_kind kind, uint32_t abilities)
{
    return (shapes[kind].abilities & abilities) != 0;
}

int wm_shape_number(enum wm_shape_kind kind)
{
    return shapes[kind].number;
}

int wm_shape_least(enum wm_shape_kind kind)
{
    return shapes[kind].least;
}

int wm_shape_find(const char *name)
{
    if (strcmp(name, "binomial") == 0)
        return WM_SHAPE_KNOMIAL;
    for (int i = 0; i < WM_SHAPE_COUNT; i++)
        if (strcmp(shapes[i].name, name) == 0)
            return i;
    return -1;
}

const struct wm_shape *wm_shape_plain(enum wm_shape_kind kind)
{
    static const struct wm_shape plain[WM_SHAPE_COUNT] = {
#define X(id, name, abilities, number, least, help)                                                                    \
    [WM_SHAPE_##id] = {.kind = WM_SHAPE_##id, .radix = number, .procedure = -1},
        WM_SHAPES(X)
#undef X
    };

    return &plain[kind];
}

/* First member that is not an integer in range, is a second root, or does not reach the root; -1: a tree. */
static int tree_fault(int size, const int *parents)
{
    int root = -1;

    for (int i = 0; i < size; i++) {
        if (parents[i] < -1 || parents[i] >= size || parents[i] == i || (parents[i] == -1 && root != -1))
            return i;
        if (parents[i] == -1)
            root = i;
    }
    for (int i = 0; i < size; i++) {
        int at = i;

        for (int steps = 0; at != -1 && steps <= size; steps++)
            at = parents[at];
        if (at != -1)
            return i;
    }
    return root == -1 ? 0 : -1;
}

int wm_shape_add_tree(struct wm_shape *shape, int size, const int *parents, int *culprit)
{
    struct wm_shape_tree *tree;

    *culprit = tree_fault(size, parents);
    if (*culprit >= 0)
        return -WM_EINVAL;
    tree = malloc(sizeof *tree);
    if (tree == NULL || (tree->parents = malloc(sizeof(int) * (size_t)size)) == NULL) {
        free(tree);
        return -WM_ENOMEM;
    }
    memcpy(tree->parents, parents, sizeof(int) * (size_t)size);
    tree->size = size;
    for (tree->root = 0; parents[tree->root] != -1; tree->root++)
        ;
    tree->next = shape->trees;
    shape->trees = tree;
    return 0;
}

const struct wm_shape_tree *wm_shape_tree_find(const struct wm_shape *shape, int size)
{
    for (const struct wm_shape_tree *tree = shape->trees; tree != NULL; tree = tree->next)
        if (tree->size == size)
            return tree;
    return NULL;
}

void wm_shape_free(struct wm_shape *shape)
{
    if (shape == NULL)
        return;
    while (shape->trees != NULL) {
        struct wm_shape_tree *next = shape->trees->next;

        free(shape->trees->parents);
        free(shape->trees);
        shape->trees = next;
    }
    free(shape);
}

int wm_shape_root(const struct wm_shape *shape, int size)
{
    const struct wm_shape_tree *tree = shape->kind == WM_SHAPE_TREE ? wm_shape_tree_find(shape, size) : NULL;

    return tree != NULL ? tree->root : 0;
}

/* k-nomial: the parent of place p clears p's lowest digit that is not zero, in base k. */
static int knomial_parent(const struct wm_shape *shape, int size, int place)
{
    int radix = shape->radix, weight = 1;

    (void)size;
    if (place == 0)
        return -1;
    while (place / weight % radix == 0)
        weight *= radix;
    return place - place / weight % radix * weight;
}

/* Largest subtrees first, so that the deepest branch starts earliest. */
static int knomial_children(const struct wm_shape *shape, int size, int place, int *children)
{
    int radix = shape->radix, count = 0;
    long weight = 1;

    while (weight < size && place / weight % radix == 0)
        weight *= radix;
    for (weight /= radix; weight >= 1; weight /= radix)
        for (int digit = 1; digit < radix; digit++)
            if (place + digit * weight < size)
                children[count++] = (int)(place + digit * weight);
    return count;
}

/* In order: the members below the root and those above it are ranges; the middle of a range is over its two halves.
 * The range of `member` and who is over it. */
static int in_order_range(int size, int root, int member, int *low, int *high)
{
    int at = root, parent = -1;

    for (*low = 0, *high = size; at != member; at = *low + (*high - *low) / 2) {
        parent = at;
        *(member < at ? high : low) = at + (member > at);
    }
    return parent;
}

static int in_order_parent(int size, int root, int member)
{
    int low, high;

    return in_order_range(size, root, member, &low, &high);
}

static int in_order_children(int size, int root, int member, int *children)
{
    int low, high, count = 0;
    bool left_is_larger;

    in_order_range(size, root, member, &low, &high);
    left_is_larger = member - low >= high - member - 1;
    for (int side = 0; side < 2; side++) {
        bool left = left_is_larger == (side == 0);
        int begin = left ? low : member + 1, end = left ? member : high;

        if (begin < end)
            children[count++] = begin + (end - begin) / 2;
    }
    return count;
}

/* Two trees, Sanders, Speck, Träff, "Two-tree algorithms for full bandwidth broadcast, reduction and scan", 2009: all
 * but the root, places 1 … size-1, stand in order in a binary tree whose leaves are the odd ones. The second tree is
 * the first one's mirror image if there is an even number of them, else the first one moved by one place: so the even
 * places of the one are odd ones of the other. */
static int to_first_tree(int size, int which, int place)
{
    if (which == 0 || place == 0)
        return place;
    if (size % 2 == 1)
        return size - place;
    return place > 1 ? place - 1 : size - 1;
}

static int from_first_tree(int size, int which, int place)
{
    if (which == 0 || place == 0)
        return place;
    if (size % 2 == 1)
        return size - place;
    return place < size - 1 ? place + 1 : 1;
}

static int double_parent(const struct wm_shape *shape, int size, int place)
{
    int which = shape->radix, at = to_first_tree(size, which, place), lowest = at & -at,
        above = (at ^ lowest) | 2 * lowest;

    if (place == 0)
        return -1;
    return from_first_tree(size, which, above < size ? above : at ^ lowest);
}

static int double_children(const struct wm_shape *shape, int size, int place, int *children)
{
    int which = shape->radix, at = to_first_tree(size, which, place), weight = at & -at, count = 0;

    for (weight = place == 0 ? 1 : weight; place == 0 && 2 * weight < size; weight *= 2)
        ;
    if (place > 0 && weight > 1)
        children[count++] = from_first_tree(size, which, at - weight / 2);
    for (weight = place == 0 ? weight : weight / 2; weight > 0; weight /= 2)
        if (at + weight < size) {
            children[count++] = from_first_tree(size, which, at + weight);
            break;
        }
    return count;
}

static int flat_parent(const struct wm_shape *shape, int size, int place)
{
    (void)shape;
    (void)size;
    return place == 0 ? -1 : 0;
}

static int chain_parent(const struct wm_shape *shape, int size, int place)
{
    (void)shape;
    (void)size;
    return place - 1;
}

static int binary_parent(const struct wm_shape *shape, int size, int place)
{
    (void)shape;
    (void)size;
    return place == 0 ? -1 : (place - 1) / 2;
}

static int written_parent(const struct wm_shape *shape, int size, int place)
{
    return wm_shape_tree_find(shape, size)->parents[place];
}

static int take_range(int size, int first, int last, int *children)
{
    int count = 0;

    for (int child = first; child <= last && child < size; child++)
        children[count++] = child;
    return count;
}

static int flat_children(const struct wm_shape *shape, int size, int place, int *children)
{
    (void)shape;
    return take_range(size, 1, place == 0 ? size - 1 : 0, children);
}

static int chain_children(const struct wm_shape *shape, int size, int place, int *children)
{
    (void)shape;
    return take_range(size, place + 1, place + 1, children);
}

static int binary_children(const struct wm_shape *shape, int size, int place, int *children)
{
    (void)shape;
    return take_range(size, 2 * place + 1, 2 * place + 2, children);
}

static int written_children(const struct wm_shape *shape, int size, int place, int *children)
{
    int count = 0;

    for (int child = 0; child < size; child++)
        if (written_parent(shape, size, child) == place)
            children[count++] = child;
    return count;
}

/* Of the trees that are turned: the parent of a place, -1 of the root's, and its children in the order in which the
 * root side sends. */
static const struct {
    int (*parent)(const struct wm_shape *shape, int size, int place);
    int (*children)(const struct wm_shape *shape, int size, int place, int *children);
} trees[WM_SHAPE_COUNT] = {
    [WM_SHAPE_FLAT] = {flat_parent, flat_children},       [WM_SHAPE_CHAIN] = {chain_parent, chain_children},
    [WM_SHAPE_BINARY] = {binary_parent, binary_children}, [WM_SHAPE_KNOMIAL] = {knomial_parent, knomial_children},
    [WM_SHAPE_TREE] = {written_parent, written_children}, [WM_SHAPE_DOUBLE_TREE] = {double_parent, double_children},
};

static void check_tree(const struct wm_shape *shape)
{
    if (trees[shape->kind].parent == NULL)
        WM_BUG("no parent and children are known of this shape: it is an exchange, or not in trees");
}

/* Turning a tree so that another member is its root: members to places and back. */
static int turn(const struct wm_shape *shape, int size, int root)
{
    return root - wm_shape_root(shape, size) + size;
}

int wm_shape_parent(const struct wm_shape *shape, int size, int root, int member)
{
    int shift = turn(shape, size, root), parent;

    if (shape->kind == WM_SHAPE_IN_ORDER)
        return in_order_parent(size, root, member);
    check_tree(shape);
    parent = trees[shape->kind].parent(shape, size, (member - shift + 2 * size) % size);
    return parent < 0 ? -1 : (parent + shift) % size;
}

int wm_shape_children(const struct wm_shape *shape, int size, int root, int member, int *children)
{
    int shift = turn(shape, size, root), count;

    if (shape->kind == WM_SHAPE_IN_ORDER)
        return in_order_children(size, root, member, children);
    check_tree(shape);
    count = trees[shape->kind].children(shape, size, (member - shift + 2 * size) % size, children);
    for (int i = 0; i < count; i++)
        children[i] = (children[i] + shift) % size;
    return count;
}

int wm_shape_children_most(const struct wm_shape *shape, int size, int root, int member)
{
    int levels = 0;

    if (shape->kind == WM_SHAPE_FLAT)
        return member == root ? size - 1 : 0;
    if (shape->kind == WM_SHAPE_TREE)
        return size - 1;
    if (shape->kind != WM_SHAPE_KNOMIAL)
        return 2;
    for (long weight = 1; weight < size; weight *= shape->radix)
        levels++;
    return (shape->radix - 1) * levels;
}
