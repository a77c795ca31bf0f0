/* The clauses of a statement, and its hint. */
#include "core/statement/compile.h"

int wm_compile_count_names(const struct wm_compiler *c, const struct wm_token *at)
{
    for (int names = 1; at->kind == WM_TOKEN_NAME; at += 2, names++) {
        if (wm_token_is(c, at + 1, "in"))
            return names;
        if (at[1].kind != ',')
            return 0;
    }
    return 0;
}

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

void wm_compile_filter(struct wm_compiler *c)
{
    const struct wm_token *first = c->at;
    struct wm_clause filter = {.kind = WM_CLAUSE_FILTER, .variable = -1, .from = wm_compile_number(c), .to = -1};

    clause_add(c, first, filter);
}

static void read_clause(struct wm_compiler *c)
{
    int names = wm_compile_count_names(c, c->at);

    if (c->at->kind == WM_TOKEN_END)
        wm_compile_fault(c, c->at->place, "a clause is missing before the end: 'i in S', 'x = e' or a condition");
    else if (names > 0)
        read_generators(c, names);
    else if (c->at->kind == WM_TOKEN_NAME && c->at[1].kind == '=')
        read_value(c);
    else
        wm_compile_filter(c);
}

enum wm_knowledge wm_compile_hint(const struct wm_compiler *c, const struct wm_token *token)
{
    for (int k = WM_KNOWLEDGE_GLOBAL; k <= WM_KNOWLEDGE_RECEIVER; k++)
        if (wm_token_is(c, token, wm_knowledge_name((enum wm_knowledge)k)))
            return (enum wm_knowledge)k;
    return WM_KNOWLEDGE_UNSAID;
}

static void read_hint(struct wm_compiler *c)
{
    char word[40];

    c->s->hint = wm_compile_hint(c, c->at);
    if (c->s->hint != WM_KNOWLEDGE_UNSAID)
        c->at++;
    if (c->at->kind != WM_TOKEN_END)
        wm_compile_fault(c, c->at->place,
                         c->s->hint != WM_KNOWLEDGE_UNSAID ? "%s stands behind the hint, which ends a statement"
                                                           : "',' and a clause, or a hint, are expected here, not %s",
                         wm_compile_word(c, c->at, word));
}

void wm_compile_clauses(struct wm_compiler *c)
{
    if (wm_token_is(c, c->at, "where")) {
        c->at++;
        c->shifts = true;
        do
            read_clause(c);
        while (c->rc == 0 && wm_compile_accept(c, ',') && wm_compile_hint(c, c->at) == WM_KNOWLEDGE_UNSAID);
        c->shifts = false;
    } else {
        wm_compile_accept(c, ',');
    }
    if (c->rc == 0)
        read_hint(c);
}
