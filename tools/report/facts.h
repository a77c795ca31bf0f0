/* Facts: what a reader of any form of the report should know about the run and its trace. */
#ifndef WM_FACTS_H
#define WM_FACTS_H

#include "tools/analysis/analysis.h"

enum { WM_FACTS_SENTENCE = 320 };

/* Distinct hosts of the ranks that can be read. */
int wm_facts_hosts(const struct wm_trace *trace);

/* Is the rank at `index` the first of its version of Waymark? For lists of the distinct ones. */
bool wm_facts_is_new_version(const struct wm_trace *trace, int index);

/* FNV-1a, 64 bits, of the map's text; 0 without one. */
uint64_t wm_facts_map_hash(const struct wm_trace *trace);

/* Hand `take` each sentence that limits what the trace can say: clocks that disagree, damage, what is missing. */
void wm_facts_warn(const struct wm_trace *trace, const struct wm_analysis *analysis,
                   void (*take)(void *context, const char *sentence), void *context);

#endif
