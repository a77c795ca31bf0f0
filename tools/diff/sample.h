/* The samples of a run: what every call took, filed under keys that another run, under another map, has too.
 *
 *   - a whole call: operation, size of the communicator, size class of its bytes (powers of two);
 *   - a line of the map: operation, and the wrapper as it is written there, with its label; of several that are written
 *     alike the first, second, … in the order of the map. So a line may move;
 *   - an edge: operation and the world ranks of both ends.
 *
 * A series has a sample for each call, in the order of time. Sums of rank time are split into `wait_ns`, for ranks that
 * came late, and the rest: service. A stage's and an edge's time is what was charged to it (tools/analysis/observer.h).
 */
#ifndef WM_DIFF_SAMPLE_H
#define WM_DIFF_SAMPLE_H

#include "tools/analysis/analysis.h"
#include "tools/analysis/observer.h"

enum wm_series_kind { WM_SERIES_CALL, WM_SERIES_LINE, WM_SERIES_EDGE, WM_SERIES_KINDS };

struct wm_sample {
    int64_t begin_ns;
    double duration_ns; /* of whole calls: first rank in to last rank out */
    double time_ns, wait_ns;
    uint64_t regions;                /* of whole calls: ranks that were seen from enter to leave */
    uint32_t communicator, sequence; /* of whole calls; communicator: key */
};

struct wm_series {
    enum wm_series_kind kind;
    uint8_t operation;
    int members, size_class; /* of whole calls */
    int source, destination; /* of edges */
    int ordinal;             /* of lines: among those that are written alike */
    char *text;              /* of lines: as written; else NULL */
    uint16_t node;           /* this run's number: of a line; of the outermost one in the first of whole calls */
    uint64_t bytes_least, bytes_most; /* of whole calls */
    size_t count, capacity;
    struct wm_sample *samples;
    double time_ns;   /* sum over the samples */
    uint64_t stamp;   /* private: the call that the last sample is of */
    size_t next_like; /* private: index + 1 of the next series in the same slot */
};

struct wm_samples {
    struct wm_trace *trace; /* borrowed */
    struct wm_analysis *analysis;
    size_t count, capacity;
    struct wm_series *series;
    double time_ns; /* of all outermost calls, summed over ranks */
    uint64_t calls;

    /* Private to sample.c. */
    size_t slots[1024];
    uint64_t stamp;
    char **text_of_node;
    int *ordinal_of_node;
};

/* Analyse the trace and sample all its calls. 0 or -WM_ENOMEM; release in any case. */
int wm_samples_take(struct wm_samples *samples, struct wm_trace *trace);
void wm_samples_release(struct wm_samples *samples);

/* The series under the same key as `like`, or NULL. */
const struct wm_series *wm_samples_find(const struct wm_samples *samples, const struct wm_series *like);

#endif
