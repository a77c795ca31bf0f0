/* Toucan's pragmas in a file, and the statements that they stand before.
 *
 *     #pragma toucan superblock [name(WORD)]        before a for, while or do
 *     #pragma toucan receive|send|compute|pack|unpack   before a statement in its body
 *
 * States: found (its words are read), bound (its statement is known). */
#ifndef WM_TRANSLATE_PRAGMA_H
#define WM_TRANSLATE_PRAGMA_H

#include "tools/translate/c_file.h"

enum { WM_TOUCAN_NAME_BYTES = 128 };

struct wm_toucan_pragma {
    unsigned begin, end;             /* from '#' to behind its last word */
    const char *region;              /* "receive"; NULL: a superblock */
    char name[WM_TOUCAN_NAME_BYTES]; /* a superblock's: the user's, or when it is bound FUNCTION:LINE */
    unsigned statement;              /* where its statement begins; at the end of the file: nowhere */
    bool bound;
    int outer;      /* index of the pragma in whose statement it stands; -1: none */
    unsigned after; /* place behind its statement, ';' included */
};

struct wm_toucan_pragmas {
    struct wm_toucan_pragma *list; /* in their order in the file */
    int count;
};

/* Find all pragmas that the preprocessor does not skip. 0; -WM_EINVAL: one cannot be read, or is made otherwise than by
 * a line of its own; -WM_ENOMEM. Release them in any case. */
int wm_toucan_find(const struct wm_c_file *c, struct wm_toucan_pragmas *pragmas, struct wm_error *error);
void wm_toucan_release(struct wm_toucan_pragmas *pragmas);

/* How a sentence calls a pragma: "superblock" or its region. */
const char *wm_toucan_word(const struct wm_toucan_pragma *pragma);

#endif
