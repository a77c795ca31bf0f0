/* Text for a terminal, and tables of it: columns as wide as their widest cell; the last one takes what is left. */
#ifndef WM_TABLE_H
#define WM_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* What text is printed to: a terminal, or a file as if it were one. */
struct wm_terminal {
    FILE *file;
    int columns; /* 80 to 110 */
    bool color;
};

/* The terminal behind `file`: its width, and whether it takes colour: if it is one, and NO_COLOR is not set. */
struct wm_terminal wm_terminal_of(FILE *file);

/* Escape sequences, "" without colour. */
const char *wm_terminal_bold(const struct wm_terminal *terminal);
const char *wm_terminal_warn(const struct wm_terminal *terminal);
const char *wm_terminal_dim(const struct wm_terminal *terminal);
const char *wm_terminal_plain(const struct wm_terminal *terminal);

/* Print words, broken at the terminal's edge: `first` before the first line, and as many blanks before the others
 * as `first` is wide. */
void wm_terminal_wrap(const struct wm_terminal *terminal, const char *first, const char *text);

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
void wm_table_print(struct wm_table *table, const struct wm_terminal *terminal);

#endif
