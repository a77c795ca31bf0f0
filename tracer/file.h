/* The first page of a rank-NNNNN.trace file, shared by the recorder and the reader. Exact form:
 * tracer/FORMAT.md.
 *
 * States: open (the writer lives, or died without a word), closed (wm_recorder_close ran; the closing pair is
 * valid). `head` counts all records offered since the start, stored or not; it has a cache line of its own,
 * because it is the one field that changes with each record. Record number i (from 0) lies at slot i %
 * capacity in flight mode, at slot i in full mode if i < capacity, and nowhere otherwise; so in both modes
 * what exceeds the capacity is lost. */
#ifndef WM_TRACE_FILE_H
#define WM_TRACE_FILE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include "tracer/clock.h"
#include "tracer/tracer.h"

#define WM_TRACE_MAGIC "WMTRACE1"

enum {
    WM_TRACE_HEADER_BYTES = 4096,
    WM_TRACE_BYTE_ORDER = 0x01020304,
    WM_TRACE_CAPACITY_MIN = 128,
    WM_TRACE_KEPT_MAX = 32
};

enum wm_trace_state { WM_TRACE_OPEN, WM_TRACE_CLOSED };

struct wm_trace_header {
    char magic[8];
    uint32_t byte_order;   /* WM_TRACE_BYTE_ORDER as the writer stores it */
    uint32_t header_bytes; /* where the records begin */
    uint32_t record_bytes;
    uint32_t mode;  /* enum wm_trace_mode */
    uint32_t clock; /* 1: rdtsc, 0: CLOCK_MONOTONIC */
    int32_t rank;
    uint64_t capacity; /* records; a power of two */
    double ticks_per_second;
    struct wm_clock_pair start;
    struct wm_clock_pair close; /* valid once closed */
    _Atomic uint32_t state;
    unsigned char reserved[128 - 100];
    _Atomic uint32_t asked; /* the level that a watcher asks for, plus 1 (tracer/live.h); 0: nobody asked */
    unsigned char reserved_more[1016 - 132];
    _Atomic uint64_t kept_count;                    /* record i of those that are kept lies at i % WM_TRACE_KEPT_MAX */
    struct wm_trace_record kept[WM_TRACE_KEPT_MAX]; /* CLOCK and SYNC, the newest, as among the records */
    _Atomic uint64_t head;
    unsigned char rest[2040];
};
_Static_assert(sizeof(struct wm_trace_header) == WM_TRACE_HEADER_BYTES, "the header fills its page");
_Static_assert(offsetof(struct wm_trace_header, asked) == 128, "a watcher asks where FORMAT.md says");
_Static_assert(offsetof(struct wm_trace_header, kept) == 1024, "what is kept is where FORMAT.md says");
_Static_assert(offsetof(struct wm_trace_header, head) == 2048, "head is where FORMAT.md says");

#endif
