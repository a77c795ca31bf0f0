/* Hazards: for each range of each buffer, the steps that touched it last. */
#include "core/plan/hazard.h"

#include <stdlib.h>
#include <string.h>
#include "core/error.h"
#include "core/search.h"

enum { CROWD = 16 };

struct list {
    int count, room;
    int *steps;
};

/* A range and its history. `before` is what an update of the running generation waits for. */
struct cell {
    size_t low, high; /* high not included */
    bool updating;
    struct list writers, readers, before;
};

/* Room for more lies before the last `tail` cells: plans touch ranges mostly one next to the other, and inserting there
 * moves few. */
struct track {
    int count, room, tail;
    struct cell *cells; /* sorted, disjoint */
};

struct wm_hazards {
    int count;
    struct track *tracks; /* by buffer */
};

static int list_add(struct list *list, int step)
{
    if (list->count == list->room) {
        int room = list->room ? 2 * list->room : 4;
        int *grown = realloc(list->steps, sizeof *grown * (size_t)room);

        if (grown == NULL)
            return -WM_ENOMEM;
        list->steps = grown;
        list->room = room;
    }
    list->steps[list->count++] = step;
    return 0;
}

static int list_copy(struct list *to, const struct list *from)
{
    *to = (struct list){0};
    if (from->count == 0)
        return 0;
    to->steps = malloc(sizeof *to->steps * (size_t)from->count);
    if (to->steps == NULL)
        return -WM_ENOMEM;
    memcpy(to->steps, from->steps, sizeof *to->steps * (size_t)from->count);
    to->count = to->room = from->count;
    return 0;
}

static void cell_release(struct cell *cell)
{
    free(cell->writers.steps);
    free(cell->readers.steps);
    free(cell->before.steps);
}

static int cell_copy(struct cell *to, const struct cell *from)
{
    *to = *from;
    to->writers = to->readers = to->before = (struct list){0};
    if (list_copy(&to->writers, &from->writers) < 0 || list_copy(&to->readers, &from->readers) < 0 ||
        list_copy(&to->before, &from->before) < 0) {
        cell_release(to);
        return -WM_ENOMEM;
    }
    return 0;
}

static struct cell *cell_at(const struct track *track, int i)
{
    return &track->cells[i < track->count - track->tail ? i : i + track->room - track->count];
}

/* Bring the room before cell `at`. */
static void move_room(struct track *track, int at)
{
    int head = track->count - track->tail, free_cells = track->room - track->count;

    if (at < head)
        memmove(&track->cells[at + free_cells], &track->cells[at], sizeof *track->cells * (size_t)(head - at));
    else
        memmove(&track->cells[head], &track->cells[head + free_cells], sizeof *track->cells * (size_t)(at - head));
    track->tail = track->count - at;
}

static int grow(struct track *track)
{
    int room = track->room ? 2 * track->room : 4;
    struct cell *grown = realloc(track->cells, sizeof *grown * (size_t)room);

    if (grown == NULL)
        return -WM_ENOMEM;
    memmove(&grown[room - track->tail], &grown[track->room - track->tail], sizeof *grown * (size_t)track->tail);
    track->cells = grown;
    track->room = room;
    return 0;
}

static int insert_cell(struct track *track, int at, struct cell cell)
{
    if (track->count == track->room && grow(track) < 0)
        return -WM_ENOMEM;
    move_room(track, at);
    track->cells[at] = cell;
    track->count++;
    return 0;
}

/* First cell that ends above `offset`. */
static int find_cell(const struct track *track, size_t offset)
{
    return (int)WM_COUNT_WHILE(i, track->count, cell_at(track, (int)i)->high <= offset);
}

/* Cut cell `at` in two at `offset`. */
static int split_cell(struct track *track, int at, size_t offset)
{
    struct cell upper;

    if (cell_copy(&upper, cell_at(track, at)) < 0)
        return -WM_ENOMEM;
    upper.low = offset;
    cell_at(track, at)->high = offset;
    if (insert_cell(track, at + 1, upper) < 0) {
        cell_release(&upper);
        return -WM_ENOMEM;
    }
    return 0;
}

static void depend_on(const struct list *list, void (*depend)(void *, int), void *data)
{
    for (int i = 0; i < list->count; i++)
        depend(data, list->steps[i]);
}

static int touch_read(struct cell *cell, int step, void (*depend)(void *, int), void *data)
{
    depend_on(&cell->writers, depend, data);
    return list_add(&cell->readers, step);
}

static int touch_write(struct cell *cell, int step, void (*depend)(void *, int), void *data)
{
    depend_on(&cell->writers, depend, data);
    depend_on(&cell->readers, depend, data);
    cell->updating = false;
    cell->writers.count = cell->readers.count = cell->before.count = 0;
    return list_add(&cell->writers, step);
}

/* The first update of a generation turns the history into what all of them wait for. */
static int touch_update(struct cell *cell, int step, void (*depend)(void *, int), void *data)
{
    if (!cell->updating || cell->readers.count > 0) {
        cell->before.count = 0;
        for (int i = 0; i < cell->writers.count; i++)
            if (list_add(&cell->before, cell->writers.steps[i]) < 0)
                return -WM_ENOMEM;
        for (int i = 0; i < cell->readers.count; i++)
            if (list_add(&cell->before, cell->readers.steps[i]) < 0)
                return -WM_ENOMEM;
        cell->writers.count = cell->readers.count = 0;
        cell->updating = true;
    }
    depend_on(&cell->before, depend, data);
    return list_add(&cell->writers, step);
}

static int touch(struct cell *cell, int step, enum wm_access access, void (*depend)(void *, int), void *data)
{
    switch (access) {
    case WM_READ:
        return touch_read(cell, step, depend, data);
    case WM_WRITE:
    case WM_JOIN: /* whoever comes next waits for it as for a writer */
        return touch_write(cell, step, depend, data);
    default:
        return touch_update(cell, step, depend, data);
    }
}

static struct track *get_track(struct wm_hazards *hazards, int buffer)
{
    if (buffer >= hazards->count) {
        struct track *grown = realloc(hazards->tracks, sizeof *grown * (size_t)(buffer + 1));

        if (grown == NULL)
            return NULL;
        memset(&grown[hazards->count], 0, sizeof *grown * (size_t)(buffer + 1 - hazards->count));
        hazards->tracks = grown;
        hazards->count = buffer + 1;
    }
    return &hazards->tracks[buffer];
}

int wm_hazards_access(struct wm_hazards *hazards, int step, enum wm_access access, struct wm_ref ref, size_t count,
                      void (*depend)(void *data, int earlier), void *data)
{
    struct track *track = get_track(hazards, ref.buffer);
    size_t at = ref.offset, end = ref.offset + count;

    if (track == NULL)
        return -WM_ENOMEM;
    for (int i = find_cell(track, at); at < end; i++) {
        if (i == track->count || cell_at(track, i)->low > at) {
            size_t high = i == track->count || cell_at(track, i)->low > end ? end : cell_at(track, i)->low;

            if (insert_cell(track, i, (struct cell){.low = at, .high = high}) < 0)
                return -WM_ENOMEM;
        } else if (cell_at(track, i)->low < at) {
            if (split_cell(track, i, at) < 0)
                return -WM_ENOMEM;
            continue;
        }
        if (cell_at(track, i)->high > end && split_cell(track, i, end) < 0)
            return -WM_ENOMEM;
        if (touch(cell_at(track, i), step, access, depend, data) < 0)
            return -WM_ENOMEM;
        at = cell_at(track, i)->high;
    }
    return 0;
}

static bool is_crowded(const struct cell *cell, enum wm_access access)
{
    if (access == WM_READ)
        return cell->updating && cell->writers.count > CROWD;
    return access == WM_UPDATE && (!cell->updating || cell->readers.count > 0) &&
           cell->writers.count + cell->readers.count > CROWD;
}

/* Is any cell of the range such a one? */
static bool any_cell(const struct wm_hazards *hazards, struct wm_ref ref, size_t count,
                     bool (*is_such)(const struct cell *cell, enum wm_access access), enum wm_access access)
{
    const struct track *track = ref.buffer < hazards->count ? &hazards->tracks[ref.buffer] : NULL;
    size_t end = ref.offset + count;

    for (int i = track != NULL ? find_cell(track, ref.offset) : 0;
         track != NULL && i < track->count && cell_at(track, i)->low < end; i++)
        if (is_such(cell_at(track, i), access))
            return true;
    return false;
}

bool wm_hazards_crowded(const struct wm_hazards *hazards, enum wm_access access, struct wm_ref ref, size_t count)
{
    return any_cell(hazards, ref, count, is_crowded, access);
}

static bool is_written(const struct cell *cell, enum wm_access access)
{
    (void)access;
    return cell->writers.count > 0;
}

bool wm_hazards_written(const struct wm_hazards *hazards, struct wm_ref ref, size_t count)
{
    return any_cell(hazards, ref, count, is_written, WM_READ);
}

struct wm_hazards *wm_hazards_new(void)
{
    return calloc(1, sizeof(struct wm_hazards));
}

void wm_hazards_free(struct wm_hazards *hazards)
{
    if (hazards == NULL)
        return;
    for (int b = 0; b < hazards->count; b++) {
        for (int i = 0; i < hazards->tracks[b].count; i++)
            cell_release(cell_at(&hazards->tracks[b], i));
        free(hazards->tracks[b].cells);
    }
    free(hazards->tracks);
    free(hazards);
}
