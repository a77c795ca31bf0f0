/* What a map says of subranks: how many of a program live in each process, and which. Pure. */
#ifndef WM_MAP_SUBRANKS_H
#define WM_MAP_SUBRANKS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include "core/error.h"

/* The clause for a program. */
struct wm_subranks {
    int count;   /* in each process; 0: the map does not say */
    int workers; /* of each process; 0: the map does not say */
    bool steals;
    uint64_t stack_bytes; /* 0: the map does not say */
    bool cyclic;          /* dealt out over the processes, where there is no table */
    const json_t *table;  /* [process][subrank] its rank; NULL: there is none. It is the clauses' */
    int line, column;
};

/* Whether this has the form of a map's clauses (core/map/map.h), with numbers that can be. */
bool wm_subranks_are_clauses(const json_t *clauses);

/* The clause for the program of this path: by its file's name, or the one for all. All zeros where there is none.
 * `clauses`: NULL is none. */
struct wm_subranks wm_subranks_choose(const json_t *clauses, const char *program);

/* Number the ranks of a job of so many processes: endpoint[rank] is process × count + subrank. `count`: of each
 * process, whoever has said it. Returns 0, or -WM_EMAP, with the clause's line and column, where its table is for
 * another job. */
int wm_subranks_number(const struct wm_subranks *subranks, int processes, int count, int *endpoint,
                       struct wm_error *error);

#endif
