/* Waits: dependencies between the ranks of a collective, and the time spent until the last of them arrived.
 */
#include "tools/analysis/waits.h"

#include <stdlib.h>
#include "tools/analysis/reach.h"

/* Whom a rank's result depends on, by operation; of the v-forms, as if no count were 0. */
enum dependence { ON_ALL, ON_ROOT, ROOT_ON_ALL, ON_LOWER };

enum {
    PAIR_BITS = WM_OPERATION_BIT(WM_ALLTOALLV) | WM_OPERATION_BIT(WM_ALLTOALLW) | WM_NEIGHBOR_BITS,
    COUNTED_BITS =
        PAIR_BITS | WM_OPERATION_BIT(WM_GATHERV) | WM_OPERATION_BIT(WM_SCATTERV) | WM_OPERATION_BIT(WM_ALLGATHERV)
};

static bool is_of(enum wm_operation operation, unsigned bits)
{
    return (WM_OPERATION_BIT(operation) & bits) != 0;
}

static enum dependence dependence_of(enum wm_operation operation)
{
    switch (operation) {
    case WM_BCAST:
    case WM_SCATTER:
    case WM_SCATTERV:
        return ON_ROOT;
    case WM_REDUCE:
    case WM_GATHER:
    case WM_GATHERV:
        return ROOT_ON_ALL;
    case WM_SCAN:
    case WM_EXSCAN:
        return ON_LOWER;
    default:
        return ON_ALL;
    }
}

bool wm_waits_synchronises(enum wm_operation operation)
{
    return dependence_of(operation) == ON_ALL && !is_of(operation, COUNTED_BITS);
}

static int top_of(struct wm_trace_visit **visits, int i)
{
    while (visits[i]->parent != i)
        i = visits[i]->parent = visits[visits[i]->parent]->parent;
    return i;
}

static void join(struct wm_trace_visit **visits, int a, int b)
{
    a = top_of(visits, a);
    b = top_of(visits, b);
    /* The smaller number stays on top: a path halved at each look is short enough. */
    if (a < b)
        visits[b]->parent = a;
    else
        visits[a]->parent = b;
}

/* Join the visits that exchanged messages inside this node. Returns how many messages there were. */
static size_t join_by_edges(struct wm_instance *instance, struct wm_trace_visit **visits, const int *visit_of_member)
{
    size_t joined = 0, at = 0;

    for (size_t p = 0; p < instance->part_count; p++) {
        const struct wm_member_part *part = &instance->parts[p];
        int mine = visit_of_member[part->member];

        if (mine < 0)
            continue;
        uint32_t bit = 1u << (visits[mine] - &instance->visits[part->first_visit]);
        for (at = part->first_side; at < part->first_side + part->side_count; at++) {
            const struct wm_trace_side *side = &instance->sides[at];
            const struct wm_trace_message *message = &instance->messages[side->message];
            int other = visit_of_member[side->receive ? message->source : message->destination];

            if ((side->open_visits & bit) == 0 || other < 0)
                continue;
            join(visits, mine, other);
            joined++;
        }
    }
    return joined;
}

static int by_member(const void *a, const void *b)
{
    const struct wm_trace_visit *x = *(struct wm_trace_visit *const *)a, *y = *(struct wm_trace_visit *const *)b;

    return (x->member > y->member) - (x->member < y->member);
}

static void set_wait(struct wm_trace_visit *visit, const struct wm_trace_visit *last)
{
    int64_t stay_ns = visit->leave_ns - visit->enter_ns;
    int64_t wait_ns = last->enter_ns - visit->enter_ns;

    if (!visit->left || wait_ns <= 0)
        return;
    visit->wait_ns = wait_ns < stay_ns ? wait_ns : stay_ns;
    visit->late_member = last->member;
}

/* Visits are in the order of members, so the latest so far is the latest of the lower ranks. `latest[top]` is
 * kept in the top visit's place of the array `latest`. */
static void wait_for_latest(struct wm_trace_visit **visits, size_t count, int *latest, enum dependence dependence)
{
    for (size_t i = 0; i < count; i++)
        latest[i] = -1;
    for (size_t i = 0; i < count; i++) {
        int top = top_of(visits, (int)i);

        if (latest[top] < 0 || visits[i]->enter_ns > visits[latest[top]]->enter_ns)
            latest[top] = (int)i;
        if (dependence == ON_LOWER)
            set_wait(visits[i], visits[latest[top]]);
    }
    for (size_t i = 0; i < count; i++) {
        const struct wm_trace_visit *last = visits[latest[top_of(visits, (int)i)]];

        if (dependence == ON_ALL || (dependence == ROOT_ON_ALL && visits[i]->member == visits[i]->root))
            set_wait(visits[i], last);
    }
}

static void wait_for_root(struct wm_trace_visit **visits, size_t count, int root)
{
    for (size_t i = 0; root >= 0 && i < count; i++)
        if (top_of(visits, (int)i) == top_of(visits, root))
            set_wait(visits[i], visits[root]);
}

/* The forms with counts, where messages show which of them are above 0. */
static int wait_for_reached(const struct wm_instance *instance, struct wm_trace_visit **visits, size_t count,
                            const int *visit_of_member)
{
    enum wm_operation operation = visits[0]->operation;
    enum dependence dependence = dependence_of(operation);
    int root = visits[0]->root, size = instance->communicator->size;
    struct wm_reach reach = {.source = -1, .apart = is_of(operation, PAIR_BITS)};
    int rc;

    if (dependence == ON_ROOT)
        reach.source = root >= 0 && root < size ? visit_of_member[root] : -1;
    if (dependence == ON_ROOT && reach.source < 0)
        return 0;
    reach.latest = malloc(count * sizeof *reach.latest);
    if (reach.latest == NULL)
        return -WM_ENOMEM;
    rc = wm_reach_find(&reach, instance, visits, count, visit_of_member);
    for (size_t i = 0; i < count && rc == 0; i++)
        if (reach.latest[i] >= 0 && (dependence != ROOT_ON_ALL || visits[i]->member == root))
            set_wait(visits[i], visits[reach.latest[i]]);
    free(reach.latest);
    return rc;
}

/* Join all visits, or those of each group that met. */
static void join_groups(struct wm_instance *instance, struct wm_trace_visit **visits, size_t count,
                        const int *visit_of_member)
{
    for (size_t i = 0; i < count; i++)
        visits[i]->parent = (int)i;
    if (visits[0]->outermost || join_by_edges(instance, visits, visit_of_member) == 0)
        for (size_t i = 0; i < count; i++)
            visits[i]->parent = 0;
}

int wm_waits_find(struct wm_instance *instance, struct wm_trace_visit **visits, size_t count, int *visit_of_member)
{
    enum wm_operation operation = visits[0]->operation;
    enum dependence dependence = dependence_of(operation);
    int size = instance->communicator->size, root = visits[0]->root;

    qsort(visits, count, sizeof *visits, by_member);
    for (int i = 0; i < size; i++)
        visit_of_member[i] = -1;
    for (size_t i = 0; i < count; i++)
        visit_of_member[visits[i]->member] = (int)i;
    if (is_of(operation, COUNTED_BITS) && wm_reach_is_known(instance))
        return wait_for_reached(instance, visits, count, visit_of_member);
    if (is_of(operation, WM_NEIGHBOR_BITS))
        return 0;
    join_groups(instance, visits, count, visit_of_member);
    if (dependence == ON_ROOT)
        wait_for_root(visits, count, root >= 0 && root < size ? visit_of_member[root] : -1);
    else
        wait_for_latest(visits, count, visit_of_member, dependence);
    return 0;
}
