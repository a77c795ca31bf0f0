/* A path: the stack of wrappers that a call goes through, outermost first, and the facts for which it holds.
 *
 * The map server's answer is one JSON object:
 *   {"bytes": [0, 2048],         the path holds for this range of bytes, both ends included; null for no upper end
 *    "commutative?": [1, 1],     likewise of each other fact of core/path/validity.h that a rule looked at; 1: true
 *    "protocol": [1, 1],          a rule looked at the name of the messages' protocol
 *    "communicator": [1, 1],      a rule looked at the communicator's name
 *    "rule": {"line": 5, "column": 5},
 *    "path": [{"wrapper": "reduce", "node": 3, "line": 6, "column": 12, "arguments": [VALUE, …],
 *              "keywords": {"shape": VALUE, …}}, …]}
 * A VALUE is
 *   2048                        a number (bytes and counts are integers)
 *   "text"                      a string
 *   true | false
 *   {"symbol": "binomial"}      a quoted symbol
 *   {"axis": "core"}            an axis
 *   [VALUE, …]                  a list: {"symbol":"k-nomial"}, 4
 *   {"tree": [0, [1, [3]], [2]]}   an explicit tree: label, then children
 *   {"procedure": 2}            a shape procedure; wm_map_parents asks it
 *   {"parents": {"4": [-1, 0, 0, 1]}, "procedure": 2}  the same, once asked
 * "node" numbers the places of the map where wrappers are written (by line, then column), from 1. Beside them stands
 * "places", {"0": [6, 19], "shape": [6, 24, 6, 32]}: line and column of each positional argument, and of each keyword
 * and its value.
 * "path" and "rule" are null when no rule's predicate holds, or the operation has no rule: the call stays native, a
 * conveyor is what its constructor asks for, messages go as their group's limits say, and statements as they are. */
#ifndef WM_PATH_H
#define WM_PATH_H

#include <jansson.h>
#include <stdint.h>
#include "core/error.h"
#include "core/path/facts.h"
#include "core/path/grid.h"
#include "core/path/validity.h"
#include "core/path/wrapper.h"

enum { WM_PATH_WRAPPERS_MAX = 32, WM_PATH_STAGES_MAX = WM_GRID_AXES_MAX };

struct wm_layout;

struct wm_path {
    enum wm_operation operation;
    struct wm_validity validity;
    int rule_line;
    _Atomic int users;
    uint64_t hash; /* of the answer, where that is kept; 0: not known */
    bool native;   /* ends in `native`: the MPI library does it */
    bool failed;   /* native for want of an answer: the map failed */
    bool named;    /* it holds for this protocol alone */
    int wrapper_count;
    struct wm_wrapper wrappers[WM_PATH_WRAPPERS_MAX];
    int stage_count;
    int stages[WM_PATH_STAGES_MAX]; /* indices into wrappers */
};

/* Read an answer and check it: known wrappers, keywords, types and ranges; shapes that the wrapper serves; a stage that
 * serves the operation; axes that together cover the grid once; nothing after `native`.
 * A conveyor's path has no stage: at least one wrapper, none of them twice, and a design (core/path/design.h); so has
 * one of messages, or of a statement (core/path/message_design.h).
 * Returns 0, -WM_ENOMEM, -WM_EMAP with the place in `file`. *path is new (wm_path_free) or NULL. */
int wm_path_parse(struct wm_path **path, const json_t *answer, enum wm_operation operation, const struct wm_grid *grid,
                  const char *file, struct wm_error *error);

/* One user more, and one less: the last one frees it. NULL is allowed. Any thread. */
struct wm_path *wm_path_take(struct wm_path *path);
void wm_path_free(struct wm_path *path);

/* Is something in the path probably a mistake, for a call that it holds for? The first such thing, with its place. */
bool wm_path_doubt(const struct wm_path *path, struct wm_error *doubt);

/* How the path's calls are verified, where it says so. */
enum wm_path_verifies { WM_PATH_VERIFIES_EACH, WM_PATH_VERIFIES_RESULTS };
/* Is what its calls give to be looked at? */
bool wm_path_verifies_results(const struct wm_path *path);

/* Does the path hold for this call? */
bool wm_path_serves(const struct wm_path *path, const struct wm_facts *facts);

#endif
