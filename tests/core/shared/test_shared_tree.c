/* Trees of shared steps: what all members make of the same caches fits together. */
#include <stdlib.h>
#include "core/shared/tree.h"
#include "tests/check.h"

enum { MEMBERS_MAX = 150 };

static struct wm_shared_tree *trees[MEMBERS_MAX];

static void make_trees(int size, int fan, const int *caches)
{
    for (int m = 0; m < size; m++) {
        trees[m] = wm_shared_tree_new(size);
        CU_ASSERT_PTR_NOT_NULL_FATAL(trees[m]);
        wm_shared_tree_make(trees[m], fan, caches, size, m);
    }
}

static void free_trees(int size)
{
    for (int m = 0; m < size; m++)
        free(trees[m]);
}

/* The elements of a level in clusters of at most `fan` from `first` on: returns where the next cluster begins. */
static int check_cluster(int size, int fan, int level, int first)
{
    const int *members = trees[first]->clusters[level].members;
    int count = trees[first]->clusters[level].count, next = first, faults = 0;

    faults += count < 1 || count > fan || members[0] != first;
    for (int i = 0; i < count; i++) {
        const struct wm_shared_tree *own = trees[members[i]];

        faults += members[i] != next || own->clusters[level].count != count || own->clusters[level].members[0] != first;
        faults += level < own->levels && (own->height > level) != (i == 0);
        for (next = members[i] + 1; next < size && trees[next]->height < level;)
            next++;
    }
    CU_ASSERT_EQUAL(faults, 0);
    return next;
}

static void check_trees(int size, int fan)
{
    int levels = trees[0]->levels;

    for (int m = 0; m < size; m++)
        CU_ASSERT_EQUAL(trees[m]->levels, levels);
    for (int level = 0; level < levels; level++)
        for (int first = 0; first < size;)
            first = check_cluster(size, fan, level, first);
    CU_ASSERT_EQUAL(check_cluster(size, fan, levels, 0), size);
    for (int m = 0; m < size; m++)
        CU_ASSERT_EQUAL(trees[m]->clusters[levels].count, trees[0]->clusters[levels].count);
}

static void every_member_has_its_place_in_one_tree(void)
{
    static const int sizes[] = {3, 9, 10, 17, 40, 64, 65, 128, 150}, fans[] = {2, 3, 7, 8, 60};
    int caches[MEMBERS_MAX];

    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (size_t f = 0; f < sizeof fans / sizeof fans[0]; f++)
            for (int shared_by = 0; shared_by < 12 && sizes[s] > fans[f]; shared_by++) {
                for (int m = 0; m < sizes[s]; m++)
                    caches[m] = shared_by > 0 ? m * (1 + m % 2) / shared_by % 5 : -1;
                make_trees(sizes[s], fans[f], caches);
                check_trees(sizes[s], fans[f]);
                free_trees(sizes[s]);
            }
}

static void expect_heads(int size, int fan, const int *caches, const int *heads, int count)
{
    make_trees(size, fan, caches);
    check_trees(size, fan);
    for (int m = 0, i = 0; m < size; m++) {
        bool head = i < count && heads[i] == m;

        CU_ASSERT_EQUAL(trees[m]->height > 0, head);
        i += head;
    }
    free_trees(size);
}

static void clusters_are_cut_where_the_cache_changes(void)
{
    static const int caches[] = {0, 0, 0, 0, 0, 0, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8}, heads[] = {0, 6, 11};

    expect_heads(16, 8, caches, heads, 3);
}

static void without_caches_clusters_are_alike(void)
{
    static const int caches[10] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1}, heads[] = {0, 5};

    expect_heads(10, 8, caches, heads, 2);
}

static void caches_that_take_turns_are_passed_over(void)
{
    static const int caches[] = {0, 1, 0, 1, 0, 1, 0, 1, 0, 1}, heads[] = {0, 5};

    expect_heads(10, 8, caches, heads, 2);
}

static void two_levels_serve_64_members_and_a_barrier_has_three_rounds(void)
{
    struct wm_shared step = {.kind = WM_SHARED_ALLREDUCE, .size = 64};
    int caches[64] = {0};

    make_trees(64, 8, caches);
    CU_ASSERT_EQUAL(trees[0]->levels, 1);
    CU_ASSERT_EQUAL(wm_shared_tree_phases(trees[0], &step, true), 3);
    step.kind = WM_SHARED_REDUCE;
    CU_ASSERT_EQUAL(wm_shared_tree_phases(trees[0], &step, true), 2);
    step.kind = WM_SHARED_BCAST;
    CU_ASSERT_EQUAL(wm_shared_tree_phases(trees[0], &step, true), 2);
    free_trees(64);
}

static void in_a_crowded_node_only_a_map_asks_for_trees(void)
{
    struct wm_shared step = {.size = 64};

    CU_ASSERT_EQUAL(wm_shared_fan(&step, false), WM_SHARED_FAN);
    CU_ASSERT_EQUAL(wm_shared_fan(&step, true), 64);
    step.fan = 4;
    CU_ASSERT_EQUAL(wm_shared_fan(&step, true), 4);
    step.fan = 1;
    CU_ASSERT_EQUAL(wm_shared_fan(&step, false), WM_SHARED_FAN_MIN);
}

static const struct check_case cases[] = {
    CASE(every_member_has_its_place_in_one_tree),      CASE(clusters_are_cut_where_the_cache_changes),
    CASE(without_caches_clusters_are_alike),           CASE(caches_that_take_turns_are_passed_over),
    CASE(in_a_crowded_node_only_a_map_asks_for_trees), CASE(two_levels_serve_64_members_and_a_barrier_has_three_rounds),
};

CHECK_MAIN("shared_tree", cases)
