/* Findings: what costs most in a trace, which line of the map it is, and what one could change; a sentence
 * each. */
#ifndef WM_FINDINGS_H
#define WM_FINDINGS_H

#include "tools/analysis.h"

enum { WM_FINDINGS_MAX = 3, WM_FINDING_CHARS = 640 };

struct wm_finding {
    int64_t lost_ns; /* rank time that it is about */
    char sentence[WM_FINDING_CHARS];
};

/* The dearest findings, the dearest first; at least one. Returns how many. */
int wm_findings_make(const struct wm_trace *trace, const struct wm_analysis *analysis,
                     struct wm_finding findings[WM_FINDINGS_MAX]);

/* "cluster.scm:5" of a node, or what else is known of it. */
void wm_place_text(const struct wm_trace *trace, uint16_t node, char *out, size_t out_bytes);

/* The wrapper as it is written in the map, "(reduce core #:shape 'flat)"; without the map's text its name and
 * label. */
void wm_source_text(const struct wm_trace *trace, uint16_t node, char *out, size_t out_bytes);

#endif
