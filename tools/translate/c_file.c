/* Tokens of a file of C, by libclang. */
#include "tools/translate/c_file.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool wm_c_file_place(const struct wm_c_file *c, CXSourceLocation location, unsigned *place)
{
    CXFile file;

    clang_getFileLocation(location, &file, NULL, NULL, place);
    return file != NULL && clang_File_isEqual(file, c->file);
}

static struct wm_c_range range_of(const struct wm_c_file *c, CXSourceRange range)
{
    struct wm_c_range out = {0};

    wm_c_file_place(c, clang_getRangeStart(range), &out.begin);
    wm_c_file_place(c, clang_getRangeEnd(range), &out.end);
    return out;
}

static int read_tokens(struct wm_c_file *c)
{
    CXSourceRange all = clang_getRange(clang_getLocationForOffset(c->unit, c->file, 0),
                                       clang_getLocationForOffset(c->unit, c->file, (unsigned)c->bytes));
    CXToken *tokens = NULL;
    unsigned count = 0;

    clang_tokenize(c->unit, all, &tokens, &count);
    c->tokens = calloc((size_t)count + 1, sizeof *c->tokens);
    for (unsigned i = 0; i < count && c->tokens != NULL; i++) {
        struct wm_c_range range = range_of(c, clang_getTokenExtent(c->unit, tokens[i]));

        if (range.begin < range.end && range.end <= c->bytes)
            c->tokens[c->token_count++] =
                (struct wm_c_token){.begin = range.begin, .end = range.end, .kind = clang_getTokenKind(tokens[i])};
    }
    clang_disposeTokens(c->unit, tokens, count);
    return c->tokens != NULL ? 0 : -WM_ENOMEM;
}

static void mark_skipped(struct wm_c_file *c)
{
    CXSourceRangeList *skipped = clang_getSkippedRanges(c->unit, c->file);

    for (unsigned i = 0; skipped != NULL && i < skipped->count; i++) {
        struct wm_c_range range = range_of(c, skipped->ranges[i]);

        for (size_t k = (size_t)(wm_c_file_token_at(c, range.begin) - c->tokens);
             k < c->token_count && c->tokens[k].begin < range.end; k++)
            c->tokens[k].skipped = true;
    }
    clang_disposeSourceRangeList(skipped);
}

/* Does a line end between two places, with no backslash before its end? */
static bool line_ends(const struct wm_c_file *c, unsigned begin, unsigned end)
{
    char last = '\0'; /* but for a carriage return */

    for (unsigned i = begin; i < end; i++) {
        if (c->text[i] == '\n' && last != '\\')
            return true;
        last = c->text[i] == '\r' ? last : c->text[i];
    }
    return false;
}

/* A comment before the '#' is a blank, and a line that ends inside a comment goes on. */
static void mark_directives(struct wm_c_file *c)
{
    int count = 0, current = 0;
    bool fresh = true;

    for (size_t i = 0; i < c->token_count; i++) {
        struct wm_c_token *token = &c->tokens[i];

        if (i > 0 && line_ends(c, token[-1].end, token->begin)) {
            fresh = true;
            current = 0;
        }
        if (fresh && (wm_c_token_is(c, token, "#") || wm_c_token_is(c, token, "%:")))
            current = ++count;
        fresh &= token->kind == CXToken_Comment;
        token->directive = current;
    }
}

static enum CXChildVisitResult add_expansion(CXCursor cursor, CXCursor parent, CXClientData data)
{
    struct wm_c_file *c = data;
    struct wm_c_range range, *more;
    unsigned place;

    (void)parent;
    if (clang_getCursorKind(cursor) != CXCursor_MacroExpansion ||
        !wm_c_file_place(c, clang_getCursorLocation(cursor), &place))
        return CXChildVisit_Continue;
    range = range_of(c, clang_getCursorExtent(cursor));
    if ((c->expansion_count & (c->expansion_count - 1)) == 0) {
        more = realloc(c->expansions, (2 * c->expansion_count + 1) * sizeof *more);
        if (more == NULL)
            return CXChildVisit_Break;
        c->expansions = more;
    }
    c->expansions[c->expansion_count++] = range;
    return CXChildVisit_Continue;
}

int wm_c_file_init(struct wm_c_file *c, CXTranslationUnit unit, CXFile file, struct wm_error *error)
{
    *c = (struct wm_c_file){.unit = unit, .file = file};
    c->text = clang_getFileContents(unit, file, &c->bytes);
    if (read_tokens(c) < 0 || clang_visitChildren(clang_getTranslationUnitCursor(unit), add_expansion, c) != 0)
        return wm_error_set(error, -WM_ENOMEM, "no memory for the tokens");
    mark_skipped(c);
    mark_directives(c);
    return 0;
}

void wm_c_file_release(struct wm_c_file *c)
{
    free(c->tokens);
    free(c->expansions);
}

bool wm_c_token_is(const struct wm_c_file *c, const struct wm_c_token *token, const char *text)
{
    return token < c->tokens + c->token_count && strlen(text) == token->end - token->begin &&
           memcmp(c->text + token->begin, text, strlen(text)) == 0;
}

const struct wm_c_token *wm_c_file_token_at(const struct wm_c_file *c, unsigned place)
{
    size_t low = 0, high = c->token_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (c->tokens[middle].begin < place)
            low = middle + 1;
        else
            high = middle;
    }
    return c->tokens + low;
}

bool wm_c_file_in_macro(const struct wm_c_file *c, unsigned place)
{
    for (size_t i = 0; i < c->expansion_count; i++)
        if (place >= c->expansions[i].begin && place < c->expansions[i].end)
            return true;
    return false;
}

static int refuse(CXTranslationUnit unit, CXSourceLocation location, struct wm_error *error, const char *format,
                  va_list arguments)
{
    char sentence[WM_ERROR_TEXT_CHARS];
    unsigned line, column;
    size_t bytes = 0;
    const char *text;
    CXString name;
    CXFile file;

    vsnprintf(sentence, sizeof sentence, format, arguments);
    wm_error_set(error, -WM_EINVAL, "%s", sentence);
    clang_getFileLocation(location, &file, &line, &column, NULL);
    if (file == NULL)
        return -WM_EINVAL;
    name = clang_getFileName(file);
    wm_error_place(error, clang_getCString(name), (int)line, (int)column);
    clang_disposeString(name);
    text = clang_getFileContents(unit, file, &bytes);
    if (text != NULL)
        wm_error_quote(error, text, bytes);
    return -WM_EINVAL;
}

int wm_c_file_refuse_location(CXTranslationUnit unit, CXSourceLocation location, struct wm_error *error,
                              const char *format, ...)
{
    va_list arguments;
    int rc;

    va_start(arguments, format);
    rc = refuse(unit, location, error, format, arguments);
    va_end(arguments);
    return rc;
}

int wm_c_file_refuse(const struct wm_c_file *c, unsigned place, struct wm_error *error, const char *format, ...)
{
    va_list arguments;
    int rc;

    va_start(arguments, format);
    rc = refuse(c->unit, clang_getLocationForOffset(c->unit, c->file, place), error, format, arguments);
    va_end(arguments);
    return rc;
}
