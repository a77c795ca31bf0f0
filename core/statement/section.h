/* Sections: elements of a binding, at strides. */
#ifndef WM_SECTION_H
#define WM_SECTION_H

#include <stdbool.h>
#include "waymark/binding.h"

/* Elements of a binding: in dimension d `counts[d]` of them, `strides[d]` elements apart. */
struct wm_section {
    int binding, dimensions;
    size_t offset; /* of the first, in elements of memory */
    size_t counts[WM_DIMENSIONS], strides[WM_DIMENSIONS];
    size_t count; /* all of them */
};

/* The runs of a section that are contiguous, each `length` elements, one after another. */
struct wm_run_walk {
    const struct wm_section *section;
    size_t at[WM_DIMENSIONS], length;
    int outer; /* dimensions that are gone through */
    bool ended;
};

struct wm_run_walk wm_section_runs(const struct wm_section *section);
/* Where the next run begins, in elements; false: there is none. */
bool wm_run_walk_next(struct wm_run_walk *runs, size_t *begin);
/* Copy the section of what stands at `at` to `packed`, or, if it is stored, from there. */
void wm_section_copy(const struct wm_section *section, char *at, char *packed, size_t element_bytes, bool stored);

size_t wm_binding_element_bytes(const struct wm_bound *b);
/* How many elements it has. */
size_t wm_binding_count(const struct wm_bound *b);
/* From one element of dimension d to the next; `dense`, where they stand one behind the other. */
size_t wm_binding_stride(const struct wm_bound *b, int d, size_t dense);
/* All of it, as a place; `binding` is its number. */
struct wm_section wm_binding_section(const struct wm_bound *b, int binding);
/* Up to where its elements reach, with what stands between them. */
const char *wm_binding_end(const struct wm_bound *b);
/* Which of its elements stands at an offset. */
size_t wm_binding_element(const struct wm_bound *b, size_t offset);
/* Copy all elements, one behind the other; they are those that were copied. */
void wm_binding_copy(const struct wm_bound *b, char *to);
bool wm_binding_is(const struct wm_bound *b, const char *copied);

#endif
