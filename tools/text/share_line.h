/* A line on a terminal that says how much of a long work is done. */
#ifndef WM_TEXT_SHARE_LINE_H
#define WM_TEXT_SHARE_LINE_H

#include <stdbool.h>
#include <stdint.h>

struct wm_share_line {
    const char *name; /* whose work: "waymark convert"; NULL: nobody looks */
    bool shown;
    uint64_t looks;
    int64_t next_ns;
};

/* The line appears on stderr, if that is a terminal, after a second. */
struct wm_share_line wm_share_line_begin(const char *name);
/* So much is done, 0 to 1. Costs next to nothing: may be called for each record. */
void wm_share_line_show(struct wm_share_line *line, double share);
/* Wipe the line. */
void wm_share_line_end(struct wm_share_line *line);

#endif
