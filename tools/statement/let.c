/* Lets, taken apart. */
#include "tools/statement/let.h"

#include <stdlib.h>
#include <string.h>

struct reading {
    struct wm_let *let;
    const struct wm_token *at;
    struct wm_error *error;
};

static int fault(const struct reading *r, const char *sentence)
{
    int rc = wm_statement_fault(r->error, r->let->text, r->at->place, "%s", sentence);

    wm_error_place(r->error, "--let", r->error->line, r->error->column);
    return rc;
}

/* C's names of types, and those that say their bits: int8. WM_BYTES: it is none. */
static enum wm_number type_of(const char *text, const struct wm_token *token)
{
    static const struct {
        const char *name;
        enum wm_number number;
    } types[] = {{"char", WM_INT8},  {"short", WM_INT16},     {"int", WM_INT32},
                 {"long", WM_INT64}, {"unsigned", WM_UINT32}, {"size_t", WM_UINT64},
#define X(name, type, text) {text, WM_##name},
                 WM_NUMBERS(X)
#undef X
    };

    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strlen(types[i].name) == token->bytes && memcmp(types[i].name, text + token->place, token->bytes) == 0)
            return types[i].number;
    return WM_BYTES;
}

/* Go to the end of a piece: one of the signs, outside of all parentheses. */
static void skip_piece(struct reading *r, const char *ends)
{
    int depth = 0;

    for (; r->at->kind != WM_TOKEN_END; r->at++) {
        int kind = r->at->kind;

        if (depth == 0 && kind < WM_TOKEN_NAME && strchr(ends, kind) != NULL)
            return;
        depth += (kind == '(' || kind == '[' || kind == '{') - (kind == ')' || kind == ']' || kind == '}');
    }
}

static int read_piece(struct reading *r, struct wm_let_piece *piece, const char *ends)
{
    const struct wm_token *first = r->at;

    skip_piece(r, ends);
    if (r->at == first)
        return fault(r, "an expression is missing here");
    piece->place = first->place;
    piece->text = strndup(r->let->text + first->place, r->at->place - first->place);
    return piece->text != NULL ? 0 : wm_error_set(r->error, -WM_ENOMEM, "out of memory");
}

static int read_value(struct reading *r, const char *ends)
{
    struct wm_let *let = r->let;
    struct wm_let_piece *grown = realloc(let->values, sizeof *grown * (size_t)(let->value_count + 1));

    if (grown == NULL)
        return wm_error_set(r->error, -WM_ENOMEM, "out of memory");
    let->values = grown;
    let->values[let->value_count] = (struct wm_let_piece){.text = NULL};
    return read_piece(r, &let->values[let->value_count++], ends);
}

static int read_list(struct reading *r)
{
    int rc;

    r->let->is_list = true;
    if (r->let->number == WM_BYTES)
        r->let->number = WM_INT32;
    do
        r->at++;
    while ((rc = read_value(r, ",]")) == 0 && r->at->kind == ',');
    if (rc == 0 && r->at->kind != ']')
        return fault(r, "']' is missing here");
    r->at++;
    return rc;
}

static int read_extents(struct reading *r)
{
    int rc = 0;

    while (r->at->kind == '[' && rc == 0) {
        if (r->let->dimensions == WM_DIMENSIONS)
            return fault(r, "an array has at most three dimensions");
        r->at++;
        rc = read_piece(r, &r->let->extents[r->let->dimensions++], "]");
        if (rc == 0 && r->at->kind != ']')
            return fault(r, "']' is missing here");
        r->at++;
    }
    return rc;
}

static int read(struct reading *r)
{
    struct wm_let *let = r->let;
    int rc;

    if (r->at->kind == WM_TOKEN_NAME && r->at[1].kind == WM_TOKEN_NAME) {
        if ((let->number = type_of(let->text, r->at)) == WM_BYTES)
            return fault(r, "this is no type: int, long, float, double, ..., int8 to uint64 are");
        r->at++;
    }
    if (r->at->kind != WM_TOKEN_NAME || r->at->bytes >= WM_NAME_CHARS || wm_token_is_keyword(let->text, r->at))
        return fault(r, "write a name of the program here, as in 'n=4', 'T=[3,2,1]', 'A[8]' or 'float A[8]'");
    memcpy(let->name, let->text + r->at->place, r->at->bytes);
    r->at++;
    if ((rc = read_extents(r)) < 0)
        return rc;
    if (r->at->kind == '=') {
        r->at++;
        if (r->at->kind == '[')
            rc = read_list(r);
        else if (let->dimensions == 0)
            rc = read_value(r, "");
        else
            return fault(r, "the values of an array stand in brackets, as in 'A[2]=[1,2]'");
    }
    return rc == 0 && r->at->kind != WM_TOKEN_END ? fault(r, "nothing is expected here") : rc;
}

int wm_let_read(struct wm_let *let, const char *text, struct wm_error *error)
{
    struct wm_token *tokens;
    struct reading r = {.let = let, .error = error};
    int rc;

    *let = (struct wm_let){.text = text};
    if ((rc = wm_tokens_read(text, &tokens, error)) < 0) {
        wm_error_place(error, "--let", error->line, error->column);
        return rc;
    }
    r.at = tokens;
    rc = read(&r);
    free(tokens);
    return rc;
}

void wm_let_release(struct wm_let *let)
{
    for (int d = 0; d < let->dimensions; d++)
        free(let->extents[d].text);
    for (int i = 0; i < let->value_count; i++)
        free(let->values[i].text);
    free(let->values);
}
