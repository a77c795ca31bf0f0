/* Lateness for the page: by how much each rank came after the first, instance by instance, for each line of the map.
 *
 * A line's table has a row for each rank, or for as many groups of neighbouring ranks, and a column for each instance,
 * or for neighbouring instances: whenever there are too many columns, pairs of them become one. Of each cell the mean
 * and the maximum are kept, so that one late call in a thousand is still seen. Communicators have tables of their own,
 * which are joined in time order when they are printed. Memory is bounded by WM_PAGE_CELLS_MAX cells of 12 bytes. */
#ifndef WM_PAGE_LATENESS_H
#define WM_PAGE_LATENESS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "tools/analysis/instance.h"

enum { WM_PAGE_ROWS_MAX = 256, WM_PAGE_COLUMNS_MAX = 600, WM_PAGE_CELLS_MAX = 6000000, WM_PAGE_MAPS_MAX = 12 };

struct wm_page_column {
    int64_t begin_ns; /* of its first instance */
    uint32_t sequence, instances;
};

struct wm_page_cell {
    float sum_ns, max_ns;
    uint32_t count;
};

/* Of one line and one communicator. */
struct wm_page_late_table {
    uint16_t node;
    uint8_t operation;
    uint32_t communicator; /* key */
    int row_count;         /* rows that its members have */
    int *rows;             /* of the page */
    int *row_of_member;    /* index in rows */
    uint32_t step;         /* instances a column */
    size_t column_count, column_capacity, cell_capacity;
    struct wm_page_column *columns;
    struct wm_page_cell *cells; /* column by column */
    double sum_ns;
};

struct wm_page_lateness {
    const struct wm_trace *trace;
    int rows; /* of the page */
    size_t columns_max, cell_count;
    size_t table_count, table_capacity, last;
    struct wm_page_late_table *tables;
};

void wm_page_lateness_init(struct wm_page_lateness *lateness, const struct wm_trace *trace);
void wm_page_lateness_release(struct wm_page_lateness *lateness);

/* Add the outermost regions of an instance. 0 or -WM_ENOMEM. */
int wm_page_lateness_add(struct wm_page_lateness *lateness, const struct wm_instance *instance);

/* Print a JSON object: "rows", "ranks" (of the job), "omitted" (lines left out), and "maps", the line with the most
 * lateness first: of each "node", "operation", "max_ns" and "columns" ([begin_ns, instances, communicator, sequence of
 * the first]), and "mean" and "max", base64, a byte a cell, row by row: 0 where the rank takes no part, else from 1 to
 * 255 for lateness t as 1 + 254 * log(1 + t) / log(1 + max_ns). Takes at most `budget_bytes`. 0 or -WM_ENOMEM. */
int wm_page_lateness_print(const struct wm_page_lateness *lateness, size_t budget_bytes, FILE *out);

#endif
