/* Expressions of a statement: C's grammar and types, over bindings and variables. */
#include "core/statement/compile.h"

#include <stdlib.h>

static struct wm_term *term_of(struct wm_compiler *c, int term)
{
    return &c->s->terms[term];
}

/* Add a term of `kind`; what its operands depend on it depends on. */
static int term_new(struct wm_compiler *c, enum wm_term_kind kind, size_t place, enum wm_number number)
{
    struct wm_statement *s = c->s;

    if (c->rc != 0)
        return -1;
    /* A sum of many terms is as deep a tree, which is evaluated by recursion. */
    if (s->term_count == WM_TERMS_MAX)
        return wm_compile_fault(c, place, "a statement has at most %d terms: names, numbers, operators and conversions",
                                WM_TERMS_MAX);
    if (s->term_count == c->term_capacity) {
        int capacity = c->term_capacity > 0 ? 2 * c->term_capacity : 32;
        struct wm_term *terms = realloc(s->terms, sizeof *terms * (size_t)capacity);

        if (terms == NULL) {
            c->rc = wm_error_set(c->error, -WM_ENOMEM, "out of memory");
            return -1;
        }
        s->terms = terms;
        c->term_capacity = capacity;
    }
    s->terms[s->term_count] =
        (struct wm_term){.kind = (unsigned char)kind, .place = place, .number = (unsigned char)number};
    for (int i = 0; i < WM_OPERANDS; i++)
        s->terms[s->term_count].operands[i] = -1;
    return s->term_count++;
}

static void take_operand(struct wm_compiler *c, int term, int i, int operand)
{
    struct wm_term *n, *o;

    if (term < 0 || operand < 0)
        return;
    n = term_of(c, term);
    o = term_of(c, operand);
    n->operands[i] = operand;
    n->variables |= o->variables;
    n->bindings |= o->bindings;
    n->local |= o->local;
}

static bool is_floating(enum wm_number number)
{
    return number == WM_FLOAT || number == WM_DOUBLE;
}

/* C 6.3.1.1: what is smaller than int becomes int. */
static enum wm_number promoted(enum wm_number number)
{
    return wm_number_bytes(number) < sizeof(int) ? WM_INT32 : number;
}

/* C 6.3.1.8, the usual arithmetic conversions, on a machine with 32-bit int and 64-bit long. */
static enum wm_number common(enum wm_number a, enum wm_number b)
{
    static const enum wm_number ranks[] = {WM_DOUBLE, WM_FLOAT, WM_UINT64, WM_INT64, WM_UINT32};

    for (size_t i = 0; i < sizeof ranks / sizeof ranks[0]; i++)
        if (promoted(a) == ranks[i] || promoted(b) == ranks[i])
            return ranks[i];
    return WM_INT32;
}

int wm_compile_convert(struct wm_compiler *c, int term, enum wm_number number)
{
    int converted;

    if (term < 0 || term_of(c, term)->number == number)
        return term;
    converted = term_new(c, WM_TERM_CONVERT, term_of(c, term)->place, number);
    take_operand(c, converted, 0, term);
    return converted;
}

int wm_compile_position(struct wm_compiler *c, int term)
{
    int converted = wm_compile_convert(c, term, WM_INT64);

    if (converted >= 0 && converted != term)
        term_of(c, converted)->exact = true;
    return converted;
}

/* It is a number, not an array or a struct. */
static int check_number(struct wm_compiler *c, int term)
{
    const struct wm_term *n;

    if (c->rc != 0 || term < 0)
        return -1;
    n = term_of(c, term);
    if (n->kind != WM_TERM_PLACE)
        return term;
    if (!n->single)
        return wm_compile_fault(c, n->place, "'%s' is an array here: say which element is meant",
                                c->bindings[n->index].name);
    if (n->number == WM_BYTES)
        return wm_compile_fault(c, n->place, "'%s' is a struct: it can be sent whole, but not reckoned with",
                                c->bindings[n->index].name);
    return term;
}

static int check_integer(struct wm_compiler *c, int term, const char *what)
{
    if ((term = check_number(c, term)) >= 0 && is_floating(term_of(c, term)->number))
        return wm_compile_fault(c, term_of(c, term)->place, "%s is a whole number, not a %s", what,
                                wm_number_name(term_of(c, term)->number));
    return term;
}

int wm_compile_number(struct wm_compiler *c)
{
    return check_number(c, wm_compile_expression(c));
}

int wm_compile_integer(struct wm_compiler *c, const char *what)
{
    return check_integer(c, wm_compile_expression(c), what);
}

/* Within parentheses, brackets and braces `<<` shifts. */
static int enclosed(struct wm_compiler *c, int (*read)(struct wm_compiler *c))
{
    bool shifts = c->shifts;
    int term;

    c->shifts = true;
    term = read(c);
    c->shifts = shifts;
    return term;
}

static int read_index(struct wm_compiler *c)
{
    int term = wm_compile_integer(c, "an index");

    return term >= 0 && term_of(c, term)->number == WM_UINT64 ? wm_compile_position(c, term) : term;
}

/* "[i]" or "[from ... to]", behind the bracket. */
static void read_dimension(struct wm_compiler *c, int term, int dimension)
{
    take_operand(c, term, 2 * dimension, enclosed(c, read_index));
    if (wm_compile_accept(c, WM_TOKEN_ELLIPSIS))
        take_operand(c, term, 2 * dimension + 1, enclosed(c, read_index));
    wm_compile_expect(c, ']', "']'");
}

/* A place is one element if all its dimensions have an index. */
static bool is_single(const struct wm_term *n, int dimensions)
{
    for (int d = 0; d < dimensions; d++)
        if (n->operands[2 * d] < 0 || n->operands[2 * d + 1] >= 0)
            return false;
    return true;
}

static int read_bound_place(struct wm_compiler *c, int binding)
{
    const struct wm_bound *b = &c->bindings[binding];
    int term = term_new(c, WM_TERM_PLACE, c->at->place, b->number), dimension = 0;

    c->at++;
    for (; term >= 0 && c->at->kind == '['; dimension++) {
        if (b->dimensions == 0)
            return wm_compile_fault(c, c->at->place, "'%s' is one value, not an array", b->name);
        if (dimension == b->dimensions)
            return wm_compile_fault(c, c->at->place, "'%s' has %d dimension%s, and no more", b->name, b->dimensions,
                                    b->dimensions == 1 ? "" : "s");
        c->at++;
        read_dimension(c, term, dimension);
        if (c->rc != 0)
            return -1;
    }
    if (term >= 0) {
        term_of(c, term)->index = binding;
        term_of(c, term)->bindings |= UINT64_C(1) << binding;
        term_of(c, term)->single = is_single(term_of(c, term), b->dimensions);
    }
    return term;
}

int wm_compile_place(struct wm_compiler *c)
{
    const struct wm_token *name = c->at;
    int binding;
    char word[40];

    if (name->kind != WM_TOKEN_NAME || wm_token_is_keyword(c->s->text, name))
        return wm_compile_fault(c, name->place, "the name of what is stored into is missing before %s",
                                wm_compile_word(c, name, word));
    if (wm_compile_variable(c, name) >= 0)
        return wm_compile_fault(c, name->place, "%s is a variable of the clauses: nothing can be stored into it",
                                wm_compile_word(c, name, word));
    if ((binding = wm_compile_binding(c, name)) < 0)
        return wm_compile_unknown(c, name);
    if (c->bindings[binding].kind != WM_BOUND_PLACE)
        return wm_compile_fault(c, name->place, "'%s' is a function: nothing can be stored into it",
                                c->bindings[binding].name);
    return read_bound_place(c, binding);
}

static const struct {
    enum wm_number result, argument;
    int count;
} signatures[] = {
#define X(name, result, argument, count, type, parameters, arguments) {WM_##result, WM_##argument, count},
    WM_SIGNATURES(X)
#undef X
};

void wm_compile_check_bound_operator(struct wm_compiler *c, const struct wm_reduction *r, const struct wm_bound *b,
                                     enum wm_number number)
{
    if (b->kind == WM_BOUND_COMBINE)
        wm_compile_fault(c, r->place, "'%s' combines structs, and '%s' is of the type %s", b->name,
                         c->bindings[term_of(c, r->storage)->index].name, wm_number_name(number));
    else if (signatures[b->signature].count != 2 || signatures[b->signature].argument != number ||
             signatures[b->signature].result != number)
        wm_compile_fault(c, r->place, "'%s' is no operator for '%s': it has to take two of the type %s, and give one",
                         b->name, c->bindings[term_of(c, r->storage)->index].name, wm_number_name(number));
}

static int read_call(struct wm_compiler *c, int binding)
{
    const struct wm_bound *b = &c->bindings[binding];
    size_t place = c->at->place;
    int term, wanted, given = 0;

    if (b->kind == WM_BOUND_COMBINE)
        return wm_compile_fault(c, place, "'%s' is an operator of structs: it cannot be called in an expression",
                                b->name);
    wanted = signatures[b->signature].count;
    term = term_new(c, WM_TERM_CALL, place, signatures[b->signature].result);
    c->at++;
    if (!wm_compile_expect(c, '(', "'(' with the arguments of a function"))
        return -1;
    for (bool more = c->at->kind != ')'; c->rc == 0 && more; more = wm_compile_accept(c, ',')) {
        int argument = enclosed(c, wm_compile_number);

        if (given == wanted)
            return wm_compile_fault(c, place, "'%s' has %d argument%s, and more are given", b->name, wanted,
                                    wanted == 1 ? "" : "s");
        take_operand(c, term, given++, wm_compile_convert(c, argument, signatures[b->signature].argument));
    }
    if (!wm_compile_expect(c, ')', "')'"))
        return -1;
    if (given < wanted)
        return wm_compile_fault(c, place, "'%s' has %d argument%s, and %d %s given", b->name, wanted,
                                wanted == 1 ? "" : "s", given, given == 1 ? "is" : "are");
    term_of(c, term)->index = binding;
    term_of(c, term)->bindings |= UINT64_C(1) << binding;
    return term;
}

/* A name that is not bound: `me`, `ranks`. */
static int read_own_name(struct wm_compiler *c)
{
    bool me = wm_token_is(c, c->at, "me");
    int term;
    char word[40];

    if (wm_token_is(c, c->at, "world"))
        return wm_compile_fault(c, c->at->place, "'world' is a set: it stands behind 'in', as in 'where i in world'");
    if (!me && !wm_token_is(c, c->at, "ranks"))
        return wm_token_is_keyword(c->s->text, c->at)
                   ? wm_compile_fault(c, c->at->place, "an expression is missing before %s",
                                      wm_compile_word(c, c->at, word))
               : c->at[1].kind == '('
                   ? wm_compile_fault(c, c->at->place, "no function %s is bound: bind it by WM_FUNCTION",
                                      wm_compile_word(c, c->at, word))
                   : wm_compile_unknown(c, c->at);
    term = term_new(c, me ? WM_TERM_ME : WM_TERM_RANKS, c->at->place, WM_INT32);
    c->at++;
    if (term >= 0)
        term_of(c, term)->local = me;
    return term;
}

static int read_name(struct wm_compiler *c)
{
    int variable = wm_compile_variable(c, c->at), binding = wm_compile_binding(c, c->at), term;

    if (variable >= 0) {
        term = term_new(c, WM_TERM_VARIABLE, c->at->place, c->s->variables[variable].number);
        c->at++;
        if (term >= 0) {
            term_of(c, term)->index = variable;
            term_of(c, term)->variables = UINT32_C(1) << variable;
        }
        return term;
    }
    if (binding < 0)
        return read_own_name(c);
    return c->bindings[binding].kind == WM_BOUND_PLACE ? read_bound_place(c, binding) : read_call(c, binding);
}

static int read_primary(struct wm_compiler *c)
{
    const struct wm_token *token = c->at;
    int term;
    char word[40];

    if (token->kind == WM_TOKEN_NAME)
        return read_name(c);
    if (token->kind == WM_TOKEN_NUMBER) {
        c->at++;
        if ((term = term_new(c, WM_TERM_CONSTANT, token->place, token->number)) >= 0)
            term_of(c, term)->value = token->value;
        return term;
    }
    if (!wm_compile_accept(c, '('))
        return wm_compile_fault(c, token->place, "an expression is missing before %s", wm_compile_word(c, token, word));
    term = enclosed(c, wm_compile_expression);
    return wm_compile_expect(c, ')', "')'") ? term : -1;
}

static int read_unary(struct wm_compiler *c)
{
    const struct wm_token *sign = c->at;
    int operand, term;

    if (sign->kind != '-' && sign->kind != '+' && sign->kind != '!' && sign->kind != '~')
        return read_primary(c);
    if (++c->nesting > WM_NESTING_MAX)
        return wm_compile_fault(c, sign->place, "this is nested deeper than %d", WM_NESTING_MAX);
    c->at++;
    operand = check_number(c, read_unary(c));
    c->nesting--;
    if (sign->kind == '~')
        operand = check_integer(c, operand, "what '~' inverts");
    if (operand < 0)
        return -1;
    if (sign->kind != '!')
        operand = wm_compile_convert(c, operand, promoted(term_of(c, operand)->number));
    term = operand < 0
               ? -1
               : term_new(c, WM_TERM_UNARY, sign->place, sign->kind == '!' ? WM_INT32 : term_of(c, operand)->number);
    if (term >= 0)
        term_of(c, term)->operation = sign->kind;
    take_operand(c, term, 0, operand);
    return term;
}

/* How C's operators bind, and what they want: numbers of one type, whole numbers of one type, whole numbers each of its
 * own (shifts), truths; the result is of that type, or an int. */
enum operand_kind { ALIKE, ALIKE_INTEGERS, INTEGERS, COMPARED, TRUTHS };

static const struct {
    int kind, strength;
    enum operand_kind operands;
    const char *what;
} operators[] = {
    {WM_TOKEN_OR, 1, TRUTHS, "||"},
    {WM_TOKEN_AND, 2, TRUTHS, "&&"},
    {'|', 3, ALIKE_INTEGERS, "what '|' joins"},
    {'^', 4, ALIKE_INTEGERS, "what '^' joins"},
    {'&', 5, ALIKE_INTEGERS, "what '&' joins"},
    {WM_TOKEN_EQUAL, 6, COMPARED, "=="},
    {WM_TOKEN_UNEQUAL, 6, COMPARED, "!="},
    {'<', 7, COMPARED, "<"},
    {'>', 7, COMPARED, ">"},
    {WM_TOKEN_LESS_EQUAL, 7, COMPARED, "<="},
    {WM_TOKEN_GREATER_EQUAL, 7, COMPARED, ">="},
    {WM_TOKEN_LEFT, 8, INTEGERS, "what '<<' shifts"},
    {WM_TOKEN_RIGHT, 8, INTEGERS, "what '>>' shifts"},
    {'+', 9, ALIKE, "+"},
    {'-', 9, ALIKE, "-"},
    {'*', 10, ALIKE, "*"},
    {'/', 10, ALIKE, "/"},
    {'%', 10, ALIKE_INTEGERS, "what '%' divides"},
};

/* The operator's row; -1: the word is none, or `<<` where a reduction's is meant. */
static int find_operator(const struct wm_compiler *c)
{
    if (c->at->kind == WM_TOKEN_LEFT && !c->shifts)
        return -1;
    for (int i = 0; i < (int)(sizeof operators / sizeof operators[0]); i++)
        if (operators[i].kind == c->at->kind)
            return i;
    return -1;
}

static int join(struct wm_compiler *c, int row, size_t place, int left, int right)
{
    enum operand_kind want = operators[row].operands;
    bool integers = want == ALIKE_INTEGERS || want == INTEGERS;
    enum wm_number number;
    int term;

    left = integers ? check_integer(c, left, operators[row].what) : check_number(c, left);
    right = integers ? check_integer(c, right, operators[row].what) : check_number(c, right);
    if (left < 0 || right < 0)
        return -1;
    number = promoted(term_of(c, left)->number);
    if (want == ALIKE || want == ALIKE_INTEGERS || want == COMPARED)
        number = common(number, term_of(c, right)->number);
    if (want != TRUTHS) {
        left = wm_compile_convert(c, left, number);
        right = wm_compile_convert(c, right, want == INTEGERS ? WM_INT64 : number);
    }
    term = term_new(c, WM_TERM_BINARY, place, want == COMPARED || want == TRUTHS ? WM_INT32 : number);
    if (term >= 0)
        term_of(c, term)->operation = operators[row].kind;
    take_operand(c, term, 0, left);
    take_operand(c, term, 1, right);
    return term;
}

/* Precedence climbing: operators that bind at least as strongly as `strength`. */
static int read_binary(struct wm_compiler *c, int strength)
{
    int left = read_unary(c), row;

    while (c->rc == 0 && (row = find_operator(c)) >= 0 && operators[row].strength >= strength) {
        size_t place = c->at->place;

        c->at++;
        left = join(c, row, place, left, read_binary(c, operators[row].strength + 1));
    }
    return left;
}

static int read_choice(struct wm_compiler *c, int condition)
{
    size_t place = c->at->place;
    int yes, no, term;
    enum wm_number number;

    c->at++;
    condition = check_number(c, condition);
    yes = check_number(c, wm_compile_expression(c));
    if (!wm_compile_expect(c, ':', "':' and what '?' chooses else"))
        return -1;
    no = check_number(c, wm_compile_expression(c));
    if (yes < 0 || no < 0)
        return -1;
    number = common(term_of(c, yes)->number, term_of(c, no)->number);
    yes = wm_compile_convert(c, yes, number);
    no = wm_compile_convert(c, no, number);
    term = term_new(c, WM_TERM_CHOICE, place, number);
    take_operand(c, term, 0, condition);
    take_operand(c, term, 1, yes);
    take_operand(c, term, 2, no);
    return term;
}

int wm_compile_expression(struct wm_compiler *c)
{
    int term;

    if (c->rc != 0)
        return -1;
    if (++c->nesting > WM_NESTING_MAX)
        return wm_compile_fault(c, c->at->place, "this is nested deeper than %d", WM_NESTING_MAX);
    term = read_binary(c, 1);
    if (c->rc == 0 && c->at->kind == '?')
        term = read_choice(c, term);
    c->nesting--;
    return term;
}
