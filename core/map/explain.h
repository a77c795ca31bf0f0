/* Explanations: why a call gets the path that it gets, in sentences.
 *
 * An answer of wm_map_explain holds, beside what core/path/path.h says,
 *   "explanation": {"line": 4,        of the operation's `on`; null: the map has none
 *                   "rules": [{"line": 5, "column": 6, "text": "(<= bytes 2KiB)", "holds": false,
 *                              "facts": {"bytes": 4096}}, …],
 *                   "untried": 2,     rules behind the one that holds, which nobody looked at
 *                   "facts": {…}}     what the path of the rule that holds looked at
 * "rules" are those that were tried, in the map's order, with their predicates as they are written: "else" for such a
 * rule, null for a path that stands alone. "facts" are those that the predicate did look at, with what they were.
 * Pure: neither the server nor MPI is touched. */
#ifndef WM_MAP_EXPLAIN_H
#define WM_MAP_EXPLAIN_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "core/path/path.h"
#include "core/path/facts.h"

/* What a line is about. */
enum wm_explain_kind {
    WM_EXPLAIN_OPERATION, /* where the rules of the operation are */
    WM_EXPLAIN_PASSED,    /* a rule that did not hold */
    WM_EXPLAIN_CHOSEN,    /* the rule that holds */
    WM_EXPLAIN_MORE,      /* of the rule that holds: what its path depends on, what comes behind it */
    WM_EXPLAIN_RESULT     /* for which calls the answer holds, and what it means where no path is walked */
};

/* Takes one line, without a newline. `text` lives until it returns. */
typedef void wm_explain_take(void *context, enum wm_explain_kind kind, const char *text);

/* Hand the lines of `answer` (one of wm_map_explain) to `take`, in order. `file`: the map's, as it is to be called. */
void wm_explain(const json_t *answer, const struct wm_facts *facts, const char *file, wm_explain_take *take,
                void *context);

/* The same as one text, with the call before and the path behind it, each line behind `prefix`: for a log. The caller
 * frees it; NULL when there is no memory. */
char *wm_explain_text(const json_t *answer, const struct wm_facts *facts, const char *file, const char *prefix);

/* Has this text not been given to this function before? It remembers some hundreds, so that a log need not say the same
 * of one communicator after another. Not thread-safe. */
bool wm_explain_is_new(const char *text);

/* Say on stderr, once, what in the path of an answer is probably a mistake. `text`: the map's. Not thread-safe. */
void wm_explain_doubt(const struct wm_path *path, const char *file, const char *text, size_t bytes);

#endif
