/* Expressions of a statement, evaluated at a rank. */
#include "core/statement/evaluate.h"

#include <inttypes.h>
#include <string.h>

static const struct wm_values none = {&(const union wm_scalar){.i = 0}, 1};

/* How many values a term has: of each lane, or one. */
static int count_of(const struct wm_frame *f, int term)
{
    return (f->s->terms[term].variables & f->varying) != 0 ? f->lanes : 1;
}

/* ---- places ---- */

/* The index or the slice of a dimension is wrong in a lane. */
static void refuse_dimension(struct wm_frame *f, const struct wm_term *n, int d, int64_t begin, int64_t end)
{
    const struct wm_bound *b = &f->bindings[n->index];
    const char *elements = b->extents[d] == 1 ? "element" : "elements";
    const char *where = b->dimensions > 1 ? " in this dimension" : "";
    int first = n->operands[2 * d], last = n->operands[2 * d + 1];
    int wrong =
        last < 0 || begin < 0 || (f->s->terms[first].variables & ~f->s->terms[last].variables) != 0 ? first : last;

    if (last < 0)
        wm_frame_fault(f, wrong, "the index %" PRId64 " is outside of '%s', which has %zu %s%s", begin, b->name,
                       b->extents[d], elements, where);
    else if (begin > end)
        wm_frame_fault(f, wrong, "the slice %" PRId64 " ... %" PRId64 " of '%s' ends before it begins", begin, end,
                       b->name);
    else
        wm_frame_fault(f, wrong, "the slice %" PRId64 " ... %" PRId64 " is no part of '%s', which has %zu %s%s", begin,
                       end, b->name, b->extents[d], elements, where);
}

/* The index of a dimension, in so many lanes: add its elements to the offsets. */
static void add_index(struct wm_frame *f, const struct wm_term *n, int d, size_t stride, int lanes, size_t offsets[])
{
    union wm_scalar room[WM_VALUE_LANES];
    struct wm_values index = wm_evaluate_values(f, n->operands[2 * d], room);
    size_t extent = f->bindings[n->index].extents[d];
    bool outside = false;

    for (int i = 0; i < lanes; i++) {
        size_t at = (size_t)wm_value(index, i).u;

        outside |= at >= extent;
        offsets[i] += at * stride;
    }
    for (int i = 0; outside && i < lanes; i++)
        if (wm_value(index, i).u >= extent)
            refuse_dimension(f, n, d, wm_value(index, i).i, wm_value(index, i).i);
}

/* Of a place that is one element: which one. */
static void find_elements(struct wm_frame *f, int term, int lanes, size_t offsets[])
{
    const struct wm_term *n = &f->s->terms[term];
    const struct wm_bound *b = &f->bindings[n->index];
    size_t dense = 1;

    for (int i = 0; i < lanes; i++)
        offsets[i] = 0;
    for (int d = b->dimensions - 1; d >= 0; d--) {
        add_index(f, n, d, wm_binding_stride(b, d, dense), lanes, offsets);
        dense *= b->extents[d];
    }
}

void wm_evaluate_elements(struct wm_frame *f, int term, size_t offsets[WM_VALUE_LANES])
{
    find_elements(f, term, wm_frame_lanes(f), offsets);
}

/* The slice of a dimension, its index, or all of it. */
static void add_dimension(struct wm_frame *f, const struct wm_term *n, int d, size_t stride,
                          struct wm_section sections[])
{
    size_t extent = f->bindings[n->index].extents[d];
    union wm_scalar rooms[2][WM_VALUE_LANES], whole = {.i = (int64_t)extent};
    int first = n->operands[2 * d], last = n->operands[2 * d + 1];
    struct wm_values begins = first < 0 ? none : wm_evaluate_values(f, first, rooms[0]);
    struct wm_values ends = first < 0  ? (struct wm_values){&whole, 1}
                            : last < 0 ? begins
                                       : wm_evaluate_values(f, last, rooms[1]);

    for (int i = 0; i < wm_frame_lanes(f); i++) {
        int64_t begin = wm_value(begins, i).i, end = wm_value(ends, i).i;
        size_t past = (size_t)end + (first >= 0 && last < 0);

        if (f->rc == 0 && (begin < 0 || begin > end || past > extent))
            refuse_dimension(f, n, d, begin, end);
        sections[i].counts[d] = past - (size_t)begin;
        sections[i].strides[d] = stride;
        sections[i].offset += (size_t)begin * stride;
        sections[i].count *= past - (size_t)begin;
    }
}

void wm_evaluate_places(struct wm_frame *f, int term, struct wm_section sections[])
{
    const struct wm_term *n = &f->s->terms[term];
    const struct wm_bound *b = &f->bindings[n->index];
    size_t dense = 1;

    for (int i = 0; i < wm_frame_lanes(f); i++)
        sections[i] = (struct wm_section){.binding = n->index, .dimensions = b->dimensions, .count = 1};
    for (int d = b->dimensions - 1; d >= 0; d--) {
        add_dimension(f, n, d, wm_binding_stride(b, d, dense), sections);
        dense *= b->extents[d];
    }
}

struct wm_section wm_evaluate_place(struct wm_frame *f, int term)
{
    struct wm_section section;

    wm_evaluate_places(f, term, &section);
    if (f->rc != 0)
        section.count = 0;
    return section;
}

static void load_elements(struct wm_frame *f, int term, int count, union wm_scalar out[])
{
    const struct wm_bound *b = &f->bindings[f->s->terms[term].index];
    size_t offsets[WM_VALUE_LANES];

    find_elements(f, term, count, offsets);
    if (f->rc == 0)
        wm_scalars_gather((enum wm_number)b->number, b->at, offsets, count, out);
}

/* ---- conversions ---- */

/* A floating-point number that a whole number's type has. */
static bool has(enum wm_number number, double d)
{
    switch (number) {
    case WM_INT32:
        return d > -2147483649.0 && d < 2147483648.0;
    case WM_UINT32:
        return d > -1.0 && d < 4294967296.0;
    case WM_INT64:
        return d >= -9223372036854775808.0 && d < 9223372036854775808.0;
    default:
        return d > -1.0 && d < 18446744073709551616.0;
    }
}

static double as_double(enum wm_number number, union wm_scalar value)
{
    return number == WM_FLOAT    ? (double)value.f
           : number == WM_DOUBLE ? value.d
           : number == WM_UINT64 ? (double)value.u
                                 : (double)value.i;
}

static union wm_scalar convert(struct wm_frame *f, int term, enum wm_number from, union wm_scalar value)
{
    enum wm_number to = (enum wm_number)f->s->terms[term].number;
    bool floating = from == WM_FLOAT || from == WM_DOUBLE;
    double d = as_double(from, value);
    union wm_scalar result = value;

    if (to == WM_DOUBLE) {
        result.d = d;
    } else if (to == WM_FLOAT) {
        result.i = 0;
        result.f = floating ? (float)d : from == WM_UINT64 ? (float)value.u : (float)value.i;
    } else if (floating && !has(to, d)) {
        wm_frame_fault(f, term, "%g is no number of the type %s", d, wm_number_name(to));
    } else if (to == WM_INT32) {
        result.i = floating ? (int32_t)d : (int32_t)value.i;
    } else if (to == WM_UINT32) {
        result.i = floating ? (uint32_t)d : (uint32_t)value.i;
    } else if (to == WM_INT64) {
        if (f->s->terms[term].exact && from == WM_UINT64 && value.u > INT64_MAX)
            wm_frame_fault(f, term, "%" PRIu64 " is no number of the type int64", value.u);
        result.i = floating ? (int64_t)d : value.i;
    } else {
        result.u = floating ? (uint64_t)d : value.u;
    }
    return result;
}

/* A conversion of whole numbers that changes no bit of the scalar. */
static bool is_nothing(const struct wm_term *n, enum wm_number from)
{
    return from != WM_FLOAT && from != WM_DOUBLE &&
           (n->number == WM_UINT64 || (n->number == WM_INT64 && !(n->exact && from == WM_UINT64)));
}

/* As C converts; a floating-point number that a whole number's type has not is a fault, and a uint64 that would be a
 * negative rank or index. */
static struct wm_values convert_all(struct wm_frame *f, int term, union wm_scalar room[])
{
    const struct wm_term *n = &f->s->terms[term];
    enum wm_number from = (enum wm_number)f->s->terms[n->operands[0]].number;
    struct wm_values values = wm_evaluate_values(f, n->operands[0], room);

    if (is_nothing(n, from))
        return values;
    for (int i = 0; i < values.count && f->rc == 0; i++)
        room[i] = convert(f, term, from, values.at[i]);
    return (struct wm_values){room, values.count};
}

/* ---- expressions ---- */

/* The value in one lane. */
static union wm_scalar evaluate_lane(struct wm_frame *f, int term, int lane)
{
    uint32_t varying = f->varying;
    union wm_scalar value;

    for (int v = 0; v < f->s->variable_count; v++)
        if ((varying & f->s->terms[term].variables & UINT32_C(1) << v) != 0)
            f->variables[v] = f->columns[v][lane];
    f->varying = 0;
    value = wm_evaluate(f, term);
    f->varying = varying;
    return value;
}

static bool is_true(const struct wm_frame *f, int term, union wm_scalar value)
{
    return wm_scalar_is_true((enum wm_number)f->s->terms[term].number, value);
}

/* The second operand is evaluated where the first does not decide. */
static struct wm_values join_truths(struct wm_frame *f, const struct wm_term *n, int count, union wm_scalar out[])
{
    union wm_scalar room[WM_VALUE_LANES];
    struct wm_values first = wm_evaluate_values(f, n->operands[0], room);
    bool decides = n->operation == WM_TOKEN_OR;

    for (int i = 0; i < count && f->rc == 0; i++) {
        bool truth = is_true(f, n->operands[0], wm_value(first, i));

        if (truth != decides)
            truth = is_true(f, n->operands[1], evaluate_lane(f, n->operands[1], i));
        out[i].i = truth;
    }
    return (struct wm_values){out, count};
}

static struct wm_values choose(struct wm_frame *f, const struct wm_term *n, int count, union wm_scalar out[])
{
    struct wm_values condition = wm_evaluate_values(f, n->operands[0], out);

    if (condition.count == 1)
        return wm_evaluate_values(f, n->operands[is_true(f, n->operands[0], condition.at[0]) ? 1 : 2], out);
    for (int i = 0; i < count && f->rc == 0; i++)
        out[i] = evaluate_lane(f, n->operands[is_true(f, n->operands[0], condition.at[i]) ? 1 : 2], i);
    return (struct wm_values){out, count};
}

static void refuse(struct wm_frame *f, int term, enum wm_number number, union wm_scalar right)
{
    int operation = f->s->terms[term].operation;

    if (operation == '/' || operation == '%')
        wm_frame_fault(f, term, "this divides by zero");
    else
        wm_frame_fault(f, term, "this shifts by %" PRId64 ": the type %s has %zu bits", right.i, wm_number_name(number),
                       8 * wm_number_bytes(number));
}

static struct wm_values reckon(struct wm_frame *f, int term, int count, union wm_scalar out[])
{
    const struct wm_term *n = &f->s->terms[term];
    enum wm_number number = (enum wm_number)f->s->terms[n->operands[0]].number;
    union wm_scalar rooms[2][WM_VALUE_LANES];
    struct wm_values a = wm_evaluate_values(f, n->operands[0], rooms[0]);
    struct wm_values b = wm_evaluate_values(f, n->operands[1], rooms[1]);
    int wrong = f->rc == 0 ? wm_scalars_reckon(n->operation, number, a, b, count, out) : -1;

    if (wrong >= 0)
        refuse(f, term, number, wm_value(b, wrong));
    return (struct wm_values){out, count};
}

static struct wm_values evaluate_unary(struct wm_frame *f, const struct wm_term *n, union wm_scalar out[])
{
    enum wm_number number = (enum wm_number)f->s->terms[n->operands[0]].number;
    struct wm_values a = wm_evaluate_values(f, n->operands[0], out);
    union wm_scalar left = {.i = n->operation == '-' ? 0 : -1};

    if (n->operation == '+' || f->rc != 0)
        return a;
    if (n->operation == '!') {
        for (int i = 0; i < a.count; i++)
            out[i].i = !wm_scalar_is_true(number, a.at[i]);
    } else if (number == WM_FLOAT || number == WM_DOUBLE) {
        for (int i = 0; i < a.count; i++)
            out[i] = number == WM_FLOAT ? (union wm_scalar){.f = -a.at[i].f} : (union wm_scalar){.d = -a.at[i].d};
    } else { /* -1 - a has all bits of a inverted */
        wm_scalars_reckon('-', number, (struct wm_values){&left, 1}, a, a.count, out);
    }
    return (struct wm_values){out, a.count};
}

static struct wm_values evaluate_call(struct wm_frame *f, const struct wm_term *n, int count, union wm_scalar out[])
{
    union wm_scalar rooms[WM_ARGUMENTS_MAX][WM_VALUE_LANES];
    struct wm_values arguments[WM_ARGUMENTS_MAX];

    for (int i = 0; i < WM_ARGUMENTS_MAX && n->operands[i] >= 0; i++)
        arguments[i] = wm_evaluate_values(f, n->operands[i], rooms[i]);
    if (f->rc == 0)
        wm_function_call(&f->bindings[n->index], arguments, count, out);
    return (struct wm_values){out, count};
}

struct wm_values wm_evaluate_values(struct wm_frame *f, int term, union wm_scalar room[WM_VALUE_LANES])
{
    const struct wm_term *n = &f->s->terms[term];
    int count = count_of(f, term);
    struct wm_values values = {room, count};

    if (f->rc != 0)
        return none;
    switch ((enum wm_term_kind)n->kind) {
    case WM_TERM_CONSTANT:
        return (struct wm_values){&n->value, 1};
    case WM_TERM_VARIABLE:
        return (struct wm_values){(f->varying >> n->index & 1) != 0 ? f->columns[n->index] : &f->variables[n->index],
                                  count};
    case WM_TERM_ME:
        room[0].i = f->me;
        break;
    case WM_TERM_RANKS:
        room[0].i = f->ranks;
        break;
    case WM_TERM_PLACE:
        load_elements(f, term, count, room);
        break;
    case WM_TERM_CALL:
        values = evaluate_call(f, n, count, room);
        break;
    case WM_TERM_CONVERT:
        values = convert_all(f, term, room);
        break;
    case WM_TERM_UNARY:
        values = evaluate_unary(f, n, room);
        break;
    case WM_TERM_BINARY:
        if (n->operation == WM_TOKEN_AND || n->operation == WM_TOKEN_OR)
            values = join_truths(f, n, count, room);
        else
            values = reckon(f, term, count, room);
        break;
    case WM_TERM_CHOICE:
        values = choose(f, n, count, room);
        break;
    }
    return f->rc == 0 ? values : none;
}

union wm_scalar wm_evaluate(struct wm_frame *f, int term)
{
    union wm_scalar room[WM_VALUE_LANES];

    return wm_evaluate_values(f, term, room).at[0];
}

bool wm_evaluate_truth(struct wm_frame *f, int term)
{
    return is_true(f, term, wm_evaluate(f, term));
}
