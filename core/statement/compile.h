/* The compiler: its state while it reads a statement, and what reads expressions. */
#ifndef WM_COMPILE_H
#define WM_COMPILE_H

#include "core/statement/statement.h"

enum { WM_NESTING_MAX = 200, WM_TERMS_MAX = 2048 };

struct wm_compiler {
    struct wm_statement *s;
    const struct wm_bound *bindings;
    const struct wm_token *at; /* the next one */
    bool shifts;               /* `<<` is C's here, not a reduction's */
    int nesting, term_capacity;
    struct wm_error *error;
    int rc; /* of the first fault; then nothing more is read */
};

/* Say what is wrong at a place; the first fault stays. Returns -1. */
int wm_compile_fault(struct wm_compiler *c, size_t place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The next word is of that kind: go past it. */
bool wm_compile_accept(struct wm_compiler *c, int kind);
/* … or it is a fault: "… is missing". */
bool wm_compile_expect(struct wm_compiler *c, int kind, const char *what);
/* What a word is, for sentences: "'j'", "the end". */
const char *wm_compile_word(const struct wm_compiler *c, const struct wm_token *token, char out[40]);
bool wm_token_is(const struct wm_compiler *c, const struct wm_token *token, const char *word);

/* The binding of a name's token; -1: there is none. */
int wm_compile_binding(const struct wm_compiler *c, const struct wm_token *token);
/* The variable; -1: there is none. */
int wm_compile_variable(const struct wm_compiler *c, const struct wm_token *token);
/* A name that stands for nothing: say so, with the nearest one. Returns -1. */
int wm_compile_unknown(struct wm_compiler *c, const struct wm_token *token);

/* Refuse bindings of which no statement can make use, at their first place among the tokens. */
void wm_compile_check_bindings(struct wm_compiler *c, const struct wm_token *tokens);

/* How many names stand before `in`; 0: this is no generator. */
int wm_compile_count_names(const struct wm_compiler *c, const struct wm_token *at);
/* The hint that a word is; WM_KNOWLEDGE_UNSAID: it is none. */
enum wm_knowledge wm_compile_hint(const struct wm_compiler *c, const struct wm_token *token);
/* Read an expression as a filter. */
void wm_compile_filter(struct wm_compiler *c);
/* Read clauses, if there are any, and the hint. They stand behind the reductions, and bind what those use: they are
 * read first. */
void wm_compile_clauses(struct wm_compiler *c);

/* Read an expression; a place, of any extent, or a number. Return its term, or -1 after a fault. */
int wm_compile_expression(struct wm_compiler *c);
/* The same of one that has to be a number, and of a whole number. */
int wm_compile_number(struct wm_compiler *c);
int wm_compile_integer(struct wm_compiler *c, const char *what);
/* The expression as another type. */
int wm_compile_convert(struct wm_compiler *c, int term, enum wm_number number);
/* A whole number that is an index, a rank or a bound: an int64, without a change of its value. */
int wm_compile_position(struct wm_compiler *c, int term);
/* A function that the program binds serves as the operator of the reduction: it takes two of `number`, and gives one.
 */
void wm_compile_check_bound_operator(struct wm_compiler *c, const struct wm_reduction *r, const struct wm_bound *b,
                                     enum wm_number number);
/* Read a place: a name with indices and slices. */
int wm_compile_place(struct wm_compiler *c);

#endif
