/* The engine: flights started, and what they wait for looked after. */
#include "core/engine/engine.h"

#include <stdlib.h>
#include <string.h>
#include "core/data/allocate.h"
#include "core/engine/step.h"
#include "core/error.h"
#include "core/guard/check.h"
#include "core/guard/page.h"
#include "core/process/process.h"

/* While messages of MPI and things in shared memory are waited for, the former are asked after so often: it costs more.
 */
enum { TICKETS = 32, ARENA_ALIGN = 64, MEMORY_TURNS = 8, LONG_TURNS = 100 };

static const char collective[] = "a collective";

static void free_nets(const struct wm_engine_parts *parts)
{
    for (int i = 0; i < WM_NET_COUNT; i++)
        if (parts->nets[i] != NULL)
            parts->nets[i]->class->free(parts->nets[i]);
}

struct wm_engine *wm_engine_new(const struct wm_engine_parts *parts)
{
    struct wm_engine *engine = wm_allocate_zeroed(sizeof *engine, "a communicator");

    engine->parts = *parts;
    engine->memory_asked = parts->one_net;
    wm_lanes_init(&engine->lanes, parts->node);
    return engine;
}

struct wm_lanes *wm_engine_lanes(struct wm_engine *engine)
{
    return &engine->lanes;
}

static void flight_free(struct wm_flight *flight)
{
    free(flight->waiting);
    free(flight->ready);
    free(flight->prints);
    free(flight->temporaries);
    free(flight->arena);
    wm_sharing_release(&flight->sharing);
    wm_holding_release(&flight->holding);
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
    free_nets(&engine->parts);
    wm_lanes_release(&engine->lanes);
    free(engine);
}

static void flight_fit(struct wm_flight *f, const struct wm_plan *plan)
{
    if (plan->step_count > f->room) {
        free(f->waiting);
        free(f->ready);
        free(f->prints);
        f->prints = NULL;
        f->waiting = wm_allocate(sizeof *f->waiting * (size_t)plan->step_count, collective);
        f->ready = wm_allocate(sizeof *f->ready * (size_t)plan->step_count, collective);
        f->room = plan->step_count;
    }
    if (plan->temporary_count > f->temporary_room) {
        free(f->temporaries);
        f->temporaries = wm_allocate(sizeof *f->temporaries * (size_t)plan->temporary_count, collective);
        f->temporary_room = plan->temporary_count;
    }
}

_Noreturn static void fail_sharing(void)
{
    struct wm_error error = {0};

    wm_error_set(&error, -WM_EINVAL, /* the ranks of this node alone know it */
                 "the memory that ranks of a node share is used up; raise the limit on address space "
                 "(ulimit -v), or leave out #:shape 'shared");
    wm_process_abort(&error);
}

static void start_sharing(struct wm_engine *e, struct wm_flight *f)
{
    if (f->plan->shared_count > 0 && wm_sharing_start(&f->sharing, f->plan, &e->lanes) < 0)
        fail_sharing();
}

/* Lay the temporaries out in the arena, one after the other. */
static void place_temporaries(struct wm_flight *f)
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
            if ((f->arena = aligned_alloc(ARENA_ALIGN, total)) == NULL)
                wm_out_of_memory(collective);
            f->arena_bytes = total;
        }
    }
}

static struct wm_flight *take_idle(struct wm_engine *e)
{
    struct wm_flight *f = e->idle;

    if (f == NULL)
        return wm_allocate_zeroed(sizeof *f, collective);
    e->idle = f->next;
    return f;
}

/* Where there is no memory for a lane, its first flight will see it. */
static void expect_sharing(struct wm_engine *e, struct wm_flight *f, const struct wm_plan *plan)
{
    if (plan->shared_count > 0 && wm_sharing_start(&f->sharing, plan, &e->lanes) == 0)
        for (int i = 0; i < plan->shared_count; i++)
            wm_shared_lane_expect(f->sharing.steps[i].lane);
}

void wm_engine_expect(struct wm_engine *e, const struct wm_plan *plan)
{
    struct wm_flight *f = take_idle(e);

    flight_fit(f, plan);
    expect_sharing(e, f, plan);
    for (int i = 0; i < plan->step_count; i++) {
        const struct wm_step *s = &plan->steps[i];

        if (s->kind == WM_STEP_SEND || s->kind == WM_STEP_RECV) {
            struct wm_net *net = wm_step_net(e, s);

            net->class->expect(net, s->peer);
        }
    }
    f->next = e->idle;
    e->idle = f;
}

void wm_engine_warm(const struct wm_engine *e)
{
    const struct wm_flight *f = e->idle;

    wm_fetch(e->parts.node, sizeof *e->parts.node);
    wm_lanes_warm(&e->lanes);
    if (f == NULL)
        return;
    wm_fetch(f, sizeof *f);
    wm_fetch(f->sharing.steps, sizeof *f->sharing.steps);
    wm_fetch(f->waiting, sizeof *f->waiting);
    wm_fetch(f->ready, sizeof *f->ready);
}

/* A flight that waits for nothing. */
static void give_up(struct wm_flight *f, int error)
{
    wm_sharing_abandon(&f->sharing);
    f->holding.waiting = 0;
    f->left = 0;
    wm_flight_fail(f, error);
}

/* End all that is under way. Returns how many flights that were. */
static int abandon(struct wm_engine *e)
{
    int count = 0;

    for (int i = 0; i < WM_NET_COUNT; i++)
        if (e->parts.nets[i] != NULL)
            e->parts.nets[i]->class->abandon(e->parts.nets[i]);
    for (struct wm_flight *f = e->active; f != NULL; f = f->next)
        if (f->left > 0) {
            give_up(f, e->lanes.check.stopped);
            count++;
        }
    return count;
}

static struct wm_flight *launch(struct wm_engine *e, struct wm_flight *f)
{
    f->next = e->active;
    e->active = f;
    return f;
}

struct wm_flight *wm_engine_start(struct wm_engine *e, const struct wm_plan *plan, const struct wm_binding *binding)
{
    struct wm_flight *f = take_idle(e);

    f->plan = plan;
    f->binding = *binding;
    f->sharing.under_way = f->sharing.count = f->holding.waiting = 0;
    f->error = MPI_SUCCESS;
    if (wm_check_is_stopped(&e->lanes.check)) {
        give_up(f, e->lanes.check.stopped);
        return launch(e, f);
    }
    flight_fit(f, plan);
    place_temporaries(f);
    start_sharing(e, f);
    if (plan->held_messages > 0)
        wm_holding_start(&f->holding, plan);
    if (binding->checked && f->prints == NULL)
        f->prints = wm_allocate(sizeof *f->prints * (size_t)f->room, collective);
    f->left = plan->step_count;
    f->head = f->oldest = 0;
    f->tail = plan->root_count;
    f->tag_base = (int)(binding->number << WM_MESSAGE_TAG_BITS);
    for (int i = 0; i < plan->step_count; i++)
        f->waiting[i] = plan->steps[i].dependencies;
    if (plan->root_count > 0) /* a rank may have nothing to do */
        memcpy(f->ready, plan->roots, sizeof *f->ready * (size_t)plan->root_count);
    launch(e, f);
    wm_engine_time_passes(e);
    wm_steps_run(e, f);
    return f;
}

/* Messages that a net completed. */
static int progress_net(struct wm_engine *e, struct wm_net *net, bool wait)
{
    struct wm_ticket done[TICKETS];
    int count, rc = net->class->progress(net, wait, done, TICKETS, &count);

    wm_engine_time_passes(e);
    for (int i = 0; i < count; i++) {
        struct wm_flight *f = done[i].flight;

        if (done[i].step < 0) {
            wm_step_print_over(f, done[i].step, done[i].error);
            continue;
        }
        wm_step_message_over(e, f, done[i].step, done[i].error);
        wm_steps_run(e, f);
    }
    for (struct wm_flight *f = e->active; rc != MPI_SUCCESS && f != NULL; f = f->next) {
        wm_flight_fail(f, rc);
        f->left = 0; /* the net itself failed; nothing more can be done */
    }
    return count;
}

static void record_shared(struct wm_engine *e, const struct wm_flight *f, const struct wm_step *s)
{
    if (wm_step_is_recorded(f, s, WM_TRACE_SHARED))
        wm_step_record(e, f, s, WM_TRACE_SHARED, wm_engine_stamp(e) - f->sharing.steps[s->message].ready_ticks);
}

/* Shared steps that came to their end. */
static int progress_sharing(struct wm_engine *e, struct wm_flight *f)
{
    const struct wm_binding *b = &f->binding;
    struct wm_shared_data data = {
        (uintptr_t)b->send, (uintptr_t)b->receive, f->temporaries, &b->geometry, b->unit_bytes, b->op, b->kernel};
    int step, count = 0, error;

    while (f->sharing.under_way > 0 && (step = wm_sharing_advance(&f->sharing, f->plan, &data, &error)) >= 0) {
        wm_engine_time_passes(e);
        record_shared(e, f, &f->plan->steps[step]);
        wm_flight_fail(f, error);
        wm_step_complete(f, step);
        wm_steps_run(e, f);
        count++;
    }
    return count;
}

/* Messages that were held and are due. */
static int progress_held(struct wm_engine *e, struct wm_flight *f)
{
    int step, count = 0;

    while (f->holding.waiting > 0 && (step = wm_holding_take(&f->holding, f->plan)) >= 0) {
        wm_engine_time_passes(e);
        wm_step_record_edge(e, f, &f->plan->steps[step], WM_TRACE_RECV_DONE);
        wm_step_complete(f, step);
        wm_steps_run(e, f);
        count++;
    }
    return count;
}

static bool is_busy(const struct wm_net *net)
{
    return net != NULL && net->class->busy(net);
}

/* All that is looked at, and not told by the MPI library. */
static int progress_polled(struct wm_engine *e)
{
    int count = is_busy(e->parts.nets[WM_NET_SHM]) ? progress_net(e, e->parts.nets[WM_NET_SHM], false) : 0;

    for (struct wm_flight *f = e->active; f != NULL; f = f->next)
        if (f->sharing.under_way + f->holding.waiting > 0)
            count += progress_sharing(e, f) + progress_held(e, f);
    return count;
}

static bool polls(const struct wm_engine *e)
{
    bool waits = is_busy(e->parts.nets[WM_NET_SHM]);

    for (const struct wm_flight *f = e->active; f != NULL && !waits; f = f->next)
        waits = f->sharing.under_way + f->holding.waiting > 0;
    return waits;
}

/* Tell the page which step the flight waits for: of those that are not done the first, whose dependencies are. */
static void tell_page(const struct wm_engine *e)
{
    static const uint32_t directions[WM_STEP_KIND_COUNT] = {
        [WM_STEP_SEND] = WM_PAGE_SENDS, [WM_STEP_RECV] = WM_PAGE_RECEIVES, [WM_STEP_SHARED] = WM_PAGE_SHARES};
    struct wm_page *page = e->parts.page;
    struct wm_flight *f = e->active;
    const struct wm_step *s;

    while (f != NULL && f->left == 0)
        f = f->next;
    if (f == NULL)
        return;
    while (f->oldest < f->plan->step_count && f->waiting[f->oldest] == WM_STEP_DONE)
        f->oldest++;
    if (f->oldest == f->plan->step_count) /* a print is all that is on its way */
        return;
    s = &f->plan->steps[f->oldest];
    page->step.peer = s->peer;
    page->step.message = s->message;
    page->step.bytes = s->count * f->binding.unit_bytes;
    page->step.node = s->node;
    page->step.direction = directions[s->kind];
    page->step.doing = page->now.doing;
}

/* Who waits within the library comes out for a message alone. */
int wm_engine_progress(struct wm_engine *e, bool wait)
{
    struct wm_net *mpi = e->parts.nets[WM_NET_MPI];
    bool looks = wait && e->parts.watched;
    int count = 0;

    if (wait && e->parts.page != NULL && !polls(e))
        tell_page(e);
    if (wm_check_is_stopped(&e->lanes.check))
        return abandon(e);
    if (!polls(e) && !looks)
        return progress_net(e, mpi, wait);
    for (unsigned turn = 0;; turn++) {
        if (turn == LONG_TURNS && e->parts.page != NULL)
            tell_page(e);
        count += progress_polled(e);
        if (is_busy(mpi) && (turn % MEMORY_TURNS == 0 || count > 0 || !polls(e)))
            count += progress_net(e, mpi, false);
        if (wm_check_is_stopped(&e->lanes.check))
            return count + abandon(e);
        if (!wait || count > 0 || !(polls(e) || (looks && is_busy(mpi))))
            return count;
        wm_node_wait(e->parts.node == NULL || e->parts.node->crowded, turn);
    }
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

int wm_engine_give(struct wm_engine *e, struct wm_flight *flight)
{
    struct wm_flight **link = &e->active;

    if (flight->left > 0)
        WM_BUG("a flight is given back before it is over");
    while (*link != flight)
        link = &(*link)->next;
    *link = flight->next;
    flight->next = e->idle;
    e->idle = flight;
    e->failed = e->failed || flight->error != MPI_SUCCESS;
    return flight->error;
}

bool wm_engine_is_sound(const struct wm_engine *e)
{
    return !e->failed && !wm_check_is_stopped(&e->lanes.check);
}
