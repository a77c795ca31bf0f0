/* Expressions of a statement, evaluated at a rank. */
#include "core/statement/evaluate.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void wm_frame_append_variables(const struct wm_frame *f, uint32_t variables, char *out, size_t out_bytes)
{
    const char *before = ", where ";

    for (int i = 0; i < f->s->variable_count; i++) {
        const struct wm_variable *v = &f->s->variables[i];

        if ((variables >> i & 1) == 0)
            continue;
        wm_text_append(out, out_bytes, "%s%.*s = ", before, (int)v->bytes, v->name);
        if (v->number == WM_FLOAT || v->number == WM_DOUBLE)
            wm_text_append(out, out_bytes, "%g", v->number == WM_FLOAT ? (double)f->variables[i].f : f->variables[i].d);
        else
            wm_text_append(out, out_bytes, v->number == WM_UINT64 ? "%" PRIu64 : "%" PRId64, f->variables[i].i);
        before = ", ";
    }
}

void wm_frame_fault(struct wm_frame *f, int term, const char *format, ...)
{
    char sentence[WM_ERROR_TEXT_CHARS / 2];
    va_list arguments;

    if (f->rc != 0)
        return;
    f->rc = -WM_EINVAL;
    if (f->error == NULL)
        return;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    wm_frame_append_variables(f, f->s->terms[term].variables, sentence, sizeof sentence);
    wm_statement_fault(f->error, f->s->text, f->s->terms[term].place, "%s", sentence);
}

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

/* From one element of dimension d to the next; `dense`, where they stand one behind the other. */
static size_t stride_of(const struct wm_bound *b, int d, size_t dense)
{
    return d == 0 && b->number != WM_BYTES && b->stride != 0 ? b->stride : dense;
}

struct wm_section wm_binding_section(const struct wm_bound *b, int binding)
{
    struct wm_section section = {.binding = binding, .dimensions = b->dimensions, .count = 1};

    for (int d = b->dimensions - 1; d >= 0; d--) {
        section.counts[d] = b->extents[d];
        section.strides[d] = stride_of(b, d, section.count);
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

/* X(number, type, member) */
#define SCALARS(X)                                                                                                     \
    X(INT8, int8_t, i)                                                                                                 \
    X(INT16, int16_t, i)                                                                                               \
    X(INT32, int32_t, i)                                                                                               \
    X(INT64, int64_t, i)                                                                                               \
    X(UINT8, uint8_t, i)                                                                                               \
    X(UINT16, uint16_t, i)                                                                                             \
    X(UINT32, uint32_t, i)                                                                                             \
    X(UINT64, uint64_t, u)                                                                                             \
    X(FLOAT, float, f)                                                                                                 \
    X(DOUBLE, double, d)

union wm_scalar wm_scalar_load(enum wm_number number, const void *from)
{
    union wm_scalar value = {.i = 0};

    switch (number) {
#define X(name, type, member)                                                                                          \
    case WM_##name: {                                                                                                  \
        type is;                                                                                                       \
        memcpy(&is, from, sizeof is);                                                                                  \
        value.member = is;                                                                                             \
        break;                                                                                                         \
    }
        SCALARS(X)
#undef X
    case WM_BYTES:
        WM_BUG("a struct is no scalar");
    }
    return value;
}

void wm_scalar_store(enum wm_number number, void *to, union wm_scalar value)
{
    switch (number) {
#define X(name, type, member)                                                                                          \
    case WM_##name: {                                                                                                  \
        type is = (type)value.member;                                                                                  \
        memcpy(to, &is, sizeof is);                                                                                    \
        break;                                                                                                         \
    }
        SCALARS(X)
#undef X
    case WM_BYTES:
        WM_BUG("a struct is no scalar");
    }
}

bool wm_scalar_is_true(enum wm_number number, union wm_scalar value)
{
    return number == WM_FLOAT ? value.f != 0 : number == WM_DOUBLE ? value.d != 0 : value.u != 0;
}

bool wm_evaluate_truth(struct wm_frame *f, int term)
{
    return wm_scalar_is_true((enum wm_number)f->s->terms[term].number, wm_evaluate(f, term));
}

union wm_scalar wm_function_call(const struct wm_bound *function, const union wm_scalar a[])
{
    union wm_scalar result = {.i = 0};

    switch ((enum wm_signature)function->signature) {
#define MEMBER_INT32 i
#define MEMBER_INT64 i
#define MEMBER_UINT64 u
#define MEMBER_FLOAT f
#define MEMBER_DOUBLE d
#define X(name, number, argument, count, type, parameters, arguments)                                                  \
    case WM_SIGNATURE_##name:                                                                                          \
        result.MEMBER_##number = ((type(*) parameters)function->function)arguments;                                    \
        break;
        WM_SIGNATURES(X)
#undef X
    case WM_SIGNATURE_OTHER:
        WM_BUG("a function of unknown type is called");
    }
    return result;
}

/* ---- places ---- */

/* The index of a dimension, or its slice; sets what the section has of it. */
static void evaluate_dimension(struct wm_frame *f, const struct wm_term *n, int d, size_t *from, size_t *count)
{
    const struct wm_bound *b = &f->bindings[n->index];
    const char *elements, *where;
    int first = n->operands[2 * d], last = n->operands[2 * d + 1], wrong;
    int64_t begin, end;

    *from = 0;
    *count = b->extents[d];
    if (first < 0)
        return;
    begin = wm_evaluate(f, first).i;
    end = last < 0 ? begin : wm_evaluate(f, last).i;
    *from = (size_t)begin;
    *count = last < 0 ? 1 : (size_t)(end - begin);
    if (f->rc == 0 && begin >= 0 && begin <= end && (uint64_t)end + (last < 0) <= b->extents[d])
        return;
    *count = 0;
    if (f->rc != 0)
        return;
    elements = b->extents[d] == 1 ? "element" : "elements";
    where = b->dimensions > 1 ? " in this dimension" : "";
    wrong = last < 0 || begin < 0 || (f->s->terms[first].variables & ~f->s->terms[last].variables) != 0 ? first : last;
    if (last < 0 && (begin < 0 || (uint64_t)begin >= b->extents[d]))
        wm_frame_fault(f, wrong, "the index %" PRId64 " is outside of '%s', which has %zu %s%s", begin, b->name,
                       b->extents[d], elements, where);
    else if (begin > end)
        wm_frame_fault(f, wrong, "the slice %" PRId64 " ... %" PRId64 " of '%s' ends before it begins", begin, end,
                       b->name);
    else
        wm_frame_fault(f, wrong, "the slice %" PRId64 " ... %" PRId64 " is no part of '%s', which has %zu %s%s", begin,
                       end, b->name, b->extents[d], elements, where);
}

struct wm_section wm_evaluate_place(struct wm_frame *f, int term)
{
    const struct wm_term *n = &f->s->terms[term];
    const struct wm_bound *b = &f->bindings[n->index];
    struct wm_section section = {.binding = n->index, .dimensions = b->dimensions, .count = 1};
    size_t dense = 1, from, count;

    for (int d = b->dimensions - 1; d >= 0; d--) {
        evaluate_dimension(f, n, d, &from, &count);
        section.counts[d] = count;
        section.strides[d] = stride_of(b, d, dense);
        section.offset += from * section.strides[d];
        section.count *= count;
        dense *= b->extents[d];
    }
    if (f->rc != 0)
        section.count = 0;
    return section;
}

/* The number at a place of one element. */
static union wm_scalar load_place(struct wm_frame *f, int term)
{
    const struct wm_term *n = &f->s->terms[term];
    const struct wm_bound *b = &f->bindings[n->index];
    size_t offset = 0, dense = 1, from, count;

    for (int d = b->dimensions - 1; d >= 0; d--) {
        evaluate_dimension(f, n, d, &from, &count);
        offset += from * stride_of(b, d, dense);
        dense *= b->extents[d];
    }
    if (f->rc != 0)
        return (union wm_scalar){.i = 0};
    return wm_scalar_load((enum wm_number)b->number,
                          (const char *)b->at + offset * wm_number_bytes((enum wm_number)b->number));
}

/* ---- expressions ---- */

/* As C converts; a floating-point number that a whole number's type has not is a fault, and a uint64 that would be a
 * negative rank or index. */
static union wm_scalar convert(struct wm_frame *f, int term, enum wm_number to, enum wm_number from,
                               union wm_scalar value)
{
    bool floating = from == WM_FLOAT || from == WM_DOUBLE;
    double d = from == WM_FLOAT    ? (double)value.f
               : from == WM_DOUBLE ? value.d
               : from == WM_UINT64 ? (double)value.u
                                   : (double)value.i;

    switch (to) {
    case WM_DOUBLE:
        value.d = d;
        return value;
    case WM_FLOAT:
        value.f = floating ? (float)d : from == WM_UINT64 ? (float)value.u : (float)value.i;
        return value;
    case WM_INT32:
        if (floating && !(d > -2147483649.0 && d < 2147483648.0))
            break;
        value.i = floating ? (int32_t)d : (int32_t)value.i;
        return value;
    case WM_UINT32:
        if (floating && !(d > -1.0 && d < 4294967296.0))
            break;
        value.i = floating ? (uint32_t)d : (uint32_t)value.i;
        return value;
    case WM_INT64:
        if (f->s->terms[term].exact && from == WM_UINT64 && value.u > INT64_MAX) {
            wm_frame_fault(f, term, "%" PRIu64 " is no number of the type int64", value.u);
            return value;
        }
        if (floating && !(d >= -9223372036854775808.0 && d < 9223372036854775808.0))
            break;
        value.i = floating ? (int64_t)d : value.i;
        return value;
    default:
        if (floating && !(d > -1.0 && d < 18446744073709551616.0))
            break;
        value.u = floating ? (uint64_t)d : value.u;
        return value;
    }
    wm_frame_fault(f, term, "%g is no number of the type %s", d, wm_number_name(to));
    return (union wm_scalar){.i = 0};
}

/* What the operators do to floating-point numbers, in their type. */
#define REAL(type, member)                                                                                             \
    static union wm_scalar reckon_##type(int operation, type a, type b)                                                \
    {                                                                                                                  \
        union wm_scalar r = {.i = 0};                                                                                  \
                                                                                                                       \
        switch (operation) {                                                                                           \
        case '+':                                                                                                      \
            r.member = a + b;                                                                                          \
            break;                                                                                                     \
        case '-':                                                                                                      \
            r.member = a - b;                                                                                          \
            break;                                                                                                     \
        case '*':                                                                                                      \
            r.member = a * b;                                                                                          \
            break;                                                                                                     \
        case '/':                                                                                                      \
            r.member = a / b;                                                                                          \
            break;                                                                                                     \
        default:                                                                                                       \
            r.i = compare(operation, (a > b) - (a < b), a != a || b != b);                                             \
        }                                                                                                              \
        return r;                                                                                                      \
    }

/* `order`: -1, 0, 1; NaN is unequal to all and nothing else. */
static int compare(int operation, int order, bool nan)
{
    switch (operation) {
    case WM_TOKEN_EQUAL:
        return order == 0 && !nan;
    case WM_TOKEN_UNEQUAL:
        return order != 0 || nan;
    case '<':
        return order < 0;
    case '>':
        return order > 0;
    case WM_TOKEN_LESS_EQUAL:
        return order <= 0 && !nan;
    case WM_TOKEN_GREATER_EQUAL:
        return order >= 0 && !nan;
    default:
        WM_BUG("an unknown operator");
    }
}

REAL(float, f)
REAL(double, d)

/* Wrap a whole number to its type's width. */
static union wm_scalar wrapped(enum wm_number number, uint64_t u)
{
    union wm_scalar r = {.u = u};

    if (number == WM_INT32)
        r.i = (int32_t)u;
    else if (number == WM_UINT32)
        r.i = (uint32_t)u;
    return r;
}

static union wm_scalar divide(struct wm_frame *f, int term, enum wm_number number, union wm_scalar a, union wm_scalar b)
{
    bool rest = f->s->terms[term].operation == '%';

    if (b.u == 0) {
        wm_frame_fault(f, term, "this divides by zero");
        return b;
    }
    if (number == WM_UINT64)
        return (union wm_scalar){.u = rest ? a.u % b.u : a.u / b.u};
    if (b.i == -1)
        return wrapped(number, rest ? 0 : 0 - a.u);
    return wrapped(number, (uint64_t)(rest ? a.i % b.i : a.i / b.i));
}

static union wm_scalar shift(struct wm_frame *f, int term, enum wm_number number, union wm_scalar a, union wm_scalar b)
{
    int64_t width = 8 * (int64_t)wm_number_bytes(number);

    if (b.i < 0 || b.i >= width) {
        wm_frame_fault(f, term, "this shifts by %" PRId64 ": the type %s has %" PRId64 " bits", b.i,
                       wm_number_name(number), width);
        return b;
    }
    if (f->s->terms[term].operation == WM_TOKEN_LEFT)
        return wrapped(number, a.u << b.i);
    return number == WM_UINT64 ? (union wm_scalar){.u = a.u >> b.i} : wrapped(number, (uint64_t)(a.i >> b.i));
}

static union wm_scalar reckon_whole(struct wm_frame *f, int term, enum wm_number number, union wm_scalar a,
                                    union wm_scalar b)
{
    int operation = f->s->terms[term].operation;

    switch (operation) {
    case '+':
        return wrapped(number, a.u + b.u);
    case '-':
        return wrapped(number, a.u - b.u);
    case '*':
        return wrapped(number, a.u * b.u);
    case '&':
        return wrapped(number, a.u & b.u);
    case '|':
        return wrapped(number, a.u | b.u);
    case '^':
        return wrapped(number, a.u ^ b.u);
    case '/':
    case '%':
        return divide(f, term, number, a, b);
    case WM_TOKEN_LEFT:
    case WM_TOKEN_RIGHT:
        return shift(f, term, number, a, b);
    default:
        return (union wm_scalar){
            .i =
                compare(operation, number == WM_UINT64 ? (a.u > b.u) - (a.u < b.u) : (a.i > b.i) - (a.i < b.i), false)};
    }
}

static union wm_scalar evaluate_binary(struct wm_frame *f, int term)
{
    const struct wm_term *n = &f->s->terms[term];
    enum wm_number number = (enum wm_number)f->s->terms[n->operands[0]].number;
    union wm_scalar a, b;

    if (n->operation == WM_TOKEN_AND || n->operation == WM_TOKEN_OR) {
        bool first = wm_evaluate_truth(f, n->operands[0]);

        return (union wm_scalar){.i = first == (n->operation == WM_TOKEN_OR) ? first
                                                                             : wm_evaluate_truth(f, n->operands[1])};
    }
    a = wm_evaluate(f, n->operands[0]);
    b = wm_evaluate(f, n->operands[1]);
    if (f->rc != 0)
        return (union wm_scalar){.i = 0};
    return number == WM_DOUBLE  ? reckon_double(n->operation, a.d, b.d)
           : number == WM_FLOAT ? reckon_float(n->operation, a.f, b.f)
                                : reckon_whole(f, term, number, a, b);
}

static union wm_scalar evaluate_unary(struct wm_frame *f, const struct wm_term *n)
{
    enum wm_number number = (enum wm_number)f->s->terms[n->operands[0]].number;
    union wm_scalar a = wm_evaluate(f, n->operands[0]);

    switch (n->operation) {
    case '!':
        return (union wm_scalar){.i = !wm_scalar_is_true(number, a)};
    case '~':
        return wrapped(number, ~a.u);
    case '-':
        if (number == WM_FLOAT)
            a.f = -a.f;
        else if (number == WM_DOUBLE)
            a.d = -a.d;
        else
            a = wrapped(number, 0 - a.u);
        return a;
    default:
        return a;
    }
}

static union wm_scalar evaluate_call(struct wm_frame *f, const struct wm_term *n)
{
    union wm_scalar arguments[WM_OPERANDS] = {{.i = 0}};

    for (int i = 0; i < WM_OPERANDS && n->operands[i] >= 0; i++)
        arguments[i] = wm_evaluate(f, n->operands[i]);
    return f->rc != 0 ? (union wm_scalar){.i = 0} : wm_function_call(&f->bindings[n->index], arguments);
}

union wm_scalar wm_evaluate(struct wm_frame *f, int term)
{
    const struct wm_term *n = &f->s->terms[term];

    if (f->rc != 0)
        return (union wm_scalar){.i = 0};
    switch ((enum wm_term_kind)n->kind) {
    case WM_TERM_CONSTANT:
        return n->value;
    case WM_TERM_VARIABLE:
        return f->variables[n->index];
    case WM_TERM_ME:
        return (union wm_scalar){.i = f->me};
    case WM_TERM_RANKS:
        return (union wm_scalar){.i = f->ranks};
    case WM_TERM_PLACE:
        return load_place(f, term);
    case WM_TERM_CALL:
        return evaluate_call(f, n);
    case WM_TERM_CONVERT:
        return convert(f, term, (enum wm_number)n->number, (enum wm_number)f->s->terms[n->operands[0]].number,
                       wm_evaluate(f, n->operands[0]));
    case WM_TERM_UNARY:
        return evaluate_unary(f, n);
    case WM_TERM_BINARY:
        return evaluate_binary(f, term);
    case WM_TERM_CHOICE:
        return wm_evaluate(f, n->operands[wm_evaluate_truth(f, n->operands[0]) ? 1 : 2]);
    }
    WM_BUG("an unknown term");
}
