/* The path map, seen from C: a text, and a server process that answers questions about it.
 *
 * `wm_map_open` starts the map server (`libexec/waymark/waymark-map-server`), which loads Guile and the module
 * `(waymark)`, closes its doors (resource limits, no new privileges, a seccomp filter) and only then reads the
 * map's text. Guile never enters the calling process. A question is a call's facts; an answer is a path as JSON and
 * the facts for which it holds. A question may cost the server so much processor time. A server that gets none, because
 * the machine is busy, is waited for, with a word on stderr at growing intervals; one that is killed, stopped or asleep
 * over a question is replaced; when three were lost over one question, it is an error.
 *
 * No function here touches MPI. Not thread-safe: callers serialise per map. */
#ifndef WM_MAP_H
#define WM_MAP_H

#include <stddef.h>
#include <stdint.h>
#include "core/error.h"
#include "core/path/facts.h"

struct wm_map;

enum { WM_MAP_START_MS = 10000 };

struct wm_map_options {
    const char *server;   /* the server's file; NULL: $WAYMARK_LIBEXEC/waymark-map-server, else the installed one */
    unsigned deadline_ms; /* processor time for each question; 0: 10 s */
    unsigned start_ms;    /* the same until a server is ready to read the map; 0: WM_MAP_START_MS */
    unsigned grace_ms;    /* real time beyond these, until the server is judged; 0: 2 s */
};

/* What opening a map tells: all of it is fixed for the map's life. Strings live as long as the map. */
struct wm_map_head {
    uint32_t operations;   /* WM_OPERATION_BIT of each operation with an `on` */
    uint32_t native;       /* of these, those that end in (native) whatever the facts */
    const char *grid_json; /* the `#:grid` as JSON (core/path/grid.h), "null" when the map has none */
    /* Its (subranks …) as JSON, those for a program first, [{"count", "line", "column", and where the map says it
     * "program", "stack", "workers", "steal", "order", "private", "map": "block", "cyclic" or a table}]:
     * core/map/subranks.h. */
    const char *subranks_json;
};

/* Start a server on the map `text` (`text_bytes` long, called `file_name` in messages).
 * Returns 0; -WM_EMAP with place and sentence for a bad map; -WM_ESERVER or -WM_ESYSTEM. *map is NULL on failure. */
int wm_map_open(struct wm_map **map, const char *file_name, const char *text, size_t text_bytes,
                const struct wm_map_options *options, struct wm_error *error);

const struct wm_map_head *wm_map_get_head(const struct wm_map *map);

/* Ask for the path of a call. On success *answer_json is the server's answer, a NUL-terminated JSON object that the
 * caller frees; its form is documented in core/path/path.h.
 * Returns 0; -WM_EMAP (the rule failed, looped, or took too much memory: the place is in `error`); -WM_ESERVER.
 * After -WM_ESERVER the server is gone; the next question starts it again. */
int wm_map_ask(struct wm_map *map, const struct wm_facts *facts, char **answer_json, struct wm_error *error);

/* The same, and the answer holds an "explanation" besides (core/map/explain.h). */
int wm_map_explain(struct wm_map *map, const struct wm_facts *facts, char **answer_json, struct wm_error *error);

/* Ask for the tree that shape procedure `procedure` (a number out of an answer) makes of `size` members: parents[i]
 * receives the parent of member i, -1 for the root. The server checks nothing but that they are integers.
 * Errors as wm_map_ask. */
int wm_map_parents(struct wm_map *map, int procedure, int size, int *parents, struct wm_error *error);

/* Questions asked so far, and the time they took together. */
void wm_map_cost(const struct wm_map *map, unsigned *questions, uint64_t *cost_ns);

/* Close the socket; the server ends. NULL is allowed. */
void wm_map_close(struct wm_map *map);

/* Read a whole map file, or what a pipe brings; nobody is waited for who would write into one. *text is NUL-terminated
 * and the caller's to free. `name` is a path, or, when it holds no '/' and no such file exists, the name of a shipped
 * map (`hierarchy` for $WAYMARK_SPECS/hierarchy.scm or the installed specs). *file_name (caller frees) is the file that
 * was read. */
int wm_map_read(const char *name, char **file_name, char **text, size_t *text_bytes, struct wm_error *error);

#endif
