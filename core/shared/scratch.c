/* Scratch of shared steps: values under way, where no kernel combines them in their place. */
#include "core/shared/scratch.h"

#include <stdlib.h>
#include <string.h>
#include "core/data/allocate.h"

/* Two packed results of a large reduction, then two values as the operator wants them, in turn. */
static size_t result_bytes(const struct wm_shared_task *t)
{
    size_t bytes = t->step->kind == WM_SHARED_REDUCE && t->phase_count > 1 && t->step->self != t->step->root
                       ? t->units * t->data.unit_bytes
                       : 0;

    return (bytes + WM_SHARED_LINE - 1) / WM_SHARED_LINE * WM_SHARED_LINE;
}

static size_t value_bytes(const struct wm_shared_task *t, ptrdiff_t *shift)
{
    size_t span = t->data.kernel == NULL ? wm_geometry_span(t->data.geometry, t->units, shift) : 0;

    return (span + WM_SHARED_LINE - 1) / WM_SHARED_LINE * WM_SHARED_LINE;
}

void wm_shared_scratch_take(struct wm_shared_task *t)
{
    ptrdiff_t shift = 0;
    size_t bytes = t->data.unit_bytes > 0 ? 2 * (result_bytes(t) + value_bytes(t, &shift)) : 0;

    if (bytes > 0 && (t->scratch = aligned_alloc(WM_SHARED_LINE, bytes)) == NULL)
        wm_out_of_memory("the results of a shared step");
}

void wm_shared_scratch_release(struct wm_shared_task *t)
{
    free(t->scratch);
    t->scratch = NULL;
}

char *wm_shared_scratch_result(const struct wm_shared_task *t, size_t k)
{
    return t->scratch != NULL ? t->scratch + k % 2 * result_bytes(t) : NULL;
}

/* By integers: for absolute datatypes element 0 is far off. */
static char *value_place(const struct wm_shared_task *t, int which)
{
    ptrdiff_t shift = 0;
    size_t bytes = value_bytes(t, &shift);

    return (char *)((uintptr_t)t->scratch + 2 * result_bytes(t) + (size_t)which * bytes + (uintptr_t)shift);
}

void wm_shared_combine_slowly(struct wm_shared_task *t, const char *contribution, char *result, int turn, bool last,
                              bool packed, size_t count)
{
    const struct wm_geometry *g = t->data.geometry;
    char *now, *before;

    now = value_place(t, turn % 2);
    before = value_place(t, (turn + 1) % 2);
    wm_shared_note(t, wm_geometry_unpack(g, contribution, now, count));
    if (turn > 0)
        wm_shared_note(t, wm_geometry_reduce(g, before, now, count, t->data.op));
    if (!last)
        return;
    if (packed)
        wm_shared_note(t, wm_geometry_pack(g, now, count, result));
    else
        wm_shared_note(t, wm_geometry_copy(g, now, result, count));
}
