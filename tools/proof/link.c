/* What crosses an axis, counted over messages and shared steps. */
#include "tools/proof/link.h"

#include "tools/proof/parts.h"

/* Units that each group of an axis sends to the others, and has from them. */
struct link {
    const int *group; /* by rank */
    size_t *sent, *received;
};

/* Members of several groups: whatever they give and get may cross. */
static void count_crossing(const struct wm_machine *m, const struct link *link,
                           const struct wm_shared_instance *instance)
{
    bool crosses = false;

    for (int i = 1; i < instance->size; i++)
        crosses = crosses || link->group[instance->members[i].rank] != link->group[instance->members[0].rank];
    for (int i = 0; crosses && i < instance->size; i++) {
        const struct wm_shared *shared = wm_machine_shared(m, instance->members[i]);
        int group = link->group[instance->members[i].rank], ranges;
        struct wm_ref first;

        link->sent[group] += wm_part_given(shared, &ranges, &first);
        link->received[group] += wm_part_gotten(shared, &ranges, &first);
    }
}

/* By symmetry, if it takes each group to each: what all send to others is as much as what one does, times groups. */
static size_t count_even_link(const struct wm_machine *m, const int *group, int groups)
{
    size_t units = 0;
    int reached = 0, *seen = wm_arena_take(m->arena, sizeof *seen * (size_t)m->symmetry->ranks);

    for (int rank = 0; rank < m->symmetry->ranks; rank += m->symmetry->step)
        reached += seen[group[rank]]++ == 0;
    if (reached < groups)
        return 0;
    for (int i = 0; i < m->message_count; i++) {
        const struct wm_step *send = wm_machine_step(m, m->messages[i].send);

        units += group[wm_machine_rank(m, m->messages[i].send.rank)] == group[send->peer] ? 0 : send->count;
    }
    return units * (size_t)(m->symmetry->ranks / m->symmetry->step) / (size_t)groups;
}

size_t wm_link_units(const struct wm_machine *m)
{
    size_t ranks = (size_t)m->grid->ranks, most = 0;
    struct link link;
    int axis = 0;

    while (axis < m->grid->axis_count && wm_grid_group_count(m->grid, axis) == 1)
        axis++;
    if (axis >= m->grid->axis_count - 1)
        return 0;
    if (m->symmetry != NULL)
        return count_even_link(m, m->grid->axes[axis].group, wm_grid_group_count(m->grid, axis));
    link = (struct link){m->grid->axes[axis].group, wm_arena_take(m->arena, sizeof *link.sent * ranks),
                         wm_arena_take(m->arena, sizeof *link.received * ranks)};
    for (int i = 0; i < m->message_count; i++) {
        int from = link.group[m->messages[i].send.rank], to = link.group[m->messages[i].recv.rank];
        size_t units = from == to ? 0 : wm_machine_step(m, m->messages[i].send)->count;

        link.sent[from] += units;
        link.received[to] += units;
    }
    for (int i = 0; i < m->instance_count; i++)
        count_crossing(m, &link, &m->instances[i]);
    for (size_t group = 0; group < ranks; group++) {
        most = link.sent[group] > most ? link.sent[group] : most;
        most = link.received[group] > most ? link.received[group] : most;
    }
    return most;
}
