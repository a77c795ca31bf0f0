/* Findings: what costs most in a trace, where that is, how sure that is, and what to change. */
#ifndef WM_FINDINGS_H
#define WM_FINDINGS_H

#include "tools/analysis/analysis.h"

enum { WM_FINDINGS_MAX = 3, WM_FINDING_CHARS = 640, WM_EDIT_CHARS = 512 };

enum wm_finding_kind {
    WM_FINDING_MISMATCH,   /* the ranks' calls do not match */
    WM_FINDING_DEATH,      /* the job did not end by itself */
    WM_FINDING_NOTHING,    /* nothing worth a change; or nothing traced */
    WM_FINDING_LATE_RANK,  /* one rank comes late, computing too long */
    WM_FINDING_LATE_ROOT,  /* the root computes before it sends */
    WM_FINDING_LATE_TURNS, /* ranks take turns in coming last */
    WM_FINDING_EAGER,      /* messages just above the eager limit: senders wait for receivers */
    WM_FINDING_FAR_EDGES,  /* the tree crosses a slow link more often than it needs to */
    WM_FINDING_SHAPE,      /* ranks wait for each other within the collective */
    WM_FINDING_TRANSFER,   /* moving data */
    WM_FINDING_WORK,       /* operators and copies */
    WM_FINDING_OVERHEAD,   /* Waymark's own steps */
    WM_FINDING_NATIVE,     /* the library's own collective */
    WM_FINDING_CONVEYOR,
    WM_FINDING_LATE_RECEIVE /* messages of a protocol wait for receives */
};

/* A change of the map, ready to be made: at `line` and `column` (from 1) stands `before`, and should stand `after`. */
struct wm_edit {
    int line, column; /* line 0: there is none */
    char before[WM_EDIT_CHARS], after[WM_EDIT_CHARS];
};

struct wm_finding {
    enum wm_finding_kind kind;
    int64_t lost_ns;                 /* rank time that it is about */
    int64_t error_ns;                /* by how much the clocks may have that wrong */
    int confidence;                  /* per cent */
    char because[160];               /* of what: "seen in 98 of 100 calls", "below the clock's resolution" */
    uint16_t node;                   /* 0: none, or a native call */
    uint8_t operation;               /* WM_OPERATION_COUNT: none */
    int rank, source, destination;   /* -1: none */
    char sentence[WM_FINDING_CHARS]; /* what costs, and what to change */
    struct wm_edit edit;
};

/* The dearest findings, the dearest first; at least one. Returns how many. */
int wm_findings_make(const struct wm_trace *trace, const struct wm_analysis *analysis,
                     struct wm_finding findings[WM_FINDINGS_MAX]);

const char *wm_finding_kind_name(enum wm_finding_kind kind); /* "late-rank" */

/* "cluster.scm:5" of a node, or what else is known of it. */
void wm_place_text(const struct wm_trace *trace, uint16_t node, char *out, size_t out_bytes);

/* A communicator's name, or that it has none. NULL is allowed. */
const char *wm_communicator_text(const struct wm_trace_communicator *communicator);

/* The wrapper as it is written in the map, "(reduce core #:shape 'flat)"; without the map's text its name and
 * label. */
void wm_source_text(const struct wm_trace *trace, uint16_t node, char *out, size_t out_bytes);

#endif
