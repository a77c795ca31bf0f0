/* Names that are declared by themselves: how a statement uses them. */
#include "tools/statement/names.h"

#include <stdlib.h>
#include <string.h>

/* Where in a reduction: what is stored into, its operator, what is sent; elsewhere names are numbers. */
enum part { STORAGE, OPERATOR, DATA, NUMBERS };

struct reading {
    struct wm_declarations *found;
    const char *text;
    const struct wm_token *tokens, *at;
    const struct wm_token *variables[WM_VARIABLES_MAX];
    int variable_count;
    const struct wm_bound_name *names;
    int name_count;
    int storage; /* the name that is stored into; -1: it is none of those */
    enum part part;
    int depth;    /* of parentheses, brackets and braces */
    int brackets; /* of brackets alone */
    struct wm_error *error;
};

static bool is_word(const struct reading *r, const struct wm_token *token, const char *word)
{
    return token->kind == WM_TOKEN_NAME && token->bytes == strlen(word) &&
           memcmp(r->text + token->place, word, token->bytes) == 0;
}

/* The name that a token is; -1: it is none of those that are given. */
static int find_name(const struct reading *r, const struct wm_token *token)
{
    for (int i = 0; i < r->name_count; i++)
        if (is_word(r, token, r->names[i].name))
            return i;
    return -1;
}

static bool is_given(const struct reading *r, const struct wm_token *token)
{
    if (find_name(r, token) >= 0)
        return true;
    for (int i = 0; i < r->variable_count; i++)
        if (r->variables[i]->bytes == token->bytes &&
            memcmp(r->text + r->variables[i]->place, r->text + token->place, token->bytes) == 0)
            return true;
    return wm_token_is_keyword(r->text, token);
}

static void open_or_close(struct reading *r, int kind)
{
    r->depth += (kind == '(' || kind == '[' || kind == '{') - (kind == ')' || kind == ']' || kind == '}');
    r->brackets += (kind == '[') - (kind == ']');
}

/* How many indices follow a name. */
static int count_dimensions(const struct wm_token *at)
{
    int dimensions = 0, depth = 0;

    for (at++; at->kind != WM_TOKEN_END && (at->kind == '[' || depth > 0); at++) {
        dimensions += at->kind == '[' && depth == 0;
        depth += (at->kind == '[') - (at->kind == ']');
    }
    return dimensions < WM_DIMENSIONS ? dimensions : WM_DIMENSIONS;
}

static void declare(struct reading *r, const struct wm_token *token)
{
    struct wm_declarations *found = r->found;
    int dimensions = count_dimensions(token);

    if (r->part == OPERATOR && (is_word(r, token, "min") || is_word(r, token, "max")))
        return;
    for (int i = 0; i < found->count; i++) {
        struct wm_declaration *d = &found->list[i];

        if (d->bytes != token->bytes || memcmp(d->name, r->text + token->place, d->bytes) != 0)
            continue;
        if (dimensions > d->dimensions)
            d->dimensions = dimensions;
        return;
    }
    if (found->count < WM_BINDINGS_MAX - r->name_count && token->bytes < WM_NAME_CHARS)
        found->list[found->count++] =
            (struct wm_declaration){r->text + token->place, token->bytes, r->part == OPERATOR, dimensions, r->storage};
}

/* No name is expected behind a name, a number or a closing parenthesis: what is wrong there the compiler says. */
static bool follows_operand(const struct reading *r)
{
    const struct wm_token *before = r->at - 1;

    if (r->at == r->tokens)
        return false;
    return before->kind == WM_TOKEN_NUMBER || before->kind == ')' || before->kind == ']' || before->kind == '}' ||
           (before->kind == WM_TOKEN_NAME && !is_word(r, before, "in") && !is_word(r, before, "where"));
}

static int read_name(struct reading *r)
{
    const struct wm_token *token = r->at;
    int bytes = (int)token->bytes;
    const char *name = r->text + token->place;

    if (r->part == STORAGE && r->brackets == 0)
        r->storage = find_name(r, token);
    if (is_given(r, token) || follows_operand(r))
        return 0;
    if (token[1].kind == '(')
        return wm_statement_fault(r->error, r->text, token->place,
                                  "'%.*s' is a function of the program, which is not here: let an array stand for it, "
                                  "'%.*s[…]' with --let '%.*s=[…]'",
                                  bytes, name, bytes, name, bytes, name);
    if (r->part != NUMBERS && r->brackets == 0) {
        declare(r, token);
        return 0;
    }
    if (token[1].kind == '[')
        return wm_statement_fault(r->error, r->text, token->place,
                                  "the values of '%.*s' are not known: give them by --let '%.*s=[…]'", bytes, name,
                                  bytes, name);
    return wm_statement_fault(r->error, r->text, token->place,
                              "the value of '%.*s' is not known: give it by --let %.*s=…", bytes, name, bytes, name);
}

/* What comes behind a sign that is not in brackets. */
static void step(struct reading *r)
{
    int kind = r->at->kind;

    if (kind == '@')
        r->part = NUMBERS;
    else if (kind == ',' || kind == ';')
        r->part = STORAGE;
    else if (kind == WM_TOKEN_STORE)
        r->part = DATA;
    else if (kind == WM_TOKEN_LEFT)
        r->part = r->part == NUMBERS ? OPERATOR : DATA;
}

static int read_reductions(struct reading *r, const struct wm_token *end)
{
    int rc = 0;

    for (; rc == 0 && r->at != end; r->at++) {
        if (r->at->kind == WM_TOKEN_NAME)
            rc = read_name(r);
        else if (r->depth == 0)
            step(r);
        open_or_close(r, r->at->kind);
    }
    return rc;
}

static int read_clauses(struct reading *r)
{
    int rc = 0;

    for (r->part = NUMBERS; rc == 0 && r->at->kind != WM_TOKEN_END && r->at->kind != ';'; r->at++)
        if (r->at->kind == WM_TOKEN_NAME)
            rc = read_name(r);
    return rc;
}

/* "i, j in": how many names; 0: no generator begins here. */
static int count_names(const struct reading *r, const struct wm_token *at)
{
    for (int names = 1; at->kind == WM_TOKEN_NAME; at += 2, names++) {
        if (is_word(r, at + 1, "in"))
            return names;
        if (at[1].kind != ',')
            return 0;
    }
    return 0;
}

static const struct wm_token *next_clause(const struct wm_token *at)
{
    int depth = 0;

    for (; at->kind != WM_TOKEN_END; at++) {
        if (depth == 0 && at->kind == ',')
            return at + 1;
        depth += (at->kind == '(' || at->kind == '[' || at->kind == '{') -
                 (at->kind == ')' || at->kind == ']' || at->kind == '}');
    }
    return at;
}

/* The variables that the clauses bind; `at`: the first clause. */
static void find_variables(struct reading *r, const struct wm_token *at)
{
    while (at->kind != WM_TOKEN_END) {
        int names = count_names(r, at), bound = names > 0 ? names : at->kind == WM_TOKEN_NAME && at[1].kind == '=';

        for (int i = 0; i < bound && r->variable_count < WM_VARIABLES_MAX; i++)
            r->variables[r->variable_count++] = &at[2 * i];
        at = next_clause(at + 2 * names);
    }
}

int wm_declarations_find(struct wm_declarations *found, const char *text, const struct wm_bound_name names[], int count,
                         struct wm_error *error)
{
    struct reading r = {.found = found, .text = text, .names = names, .name_count = count, .error = error};
    struct wm_token *tokens;
    const struct wm_token *clauses;
    int rc = wm_tokens_read(text, &tokens, error);

    found->count = 0;
    if (rc < 0)
        return rc;
    r.tokens = r.at = clauses = tokens;
    while (clauses->kind != WM_TOKEN_END && !is_word(&r, clauses, "where"))
        clauses++;
    if (clauses->kind != WM_TOKEN_END)
        find_variables(&r, clauses + 1);
    if (r.at->kind == WM_TOKEN_NAME && r.at[1].kind == ':')
        r.at += 2;
    if ((rc = read_reductions(&r, clauses)) == 0)
        rc = read_clauses(&r);
    free(tokens);
    return rc;
}
