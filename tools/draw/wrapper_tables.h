/* The tables of docs/maps.md in Markdown, out of the records: what a map is made of. */
#ifndef WM_TOOLS_WRAPPER_TABLES_H
#define WM_TOOLS_WRAPPER_TABLES_H

#include <stdio.h>

/* Their names, as an option's choice. */
#define WM_WRAPPER_TABLES "facts|operations|wrappers|parameters|shapes"

/* Print one, by its index among these names. */
void wm_wrapper_tables_print(int table, FILE *out);

#endif
