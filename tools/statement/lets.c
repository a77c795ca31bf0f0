/* Lets: what they say, evaluated at every rank. */
#include "tools/statement/lets.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "core/statement/evaluate.h"

/* A fault of a piece of a let is one of the let. */
static int let_fault(const struct wm_let *let, const struct wm_let_piece *piece, struct wm_error *error)
{
    wm_error_place(error, "--let", 1, (error->column > 0 ? error->column : 1) + (int)piece->place);
    wm_error_quote(error, let->text, strlen(let->text));
    return error->code;
}

/* Evaluate a piece of the let at every rank. */
static int evaluate_piece(const struct wm_bound_names *n, const struct wm_let *let, const struct wm_let_piece *piece,
                          union wm_scalar values[], enum wm_number *number, struct wm_error *error)
{
    struct wm_statement *s = NULL;
    int rc = wm_expression_new(&s, piece->text, n->bindings, n->count, error);

    if (rc < 0)
        return let_fault(let, piece, error);
    if ((s->terms[s->clauses[0].from].bindings & ~wm_names_known(n)) != 0)
        rc = wm_statement_fault(error, piece->text, 0, "the values of an array in it are not known: give them first");
    *number = (enum wm_number)s->terms[s->clauses[0].from].number;
    for (int rank = 0; rank < n->ranks && rc == 0; rank++) {
        struct wm_frame f = {
            .s = s, .bindings = wm_names_bindings(n, rank), .me = rank, .ranks = n->ranks, .error = error};

        values[rank] = wm_evaluate(&f, s->clauses[0].from);
        if ((rc = f.rc) != 0)
            wm_names_fault(error, rank, n->ranks);
    }
    wm_statement_free(s);
    return rc == 0 ? 0 : let_fault(let, piece, error);
}

static int set_extent(const struct wm_bound_names *n, const struct wm_let *let, int d, const union wm_scalar values[],
                      enum wm_number number, struct wm_error *error)
{
    for (int rank = 0; rank < n->ranks; rank++) {
        struct wm_bound *b = wm_names_binding(n, rank, n->count);

        if (number == WM_FLOAT || number == WM_DOUBLE || values[rank].i < 0 ||
            values[rank].i >> WM_AMPLE_BITS / let->dimensions != 0) {
            wm_error_set(error, -WM_EINVAL,
                         "an array has a whole number of elements, at most %" PRId64 " here; give another number",
                         INT64_C(1) << WM_AMPLE_BITS / let->dimensions);
            return let_fault(let, &let->extents[d], error);
        }
        b->extents[d] = (size_t)values[rank].i;
    }
    return 0;
}

/* Put element `i` of a known name; `type` is that of what was evaluated. */
static int set_value(const struct wm_bound_names *n, const struct wm_let *let, int i, const union wm_scalar values[],
                     enum wm_number type, struct wm_error *error)
{
    for (int rank = 0; rank < n->ranks; rank++) {
        struct wm_bound *b = wm_names_binding(n, rank, n->count);
        enum wm_number number = (enum wm_number)b->number;
        char value[sizeof(union wm_scalar)];

        wm_scalar_store(type, value, values[rank]);
        if (wm_numbers_convert(number, (char *)b->at + (size_t)i * wm_number_bytes(number), type, value, 1) == 1)
            continue;
        wm_error_set(error, -WM_EINVAL, "the type %s has no such number; name another type, as in 'double %s'",
                     wm_number_name(number), n->names[n->count].name);
        return let_fault(let, &let->values[i], error);
    }
    return 0;
}

static bool allocate(const struct wm_bound_names *n, int values, enum wm_number number)
{
    for (int rank = 0; rank < n->ranks; rank++) {
        struct wm_bound *b = wm_names_binding(n, rank, n->count);

        b->number = (unsigned char)number;
        if (values > 0 && (b->at = calloc((size_t)values, wm_number_bytes(number))) == NULL)
            return false;
    }
    return true;
}

static int set_values(struct wm_bound_names *n, const struct wm_let *let, union wm_scalar values[],
                      struct wm_error *error)
{
    enum wm_number type;
    int rc = 0;

    for (int i = 0; i < let->value_count && rc == 0; i++) {
        rc = evaluate_piece(n, let, &let->values[i], values, &type, error);
        if (rc == 0 && i == 0 && !allocate(n, let->value_count, let->number != WM_BYTES ? let->number : type))
            rc = wm_error_set(error, -WM_ENOMEM, "out of memory");
        if (rc == 0)
            rc = set_value(n, let, i, values, type, error);
    }
    return rc;
}

static bool are_extents_alike(const struct wm_bound_names *n, int name)
{
    const struct wm_bound *first = wm_names_binding(n, 0, name);

    for (int rank = 1; rank < n->ranks; rank++)
        if (memcmp(wm_names_binding(n, rank, name)->extents, first->extents, sizeof first->extents) != 0)
            return false;
    return true;
}

static bool is_uniform(const struct wm_bound_names *n, int name)
{
    const struct wm_bound *first = wm_names_binding(n, 0, name);
    size_t bytes = wm_binding_count(first) * wm_binding_element_bytes(first);

    for (int rank = 1; rank < n->ranks; rank++)
        if (memcmp(wm_names_binding(n, rank, name)->at, first->at, bytes) != 0)
            return false;
    return true;
}

static int set_extents(const struct wm_bound_names *n, const struct wm_let *let, union wm_scalar values[],
                       struct wm_error *error)
{
    enum wm_number type;
    int rc = 0;

    for (int d = 0; d < let->dimensions && rc == 0; d++)
        if ((rc = evaluate_piece(n, let, &let->extents[d], values, &type, error)) == 0)
            rc = set_extent(n, let, d, values, type, error);
    for (int rank = 0; rank < n->ranks && rc == 0; rank++) {
        struct wm_bound *b = wm_names_binding(n, rank, n->count);

        if (let->is_list && let->dimensions == 0)
            b->extents[0] = (size_t)let->value_count;
        if (let->value_count > 0 && wm_binding_count(b) != (size_t)let->value_count)
            rc = wm_error_set(error, -WM_EINVAL,
                              "--let '%s': the array has %zu elements, and %d values are given; give as many",
                              let->text, wm_binding_count(b), let->value_count);
    }
    return rc;
}

/* What is alike at all ranks is taken for promised to be. */
static void mark(struct wm_bound_names *n, int name, bool known)
{
    bool sized = are_extents_alike(n, name), uniform = known && sized && is_uniform(n, name);

    n->names[name].known = known;
    n->names[name].uniform = uniform;
    for (int rank = 0; rank < n->ranks; rank++)
        wm_names_binding(n, rank, name)->promises =
            (unsigned char)((sized ? WM_IS_SIZED : 0) | (uniform ? WM_IS_UNIFORM : 0));
}

int wm_names_let(struct wm_bound_names *n, const struct wm_let *let, union wm_scalar values[], struct wm_error *error)
{
    enum wm_number number = let->number != WM_BYTES ? let->number : WM_DOUBLE;
    int rc = wm_names_begin(n, let->name, strlen(let->name), WM_BOUND_PLACE,
                            let->is_list && let->dimensions == 0 ? 1 : let->dimensions, error);

    for (int i = 0; i < n->count && rc == 0; i++)
        if (strcmp(n->names[i].name, let->name) == 0)
            rc = wm_error_set(error, -WM_EINVAL, "--let '%s': an earlier let says what '%s' is; leave one out",
                              let->text, let->name);
    if (rc < 0)
        return rc;
    for (int rank = 0; rank < n->ranks; rank++)
        wm_names_binding(n, rank, n->count)->number = (unsigned char)number;
    if ((rc = set_extents(n, let, values, error)) == 0 && (rc = set_values(n, let, values, error)) == 0)
        mark(n, n->count, let->value_count > 0);
    n->count++;
    return rc;
}
