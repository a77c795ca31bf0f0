/* The engine: steps whose dependencies are done are run, messages through the net. */
#include "core/engine.h"

#include <stdlib.h>
#include <string.h>
#include "core/error.h"

struct wm_flight {
    struct wm_flight *next; /* in the list of those under way, or of those to be used again */
    const struct wm_plan *plan;
    struct wm_binding binding;
    int left;  /* steps that are not done */
    int error; /* MPI_SUCCESS, or the first error */
    int tag_base;
    /* Of the plan's size, grown as needed. */
    int room;
    int *waiting; /* dependencies to come, by step */
    int *ready;   /* steps in the order in which they became ready */
    int head, tail;
    int temporary_room;
    char **temporaries; /* address of unit 0 */
    char *arena;
    size_t arena_bytes;
};

struct wm_engine {
    struct wm_net *net;
    struct wm_recorder_ring *ring;
    uint32_t communicator;
    struct wm_flight *active, *idle;
};

enum { TICKETS = 32, ARENA_ALIGN = 64 };

struct wm_engine *wm_engine_new(struct wm_net *net, struct wm_recorder_ring *ring, uint32_t communicator)
{
    struct wm_engine *engine = calloc(1, sizeof *engine);

    if (engine != NULL)
        *engine = (struct wm_engine){net, ring, communicator, NULL, NULL};
    return engine;
}

static void flight_free(struct wm_flight *flight)
{
    free(flight->waiting);
    free(flight->ready);
    free(flight->temporaries);
    free(flight->arena);
    free(flight);
}

void wm_engine_free(struct wm_engine *engine)
{
    if (engine == NULL)
        return;
    while (engine->idle != NULL) {
        struct wm_flight *next = engine->idle->next;

        flight_free(engine->idle);
        engine->idle = next;
    }
    engine->net->class->free(engine->net);
    free(engine);
}

/* By integers: the user's buffer may be MPI_BOTTOM. */
void *wm_flight_address(const struct wm_flight *f, struct wm_ref ref)
{
    uintptr_t base;

    if (ref.buffer == WM_BUFFER_SEND)
        base = (uintptr_t)f->binding.send;
    else if (ref.buffer == WM_BUFFER_RECEIVE)
        base = (uintptr_t)f->binding.receive;
    else
        base = (uintptr_t)f->temporaries[ref.buffer - WM_BUFFER_TEMPORARY];
    return (void *)(base + ref.offset * (uintptr_t)f->binding.geometry.extent);
}

static void record(const struct wm_engine *e, const struct wm_flight *f, const struct wm_step *s,
                   enum wm_trace_kind kind, uint64_t argument)
{
    wm_record(e->ring, kind, (uint8_t)f->binding.call->operation, s->node, e->communicator, s->peer,
              f->binding.sequence, argument);
}

static void record_edge(const struct wm_engine *e, const struct wm_flight *f, const struct wm_step *s,
                        enum wm_trace_kind kind)
{
    if (s->traced && e->ring != NULL)
        record(e, f, s, kind, WM_TRACE_EDGE(s->message, s->count * f->binding.unit_bytes));
}

static void note_error(struct wm_flight *f, int rc)
{
    if (rc != MPI_SUCCESS && f->error == MPI_SUCCESS)
        f->error = rc;
}

static void complete(struct wm_flight *f, int step)
{
    const struct wm_step *s = &f->plan->steps[step];
    const int *successors = &f->plan->successors[s->first_successor];

    f->left--;
    for (int i = 0; i < s->successors; i++)
        if (--f->waiting[successors[i]] == 0)
            f->ready[f->tail++] = successors[i];
}

/* Barriers have units of no bytes: their messages are empty. */
static struct wm_message message_of(const struct wm_flight *f, const struct wm_step *s, struct wm_ref ref)
{
    size_t count = f->binding.unit_bytes > 0 ? s->count : 0;

    return (struct wm_message){wm_flight_address(f, ref), count,   count * f->binding.geometry.size,
                               f->binding.geometry.type,  s->peer, f->tag_base + (int)s->message};
}

static void run_message(struct wm_engine *e, struct wm_flight *f, int step)
{
    const struct wm_step *s = &f->plan->steps[step];
    struct wm_ticket ticket = {f, step, MPI_SUCCESS};
    struct wm_message m;
    bool done;
    int rc;

    if (s->kind == WM_STEP_SEND) {
        m = message_of(f, s, s->source);
        record_edge(e, f, s, WM_TRACE_SEND_POST);
        rc = e->net->class->send(e->net, &m, ticket, &done);
    } else {
        m = message_of(f, s, s->target);
        record_edge(e, f, s, WM_TRACE_RECV_POST);
        rc = e->net->class->receive(e->net, &m, ticket, &done);
    }
    note_error(f, rc);
    if (rc == MPI_SUCCESS && done)
        record_edge(e, f, s, s->kind == WM_STEP_SEND ? WM_TRACE_SEND_DONE : WM_TRACE_RECV_DONE);
    if (rc != MPI_SUCCESS || done)
        complete(f, step);
}

static void run_local(struct wm_engine *e, struct wm_flight *f, const struct wm_step *s)
{
    bool traced = s->traced && e->ring != NULL;
    uint64_t begin = traced ? wm_recorder_now(e->ring) : 0;
    const struct wm_geometry *g = &f->binding.geometry;

    if (f->binding.unit_bytes == 0)
        return;
    if (s->kind == WM_STEP_REDUCE)
        note_error(f, wm_geometry_reduce(g, wm_flight_address(f, s->source), wm_flight_address(f, s->target), s->count,
                                         f->binding.op));
    else
        note_error(f, wm_geometry_copy(g, wm_flight_address(f, s->source), wm_flight_address(f, s->target), s->count));
    if (traced)
        record(e, f, s, s->kind == WM_STEP_REDUCE ? WM_TRACE_REDUCE : WM_TRACE_COPY, wm_recorder_now(e->ring) - begin);
}

static void run_step(struct wm_engine *e, struct wm_flight *f, int step)
{
    const struct wm_step *s = &f->plan->steps[step];

    switch ((enum wm_step_kind)s->kind) {
    case WM_STEP_SEND:
    case WM_STEP_RECV:
        run_message(e, f, step);
        return;
    case WM_STEP_REDUCE:
    case WM_STEP_COPY:
        run_local(e, f, s);
        break;
    case WM_STEP_ENTER:
    case WM_STEP_LEAVE:
        if (e->ring != NULL)
            record(e, f, s, s->kind == WM_STEP_ENTER ? WM_TRACE_ENTER : WM_TRACE_LEAVE,
                   s->count * f->binding.unit_bytes);
        break;
    case WM_STEP_NATIVE:
        WM_BUG("a native call has no flight");
    default:
        break;
    }
    complete(f, step);
}

static void run_ready(struct wm_engine *e, struct wm_flight *f)
{
    while (f->head < f->tail)
        run_step(e, f, f->ready[f->head++]);
}

static bool flight_fit(struct wm_flight *f, const struct wm_plan *plan)
{
    if (plan->step_count > f->room) {
        free(f->waiting);
        free(f->ready);
        f->waiting = malloc(sizeof *f->waiting * (size_t)plan->step_count);
        f->ready = malloc(sizeof *f->ready * (size_t)plan->step_count);
        f->room = f->waiting != NULL && f->ready != NULL ? plan->step_count : 0;
    }
    if (plan->temporary_count > f->temporary_room) {
        free(f->temporaries);
        f->temporaries = malloc(sizeof *f->temporaries * (size_t)plan->temporary_count);
        f->temporary_room = f->temporaries != NULL ? plan->temporary_count : 0;
    }
    return plan->step_count <= f->room && plan->temporary_count <= f->temporary_room;
}

/* Lay the temporaries out in the arena, one after the other. */
static bool place_temporaries(struct wm_flight *f)
{
    const struct wm_plan *plan = f->plan;
    size_t total = 0;
    ptrdiff_t shift;

    for (int pass = 0; pass < 2 && plan->temporary_count > 0; pass++) {
        size_t at = 0;

        for (int i = 0; i < plan->temporary_count; i++) {
            size_t span = wm_geometry_span(&f->binding.geometry, plan->temporary_units[i], &shift);

            if (pass == 1) /* by integers: for absolute datatypes element 0 is far off */
                f->temporaries[i] = (char *)((uintptr_t)f->arena + at + (uintptr_t)shift);
            at += (span + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
        }
        total = at;
        if (pass == 0 && total > f->arena_bytes) {
            free(f->arena);
            f->arena = aligned_alloc(ARENA_ALIGN, total);
            f->arena_bytes = f->arena != NULL ? total : 0;
        }
        if (f->arena_bytes < total)
            return false;
    }
    return true;
}

struct wm_flight *wm_engine_start(struct wm_engine *e, const struct wm_plan *plan, const struct wm_binding *binding)
{
    struct wm_flight *f = e->idle;

    if (f != NULL)
        e->idle = f->next;
    else if ((f = calloc(1, sizeof *f)) == NULL)
        return NULL;
    f->plan = plan;
    f->binding = *binding;
    if (!flight_fit(f, plan) || !place_temporaries(f)) {
        flight_free(f);
        return NULL;
    }
    f->left = plan->step_count;
    f->error = MPI_SUCCESS;
    f->head = 0;
    f->tail = plan->root_count;
    f->tag_base = (int)(binding->number << WM_MESSAGE_BITS);
    for (int i = 0; i < plan->step_count; i++)
        f->waiting[i] = plan->steps[i].dependencies;
    if (plan->root_count > 0) /* a rank may have nothing to do */
        memcpy(f->ready, plan->roots, sizeof *f->ready * (size_t)plan->root_count);
    f->next = e->active;
    e->active = f;
    run_ready(e, f);
    return f;
}

int wm_engine_progress(struct wm_engine *e, bool wait)
{
    struct wm_ticket done[TICKETS];
    int count, rc = e->net->class->progress(e->net, wait, done, TICKETS, &count);

    for (int i = 0; i < count; i++) {
        struct wm_flight *f = done[i].flight;
        const struct wm_step *s = &f->plan->steps[done[i].step];

        record_edge(e, f, s, s->kind == WM_STEP_SEND ? WM_TRACE_SEND_DONE : WM_TRACE_RECV_DONE);
        note_error(f, done[i].error);
        complete(f, done[i].step);
        run_ready(e, f);
    }
    for (struct wm_flight *f = e->active; rc != MPI_SUCCESS && f != NULL; f = f->next) {
        note_error(f, rc);
        f->left = 0; /* the net itself failed; nothing more can be done */
    }
    return count;
}

bool wm_flight_over(const struct wm_flight *flight)
{
    return flight->left == 0;
}

void wm_engine_finish(struct wm_engine *e, struct wm_flight *flight)
{
    while (flight->left > 0)
        wm_engine_progress(e, true);
}

int wm_engine_land(struct wm_engine *e, struct wm_flight *flight)
{
    struct wm_flight **link = &e->active;

    if (flight->left > 0)
        WM_BUG("a flight lands before it is over");
    while (*link != flight)
        link = &(*link)->next;
    *link = flight->next;
    flight->next = e->idle;
    e->idle = flight;
    return flight->error;
}
