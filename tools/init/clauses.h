/* Clauses: the text of a map cut into its (on …) forms, so that they can stand in another map. */
#ifndef WM_TOOLS_CLAUSES_H
#define WM_TOOLS_CLAUSES_H

#include <stddef.h>
#include <stdint.h>

enum { WM_CLAUSES_MAX = 32 };

struct wm_map_clause {
    const char *begin;   /* of its "(on", in the map's text */
    const char *comment; /* of the comment lines right before; `begin`'s line where there are none */
    const char *end;     /* behind its last parenthesis */
    int line;            /* of `begin`, from 1 */
    uint32_t operations; /* WM_OPERATION_BIT of each */
};

struct wm_map_clauses {
    const char *definitions; /* what stands before the path-map, but for comments at the top */
    const char *map;         /* the path-map */
    int count;
    struct wm_map_clause clauses[WM_CLAUSES_MAX];
};

/* Cut a map that its server has taken, whose path-map comes last and whose clauses begin lines. The text must live as
 * long. Returns 0, or -WM_EMAP where it is not so. */
int wm_map_clauses_read(struct wm_map_clauses *clauses, const char *text);

#endif
