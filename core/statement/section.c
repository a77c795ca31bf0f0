/* Sections: elements of a binding, at strides. */
#include "core/statement/section.h"

#include <string.h>

struct wm_run_walk wm_section_runs(const struct wm_section *section)
{
    struct wm_run_walk r = {
        .section = section, .length = 1, .outer = section->dimensions, .ended = section->count == 0};

    while (r.outer > 0 && (section->counts[r.outer - 1] == 1 || section->strides[r.outer - 1] == r.length))
        r.length *= section->counts[--r.outer];
    return r;
}

bool wm_run_walk_next(struct wm_run_walk *r, size_t *begin)
{
    int d = r->outer - 1;

    if (r->ended)
        return false;
    *begin = r->section->offset;
    for (int i = 0; i < r->outer; i++)
        *begin += r->at[i] * r->section->strides[i];
    for (; d >= 0 && ++r->at[d] == r->section->counts[d]; d--)
        r->at[d] = 0;
    r->ended = d < 0;
    return true;
}

#define COPY_EACH(size)                                                                                                \
    for (; count > 0; count--, to += to_stride, from += from_stride)                                                   \
        memcpy(to, from, size);                                                                                        \
    break

/* Copy `count` runs, whose strides are bytes; short ones without a call each. */
static void copy_runs(char *to, size_t to_stride, const char *from, size_t from_stride, size_t run_bytes, size_t count)
{
    switch (run_bytes) {
    case 1:
        COPY_EACH(1);
    case 2:
        COPY_EACH(2);
    case 4:
        COPY_EACH(4);
    case 8:
        COPY_EACH(8);
    case 16:
        COPY_EACH(16);
    default:
        COPY_EACH(run_bytes);
    }
}

void wm_section_copy(const struct wm_section *section, char *at, char *packed, size_t element_bytes, bool stored)
{
    struct wm_run_walk runs = wm_section_runs(section);
    size_t run_bytes = runs.length * element_bytes, count = 1, stride = run_bytes, begin;

    if (runs.outer > 0) { /* the innermost dimension's runs at once */
        count = section->counts[--runs.outer];
        stride = section->strides[runs.outer] * element_bytes;
    }
    for (; wm_run_walk_next(&runs, &begin); packed += count * run_bytes) {
        char *place = at + begin * element_bytes;

        if (stored)
            copy_runs(place, stride, packed, run_bytes, run_bytes, count);
        else
            copy_runs(packed, run_bytes, place, stride, run_bytes, count);
    }
}

/* ---- all of a binding ---- */

size_t wm_binding_element_bytes(const struct wm_bound *b)
{
    return b->number == WM_BYTES ? b->element_bytes : wm_number_bytes((enum wm_number)b->number);
}

size_t wm_binding_count(const struct wm_bound *b)
{
    size_t count = 1;

    for (int d = 0; d < b->dimensions; d++)
        count *= b->extents[d];
    return count;
}

size_t wm_binding_stride(const struct wm_bound *b, int d, size_t dense)
{
    return d == 0 && b->number != WM_BYTES && b->stride != 0 ? b->stride : dense;
}

struct wm_section wm_binding_section(const struct wm_bound *b, int binding)
{
    struct wm_section section = {.binding = binding, .dimensions = b->dimensions, .count = 1};

    for (int d = b->dimensions - 1; d >= 0; d--) {
        section.counts[d] = b->extents[d];
        section.strides[d] = wm_binding_stride(b, d, section.count);
        section.count *= b->extents[d];
    }
    return section;
}

const char *wm_binding_end(const struct wm_bound *b)
{
    struct wm_section all = wm_binding_section(b, 0);
    size_t rows = all.dimensions > 0 ? all.counts[0] * all.strides[0] : 1;

    return (const char *)b->at + rows * wm_binding_element_bytes(b);
}

size_t wm_binding_element(const struct wm_bound *b, size_t offset)
{
    struct wm_section whole = wm_binding_section(b, 0);
    size_t stride = whole.dimensions > 0 ? whole.strides[0] : 1;

    return whole.count == 0 || stride == 0 ? offset : offset / stride * (whole.count / b->extents[0]) + offset % stride;
}

void wm_binding_copy(const struct wm_bound *b, char *to)
{
    struct wm_section all = wm_binding_section(b, 0);

    wm_section_copy(&all, b->at, to, wm_binding_element_bytes(b), false);
}

bool wm_binding_is(const struct wm_bound *b, const char *copied)
{
    struct wm_section all = wm_binding_section(b, 0);
    struct wm_run_walk runs = wm_section_runs(&all);
    size_t bytes = wm_binding_element_bytes(b), begin;

    for (; wm_run_walk_next(&runs, &begin); copied += runs.length * bytes)
        if (memcmp((const char *)b->at + begin * bytes, copied, runs.length * bytes) != 0)
            return false;
    return true;
}
