/* Messages of protocols: what a trace tells of each endpoint (docs/definitions.md, "Messages of protocols").
 *
 * A message that comes before a receive for it waits: as a copy, or its header alone, with the data at its sender. A
 * receive that comes before its message waits, too. How long is read off the record of their match. */
#ifndef WM_PROTOCOLS_H
#define WM_PROTOCOLS_H

#include "tracer/reader.h"

/* Matches of one way. */
struct wm_protocol_met {
    uint64_t count;
    int64_t wait_ns, wait_max_ns;
};

struct wm_protocol_end {
    const struct wm_trace_protocol *definition;
    int rank;      /* in the job */
    uint16_t node; /* of the trace wrapper, 0: not seen */
    uint64_t sent, received;
    struct wm_protocol_met met[WM_TRACE_MET_WAYS];
    uint64_t kept, copied_bytes; /* kept: by copies or headers, matched or not */
    int64_t copy_ns;
};

struct wm_protocol_table {
    size_t count;
    struct wm_protocol_end *ends; /* rank by rank, in the order of definition */
    uint64_t unknown;             /* records that no definition explains */
};

/* Of the whole trace, which must live as long. 0 or -WM_ENOMEM; *protocols is the caller's (wm_protocol_table_free) or
 * NULL. */
int wm_protocol_table_make(struct wm_protocol_table **protocols, struct wm_trace *trace);
void wm_protocol_table_free(struct wm_protocol_table *protocols);

/* The endpoint whose messages waited longest for receives, of those to which at least one in ten came early; NULL:
 * there is none. */
const struct wm_protocol_end *wm_protocol_worst(const struct wm_protocol_table *protocols);

#endif
