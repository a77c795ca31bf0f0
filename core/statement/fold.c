/* Parts that follow each other, folded: rows of elements, and rows of those. */
#include <string.h>
#include "core/statement/traffic.h"

/* As few dimensions as it takes. */
static struct wm_section compact(const struct wm_section *section)
{
    struct wm_section c = *section;
    int to = WM_DIMENSIONS;

    for (int d = section->dimensions - 1; d >= 0; d--) {
        size_t count = section->counts[d], stride = section->strides[d];

        if (count == 1)
            continue;
        if (to < WM_DIMENSIONS && stride == c.counts[to] * c.strides[to]) {
            c.counts[to] *= count;
            continue;
        }
        c.counts[--to] = count;
        c.strides[to] = stride;
    }
    c.dimensions = WM_DIMENSIONS - to;
    memmove(c.counts, c.counts + to, sizeof *c.counts * (size_t)c.dimensions);
    memmove(c.strides, c.strides + to, sizeof *c.strides * (size_t)c.dimensions);
    return c;
}

/* The dimensions of `a` from this one on are those of `b`. */
static bool are_alike(const struct wm_section *a, int from, const struct wm_section *b)
{
    size_t bytes = sizeof *a->counts * (size_t)b->dimensions;

    return a->dimensions - from == b->dimensions && memcmp(a->counts + from, b->counts, bytes) == 0 &&
           memcmp(a->strides + from, b->strides, bytes) == 0;
}

/* `b` goes on where the outermost dimension of `a` ends: by one step of it, or by several. */
static bool extend(struct wm_section *a, const struct wm_section *b)
{
    struct wm_section longer = *b;
    size_t steps = 1;

    if (a->dimensions == 0 || b->offset != a->offset + a->counts[0] * a->strides[0])
        return false;
    if (b->dimensions == a->dimensions) {
        steps = b->counts[0];
        longer.counts[0] = a->counts[0];
        if (!are_alike(a, 0, &longer))
            return false;
    } else if (!are_alike(a, 1, b)) {
        return false;
    }
    a->counts[0] += steps;
    return true;
}

/* The two are one of another dimension. */
static bool pair(struct wm_section *a, const struct wm_section *b)
{
    if (a->dimensions == WM_DIMENSIONS || b->offset <= a->offset || !are_alike(a, 0, b))
        return false;
    memmove(a->counts + 1, a->counts, sizeof *a->counts * (size_t)a->dimensions);
    memmove(a->strides + 1, a->strides, sizeof *a->strides * (size_t)a->dimensions);
    a->counts[0] = 2;
    a->strides[0] = b->offset - a->offset;
    a->dimensions++;
    return true;
}

static bool join(struct wm_statement_part *a, const struct wm_statement_part *b)
{
    if (a->peer != b->peer || a->reduction != b->reduction)
        return false;
    if (!extend(&a->section, &b->section) && !pair(&a->section, &b->section))
        return false;
    a->section.count = a->count += b->count;
    return true;
}

/* Its elements are copied as they stand: a fault would be told of with the part's variables. */
static bool is_copied(const struct wm_traffic *x, const struct wm_statement_part *part,
                      const struct wm_bound bindings[], bool received)
{
    const struct wm_reduction *r = &x->s->reductions[part->reduction];

    return received ||
           (x->s->terms[r->data].kind == WM_TERM_PLACE && bindings[part->section.binding].number == r->number);
}

void wm_parts_fold(const struct wm_traffic *x, struct wm_parts *list, const struct wm_bound bindings[], bool received)
{
    struct wm_statement_part *last = list->parts; /* behind those that are folded */

    for (size_t i = 0; i < list->count; i++) {
        *last = list->parts[i];
        if (is_copied(x, last, bindings, received)) {
            last->section = compact(&last->section);
            while (last > list->parts && join(last - 1, last))
                last--;
        }
        last++;
    }
    list->count = (size_t)(last - list->parts);
}
