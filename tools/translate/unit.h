/* A source file and what libclang makes of it. */
#ifndef WM_TRANSLATE_UNIT_H
#define WM_TRANSLATE_UNIT_H

#include "tools/translate/pragma.h"

struct wm_c_unit {
    char *text;
    size_t bytes;
    CXIndex index;
    CXTranslationUnit unit;
    struct wm_c_file file;
    struct wm_toucan_pragmas pragmas;
};

/* Read and parse a file with a compiler's flags, and bind its pragmas. Refused with place and reason: what cannot be
 * read or does not compile, pragmas that cannot be rewritten, and pragmas of Toucan's in the files that it includes.
 * Release it in any case. */
int wm_c_unit_init(struct wm_c_unit *u, const char *name, const char *const *flags, int flag_count,
                   struct wm_error *error);
void wm_c_unit_release(struct wm_c_unit *u);

#endif
