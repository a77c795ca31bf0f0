/* From a text to a statement: its reductions, clauses and hint. */
#include "core/statement/compile.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/hash.h"
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

/* How many names stand before `in`; 0: this is no generator. */
static int count_names(const struct wm_compiler *c, const struct wm_token *at)
{
    for (int names = 1; at->kind == WM_TOKEN_NAME; at += 2, names++) {
        if (wm_token_is(c, at + 1, "in"))
            return names;
        if (at[1].kind != ',')
            return 0;
    }
    return 0;
}

/* A clause behind the name binds it. */
static bool is_bound_later(const struct wm_compiler *c, const struct wm_token *name)
{
    for (const struct wm_token *at = name + 1; at->kind != WM_TOKEN_END; at++)
        if (at->kind == WM_TOKEN_NAME && at->bytes == name->bytes &&
            memcmp(c->s->text + at->place, c->s->text + name->place, name->bytes) == 0 &&
            (at[1].kind == '=' || count_names(c, at) > 0))
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

/* ---- bindings ---- */

static const char *refusal(const struct wm_bound *b)
{
    switch ((enum wm_bound_kind)b->kind) {
    case WM_BOUND_POINTER:
        return "is a pointer: say how far it reaches by WM_SPAN, its elements behind it";
    case WM_BOUND_UNKNOWN:
        return "is neither a number nor an array of numbers: bind a struct by WM_TYPED, an array of two or three "
               "dimensions by WM_GRID, a function by WM_FUNCTION";
    case WM_BOUND_FUNCTION:
        return b->signature == WM_SIGNATURE_OTHER ? "is a function whose arguments or result are of a type that a "
                                                    "statement cannot call (docs/communicate.md lists them)"
                                                  : NULL;
    case WM_BOUND_PLACE:
        return b->number == WM_BYTES && b->element_bytes == 0 ? "is a struct of no bytes" : NULL;
    case WM_BOUND_COMBINE:
        return b->element_bytes == 0 ? "is an operator of structs of no bytes" : NULL;
    }
    return "is bound to nothing";
}

/* A text can write it. */
static bool is_name(const char *name)
{
    size_t bytes = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

    return bytes > 0 && name[bytes] == '\0' && (name[0] < '0' || name[0] > '9');
}

static void check_binding(struct wm_compiler *c, const struct wm_token *tokens, int i)
{
    const char *name = c->bindings[i].name, *wrong = refusal(&c->bindings[i]);
    size_t place = 0;

    for (const struct wm_token *at = tokens; at->kind != WM_TOKEN_END; at++)
        if (wm_token_is(c, at, name)) {
            place = at->place;
            if (wm_token_is_keyword(c->s->text, at))
                wrong = "has a meaning of its own: the program binds it under another name";
            break;
        }
    if (!is_name(name))
        wrong = "is no name that a text can use: give it to a variable, and bind that";
    for (int j = 0; j < i; j++)
        if (strcmp(name, c->bindings[j].name) == 0)
            wrong = "is bound twice by the program";
    if (wrong != NULL)
        wm_compile_fault(c, place, "'%s' %s", name, wrong);
}

static void check_bindings(struct wm_compiler *c, const struct wm_token *tokens)
{
    if (c->s->binding_count > WM_BINDINGS_MAX)
        wm_compile_fault(c, 0, "a statement has at most %d bindings, and the program gives %d", WM_BINDINGS_MAX,
                         c->s->binding_count);
    for (int i = 0; i < c->s->binding_count && c->rc == 0; i++)
        check_binding(c, tokens, i);
}

/* The first binding of a type, which tells at all ranks alike what is of one type. */
static int first_of_type(const struct wm_bound bindings[], const void *type)
{
    int i = 0;

    while (bindings[i].type != type)
        i++;
    return i;
}

uint64_t wm_bindings_hash(const struct wm_bound bindings[], int count)
{
    uint64_t hash = wm_hash_add(WM_HASH_BEGIN, (uint64_t)count);

    for (int i = 0; i < count; i++) {
        const struct wm_bound *b = &bindings[i];

        hash = wm_hash_add_text(hash, b->name);
        hash = wm_hash_add(hash, (uint64_t)b->kind << 32 | (uint64_t)b->number << 24 | (uint64_t)b->promises << 16 |
                                     (uint64_t)b->dimensions << 8 | b->signature);
        hash = wm_hash_add(hash, b->number == WM_BYTES ? b->element_bytes : 0);
        hash = wm_hash_add(hash, (uint64_t)first_of_type(bindings, b->type));
    }
    return hash;
}

/* ---- clauses ---- */

static void clause_add(struct wm_compiler *c, const struct wm_token *at, struct wm_clause clause)
{
    if (c->s->clause_count == WM_CLAUSES_MAX)
        wm_compile_fault(c, at->place, "a statement has at most %d clauses", WM_CLAUSES_MAX);
    if (c->rc == 0)
        c->s->clauses[c->s->clause_count++] = clause;
}

/* Bind a new variable. -1: the name is taken. */
static int bind_variable(struct wm_compiler *c, const struct wm_token *name, enum wm_number number)
{
    struct wm_statement *s = c->s;
    char word[40];

    wm_compile_word(c, name, word);
    if (wm_token_is_keyword(c->s->text, name))
        return wm_compile_fault(c, name->place, "%s has a meaning of its own: it cannot be a variable", word);
    if (wm_compile_variable(c, name) >= 0)
        return wm_compile_fault(c, name->place, "%s is bound by an earlier clause", word);
    if (wm_compile_binding(c, name) >= 0)
        return wm_compile_fault(c, name->place, "%s is bound by the program: a variable needs another name", word);
    if (s->variable_count == WM_VARIABLES_MAX)
        return wm_compile_fault(c, name->place, "a statement has at most %d variables", WM_VARIABLES_MAX);
    s->variables[s->variable_count] =
        (struct wm_variable){.name = s->text + name->place, .bytes = name->bytes, .number = number};
    return s->variable_count++;
}

/* "{from ... to}", behind the brace. */
static enum wm_number read_range(struct wm_compiler *c, struct wm_clause *set)
{
    enum wm_number number;

    set->kind = WM_CLAUSE_RANGE;
    set->from = wm_compile_integer(c, "a bound of a range");
    wm_compile_expect(c, WM_TOKEN_ELLIPSIS, "'...' of a range");
    set->to = wm_compile_integer(c, "a bound of a range");
    if (!wm_compile_expect(c, '}', "'}'"))
        return WM_INT32;
    number = c->s->terms[set->from].number == WM_INT32 && c->s->terms[set->to].number == WM_INT32 ? WM_INT32 : WM_INT64;
    set->from = wm_compile_position(c, set->from);
    set->to = wm_compile_position(c, set->to);
    return number;
}

/* The elements of an array. */
static enum wm_number read_array(struct wm_compiler *c, struct wm_clause *set)
{
    const struct wm_token *token = c->at;
    const struct wm_term *array;
    int binding = wm_compile_binding(c, token);
    bool fits = wm_compile_variable(c, token) < 0 && (binding < 0 || c->bindings[binding].kind == WM_BOUND_PLACE);
    char word[40];

    set->kind = WM_CLAUSE_ARRAY;
    if (fits && (set->from = wm_compile_place(c)) < 0)
        return WM_INT32;
    array = fits ? &c->s->terms[set->from] : NULL;
    if (array == NULL || array->single || array->number == WM_BYTES) {
        wm_compile_fault(c, token->place, "%s is no set%s: 'world', '{a ... b}' and arrays of numbers are",
                         wm_compile_word(c, token, word), array != NULL && array->single ? ", but one value" : "");
        return WM_INT32;
    }
    return wm_number_bytes(array->number) < sizeof(int) ? WM_INT32 : (enum wm_number)array->number;
}

/* A set, behind `in`. Returns the type of its members. */
static enum wm_number read_set(struct wm_compiler *c, struct wm_clause *set)
{
    const struct wm_token *token = c->at;
    char word[40];

    if (wm_token_is(c, token, "world")) {
        c->at++;
        set->kind = WM_CLAUSE_WORLD;
        return WM_INT32;
    }
    if (wm_compile_accept(c, '{'))
        return read_range(c, set);
    if (token->kind == WM_TOKEN_NAME && !wm_token_is_keyword(c->s->text, token))
        return read_array(c, set);
    wm_compile_fault(c, token->place, "a set is missing before %s: 'world', '{a ... b}' or an array",
                     wm_compile_word(c, token, word));
    return WM_INT32;
}

/* "i, j in S". */
static void read_generators(struct wm_compiler *c, int names)
{
    const struct wm_token *first = c->at;
    struct wm_clause set = {.variable = -1, .from = -1, .to = -1};
    enum wm_number number;

    c->at += 2 * names;
    number = read_set(c, &set);
    for (int i = 0; i < names && c->rc == 0; i++) {
        set.variable = bind_variable(c, &first[2 * i], number);
        clause_add(c, &first[2 * i], set);
    }
}

/* "x = e". */
static void read_value(struct wm_compiler *c)
{
    const struct wm_token *name = c->at;
    struct wm_clause value = {.kind = WM_CLAUSE_VALUE, .to = -1};

    c->at += 2;
    if ((value.from = wm_compile_number(c)) < 0)
        return;
    value.variable = bind_variable(c, name, (enum wm_number)c->s->terms[value.from].number);
    clause_add(c, name, value);
}

static void read_filter(struct wm_compiler *c)
{
    const struct wm_token *first = c->at;
    struct wm_clause filter = {.kind = WM_CLAUSE_FILTER, .variable = -1, .from = wm_compile_number(c), .to = -1};

    clause_add(c, first, filter);
}

static void read_clause(struct wm_compiler *c)
{
    int names = count_names(c, c->at);

    if (c->at->kind == WM_TOKEN_END)
        wm_compile_fault(c, c->at->place, "a clause is missing before the end: 'i in S', 'x = e' or a condition");
    else if (names > 0)
        read_generators(c, names);
    else if (c->at->kind == WM_TOKEN_NAME && c->at[1].kind == '=')
        read_value(c);
    else
        read_filter(c);
}

static enum wm_knowledge hint_of(const struct wm_compiler *c, const struct wm_token *token)
{
    for (int k = WM_KNOWLEDGE_GLOBAL; k <= WM_KNOWLEDGE_RECEIVER; k++)
        if (wm_token_is(c, token, wm_knowledge_name((enum wm_knowledge)k)))
            return (enum wm_knowledge)k;
    return WM_KNOWLEDGE_UNSAID;
}

static void read_hint(struct wm_compiler *c)
{
    char word[40];

    c->s->hint = hint_of(c, c->at);
    if (c->s->hint != WM_KNOWLEDGE_UNSAID)
        c->at++;
    if (c->at->kind != WM_TOKEN_END)
        wm_compile_fault(c, c->at->place,
                         c->s->hint != WM_KNOWLEDGE_UNSAID ? "%s stands behind the hint, which ends a statement"
                                                           : "',' and a clause, or a hint, are expected here, not %s",
                         wm_compile_word(c, c->at, word));
}

/* Clauses stand behind the reductions, and bind what those use: they are read first. */
static void read_clauses(struct wm_compiler *c)
{
    if (wm_token_is(c, c->at, "where")) {
        c->at++;
        c->shifts = true;
        do
            read_clause(c);
        while (c->rc == 0 && wm_compile_accept(c, ',') && hint_of(c, c->at) == WM_KNOWLEDGE_UNSAID);
        c->shifts = false;
    } else {
        wm_compile_accept(c, ',');
    }
    if (c->rc == 0)
        read_hint(c);
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

    while (at->kind != WM_TOKEN_END && !wm_token_is(c, at, "where") && hint_of(c, at) == WM_KNOWLEDGE_UNSAID)
        at++;
    return hint_of(c, at) != WM_KNOWLEDGE_UNSAID && at > c->at && at[-1].kind == ',' ? at - 1 : at;
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
static void depend_on_place(struct wm_statement *s, int term)
{
    for (int i = 0; s->terms[term].kind == WM_TERM_PLACE && i < WM_OPERANDS; i++)
        if (s->terms[term].operands[i] >= 0)
            s->sizing |= s->terms[s->terms[term].operands[i]].bindings;
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
        depend_on_place(s, r->storage);
        depend_on_place(s, r->data);
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
    read_clauses(c);
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
    read_filter(c);
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
    check_bindings(&c, tokens);
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
