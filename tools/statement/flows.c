/* Flows, and their groups. */
#include "tools/statement/flows.h"

#include <stdlib.h>
#include "core/hash.h"
#include "core/search.h"
#include "tools/statement/tell.h"
#include "core/vector.h"

int wm_flows_of(struct wm_statement_flows *flows, const struct wm_traffic *x)
{
    const struct wm_parts *told = wm_told(x);

    *flows = (struct wm_statement_flows){0};
    for (size_t i = 0; i < told->count; i++) {
        const struct wm_statement_part *part = &told->parts[i];

        if (flows->count == 0 || flows->list[flows->count - 1].peer != part->peer) {
            if (wm_vector_reserve(&flows->list, &flows->capacity, flows->count + 1, sizeof *flows->list) < 0)
                return -WM_ENOMEM;
            flows->list[flows->count++] = (struct wm_statement_flow){.peer = part->peer};
        }
        flows->list[flows->count - 1].messages++;
        flows->list[flows->count - 1].bytes += (int64_t)wm_part_bytes(x, part);
    }
    return 0;
}

void wm_flows_release(struct wm_statement_flows *flows)
{
    free(flows->list);
    *flows = (struct wm_statement_flows){0};
}

static int by_peer(const void *a, const void *b)
{
    const struct wm_statement_flow *x = a, *y = b;

    return (x->peer > y->peer) - (x->peer < y->peer);
}

/* Say of each peer how far it is from the rank. */
static void measure_distances(struct wm_statement_flows *flows, int rank, int ranks)
{
    for (size_t i = 0; i < flows->count; i++) {
        int far = (flows->list[i].peer - rank + ranks) % ranks;

        flows->list[i].peer = far > ranks / 2 ? far - ranks : far;
    }
    if (flows->count > 1)
        qsort(flows->list, flows->count, sizeof *flows->list, by_peer);
}

static uint64_t hash(const struct wm_statement_flows *flows)
{
    uint64_t hash = WM_HASH_BEGIN;

    for (size_t i = 0; i < flows->count; i++) {
        hash = wm_hash_add(hash, (uint64_t)flows->list[i].peer);
        hash = wm_hash_add(hash, (uint64_t)flows->list[i].messages);
        hash = wm_hash_add(hash, (uint64_t)flows->list[i].bytes);
    }
    return hash;
}

struct wm_flow_keys wm_flows_keys(struct wm_statement_flows *flows, int rank, int ranks)
{
    struct wm_flow_keys keys = {.peers = hash(flows)};

    measure_distances(flows, rank, ranks);
    keys.distances = hash(flows);
    return keys;
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static size_t count_equal(const uint64_t sorted[], size_t count, uint64_t value)
{
    return WM_COUNT_WHILE(i, count, sorted[i] <= value) - WM_COUNT_WHILE(i, count, sorted[i] < value);
}

/* A rank's group: that of the key which more ranks have, and the key. */
struct choice {
    uint64_t key;
    bool distances;
};

static bool choose(const struct wm_flow_keys keys[], size_t ranks, struct choice choices[])
{
    uint64_t *peers = calloc(2 * ranks, sizeof *peers), *distances = peers + ranks;

    if (peers == NULL)
        return false;
    for (size_t i = 0; i < ranks; i++) {
        peers[i] = keys[i].peers;
        distances[i] = keys[i].distances;
    }
    qsort(peers, ranks, sizeof *peers, by_value);
    qsort(distances, ranks, sizeof *distances, by_value);
    for (size_t i = 0; i < ranks; i++) {
        bool far = count_equal(distances, ranks, keys[i].distances) > count_equal(peers, ranks, keys[i].peers);

        choices[i] = (struct choice){far ? keys[i].distances : keys[i].peers, far};
    }
    free(peers);
    return true;
}

static struct wm_flow_group *find_group(struct wm_statement_survey *survey, const struct choice choices[], int rank)
{
    for (size_t i = 0; i < survey->group_count; i++) {
        struct wm_flow_group *group = &survey->groups[i];

        if (choices[group->ranks[0]].key == choices[rank].key && group->distances == choices[rank].distances)
            return group;
    }
    return NULL;
}

/* A group of its own, with its flows. */
static int add_group(struct wm_statement_survey *survey, const struct wm_bound_names *names,
                     const struct wm_statement *s, int rank, bool distances, struct wm_error *error)
{
    struct wm_flow_group *group;
    struct wm_traffic x;
    int rc = wm_vector_reserve(&survey->groups, &survey->group_capacity, survey->group_count + 1, sizeof *group);

    if (rc < 0)
        return rc;
    group = &survey->groups[survey->group_count++];
    *group = (struct wm_flow_group){.distances = distances, .ranks = malloc(sizeof(int)), .rank_count = 1};
    if (group->ranks == NULL)
        return -WM_ENOMEM;
    group->ranks[0] = rank;
    if ((rc = wm_tell(&x, names, s, rank, false, error)) < 0)
        return rc;
    rc = wm_flows_of(&group->flows, &x);
    wm_traffic_release(&x);
    if (distances)
        measure_distances(&group->flows, rank, survey->ranks);
    return rc;
}

static int join_group(struct wm_flow_group *group, int rank)
{
    int count = group->rank_count;

    if ((count & (count - 1)) == 0) { /* room for a power of two */
        int *ranks = realloc(group->ranks, sizeof *ranks * 2 * (size_t)count);

        if (ranks == NULL)
            return -WM_ENOMEM;
        group->ranks = ranks;
    }
    group->ranks[group->rank_count++] = rank;
    return 0;
}

int wm_flow_groups_make(struct wm_statement_survey *survey, const struct wm_bound_names *names,
                        const struct wm_statement *statement, const struct wm_flow_keys keys[], struct wm_error *error)
{
    struct choice *choices = calloc((size_t)survey->ranks, sizeof *choices);
    int rc = choices != NULL && choose(keys, (size_t)survey->ranks, choices) ? 0 : -WM_ENOMEM;

    for (int rank = 0; rank < survey->ranks && rc == 0; rank++) {
        struct wm_flow_group *group = find_group(survey, choices, rank);

        rc = group != NULL ? join_group(group, rank)
                           : add_group(survey, names, statement, rank, choices[rank].distances, error);
    }
    free(choices);
    return rc == -WM_ENOMEM ? wm_error_set(error, rc, "out of memory") : rc;
}
