/* Kinds of contenders: what it is by which tuning a conveyor differs from tuning a collective. Pure. */
#ifndef WM_TUNE_KIND_H
#define WM_TUNE_KIND_H

#include "tools/tune/paths.h"

/* How a contender is timed: each call with a fence behind it, in one pair of buffers; one call behind the other, in
 * buffers that take turns and do not stay in the caches, as a benchmark does; or each from a common start, where a
 * fence takes long. Such a flight of the fence compares the clocks. Of a conveyor the first two: its run from when all
 * ranks push; or that with its begin and its reset. */
enum wm_tune_manner { WM_TUNE_FENCED, WM_TUNE_TRAIN, WM_TUNE_STARTED };

/* What a rank pushes in a run of a conveyor, unless something says it: more than buffers hold. */
enum { WM_TUNE_LOAD_BYTES = 4 << 20 };

struct wm_tune_kind {
    const char *sizes; /* that are tuned for, unless some are named */
    uint64_t least_bytes, most_bytes;
    uint64_t load_bytes; /* WM_TUNE_LOAD_BYTES; 0: there is no run in which something is pushed */
    /* List the candidates for so many nodes in so many clusters. */
    void (*list)(struct wm_tune_list *list, enum wm_operation operation, int nodes, int clusters);
    const char *native; /* the path that says in a map that a call is the library's; NULL: the lack of a rule does */
    bool fenced;        /* a time of WM_TUNE_FENCED has a fence in it; where fences are slow, WM_TUNE_STARTED serves */
    const char *manners[WM_TUNE_STARTED + 1]; /* what is said of times; NULL: there is no such manner */
    const char *total;                        /* what the shares of a trace's time are of */
    const char *refused;                      /* why a flight could not begin, and what to do */
};

const struct wm_tune_kind *wm_tune_kind(enum wm_operation operation);

/* The manner of a race that was asked for in one; `slow`: a fence takes longer than a batch. */
enum wm_tune_manner wm_tune_manner_of(const struct wm_tune_kind *kind, enum wm_tune_manner asked, bool slow);

#endif
