/* Waits: which buffers wait for room in which others, and whether some do so in a circle. */
#include "tools/routes/cycles.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "core/search.h"
#include "tools/proof/arena.h"

enum { ROOM_MIN = 4096 };

static int compare(const void *left, const void *right)
{
    const struct wm_wait *a = left, *b = right;

    if (a->waits != b->waits)
        return a->waits < b->waits ? -1 : 1;
    return (a->awaited > b->awaited) - (a->awaited < b->awaited);
}

static void sort(struct wm_waits *w)
{
    size_t kept = 0;

    if (w->sorted == w->count)
        return;
    qsort(w->edges, w->count, sizeof *w->edges, compare);
    for (size_t i = 0; i < w->count; i++)
        if (kept == 0 || compare(&w->edges[i], &w->edges[kept - 1]) != 0)
            w->edges[kept++] = w->edges[i];
    w->count = w->sorted = kept;
}

/* What is there twice makes room before memory does. */
static void make_room(struct wm_waits *w)
{
    sort(w);
    if (w->room > 0 && w->count <= w->room / 2)
        return;
    w->room = w->room > 0 ? 2 * w->room : ROOM_MIN;
    w->edges = realloc(w->edges, w->room * sizeof *w->edges);
    if (w->edges == NULL)
        wm_proof_out_of_memory();
}

void wm_waits_add(struct wm_waits *w, uint64_t buffer, uint64_t awaited)
{
    if (w->count == w->room)
        make_room(w);
    w->edges[w->count++] = (struct wm_wait){buffer, awaited};
}

void wm_waits_release(struct wm_waits *w)
{
    free(w->edges);
    *w = (struct wm_waits){0};
}

/* The first edge of a buffer that waits, or where it would be. */
static size_t find(const struct wm_waits *w, uint64_t buffer)
{
    return WM_COUNT_WHILE(i, w->count, w->edges[i].waits < buffer);
}

/* A walk: the edges gone, and by edge whether its buffer's walk is under way or over. A buffer's state stands at its
 * first edge; one that waits for nothing has none. */
struct walk {
    const struct wm_waits *waits;
    unsigned char *state;
    size_t *path; /* edges */
    size_t depth;
};
enum { NEW, OPEN, OVER };

static bool enter(struct walk *walk, uint64_t buffer, size_t *first)
{
    *first = find(walk->waits, buffer);
    return *first < walk->waits->count && walk->waits->edges[*first].waits == buffer;
}

static size_t report(const struct walk *walk, uint64_t closed, uint64_t *cycle, size_t most)
{
    size_t from = walk->depth, length;

    while (walk->waits->edges[walk->path[from - 1]].waits != closed)
        from--;
    length = walk->depth - from + 1;
    for (size_t i = 0; i < length && i < most; i++)
        cycle[i] = walk->waits->edges[walk->path[from - 1 + i]].waits;
    return length;
}

/* The walk's last buffer goes on to its next edge, or is over. */
static void step_on(struct walk *walk)
{
    const struct wm_wait *edges = walk->waits->edges;

    while (walk->depth > 0) {
        size_t at = walk->path[walk->depth - 1];

        if (at + 1 < walk->waits->count && edges[at + 1].waits == edges[at].waits) {
            walk->path[walk->depth - 1]++;
            return;
        }
        walk->state[find(walk->waits, edges[at].waits)] = OVER;
        walk->depth--;
    }
}

/* Everything that can be reached from the first edge of a buffer. Returns the length of a circle, or 0. */
static size_t explore(struct walk *walk, size_t start, uint64_t *cycle, size_t most)
{
    walk->state[start] = OPEN;
    walk->path[0] = start;
    walk->depth = 1;
    while (walk->depth > 0) {
        uint64_t next = walk->waits->edges[walk->path[walk->depth - 1]].awaited;
        size_t first;

        if (!enter(walk, next, &first) || walk->state[first] == OVER) {
            step_on(walk);
        } else if (walk->state[first] == OPEN) {
            return report(walk, next, cycle, most);
        } else {
            walk->state[first] = OPEN;
            walk->path[walk->depth++] = first;
        }
    }
    return 0;
}

size_t wm_waits_cycle(struct wm_waits *w, uint64_t *cycle, size_t most)
{
    struct walk walk = {.waits = w};
    size_t length = 0;

    sort(w);
    walk.state = calloc(w->count + 1, sizeof *walk.state);
    walk.path = calloc(w->count + 1, sizeof *walk.path);
    if (walk.state == NULL || walk.path == NULL)
        wm_proof_out_of_memory();
    for (size_t i = 0; length == 0 && i < w->count; i++)
        if ((i == 0 || w->edges[i].waits != w->edges[i - 1].waits) && walk.state[i] == NEW)
            length = explore(&walk, i, cycle, most);
    free(walk.state);
    free(walk.path);
    return length;
}
