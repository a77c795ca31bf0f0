/* What a schedule consists of; for the handler of crashes and for doors as well. */
#ifndef WM_SUBRANK_SCHEDULE_STATE_H
#define WM_SUBRANK_SCHEDULE_STATE_H

#include <pthread.h>
#include "core/subrank/coroutine.h"
#include "core/subrank/schedule.h"
#include "core/subrank/turnstile.h"

/* So many that go first run one behind the other before those that do not; each so-manieth comes last, so that all run.
 */
enum { WM_GO_FIRST_MOST = 16, WM_OVERTAKES_MOST = 64 };

enum wm_subrank_state { WM_SUBRANK_READY, WM_SUBRANK_ASLEEP, WM_SUBRANK_ENDED };

struct wm_subrank {
    _Alignas(64) struct wm_coroutine coroutine; /* what a switch needs is one cache line */
    struct wm_subrank *next;                    /* in the ring, while it is ready */
    int *error;                                 /* its worker's errno, whose address costs a call */
    enum wm_subrank_state state;
    bool woken;
    bool goes_first; /* wm_subrank_go_first */
    int number;
    void *rank; /* what the doors of MPI let in (rank.h); NULL: it is not inside */
    struct wm_worker *worker;
    int holds;   /* by wm_subrank_hold, of several workers */
    int lingers; /* of them, those that the next wm_subrank_let_go ends, too */
    struct wm_stack stack;
};

struct wm_worker {
    _Alignas(64) struct wm_subrank *running; /* or about to sleep or end */
    struct wm_subrank *ring;                 /* the ready one that runs, or is to run next; NULL: none is ready */
    struct wm_subrank *last;                 /* of the ring; who runs is behind it */
    int ready_count, alive_count;
    int rests; /* of subranks, since one went on */
    bool is_one_of_several;
    int pauses;                         /* since one went on */
    bool at_rest;                       /* none of its subranks runs, and it looks or waits */
    unsigned let_go_count;              /* while others waited */
    unsigned overtakes;                 /* of subranks that go first */
    unsigned long calls, calls_at_rest; /* of MPI, by its subranks; when nobody went on last */
    const struct wm_worker *seen;       /* where ready ones waited when it looked for some to steal */
    unsigned long seen_calls;           /* calls of that one then */
    struct wm_schedule *schedule;
    struct wm_coroutine home;
    pthread_t thread;
    int number;
};

struct wm_schedule {
    struct wm_schedule_parts parts;
    struct wm_subrank *subranks;
    struct wm_worker *workers;
    bool over; /* no worker goes on: all that are left sleep for ever, or a thread is missing */
    struct wm_turnstile turnstile;
};

/* The worker that this thread is, or NULL. */
extern _Thread_local struct wm_worker *wm_worker __attribute__((tls_model("initial-exec")));

/* Have all workers work, the first in this thread, the others in threads of their own, each bound to its processor;
 * returns when all are done. Returns 0; -WM_ENOMEM: there are not so many threads, and none has worked. */
int wm_workers_run(struct wm_schedule *schedule, struct wm_error *error);
/* The life of a worker, in its thread. */
void wm_worker_work(struct wm_worker *worker);

/* Go on with the next one in the ring. Who comes back may be another worker's by then. */
static inline void wm_worker_turn(struct wm_worker *w, struct wm_subrank *self)
{
    struct wm_subrank *next = self->next;
    int kept_errno;

    if (next == self)
        return;
    kept_errno = *self->error;
    w->running = w->ring = next;
    w->last = self;
    wm_coroutine_switch(&self->coroutine, &next->coroutine);
    *self->error = kept_errno;
}

/* wm_subrank_yield of the subrank that runs. */
static inline void wm_worker_yield(struct wm_worker *w)
{
    w->rests = 0;
    wm_worker_turn(w, w->running);
}

/* True: a subrank that goes first does so now. */
static inline bool wm_worker_overtakes(struct wm_worker *w, const struct wm_subrank *s)
{
    return s->goes_first && ++w->overtakes % WM_OVERTAKES_MOST != 0;
}

/* Of the subranks that go first and are next in the ring, the last one; if there is none, the one that runs. */
static inline struct wm_subrank *wm_worker_last_first(const struct wm_worker *w)
{
    struct wm_subrank *place = w->ring;

    for (int looked = 0; place->next != w->ring && place->next->goes_first; looked++) {
        if (looked == WM_GO_FIRST_MOST)
            return w->last;
        place = place->next;
    }
    return place;
}

/* It is ready: behind all others of its worker, or, if it goes first, behind those of them that do so, too. */
static inline void wm_worker_link(struct wm_subrank *s)
{
    struct wm_worker *w = s->worker;
    struct wm_subrank *place;
    bool overtakes, leads;

    s->state = WM_SUBRANK_READY;
    w->ready_count++;
    if (w->ring == NULL) {
        w->ring = w->last = s->next = s;
        return;
    }
    overtakes = wm_worker_overtakes(w, s);
    leads = overtakes && w->ring != w->running && !w->ring->goes_first;
    place = overtakes && !leads ? wm_worker_last_first(w) : w->last;
    s->next = place->next;
    place->next = s;
    if (leads)
        w->ring = s;
    else if (place == w->last)
        w->last = s;
}

/* Holds: make it ready if it sleeps, or let its next sleep return at once. */
static inline void wm_worker_wake(struct wm_subrank *s)
{
    s->woken = true;
    s->worker->at_rest = false; /* though it may have no processor to show it */
    if (s->state == WM_SUBRANK_ASLEEP)
        wm_worker_link(s);
}

/* Have signals of crashes told with the subrank's number, in this thread, until wm_crash_ignore(). */
void wm_crash_tell(void);
void wm_crash_ignore(void);

#endif
