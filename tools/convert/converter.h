/* Converters: a trace written in another tool's format, event by event.
 *
 * A format is one record of this form in a file of its own, and a line in tools/convert/formats.c. The driver
 * (tools/convert/convert.h) opens the trace, chooses ranks and a window, brings each rank's records into the order of
 * time, makes states of them that nest (tools/convert/tracks.h), and hands one event after the other to `take`. Nothing
 * is kept: memory does not grow with the events.
 *
 * Order: WM_ORDER_RANKS: one rank after the other, begin_rank and end_rank around it. WM_ORDER_TIME: all begin_rank,
 * then the events of all ranks merged in time, then all end_rank. */
#ifndef WM_CONVERT_CONVERTER_H
#define WM_CONVERT_CONVERTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "core/error.h"
#include "tools/convert/event.h"
#include "tools/convert/names.h"
#include "tools/convert/sink.h"
#include "tracer/reader.h"

enum wm_converter_order { WM_ORDER_RANKS, WM_ORDER_TIME };

/* What was read and handed on, for the last line and for tests. */
struct wm_converter_counts {
    uint64_t records[WM_TRACE_KIND_COUNT]; /* within the selection */
    uint64_t begins, ends;                 /* of states; equal at the end */
    uint64_t cut;                          /* ends that no record tells of: of the rank, or of the window */
    uint64_t headless;                     /* leaves without an enter: the ring had lost it */
    uint64_t tangled;                      /* states closed early because one around them ended */
    uint64_t damaged;                      /* records at impossible times or of impossible operations, left out */
    uint64_t clamped;                      /* records so late in the file that their time had to be raised */
};

struct wm_converter {
    const struct wm_converter_class *class;
    struct wm_trace *trace;
    struct wm_names *names;
    const bool *chosen; /* by index in trace->ranks */
    int host_count;
    int *host_of;             /* by index in trace->ranks: a number from 0 */
    const char **hosts;       /* their names, by that number */
    int64_t begin_ns, end_ns; /* the window; all: INT64_MIN, INT64_MAX */
    struct wm_sink *output;   /* formats of a directory: to say its size by wm_sink_count */
    const char *directory;    /* formats of a directory: an empty one to write to; NULL for others */
    uint64_t max_bytes;
    struct wm_error *error; /* for a class's own sentences */
    struct wm_converter_counts counts;
    void *state; /* the class's own, freed by its `release` */
};

struct wm_converter_class {
    const char *name;   /* "chrome" */
    const char *suffix; /* of a file without -o: ".json" */
    const char *absent; /* NULL, or the sentence that says what is needed for this format */
    bool directory;     /* it writes a directory through a library of its own */
    enum wm_converter_order order;
    /* All return 0, or a negative code; what the sticky error of the output says needs no code. No slot is
     * NULL; `release` comes in any case after `begin`. */
    int (*begin)(struct wm_converter *converter);
    int (*begin_rank)(struct wm_converter *converter, int rank_index);
    int (*take)(struct wm_converter *converter, const struct wm_event *event);
    int (*end_rank)(struct wm_converter *converter, int rank_index);
    int (*end)(struct wm_converter *converter);
    void (*release)(struct wm_converter *converter);
};

/* The slots of a format that does nothing there. */
int wm_converter_no_frame(struct wm_converter *converter);
int wm_converter_no_rank(struct wm_converter *converter, int rank_index);
void wm_converter_no_state(struct wm_converter *converter);

/* All formats, in the order of the help; ends in NULL. */
extern const struct wm_converter_class *const wm_converter_classes[];
/* The one of this name, or NULL. */
const struct wm_converter_class *wm_converter_find(const char *name);

#endif
