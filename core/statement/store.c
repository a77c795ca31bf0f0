/* What has come, stored or combined with what stands there. */
#include <string.h>
#include "core/statement/item.h"

/* Elements in memory, and where they stand in what has come. */
struct elements {
    char *to;
    const size_t *which; /* of those at `to`; NULL: one behind the other */
    const char *from;
    size_t stride; /* bytes */
    size_t count;
};

/* to = to operator from, for numbers of a type; whole numbers are reckoned in `wide`, and wrap around. */
#define EACH(expression)                                                                                               \
    for (size_t i = 0; i < e.count; i++) {                                                                             \
        char *to = e.to + (e.which != NULL ? e.which[i] : i) * sizeof a;                                               \
                                                                                                                       \
        memcpy(&a, to, sizeof a);                                                                                      \
        memcpy(&b, e.from + i * e.stride, sizeof b);                                                                   \
        a = (expression);                                                                                              \
        memcpy(to, &a, sizeof a);                                                                                      \
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
    static inline __attribute__((always_inline)) void combine_##type(enum wm_operator combiner, struct elements e)     \
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
    static inline __attribute__((always_inline)) void combine_##type(enum wm_operator combiner, struct elements e)     \
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

/* The loops of contiguous elements are compiled by themselves. */
static void combine_numbers(const struct wm_reduction *r, struct elements e)
{
    switch (r->number) {
#define X(name, type, text)                                                                                            \
    case WM_##name:                                                                                                    \
        if (e.which == NULL)                                                                                           \
            combine_##type(r->combiner, (struct elements){e.to, NULL, e.from, sizeof(type), e.count});                 \
        else                                                                                                           \
            combine_##type(r->combiner, e);                                                                            \
        break;
        WM_NUMBERS(X)
#undef X
    case WM_BYTES:
        WM_BUG("numbers are combined, not structs");
    }
}

typedef void combine_structs(void *inout, const void *in);

static void combine_by_function(enum wm_number number, const struct wm_bound *function, char *to, const char *from)
{
    union wm_scalar a = wm_scalar_load(number, to), b = wm_scalar_load(number, from);

    wm_function_call(function, (struct wm_values[]){{&a, 1}, {&b, 1}}, 1, &a);
    wm_scalar_store(number, to, a);
}

static void combine(const struct wm_reduction *r, const struct wm_bound bindings[], struct elements e)
{
    if (r->combiner != WM_OPERATOR_BOUND) {
        combine_numbers(r, e);
        return;
    }
    for (size_t i = 0; i < e.count; i++) {
        const struct wm_bound *function = &bindings[r->bound];
        char *to = e.to + (e.which != NULL ? e.which[i] : i) * r->element_bytes;

        if (r->number == WM_BYTES)
            ((combine_structs *)function->function)(to, e.from + i * e.stride);
        else
            combine_by_function(r->number, function, to, e.from + i * e.stride);
    }
}

#define COPY_EACH(size)                                                                                                \
    for (size_t i = 0; i < e.count; i++)                                                                               \
        memcpy(e.to + e.which[i] * (size), e.from + i * e.stride, size);                                               \
    break

static void copy(struct elements e, size_t element_bytes)
{
    switch (element_bytes) {
    case 4:
        COPY_EACH(4);
    case 8:
        COPY_EACH(8);
    default:
        COPY_EACH(element_bytes);
    }
}

void wm_elements_store(const struct wm_frame *f, const struct wm_reduction *r, const size_t elements[],
                       const char *from, size_t stride)
{
    struct elements e = {f->bindings[f->s->terms[r->storage].index].at, elements, from, stride,
                         (size_t)wm_frame_lanes(f)};

    if (r->combiner == WM_OPERATOR_STORE)
        copy(e, r->element_bytes);
    else
        combine(r, f->bindings, e);
}

void wm_section_store(const struct wm_reduction *r, const struct wm_bound bindings[], const struct wm_section *section,
                      const char *from)
{
    char *place = bindings[section->binding].at;
    struct wm_run_walk runs = wm_section_runs(section);
    size_t begin;

    if (r->combiner == WM_OPERATOR_STORE) {
        wm_section_copy(section, place, (char *)(uintptr_t)from, r->element_bytes, true);
        return;
    }
    for (; wm_run_walk_next(&runs, &begin); from += runs.length * r->element_bytes)
        combine(r, bindings,
                (struct elements){place + begin * r->element_bytes, NULL, from, r->element_bytes, runs.length});
}

void wm_part_store(const struct wm_traffic *x, const struct wm_statement_part *part, const struct wm_bound bindings[],
                   const void *from)
{
    wm_section_store(&x->s->reductions[part->reduction], bindings, &part->section, from);
}
