/* The map's text: where a node of the trace stands in it, and what would have to stand there instead.
 *
 * A form is one expression, from its parenthesis to the matching one; strings, comments and characters are read past.
 * Forms point into the trace's map text. Lines and columns are counted from 1, columns in bytes. */
#ifndef WM_MAP_TEXT_H
#define WM_MAP_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include "tools/findings/findings.h"

struct wm_map_form {
    const char *begin;
    size_t length;
};

/* The form that begins at a parenthesis of a text. False: it is not closed, or none begins there. */
bool wm_map_form_at(const char *begin, struct wm_map_form *form);

/* The form of a node; the path around it, that is the innermost (path …). False where the text does not show it. */
bool wm_map_form_of_node(const struct wm_trace *trace, uint16_t node, struct wm_map_form *form);
bool wm_map_path_around(const struct wm_trace *trace, const struct wm_map_form *form, struct wm_map_form *path);

/* The first form in the path that is a `wrapper`; a stage of whatever kind. False: none. */
bool wm_map_wrapper_in(const struct wm_map_form *path, const char *wrapper, struct wm_map_form *form);
bool wm_map_stage_in(const struct wm_map_form *path, struct wm_map_form *form);

/* Does the form say so, as a word of its own? "'mpi", "#:shape". */
bool wm_map_form_says(const struct wm_map_form *form, const char *word);
/* The word behind `word` in the form, copied: "8KiB" behind "#:eager". False: it does not say. */
bool wm_map_form_value(const struct wm_map_form *form, const char *word, char *out, size_t out_bytes);

/* Does the map say which axes there are, instead of taking those of the machine? */
bool wm_map_has_grid(const struct wm_trace *trace);

/* The edit that puts `after` in the form's place. False, and no edit, where there is not room for it. */
bool wm_edit_replace(struct wm_edit *edit, const struct wm_trace *trace, const struct wm_map_form *form,
                     const char *after);

#endif
