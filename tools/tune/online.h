/* Online tuning: a job's map is improved while the job runs.
 *
 * First the job's map is tried beside itself, which shows what calls there are, and what they take. Then, for the kinds
 * of calls that take most of the time, each path that the planner takes and the prover proves is tried beside what
 * holds, in the order of what it should take: one call of `every` has it. It is kept if it is shown to be so much
 * faster that its rule is worth it, and given up as soon as it is shown not to be. The map that this makes is told as a
 * patch. */
#ifndef WM_TUNE_ONLINE_H
#define WM_TUNE_ONLINE_H

#include "core/guard/mailbox.h"

struct wm_online_choice {
    uint32_t every;
    int64_t patience_ns; /* for an answer, and for each round */
    const char *output;  /* the file for the map that this makes; NULL: none */
    bool verbose;        /* each trial is told */
};

/* Tune the job of a process, once it takes maps, until nothing is left to try, it ends, or this process is interrupted.
 * Tells on stderr. Returns 0, or -WM_E… with a sentence; nothing is told of a process that ends without MPI. */
int wm_online_tune(int pid, const struct wm_online_choice *choice, struct wm_error *error);

#endif
