/* The data of the traffic's parts: read as it will be stored, stored or combined, and told where it belongs. */
#include "core/statement/item.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct wm_reduction *reduction_of(const struct wm_traffic *x, const struct wm_statement_part *part)
{
    return &x->s->reductions[part->reduction];
}

size_t wm_part_bytes(const struct wm_traffic *x, const struct wm_statement_part *part)
{
    return part->count * reduction_of(x, part)->element_bytes;
}

size_t wm_parts_bytes(const struct wm_traffic *x, const struct wm_parts *list)
{
    size_t bytes = 0;

    for (size_t i = 0; i < list->count; i++)
        bytes += wm_part_bytes(x, &list->parts[i]);
    return bytes;
}

/* Without variables there are no values. */
void wm_frame_take_variables(struct wm_frame *f, const struct wm_parts *list, const struct wm_statement_part *part)
{
    for (int v = 0; v < f->s->variable_count; v++)
        f->variables[v] = list->values[part->variables + (size_t)v];
}

void wm_part_describe(const struct wm_traffic *x, const struct wm_statement_part *part, bool received, char *out,
                      size_t out_bytes)
{
    const struct wm_parts *list = received ? &x->receives : &x->sends;
    struct wm_frame f = wm_traffic_frame(x, NULL, NULL);

    wm_frame_take_variables(&f, list, part);
    snprintf(out, out_bytes, "%zu element%s by reduction %d", part->count, part->count == 1 ? "" : "s",
             part->reduction + 1);
    wm_frame_append_variables(&f, UINT32_MAX, out, out_bytes);
}

/* ---- reading ---- */

/* In as few digits as tell it from others. */
static void print_floating(double value, char *out, size_t out_bytes)
{
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(out, out_bytes, "%.*g", digits, isnan(value) ? NAN : value);
        if (strtod(out, NULL) == value)
            return;
    }
}

int wm_numbers_pack(struct wm_frame *f, const struct wm_reduction *r, void *to, enum wm_number from_type,
                    const void *from, size_t count)
{
    size_t done = wm_numbers_convert(r->number, to, from_type, from, count);
    bool floating = from_type == WM_FLOAT || from_type == WM_DOUBLE;
    union wm_scalar value;
    char text[32];

    if (done == count)
        return 0;
    value = wm_scalar_load(from_type, (const char *)from + done * wm_number_bytes(from_type));
    if (floating)
        print_floating(from_type == WM_FLOAT ? (double)value.f : value.d, text, sizeof text);
    else
        snprintf(text, sizeof text, from_type == WM_UINT64 ? "%" PRIu64 : "%" PRId64, value.i);
    wm_frame_fault(f, r->data,
                   "%s is sent, and '%s', in which it is stored, is of the type %s, which has no such number", text,
                   f->bindings[f->s->terms[r->storage].index].name, wm_number_name(r->number));
    return f->rc;
}

static int pack_value(struct wm_frame *f, const struct wm_reduction *r, void *to)
{
    enum wm_number number = (enum wm_number)f->s->terms[r->data].number;
    char value[sizeof(union wm_scalar)];

    wm_scalar_store(number, value, wm_evaluate(f, r->data));
    return f->rc != 0 ? f->rc : wm_numbers_pack(f, r, to, number, value, 1);
}

int wm_section_pack(struct wm_frame *f, const struct wm_reduction *r, const struct wm_section *section, char *to)
{
    const struct wm_bound *b = &f->bindings[section->binding];
    struct wm_run_walk runs = wm_section_runs(section);
    size_t begin;

    if (b->number == r->number) {
        wm_section_copy(section, b->at, to, r->element_bytes, false);
        return 0;
    }
    for (; wm_run_walk_next(&runs, &begin); to += runs.length * r->element_bytes) {
        const char *from = (const char *)b->at + begin * wm_binding_element_bytes(b);

        if (wm_numbers_pack(f, r, to, (enum wm_number)b->number, from, runs.length) < 0)
            return f->rc;
    }
    return 0;
}

int wm_part_pack(const struct wm_traffic *x, const struct wm_statement_part *part, const struct wm_bound bindings[],
                 void *to, struct wm_error *error)
{
    const struct wm_reduction *r = reduction_of(x, part);
    bool place = x->s->terms[r->data].kind == WM_TERM_PLACE;
    struct wm_frame f;

    if (place && bindings[part->section.binding].number == r->number) {
        wm_section_copy(&part->section, bindings[part->section.binding].at, to, r->element_bytes, false);
        return 0;
    }
    f = wm_traffic_frame(x, bindings, error);
    wm_frame_take_variables(&f, &x->sends, part);
    return place ? wm_section_pack(&f, r, &part->section, to) : pack_value(&f, r, to);
}

bool wm_part_is_whole(const struct wm_traffic *x, const struct wm_statement_part *part,
                      const struct wm_bound bindings[], bool received)
{
    const struct wm_reduction *r = reduction_of(x, part);

    if (received ? r->combiner != WM_OPERATOR_STORE
                 : x->s->terms[r->data].kind != WM_TERM_PLACE || bindings[part->section.binding].number != r->number)
        return false;
    return wm_section_runs(&part->section).outer == 0 && part->count > 0;
}

void *wm_part_place(const struct wm_traffic *x, const struct wm_statement_part *part, const struct wm_bound bindings[],
                    bool received)
{
    char *at = bindings[part->section.binding].at;

    return wm_part_is_whole(x, part, bindings, received)
               ? at + part->section.offset * reduction_of(x, part)->element_bytes
               : NULL;
}
