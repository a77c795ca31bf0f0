/* Clusters: whether a level's groups are as far from each other as a search has found them. */
#include <math.h>
#include <stdlib.h>
#include "core/path/clusters.h"

/* So often pairs are asked; so many hosts of a group each time, as each end of a pair within it and of one between. */
enum { ROUNDS = 4, SIDE = 4 };

struct check {
    int hosts, groups;
    int *order, *begin; /* [hosts], [groups + 1] the hosts of one group after the other */
    double *near;       /* [groups] the least that was seen within each */
    double *far;        /* [ROUNDS x hosts] all that was seen between them */
    int far_count;
    struct wm_round_trip *trips;
    int count;
};

static void sort_hosts(struct check *c, const int *cluster)
{
    int next = 0;

    for (int g = 0; g < c->groups; g++) {
        c->begin[g] = next;
        for (int h = 0; h < c->hosts; h++)
            if (cluster[h] == g)
                c->order[next++] = h;
    }
    c->begin[c->groups] = next;
}

static int size_of(const struct check *c, int group)
{
    return c->begin[group + 1] - c->begin[group];
}

static int host_of(const struct check *c, int group, int member)
{
    return c->order[c->begin[group] + member % size_of(c, group)];
}

/* Other pairs in each round, while there are others. */
static void list_pairs(struct check *c, int round)
{
    c->count = 0;
    for (int g = 0; g < c->groups; g++) {
        int other = (g + 1 + round % (c->groups - 1)) % c->groups, size = size_of(c, g);

        for (int k = 0; k < SIDE && k < size; k++) {
            int from = host_of(c, g, k);

            if (size > 1)
                c->trips[c->count++] = (struct wm_round_trip){from, host_of(c, g, k + 1 + round % (size - 1)), 0};
            c->trips[c->count++] = (struct wm_round_trip){from, host_of(c, other, k + round), 0};
        }
    }
}

static void note_pairs(struct check *c, const int *cluster)
{
    for (int i = 0; i < c->count; i++) {
        double ns = (double)c->trips[i].ns;
        int group = cluster[c->trips[i].from];

        if (group == cluster[c->trips[i].to])
            c->near[group] = fmin(c->near[group], ns);
        else
            c->far[c->far_count++] = ns;
    }
}

static int compare(const void *left, const void *right)
{
    const double *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

/* Groups of one host have none within; there is a group of more. */
static double typical_near(struct check *c)
{
    int known = 0;

    qsort(c->near, (size_t)c->groups, sizeof *c->near, compare);
    while (known < c->groups && c->near[known] < INFINITY)
        known++;
    return c->near[(known - 1) / 2];
}

/* Ways between groups are alike, where their length is a network's; where it is that of queues for processors, they
 * differ by as much as they are long. */
static bool is_far(struct check *c, double step, int64_t least_ns)
{
    double near = typical_near(c), far, middle;

    qsort(c->far, (size_t)c->far_count, sizeof *c->far, compare);
    far = c->far[0];
    middle = c->far[c->far_count / 2];
    return far >= (double)least_ns && far >= step * near && far - near >= middle - far;
}

static bool is_allocated(struct check *c)
{
    size_t hosts = (size_t)c->hosts;

    c->order = malloc(sizeof *c->order * hosts);
    c->begin = malloc(sizeof *c->begin * (hosts + 1));
    c->near = malloc(sizeof *c->near * hosts);
    c->far = malloc(sizeof *c->far * ROUNDS * hosts);
    c->trips = malloc(sizeof *c->trips * 2 * hosts);
    return c->order != NULL && c->begin != NULL && c->near != NULL && c->far != NULL && c->trips != NULL;
}

int wm_clusters_check(const struct wm_cluster_level *level, int hosts, double step, int64_t least_ns,
                      wm_round_trips *measure, void *context, bool *holds)
{
    struct check c = {.hosts = hosts};
    int rc = is_allocated(&c) ? 0 : -WM_ENOMEM;

    for (int h = 0; h < hosts; h++)
        c.groups = level->cluster[h] >= c.groups ? level->cluster[h] + 1 : c.groups;
    for (int g = 0; rc == 0 && g < c.groups; g++)
        c.near[g] = INFINITY;
    if (rc == 0)
        sort_hosts(&c, level->cluster);
    for (int round = 0; rc == 0 && round < ROUNDS; round++) {
        list_pairs(&c, round);
        if ((rc = measure(context, c.trips, c.count)) == 0)
            note_pairs(&c, level->cluster);
    }
    *holds = rc == 0 && is_far(&c, step, least_ns);
    free(c.order);
    free(c.begin);
    free(c.near);
    free(c.far);
    free(c.trips);
    return rc;
}
