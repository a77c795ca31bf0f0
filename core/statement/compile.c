/* From a text to a statement: its words, its reductions, and what it depends on. */
#include "core/statement/compile.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/statement/evaluate.h"

const char *wm_operator_text(enum wm_operator combiner)
{
    static const char *const texts[] = {
#define X(name, text) text,
        WM_OPERATORS(X)
#undef X
            "an operator of the program"};

    return texts[combiner];
}

const char *wm_knowledge_name(enum wm_knowledge knowledge)
{
    static const char *const names[] = {
#define X(name, text) text,
        WM_KNOWLEDGES(X)
#undef X
    };

    return names[knowledge];
}

int wm_compile_fault(struct wm_compiler *c, size_t place, const char *format, ...)
{
    char sentence[WM_ERROR_TEXT_CHARS];
    va_list arguments;

    if (c->rc != 0)
        return -1;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    c->rc = wm_statement_fault(c->error, c->s->text, place, "%s", sentence);
    return -1;
}

bool wm_compile_accept(struct wm_compiler *c, int kind)
{
    if (c->rc != 0 || c->at->kind != kind)
        return false;
    c->at++;
    return true;
}

const char *wm_compile_word(const struct wm_compiler *c, const struct wm_token *token, char out[40])
{
    if (token->kind == WM_TOKEN_END)
        return "the end";
    snprintf(out, 40, "'%.*s'", token->bytes < 36 ? (int)token->bytes : 36, c->s->text + token->place);
    return out;
}

bool wm_compile_expect(struct wm_compiler *c, int kind, const char *what)
{
    char word[40];

    if (wm_compile_accept(c, kind))
        return true;
    wm_compile_fault(c, c->at->place, "%s is missing before %s", what, wm_compile_word(c, c->at, word));
    return false;
}

bool wm_token_is(const struct wm_compiler *c, const struct wm_token *token, const char *word)
{
    return token->kind == WM_TOKEN_NAME && token->bytes == strlen(word) &&
           memcmp(c->s->text + token->place, word, token->bytes) == 0;
}

int wm_compile_binding(const struct wm_compiler *c, const struct wm_token *token)
{
    for (int i = 0; i < c->s->binding_count; i++)
        if (wm_token_is(c, token, c->bindings[i].name))
            return i;
    return -1;
}

int wm_compile_variable(const struct wm_compiler *c, const struct wm_token *token)
{
    for (int i = 0; i < c->s->variable_count; i++)
        if (c->s->variables[i].bytes == token->bytes &&
            memcmp(c->s->variables[i].name, c->s->text + token->place, token->bytes) == 0)
            return i;
    return -1;
}

/* A clause behind the name binds it. */
static bool is_bound_later(const struct wm_compiler *c, const struct wm_token *name)
{
    for (const struct wm_token *at = name + 1; at->kind != WM_TOKEN_END; at++)
        if (at->kind == WM_TOKEN_NAME && at->bytes == name->bytes &&
            memcmp(c->s->text + at->place, c->s->text + name->place, name->bytes) == 0 &&
            (at[1].kind == '=' || wm_compile_count_names(c, at) > 0))
            return true;
    return false;
}

int wm_compile_unknown(struct wm_compiler *c, const struct wm_token *token)
{
    const char *names[WM_BINDINGS_MAX + WM_VARIABLES_MAX + 2] = {"me", "ranks"};
    char variables[WM_VARIABLES_MAX][64], name[64];
    size_t count = 2;

    for (int i = 0; i < c->s->binding_count; i++)
        names[count++] = c->bindings[i].name;
    for (int i = 0; i < c->s->variable_count; i++) {
        snprintf(variables[i], sizeof variables[i], "%.*s", (int)c->s->variables[i].bytes, c->s->variables[i].name);
        names[count++] = variables[i];
    }
    snprintf(name, sizeof name, "%.*s", (int)token->bytes, c->s->text + token->place);
    if (is_bound_later(c, token))
        return wm_compile_fault(c, token->place, "'%s' is bound by a later clause: what uses it stands behind that",
                                name);
    /* A name of one letter is near to all others. */
    return wm_compile_fault(c, token->place, "nothing is bound to '%s'%s", name,
                            wm_error_suggest(name, names, token->bytes > 1 ? count : 0, "",
                                             "name it in the call, or bind it in a clause: 'where … in …'")
                                .text);
}

/* ---- reductions ---- */

/* The operator behind the first `<<`. */
static void read_operator(struct wm_compiler *c, struct wm_reduction *r)
{
    char word[40];

    r->place = c->at->place;
    r->combiner = WM_OPERATOR_BOUND;
    r->bound = c->at->kind == WM_TOKEN_NAME ? wm_compile_binding(c, c->at) : -1;
    for (int i = WM_OPERATOR_SUM; r->bound < 0 && i < WM_OPERATOR_BOUND; i++) {
        const char *text = wm_operator_text((enum wm_operator)i);

        if (c->at->bytes == strlen(text) && memcmp(c->s->text + c->at->place, text, c->at->bytes) == 0)
            r->combiner = (enum wm_operator)i;
    }
    if (r->combiner == WM_OPERATOR_BOUND && (r->bound < 0 || c->bindings[r->bound].kind == WM_BOUND_PLACE))
        wm_compile_fault(
            c, r->place,
            "%s is no operator: + * min max & | ^ && || are, and what is bound by WM_OPERATOR; '<<=' stores",
            wm_compile_word(c, c->at, word));
    else
        c->at++;
}

/* The operator takes what is stored, and what is sent as it is stored. */
static void check_operator(struct wm_compiler *c, const struct wm_reduction *r)
{
    const struct wm_term *storage = &c->s->terms[r->storage];
    const struct wm_bound *b = r->bound >= 0 ? &c->bindings[r->bound] : NULL;
    enum wm_number number = (enum wm_number)storage->number;

    if (r->combiner == WM_OPERATOR_STORE)
        return;
    if (number == WM_BYTES) {
        if (b == NULL || b->kind != WM_BOUND_COMBINE)
            wm_compile_fault(c, r->place, "'%s' is a struct: its operator is bound by WM_COMBINE",
                             c->bindings[storage->index].name);
        else if (b->type != c->bindings[storage->index].type || b->element_bytes != r->element_bytes)
            wm_compile_fault(c, r->place,
                             "'%s' combines structs of another type than '%s': bind it by WM_COMBINE with '%s' and "
                             "its datatype",
                             b->name, c->bindings[storage->index].name, c->bindings[storage->index].name);
    } else if (b == NULL) {
        bool bits = r->combiner == WM_OPERATOR_BIT_AND || r->combiner == WM_OPERATOR_BIT_OR ||
                    r->combiner == WM_OPERATOR_BIT_XOR;

        if (bits && (number == WM_FLOAT || number == WM_DOUBLE))
            wm_compile_fault(c, r->place, "the operator %s combines whole numbers, and '%s' is a %s",
                             wm_operator_text(r->combiner), c->bindings[storage->index].name, wm_number_name(number));
    } else {
        wm_compile_check_bound_operator(c, r, b, number);
    }
}

/* What is sent is of a type that can be stored. */
static void check_types(struct wm_compiler *c, const struct wm_reduction *r)
{
    const struct wm_term *storage = &c->s->terms[r->storage], *data = &c->s->terms[r->data];
    const struct wm_bound *to = &c->bindings[storage->index], *from;

    if (storage->number == WM_BYTES || data->number == WM_BYTES) {
        from = data->kind == WM_TERM_PLACE ? &c->bindings[data->index] : NULL;
        if (storage->number != data->number)
            wm_compile_fault(c, data->place, "a %s is sent, and '%s', in which it is stored, is a %s",
                             data->number == WM_BYTES ? "struct" : "number", to->name,
                             data->number == WM_BYTES ? "number" : "struct");
        else if (from->type != to->type || from->element_bytes != to->element_bytes)
            wm_compile_fault(c, data->place, "'%s' and '%s', in which it is stored, are structs of different types",
                             from->name, to->name);
    }
    if ((to->promises & WM_IS_VALUE) != 0)
        wm_compile_fault(c, storage->place, "'%s' is a value, and nothing can be stored into it", to->name);
    if (storage->single && data->kind == WM_TERM_PLACE && !data->single)
        wm_compile_fault(c, data->place, "an array is sent, and '%s', in which it is stored, is one element here",
                         to->name);
    if (!storage->single && (data->kind != WM_TERM_PLACE || data->single))
        wm_compile_fault(c, storage->place, "'%s' is an array here, and what is sent is one value: say which element",
                         to->name);
}

static void read_reduction(struct wm_compiler *c)
{
    struct wm_reduction *r = &c->s->reductions[c->s->reduction_count];

    if (c->s->reduction_count == WM_REDUCTIONS_MAX) {
        wm_compile_fault(c, c->at->place, "a statement has at most %d reductions", WM_REDUCTIONS_MAX);
        return;
    }
    *r = (struct wm_reduction){.bound = -1};
    r->storage = wm_compile_place(c);
    wm_compile_expect(c, '@', "'@' with the rank that receives");
    r->receiver = wm_compile_integer(c, "a rank");
    r->place = c->at->place;
    if (!wm_compile_accept(c, WM_TOKEN_STORE)) {
        if (!wm_compile_expect(c, WM_TOKEN_LEFT, "'<<=' or '<<'"))
            return;
        read_operator(c, r);
        wm_compile_expect(c, WM_TOKEN_LEFT, "'<<' behind the operator");
    }
    r->data = wm_compile_expression(c);
    if (c->rc == 0 && c->at->kind == WM_TOKEN_LEFT)
        wm_compile_fault(c, c->at->place, "what is sent ends before '<<': a shift stands in parentheses here");
    wm_compile_expect(c, '@', "'@' with the rank that sends");
    r->sender = wm_compile_integer(c, "a rank");
    if (c->rc != 0)
        return;
    c->s->reduction_count++;
    r->number = (enum wm_number)c->s->terms[r->storage].number;
    r->element_bytes = wm_binding_element_bytes(&c->bindings[c->s->terms[r->storage].index]);
    check_types(c, r);
    check_operator(c, r);
    r->receiver = wm_compile_position(c, r->receiver);
    r->sender = wm_compile_position(c, r->sender);
}

static void read_reductions(struct wm_compiler *c, const struct wm_token *end)
{
    char word[40];

    do
        read_reduction(c);
    while (c->rc == 0 && c->at != end && (wm_compile_accept(c, ',') || wm_compile_accept(c, ';')));
    if (c->rc == 0 && c->at != end)
        wm_compile_fault(c, c->at->place, "',' and a reduction, 'where' or a hint are expected here, not %s",
                         wm_compile_word(c, c->at, word));
}

/* Where the clauses begin, or the hint, with a comma or without, or the text ends. */
static const struct wm_token *find_clauses(const struct wm_compiler *c)
{
    const struct wm_token *at = c->at;

    while (at->kind != WM_TOKEN_END && !wm_token_is(c, at, "where") && wm_compile_hint(c, at) == WM_KNOWLEDGE_UNSAID)
        at++;
    return wm_compile_hint(c, at) != WM_KNOWLEDGE_UNSAID && at > c->at && at[-1].kind == ',' ? at - 1 : at;
}

static void read_name(struct wm_compiler *c)
{
    if (c->at->kind == WM_TOKEN_NAME && c->at[1].kind == ':') {
        c->s->name = strndup(c->s->text + c->at->place, c->at->bytes);
        c->at += 2;
    } else {
        c->s->name = strdup("");
    }
    if (c->s->name == NULL)
        c->rc = wm_error_set(c->error, -WM_ENOMEM, "out of memory");
}

/* ---- what a statement depends on ---- */

/* On what its indices and slices depend, which may be the place's own binding: A[A[i]]. */
static uint64_t depend_on_place(const struct wm_statement *s, int term)
{
    uint64_t bindings = 0;

    for (int i = 0; s->terms[term].kind == WM_TERM_PLACE && i < WM_OPERANDS; i++)
        if (s->terms[term].operands[i] >= 0)
            bindings |= s->terms[s->terms[term].operands[i]].bindings;
    return bindings;
}

static void find_dependencies(struct wm_statement *s)
{
    for (int i = 0; i < s->clause_count; i++) {
        if (s->clauses[i].from >= 0)
            s->choosing |= s->terms[s->clauses[i].from].bindings;
        if (s->clauses[i].to >= 0)
            s->choosing |= s->terms[s->clauses[i].to].bindings;
    }
    for (int i = 0; i < s->reduction_count; i++) {
        const struct wm_reduction *r = &s->reductions[i];

        s->choosing |= s->terms[r->sender].bindings | s->terms[r->receiver].bindings;
        s->placing |= depend_on_place(s, r->storage);
        s->sizing |= s->placing | depend_on_place(s, r->data);
        s->reading |= s->terms[r->data].bindings;
        s->writing |= UINT64_C(1) << s->terms[r->storage].index;
    }
}

bool wm_term_is_uniform(const struct wm_statement *s, const struct wm_bound bindings[], int term)
{
    if (term < 0)
        return true;
    if (s->terms[term].local)
        return false;
    for (int i = 0; i < s->binding_count; i++)
        if ((s->terms[term].bindings >> i & 1) != 0 && (bindings[i].promises & WM_IS_UNIFORM) == 0)
            return false;
    return true;
}

bool wm_statement_is_global(const struct wm_statement *s, const struct wm_bound bindings[])
{
    for (int i = 0; i < s->clause_count; i++)
        if (!wm_term_is_uniform(s, bindings, s->clauses[i].from) || !wm_term_is_uniform(s, bindings, s->clauses[i].to))
            return false;
    for (int i = 0; i < s->reduction_count; i++)
        if (!wm_term_is_uniform(s, bindings, s->reductions[i].sender) ||
            !wm_term_is_uniform(s, bindings, s->reductions[i].receiver))
            return false;
    return true;
}

/* ---- life ---- */

static void read_statement(struct wm_compiler *c)
{
    const struct wm_token *begin, *clauses;

    read_name(c);
    begin = c->at;
    c->at = clauses = find_clauses(c);
    wm_compile_clauses(c);
    c->at = begin;
    if (c->rc == 0)
        read_reductions(c, clauses);
    if (c->rc == 0)
        find_dependencies(c->s);
}

static void read_lone_expression(struct wm_compiler *c)
{
    char word[40];

    c->shifts = true;
    wm_compile_filter(c);
    if (c->at->kind != WM_TOKEN_END)
        wm_compile_fault(c, c->at->place, "the expression ends before %s", wm_compile_word(c, c->at, word));
}

static int compile(struct wm_statement **statement, const char *text, const struct wm_bound bindings[], int count,
                   void (*read)(struct wm_compiler *c), struct wm_error *error)
{
    struct wm_compiler c = {.bindings = bindings, .error = error, .s = calloc(1, sizeof *c.s)};
    struct wm_token *tokens = NULL;

    *statement = NULL;
    if (c.s == NULL || (c.s->text = strdup(text)) == NULL) {
        c.rc = wm_error_set(error, -WM_ENOMEM, "out of memory");
        goto out;
    }
    c.s->binding_count = count;
    if ((c.rc = wm_tokens_read(c.s->text, &tokens, error)) < 0)
        goto out;
    wm_compile_check_bindings(&c, tokens);
    if (c.rc < 0)
        goto out;
    c.at = tokens;
    read(&c);
out:
    free(tokens);
    if (c.rc < 0)
        wm_statement_free(c.s);
    else
        *statement = c.s;
    return c.rc;
}

int wm_statement_new(struct wm_statement **statement, const char *text, const struct wm_bound bindings[], int count,
                     struct wm_error *error)
{
    return compile(statement, text, bindings, count, read_statement, error);
}

int wm_expression_new(struct wm_statement **expression, const char *text, const struct wm_bound bindings[], int count,
                      struct wm_error *error)
{
    return compile(expression, text, bindings, count, read_lone_expression, error);
}

void wm_statement_free(struct wm_statement *s)
{
    if (s == NULL)
        return;
    free(s->terms);
    free(s->name);
    free(s->text);
    free(s);
}
