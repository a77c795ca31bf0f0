/* Numbers with their units, as a person reads them. */
#ifndef WM_UNITS_H
#define WM_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Short text by value, so that several stand in one printf: wm_time_text(ns).text. UTF-8. */
struct wm_text {
    char text[48];
};

struct wm_text wm_time_text(int64_t ns);                         /* "812 ns", "4.56 µs", "1.23 s", "2 min 05 s" */
struct wm_text wm_bytes_text(uint64_t bytes);                    /* "8 B", "9.4 KiB" */
struct wm_text wm_count_text(uint64_t count);                    /* "1,234"; from ten million on "12.3 M" */
struct wm_text wm_number_text(uint64_t count, const char *noun); /* "1 call", "1,234 calls" */
struct wm_text wm_share_text(int64_t part, int64_t whole);       /* "71 %", "<1 %", "0 %"; "-" of nothing */

/* "0-3, 5, 7-9" of ascending numbers; ends in "…" when it does not fit. */
void wm_ranks_text(const int *ranks, int count, char *out, size_t out_bytes);

/* Columns that UTF-8 text takes. */
size_t wm_text_columns(const char *text);

#endif
