/* What is shown of a comparison: text, or JSON. */
#ifndef WM_DIFF_SHOW_H
#define WM_DIFF_SHOW_H

#include <jansson.h>
#include "tools/diff/compare.h"
#include "tools/text/table.h"

enum { WM_DIFF_CHARS = 1024 };

/* The verdict in a sentence or two: how much faster or slower the second run is, and which calls made it so. */
void wm_diff_sentence(const struct wm_diff *diff, char *out, size_t out_bytes);
/* What makes the comparison doubtful, sentence by sentence; number from 0. False when there is none of this number. */
bool wm_diff_warning(const struct wm_diff *diff, int number, char *out, size_t out_bytes);
/* "allreduce of 64 B on 4 ranks", "allreduce: (reduce core)", "allreduce: 0 → 1". */
void wm_diff_row_text(const struct wm_diff *diff, const struct wm_diff_row *row, char *out, size_t out_bytes);

void wm_diff_print(const struct wm_terminal *terminal, const struct wm_diff *diff);
json_t *wm_diff_json(const struct wm_diff *diff); /* a new reference; NULL: out of memory */

#endif
