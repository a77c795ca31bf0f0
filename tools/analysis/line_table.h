/* The line table: the totals of each line of the map and of each edge, found by name and made when the name is new. */
#ifndef WM_LINE_TABLE_H
#define WM_LINE_TABLE_H

#include "tools/analysis/analysis.h"

enum { WM_LINE_TABLE_LINES = 4096 }; /* more are not kept: no map is that long, but a damaged trace may say so */

struct wm_line_table {
    int job_ranks;
    size_t line_count;
    struct wm_line *lines; /* WM_LINE_TABLE_LINES of them: pointers into it stay good */
    uint32_t *line_slots;  /* hash tables: index + 1, 0: empty */
    size_t edge_count, edge_capacity;
    struct wm_edge_cost *edges;
    uint32_t *edge_slots;
    size_t edge_slot_count;
    bool out_of_memory; /* stays set once something had to be left out for it */
};

/* 0 or -WM_ENOMEM; release in any case. */
int wm_line_table_init(struct wm_line_table *line_table, int job_ranks);
void wm_line_table_release(struct wm_line_table *line_table);

/* The line of `node` under `operation`, NULL when there are too many. Lives as long as the line_table. */
struct wm_line *wm_line_table_line(struct wm_line_table *line_table, uint16_t node, uint8_t operation);
/* The totals of an edge, NULL when out of memory. They live until the next call. */
struct wm_edge_cost *wm_line_table_edge(struct wm_line_table *line_table, uint16_t node, int source, int destination);

/* What messages of `bytes` cost on this stage; NULL when out of memory. Lives until the next call. */
struct wm_size_cost *wm_line_table_size(struct wm_line_table *line_table, struct wm_line *line, uint64_t bytes);

/* Add time that `rank` spent on `line` without waiting. */
void wm_line_table_exclusive(struct wm_line_table *line_table, struct wm_line *line, int rank, int64_t time_ns);
/* Set the imbalance of all lines, from these. */
void wm_line_table_balance(struct wm_line_table *line_table);

/* Add a value; out_of_memory tells when it was left out. */
void wm_line_table_spread(struct wm_line_table *line_table, struct wm_spread *spread, int64_t value);

/* Note on `line` that somebody waited for `rank`, and that it came last in an instance. */
void wm_line_table_blame(struct wm_line_table *line_table, struct wm_line *line, int rank, int64_t wait_ns);
void wm_line_table_came_last(struct wm_line_table *line_table, struct wm_line *line, int rank);

/* Free what hangs on lines and edges, and them. */
void wm_line_table_lines_free(struct wm_line *lines, size_t count);
void wm_line_table_edges_free(struct wm_edge_cost *edges, size_t count);

#endif
