/* Names: lets and declarations, at every rank. */
#include "tools/statement/names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "core/statement/evaluate.h"
#include "tools/statement/let.h"

/* Elements of an array that is declared by itself: 2^40 in all, of which nothing is kept. */
enum { AMPLE_BITS = 40 };

static struct wm_bound *binding(const struct wm_bound_names *n, int rank, int name)
{
    return &n->bindings[(size_t)rank * WM_BINDINGS_MAX + (size_t)name];
}

const struct wm_bound *wm_names_bindings(const struct wm_bound_names *n, int rank)
{
    return binding(n, rank, 0);
}

/* ---- lets ---- */

static int memory_fault(struct wm_error *error)
{
    return wm_error_set(error, -WM_ENOMEM, "out of memory");
}

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
        struct wm_bound *b = binding(n, rank, n->count);

        if (number == WM_FLOAT || number == WM_DOUBLE || values[rank].i < 0 ||
            values[rank].i >> AMPLE_BITS / let->dimensions != 0) {
            wm_error_set(error, -WM_EINVAL, "an array has a whole number of elements, at most %" PRId64 " here",
                         INT64_C(1) << AMPLE_BITS / let->dimensions);
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
        struct wm_bound *b = binding(n, rank, n->count);
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
        struct wm_bound *b = binding(n, rank, n->count);

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
            rc = memory_fault(error);
        if (rc == 0)
            rc = set_value(n, let, i, values, type, error);
    }
    return rc;
}

static bool is_uniform(const struct wm_bound_names *n, int name)
{
    const struct wm_bound *first = binding(n, 0, name);
    size_t bytes = wm_binding_count(first) * wm_binding_element_bytes(first);

    for (int rank = 1; rank < n->ranks; rank++) {
        const struct wm_bound *b = binding(n, rank, name);

        if (memcmp(b->extents, first->extents, sizeof b->extents) != 0 || memcmp(b->at, first->at, bytes) != 0)
            return false;
    }
    return true;
}

/* Begin the next name: its binding at every rank. */
static int name_new(struct wm_bound_names *n, const char *name, size_t bytes, enum wm_bound_kind kind, int dimensions,
                    struct wm_error *error)
{
    struct wm_bound_name *new = &n->names[n->count];

    if (n->count == WM_BINDINGS_MAX)
        return wm_error_set(error, -WM_EINVAL, "a statement has at most %d names", WM_BINDINGS_MAX);
    *new = (struct wm_bound_name){.known = false};
    memcpy(new->name, name, bytes);
    for (int rank = 0; rank < n->ranks; rank++)
        *binding(n, rank, n->count) = (struct wm_bound){.name = new->name,
                                                        .kind = (unsigned char)kind,
                                                        .number = WM_DOUBLE,
                                                        .dimensions = (unsigned char)dimensions};
    return 0;
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
        struct wm_bound *b = binding(n, rank, n->count);

        if (let->is_list && let->dimensions == 0)
            b->extents[0] = (size_t)let->value_count;
        if (let->value_count > 0 && wm_binding_count(b) != (size_t)let->value_count)
            rc = wm_error_set(error, -WM_EINVAL, "--let '%s': the array has %zu elements, and %d values are given",
                              let->text, wm_binding_count(b), let->value_count);
    }
    return rc;
}

static void mark_known(struct wm_bound_names *n, int name)
{
    n->names[name].known = true;
    n->names[name].uniform = is_uniform(n, name);
    for (int rank = 0; rank < n->ranks && n->names[name].uniform; rank++)
        binding(n, rank, name)->promises = WM_IS_UNIFORM;
}

static int add_let(struct wm_bound_names *n, const struct wm_let *let, union wm_scalar values[], struct wm_error *error)
{
    enum wm_number number = let->number != WM_BYTES ? let->number : WM_DOUBLE;
    int rc = name_new(n, let->name, strlen(let->name), WM_BOUND_PLACE,
                      let->is_list && let->dimensions == 0 ? 1 : let->dimensions, error);

    for (int i = 0; i < n->count && rc == 0; i++)
        if (strcmp(n->names[i].name, let->name) == 0)
            rc = wm_error_set(error, -WM_EINVAL, "--let '%s': an earlier let says what '%s' is", let->text, let->name);
    if (rc < 0)
        return rc;
    for (int rank = 0; rank < n->ranks; rank++)
        binding(n, rank, n->count)->number = (unsigned char)number;
    if ((rc = set_extents(n, let, values, error)) == 0 && (rc = set_values(n, let, values, error)) == 0 &&
        let->value_count > 0)
        mark_known(n, n->count);
    n->count++;
    return rc;
}

/* ---- declarations ---- */

/* A function of two of that type. It is never called: what is combined is not shown. */
static enum wm_signature operator_of(enum wm_number number)
{
    switch (number) {
    case WM_INT32:
        return WM_SIGNATURE_INT_2;
    case WM_INT64:
        return WM_SIGNATURE_LONG_2;
    case WM_UINT64:
        return WM_SIGNATURE_SIZE_2;
    case WM_FLOAT:
        return WM_SIGNATURE_FLOAT_2;
    default:
        return WM_SIGNATURE_DOUBLE_2;
    }
}

static int add_declaration(struct wm_bound_names *n, const struct wm_declaration *d, struct wm_error *error)
{
    int rc = name_new(n, d->name, d->bytes, d->is_operator ? WM_BOUND_FUNCTION : WM_BOUND_PLACE, d->dimensions, error);

    for (int rank = 0; rank < n->ranks && rc == 0; rank++) {
        struct wm_bound *b = binding(n, rank, n->count);

        b->signature = operator_of(d->storage >= 0 ? n->bindings[d->storage].number : WM_DOUBLE);
        for (int i = 0; i < d->dimensions; i++)
            b->extents[i] = (size_t)1 << AMPLE_BITS / d->dimensions;
    }
    if (rc == 0)
        n->names[n->count++].declared = true;
    return rc;
}

/* ---- life ---- */

int wm_names_fault(struct wm_error *error, int rank, int ranks)
{
    if (error->code == -WM_EINVAL)
        wm_text_append(error->text, sizeof error->text, ", at rank %d of %d", rank, ranks);
    return error->code;
}

int wm_names_init(struct wm_bound_names *n, const char *text, const char *const lets[], int let_count, int ranks,
                  struct wm_error *error)
{
    struct wm_declarations found;
    union wm_scalar *values = calloc((size_t)ranks, sizeof *values);
    int rc = 0;

    *n = (struct wm_bound_names){.ranks = ranks,
                                 .bindings = calloc((size_t)ranks * WM_BINDINGS_MAX, sizeof *n->bindings)};
    if (values == NULL || n->bindings == NULL)
        rc = memory_fault(error);
    for (int i = 0; i < let_count && rc == 0; i++) {
        struct wm_let let;

        if ((rc = wm_let_read(&let, lets[i], error)) == 0)
            rc = add_let(n, &let, values, error);
        wm_let_release(&let);
    }
    if (rc == 0)
        rc = wm_declarations_find(&found, text, n->names, n->count, error);
    for (int i = 0; rc == 0 && i < found.count; i++)
        rc = add_declaration(n, &found.list[i], error);
    free(values);
    return rc;
}

void wm_names_release(struct wm_bound_names *n)
{
    for (int rank = 0; n->bindings != NULL && rank < n->ranks; rank++)
        for (int i = 0; i < n->count; i++)
            free(binding(n, rank, i)->at);
    free(n->bindings);
    n->bindings = NULL;
}

uint64_t wm_names_known(const struct wm_bound_names *n)
{
    uint64_t known = 0;

    for (int i = 0; i < n->count; i++)
        if (n->names[i].known || n->bindings[i].kind != WM_BOUND_PLACE)
            known |= UINT64_C(1) << i;
    return known;
}

/* What decides who sends what to whom, and where it stands: clauses, ranks, and all indices. */
static uint64_t deciding(const struct wm_statement *s)
{
    uint64_t bindings = s->choosing;

    for (int t = 0; t < s->term_count; t++)
        for (int i = 0; i < WM_OPERANDS && s->terms[t].kind == WM_TERM_PLACE; i++)
            if (s->terms[t].operands[i] >= 0)
                bindings |= s->terms[s->terms[t].operands[i]].bindings;
    return bindings;
}

int wm_names_compile(const struct wm_bound_names *n, const char *text, struct wm_statement **statement,
                     struct wm_error *error)
{
    int rc = wm_statement_new(statement, text, n->bindings, n->count, error);
    uint64_t unknown = rc < 0 ? 0 : deciding(*statement) & ~wm_names_known(n);

    for (int i = 0; unknown != 0 && rc == 0; i++)
        if ((unknown >> i & 1) != 0)
            rc = wm_error_set(error, -WM_EINVAL,
                              "who sends what to whom depends on '%s', whose values are not known: give them by --let "
                              "'%s=[…]'",
                              n->names[i].name, n->names[i].name);
    if (rc < 0) {
        wm_statement_free(*statement);
        *statement = NULL;
    }
    return rc;
}
