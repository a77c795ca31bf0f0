/* Lanes: found by the group's ranks, and kept. */
#include "core/shared/lanes.h"

#include <stdlib.h>
#include <string.h>
#include "core/data/allocate.h"
#include "core/hash.h"
#include "core/node/memory.h"
#include "core/node/processor.h"
#include "core/shared/lane.h"

void wm_lanes_init(struct wm_lanes *lanes, struct wm_node *node)
{
    *lanes = (struct wm_lanes){.node = node};
}

void wm_lanes_release(struct wm_lanes *lanes)
{
    while (lanes->groups != NULL) {
        struct wm_lane_group *next = lanes->groups->next;

        for (int i = 0; i < WM_LANES; i++)
            wm_shared_lane_release(&lanes->groups->lanes[i]);
        free(lanes->groups);
        lanes->groups = next;
    }
}

/* A group of all takes no less than smaller ones together, but for the pieces that they are rounded up to. */
uint64_t wm_lanes_bytes(int size)
{
    return 2 * wm_memory_piece_bytes(wm_shared_area_bytes(size));
}

static bool is_of(const struct wm_lane_group *group, const struct wm_shared *step)
{
    return group->size == step->size &&
           memcmp(group->members, step->members, sizeof *group->members * (size_t)step->size) == 0;
}

struct wm_lane_group *wm_lanes_group(struct wm_lanes *lanes, const struct wm_shared *step)
{
    size_t bytes = sizeof(int) * (size_t)step->size;
    struct wm_lane_group *group = lanes->groups;

    while (group != NULL && !is_of(group, step))
        group = group->next;
    if (group != NULL)
        return group;
    group = wm_allocate_zeroed(sizeof *group + bytes, "a group of ranks that share memory");
    group->size = step->size;
    group->self = step->self;
    memcpy(group->members, step->members, bytes);
    group->next = lanes->groups;
    lanes->groups = group;
    return group;
}

/* The same at all members, and different for other groups of the communicator. */
static uint64_t key_of(const struct wm_lane_group *group, int lane)
{
    uint64_t key = WM_HASH_BEGIN;

    for (int m = 0; m < group->size; m++)
        key = wm_hash_add(key, (uint64_t)group->members[m]);
    return (key << 8 ^ (uint64_t)group->size << 40) | (uint64_t)(lane + 1);
}

/* Of two members, where reading another process's memory is permitted. */
static long other_process(const struct wm_node *node, const struct wm_lane_group *group)
{
    const char *why;

    if (group->size != 2 || !wm_node_single_copy_allowed(&why))
        return 0;
    return wm_node_process_id(node, node->local[group->members[1 - group->self]]);
}

/* A member does not spin while it waits for one of its own process, which runs only when it rests. */
static bool is_crowded(const struct wm_node *node, const struct wm_lane_group *group)
{
    for (int m = 1; m < group->size; m++)
        for (int before = 0; before < m; before++)
            if (node->process[node->local[group->members[m]]] == node->process[node->local[group->members[before]]])
                return true;
    return node->crowded;
}

struct wm_shared_lane *wm_lanes_take(struct wm_lanes *lanes, struct wm_lane_group *group, int lane)
{
    struct wm_shared_lane *l = &group->lanes[lane];
    void *area;

    if (l->area != NULL)
        return l;
    area = wm_node_part(lanes->node, key_of(group, lane), wm_shared_area_bytes(group->size));
    if (area == NULL)
        return lane > 0 ? wm_lanes_take(lanes, group, 0) : NULL;
    wm_shared_lane_init(l, area, group->size, group->self, is_crowded(lanes->node, group));
    l->rest = lanes->node->rest;
    l->check = &lanes->check;
    l->find_cache = wm_processor_cache;
    l->other_process = other_process(lanes->node, group);
    return l;
}

void wm_lanes_begin(struct wm_lanes *lanes)
{
    for (struct wm_lane_group *group = lanes->groups; group != NULL; group = group->next)
        group->ordinal = 0;
}

struct wm_shared_lane *wm_lanes_next(struct wm_lanes *lanes, const struct wm_shared *step)
{
    struct wm_lane_group *group = wm_lanes_group(lanes, step);

    return wm_lanes_take(lanes, group, group->ordinal++ % WM_LANES);
}

void wm_lanes_warm(const struct wm_lanes *lanes)
{
    const struct wm_shared_lane *l = lanes->groups != NULL ? &lanes->groups->lanes[0] : NULL;

    if (l == NULL || l->area == NULL)
        return;
    wm_fetch(l, sizeof *l);
    wm_fetch(l->known, sizeof *l->known);
    wm_fetch(wm_shared_line(l, l->round + 1, l->self), WM_SHARED_LINE);
    wm_fetch(wm_shared_done(l, l->self), sizeof(uint64_t));
}
