/* Waits: dependencies between the ranks of a collective, and the time spent until the last of them arrived.
 */
#include "tools/analysis/waits.h"

#include <stdlib.h>
#include "tools/analysis/reach.h"

/* Whom a rank's result depends on, by operation; of the v-forms, as if no count were 0. */
enum dependence { ON_ALL, ON_ROOT, ROOT_ON_ALL, ON_LOWER };

/* A count for each pair of ranks; or for each block, of what is moved. */
static bool counts_pairs(enum wm_operation operation)
{
    enum wm_data_kind data = wm_operation_data(operation);

    return data == WM_DATA_EDGES || (data == WM_DATA_PAIRS && wm_operation_takes_vectors(operation));
}

static bool counts_blocks(enum wm_operation operation)
{
    return counts_pairs(operation) || (wm_operation_takes_vectors(operation) && !wm_operation_combines(operation));
}

static enum dependence dependence_of(enum wm_operation operation)
{
    if (wm_operation_scans(operation))
        return ON_LOWER;
    switch (wm_operation_flow(operation)) {
    case WM_FLOW_DOWN:
        return ON_ROOT;
    case WM_FLOW_UP:
        return ROOT_ON_ALL;
    case WM_FLOW_ALL:
        return ON_ALL;
    }
    return ON_ALL;
}

static int top_of(struct wm_region **regions, int i)
{
    while (regions[i]->parent != i)
        i = regions[i]->parent = regions[regions[i]->parent]->parent;
    return i;
}

static void join(struct wm_region **regions, int a, int b)
{
    a = top_of(regions, a);
    b = top_of(regions, b);
    /* The smaller number stays on top: a path halved at each look is short enough. */
    if (a < b)
        regions[b]->parent = a;
    else
        regions[a]->parent = b;
}

/* Join the regions that exchanged messages inside this node. Returns how many messages there were. */
static size_t join_by_edges(struct wm_instance *instance, struct wm_region **regions, const int *region_of_member)
{
    size_t joined = 0, at = 0;

    for (size_t p = 0; p < instance->part_count; p++) {
        const struct wm_member_part *part = &instance->parts[p];
        int mine = region_of_member[part->member];

        if (mine < 0)
            continue;
        uint32_t bit = 1u << (regions[mine] - &instance->regions[part->first_region]);
        for (at = part->first_side; at < part->first_side + part->side_count; at++) {
            const struct wm_trace_side *side = &instance->sides[at];
            const struct wm_trace_message *message = &instance->messages[side->message];
            int other = region_of_member[side->receive ? message->source : message->destination];

            if ((side->open_regions & bit) == 0 || other < 0)
                continue;
            join(regions, mine, other);
            joined++;
        }
    }
    return joined;
}

static int by_member(const void *a, const void *b)
{
    const struct wm_region *x = *(struct wm_region *const *)a, *y = *(struct wm_region *const *)b;

    return (x->member > y->member) - (x->member < y->member);
}

static void set_wait(struct wm_region *region, const struct wm_region *last)
{
    int64_t stay_ns = region->leave_ns - region->enter_ns;
    int64_t wait_ns = last->enter_ns - region->enter_ns;

    if (!region->left || wait_ns <= 0)
        return;
    region->wait_ns = wait_ns < stay_ns ? wait_ns : stay_ns;
    region->late_member = last->member;
}

/* Regions are in the order of members, so the latest so far is the latest of the lower ranks. `latest[top]` is
 * kept in the top region's place of the array `latest`. */
static void wait_for_latest(struct wm_region **regions, size_t count, int *latest, enum dependence dependence)
{
    for (size_t i = 0; i < count; i++)
        latest[i] = -1;
    for (size_t i = 0; i < count; i++) {
        int top = top_of(regions, (int)i);

        if (latest[top] < 0 || regions[i]->enter_ns > regions[latest[top]]->enter_ns)
            latest[top] = (int)i;
        if (dependence == ON_LOWER)
            set_wait(regions[i], regions[latest[top]]);
    }
    for (size_t i = 0; i < count; i++) {
        const struct wm_region *last = regions[latest[top_of(regions, (int)i)]];

        if (dependence == ON_ALL || (dependence == ROOT_ON_ALL && regions[i]->member == regions[i]->root))
            set_wait(regions[i], last);
    }
}

static void wait_for_root(struct wm_region **regions, size_t count, int root)
{
    for (size_t i = 0; root >= 0 && i < count; i++)
        if (top_of(regions, (int)i) == top_of(regions, root))
            set_wait(regions[i], regions[root]);
}

/* The forms with counts, where messages show which of them are above 0. */
static int wait_for_reached(const struct wm_instance *instance, struct wm_region **regions, size_t count,
                            const int *region_of_member)
{
    enum wm_operation operation = regions[0]->operation;
    enum dependence dependence = dependence_of(operation);
    int root = regions[0]->root, size = instance->communicator->size;
    struct wm_reach reach = {.source = -1, .apart = counts_pairs(operation)};
    int rc;

    if (dependence == ON_ROOT)
        reach.source = root >= 0 && root < size ? region_of_member[root] : -1;
    if (dependence == ON_ROOT && reach.source < 0)
        return 0;
    reach.latest = malloc(count * sizeof *reach.latest);
    if (reach.latest == NULL)
        return -WM_ENOMEM;
    rc = wm_reach_find(&reach, instance, regions, count, region_of_member);
    for (size_t i = 0; i < count && rc == 0; i++)
        if (reach.latest[i] >= 0 && (dependence != ROOT_ON_ALL || regions[i]->member == root))
            set_wait(regions[i], regions[reach.latest[i]]);
    free(reach.latest);
    return rc;
}

/* Join all regions, or those of each group that met. */
static void join_groups(struct wm_instance *instance, struct wm_region **regions, size_t count,
                        const int *region_of_member)
{
    for (size_t i = 0; i < count; i++)
        regions[i]->parent = (int)i;
    if (regions[0]->outermost || join_by_edges(instance, regions, region_of_member) == 0)
        for (size_t i = 0; i < count; i++)
            regions[i]->parent = 0;
}

int wm_waits_find(struct wm_instance *instance, struct wm_region **regions, size_t count, int *region_of_member)
{
    enum wm_operation operation = regions[0]->operation;
    enum dependence dependence = dependence_of(operation);
    int size = instance->communicator->size, root = regions[0]->root;

    qsort(regions, count, sizeof *regions, by_member);
    for (int i = 0; i < size; i++)
        region_of_member[i] = -1;
    for (size_t i = 0; i < count; i++)
        region_of_member[regions[i]->member] = (int)i;
    if (counts_blocks(operation) && wm_reach_is_known(instance))
        return wait_for_reached(instance, regions, count, region_of_member);
    if (wm_operation_data(operation) == WM_DATA_EDGES)
        return 0;
    join_groups(instance, regions, count, region_of_member);
    if (dependence == ON_ROOT)
        wait_for_root(regions, count, root >= 0 && root < size ? region_of_member[root] : -1);
    else
        wait_for_latest(regions, count, region_of_member, dependence);
    return 0;
}
