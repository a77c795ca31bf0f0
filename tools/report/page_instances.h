/* Instances for the page: which calls are drawn message by message, and their drawings.
 *
 * While the trace is analysed the durations of all outermost instances are noted by line (every second is dropped
 * when there are too many), with the slowest of each. Then some are chosen: the slowest of all with the median of
 * their lines, and the slowest of each line with its median, while there is room. These are shown again
 * (wm_analysis_replay) and drawn: a timeline each, with messages and critical path. */
#ifndef WM_PAGE_INSTANCES_H
#define WM_PAGE_INSTANCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "tools/analysis/instance.h"

enum {
    WM_PAGE_NOTES_MAX = 1000000, /* of 24 bytes */
    WM_PAGE_WORST = 5,
    WM_PAGE_CHOSEN_MAX = 24,
    WM_PAGE_LANES_MAX = 256,    /* ranks drawn of an instance */
    WM_PAGE_MESSAGES_MAX = 400, /* messages, likewise */
    WM_PAGE_STEPS_MAX = 400     /* steps of its critical path */
};

struct wm_page_note {
    int64_t duration_ns;
    uint32_t line, communicator, sequence;
};

/* A line with its worst instances, the worst first. */
struct wm_page_worst {
    uint16_t node;
    uint8_t operation;
    uint64_t instances;
    int count;
    struct wm_page_note worst[WM_PAGE_WORST];
};

struct wm_page_instances {
    uint32_t step, skipped; /* every so many-th is noted */
    size_t note_count, note_capacity;
    struct wm_page_note *notes;
    size_t line_count, line_capacity;
    struct wm_page_worst *lines;
};

/* An instance to be drawn. */
struct wm_page_choice {
    struct wm_page_note note;
    bool median; /* of its line; else one of the worst */
};

/* Note an instance. 0 or -WM_ENOMEM. */
int wm_page_instances_add(struct wm_page_instances *instances, const struct wm_instance *instance);
void wm_page_instances_release(struct wm_page_instances *instances);

/* Choose; sorts the notes. Returns how many. */
int wm_page_instances_choose(struct wm_page_instances *instances, struct wm_page_choice choices[WM_PAGE_CHOSEN_MAX]);

/* Print a JSON array of the chosen ones, at most `budget_bytes` of it: "communicator", "sequence", "node",
 * "operation", "median", "instances" (of the line), "begin_ns", "duration_ns", "bytes", "members" (how many), "ranks"
 * drawn (world ranks), "enter_ns" and "leave_ns" of each after begin_ns (leave null where it never left), "wait_ns",
 * "messages" ([lane, lane, send posted, receive posted, receive done, bytes, 1 if critical]), "messages_total",
 * "critical" ([lane, begin, end, 1 for a message]), and the timeline's members. Reads the trace again. 0 or
 * -WM_ENOMEM. */
int wm_page_instances_print(struct wm_page_instances *instances, struct wm_trace *trace, size_t budget_bytes,
                            FILE *out);

#endif
