/* The words of a statement's text. */
#ifndef WM_TOKEN_H
#define WM_TOKEN_H

#include <stdbool.h>
#include "core/error.h"
#include "waymark/number.h"

enum { WM_STATEMENT_TEXT_MAX = 1 << 16 }; /* bytes of a text */

/* Single characters stand for themselves; X(name, text), the longer ones before those that they begin with. */
#define WM_LONG_TOKENS(X)                                                                                              \
    X(ELLIPSIS, "...")                                                                                                 \
    X(STORE, "<<=")                                                                                                    \
    X(LEFT, "<<")                                                                                                      \
    X(RIGHT, ">>")                                                                                                     \
    X(LESS_EQUAL, "<=")                                                                                                \
    X(GREATER_EQUAL, ">=")                                                                                             \
    X(EQUAL, "==")                                                                                                     \
    X(UNEQUAL, "!=")                                                                                                   \
    X(AND, "&&")                                                                                                       \
    X(OR, "||")

enum wm_token_kind {
    WM_TOKEN_END = 0,
    WM_TOKEN_NAME = 256,
    WM_TOKEN_NUMBER,
#define X(name, text) WM_TOKEN_##name,
    WM_LONG_TOKENS(X)
#undef X
};

union wm_scalar {
    int64_t i; /* all integers but UINT64 */
    uint64_t u;
    float f;
    double d;
};

struct wm_token {
    int kind;     /* enum wm_token_kind, or a character */
    size_t place; /* in the text */
    size_t bytes;
    enum wm_number number; /* of a number: its type, as C has it */
    union wm_scalar value;
};

/* Take a text apart; the last token is WM_TOKEN_END. 0, -WM_ENOMEM, -WM_EINVAL: a character or a number that is none.
 * The caller frees *tokens. */
int wm_tokens_read(const char *text, struct wm_token **tokens, struct wm_error *error);

/* A name that has a meaning of its own: 'where', 'me', ... */
bool wm_token_is_keyword(const char *text, const struct wm_token *token);

/* Say what is wrong at a place of the text: sets the error's line, column and excerpt. Returns -WM_EINVAL. */
int wm_statement_fault(struct wm_error *error, const char *text, size_t place, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
