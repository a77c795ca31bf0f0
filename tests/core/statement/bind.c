/* What the names of a random statement are bound to at a rank. */
#include <string.h>
#include "tests/core/statement/functions.h"
#include "tests/core/statement/tree.h"

static struct wm_bound bind(const struct thing *t, int rank, void *at)
{
    struct wm_bound b = {.name = t->name,
                         .kind = (unsigned char)t->kind,
                         .number = (unsigned char)t->type,
                         .promises = (unsigned char)t->promises,
                         .dimensions = (unsigned char)t->dimensions,
                         .signature = WM_SIGNATURE_OTHER,
                         .at = at,
                         .element_bytes = t->type == WM_BYTES ? t->element_bytes : 0,
                         .type = t->struct_type};

    memcpy(b.extents, t->extents[rank], sizeof b.extents);
    if (t->gap > 0)
        b.stride = thing_stride(t, rank);
    if (t->kind == WM_BOUND_FUNCTION) {
        b.signature = (unsigned char)functions[t->function].signature;
        b.function = functions[t->function].address;
    } else if (t->kind == WM_BOUND_COMBINE) {
        b.function = (void (*)(void))(t->element_bytes == sizeof(struct pair) ? pair_combine : crumb_combine);
    }
    return b;
}

void memory_bind(const struct memory *m, const struct statement *s, int rank, struct wm_bound bindings[])
{
    for (int i = 0; i < s->thing_count; i++)
        bindings[i] = bind(&s->things[i], rank, m->at[rank][i]);
}
