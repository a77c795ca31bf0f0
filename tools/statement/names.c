/* Names: their bindings at every rank. */
#include "tools/statement/names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "core/statement/evaluate.h"
#include "tools/statement/lets.h"

struct wm_bound *wm_names_binding(const struct wm_bound_names *n, int rank, int name)
{
    return &n->bindings[(size_t)rank * WM_BINDINGS_MAX + (size_t)name];
}

const struct wm_bound *wm_names_bindings(const struct wm_bound_names *n, int rank)
{
    return wm_names_binding(n, rank, 0);
}

int wm_names_begin(struct wm_bound_names *n, const char *name, size_t bytes, enum wm_bound_kind kind, int dimensions,
                   struct wm_error *error)
{
    struct wm_bound_name *new = &n->names[n->count];

    if (n->count == WM_BINDINGS_MAX)
        return wm_error_set(error, -WM_EINVAL, "a statement has at most %d names; leave some lets out",
                            WM_BINDINGS_MAX);
    *new = (struct wm_bound_name){.known = false};
    memcpy(new->name, name, bytes);
    for (int rank = 0; rank < n->ranks; rank++)
        *wm_names_binding(n, rank, n->count) = (struct wm_bound){.name = new->name,
                                                                 .kind = (unsigned char)kind,
                                                                 .number = WM_DOUBLE,
                                                                 .dimensions = (unsigned char)dimensions};
    return 0;
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
    int rc =
        wm_names_begin(n, d->name, d->bytes, d->is_operator ? WM_BOUND_FUNCTION : WM_BOUND_PLACE, d->dimensions, error);

    for (int rank = 0; rank < n->ranks && rc == 0; rank++) {
        struct wm_bound *b = wm_names_binding(n, rank, n->count);

        b->signature = operator_of(d->storage >= 0 ? n->bindings[d->storage].number : WM_DOUBLE);
        for (int i = 0; i < d->dimensions; i++)
            b->extents[i] = (size_t)1 << WM_AMPLE_BITS / d->dimensions;
        b->promises = WM_IS_SIZED;
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
        rc = wm_error_set(error, -WM_ENOMEM, "out of memory");
    for (int i = 0; i < let_count && rc == 0; i++) {
        struct wm_let let;

        if ((rc = wm_let_read(&let, lets[i], error)) == 0)
            rc = wm_names_let(n, &let, values, error);
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
            free(wm_names_binding(n, rank, i)->at);
    free(n->bindings);
    n->bindings = NULL;
}

int wm_names_promise(struct wm_bound_names *n, const char *name, struct wm_error *error)
{
    int i = 0;

    while (i < n->count && strcmp(n->names[i].name, name) != 0)
        i++;
    if (i == n->count)
        return wm_error_set(error, -WM_EINVAL,
                            "there is no name '%s' to be stable; name one of the statement or of a let", name);
    for (int rank = 0; rank < n->ranks; rank++)
        wm_names_binding(n, rank, i)->promises |= WM_IS_STABLE;
    return 0;
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
