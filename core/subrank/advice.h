/* What a superblock's times say of the number of subranks, by the model max(c, L + c/V): c of computation an iteration
 * and process, in V subranks, and messages that take L. Pure. */
#ifndef WM_SUBRANK_ADVICE_H
#define WM_SUBRANK_ADVICE_H

#include <stdbool.h>

enum wm_advice_reason {
    WM_ADVICE_HIDDEN, /* all is */
    WM_ADVICE_LATE,   /* most of it was a wait for one message */
    WM_ADVICE_SHORT,  /* messages take longer than all there is to compute */
    WM_ADVICE_TOO_FEW /* nothing else was ready: more subranks hide more */
};

struct wm_advice {
    double latency_ns; /* L; where nothing is idle, the most it can be */
    enum wm_advice_reason reason;
    int subranks; /* the fewest, a power of two, within 5 % of what any number reaches */
};

/* Of an iteration, means of all processes: `compute_ns` is c, `idle_ns` what the process had nothing to run. `late_ns`:
 * the part of that for one message. */
struct wm_advice wm_advice_of(double compute_ns, double idle_ns, double late_ns, int subranks);

#endif
