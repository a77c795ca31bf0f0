/* What an item carries, and items of listed parts. */
#include <string.h>
#include "core/statement/item.h"

uint32_t wm_item_variables(const struct wm_statement *s, int reduction, enum wm_side teller)
{
    const struct wm_reduction *r = &s->reductions[reduction];

    return s->terms[teller == WM_SENDS ? r->storage : r->data].variables;
}

size_t wm_item_values_bytes(const struct wm_statement *s, int reduction, enum wm_side teller)
{
    uint32_t carried = wm_item_variables(s, reduction, teller);
    size_t bytes = 0;

    for (int v = 0; v < s->variable_count; v++)
        bytes += (carried >> v & 1) != 0 ? wm_number_bytes(s->variables[v].number) : 0;
    return bytes;
}

void wm_item_write_values(const struct wm_frame *f, int lane, int reduction, enum wm_side teller, char *to)
{
    uint32_t carried = wm_item_variables(f->s, reduction, teller);

    for (int v = 0; v < f->s->variable_count; v++)
        if ((carried >> v & 1) != 0) {
            wm_scalar_store(f->s->variables[v].number, to, wm_frame_variable(f, v, lane));
            to += wm_number_bytes(f->s->variables[v].number);
        }
}

/* Part `i` begins a run. */
static bool begins_run(const struct wm_statement_part parts[], size_t i)
{
    return i == 0 || parts[i].reduction != parts[i - 1].reduction || parts[i].count != parts[i - 1].count;
}

size_t wm_items_bytes(const struct wm_traffic *x, const struct wm_statement_part parts[], size_t count,
                      enum wm_side teller)
{
    size_t bytes = 0;

    for (size_t i = 0; i < count; i++)
        bytes += (begins_run(parts, i) ? sizeof(struct wm_item_run) : 0) +
                 wm_item_values_bytes(x->s, parts[i].reduction, teller);
    return bytes;
}

size_t wm_items_write(const struct wm_traffic *x, const struct wm_statement_part parts[], size_t count,
                      enum wm_side teller, void *to)
{
    const struct wm_parts *list = teller == WM_SENDS ? &x->sends : &x->receives;
    struct wm_frame f = wm_traffic_frame(x, NULL, NULL);
    struct wm_item_run run;
    char *begin = to, *at = to;

    for (size_t i = 0; i < count; i++) {
        if (begins_run(parts, i)) {
            run = (struct wm_item_run){.count = parts[i].count, .reduction = (uint32_t)parts[i].reduction};
            begin = at;
            at += sizeof run;
        }
        run.items++;
        memcpy(begin, &run, sizeof run);
        wm_frame_take_variables(&f, list, &parts[i]);
        wm_item_write_values(&f, 0, parts[i].reduction, teller, at);
        at += wm_item_values_bytes(x->s, parts[i].reduction, teller);
    }
    return (size_t)(at - (char *)to);
}
