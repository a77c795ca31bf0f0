/* Events that are to come: a heap. */
#include "tools/predict/events.h"

#include <stdlib.h>
#include "core/vector.h"
#include "tools/proof/arena.h"

enum { CHILDREN = 4 };

static bool is_before(const struct wm_sim_event *a, const struct wm_sim_event *b)
{
    if (a->time != b->time)
        return a->time < b->time;
    return a->order != b->order ? a->order < b->order : a->at < b->at;
}

void wm_events_add(struct wm_events *e, const struct wm_sim_event *event)
{
    size_t at = e->count;

    if (wm_vector_reserve(&e->heap, &e->capacity, e->count + 1, sizeof *e->heap) < 0)
        wm_proof_out_of_memory();
    e->count++;
    for (size_t parent; at > 0 && is_before(event, &e->heap[parent = (at - 1) / CHILDREN]); at = parent)
        e->heap[at] = e->heap[parent];
    e->heap[at] = *event;
}

static size_t first_child(const struct wm_events *e, size_t at)
{
    size_t child = at * CHILDREN + 1, end = child + CHILDREN < e->count ? child + CHILDREN : e->count, best = child;

    for (size_t i = child + 1; i < end; i++)
        if (is_before(&e->heap[i], &e->heap[best]))
            best = i;
    return best;
}

struct wm_sim_event wm_events_take(struct wm_events *e)
{
    struct wm_sim_event taken = e->heap[0], last = e->heap[--e->count];
    size_t at = 0;

    while (at * CHILDREN + 1 < e->count) {
        size_t child = first_child(e, at);

        if (!is_before(&e->heap[child], &last))
            break;
        e->heap[at] = e->heap[child];
        at = child;
    }
    e->heap[at] = last;
    return taken;
}

void wm_events_release(struct wm_events *e)
{
    free(e->heap);
    *e = (struct wm_events){0};
}
