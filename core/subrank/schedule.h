/* The schedule: the subranks of a process, each a coroutine, one of which runs in a worker (a thread) at a time.
 *
 * A **subrank** is ready (one of the ready ones runs), asleep, or ended. The ready ones are a ring in the order in
 * which they run; who becomes ready comes last, but before those that do not **go first** if it does. A subrank gives
 * up the worker when it calls one of the functions below, and never else.
 *
 * A process has one worker, the thread that calls wm_schedule_run, or several. Subranks are dealt to them in blocks,
 * and stay with their worker, unless workers **steal**: then one that has none ready takes one that waits behind
 * another's that computes, and keeps it. So a function below may return in another thread than it was called in; what
 * is thread-local is not a subrank's then, and no address of it is kept across them. Each worker has a ring of its own.
 * Of several, one at a time **holds** what they share: the rings, and all behind the doors of MPI. A subrank holds it
 * from wm_subrank_hold() to wm_subrank_let_go(), and does so whenever it calls a function below that says so. So a
 * worker that switches from one subrank to another holds it before and behind: it is handed on with the processor. A
 * subrank that computes does not hold it.
 *
 * A subrank that waits either sleeps until somebody wakes it, or looks again and again, and rests in between. When all
 * sleep, or all that are ready have come to rest without anybody having gone on, `rest` of the parts is called, on the
 * stack of one of them: messages progress, and the processor is given away. Each worker does so for its own subranks.
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
    int workers;                         /* 0 to count; 0 is 1 */
    bool steals;                         /* a worker that has none ready takes one that waits behind another's */
    const int *processors;               /* [workers] to which each is bound; NULL: to none */
    size_t stack_bytes;                  /* 0: WM_STACK_DEFAULT_BYTES */
    void (*run)(void *with, int number); /* a subrank's life; returning ends it */
    void *with;
    /* Nobody of this worker goes on. False: nothing can come from outside, so that all sleep for ever where the other
     * workers' do. It switches to no subrank, but may wake some. It holds; of several workers it gives way in between
     * (wm_subrank_give_way). NULL: nothing ever comes. */
    bool (*rest)(void *with);
};

/* Run the subranks, each worker the first of its own first, until all have ended. Returns 0; -WM_EINVAL: a part is out
 * of range, or a schedule runs in this thread; -WM_ENOMEM: there is no memory for so many stacks or threads, and
 * nothing has run; -WM_ENEVER: those that are left sleep for ever, and have been abandoned as they stand. */
int wm_schedule_run(const struct wm_schedule_parts *parts, struct wm_error *error);

/* The number of the subrank that runs, from 0; -1 outside of a schedule. */
int wm_subrank_self(void);

/* Hold what workers share; and no more, where this ends the first of several holds. Both do nothing outside of a
 * schedule and where there is one worker. */
void wm_subrank_hold(void);
void wm_subrank_let_go(void);
/* Hold it until wm_subrank_let_go is called for the next hold, unless it is held already. */
void wm_subrank_linger(void);
/* Holds, of several workers: let the others have it, and hold it again. `processor`: nothing moves here, and the
 * processor is given away, too. */
void wm_subrank_give_way(bool processor);

/* Holds: some subrank of some worker is ready, or runs; `rest` may ask. */
bool wm_subrank_is_ready(void);
/* Called by `rest`: no worker has one that runs, or that has been woken. */
bool wm_schedule_is_at_rest(void);
/* Holds: let each other subrank of the worker that is ready run once. Outside of a schedule, and alone, it returns at
 * once. */
void wm_subrank_yield(void);
/* As wm_subrank_yield, called by a subrank that has found nothing to do, and looks again when it returns. */
void wm_subrank_rest(void);
/* From now on the subrank that runs goes first: when it becomes ready, it runs before those that do not. Of each 64
 * times it does not, so that all run; and of more than 16 that are ready. */
void wm_subrank_go_first(void);
/* Holds: as wm_subrank_yield, but a subrank that goes first lets only those run that do so, too. */
void wm_subrank_yield_in_turn(void);
/* Holds: wait until wm_subrank_wake has been called for this subrank since the last sleep returned. */
void wm_subrank_sleep(void);
/* Holds: make a subrank of any worker ready that sleeps, or let its next sleep return at once. Called by a subrank or
 * by `rest`. One that has ended stays so. */
void wm_subrank_wake(int number);
/* End the subrank that runs. Nothing is unwound. */
_Noreturn void wm_subrank_end(void);

#endif
