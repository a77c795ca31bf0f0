/* The totals: adds up what each instance cost, by line of the map, by edge, and by rank waited for; keeps the slowest
 * instances. Of one instance after another it asks tools/analysis/waits.c who waited for whom,
 * tools/analysis/messages.c for what arrived, tools/analysis/line_times.c for where each region's time went,
 * tools/analysis/paths.c for the critical path. */
#ifndef WM_TOTALS_H
#define WM_TOTALS_H

#include "tools/analysis/analysis.h"
#include "tools/analysis/floors.h"
#include "tools/analysis/history.h"
#include "tools/analysis/instance.h"
#include "tools/analysis/line_table.h"
#include "tools/analysis/observer.h"

struct wm_totals {
    struct wm_trace *trace;
    struct wm_analysis *analysis;
    const struct wm_observer *observer; /* NULL: nobody */
    int observer_status;                /* the first failure it reported; else 0 */
    struct wm_line_table line_table;
    struct wm_history history;
    struct wm_floors floors;
    uint64_t group;                   /* number of the instance, from 1 */
    int *index_of_rank;               /* world rank to rank index, -1: no trace */
    struct wm_attributed_edge *edges; /* the rest is scratch: edges of one region, … */
    size_t edge_capacity;
    int64_t *times; /* when a rank began to do something */
    size_t time_capacity;
    struct wm_region **regions; /* regions of one node */
    size_t region_capacity;
    int *region_of_member;
    size_t member_capacity;
};

/* 0 or -WM_ENOMEM; release in any case. What the totals find is written into `analysis`; lines and edges
 * stay in the line_table until they are taken. */
int wm_totals_init(struct wm_totals *totals, struct wm_trace *trace, struct wm_analysis *analysis,
                   const struct wm_observer *observer);
void wm_totals_release(struct wm_totals *totals);

/* Add an instance that has all its runs. 0 or -WM_ENOMEM. */
int wm_totals_add(struct wm_totals *totals, struct wm_instance *instance);

/* The sums that need all instances: floors, delays, efficiencies. The lines stay in the line_table. 0 or -WM_ENOMEM. */
int wm_totals_finish(struct wm_totals *totals);

/* The line of `node`, as one of this instance's; NULL when there are too many. */
struct wm_line *wm_totals_line(struct wm_totals *totals, uint16_t node, uint8_t operation);
/* How far times of two world ranks must differ to be told apart; 0 where one has no trace. */
int64_t wm_totals_apart_ns(const struct wm_totals *totals, int rank, int other_rank, int64_t time_ns);

#endif
