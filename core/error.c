/* Errors: sentences with places, and the nearest known name. */
#include "core/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t wm_utf8_bytes(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    unsigned char first = *at,
                  least = first == 0xe0   ? 0xa0
                          : first == 0xf0 ? 0x90
                                          : 0x80,
                  most = first == 0xed   ? 0x9f
                         : first == 0xf4 ? 0x8f
                                         : 0xbf; /* of the second byte */
    size_t bytes = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;

    if (bytes > 1 && (at[1] < least || at[1] > most))
        return 0;
    for (size_t i = 2; i < bytes; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    return bytes;
}

void wm_plain_text(char *text, bool tabs)
{
    for (unsigned char *at = (unsigned char *)text; *at != 0;) {
        size_t bytes = wm_utf8_bytes((const char *)at);

        if (bytes == 0)
            *at = '?';
        else if ((*at < ' ' && !(tabs && *at == '\t')) || *at == 0x7f)
            *at = ' ';
        else if (*at == 0xc2 && at[1] < 0xa0)
            at[0] = at[1] = ' ';
        at += bytes > 0 ? bytes : 1;
    }
}

void wm_text_append(char *text, size_t text_bytes, const char *format, ...)
{
    size_t length = strlen(text);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text + length, text_bytes - length, format, arguments);
    va_end(arguments);
}

int wm_error_set(struct wm_error *error, int code, const char *format, ...)
{
    va_list arguments;

    if (error == NULL)
        return code;
    memset(error, 0, sizeof *error);
    error->code = code;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    wm_plain_text(error->text, false);
    return code;
}

void wm_error_place(struct wm_error *error, const char *file, int line, int column)
{
    if (error == NULL)
        return;
    if (file != NULL) {
        snprintf(error->file, sizeof error->file, "%s", file);
        wm_plain_text(error->file, false);
    }
    error->line = line;
    error->column = column;
}

enum { EXCERPT_COLUMNS = 180, EXCERPT_BEFORE = 100 }; /* of a longer line, what stands before the column */

void wm_error_quote(struct wm_error *error, const char *text, size_t bytes)
{
    const char *at = text, *end = text + bytes, *stop;

    if (error == NULL || error->line <= 0)
        return;
    for (int line = 1; line < error->line; line++) {
        at = memchr(at, '\n', (size_t)(end - at));
        if (at == NULL)
            return;
        at++;
    }
    stop = memchr(at, '\n', (size_t)(end - at));
    if (stop == NULL)
        stop = end;
    error->skipped = 0;
    for (; error->column > EXCERPT_COLUMNS && error->column - error->skipped > EXCERPT_BEFORE && at < stop;
         error->skipped++)
        for (at++; at < stop && (*at & 0xc0) == 0x80;)
            at++;
    snprintf(error->excerpt, sizeof error->excerpt, "%.*s", (int)(stop - at), at);
    wm_plain_text(error->excerpt, true);
}

/* The excerpt and a caret under the column; tabs stay tabs so that the caret stands right. */
static size_t format_excerpt(const struct wm_error *error, char *out, size_t out_bytes)
{
    char caret[WM_ERROR_EXCERPT_CHARS];
    const char *at = error->excerpt;
    int used = 0;

    if (error->excerpt[0] == '\0')
        return 0;
    for (; used + 1 < error->column - error->skipped && *at != '\0'; at++)
        if ((*at & 0xc0) != 0x80) /* columns count characters: not the bytes that go on one, in UTF-8 */
            caret[used++] = *at == '\t' ? '\t' : ' ';
    caret[used] = '\0';
    return (size_t)snprintf(out, out_bytes, "    %s\n    %s^\n", error->excerpt, caret);
}

size_t wm_error_format(const struct wm_error *error, char *out, size_t out_bytes)
{
    char place[WM_ERROR_FILE_CHARS + 32] = "";
    size_t used;

    if (error->file[0] != '\0' && error->line > 0)
        snprintf(place, sizeof place, "%s:%d:%d: ", error->file, error->line, error->column);
    else if (error->file[0] != '\0')
        snprintf(place, sizeof place, "%s: ", error->file);
    used = (size_t)snprintf(out, out_bytes, "%s%s\n", place, error->text);
    return used + format_excerpt(error, used < out_bytes ? out + used : NULL, used < out_bytes ? out_bytes - used : 0);
}

const char *wm_error_sentence(int code)
{
    switch (code < 0 ? -code : code) {
#define X(name, number, sentence)                                                                                      \
    case number:                                                                                                       \
        return sentence;
        WM_ERRORS(X)
#undef X
    default:
        return "unknown error";
    }
}

enum { NEAREST_CHARS_MAX = 64 };

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Letters to insert, leave out, change, or swap with their neighbour (Damerau and Levenshtein), a row at a time. */
static int edit_distance(const char *a, const char *b)
{
    int rows[3][NEAREST_CHARS_MAX + 1], length = (int)strlen(b), i;

    for (int j = 0; j <= length; j++)
        rows[0][j] = j;
    for (i = 1; a[i - 1] != '\0'; i++) {
        int *row = rows[i % 3], *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];

        row[0] = i;
        for (int j = 1; j <= length; j++) {
            row[j] = least(above[j - 1] + (a[i - 1] != b[j - 1]), least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], above2[j - 2] + 1);
        }
    }
    return rows[(i + 2) % 3][length];
}

const char *wm_error_nearest(const char *word, const char *const *names, size_t count)
{
    const char *best = NULL;
    int limit = (int)strlen(word) / 3, best_distance;

    if (strlen(word) > NEAREST_CHARS_MAX)
        return NULL;
    best_distance = (limit < 1 ? 1 : limit) + 1;
    for (size_t i = 0; i < count; i++) {
        int distance;

        if (strlen(names[i]) > NEAREST_CHARS_MAX)
            continue;
        distance = edit_distance(word, names[i]);
        if (distance < best_distance) {
            best = names[i];
            best_distance = distance;
        }
    }
    return best;
}

struct wm_suggestion wm_error_suggest(const char *word, const char *const *names, size_t count, const char *mark,
                                      const char *otherwise)
{
    const char *near = wm_error_nearest(word, names, count);
    struct wm_suggestion out = {""};

    if (near != NULL)
        snprintf(out.text, sizeof out.text, "; did you mean '%s%s'?", mark, near);
    else if (otherwise != NULL)
        snprintf(out.text, sizeof out.text, "; %s", otherwise);
    return out;
}

void wm_bug(const char *file, int line, const char *what)
{
    fprintf(stderr, "waymark: bug at %s:%d: %s; please report it\n", file, line, what);
    abort();
}
