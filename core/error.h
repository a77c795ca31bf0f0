/* Error codes, and the sentence that says what is wrong and where.
 *
 * Functions return 0 or a negative code of this table. Those that parse or check something a user wrote also
 * fill a `struct wm_error`: the place (file, line and column, both from 1; 0 when unknown), the line itself, and
 * one sentence: lower case, the fault first, its subject in 'quotes', what to do about it last. */
#ifndef WM_ERROR_H
#define WM_ERROR_H

#include <stdbool.h>
#include <stddef.h>

/* clang-format off */
#define WM_ERRORS(X)                                                  \
    X(ENOMEM,   1, "out of memory")                                   \
    X(EINVAL,   2, "an argument is out of range")                     \
    X(EMAP,     3, "the path map is wrong")                           \
    X(EPATH,    4, "the path does not serve this call")               \
    X(ESERVER,  5, "the map server died or did not answer in time")   \
    X(ETRACE,   6, "the trace cannot be written or read")             \
    X(EMPI,     7, "the MPI library reported an error")               \
    X(ESYSTEM,  8, "the operating system refused")                    \
    X(ENEVER,   9, "what is waited for never comes")
/* clang-format on */

enum {
#define X(name, number, sentence) WM_##name = number,
    WM_ERRORS(X)
#undef X
};

enum { WM_ERROR_FILE_CHARS = 256, WM_ERROR_TEXT_CHARS = 768, WM_ERROR_EXCERPT_CHARS = 256 };

struct wm_error {
    int code;                             /* 0, or -WM_E… */
    int line, column;                     /* from 1; 0: unknown */
    char file[WM_ERROR_FILE_CHARS];       /* "" when no file is meant */
    char text[WM_ERROR_TEXT_CHARS];       /* the sentence */
    char excerpt[WM_ERROR_EXCERPT_CHARS]; /* the line of the file, "" when unknown; of a long line what is around the
                                             column */
    int skipped;                          /* characters of the line before the excerpt */
};

/* Bytes of the character of UTF-8 that begins here (RFC 3629, 4); 0: none does. Looks at no byte behind a NUL. */
size_t wm_utf8_bytes(const char *text);

/* Make blanks of the characters of `text` that a terminal would obey: those of ASCII, but for tabs where `tabs` says
 * so, and U+0080 to U+009F in UTF-8; and '?' of each byte that is no UTF-8. What a user wrote is printed so. */
void wm_plain_text(char *text, bool tabs);

/* Print behind what stands in `text`, a buffer of so many bytes; what does not fit is cut off. */
void wm_text_append(char *text, size_t text_bytes, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Fill the error with a code and a sentence, without a place. Returns the code, so that a caller may
 * `return wm_error_set(error, -WM_EMAP, "…")`. `error` may be NULL. */
int wm_error_set(struct wm_error *error, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Add the place. `error` may be NULL; `file` may be NULL for "unchanged". */
void wm_error_place(struct wm_error *error, const char *file, int line, int column);

/* Copy line `error->line` of `text` (`bytes` long) into the excerpt. */
void wm_error_quote(struct wm_error *error, const char *text, size_t bytes);

/* Write "FILE:LINE:COLUMN: SENTENCE\n    LINE\n    ^\n" (what is known of it) into `out`; always ends in NUL and,
 * where it fits, a newline. Returns the length that the whole text has. */
size_t wm_error_format(const struct wm_error *error, char *out, size_t out_bytes);

/* The sentence of a code, "unknown error" for one that is not in the table. */
const char *wm_error_sentence(int code);

/* Of `count` names, the one that is nearest to `word` (edit distance at most a third of its length, at least 1),
 * or NULL when none is near. Used for "did you mean". */
const char *wm_error_nearest(const char *word, const char *const *names, size_t count);

/* The end of a sentence that refuses `word`: "; did you mean 'NAME'?" with `mark` ("--", "#:" or "") before the nearest
 * of `count` names, or "; OTHERWISE" when none is near, or "" when `otherwise` is NULL as well. By value, so that it
 * stands in the call that prints the sentence. */
struct wm_suggestion {
    char text[160];
};

struct wm_suggestion wm_error_suggest(const char *word, const char *const *names, size_t count, const char *mark,
                                      const char *otherwise);

/* The impossible happened: print the place and abort. */
#define WM_BUG(what) wm_bug(__FILE__, __LINE__, what)
_Noreturn void wm_bug(const char *file, int line, const char *what);

#endif
