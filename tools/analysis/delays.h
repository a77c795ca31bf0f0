/* Delays: what the ranks that others waited for had done too long (docs/definitions.md, 12).
 *
 * For each group of regions (tools/analysis/history.h) and each late rank q in it: the call that synchronised q with
 * the first rank that waited for it is the latest earlier one, on any communicator, in which both were and everybody
 * depends on everybody, or one of the two waited for the other. What each rank of the group did from leaving that call
 * to entering this one is time outside of traced calls (and not while recording was off), and time in calls by line.
 * What q did longer than the mean of the others is its excess, by cause, and shares the waits for q in proportion, to
 * the nanosecond. Where nothing was longer, or there are no others, the cause is computing. Without such a call among
 * the last 64 of the waiting rank, the time reaches back to the earliest of these, or to the start of what is on
 * record. */
#ifndef WM_DELAYS_H
#define WM_DELAYS_H

#include "tools/analysis/history.h"
#include "tools/analysis/line_table.h"

/* Fill analysis->delays, the dearest first. The history is finished, the line_table's lines are in their first order.
 * Time O(notes + spans between synchronising calls), O(distinct late ranks of a group times its notes) where they
 * differ in the call. 0 or -WM_ENOMEM. */
int wm_delays_find(struct wm_analysis *analysis, const struct wm_history *history,
                   const struct wm_line_table *line_table);

#endif
