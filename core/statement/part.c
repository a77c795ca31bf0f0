/* The data of the traffic's parts: read as it will be stored, stored or combined, and told where it belongs. */
#include "core/statement/traffic.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
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

/* Copy the section of what stands at `at` to `packed`, or, if it is stored, from there. */
static void copy_section(const struct wm_section *section, char *at, char *packed, size_t element_bytes, bool stored)
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

void wm_binding_copy(const struct wm_bound *b, char *to)
{
    struct wm_section all = wm_binding_section(b, 0);

    copy_section(&all, b->at, to, wm_binding_element_bytes(b), false);
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

static const struct wm_reduction *reduction_of(const struct wm_traffic *x, const struct wm_statement_part *part)
{
    return &x->s->reductions[part->reduction];
}

size_t wm_part_bytes(const struct wm_traffic *x, const struct wm_statement_part *part)
{
    return part->count * reduction_of(x, part)->element_bytes;
}

void wm_part_describe(const struct wm_traffic *x, const struct wm_statement_part *part, bool received, char *out,
                      size_t out_bytes)
{
    const struct wm_parts *list = received ? &x->receives : &x->sends;
    struct wm_frame f = wm_traffic_frame(x, NULL, NULL);

    memcpy(f.variables, list->values + part->variables, sizeof *f.variables * (size_t)x->s->variable_count);
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

static int convert_numbers(struct wm_frame *f, const struct wm_reduction *r, void *to, enum wm_number from_type,
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
    return f->rc != 0 ? f->rc : convert_numbers(f, r, to, number, value, 1);
}

/* Elements of another type than the storage's. */
static int pack_converted(struct wm_frame *f, const struct wm_reduction *r, const struct wm_section *section, char *to)
{
    const struct wm_bound *b = &f->bindings[section->binding];
    struct wm_run_walk runs = wm_section_runs(section);
    size_t begin;

    for (; wm_run_walk_next(&runs, &begin); to += runs.length * r->element_bytes) {
        const char *from = (const char *)b->at + begin * wm_binding_element_bytes(b);

        if (convert_numbers(f, r, to, (enum wm_number)b->number, from, runs.length) < 0)
            return f->rc;
    }
    return 0;
}

int wm_part_pack(const struct wm_traffic *x, const struct wm_statement_part *part, const struct wm_bound bindings[],
                 void *to, struct wm_error *error)
{
    const struct wm_reduction *r = reduction_of(x, part);
    const struct wm_bound *b = &bindings[part->section.binding];
    bool place = x->s->terms[r->data].kind == WM_TERM_PLACE;
    struct wm_frame f;

    if (place && b->number == r->number) {
        copy_section(&part->section, b->at, to, r->element_bytes, false);
        return 0;
    }
    f = wm_traffic_frame(x, bindings, error);
    if (x->s->variable_count > 0)
        memcpy(f.variables, x->sends.values + part->variables, sizeof *f.variables * (size_t)x->s->variable_count);
    return place ? pack_converted(&f, r, &part->section, to) : pack_value(&f, r, to);
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

/* ---- storing ---- */

/* to = to operator from, for `count` numbers of a type; whole numbers are reckoned in `wide`, and wrap around. */
#define EACH(expression)                                                                                               \
    for (size_t i = 0; i < count; i++) {                                                                               \
        memcpy(&a, to + i * sizeof a, sizeof a);                                                                       \
        memcpy(&b, from + i * sizeof b, sizeof b);                                                                     \
        a = (expression);                                                                                              \
        memcpy(to + i * sizeof a, &a, sizeof a);                                                                       \
    }                                                                                                                  \
    break

#define COMBINE(type, wide)                                                                                            \
    case WM_OPERATOR_SUM:                                                                                              \
        EACH((type)((wide)a + (wide)b));                                                                               \
    case WM_OPERATOR_PRODUCT:                                                                                          \
        EACH((type)((wide)a * (wide)b));                                                                               \
    case WM_OPERATOR_MINIMUM:                                                                                          \
        EACH(b < a ? b : a);                                                                                           \
    case WM_OPERATOR_MAXIMUM:                                                                                          \
        EACH(b > a ? b : a);                                                                                           \
    case WM_OPERATOR_ALL:                                                                                              \
        EACH(a != 0 && b != 0);                                                                                        \
    case WM_OPERATOR_ANY:                                                                                              \
        EACH(a != 0 || b != 0)

#define WHOLE(type)                                                                                                    \
    static void combine_##type(enum wm_operator combiner, char *to, const char *from, size_t count)                    \
    {                                                                                                                  \
        type a, b;                                                                                                     \
                                                                                                                       \
        switch (combiner) {                                                                                            \
            COMBINE(type, uint64_t);                                                                                   \
        case WM_OPERATOR_BIT_AND:                                                                                      \
            EACH(a &b);                                                                                                \
        case WM_OPERATOR_BIT_OR:                                                                                       \
            EACH(a | b);                                                                                               \
        case WM_OPERATOR_BIT_XOR:                                                                                      \
            EACH(a ^ b);                                                                                               \
        default:                                                                                                       \
            WM_BUG("no operator");                                                                                     \
        }                                                                                                              \
    }

#define REAL(type)                                                                                                     \
    static void combine_##type(enum wm_operator combiner, char *to, const char *from, size_t count)                    \
    {                                                                                                                  \
        type a, b;                                                                                                     \
                                                                                                                       \
        switch (combiner) {                                                                                            \
            COMBINE(type, type);                                                                                       \
        default:                                                                                                       \
            WM_BUG("an operator of whole numbers");                                                                    \
        }                                                                                                              \
    }

WHOLE(int8_t)
WHOLE(int16_t)
WHOLE(int32_t)
WHOLE(int64_t)
WHOLE(uint8_t)
WHOLE(uint16_t)
WHOLE(uint32_t)
WHOLE(uint64_t)
REAL(float)
REAL(double)

static void combine_numbers(const struct wm_reduction *r, char *to, const char *from, size_t count)
{
    switch (r->number) {
#define X(name, type, text)                                                                                            \
    case WM_##name:                                                                                                    \
        combine_##type(r->combiner, to, from, count);                                                                  \
        break;
        WM_NUMBERS(X)
#undef X
    case WM_BYTES:
        WM_BUG("numbers are combined, not structs");
    }
}

typedef void combine_structs(void *inout, const void *in);

static void combine_run(const struct wm_reduction *r, const struct wm_bound bindings[], char *to, const char *from,
                        size_t count)
{
    if (r->combiner != WM_OPERATOR_BOUND) {
        combine_numbers(r, to, from, count);
        return;
    }
    for (size_t i = 0; i < count; i++, to += r->element_bytes, from += r->element_bytes) {
        const struct wm_bound *function = &bindings[r->bound];

        if (r->number == WM_BYTES)
            ((combine_structs *)function->function)(to, from);
        else
            wm_scalar_store(r->number, to,
                            wm_function_call(function, (union wm_scalar[]){wm_scalar_load(r->number, to),
                                                                           wm_scalar_load(r->number, from)}));
    }
}

void wm_part_store(const struct wm_traffic *x, const struct wm_statement_part *part, const struct wm_bound bindings[],
                   const void *from)
{
    const struct wm_reduction *r = reduction_of(x, part);
    char *place = bindings[part->section.binding].at;
    struct wm_run_walk runs;
    const char *at = from;
    size_t begin;

    if (r->combiner == WM_OPERATOR_STORE) {
        copy_section(&part->section, place, (char *)(uintptr_t)from, r->element_bytes, true);
        return;
    }
    runs = wm_section_runs(&part->section);
    for (; wm_run_walk_next(&runs, &begin); at += runs.length * r->element_bytes)
        combine_run(r, bindings, place + begin * r->element_bytes, at, runs.length);
}
