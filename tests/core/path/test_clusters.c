/* Clusters: modelled machines drawn by a seed, found exactly; flat ones, and those without a hierarchy, not divided.
 *
 * WM_CLUSTERS_SEED is another seed, WM_CLUSTERS_MODELS another number of models of each kind (100). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/hash.h"
#include "core/path/clusters.h"
#include "tests/check.h"

enum { HOSTS_MAX = 1000, LEVELS = 3 };

/* A machine: the round trip of two hosts is that of the outermost level that parts them. */
struct model {
    uint64_t state;
    int hosts, levels, group[LEVELS][HOSTS_MAX];
    double ns[LEVELS + 1]; /* [0]: between outermost groups; [levels]: within innermost ones */
    double jitter, outliers;
    double x[HOSTS_MAX], y[HOSTS_MAX]; /* without groups: places on a plane */
    bool plane, asked_itself;
    int asked, last; /* measured; the number that ends the search, 0: none does */
};

static uint64_t draw(struct model *m, uint64_t below)
{
    return wm_hash_scatter(m->state += UINT64_C(0x9e3779b97f4a7c15)) % below;
}

static double draw_between(struct model *m, double low, double high)
{
    return low + (high - low) * (double)draw(m, 1 << 30) / (1 << 30);
}

static uint64_t seed(void)
{
    const char *text = getenv("WM_CLUSTERS_SEED");

    return text != NULL ? strtoull(text, NULL, 10) : 1;
}

static int models(void)
{
    const char *text = getenv("WM_CLUSTERS_MODELS");

    return text != NULL ? atoi(text) : 100;
}

static double truth(const struct model *m, int from, int to)
{
    int level = 0;

    if (m->plane)
        return 1e4 + 1e6 * hypot(m->x[from] - m->x[to], m->y[from] - m->y[to]);
    while (level < m->levels && m->group[level][from] == m->group[level][to])
        level++;
    return m->ns[level];
}

static int measure(void *context, struct wm_round_trip *trips, int count)
{
    struct model *m = context;

    for (int i = 0; i < count; i++) {
        double ns = truth(m, trips[i].from, trips[i].to) * draw_between(m, 1 - m->jitter, 1 + m->jitter);

        if (draw_between(m, 0, 1) < m->outliers)
            ns *= exp(draw_between(m, log(2), log(20)));
        m->asked_itself |= trips[i].from == trips[i].to;
        trips[i].ns = (int64_t)ns;
        if (++m->asked == m->last)
            return -WM_EMPI;
    }
    return 0;
}

/* Divide hosts begin … end-1 of a level into two to four groups, and those again: four hosts at least in an innermost
 * one, four groups' worth in any other. */
static void divide(struct model *m, int level, int begin, int end, int *next)
{
    int groups = 2 + (int)draw(m, 3), least, spare;

    if (level == m->levels)
        return;
    least = 4 << 2 * (m->levels - 1 - level);
    groups = groups * least <= end - begin ? groups : 2;
    spare = end - begin - groups * least;
    CU_ASSERT_FATAL(spare >= 0);
    for (int g = 0; g < groups; g++) {
        int more = g + 1 < groups ? (int)draw(m, (uint64_t)spare * 2 / (uint64_t)groups + 1) : spare,
            size = least + more;

        spare -= more;
        for (int h = begin; h < begin + size; h++)
            m->group[level][h] = next[level];
        next[level]++;
        divide(m, level + 1, begin, begin + size, next);
        begin += size;
    }
}

static void shuffle(struct model *m)
{
    for (int i = m->hosts - 1; i > 0; i--) {
        int j = (int)draw(m, (uint64_t)i + 1);

        for (int l = 0; l < m->levels; l++) {
            int group = m->group[l][i];

            m->group[l][i] = m->group[l][j];
            m->group[l][j] = group;
        }
    }
}

static struct model *new_model(uint64_t number, int hosts, int levels)
{
    struct model *m = calloc(1, sizeof *m);
    int next[LEVELS] = {0};

    CU_ASSERT_PTR_NOT_NULL_FATAL(m);
    *m = (struct model){.state = wm_hash_scatter(seed() << 32 ^ number), .hosts = hosts, .levels = levels};
    m->ns[levels] = draw_between(m, 2e3, 5e4);
    for (int l = levels - 1; l >= 0; l--)
        m->ns[l] = m->ns[l + 1] * draw_between(m, 3, 10);
    m->jitter = 0.2;
    m->outliers = 0.02;
    divide(m, 0, 0, hosts, next);
    shuffle(m);
    return m;
}

/* The same hosts are together. */
static bool is_equal(const int *found, const int *group, int hosts)
{
    int first[HOSTS_MAX], called[HOSTS_MAX];

    for (int h = 0; h < hosts; h++)
        first[h] = called[h] = -1;
    for (int h = 0; h < hosts; h++) {
        if (first[group[h]] < 0 && called[found[h]] < 0) {
            first[group[h]] = found[h];
            called[found[h]] = group[h];
        }
        if (first[group[h]] != found[h] || called[found[h]] != group[h])
            return false;
    }
    return true;
}

static bool is_exact(struct model *m)
{
    struct wm_clusters found;
    bool exact = wm_clusters_find(&found, m->hosts, measure, m) == 0 && found.levels == m->levels && !found.unclear;

    for (int l = 0; exact && l < m->levels; l++)
        exact = is_equal(found.level[l].cluster, m->group[l], m->hosts) && found.level[l].step > 2;
    CU_ASSERT(found.asked <= m->hosts * log2(m->hosts) + (m->hosts < HOSTS_MAX ? 64 : 0));
    CU_ASSERT_EQUAL(found.asked, m->asked);
    CU_ASSERT_FALSE(m->asked_itself);
    wm_clusters_release(&found);
    return exact;
}

static void clusters__of_three_levels_are_found_exactly(void)
{
    int exact = 0;

    for (int i = 0; i < models(); i++) {
        struct model *m = new_model((uint64_t)i, HOSTS_MAX, LEVELS);

        exact += is_exact(m);
        free(m);
    }
    printf("%d of %d exact ", exact, models());
    CU_ASSERT(exact >= models() * 0.99 - (models() < 100 ? 0.01 : 0));
}

static void clusters__of_any_number_of_hosts_are_found(void)
{
    int exact = 0, all = 10 * models();

    for (int i = 0; i < all; i++) {
        struct model *m = new_model((uint64_t)i, 32 + (int)((unsigned)i * 37 % 400), 1 + i % 2);

        exact += is_exact(m);
        free(m);
    }
    CU_ASSERT(exact >= all * 0.99);
}

/* Levels that are found where there are none to be found. */
static int find_in_flat(int count, int hosts)
{
    int levels = 0;

    for (int i = 0; i < count; i++) {
        struct model m = {.state = wm_hash_scatter(seed() << 32 ^ (uint64_t)i), .hosts = hosts, .ns = {3e4}};
        struct wm_clusters found;

        m.jitter = 0.2;
        m.outliers = 0.02;
        CU_ASSERT_EQUAL(wm_clusters_find(&found, hosts, measure, &m), 0);
        levels += found.levels;
        wm_clusters_release(&found);
    }
    return levels;
}

static void clusters__of_a_flat_network_are_none(void)
{
    CU_ASSERT_EQUAL(find_in_flat(models(), 1000), 0);
    CU_ASSERT(find_in_flat(5 * models(), 64) <= 0.01 * 5 * models());
    CU_ASSERT(find_in_flat(5 * models(), 7) <= 0.01 * 5 * models());
    CU_ASSERT_EQUAL(find_in_flat(models(), 2), 0);
    CU_ASSERT_EQUAL(find_in_flat(1, 1), 0);
}

/* Two and two, one and two, one and one and two: hosts by their letters. */
static void check_few(const char *letters)
{
    struct model m = {.hosts = (int)strlen(letters), .levels = 1, .ns = {2e6, 4e4}, .jitter = 0.2};

    for (int i = 0; i < 50; i++) {
        m.asked = 0;
        m.state = wm_hash_scatter((uint64_t)i);
        for (int h = 0; h < m.hosts; h++)
            m.group[0][h] = letters[h] - 'a';
        if (!is_exact(&m))
            CU_FAIL("few hosts are not found exactly");
    }
}

static void clusters__of_few_hosts_are_found(void)
{
    check_few("abab");
    check_few("aab");
    check_few("abcc");
    check_few("abbbbbbb");
    check_few("abcabcabcabcabcabcabcabc");
}

/* Hosts strewn over a plane have no hierarchy: whatever is found, it is told, and it ends. */
static void clusters__of_a_plane_are_not_made_up(void)
{
    int divided = 0, asked = 0;

    for (int i = 0; i < models(); i++) {
        struct model *m = new_model((uint64_t)i, 300, 1);
        struct wm_clusters found;

        m->plane = true;
        for (int h = 0; h < m->hosts; h++) {
            m->x[h] = draw_between(m, 0, 1);
            m->y[h] = draw_between(m, 0, 1);
        }
        CU_ASSERT_EQUAL(wm_clusters_find(&found, m->hosts, measure, m), 0);
        divided += found.levels > 0;
        asked += found.asked;
        wm_clusters_release(&found);
        free(m);
    }
    CU_ASSERT_EQUAL(divided, 0);
    CU_ASSERT(asked <= models() * (300 * log2(300) + 64));
}

static void clusters__end_with_what_a_measurement_returns(void)
{
    for (int last = 1; last < 300; last += 23) {
        struct model *m = new_model(1, 50, 1);
        struct wm_clusters found;

        m->last = last;
        if (wm_clusters_find(&found, m->hosts, measure, m) == -WM_EMPI) {
            CU_ASSERT_PTR_NULL(found.level[0].cluster);
            CU_ASSERT_EQUAL(m->asked, last);
        } else {
            CU_ASSERT(m->asked < last);
        }
        wm_clusters_release(&found);
        free(m);
    }
}

static void clusters__are_the_same_for_the_same_answers(void)
{
    struct wm_clusters found[2];
    struct model *m[2] = {new_model(3, 200, 2), new_model(3, 200, 2)};

    for (int i = 0; i < 2; i++)
        CU_ASSERT_EQUAL(wm_clusters_find(&found[i], 200, measure, m[i]), 0);
    CU_ASSERT_EQUAL(found[0].asked, found[1].asked);
    CU_ASSERT_EQUAL(memcmp(found[0].level[0].cluster, found[1].level[0].cluster, 200 * sizeof(int)), 0);
    for (int i = 0; i < 2; i++) {
        wm_clusters_release(&found[i]);
        free(m[i]);
    }
}

/* How often hosts hold together that a search may have taken for clusters, on a machine whose answers are often late.
 */
static int count_held(const struct model *machine, const int *cluster)
{
    int held = 0;

    for (int i = 0; i < models(); i++) {
        struct model m = *machine;
        struct wm_cluster_level level = {.cluster = (int *)cluster};
        bool holds;

        m.state = wm_hash_scatter(seed() << 32 ^ (uint64_t)i);
        CU_ASSERT_EQUAL(wm_clusters_check(&level, m.hosts, 3, 200000, measure, &m, &holds), 0);
        CU_ASSERT_FALSE(m.asked_itself);
        CU_ASSERT(m.asked <= 32 * m.hosts);
        held += holds;
    }
    return held;
}

static void check__holds_what_is_far_and_nothing_else(void)
{
    static const int halves[] = {0, 0, 1, 1}, one_off[] = {0, 0, 0, 1}, thirds[] = {0, 1, 1, 2, 2};
    struct model flat = {.hosts = 4, .ns = {1e5}, .jitter = 0.2, .outliers = 0.8}, far = flat;

    CU_ASSERT(count_held(&flat, halves) <= 0.05 * models());
    CU_ASSERT(count_held(&flat, one_off) <= 0.05 * models());
    far.outliers = 0.1;
    far.levels = 1;
    far.ns[0] = 2e6;
    far.ns[1] = 1e5;
    memcpy(far.group[0], halves, sizeof halves);
    CU_ASSERT(count_held(&far, halves) >= 0.95 * models());
    CU_ASSERT(count_held(&far, one_off) <= 0.05 * models());
    far.ns[0] = 1.5e5;
    far.ns[1] = 1e4;
    CU_ASSERT_EQUAL(count_held(&far, halves), 0);
    far.ns[0] = 2e6;
    far.hosts = 5;
    memcpy(far.group[0], thirds, sizeof thirds);
    CU_ASSERT(count_held(&far, thirds) >= 0.95 * models());
}

static void cut__is_the_outermost_step(void)
{
    const double steps[] = {0, 0.1, 2, 2.1, 2.1, 5, 5.1}, even[] = {0, 0.3, 0.6, 0.9, 1.2, 1.5}, small[] = {0, 0, 0.45};
    double step = 0;

    CU_ASSERT_EQUAL(wm_clusters_cut(steps, 7, &step), 5);
    CU_ASSERT_DOUBLE_EQUAL(step, 2.9, 1e-9);
    CU_ASSERT_EQUAL(wm_clusters_cut(steps, 5, &step), 2);
    CU_ASSERT_EQUAL(wm_clusters_cut(even, 6, &step), 0);
    CU_ASSERT_EQUAL(wm_clusters_cut(small, 3, &step), 0);
    CU_ASSERT_EQUAL(wm_clusters_cut(steps, 0, &step), 0);
}

static const struct check_case cases[] = {
    CASE(clusters__of_three_levels_are_found_exactly),
    CASE(clusters__of_any_number_of_hosts_are_found),
    CASE(clusters__of_a_flat_network_are_none),
    CASE(clusters__of_few_hosts_are_found),
    CASE(clusters__of_a_plane_are_not_made_up),
    CASE(clusters__end_with_what_a_measurement_returns),
    CASE(clusters__are_the_same_for_the_same_answers),
    CASE(check__holds_what_is_far_and_nothing_else),
    CASE(cut__is_the_outermost_step),
};

CHECK_MAIN("clusters", cases)
