/* Statements: what a trace tells of each, by its line in the program (docs/definitions.md, "Statements"). */
#ifndef WM_STATEMENTS_H
#define WM_STATEMENTS_H

#include "tracer/reader.h"

/* A statement of one place and one text that is carried out in one way, at all ranks and on all communicators. */
struct wm_statement_row {
    const struct wm_trace_statement *definition; /* the first that was read */
    uint16_t node;                               /* of the trace wrapper, of the first record; 0: there is none */
    uint64_t calls, bytes;
    int64_t time_ns, max_ns;
    int ranks, max_rank; /* that made it; whose call took the longest */
};

struct wm_statement_table {
    size_t count;
    struct wm_statement_row *rows; /* of the longest time first; each was made */
    uint64_t unknown;              /* records that no definition explains */
};

/* Of the whole trace, which must live as long. 0 or -WM_ENOMEM; *statements is the caller's (wm_statement_table_free)
 * or NULL. */
int wm_statement_table_make(struct wm_statement_table **statements, struct wm_trace *trace);
void wm_statement_table_free(struct wm_statement_table *statements);

#endif
