/* A trial that goes on in a job: watched, judged, ended and told. */
#ifndef WM_RETUNE_TRIAL_H
#define WM_RETUNE_TRIAL_H

#include "core/guard/mailbox.h"
#include "tools/retune/verdict.h"

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

/* Wait for rounds, at most so many, until they show enough, or the job ends. `judge`: as wm_trial_verdict. Returns what
 * it says, WM_VERDICT_OPEN where this process was interrupted. */
enum wm_verdict wm_trial_await(struct wm_mailbox *mailbox, int rounds, int64_t patience_ns, wm_trial_judge *judge,
                               struct wm_trial_table *table);

/* End the trial, with the new map or with the old one. Returns 0, or -WM_E… with a sentence, as wm_trial_watch. */
int wm_trial_finish(struct wm_mailbox *mailbox, bool keep, int64_t patience_ns, struct wm_error *error);

#endif
