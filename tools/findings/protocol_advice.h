/* Which receives of a protocol to post earlier, in words. */
#ifndef WM_PROTOCOL_ADVICE_H
#define WM_PROTOCOL_ADVICE_H

#include "tools/analysis/protocols.h"

/* What waited at this endpoint, what copying cost, and what to do. */
void wm_protocol_advise(const struct wm_trace *trace, const struct wm_protocol_end *end, char *out, size_t out_bytes);

#endif
