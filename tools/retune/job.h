/* A running job, as its mailbox shows it. */
#ifndef WM_RETUNE_JOB_H
#define WM_RETUNE_JOB_H

#include "core/guard/mailbox.h"

/* The mailbox of the job that the process belongs to, or has started on this host; the caller's (wm_mailbox_free,
 * without a file). NULL with a sentence. */
struct wm_mailbox *wm_retune_job(int pid, struct wm_error *error);

/* Wait for the answer to what was asked, at most so long. Returns 0, and the mailbox is empty again; -WM_E… with the
 * job's sentence, or with ours where it does not answer. */
int wm_retune_await(struct wm_mailbox *mailbox, int64_t patience_ns, struct wm_error *error);

#endif
