/* A trial that goes on in a job: watched, judged, ended and told. */
#ifndef WM_RETUNE_TRIAL_H
#define WM_RETUNE_TRIAL_H

#include "core/guard/mailbox.h"

struct wm_trial_choice {
    int rounds;          /* at most */
    bool keep;           /* the new map, where it is not shown to be worse */
    int64_t patience_ns; /* for an answer, and for each further round */
};

/* SIGINT, SIGTERM and SIGHUP do not end this process from here on, but the trial. Before it is asked for. */
void wm_trial_catch_signals(void);

/* Watch the trial that the job has begun to its end, and print what it has shown. *kept: the new map holds. Returns 0,
 * or -WM_E… with a sentence where the job does not answer, or ends. */
int wm_trial_watch(struct wm_mailbox *mailbox, const char *map, const struct wm_trial_choice *choice, bool *kept,
                   struct wm_error *error);

#endif
