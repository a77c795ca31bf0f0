/* The report as JSON, schema waymark-report/1; docs/report.md says what each key means.
 *
 * Times are whole nanoseconds on the trace's clock. A key whose value is not known is absent. Keys are added in later
 * versions, and not changed. */
#ifndef WM_REPORT_JSON_H
#define WM_REPORT_JSON_H

#include <jansson.h>
#include "tools/findings/findings.h"

#define WM_REPORT_SCHEMA "waymark-report/1"

/* A new object (the caller's), or NULL when memory runs out. Sorts the analysis' spreads, and changes nothing else. */
json_t *wm_report_json(struct wm_trace *trace, struct wm_analysis *analysis);

/* The rest is for the files that write parts of it. */

struct wm_json_writer {
    struct wm_trace *trace;
    struct wm_analysis *analysis;
    bool failed; /* memory ran out; what was made so far is of no use */
};

struct wm_json_number {
    const char *key;
    int64_t value;
};

/* Set a key; takes the value over, and notes a failure when it is NULL. */
void wm_json_put(struct wm_json_writer *writer, json_t *object, const char *key, json_t *value);
void wm_json_append(struct wm_json_writer *writer, json_t *array, json_t *value);
/* Set whole numbers, up to the one whose key is NULL. */
void wm_json_put_numbers(struct wm_json_writer *writer, json_t *object, const struct wm_json_number *numbers);
/* Set text, without a last character that was cut in two; nothing where it is NULL or no UTF-8 at all. */
void wm_json_put_text(struct wm_json_writer *writer, json_t *object, const char *key, const char *text);
/* Set {"n", "median_ns", "p95_ns", "max_ns"}, or with another unit than "_ns"; nothing for an empty spread. */
void wm_json_put_spread(struct wm_json_writer *writer, json_t *object, const char *key, struct wm_spread *spread,
                        const char *unit);

/* The values of the report's object. */
json_t *wm_json_run(struct wm_json_writer *writer);
json_t *wm_json_warnings(struct wm_json_writer *writer); /* sentences that limit what the trace can say */
json_t *wm_json_lines(struct wm_json_writer *writer);
json_t *wm_json_edges(struct wm_json_writer *writer);
json_t *wm_json_conveyors(struct wm_json_writer *writer);
json_t *wm_json_protocols(struct wm_json_writer *writer);
json_t *wm_json_statements(struct wm_json_writer *writer);
json_t *wm_json_superblocks(struct wm_json_writer *writer);
json_t *wm_json_stuck(struct wm_json_writer *writer);
json_t *wm_json_deaths(struct wm_json_writer *writer);

#endif
