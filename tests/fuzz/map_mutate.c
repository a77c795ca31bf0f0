/* Mutations of a map: of tokens by what they are, of balanced forms, of bytes. */
#include <string.h>
#include "tests/fuzz/map_text.h"

enum { TOKENS_MAX = 4096 };

enum token_kind { TOKEN_OPEN, TOKEN_CLOSE, TOKEN_STRING, TOKEN_NUMBER, TOKEN_NAME };

struct token {
    enum token_kind kind;
    size_t begin, count;
};

struct tokens {
    int count;
    struct token all[TOKENS_MAX];
};

/* What a mutation works on. */
struct change {
    struct fuzz_text *map;
    const struct fuzz_text *other;
    struct fuzz_random *random;
    struct tokens tokens;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static bool ends_atom(char c)
{
    return is_blank(c) || c == '\0' || strchr("()[];\"", c) != NULL;
}

static size_t string_end(const struct fuzz_text *map, size_t at)
{
    for (at++; at < map->count && map->bytes[at] != '"'; at++)
        at += map->bytes[at] == '\\' && at + 1 < map->count;
    return at < map->count ? at + 1 : at;
}

/* The token that begins here; its end. */
static size_t read_token(const struct fuzz_text *map, size_t at, struct token *token)
{
    char c = map->bytes[at];
    size_t end = at + 1;

    token->kind = c == '(' || c == '[' ? TOKEN_OPEN : c == ')' || c == ']' ? TOKEN_CLOSE : TOKEN_NAME;
    if (c == '"') {
        token->kind = TOKEN_STRING;
        end = string_end(map, at);
    } else if (token->kind == TOKEN_NAME) {
        token->kind = c >= '0' && c <= '9' ? TOKEN_NUMBER : TOKEN_NAME;
        while (end < map->count && !ends_atom(map->bytes[end]))
            end++;
    }
    token->begin = at;
    token->count = end - at;
    return end;
}

static void read_tokens(const struct fuzz_text *map, struct tokens *tokens)
{
    size_t at = 0;

    tokens->count = 0;
    while (at < map->count && tokens->count < TOKENS_MAX) {
        if (is_blank(map->bytes[at]) || map->bytes[at] == '\0')
            at++;
        else if (map->bytes[at] == ';')
            while (at < map->count && map->bytes[at] != '\n')
                at++;
        else
            at = read_token(map, at, &tokens->all[tokens->count++]);
    }
}

/* One token, of this kind if `kind` is one; of no length where there is none. */
static struct token pick(struct change *c, int kind)
{
    int start = (int)fuzz_below(c->random, (size_t)c->tokens.count);

    for (int i = 0; i < c->tokens.count; i++) {
        struct token *token = &c->tokens.all[(start + i) % c->tokens.count];

        if (kind < 0 || (int)token->kind == kind)
            return *token;
    }
    return (struct token){.begin = c->map->count};
}

/* From a parenthesis through the one that closes it. */
static struct token pick_form(struct change *c)
{
    struct token form = pick(c, TOKEN_OPEN);
    int depth = 0;

    for (int i = 0; i < c->tokens.count; i++) {
        const struct token *token = &c->tokens.all[i];

        if (token->begin < form.begin)
            continue;
        depth += token->kind == TOKEN_OPEN ? 1 : token->kind == TOKEN_CLOSE ? -1 : 0;
        if (depth == 0) {
            form.count = token->begin + token->count - form.begin;
            return form;
        }
    }
    return form;
}

static void replace(struct change *c, struct token token, const char *words)
{
    fuzz_text_splice(c->map, token.begin, token.count, words, strlen(words));
}

/* The mutations. */

static void delete_token(struct change *c)
{
    replace(c, pick(c, -1), "");
}

static void double_token(struct change *c)
{
    struct token token = fuzz_chance(c->random, 50) ? pick_form(c) : pick(c, -1);
    struct fuzz_text copy = {0};

    fuzz_text_add(&copy, " ", 1);
    fuzz_text_add(&copy, c->map->bytes + token.begin, token.count);
    fuzz_text_splice(c->map, token.begin + token.count, 0, copy.bytes, copy.count);
    fuzz_text_release(&copy);
}

static void swap_tokens(struct change *c)
{
    struct token a = pick(c, -1), b = pick(c, -1);
    struct fuzz_text map = {0};

    if (a.begin > b.begin) {
        struct token t = a;
        a = b;
        b = t;
    }
    if (a.begin + a.count > b.begin)
        return;
    fuzz_text_add(&map, c->map->bytes, a.begin);
    fuzz_text_add(&map, c->map->bytes + b.begin, b.count);
    fuzz_text_add(&map, c->map->bytes + a.begin + a.count, b.begin - a.begin - a.count);
    fuzz_text_add(&map, c->map->bytes + a.begin, a.count);
    fuzz_text_add(&map, c->map->bytes + b.begin + b.count, c->map->count - b.begin - b.count);
    fuzz_text_release(c->map);
    *c->map = map;
}

static void change_number(struct change *c)
{
    static const char *const numbers[] = {"0",
                                          "-1",
                                          "1",
                                          "9223372036854775808",
                                          "9223372036854775807",
                                          "1/0",
                                          "1/3",
                                          "0/1",
                                          "18446744073709551615",
                                          "-9223372036854775808",
                                          "1e400",
                                          "-0.0",
                                          "1.5",
                                          "+nan.0",
                                          "340282366920938463463374607431768211456",
                                          "+inf.0",
                                          "#e1.5",
                                          "1+i",
                                          "2147483648",
                                          "0B",
                                          "1TiB",
                                          "99999999TiB",
                                          "0.5B",
                                          "8388608TiB",
                                          "1.1KiB",
                                          "1e99999999",
                                          "#xffffffffffffffffffff",
                                          "1025",
                                          "4097"};

    replace(c, pick(c, TOKEN_NUMBER), FUZZ_PICK(c->random, numbers));
}

static void change_name(struct change *c)
{
    replace(c, pick(c, TOKEN_NAME), fuzz_map_name(c->random));
}

/* Expressions that loop, take all memory, raise, or give what no rule and no wrapper can take. */
static void change_form(struct change *c)
{
    static const char *const forms[] = {
        "(let loop () (loop))",
        "(let loop ((l '())) (loop (cons 1 l)))",
        "(let loop ((s \"ab\")) (loop (string-append s s)))",
        "(let loop ((n 3)) (loop (* n n)))",
        "(let f ((n 0)) (+ 1 (f (+ n 1))))",
        "(make-string 1000000 #\\a)",
        "(make-vector 999999 (iota 999999))",
        "(apply + (iota 1000000))",
        "(error \"said by the map:\" bytes '(1 . 2) \"a\nb\")",
        "(error)",
        "(error 'x \"~a ~s\" car)",
        "(error (lambda (x) x) (string #\\x1b #\\nul #\\x202e))",
        "(car '())",
        "(/ 1 0)",
        "(expt 2 999999)",
        "(number->string (expt 7 300000))",
        "(values 1 2)",
        "(values)",
        "(if #f #f)",
        "#nil",
        "'()",
        "(string->symbol \"\")",
        "(string->symbol (string #\\nul #\\newline))",
        "(letrec ((x (lambda () y)) (y (x))) y)",
        "(apply apply apply '())",
        "(sort '(3 1 2) (lambda (a b) (error \"in sort\")))",
        "(let-syntax ((x (syntax-rules () ((_) (x))))) (x))",
        "(let-syntax ((x (syntax-rules () ((_ a ...) (x a ... a ...))))) (x 1))",
        "(tree 0 (0))",
        "(tree -1)",
        "(tree 0 1 2 3)",
        "(tree 0 (1 (2 (3 (4)))))",
        "(tree 99999999999999999999)",
        "(tree 4095)",
        "(lambda (member size) (let loop () (loop)))",
        "(lambda (member size) member)",
        "(lambda (member size) (- member 1))",
        "(lambda (member) (if (= member 0) #f (error \"no parent of\" member)))",
        "(lambda () 0)",
        "(lambda (a b c) 0)",
        "(lambda (member size) bytes)",
        "(lambda (member size) (if (= member 0) #f 1e10))",
        "(lambda (member size) (if (= member 0) #f (quotient (- member 1) 3)))",
        "(path)",
        "(path (path))",
        "(native)",
        "(path (trace 'x) (native))",
        "(list (native) 1)",
        "(lambda x x)",
        "(quote #(1 2 3))",
        "#!eof",
        "#:shape",
        "#!fold-case",
        "#u8(1 2)",
        "#*101",
        "(begin)",
        "(define x (native))",
        "(apply path (map (lambda (i) (trace i)) (iota 40)))",
        "(even? bytes)",
        "(< bytes 100 ranks)",
        "(= bytes 1/2)",
        "(< bytes +nan.0)",
        "(<= bytes 1e400)",
        "(<= 1.5 bytes 2.5)",
        "(>= (/ bytes 3) 7)",
        "(string=? communicator \"MPI_COMM_WORLD\")",
        "(memv root '(0 1))",
        "(call-with-values (lambda () (values 1 2)) <)",
        "(delay 1)",
    };

    replace(c, pick_form(c), FUZZ_PICK(c->random, forms));
}

static void nest(struct change *c)
{
    static const char *const opens[] = {"(",       "'",     "[",  "`",  "#(", "(path ",     "(list ",
                                        "(begin ", "(not ", "#;", "#|", ",",  "(lambda () "};
    static const int depths[] = {2, 40, 1000, 30000, 400000};
    const char *open = FUZZ_PICK(c->random, opens);
    struct token form = pick_form(c);
    struct fuzz_text text = {0};
    int depth = FUZZ_PICK(c->random, depths);
    bool closed = fuzz_chance(c->random, 70);

    for (int i = 0; i < depth; i++)
        fuzz_text_add(&text, open, strlen(open));
    fuzz_text_add(&text, c->map->bytes + form.begin, form.count);
    for (int i = 0; closed && strpbrk(open, "([") != NULL && i < depth; i++)
        fuzz_text_add(&text, *open == '[' ? "]" : ")", 1);
    fuzz_text_splice(c->map, form.begin, form.count, text.bytes, text.count);
    fuzz_text_release(&text);
}

static void lengthen(struct change *c)
{
    static const char *const pieces[] = {" ", "\t", "a", "\"", "; ", "é", "\n", "(native) ", "1", "\\", "#", "|"};
    static const int counts[] = {2, 70, 300, 5000, 200000};
    const char *piece = FUZZ_PICK(c->random, pieces);
    struct token token = pick(c, -1);
    struct fuzz_text text = {0};

    for (int left = FUZZ_PICK(c->random, counts); left > 0; left--)
        fuzz_text_add(&text, piece, strlen(piece));
    fuzz_text_splice(c->map, token.begin, 0, text.bytes, text.count);
    fuzz_text_release(&text);
}

static void insert_bytes(struct change *c)
{
    static const struct {
        const char *bytes;
        size_t count;
    } odd[] = {{"\0", 1},           {"\xff", 1},
               {"\xc3", 1},         {"\xe2\x80\xae", 3},
               {"\xef\xbb\xbf", 3}, {"\r\n", 2},
               {"\x1b[2J", 4},      {"\xc2\x9b", 2},
               {"\xed\xa0\x80", 3}, {"\xf4\x90\x80\x80", 4},
               {"\xe2\x80\xa8", 3}, {"\xc0\x80", 2},
               {"\x7f", 1},         {"#|", 2},
               {"|#", 2},           {"#!r6rs", 6},
               {"\\x41;", 5},       {"#\\", 2},
               {". ", 2},           {"#&", 2},
               {"#:", 2},           {"(((", 3},
               {")))", 3},          {"\"", 1},
               {"{}", 2},           {"\xf0\x9f\x98\x80", 4}};
    size_t which = fuzz_below(c->random, sizeof odd / sizeof *odd);

    fuzz_text_splice(c->map, fuzz_below(c->random, c->map->count + 1), 0, odd[which].bytes, odd[which].count);
}

static void change_byte(struct change *c)
{
    if (c->map->count > 0)
        c->map->bytes[fuzz_below(c->random, c->map->count)] = (char)fuzz_next(c->random);
}

static void cut(struct change *c)
{
    size_t at = fuzz_below(c->random, c->map->count), count = c->map->count - at;

    fuzz_text_splice(c->map, at, fuzz_chance(c->random, 50) ? count : fuzz_below(c->random, count < 80 ? count : 80),
                     "", 0);
}

/* A form of another map in the place of one of this one. */
static void graft(struct change *c)
{
    struct token here = pick_form(c), there;
    struct change other = {.map = (struct fuzz_text *)c->other, .random = c->random};

    read_tokens(c->other, &other.tokens);
    there = pick_form(&other);
    fuzz_text_splice(c->map, here.begin, here.count, c->other->bytes + there.begin, there.count);
}

static void (*const mutations[])(struct change *c) = {
    delete_token, double_token, swap_tokens, change_number, change_number, change_name,
    change_name,  change_form,  change_form, change_form,   nest,          lengthen,
    insert_bytes, change_byte,  cut,         graft,         graft,
};

void fuzz_map_mutate(struct fuzz_text *map, const struct fuzz_text *other, struct fuzz_random *random)
{
    static struct change change;
    int count = 1 + (int)fuzz_below(random, 3);

    change = (struct change){.map = map, .other = other, .random = random};
    for (int i = 0; i < count; i++) {
        read_tokens(map, &change.tokens);
        FUZZ_PICK(random, mutations)(&change);
    }
}
