/* The schedule: a ring of those that are ready, and who runs next. */
#include "core/subrank/schedule.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "core/subrank/schedule_state.h"

_Thread_local struct wm_worker *wm_worker __attribute__((tls_model("initial-exec")));

static void link_last(struct wm_worker *w, struct wm_subrank *s)
{
    s->state = WM_SUBRANK_READY;
    w->ready_count++;
    if (w->ring == NULL) {
        w->ring = s->next = s->before = s;
        return;
    }
    s->next = w->ring;
    s->before = w->ring->before;
    s->before->next = s->next->before = s;
}

/* Take the one that runs out of the ring. */
static void unlink_running(struct wm_worker *w, enum wm_subrank_state state)
{
    struct wm_subrank *s = w->running;

    s->state = state;
    w->ready_count--;
    w->ring = s->next == s ? NULL : s->next;
    s->next->before = s->before;
    s->before->next = s->next;
}

/* The coroutine that goes on when the one that runs cannot: that of the next that is ready, as soon as there is one;
 * the thread's own when there will be none. */
static struct wm_coroutine *successor(struct wm_worker *w)
{
    while (w->ring == NULL)
        if (w->alive_count == 0 || w->parts.rest == NULL || !w->parts.rest(w->parts.with))
            return &w->home;
    w->rests = 0;
    w->running = w->ring;
    return &w->running->coroutine;
}

int wm_subrank_self(void)
{
    return wm_worker != NULL ? wm_worker->running->number : -1;
}

bool wm_subrank_is_ready(void)
{
    return wm_worker != NULL && wm_worker->ring != NULL;
}

/* Go on with the next one in the ring. */
static inline void turn(struct wm_worker *w, struct wm_subrank *self)
{
    struct wm_subrank *next = self->next;
    int kept_errno;

    if (next == self)
        return;
    kept_errno = errno;
    w->running = w->ring = next;
    wm_coroutine_switch(&self->coroutine, &next->coroutine);
    errno = kept_errno;
}

void wm_subrank_yield(void)
{
    struct wm_worker *w = wm_worker;

    if (w == NULL)
        return;
    w->rests = 0;
    turn(w, w->running);
}

void wm_subrank_rest(void)
{
    struct wm_worker *w = wm_worker;

    if (w == NULL)
        return;
    if (++w->rests >= w->ready_count) {
        w->rests = 0;
        if (w->parts.rest != NULL)
            w->parts.rest(w->parts.with);
    }
    turn(w, w->running);
}

void wm_subrank_sleep(void)
{
    struct wm_worker *w = wm_worker;
    int kept_errno = errno;

    if (w == NULL)
        WM_BUG("only a subrank can sleep");
    if (!w->running->woken) {
        struct wm_subrank *self = w->running;
        struct wm_coroutine *next;

        unlink_running(w, WM_SUBRANK_ASLEEP);
        next = successor(w);
        if (next != &self->coroutine)
            wm_coroutine_switch(&self->coroutine, next);
    }
    w->running->woken = false;
    errno = kept_errno;
}

void wm_subrank_wake(int number)
{
    struct wm_worker *w = wm_worker;

    if (w == NULL || number < 0 || number >= w->parts.count)
        WM_BUG("no such subrank to wake");
    w->subranks[number].woken = true;
    if (w->subranks[number].state == WM_SUBRANK_ASLEEP)
        link_last(w, &w->subranks[number]);
}

_Noreturn void wm_subrank_end(void)
{
    struct wm_worker *w = wm_worker;
    struct wm_subrank *self;

    if (w == NULL)
        WM_BUG("only a subrank can end");
    self = w->running;
    w->alive_count--;
    unlink_running(w, WM_SUBRANK_ENDED);
    wm_coroutine_leave(&self->coroutine, successor(w));
}

static void live(void *with)
{
    struct wm_worker *w = wm_worker;

    w->parts.run(w->parts.with, ((struct wm_subrank *)with)->number);
    wm_subrank_end();
}

static int check(const struct wm_schedule_parts *parts, struct wm_error *error)
{
    if (wm_worker != NULL)
        return wm_error_set(error, -WM_EINVAL,
                            "a schedule runs already in this thread; start another one when it has ended");
    if (parts->count < 1)
        return wm_error_set(error, -WM_EINVAL, "%d subranks are asked for; give at least 1", parts->count);
    if (parts->stack_bytes < WM_STACK_LEAST_BYTES)
        return wm_error_set(error, -WM_EINVAL,
                            "a stack of %zu bytes is too small for a subrank: give at least %dKiB by --stack",
                            parts->stack_bytes, WM_STACK_LEAST_BYTES >> 10);
    return 0;
}

static void clear(struct wm_worker *w)
{
    for (int i = 0; w->subranks != NULL && i < w->parts.count; i++)
        if (w->subranks[i].stack.low != NULL)
            wm_stack_give(&w->subranks[i].stack);
    free(w->subranks);
}

static int make(struct wm_worker *w, struct wm_error *error)
{
    if ((w->subranks = aligned_alloc(_Alignof(struct wm_subrank), (size_t)w->parts.count * sizeof *w->subranks)) ==
        NULL)
        return wm_error_set(error, -WM_ENOMEM, "no memory for %d subranks; run fewer in a process", w->parts.count);
    memset(w->subranks, 0, (size_t)w->parts.count * sizeof *w->subranks);
    w->alive_count = w->parts.count;
    for (int i = 0; i < w->parts.count; i++) {
        struct wm_subrank *s = &w->subranks[i];

        s->number = i;
        if (!wm_stack_take(&s->stack, w->parts.stack_bytes))
            return wm_error_set(error, -WM_ENOMEM,
                                "no memory for the stacks of %d subranks, %zuKiB each (%s): give smaller ones by "
                                "--stack, or raise the limits (ulimit -v, vm.max_map_count)",
                                w->parts.count, w->parts.stack_bytes >> 10, strerror(errno));
        wm_coroutine_make(&s->coroutine, &s->stack, live, s);
        link_last(w, s);
    }
    return 0;
}

static int tell_asleep(const struct wm_worker *w, struct wm_error *error)
{
    char numbers[256] = "";
    int told = 0;

    for (int i = 0; i < w->parts.count; i++)
        if (w->subranks[i].state != WM_SUBRANK_ENDED && told++ < 16)
            wm_text_append(numbers, sizeof numbers, "%s%d", told > 1 ? ", " : "", i);
    return wm_error_set(error, -WM_ENEVER,
                        "subrank%s %s%s wait%s for ever: nothing is under way that could wake %s; look which message "
                        "nobody sends",
                        told > 1 ? "s" : "", numbers, told > 16 ? ", …" : "", told > 1 ? "" : "s",
                        told > 1 ? "them" : "it");
}

int wm_schedule_run(const struct wm_schedule_parts *parts, struct wm_error *error)
{
    struct wm_worker w = {.parts = *parts};
    int rc;

    if (w.parts.stack_bytes == 0)
        w.parts.stack_bytes = WM_STACK_DEFAULT_BYTES;
    if ((rc = check(&w.parts, error)) < 0)
        return rc;
    if ((rc = make(&w, error)) == 0) {
        wm_worker = &w;
        wm_crash_tell();
        wm_coroutine_switch(&w.home, successor(&w));
        wm_crash_ignore();
        wm_worker = NULL;
        if (w.alive_count > 0)
            rc = tell_asleep(&w, error);
    }
    clear(&w);
    return rc;
}
