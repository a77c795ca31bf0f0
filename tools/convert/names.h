/* Names: what the states and events of a trace are called, each made once and known by a number from 1.
 *
 * A name says what and where: "allreduce: all (cluster.scm:3)", "operator (cluster.scm:4)", "conveyor edges: working".
 * Two records have the same number exactly when the texts are the same. All texts are UTF-8 whatever the trace holds:
 * what is none is replaced by U+FFFD. */
#ifndef WM_CONVERT_NAMES_H
#define WM_CONVERT_NAMES_H

#include <stddef.h>
#include <stdint.h>
#include "tracer/reader.h"

struct wm_name {
    char *text;
    char *json;       /* the same, quoted */
    char *csv;        /* … as a field of a row */
    char *place_json; /* members for a JSON object, each with a comma before it: ,"file":"a.scm","line":3,… or "" */
    char *place_csv;  /* file,line,column,wrapper,label,source */
    char *source;     /* that line of the map, without the blanks around it; "" where it is not in the trace */
    const char *file; /* NULL: no place in a map */
    int line;
    int operation; /* -1: none */
    uint8_t kind;
};

struct wm_names;

/* Returns 0 or -WM_ENOMEM, and then *names is NULL. They point into the trace. */
int wm_names_new(struct wm_names **names, const struct wm_trace *trace);
void wm_names_free(struct wm_names *names);

/* The number of what the record of this rank speaks of; for an end the same as for the begin. 0: out of memory. */
uint32_t wm_names_find(struct wm_names *names, int rank_index, const struct wm_trace_record *record);
/* By number; good until wm_names_free. */
const struct wm_name *wm_names_get(const struct wm_names *names, uint32_t number);

/* A text in another form, which the caller frees; NULL: out of memory. */
char *wm_text_clean(const char *text); /* valid UTF-8 */
char *wm_text_json(const char *text);  /* a JSON string with its quotes */
char *wm_text_csv(const char *text);   /* a field of a CSV row by RFC 4180 */

/* What a conveyor's record says in its flags, "endgame"; "" where there is nothing to say. */
const char *wm_conveyor_word(const struct wm_trace_record *record);

#endif
