/* Shapes: parents and children agree, trees are turned rightly, and written trees are checked. */
#include <stdlib.h>
#include <string.h>
#include "core/error.h"
#include "core/path/shape.h"
#include "tests/check.h"

enum { SIZE_MAX_TRIED = 40 };

/* From every member the parents lead to the root, and children are just those whose parent it is. */
static bool is_tree(const struct wm_shape *shape, int size, int root)
{
    int children[SIZE_MAX_TRIED], found = 0;

    for (int member = 0; member < size; member++) {
        int at = member, steps = 0, count = wm_shape_children(shape, size, root, member, children);

        while (at != root && steps++ < size)
            if ((at = wm_shape_parent(shape, size, root, at)) < 0 || at >= size)
                return false;
        if (at != root)
            return false;
        for (int i = 0; i < count; i++)
            if (wm_shape_parent(shape, size, root, children[i]) != member)
                return false;
        found += count;
    }
    return found == size - 1 && wm_shape_parent(shape, size, root, root) == -1;
}

static void shape__every_tree_reaches_all_members_from_any_root(void)
{
    for (int kind = 0; kind < WM_SHAPE_COUNT; kind++)
        for (int radix = 2;
             wm_shape_can((enum wm_shape_kind)kind, WM_SHAPE_IS_TREE) && kind != WM_SHAPE_TREE && radix <= 9; radix++)
            for (int size = 1; size <= SIZE_MAX_TRIED; size++)
                for (int root = 0; root < size; root++) {
                    struct wm_shape shape = {.kind = (enum wm_shape_kind)kind, .radix = radix, .procedure = -1};

                    CU_ASSERT(is_tree(&shape, size, root));
                }
}

static void shape__written_trees_reach_all_members_from_any_root(void)
{
    static const int parents[] = {3, 3, 0, -1, 0, 2};
    struct wm_shape shape = {.kind = WM_SHAPE_TREE, .radix = 2, .procedure = -1};
    int culprit;

    CU_ASSERT_EQUAL_FATAL(wm_shape_add_tree(&shape, 6, parents, &culprit), 0);
    CU_ASSERT_EQUAL(wm_shape_root(&shape, 6), 3);
    for (int root = 0; root < 6; root++)
        CU_ASSERT(is_tree(&shape, 6, root));
    for (int member = 0; member < 6; member++)
        CU_ASSERT_EQUAL(wm_shape_parent(&shape, 6, 3, member), parents[member]);
    CU_ASSERT_EQUAL(wm_shape_parent(&shape, 6, 4, 1), 4);
    while (shape.trees != NULL) {
        struct wm_shape *copy = calloc(1, sizeof *copy);

        *copy = shape;
        shape.trees = NULL;
        wm_shape_free(copy);
    }
}

static void check_children(enum wm_shape_kind kind, int radix, int size, int root, int member, const char *expected)
{
    struct wm_shape shape = {.kind = kind, .radix = radix, .procedure = -1};
    int children[SIZE_MAX_TRIED], count = wm_shape_children(&shape, size, root, member, children);
    char text[256] = "";

    for (int i = 0; i < count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%d", i > 0 ? " " : "", children[i]);
    CU_ASSERT_STRING_EQUAL(text, expected);
}

static void shape__flat_chain_and_binary_have_their_children(void)
{
    check_children(WM_SHAPE_FLAT, 2, 4, 0, 0, "1 2 3");
    check_children(WM_SHAPE_FLAT, 2, 4, 2, 2, "3 0 1");
    check_children(WM_SHAPE_FLAT, 2, 4, 2, 0, "");
    check_children(WM_SHAPE_CHAIN, 2, 4, 0, 1, "2");
    check_children(WM_SHAPE_CHAIN, 2, 4, 2, 3, "0");
    check_children(WM_SHAPE_CHAIN, 2, 4, 2, 1, "");
    check_children(WM_SHAPE_BINARY, 2, 6, 0, 0, "1 2");
    check_children(WM_SHAPE_BINARY, 2, 6, 0, 2, "5");
}

static void shape__in_order_trees_stand_over_ranges(void)
{
    check_children(WM_SHAPE_IN_ORDER, 0, 7, 0, 0, "4");
    check_children(WM_SHAPE_IN_ORDER, 0, 7, 0, 4, "2 6");
    check_children(WM_SHAPE_IN_ORDER, 0, 7, 0, 2, "1 3");
    check_children(WM_SHAPE_IN_ORDER, 0, 7, 3, 3, "1 5");
    check_children(WM_SHAPE_IN_ORDER, 0, 7, 5, 5, "2 6");
    check_children(WM_SHAPE_IN_ORDER, 0, 7, 5, 6, "");
    check_children(WM_SHAPE_IN_ORDER, 0, 1, 0, 0, "");
}

/* Who is below a member lies between the lowest and the highest of them. */
static int mark_below(const struct wm_shape *shape, int size, int root, int member, int *low, int *high)
{
    int children[SIZE_MAX_TRIED], count = wm_shape_children(shape, size, root, member, children), found = 1;

    *low = *high = member;
    for (int i = 0; i < count; i++) {
        int below, above;

        found += mark_below(shape, size, root, children[i], &below, &above);
        *low = below < *low ? below : *low;
        *high = above > *high ? above : *high;
    }
    return found;
}

static void shape__below_a_member_of_an_in_order_tree_is_a_range_and_few_levels(void)
{
    struct wm_shape shape = {.kind = WM_SHAPE_IN_ORDER, .procedure = -1};

    for (int size = 1; size <= SIZE_MAX_TRIED; size++)
        for (int root = 0; root < size; root++)
            for (int member = 0; member < size; member++) {
                int low, high, levels = 0, most = 1;

                CU_ASSERT_EQUAL(mark_below(&shape, size, root, member, &low, &high), high - low + 1);
                for (int at = member; at != root; levels++)
                    at = wm_shape_parent(&shape, size, root, at);
                while (1 << most < size)
                    most++;
                CU_ASSERT(levels <= most);
            }
}

static void shape__a_double_tree_is_two_trees_and_nobody_is_inside_both(void)
{
    struct wm_shape trees[2] = {{.kind = WM_SHAPE_DOUBLE_TREE, .radix = 0, .procedure = -1},
                                {.kind = WM_SHAPE_DOUBLE_TREE, .radix = 1, .procedure = -1}};
    int children[SIZE_MAX_TRIED];

    for (int size = 1; size <= SIZE_MAX_TRIED; size++)
        for (int root = 0; root < size; root++)
            for (int member = 0; member < size; member++) {
                int first = wm_shape_children(&trees[0], size, root, member, children);
                int second = wm_shape_children(&trees[1], size, root, member, children);

                CU_ASSERT(is_tree(&trees[0], size, root) && is_tree(&trees[1], size, root));
                CU_ASSERT(first <= 2 && second <= 2);
                CU_ASSERT(member == root ? first == (size > 1) && second == (size > 1) : first == 0 || second == 0);
            }
}

static void shape__double_trees_have_their_children(void)
{
    check_children(WM_SHAPE_DOUBLE_TREE, 0, 8, 0, 0, "4");
    check_children(WM_SHAPE_DOUBLE_TREE, 0, 8, 0, 4, "2 6");
    check_children(WM_SHAPE_DOUBLE_TREE, 0, 8, 0, 6, "5 7");
    check_children(WM_SHAPE_DOUBLE_TREE, 1, 8, 0, 0, "5"); /* moved by one */
    check_children(WM_SHAPE_DOUBLE_TREE, 1, 8, 0, 5, "3 7");
    check_children(WM_SHAPE_DOUBLE_TREE, 1, 8, 0, 7, "6 1");
    check_children(WM_SHAPE_DOUBLE_TREE, 0, 7, 0, 4, "2 6");
    check_children(WM_SHAPE_DOUBLE_TREE, 1, 7, 0, 0, "3"); /* mirrored */
    check_children(WM_SHAPE_DOUBLE_TREE, 1, 7, 0, 3, "5 1");
    check_children(WM_SHAPE_DOUBLE_TREE, 0, 6, 2, 2, "0");
}

static void shape__knomial_sends_to_the_largest_subtree_first(void)
{
    check_children(WM_SHAPE_KNOMIAL, 2, 8, 0, 0, "4 2 1");
    check_children(WM_SHAPE_KNOMIAL, 2, 6, 0, 0, "4 2 1");
    check_children(WM_SHAPE_KNOMIAL, 2, 6, 0, 4, "5");
    check_children(WM_SHAPE_KNOMIAL, 3, 9, 0, 0, "3 6 1 2");
    check_children(WM_SHAPE_KNOMIAL, 4, 16, 1, 5, "6 7 8");
}

static void shape__binomial_is_knomial(void)
{
    CU_ASSERT_EQUAL(wm_shape_find("binomial"), WM_SHAPE_KNOMIAL);
    CU_ASSERT_EQUAL(wm_shape_find("k-nomial"), WM_SHAPE_KNOMIAL);
    CU_ASSERT_EQUAL(wm_shape_find("star"), -1);
    for (int kind = 0; kind < WM_SHAPE_COUNT; kind++)
        CU_ASSERT_EQUAL(wm_shape_find(wm_shape_name((enum wm_shape_kind)kind)), kind);
}

static void shape__is_plain_by_its_name_alone(void)
{
    for (int kind = 0; kind < WM_SHAPE_COUNT; kind++) {
        const struct wm_shape *plain = wm_shape_plain((enum wm_shape_kind)kind);

        CU_ASSERT(plain->kind == (enum wm_shape_kind)kind && plain->procedure == -1 && plain->trees == NULL);
        CU_ASSERT_EQUAL(plain->radix, wm_shape_number((enum wm_shape_kind)kind));
    }
}

static int culprit_of(int size, const int *parents)
{
    struct wm_shape shape = {.kind = WM_SHAPE_TREE};
    int culprit = -7, rc = wm_shape_add_tree(&shape, size, parents, &culprit);

    CU_ASSERT_EQUAL(rc, -WM_EINVAL);
    CU_ASSERT_PTR_NULL(shape.trees);
    return culprit;
}

static void shape__names_the_first_member_at_fault(void)
{
    CU_ASSERT_EQUAL(culprit_of(3, (int[]){-1, 0, 3}), 2);    /* no such member */
    CU_ASSERT_EQUAL(culprit_of(3, (int[]){-1, -2, 0}), 1);   /* nor this */
    CU_ASSERT_EQUAL(culprit_of(3, (int[]){-1, 0, -1}), 2);   /* a second root */
    CU_ASSERT_EQUAL(culprit_of(3, (int[]){-1, 1, 0}), 1);    /* its own parent */
    CU_ASSERT_EQUAL(culprit_of(4, (int[]){-1, 2, 1, 0}), 1); /* a circle apart */
    CU_ASSERT_EQUAL(culprit_of(3, (int[]){1, 2, 0}), 0);     /* no root */
    CU_ASSERT_EQUAL(culprit_of(0, (int[]){0}), 0);           /* no members */
}

static void shape__keeps_a_tree_for_each_size(void)
{
    struct wm_shape *shape = calloc(1, sizeof *shape);
    int culprit;

    shape->kind = WM_SHAPE_TREE;
    CU_ASSERT_EQUAL(wm_shape_add_tree(shape, 2, (int[]){1, -1}, &culprit), 0);
    CU_ASSERT_EQUAL(wm_shape_add_tree(shape, 3, (int[]){1, 2, -1}, &culprit), 0);
    CU_ASSERT_EQUAL(wm_shape_tree_find(shape, 2)->root, 1);
    CU_ASSERT_EQUAL(wm_shape_root(shape, 3), 2);
    CU_ASSERT_PTR_NULL(wm_shape_tree_find(shape, 4));
    CU_ASSERT_EQUAL(wm_shape_root(shape, 4), 0);
    wm_shape_free(shape);
    wm_shape_free(NULL);
}

static const struct check_case cases[] = {
    CASE(shape__every_tree_reaches_all_members_from_any_root),
    CASE(shape__written_trees_reach_all_members_from_any_root),
    CASE(shape__flat_chain_and_binary_have_their_children),
    CASE(shape__in_order_trees_stand_over_ranges),
    CASE(shape__below_a_member_of_an_in_order_tree_is_a_range_and_few_levels),
    CASE(shape__a_double_tree_is_two_trees_and_nobody_is_inside_both),
    CASE(shape__double_trees_have_their_children),
    CASE(shape__knomial_sends_to_the_largest_subtree_first),
    CASE(shape__binomial_is_knomial),
    CASE(shape__is_plain_by_its_name_alone),
    CASE(shape__names_the_first_member_at_fault),
    CASE(shape__keeps_a_tree_for_each_size),
};

CHECK_MAIN("shape", cases)
