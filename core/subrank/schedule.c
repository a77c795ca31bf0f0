/* The schedule: a ring of those that are ready, and who runs next. */
#include "core/subrank/schedule.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "core/node/pause.h"
#include "core/node/rest.h"
#include "core/subrank/schedule_state.h"

_Thread_local struct wm_worker *wm_worker __attribute__((tls_model("initial-exec")));

/* ---- the rings ---- */

/* Take the one that runs out of the ring. */
static void unlink_running(struct wm_worker *w, enum wm_subrank_state state)
{
    struct wm_subrank *s = w->running;

    s->state = state;
    w->ready_count--;
    w->ring = s->next == s ? NULL : s->next;
    w->last->next = w->ring;
}

/* Of all workers. */
static int count_ready(const struct wm_schedule *schedule)
{
    int count = 0;

    for (int i = 0; i < schedule->parts.workers; i++)
        count += __atomic_load_n(&schedule->workers[i].ready_count, __ATOMIC_RELAXED);
    return count;
}

/* Doors that one worker goes through one after the other while another waits; pauses before the processor is given
 * away, how many of them are short, and looks at the ring in a short one. */
enum { LET_GO_MOST = 8, PAUSES_MOST = 1024, SHORT_PAUSES = 64, SHORT_TURNS = 16, LONG_TURNS = 64 };

/* Without holding: until some time has gone by, or somebody has made a subrank of this worker ready. One that has its
 * processor alone gives it away only after a while. */
static void pause_apart(struct wm_worker *w)
{
    const struct wm_subrank *ring = __atomic_load_n(&w->ring, __ATOMIC_RELAXED);

    if (w->schedule->parts.processors == NULL || ++w->pauses > PAUSES_MOST) {
        wm_node_rest();
        return;
    }
    for (int left = w->pauses < SHORT_PAUSES ? SHORT_TURNS : LONG_TURNS;
         left > 0 && __atomic_load_n(&w->ring, __ATOMIC_RELAXED) == ring; left--)
        wm_pause();
}

/* The worker that has most ready, of which some wait behind the one that runs; NULL: nobody's do. Those of one at rest
 * only look again and again. */
static struct wm_worker *find_busiest(const struct wm_schedule *schedule)
{
    struct wm_worker *busiest = NULL;
    int most = 1;

    for (int i = 0; i < schedule->parts.workers; i++) {
        int count = __atomic_load_n(&schedule->workers[i].ready_count, __ATOMIC_RELAXED);

        if (count > most && !__atomic_load_n(&schedule->workers[i].at_rest, __ATOMIC_RELAXED)) {
            busiest = &schedule->workers[i];
            most = count;
        }
    }
    return busiest;
}

/* Holding or not: whom to steal from, or NULL. Those that are ready wait for long where their worker computes: it has
 * made no call since the last look. Who calls MPI all the time comes to the next one sooner than a thief, and both
 * would be slowed down. */
static struct wm_worker *find_victim(struct wm_worker *w)
{
    struct wm_worker *busiest = w->schedule->parts.steals ? find_busiest(w->schedule) : NULL;
    unsigned long calls = busiest != NULL ? __atomic_load_n(&busiest->calls, __ATOMIC_RELAXED) : 0;
    bool computes = busiest != NULL && busiest == w->seen && calls == w->seen_calls;

    w->seen = busiest;
    w->seen_calls = calls;
    return computes ? busiest : NULL;
}

/* The one that would run next there is this worker's from now on. */
static bool steal(struct wm_worker *w)
{
    struct wm_worker *victim = find_victim(w);
    struct wm_subrank *s = victim != NULL ? victim->ring->next : NULL;

    if (s == NULL || s == victim->running) /* which is woken already, and about to sleep */
        return false;
    victim->ring->next = s->next;
    if (victim->last == s)
        victim->last = victim->ring;
    victim->ready_count--;
    victim->alive_count--;
    w->alive_count++;
    s->worker = w;
    s->error = &errno;
    wm_worker_link(s);
    return true;
}

/* Nothing can come but from them: nothing is looked at until it has. */
static void await_other_workers(struct wm_worker *w)
{
    w->at_rest = true;
    wm_turnstile_give(&w->schedule->turnstile);
    do
        pause_apart(w);
    while (__atomic_load_n(&w->ring, __ATOMIC_RELAXED) == NULL &&
           !__atomic_load_n(&w->schedule->over, __ATOMIC_RELAXED) && count_ready(w->schedule) > 0 &&
           find_victim(w) == NULL);
    wm_turnstile_take(&w->schedule->turnstile);
    w->at_rest = false;
}

/* Of all workers. */
static int count_alive(const struct wm_schedule *schedule)
{
    int count = 0;

    for (int i = 0; i < schedule->parts.workers; i++)
        count += schedule->workers[i].alive_count;
    return count;
}

/* There will be none to run. */
static bool is_done(const struct wm_worker *w)
{
    return w->schedule->over || (w->alive_count == 0 && (!w->schedule->parts.steals || count_alive(w->schedule) == 0));
}

/* False: nothing can come from outside of the process. */
static bool look_outside(struct wm_worker *w)
{
    const struct wm_schedule_parts *parts = &w->schedule->parts;
    bool may_come = false;

    w->at_rest = true;
    if (parts->rest != NULL)
        may_come = parts->rest(parts->with);
    else if (w->is_one_of_several)
        wm_subrank_give_way(true);
    w->at_rest = false;
    return may_come;
}

/* The coroutine that goes on when the one that runs cannot: that of the next that is ready, as soon as there is one;
 * the thread's own when there will be none. */
static inline struct wm_coroutine *successor(struct wm_worker *w)
{
    while (__builtin_expect(w->ring == NULL, 0)) {
        if (is_done(w))
            return &w->home;
        if (steal(w) || look_outside(w) || w->ring != NULL)
            continue;
        if (count_ready(w->schedule) == 0)
            w->schedule->over = true;
        else
            await_other_workers(w);
    }
    w->rests = 0;
    w->pauses = 0;
    w->running = w->ring;
    return &w->running->coroutine;
}

int wm_subrank_self(void)
{
    return wm_worker != NULL ? wm_worker->running->number : -1;
}

bool wm_subrank_is_ready(void)
{
    return wm_worker != NULL && count_ready(wm_worker->schedule) > 0;
}

bool wm_schedule_is_at_rest(void)
{
    const struct wm_schedule *schedule = wm_worker != NULL ? wm_worker->schedule : NULL;

    for (int i = 0; schedule != NULL && i < schedule->parts.workers; i++)
        if (!schedule->workers[i].at_rest && schedule->workers[i].alive_count > 0)
            return false;
    return true;
}

/* ---- who holds ---- */

void wm_subrank_hold(void)
{
    struct wm_worker *w = wm_worker;

    if (w != NULL && w->is_one_of_several && w->running->holds++ == 0)
        wm_turnstile_take(&w->schedule->turnstile);
}

void wm_subrank_let_go(void)
{
    struct wm_worker *w = wm_worker;
    struct wm_turnstile *t;

    if (w == NULL || !w->is_one_of_several || --w->running->holds > w->running->lingers)
        return;
    w->running->holds = w->running->lingers = 0;
    t = &w->schedule->turnstile;
    wm_turnstile_give(t);
    if (wm_turnstile_is_wanted(t) && ++w->let_go_count % LET_GO_MOST == 0)
        wm_turnstile_give_way(t);
}

void wm_subrank_linger(void)
{
    struct wm_worker *w = wm_worker;

    if (w == NULL || !w->is_one_of_several || w->running->holds > 0)
        return;
    wm_subrank_hold();
    w->running->lingers = 1;
}

void wm_subrank_give_way(bool processor)
{
    struct wm_worker *w = wm_worker;

    wm_turnstile_give(&w->schedule->turnstile);
    wm_turnstile_give_way(&w->schedule->turnstile);
    if (processor)
        pause_apart(w);
    else
        w->pauses = 0;
    wm_turnstile_take(&w->schedule->turnstile);
}

/* ---- who runs ---- */

void wm_subrank_yield(void)
{
    struct wm_worker *w = wm_worker;

    if (w != NULL)
        wm_worker_yield(w);
}

void wm_subrank_go_first(void)
{
    if (wm_worker != NULL)
        wm_worker->running->goes_first = true;
}

void wm_subrank_yield_in_turn(void)
{
    struct wm_worker *w = wm_worker;
    struct wm_subrank *self = w != NULL ? w->running : NULL;
    int kept_errno;

    if (w == NULL || !wm_worker_overtakes(w, self)) {
        wm_subrank_yield();
        return;
    }
    if (!self->next->goes_first || self->next == self)
        return;
    kept_errno = *self->error;
    unlink_running(w, WM_SUBRANK_READY);
    wm_worker_link(self);
    wm_coroutine_switch(&self->coroutine, successor(w));
    *self->error = kept_errno;
}

void wm_subrank_rest(void)
{
    struct wm_worker *w = wm_worker;

    if (w == NULL)
        return;
    if (++w->rests >= w->ready_count) {
        w->rests = 0;
        look_outside(w);
    }
    wm_worker_turn(w, w->running);
}

void wm_subrank_sleep(void)
{
    struct wm_worker *w = wm_worker;
    struct wm_subrank *self;
    int kept_errno;

    if (w == NULL)
        WM_BUG("only a subrank can sleep");
    self = w->running;
    kept_errno = *self->error;
    if (!self->woken) {
        struct wm_coroutine *next;

        unlink_running(w, WM_SUBRANK_ASLEEP);
        next = successor(w);
        if (next != &self->coroutine)
            wm_coroutine_switch(&self->coroutine, next);
    }
    self->woken = false;
    *self->error = kept_errno;
}

void wm_subrank_wake(int number)
{
    struct wm_worker *w = wm_worker;

    if (w == NULL || number < 0 || number >= w->schedule->parts.count)
        WM_BUG("no such subrank to wake");
    wm_worker_wake(&w->schedule->subranks[number]);
}

_Noreturn void wm_subrank_end(void)
{
    struct wm_worker *w = wm_worker;
    struct wm_subrank *self;

    if (w == NULL)
        WM_BUG("only a subrank can end");
    self = w->running;
    if (w->is_one_of_several && self->holds == 0)
        wm_turnstile_take(&w->schedule->turnstile);
    w->alive_count--;
    unlink_running(w, WM_SUBRANK_ENDED);
    wm_coroutine_leave(&self->coroutine, successor(w));
}

/* Who has switched here holds. */
static void live(void *with)
{
    struct wm_worker *w = wm_worker;
    const struct wm_schedule_parts *parts = &w->schedule->parts;

    if (w->is_one_of_several)
        wm_turnstile_give(&w->schedule->turnstile);
    parts->run(parts->with, ((struct wm_subrank *)with)->number);
    wm_subrank_end();
}

/* ---- all of it ---- */

static int check(const struct wm_schedule_parts *parts, struct wm_error *error)
{
    if (wm_worker != NULL)
        return wm_error_set(error, -WM_EINVAL,
                            "a schedule runs already in this thread; start another one when it has ended");
    if (parts->count < 1)
        return wm_error_set(error, -WM_EINVAL, "%d subranks are asked for; give at least 1", parts->count);
    if (parts->workers < 1 || parts->workers > parts->count)
        return wm_error_set(error, -WM_EINVAL, "%d workers cannot share %d subranks: give 1 to %d", parts->workers,
                            parts->count, parts->count);
#ifndef __x86_64__ /* others keep the address of a thread-local variable in a register, across a switch */
    if (parts->steals)
        return wm_error_set(error, -WM_EINVAL, "subranks cannot be stolen on this processor; leave out --steal");
#endif
    if (parts->stack_bytes < WM_STACK_LEAST_BYTES)
        return wm_error_set(error, -WM_EINVAL,
                            "a stack of %zu bytes is too small for a subrank: give at least %dKiB by --stack",
                            parts->stack_bytes, WM_STACK_LEAST_BYTES >> 10);
    return 0;
}

static void clear(struct wm_schedule *schedule)
{
    for (int i = 0; schedule->subranks != NULL && i < schedule->parts.count; i++)
        if (schedule->subranks[i].stack.low != NULL)
            wm_stack_give(&schedule->subranks[i].stack);
    free(schedule->subranks);
    free(schedule->workers);
}

static void *new_zeroed(int count, size_t bytes)
{
    void *memory = aligned_alloc(64, (size_t)count * bytes);

    if (memory != NULL)
        memset(memory, 0, (size_t)count * bytes);
    return memory;
}

static int make_subrank(struct wm_schedule *schedule, int number, struct wm_error *error)
{
    const struct wm_schedule_parts *parts = &schedule->parts;
    struct wm_subrank *s = &schedule->subranks[number];

    s->number = number;
    s->worker = &schedule->workers[(long)number * parts->workers / parts->count];
    s->worker->alive_count++;
    if (!wm_stack_take(&s->stack, parts->stack_bytes))
        return wm_error_set(error, -WM_ENOMEM,
                            "no memory for the stacks of %d subranks, %zuKiB each (%s): give smaller ones by "
                            "--stack, or raise the limits (ulimit -v, vm.max_map_count)",
                            parts->count, parts->stack_bytes >> 10, strerror(errno));
    wm_coroutine_make(&s->coroutine, &s->stack, live, s);
    wm_worker_link(s);
    return 0;
}

static int make(struct wm_schedule *schedule, struct wm_error *error)
{
    const struct wm_schedule_parts *parts = &schedule->parts;
    int rc = 0;

    schedule->subranks = new_zeroed(parts->count, sizeof *schedule->subranks);
    schedule->workers = new_zeroed(parts->workers, sizeof *schedule->workers);
    if (schedule->subranks == NULL || schedule->workers == NULL)
        return wm_error_set(error, -WM_ENOMEM, "no memory for %d subranks; run fewer in a process", parts->count);
    for (int i = 0; i < parts->workers; i++) {
        schedule->workers[i].schedule = schedule;
        schedule->workers[i].number = i;
        schedule->workers[i].is_one_of_several = parts->workers > 1;
    }
    for (int i = 0; rc == 0 && i < parts->count; i++)
        rc = make_subrank(schedule, i, error);
    return rc;
}

static int tell_asleep(const struct wm_schedule *schedule, struct wm_error *error)
{
    char numbers[256] = "";
    int told = 0;

    for (int i = 0; i < schedule->parts.count; i++)
        if (schedule->subranks[i].state != WM_SUBRANK_ENDED && told++ < 16)
            wm_text_append(numbers, sizeof numbers, "%s%d", told > 1 ? ", " : "", i);
    if (told == 0)
        return 0;
    return wm_error_set(error, -WM_ENEVER,
                        "subrank%s %s%s wait%s for ever: nothing is under way that could wake %s; look which message "
                        "nobody sends",
                        told > 1 ? "s" : "", numbers, told > 16 ? ", …" : "", told > 1 ? "" : "s",
                        told > 1 ? "them" : "it");
}

void wm_worker_work(struct wm_worker *w)
{
    wm_worker = w;
    wm_crash_tell();
    wm_turnstile_take(&w->schedule->turnstile);
    for (int i = 0; i < w->schedule->parts.count; i++)
        if (w->schedule->subranks[i].worker == w)
            w->schedule->subranks[i].error = &errno;
    if (!w->schedule->over)
        wm_coroutine_switch(&w->home, successor(w));
    wm_turnstile_give(&w->schedule->turnstile);
    wm_crash_ignore();
    wm_worker = NULL;
}

int wm_schedule_run(const struct wm_schedule_parts *parts, struct wm_error *error)
{
    struct wm_schedule schedule = {.parts = *parts};
    int rc;

    if (schedule.parts.stack_bytes == 0)
        schedule.parts.stack_bytes = WM_STACK_DEFAULT_BYTES;
    if (schedule.parts.workers == 0)
        schedule.parts.workers = 1;
    if ((rc = check(&schedule.parts, error)) < 0)
        return rc;
    if ((rc = make(&schedule, error)) == 0 && (rc = wm_workers_run(&schedule, error)) == 0)
        rc = tell_asleep(&schedule, error);
    clear(&schedule);
    return rc;
}
