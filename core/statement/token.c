/* The words of a statement's text. */
#include "core/statement/token.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int wm_statement_fault(struct wm_error *error, const char *text, size_t place, const char *format, ...)
{
    char sentence[WM_ERROR_TEXT_CHARS];
    int line = 1, column = 1;
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    for (size_t i = 0; i < place && text[i] != '\0'; i++) {
        column = text[i] == '\n' ? 1 : column + 1;
        line += text[i] == '\n';
    }
    wm_error_set(error, -WM_EINVAL, "%s", sentence);
    wm_error_place(error, "statement", line, column);
    wm_error_quote(error, text, strlen(text));
    return -WM_EINVAL;
}

bool wm_token_is_keyword(const char *text, const struct wm_token *token)
{
    static const char *const keywords[] = {"where",  "in",       "world", "global", "corresponding",
                                           "sender", "receiver", "me",    "ranks"};

    for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++)
        if (token->kind == WM_TOKEN_NAME && token->bytes == strlen(keywords[i]) &&
            memcmp(text + token->place, keywords[i], token->bytes) == 0)
            return true;
    return false;
}

/* A floating-point number: its type is double, or float with the suffix f. The point is one in all locales. */
static const char *read_floating(const char *at, struct wm_token *token, const char **wrong)
{
    locale_t c = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    char *end;
    bool infinite;

    token->number = WM_DOUBLE;
    token->value.d = strtod_l(at, &end, c);
    infinite = isinf(token->value.d);
    if (*end == 'f' || *end == 'F') {
        token->number = WM_FLOAT;
        token->value.f = strtof_l(at, &end, c);
        infinite = isinf(token->value.f);
        end++;
    }
    freelocale(c);
    if (infinite)
        *wrong = token->number == WM_FLOAT ? "is too large for a float" : "is too large for a double";
    return end;
}

/* "u", "l", "ll" and both, as C has them. */
static char *read_suffix(char *end, bool *is_unsigned, bool *is_long)
{
    for (int i = 0; i < 2; i++)
        if (!*is_unsigned && (*end == 'u' || *end == 'U')) {
            *is_unsigned = true;
            end++;
        } else if (!*is_long && (*end == 'l' || *end == 'L')) {
            *is_long = true;
            end += end[1] == end[0] ? 2 : 1;
        }
    return end;
}

/* A whole number has the first type of C that holds it: int, unsigned (where it is not decimal), long, unsigned long.
 */
static const char *read_whole(const char *at, struct wm_token *token, const char **wrong)
{
    bool decimal = *at != '0', is_unsigned = false, is_long = false;
    char *end;

    errno = 0;
    token->value.u = strtoull(at, &end, 0);
    if (errno != 0)
        *wrong = "is larger than any whole number of C";
    end = read_suffix(end, &is_unsigned, &is_long);
    if (token->value.u <= INT_MAX && !is_unsigned && !is_long)
        token->number = WM_INT32;
    else if (token->value.u <= UINT_MAX && !is_long && (is_unsigned || !decimal))
        token->number = WM_UINT32;
    else if (token->value.u <= INT64_MAX && !is_unsigned)
        token->number = WM_INT64;
    else
        token->number = WM_UINT64;
    if (*wrong == NULL && token->number == WM_UINT64 && decimal && !is_unsigned)
        *wrong = "is too large for a long: it needs a 'u' behind it";
    return end;
}

/* "0 ... 4" is often written "0...4": three points after a digit are no decimal point. */
static bool is_floating(const char *at)
{
    if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X'))
        return false;
    at += strspn(at, "0123456789");
    return (*at == '.' && strncmp(at, "...", 3) != 0) || *at == 'e' || *at == 'E';
}

static const char *read_number(const char *at, struct wm_token *token, const char **wrong)
{
    const char *end = is_floating(at) ? read_floating(at, token, wrong) : read_whole(at, token, wrong);
    const char *word = end;

    token->kind = WM_TOKEN_NUMBER;
    while (isalnum((unsigned char)*end) || *end == '_')
        end++;
    if (end > word)
        *wrong = "is no number of C";
    return end;
}

static const char *read_sign(const char *at, struct wm_token *token, const char **wrong)
{
    static const struct {
        int kind;
        const char *text;
    } signs[] = {
#define X(name, text) {WM_TOKEN_##name, text},
        WM_LONG_TOKENS(X)
#undef X
    };

    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
        if (strncmp(at, signs[i].text, strlen(signs[i].text)) == 0) {
            token->kind = signs[i].kind;
            return at + strlen(signs[i].text);
        }
    token->kind = *at;
    if (*at == '.')
        *wrong = "has no meaning here: a range is written '...', and a struct's members have no names in a statement";
    else if (strchr("@,;:?()[]{}+-*/%&|^~!<>=", *at) == NULL)
        *wrong = "has no meaning in a statement";
    return at + (wm_utf8_bytes(at) > 0 ? wm_utf8_bytes(at) : 1);
}

/* Returns the word's end; sets *wrong to what is to be said of it if it is none. */
static const char *read_token(const char *at, struct wm_token *token, const char **wrong)
{
    if (isdigit((unsigned char)*at) || (*at == '.' && isdigit((unsigned char)at[1])))
        return read_number(at, token, wrong);
    if (!isalpha((unsigned char)*at) && *at != '_')
        return read_sign(at, token, wrong);
    token->kind = WM_TOKEN_NAME;
    while (isalnum((unsigned char)*at) || *at == '_')
        at++;
    return at;
}

static int refuse(struct wm_error *error, const char *text, const char *at, size_t bytes, const char *wrong)
{
    size_t place = (size_t)(at - text);

    if ((unsigned char)*at < ' ' || *at == 0x7f || wm_utf8_bytes(at) == 0)
        return wm_statement_fault(error, text, place, "the byte 0x%02x %s", (unsigned char)*at, wrong);
    return wm_statement_fault(error, text, place, "'%.*s' %s", bytes < 64 ? (int)bytes : 64, at, wrong);
}

int wm_tokens_read(const char *text, struct wm_token **tokens, struct wm_error *error)
{
    size_t length = strnlen(text, WM_STATEMENT_TEXT_MAX + 1), count = 0;
    const char *at = text, *end, *wrong = NULL;

    *tokens = NULL;
    if (length > WM_STATEMENT_TEXT_MAX)
        return wm_statement_fault(error, text, WM_STATEMENT_TEXT_MAX, "a statement has at most %d bytes",
                                  WM_STATEMENT_TEXT_MAX);
    if ((*tokens = calloc(length + 1, sizeof **tokens)) == NULL)
        return wm_error_set(error, -WM_ENOMEM, "out of memory");
    for (;; at = end) {
        struct wm_token *token = &(*tokens)[count++];

        at += strspn(at, " \t\r\n");
        token->place = (size_t)(at - text);
        if (*at == '\0')
            return 0;
        end = read_token(at, token, &wrong);
        token->bytes = (size_t)(end - at);
        if (wrong != NULL)
            break;
    }
    free(*tokens);
    *tokens = NULL;
    return refuse(error, text, at, (size_t)(end - at), wrong);
}
