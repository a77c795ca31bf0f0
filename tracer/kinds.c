/* The names of the kinds of records. */
#include "tracer/tracer.h"

const char *wm_trace_kind_name(enum wm_trace_kind kind)
{
    static const char *const names[WM_TRACE_KIND_COUNT] = {
#define X(id, name, help) name,
        WM_TRACE_KINDS(X)
#undef X
    };

    return names[kind];
}

const char *wm_trace_region_name(unsigned region)
{
    static const char *const names[WM_TRACE_REGION_PLACES] = {"begin",  "receive", "send", "compute", "pack",
                                                              "unpack", "wait",    "end",  "idle"};

    return region < WM_TRACE_REGION_PLACES ? names[region] : "";
}
