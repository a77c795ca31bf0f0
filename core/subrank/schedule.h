/* The schedule: the subranks of a process, each a coroutine, one of which runs in a worker (a thread) at a time.
 *
 * A **subrank** is ready (one of the ready ones runs), asleep, or ended. The ready ones are a ring in the order in
 * which they run; who becomes ready comes last. A subrank gives up the worker when it calls one of the functions below,
 * and never else. Today a process has one worker: the thread that calls wm_schedule_run.
 *
 * A subrank that waits either sleeps until somebody wakes it, or looks again and again, and rests in between. When all
 * sleep, or all that are ready have come to rest without anybody having gone on, `rest` of the parts is called, on the
 * stack of one of them: messages progress, and the processor is given away.
 *
 * errno is a subrank's own. A signal of a subrank that faults is said with its number, and so is a stack that is full;
 * then the signal takes its course (schedule_crash.c). */
#ifndef WM_SUBRANK_SCHEDULE_H
#define WM_SUBRANK_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include "core/error.h"

enum { WM_SUBRANKS_MAX = 1 << 16 }; /* of a process */

struct wm_schedule_parts {
    int count;                           /* of subranks, from 1 */
    size_t stack_bytes;                  /* 0: WM_STACK_DEFAULT_BYTES */
    void (*run)(void *with, int number); /* a subrank's life; returning ends it */
    void *with;
    /* Nobody goes on. False: nothing can come from outside, so that all sleep for ever. It switches to no subrank, but
     * may wake some. NULL: nothing ever comes. */
    bool (*rest)(void *with);
};

/* Run the subranks, the first one first, until all have ended. Returns 0; -WM_EINVAL: a part is out of range, or a
 * schedule runs in this thread; -WM_ENOMEM: there is no memory for so many stacks, and nothing has run; -WM_ENEVER:
 * those that are left sleep for ever, and have been abandoned as they stand. */
int wm_schedule_run(const struct wm_schedule_parts *parts, struct wm_error *error);

/* The number of the subrank that runs, from 0; -1 outside of a schedule. */
int wm_subrank_self(void);
/* Some subrank is ready, or runs; `rest` may ask. */
bool wm_subrank_is_ready(void);
/* Let each other subrank that is ready run once. Outside of a schedule, and alone, it returns at once. */
void wm_subrank_yield(void);
/* As wm_subrank_yield, called by a subrank that has found nothing to do, and looks again when it returns. */
void wm_subrank_rest(void);
/* Wait until wm_subrank_wake has been called for this subrank since the last sleep returned. */
void wm_subrank_sleep(void);
/* Make a subrank ready that sleeps, or let its next sleep return at once. Called by a subrank or by `rest`. One that
 * has ended stays so. */
void wm_subrank_wake(int number);
/* End the subrank that runs. Nothing is unwound. */
_Noreturn void wm_subrank_end(void);

#endif
