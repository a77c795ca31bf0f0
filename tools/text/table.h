/* Tables for a terminal: columns as wide as their widest cell; the last one takes what is left of the page.
 */
#ifndef WM_TABLE_H
#define WM_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct wm_page {
    FILE *file;
    int columns; /* 80 to 110 */
    bool color;
};

/* The page that `file` is: its width and whether it takes colour (a terminal, and NO_COLOR is not set). */
struct wm_page wm_page_of(FILE *file);

/* Escape sequences, "" without colour. */
const char *wm_page_bold(const struct wm_page *page);
const char *wm_page_warn(const struct wm_page *page);
const char *wm_page_dim(const struct wm_page *page);
const char *wm_page_plain(const struct wm_page *page);

/* Print words, broken at the page's edge: `first` before the first line, and as many blanks before the others
 * as `first` is wide. */
void wm_page_wrap(const struct wm_page *page, const char *first, const char *text);

struct wm_table {
    int column_count;
    const char *alignment; /* a letter a column: l or r */
    size_t cell_count, cell_capacity;
    char **cells; /* row by row; the first row is the heading */
    bool out_of_memory;
};

void wm_table_init(struct wm_table *table, const char *alignment);
/* Add the next cell; rows fill themselves. Control characters become blanks. */
__attribute__((format(printf, 2, 3))) void wm_table_cell(struct wm_table *table, const char *format, ...);
/* Print with an indent of two and release the cells. Nothing is printed when there are no rows but the
 * heading. */
void wm_table_print(struct wm_table *table, const struct wm_page *page);

#endif
