/* The report as text, printed from its JSON object (tools/report/json.h): so the forms cannot disagree.
 *
 * Tables are data: a column has a heading and a function that writes its cell from a row, an object of the report. */
#ifndef WM_REPORT_TEXT_H
#define WM_REPORT_TEXT_H

#include <jansson.h>
#include "tools/text/table.h"

struct wm_text_report {
    const struct wm_terminal *terminal;
    const json_t *report;
};

/* A cell that is to be written: `key` and `of` are the column's. */
struct wm_text_cell {
    const struct wm_text_report *text;
    struct wm_table *table;
    const json_t *row;
    const char *key, *of;
};

struct wm_text_column {
    const char *heading;
    char alignment; /* l or r */
    void (*write)(const struct wm_text_cell *cell);
    const char *key, *of;                /* for `write` */
    bool (*shown)(const json_t *report); /* NULL: always */
};

enum { WM_TEXT_COLUMNS_MAX = 13 };

/* Which rows of an array a table has. */
struct wm_text_rows {
    const json_t *array;
    size_t most;                                          /* the first so many; 0: all */
    bool (*fits)(const json_t *row, const void *context); /* NULL: each */
    const void *context;
};

/* Print a table under `title` (NULL: none). The columns end with one without a heading. Without a row nothing is
 * printed. */
void wm_text_print_table(const struct wm_text_report *text, const char *title, const struct wm_text_column *columns,
                         const struct wm_text_rows *rows);
void wm_text_print_title(const struct wm_text_report *text, const char *title);

/* Cells, of what the row has under `key`. */
void wm_text_number(const struct wm_text_cell *cell);   /* as it is */
void wm_text_count(const struct wm_text_cell *cell);    /* in groups of three digits */
void wm_text_bytes(const struct wm_text_cell *cell);    /* with a unit */
void wm_text_time(const struct wm_text_cell *cell);     /* with a unit */
void wm_text_share(const struct wm_text_cell *cell);    /* of `of` */
void wm_text_string(const struct wm_text_cell *cell);   /* text */
void wm_text_sequence(const struct wm_text_cell *cell); /* "#7" */
void wm_text_median(const struct wm_text_cell *cell);   /* of a spread of times, "-" of an empty one */
void wm_text_p95(const struct wm_text_cell *cell);      /* the 95th percentile, likewise */
void wm_text_call(const struct wm_text_cell *cell);     /* the operation of a node */
void wm_text_place(const struct wm_text_cell *cell);    /* the place of a node */
void wm_text_source(const struct wm_text_cell *cell);   /* the form of a node in the map */
/* The rank that was waited for most, and its share; "-": nobody. */
void wm_text_late_rank(const struct wm_text_cell *cell);

/* The number under a key, 0 where it is absent. */
int64_t wm_text_get(const json_t *object, const char *key);
/* The text under a key, "" where it is absent. */
const char *wm_text_get_string(const json_t *object, const char *key);
/* "median_ns", "p95_ns" or the like of the spread under `key`. */
int64_t wm_text_get_spread(const json_t *object, const char *key, const char *figure);
/* The definition of a node of the map, NULL: it has none. */
const json_t *wm_text_node(const struct wm_text_report *text, int64_t node);
/* "FILE:LINE", or "node N". */
void wm_text_node_place(const struct wm_text_report *text, int64_t node, char *out, size_t out_bytes);
/* The form of a node in the map. */
const char *wm_text_node_source(const struct wm_text_report *text, int64_t node);
/* The name of a communicator, or "(unnamed)". */
const char *wm_text_communicator(const struct wm_text_report *text, const json_t *row);
/* Are there critical paths? */
bool wm_text_has_paths(const json_t *report);

/* The sections, in order; none prints anything when it has nothing to say. */
void wm_text_print_ends(const struct wm_text_report *text);        /* what was in flight, and who died */
void wm_text_print_lines(const struct wm_text_report *text);       /* where the time of each line of the map goes */
void wm_text_print_native(const struct wm_text_report *text);      /* the same of calls without a rule */
void wm_text_print_spreads(const struct wm_text_report *text);     /* how calls differ: medians and percentiles */
void wm_text_print_delays(const struct wm_text_report *text);      /* who made others wait, doing what */
void wm_text_print_slow(const struct wm_text_report *text);        /* the slowest calls */
void wm_text_print_edges(const struct wm_text_report *text);       /* the dearest edges */
void wm_text_print_conveyors(const struct wm_text_report *text);   /* a section a conveyor */
void wm_text_print_protocols(const struct wm_text_report *text);   /* messages that came before a receive */
void wm_text_print_statements(const struct wm_text_report *text);  /* what each line of the program took */
void wm_text_print_superblocks(const struct wm_text_report *text); /* what regions hid, and what not */
void wm_text_print_under(const struct wm_text_report *text);       /* what the run would have taken by other maps */
void wm_text_print_facts(const struct wm_text_report *text);       /* of the trace itself, and what limits it */

#endif
