/* The words of a statement's text. */
#include "core/statement/token.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
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

/* A floating-point number: its type is double, or float with the suffix f. */
static const char *read_floating(const char *at, struct wm_token *token)
{
    char *end;

    token->number = WM_DOUBLE;
    token->value.d = strtod(at, &end);
    if (*end == 'f' || *end == 'F') {
        token->number = WM_FLOAT;
        token->value.f = strtof(at, &end);
        end++;
    }
    return end;
}

/* A whole number has the first type of C that holds it: int, unsigned (where it is not decimal), long, unsigned long.
 */
static const char *read_whole(const char *at, struct wm_token *token)
{
    bool decimal = *at != '0', is_unsigned = false, is_long = false;
    char *end;

    errno = 0;
    token->value.u = strtoull(at, &end, 0);
    if (errno != 0)
        return NULL;
    for (; strchr("uUlL", *end) != NULL && *end != '\0'; end++)
        *(*end == 'u' || *end == 'U' ? &is_unsigned : &is_long) = true;
    if (token->value.u <= INT_MAX && !is_unsigned && !is_long)
        token->number = WM_INT32;
    else if (token->value.u <= UINT_MAX && !is_long && (is_unsigned || !decimal))
        token->number = WM_UINT32;
    else if (token->value.u <= INT64_MAX && !is_unsigned)
        token->number = WM_INT64;
    else
        token->number = WM_UINT64;
    return token->number == WM_UINT64 && decimal && !is_unsigned ? NULL : end;
}

/* "0 ... 4" is often written "0...4": three points after a digit are no decimal point. */
static bool is_floating(const char *at)
{
    if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X'))
        return false;
    at += strspn(at, "0123456789");
    return (*at == '.' && strncmp(at, "...", 3) != 0) || *at == 'e' || *at == 'E';
}

static const char *read_number(const char *at, struct wm_token *token)
{
    const char *end = is_floating(at) ? read_floating(at, token) : read_whole(at, token);

    token->kind = WM_TOKEN_NUMBER;
    return end == NULL || isalnum((unsigned char)*end) || *end == '_' ? NULL : end;
}

static const char *read_sign(const char *at, struct wm_token *token)
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
    return strchr("@,;:?()[]{}+-*/%&|^~!<>=", *at) != NULL ? at + 1 : NULL;
}

static const char *read_token(const char *at, struct wm_token *token)
{
    if (isdigit((unsigned char)*at) || (*at == '.' && isdigit((unsigned char)at[1])))
        return read_number(at, token);
    if (!isalpha((unsigned char)*at) && *at != '_')
        return read_sign(at, token);
    token->kind = WM_TOKEN_NAME;
    while (isalnum((unsigned char)*at) || *at == '_')
        at++;
    return at;
}

int wm_tokens_read(const char *text, struct wm_token **tokens, struct wm_error *error)
{
    size_t length = strnlen(text, WM_STATEMENT_TEXT_MAX + 1), count = 0;
    const char *at = text, *end;

    *tokens = NULL;
    if (length > WM_STATEMENT_TEXT_MAX)
        return wm_error_set(error, -WM_EINVAL, "a statement has at most %d bytes", WM_STATEMENT_TEXT_MAX);
    if ((*tokens = calloc(length + 1, sizeof **tokens)) == NULL)
        return wm_error_set(error, -WM_ENOMEM, "out of memory");
    for (;; at = end) {
        struct wm_token *token = &(*tokens)[count++];

        at += strspn(at, " \t\r\n");
        token->place = (size_t)(at - text);
        if (*at == '\0')
            return 0;
        if ((end = read_token(at, token)) == NULL)
            break;
        token->bytes = (size_t)(end - at);
    }
    free(*tokens);
    *tokens = NULL;
    if (isdigit((unsigned char)*at) || *at == '.')
        return wm_statement_fault(error, text, (size_t)(at - text), "this is no number of C");
    return wm_statement_fault(error, text, (size_t)(at - text), "the character '%.*s' has no meaning here",
                              (int)(wm_utf8_bytes(at) > 0 ? wm_utf8_bytes(at) : 1), at);
}
