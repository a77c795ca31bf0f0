/* A file of C as libclang has parsed it: tokens, and what the preprocessor made of them.
 *
 * Places are offsets in bytes from the file's beginning. What libclang says of macros is said of where they are
 * expanded. */
#ifndef WM_TRANSLATE_C_FILE_H
#define WM_TRANSLATE_C_FILE_H

#include <clang-c/Index.h>
#include <stdbool.h>
#include <stddef.h>
#include "core/error.h"

struct wm_c_token {
    unsigned begin, end;
    enum CXTokenKind kind;
    bool skipped;  /* the preprocessor left it out: behind "#if 0" */
    int directive; /* which of the preprocessor's lines it is in, from 1; 0: in none */
};

struct wm_c_range {
    unsigned begin, end;
};

struct wm_c_file {
    CXTranslationUnit unit;
    CXFile file;
    const char *text; /* the unit's */
    size_t bytes;
    struct wm_c_token *tokens;
    size_t token_count;
    struct wm_c_range *expansions; /* of macros, arguments included, in their order */
    size_t expansion_count;
};

/* Read the tokens of a file of the unit. The unit has to be parsed with a detailed preprocessing record.
 * 0 or -WM_ENOMEM; release it in either case. */
int wm_c_file_init(struct wm_c_file *c, CXTranslationUnit unit, CXFile file, struct wm_error *error);
void wm_c_file_release(struct wm_c_file *c);

/* Does the token read so? */
bool wm_c_token_is(const struct wm_c_file *c, const struct wm_c_token *token, const char *text);

/* The first token at or behind a place, or behind all of them: tokens + token_count. */
const struct wm_c_token *wm_c_file_token_at(const struct wm_c_file *c, unsigned place);

/* Put the place of a location into *place, if it is in this file. */
bool wm_c_file_place(const struct wm_c_file *c, CXSourceLocation location, unsigned *place);

/* Is the byte part of what a macro expands? */
bool wm_c_file_in_macro(const struct wm_c_file *c, unsigned place);

/* Set an error whose sentence is printed by `format`, with the place in its file and the line there; the second takes a
 * location in any file of the unit. Returns -WM_EINVAL. */
int wm_c_file_refuse(const struct wm_c_file *c, unsigned place, struct wm_error *error, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
int wm_c_file_refuse_location(CXTranslationUnit unit, CXSourceLocation location, struct wm_error *error,
                              const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
