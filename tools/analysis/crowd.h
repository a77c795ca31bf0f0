/* Crowds: more ranks on a host than processors that they may use. */
#ifndef WM_CROWD_H
#define WM_CROWD_H

#include "tracer/reader.h"

struct wm_crowd {
    const char *host; /* NULL: there is no crowd, or nothing is known */
    int ranks, processors;
    bool subranks; /* its ranks are processes of several */
};

/* The host with the most ranks a processor. */
struct wm_crowd wm_crowd_find(const struct wm_trace *trace);

/* "4 ranks share 2 processors of alpha", or processes; "" where there is no crowd. */
void wm_crowd_text(const struct wm_crowd *crowd, char *out, size_t out_bytes);

#endif
