/* The clusters of the job's hosts: rank 0 asks, the first rank of each host answers, and all are told. */
#include "core/process/host_clusters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "core/data/allocate.h"
#include "core/data/own_comm.h"
#include "core/process/host_pings.h"
#include "core/process/process.h"

enum { HOSTS_MIN = 3, SEARCHES_MAX = 4, KEPT_HOSTS_MAX = 64 };
enum { NAP_NS = 100000, FAR_MIN_NS = 200000, LATER_NS = 20000000 };

#define STEP_MIN 3.0

/* The ranks by which nodes are called, which are their first ones (core/process/machine.h). Returns how many. */
static int list_leaders(int *leaders)
{
    const struct wm_process *p = &wm_process;
    int hosts = 0;

    for (int r = 0; r < p->world_ranks; r++)
        if (p->places[r].node == r)
            leaders[hosts++] = r;
    return hosts;
}

static const struct wm_cluster_level *largest_step(const struct wm_clusters *found)
{
    const struct wm_cluster_level *best = NULL;

    for (int i = 0; i < found->levels; i++)
        if (found->level[i].step >= STEP_MIN && (best == NULL || found->level[i].step > best->step))
            best = &found->level[i];
    return best;
}

static void say(const struct wm_cluster_level *level, const struct wm_host_pings *pings)
{
    int clusters = 0;

    for (int h = 0; h < pings->hosts; h++)
        clusters = level->cluster[h] >= clusters ? level->cluster[h] + 1 : clusters;
    fprintf(stderr, "waymark: %d clusters of hosts, %.1f times as far from each other as within:", clusters,
            level->step);
    for (int c = 0; c < clusters; c++) {
        fprintf(stderr, "%s", c > 0 ? " |" : "");
        for (int h = 0; h < pings->hosts; h++)
            if (level->cluster[h] == c)
                fprintf(stderr, " %s", wm_process.places[pings->leaders[h]].host);
    }
    fprintf(stderr, "\n");
}

/* What has been measured. Where processors are late, near hosts look far, so of few hosts the least of all answers
 * about a pair is kept. */
struct answers {
    struct wm_host_pings *pings;
    int64_t *least_ns; /* [hosts x hosts], 0: not measured; NULL: too many */
    int64_t shortest_ns, longest_ns;
};

static int measure(void *context, struct wm_round_trip *trips, int count)
{
    struct answers *a = context;
    int rc = wm_host_pings_ask(a->pings, trips, count);

    for (int i = 0; rc == 0 && i < count; i++) {
        struct wm_round_trip *t = &trips[i];
        int first = t->from < t->to ? t->from : t->to, second = t->from + t->to - first;
        int64_t *least = a->least_ns != NULL ? &a->least_ns[first * a->pings->hosts + second] : NULL;

        if (least != NULL && *least > 0 && *least < t->ns)
            t->ns = *least;
        if (least != NULL)
            *least = t->ns;
        a->shortest_ns = t->ns < a->shortest_ns ? t->ns : a->shortest_ns;
        a->longest_ns = t->ns > a->longest_ns ? t->ns : a->longest_ns;
    }
    return rc;
}

/* Who has no processor now has one some time slices later. */
static int measure_later(void *context, struct wm_round_trip *trips, int count)
{
    nanosleep(&(struct timespec){0, LATER_NS}, NULL);
    return measure(context, trips, count);
}

/* Ends when all round trips are alike, when clusters are found that hold, and when none are found twice. */
static int search(struct answers *a, struct wm_clusters *found)
{
    bool is_over = false;
    int rc = 0, nothings = 0;

    *found = (struct wm_clusters){0};
    for (int i = 0; rc == 0 && !is_over && i < SEARCHES_MAX; i++) {
        const struct wm_cluster_level *level;

        wm_clusters_release(found);
        a->shortest_ns = INT64_MAX;
        a->longest_ns = 0;
        if ((rc = wm_clusters_find(found, a->pings->hosts, measure, a)) < 0)
            break;
        if ((level = largest_step(found)) != NULL)
            rc = wm_clusters_check(level, a->pings->hosts, STEP_MIN, FAR_MIN_NS, measure_later, a, &is_over);
        else
            is_over = (double)a->longest_ns < STEP_MIN * (double)a->shortest_ns || ++nothings == 2;
    }
    if (!is_over)
        wm_clusters_release(found);
    return rc;
}

/* Rank 0. */
static int find(struct wm_host_pings *pings, int *cluster)
{
    struct wm_clusters found;
    const struct wm_cluster_level *level;
    struct answers answers = {.pings = pings};
    size_t hosts = (size_t)pings->hosts;
    int rc;

    if (hosts <= KEPT_HOSTS_MAX)
        answers.least_ns = wm_allocate_zeroed(sizeof *answers.least_ns * hosts * hosts, "clusters of hosts");
    rc = search(&answers, &found);
    free(answers.least_ns);
    wm_host_pings_end(pings);
    level = largest_step(&found);
    for (int h = 0; h < pings->hosts; h++)
        cluster[h] = level != NULL ? level->cluster[h] : 0;
    if (level != NULL && wm_process.settings.verbose > 0)
        say(level, pings);
    else if (found.unclear && wm_process.settings.verbose > 0)
        fprintf(stderr,
                "waymark: hosts are not equally far from each other, but form no clear clusters; declare them by the "
                "map's #:grid, or let them be\n");
    wm_clusters_release(&found);
    return rc;
}

/* What rank 0 tells all. Ranks that do not ping sleep: those that do have the processors. */
static int await_clusters(const struct wm_host_pings *pings, int *cluster)
{
    bool naps = wm_process.places[wm_process.world_rank].node != wm_process.world_rank;
    MPI_Request told;
    int rc = PMPI_Ibcast(cluster, pings->hosts, MPI_INT, 0, pings->comm, &told), done = 0;

    while (rc == MPI_SUCCESS && naps && !done) {
        rc = PMPI_Test(&told, &done, MPI_STATUS_IGNORE);
        if (!done)
            nanosleep(&(struct timespec){0, NAP_NS}, NULL);
    }
    return rc == MPI_SUCCESS ? PMPI_Wait(&told, MPI_STATUS_IGNORE) : rc;
}

/* Each rank's part. The same is returned everywhere. */
static int take_part(struct wm_host_pings *pings, int *cluster)
{
    int self = wm_process.world_rank, rc = 0, least;

    if (self == 0)
        rc = find(pings, cluster);
    else if (wm_process.places[self].node == self)
        rc = wm_host_pings_serve(pings);
    if (await_clusters(pings, cluster) != MPI_SUCCESS ||
        PMPI_Allreduce(&rc, &least, 1, MPI_INT, MPI_MIN, pings->comm) != MPI_SUCCESS)
        return -WM_EMPI;
    return least;
}

static void fill_in(const struct wm_host_pings *pings, const int *cluster)
{
    struct wm_process *p = &wm_process;

    for (int h = 0; h < pings->hosts; h++)
        p->places[pings->leaders[h]].cluster = cluster[h];
    for (int r = 0; r < p->world_ranks; r++)
        p->places[r].cluster = p->places[p->places[r].node].cluster;
}

static int find_among(const int *leaders, int hosts)
{
    struct wm_host_pings pings = {MPI_COMM_NULL, hosts, leaders};
    int *cluster, rc;

    if (wm_own_comm_make(MPI_COMM_WORLD, &pings.comm) != MPI_SUCCESS)
        return -WM_EMPI;
    cluster = wm_allocate_zeroed(sizeof *cluster * (size_t)hosts, "clusters of hosts");
    if ((rc = take_part(&pings, cluster)) == 0)
        fill_in(&pings, cluster);
    PMPI_Comm_free(&pings.comm);
    free(cluster);
    return rc;
}

int wm_host_clusters_find(struct wm_error *error)
{
    const struct wm_process *p = &wm_process;
    int *leaders, hosts, rc = 0;

    if (!p->settings.finds_clusters || !wm_map_source_names_clusters(&p->map) || p->each > 0)
        return 0;
    leaders = wm_allocate(sizeof *leaders * (size_t)p->world_ranks, "clusters of hosts");
    if ((hosts = list_leaders(leaders)) >= HOSTS_MIN)
        rc = find_among(leaders, hosts);
    free(leaders);
    if (rc < 0)
        wm_error_set(error, rc, "the round trips between hosts could not be measured; set WAYMARK_CLUSTERS=0");
    return rc;
}
