/* How the parts of a wrapper's class record are written, for `waymark wrappers` and the tables of docs/maps.md. */
#ifndef WM_TOOLS_WRAPPER_WORDS_H
#define WM_TOOLS_WRAPPER_WORDS_H

#include "core/path/wrapper.h"

/* Of every text here. */
enum { WM_WORDS_BYTES = 1024 };

/* Append a word, behind the separator where the text is not empty. */
void wm_words_append(char *text, const char *separator, const char *word);

/* The name of the parameter's type: "shape". */
const char *wm_words_type(const struct wm_param *param);

/* Does a map quote what it gives: 'ring, 'large? */
bool wm_words_quoted(const struct wm_param *param);

/* Write a shape as a map does, each way: "'butterfly (butterfly K)". */
void wm_words_shape(enum wm_shape_kind kind, char *text);

/* Write the names of operations; "any operation" and "any collective operation" for all of these. */
void wm_words_operations(uint32_t operations, char *text);

#endif
