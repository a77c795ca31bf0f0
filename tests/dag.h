/* One rank's plan looked at alone: is it a sound DAG, and do its dependencies forbid every race?
 *
 * Sound: successors, dependencies and roots agree, edges lead forward, counts are positive, peers are other ranks,
 * every reference lies within its buffer, message numbers count up by peer and way, traced steps lie within their
 * marks. A race: two steps that touch a common unit, one of them writing, with no path of dependencies between them;
 * but for two reductions into one target, which may come in any order if the operator commutes and no order is fixed.
 * Pure; it ends the process when there is no memory. */
#ifndef WM_TESTS_DAG_H
#define WM_TESTS_DAG_H

#include <stdbool.h>
#include <stddef.h>
#include "core/plan.h"
#include "tests/symbolic.h"

/* What a plan may touch. */
struct dag_rules {
    int rank, ranks;
    size_t send_units, receive_units; /* 0: the buffer is not this rank's to touch */
    bool receive_fixed;               /* receive may be read, not written */
    bool reductions_commute;          /* two reductions into one target need no order */
    bool traced;                      /* marks were wanted */
    int race_steps_max; /* look for races and marks in plans of at most so many steps: it takes steps² bits */
};

/* True, or false with a sentence in `fault`. */
bool dag_check(struct arena *arena, const struct wm_plan *plan, const struct dag_rules *rules, char *fault,
               size_t fault_bytes);

/* "the send buffer", "temporary 3", in `text`, which is returned. */
enum { DAG_NAME_CHARS = 32 };
const char *dag_buffer_name(int buffer, char text[DAG_NAME_CHARS]);

#endif
