/* Events: what a converter is given. Each record gives one event of its own; ends and begins that no record tells of
 * are added, so that on every track of a rank begins and ends nest, times never go back, and nothing stays open.
 *
 * Tracks: 0 is where a rank's calls stand; what overlaps them without nesting (a second nonblocking call, waiting in
 * MPI_Wait, states of a conveyor) stands on tracks 1, 2, …  All that a call does stands on the call's track, as far as
 * it nests. */
#ifndef WM_CONVERT_EVENT_H
#define WM_CONVERT_EVENT_H

#include <stdbool.h>
#include <stdint.h>
#include "tracer/reader.h"

enum wm_event_kind {
    WM_EVENT_BEGIN, /* of a state: a call, a work, waiting, a conveyor's state */
    WM_EVENT_END,   /* of the one that began last on the track */
    WM_EVENT_POINT, /* of its record's kind, at a moment */
    WM_EVENT_FOLDED /* a record that changes no state: a wrapper entered again before it was left, a leave alone */
};

struct wm_event {
    enum wm_event_kind kind;
    bool own; /* it stands for `record`; else it was added, and `record` is that of the state */
    bool cut; /* the moment is not the state's, but where the rank or the window begins or ends */
    int rank_index;
    uint32_t track, depth;               /* depth: states around it on its track */
    uint32_t communicator;               /* key, or WM_TRACE_NO_COMMUNICATOR */
    int64_t time_ns;                     /* not before the one of the rank's last event */
    int64_t begin_ns;                    /* END: when the state began */
    const struct wm_trace_record *state; /* BEGIN, END: of the state's begin (a span: of its end), until `take` returns;
                                            else NULL */
    struct wm_trace_record record;       /* END: own: the record of the end; else of the begin */
};

enum wm_event_category {
    WM_CATEGORY_CALL,
    WM_CATEGORY_WORK,
    WM_CATEGORY_WAIT,
    WM_CATEGORY_MESSAGE,
    WM_CATEGORY_CONVEYOR,
    WM_CATEGORY_MARK,
    WM_CATEGORY_TRACE,
    WM_CATEGORIES
};

/* A message as both its sides name it; source and destination are world ranks. */
struct wm_event_message {
    int source, destination;
    uint32_t number;
    uint64_t bytes;
};

enum wm_event_category wm_event_category(const struct wm_trace_record *record);
const char *wm_category_name(enum wm_event_category category);
/* Does the record say how long something took that ended with it? */
bool wm_record_spans(const struct wm_trace_record *record);
/* How long, in ns; 0 for others. */
int64_t wm_record_span_ns(const struct wm_trace_rank *rank, const struct wm_trace_record *record);
/* Is it about a message of a protocol, of which `communicator` is the number? */
bool wm_record_of_protocol(const struct wm_trace_record *record);
/* Is it about a statement, of which `peer` is the number? */
bool wm_record_of_statement(const struct wm_trace_record *record);
/* Is it one end of a message? */
bool wm_record_edge(const struct wm_trace_record *record);
/* The world rank of a record's peer (root, other end of a message or of a link); -1: none or unknown. */
int wm_event_peer(const struct wm_trace *trace, const struct wm_event *event);
/* What message a record of an edge speaks of. False when a rank of it is unknown. */
bool wm_event_message(const struct wm_trace *trace, const struct wm_event *event, struct wm_event_message *message);
/* A number for the message, the same at both ends and another for others (but for a chance of 2^-64 a pair). */
uint64_t wm_event_flow(const struct wm_event *event, const struct wm_event_message *message);
/* Bytes of a call, a message or a buffer; -1: the record knows of none. */
int64_t wm_record_bytes(const struct wm_trace_record *record);

#endif
