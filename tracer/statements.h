/* Statements in a trace's definitions. Nothing in a definition is trusted. */
#ifndef WM_TRACE_STATEMENTS_H
#define WM_TRACE_STATEMENTS_H

#include <jansson.h>
#include <stdint.h>

/* As one rank defines it: a statement of the program on one communicator, carried out in one way. */
struct wm_trace_statement {
    int number; /* this rank's, from 1 */
    char *name; /* "": it has none */
    char *text;
    char *file; /* of the program */
    int line;   /* 0: unknown */
    char *carried;
};

/* Read a definition. Returns 0, 1 when it is not understood, -WM_ENOMEM; release what it holds after 0 alone. */
int wm_trace_statement_read(struct wm_trace_statement *statement, const json_t *definition);

void wm_trace_statement_release(struct wm_trace_statement *statement);

#endif
