/* Values: runs of contributions, sent, received and combined in rank order. */
#include "core/plan/value.h"

#include <stdlib.h>
#include <string.h>
#include "core/error.h"
#include "core/plan/planner_state.h"

struct wm_value wm_value_part(struct wm_planner *p, const struct wm_value *value, size_t delta)
{
    struct wm_value part = {value->run_count, wm_planner_allocate(p, sizeof *part.runs * (size_t)value->run_count)};

    for (int i = 0; part.runs != NULL && i < value->run_count; i++) {
        part.runs[i] = value->runs[i];
        part.runs[i].at.offset += delta;
    }
    if (part.runs == NULL)
        part.run_count = 0;
    return part;
}

int wm_value_send(struct wm_planner *p, const struct wm_value *value, size_t count, int peer)
{
    int step = -1;

    for (int i = 0; i < value->run_count; i++)
        step = wm_planner_send(p, peer, value->runs[i].at, count);
    return step;
}

static bool same_place(struct wm_ref a, struct wm_ref b)
{
    return a.buffer == b.buffer && a.offset == b.offset;
}

static int merge_commutative(struct wm_planner *p, struct wm_value *value, size_t offset, size_t count, int peer,
                             bool ordered)
{
    struct wm_ref home = wm_planner_home(p, offset), *at;
    int step;

    if (value->run_count != 1)
        return -1;
    at = &value->runs[0].at;
    if (same_place(*at, home)) {
        struct wm_ref arrived = wm_planner_arrival(p, count);

        step = wm_planner_recv(p, peer, arrived, count);
        wm_planner_reduce(p, arrived, home, count, ordered);
    } else {
        step = wm_planner_recv(p, peer, home, count);
        wm_planner_reduce(p, *at, home, count, ordered);
        *at = home;
    }
    return step;
}

/* Receive one run for each range of the set, behind the value's own. */
static int receive_runs(struct wm_planner *p, struct wm_value *value, size_t count, int peer,
                        const struct wm_rank_set *set)
{
    int step = -1;

    for (int i = 0; i < set->count; i++) {
        struct wm_run *run = &value->runs[value->run_count++];

        *run = (struct wm_run){set->ranges[i].low, set->ranges[i].high, wm_planner_temporary(p, count)};
        step = wm_planner_recv(p, peer, run->at, count);
    }
    return step;
}

static int compare_runs(const void *left, const void *right)
{
    const struct wm_run *a = left, *b = right;

    return (a->low > b->low) - (a->low < b->low);
}

static void sort_runs(struct wm_value *value)
{
    bool sorted = true;

    for (int i = 1; i < value->run_count && sorted; i++)
        sorted = value->runs[i - 1].low < value->runs[i].low;
    if (!sorted)
        qsort(value->runs, (size_t)value->run_count, sizeof *value->runs, compare_runs);
}

/* Combine neighbours, left to right; the result stands in the right one, which must not be the user's. */
static void combine_runs(struct wm_planner *p, struct wm_value *value, size_t count)
{
    int kept = 0;

    if (value->run_count == 0)
        return;
    for (int i = 1; i < value->run_count; i++) {
        struct wm_run *left = &value->runs[kept], *right = &value->runs[i];

        if (left->high + 1 != right->low) {
            value->runs[++kept] = *right;
            continue;
        }
        if (right->at.buffer == WM_BUFFER_SEND) {
            struct wm_ref copy = wm_planner_temporary(p, count);

            wm_planner_copy(p, right->at, copy, count);
            right->at = copy;
        }
        wm_planner_reduce(p, left->at, right->at, count, true);
        *left = (struct wm_run){left->low, right->high, right->at};
    }
    value->run_count = kept + 1;
}

/* Make room for `more` runs behind the value's own. */
static bool make_room(struct wm_planner *p, struct wm_value *value, int more)
{
    struct wm_run *runs = wm_planner_allocate(p, sizeof *runs * (size_t)(value->run_count + more));

    if (runs == NULL)
        return false;
    memcpy(runs, value->runs, sizeof *runs * (size_t)value->run_count);
    value->runs = runs;
    return true;
}

int wm_value_merge(struct wm_planner *p, struct wm_value *value, size_t offset, size_t count, int peer,
                   const struct wm_rank_set *set, bool ordered)
{
    int step;

    if (count == 0 || p->status < 0)
        return -1;
    if (set == NULL)
        return merge_commutative(p, value, offset, count, peer, ordered);
    if (!make_room(p, value, set->count))
        return -1;
    step = receive_runs(p, value, count, peer, set);
    sort_runs(value);
    combine_runs(p, value, count);
    return step;
}

void wm_value_merge_all(struct wm_planner *p, struct wm_value *value, size_t count, int peer_count, const int *peers,
                        const struct wm_rank_set *const *sets)
{
    for (int i = 0; count > 0 && p->status == 0 && i < peer_count; i++) {
        if (sets[i] == NULL || !make_room(p, value, sets[i]->count))
            return;
        receive_runs(p, value, count, peers[i], sets[i]);
    }
    if (count == 0 || p->status < 0)
        return;
    sort_runs(value);
    combine_runs(p, value, count);
}

void wm_value_receive(struct wm_planner *p, struct wm_value *value, size_t offset, size_t count, int peer,
                      const struct wm_rank_set *set)
{
    if (set == NULL) {
        *value = wm_value_home(p, offset);
        wm_planner_recv(p, peer, wm_planner_home(p, offset), count);
    } else {
        value->run_count = 0;
        wm_value_merge(p, value, offset, count, peer, set, true);
    }
}

void wm_value_settle(struct wm_planner *p, struct wm_value *value, size_t offset, size_t count)
{
    struct wm_ref home = wm_planner_home(p, offset);

    if (p->status < 0 || count == 0)
        return;
    if (value->run_count != 1)
        WM_BUG("a value is settled before all contributions are in");
    if (same_place(value->runs[0].at, home))
        return;
    wm_planner_copy(p, value->runs[0].at, home, count);
    value->runs[0].at = home;
}

struct wm_value wm_value_home(struct wm_planner *p, size_t offset)
{
    struct wm_run *run = wm_planner_allocate(p, sizeof *run);

    if (run == NULL)
        return (struct wm_value){0, NULL};
    *run = (struct wm_run){0, p->layout->ranks - 1, wm_planner_home(p, offset)};
    return (struct wm_value){1, run};
}
