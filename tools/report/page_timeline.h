/* A timeline for the page: what each rank did when, as finely as the room for it allows.
 *
 * Time is cut into cells of `resolution_ns`, 1 at first, doubled whenever there is too much. A cell shows one look (a
 * kind of cost and where it arose) or none: time outside of traced calls. Which one: each kind's time is added to its
 * credit, the cell goes to the kind with the greatest and costs it a cell. So what is shorter than a cell is shown now
 * and then, and over any stretch of time the kinds' shares are right to within some cells, whatever the resolution.
 *
 * Memory is bounded: 16 bytes for each of WM_PAGE_SEGMENTS_MAX segments, and as much again while it grows. */
#ifndef WM_PAGE_TIMELINE_H
#define WM_PAGE_TIMELINE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "tools/analysis/observer.h"

enum { WM_PAGE_SEGMENTS_MAX = 3000000, WM_PAGE_LOOKS_MAX = 4096, WM_PAGE_LOOK_SLOTS = 8192 };

struct wm_page_look {
    enum wm_cost_kind kind;
    uint16_t node, region; /* the stage; the outermost trace wrapper, or 0 */
    uint8_t operation;
};

struct wm_page_segment {
    int64_t begin_ns; /* after the origin */
    uint64_t length_ns : 48, look : 16;
};

struct wm_page_lane {
    struct wm_page_segment *segments; /* in time order, without overlap, once fitted */
    size_t count, capacity;
};

struct wm_page_timeline {
    int64_t origin_ns, resolution_ns;
    int lane_count;
    struct wm_page_lane *lanes;
    size_t segment_count; /* of all lanes */
    int look_count;
    struct wm_page_look *looks;
    uint16_t *slots; /* hash table of looks: index + 1 */
};

/* A timeline of so many lanes whose times count from `origin_ns`. 0 or -WM_ENOMEM; release in any case. */
int wm_page_timeline_init(struct wm_page_timeline *timeline, int lane_count, int64_t origin_ns);
void wm_page_timeline_release(struct wm_page_timeline *timeline);

/* Add a piece of a lane's time; in any order. Where two overlap, the one that begins first has the time. 0 or
 * -WM_ENOMEM. */
int wm_page_timeline_add(struct wm_page_timeline *timeline, int lane, const struct wm_page_look *look, int64_t begin_ns,
                         int64_t end_ns);

/* Sort, and coarsen until the encoding takes at most `budget_bytes` (or each lane is one segment). 0 or -WM_ENOMEM. */
int wm_page_timeline_fit(struct wm_page_timeline *timeline, size_t budget_bytes);

/* Print members of a JSON object: "origin_ns", "resolution_ns", "looks": [[kind, node, region, operation name]], and
 * "lanes", base64 of numbers: for each lane the number of its segments, then of each 2 × look (+ 1, and then the
 * cells before it, when it does not follow at once) and its cells. 0 or -WM_ENOMEM. */
int wm_page_timeline_print(const struct wm_page_timeline *timeline, FILE *out);

#endif
