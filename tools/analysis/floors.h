/* Floors: what a call costs when nobody is late, and how much more the regions cost (docs/definitions.md, 14).
 *
 * Regions are classed by line, power of two of the call's bytes, and number of ranks. Of a class, the instances whose
 * skew is in the least quarter show the floor: the 5th percentile of their service times, where there are at least 20
 * of these, else the least. A region below its floor has no excess. */
#ifndef WM_FLOORS_H
#define WM_FLOORS_H

#include "tools/analysis/line_table.h"

struct wm_floor_class; /* tools/analysis/floors.c */

struct wm_floors {
    struct wm_floor_class *classes;
    size_t count, capacity;
    size_t current;                              /* the class of the instance begun last */
    uint32_t first_of_line[WM_LINE_TABLE_LINES]; /* class + 1; the classes of a line are a list */
};

void wm_floors_release(struct wm_floors *floors);

/* Begin an instance of `count` ranks on line number `line`: 0 or -WM_ENOMEM. Then add the service time of each of its
 * regions that ended. */
int wm_floors_begin(struct wm_floors *floors, uint16_t line, uint64_t bytes, uint32_t count, int64_t skew_ns);
void wm_floors_add(struct wm_floors *floors, int64_t service_ns);

/* Set floor_ns and excess_ns of all lines, whose order is as it was. 0 or -WM_ENOMEM. */
int wm_floors_find(struct wm_floors *floors, struct wm_line *lines);

#endif
