/* A program carried out on a model: the ranks' cores, and the order of events. */
#include "tools/predict/simulation.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "core/vector.h"

void wm_queue_push(struct wm_simulation *s, struct wm_queue *queue, int step)
{
    wm_simulation_step(s, step)->next = -1;
    if (queue->first < 0)
        queue->first = step;
    else
        wm_simulation_step(s, queue->last)->next = step;
    queue->last = step;
}

int wm_queue_pop(struct wm_simulation *s, struct wm_queue *queue)
{
    int step = queue->first;

    queue->first = wm_simulation_step(s, step)->next;
    return step;
}

void wm_simulation_touch(struct wm_simulation *s, int rank)
{
    if (s->ranks[rank].listed)
        return;
    s->ranks[rank].listed = true;
    s->touched[s->touched_count++] = rank;
}

void wm_simulation_come(struct wm_simulation *s, int step, enum wm_item_kind kind, int cause)
{
    int rank = s->program->steps[step].owner;
    struct wm_step_state *state = wm_simulation_step(s, step);

    state->kind = kind;
    state->cause = cause;
    state->since = s->now;
    wm_queue_push(s, kind == WM_ITEM_RUN ? &s->ranks[rank].ready : &s->ranks[rank].come, step);
    wm_simulation_touch(s, rank);
}

void wm_simulation_complete(struct wm_simulation *s, int step, int item)
{
    const struct wm_program_step *done = &s->program->steps[step];

    wm_simulation_step(s, step)->done = true;
    s->folding.due |= step == s->folding.watched;
    for (int i = 0; i < done->successors; i++) {
        int next = wm_program_successors(s->program, done)[i];

        if (--wm_simulation_step(s, next)->waiting == 0)
            wm_simulation_come(s, next, WM_ITEM_RUN, item);
    }
}

const struct wm_model_link *wm_simulation_link(const struct wm_simulation *s, int step)
{
    const struct wm_program_step *message = &s->program->steps[step];

    return &s->model->links[message->state.level][message->net];
}

bool wm_simulation_asks(const struct wm_simulation *s, int step)
{
    const struct wm_program_step *message = &s->program->steps[step];
    uint64_t eager = (uint64_t)wm_simulation_link(s, step)->values[WM_LINK_EAGER];

    if (s->program->eager && wm_program_plan(s->program, step)->transports[message->transport].eager_bytes > 0)
        eager = wm_program_plan(s->program, step)->transports[message->transport].eager_bytes;
    return wm_simulation_bytes(s, message) > eager;
}

bool wm_simulation_reads(const struct wm_simulation *s, int step)
{
    const struct wm_program_step *receive = &s->program->steps[step];

    return s->crowd.hosts != NULL && s->model->grid->node[receive->owner] == s->model->grid->node[receive->peer];
}

static int64_t asked_cost(const struct wm_simulation *s, int step)
{
    const struct wm_model_link *link = wm_simulation_link(s, step);
    uint64_t bytes = wm_simulation_bytes(s, &s->program->steps[step]);

    if (!wm_simulation_reads(s, step))
        return s->model->engine[WM_ENGINE_POLL];
    return s->model->engine[WM_ENGINE_POLL] + link->values[WM_LINK_HANDSHAKE] +
           wm_model_bytes(wm_model_message(link, bytes)->values[WM_MESSAGE_BYTE], bytes);
}

static int64_t receive_cost(const struct wm_simulation *s, int step, bool unexpected)
{
    const struct wm_model_link *link = wm_simulation_link(s, step);
    uint64_t bytes = wm_simulation_bytes(s, &s->program->steps[step]);
    const int64_t *row = wm_model_message(link, bytes)->values;
    int others = s->ranks[s->program->steps[step].owner].posted - !unexpected;
    int64_t cost = row[WM_MESSAGE_RECEIVE] + others * link->values[WM_LINK_POSTED];

    if (!wm_simulation_asks(s, step))
        cost += wm_model_bytes(row[WM_MESSAGE_RECEIVE_BYTE], bytes);
    if (wm_simulation_step(s, step)->crossed)
        cost += row[WM_MESSAGE_CROSS];
    return unexpected ? cost + wm_model_bytes(link->values[WM_LINK_UNEXPECTED_BYTE], bytes)
                      : cost + s->model->engine[WM_ENGINE_POLL];
}

static int64_t send_cost(const struct wm_simulation *s, int step)
{
    uint64_t bytes = wm_simulation_bytes(s, &s->program->steps[step]);
    const int64_t *row = wm_model_message(wm_simulation_link(s, step), bytes)->values;

    return row[WM_MESSAGE_SEND] + (wm_simulation_asks(s, step) ? 0 : wm_model_bytes(row[WM_MESSAGE_SEND_BYTE], bytes));
}

static int64_t run_cost(const struct wm_simulation *s, int step)
{
    const struct wm_program_step *run = &s->program->steps[step];
    uint64_t bytes = wm_simulation_bytes(s, run);
    int64_t cost = s->model->engine[WM_ENGINE_STEP];

    switch ((enum wm_step_kind)run->kind) {
    case WM_STEP_SEND:
        return cost + send_cost(s, step);
    case WM_STEP_RECV:
        return cost + (wm_simulation_step(s, step)->landed ? receive_cost(s, step, true) : 0);
    case WM_STEP_REDUCE:
    case WM_STEP_COPY:
        return cost + (s->program->unit_bytes > 0 ? wm_model_kernel(s->model, run->kind == WM_STEP_REDUCE, bytes) : 0);
    default:
        return cost;
    }
}

struct wm_program_shared *wm_simulation_shared(const struct wm_simulation *s, int step, int *seat)
{
    struct wm_program_shared *shared = &s->program->shared[s->program->steps[step].partner];

    *seat = wm_program_plan(s->program, step)->shared[wm_program_planned(s->program, step)->message].self;
    return shared;
}

static int64_t meeting_cost(const struct wm_simulation *s, int step)
{
    int seat;
    const struct wm_shared *shared = wm_simulation_shared(s, step, &seat)->shared;
    struct wm_model_cost cost = wm_model_shared(s->model, (enum wm_shared_kind)shared->kind, shared->size,
                                                (uint64_t)wm_shared_units(shared) * s->program->unit_bytes);
    int64_t whole = cost.call + cost.moved + cost.more;
    bool root = seat == shared->root;

    switch ((enum wm_shared_kind)shared->kind) {
    case WM_SHARED_BCAST:
    case WM_SHARED_SCATTER:
        return root ? cost.post : whole;
    case WM_SHARED_GATHER:
    case WM_SHARED_REDUCE:
        return root ? whole : cost.post;
    default:
        return whole;
    }
}

int64_t wm_simulation_cost(const struct wm_simulation *s, int step, enum wm_item_kind kind)
{
    switch (kind) {
    case WM_ITEM_RUN:
        return run_cost(s, step);
    case WM_ITEM_LANDED:
        return receive_cost(s, step, false);
    case WM_ITEM_ASKED:
        return asked_cost(s, step);
    case WM_ITEM_MET:
        return meeting_cost(s, step);
    default:
        return s->model->engine[WM_ENGINE_POLL];
    }
}

static int add_item(struct wm_simulation *s, const struct wm_sim_item *item)
{
    if (s->item_count >= INT_MAX ||
        wm_vector_reserve(&s->items, &s->item_room, s->item_count + 1, sizeof *s->items) < 0)
        wm_proof_out_of_memory();
    s->items[s->item_count] = *item;
    return (int)s->item_count++;
}

/* The core takes the next thing, if it is free. What it waited for: the thing before, if that ended later than what
 * brought this one. */
static void begin_item(struct wm_simulation *s, int rank)
{
    struct wm_rank_state *r = &s->ranks[rank];
    int step = wm_queue_pop(s, r->ready.first >= 0 ? &r->ready : &r->come);
    const struct wm_step_state *state = wm_simulation_step(s, step);
    bool waited = r->item >= 0 && r->end > state->since;
    int64_t cost = wm_simulation_cost(s, step, (enum wm_item_kind)state->kind);

    r->item = add_item(s, &(struct wm_sim_item){.start = s->now,
                                                .end = s->now + cost,
                                                .cause = waited ? r->item : state->cause,
                                                .step = (unsigned)step,
                                                .kind = state->kind});
    r->end = s->now + cost;
    r->step = step;
    r->kind = state->kind;
    r->busy = true;
    r->taken = state->landed;
    wm_events_add(&s->events, &(struct wm_sim_event){.time = s->now + cost, .kind = WM_EVENT_DONE, .at = rank});
}

/* Who goes away takes nothing that has come. */
static bool has_work(const struct wm_simulation *s, int rank)
{
    return s->ranks[rank].ready.first >= 0 || (s->ranks[rank].come.first >= 0 && !s->ranks[rank].goes);
}

static void leave(struct wm_simulation *s, int rank)
{
    struct wm_rank_state *r = &s->ranks[rank];

    if (r->away || !r->begun || !r->goes)
        return;
    r->away = true;
    r->away_since = s->now;
}

static void end_item(struct wm_simulation *s, int rank)
{
    struct wm_rank_state *r = &s->ranks[rank];
    int step = r->step;

    r->busy = false;
    wm_simulation_touch(s, rank);
    switch ((enum wm_step_kind)s->program->steps[step].kind) {
    case WM_STEP_SEND:
    case WM_STEP_RECV:
        wm_messages_done(s, step, (enum wm_item_kind)r->kind, r->item);
        break;
    case WM_STEP_SHARED:
        if (r->kind == WM_ITEM_RUN) {
            wm_meetings_arrive(s, step, r->item);
            break;
        }
        /* fallthrough */
    default:
        wm_simulation_complete(s, step, r->item);
    }
    if (s->now > s->end || s->last < 0) {
        s->end = s->now;
        s->last = r->item;
    }
}

static void begin_items(struct wm_simulation *s)
{
    for (size_t i = 0; i < s->touched_count; i++) {
        int rank = s->touched[i];

        s->ranks[rank].listed = false;
        if (s->ranks[rank].busy || s->ranks[rank].away)
            continue;
        if (!has_work(s, rank)) {
            leave(s, rank);
            wm_crowd_yield(s, rank);
        } else if (wm_crowd_lets(s, rank)) {
            begin_item(s, rank);
        }
    }
    s->touched_count = 0;
}

static void begin_steps(struct wm_simulation *s, int rank)
{
    const struct wm_plan *plan = s->program->plans[rank];

    s->ranks[rank].begun = true;
    wm_simulation_touch(s, rank);
    for (int i = 0; i < plan->root_count; i++)
        wm_simulation_come(s, (int)s->program->first[rank] + plan->roots[i], WM_ITEM_RUN, -1);
}

/* The rank begins, or comes back and stays. */
static void enter(struct wm_simulation *s, int rank)
{
    struct wm_rank_state *r = &s->ranks[rank];

    if (!r->begun) {
        begin_steps(s, rank);
        return;
    }
    r->away = false;
    r->goes = false;
    wm_simulation_touch(s, rank);
}

static void handle(struct wm_simulation *s, const struct wm_sim_event *event)
{
    s->event_count++;
    if (event->kind == WM_EVENT_ENTER)
        enter(s, event->at);
    else if (event->kind == WM_EVENT_TURN)
        wm_crowd_turn(s, event);
    else if (event->kind == WM_EVENT_DONE)
        end_item(s, event->at);
    else
        wm_messages_event(s, event);
}

static void run_events(struct wm_simulation *s)
{
    while (s->events.count > 0) {
        s->now = s->events.heap[0].time;
        do {
            while (s->events.count > 0 && s->events.heap[0].time == s->now) {
                struct wm_sim_event event = wm_events_take(&s->events);

                handle(s, &event);
            }
            begin_items(s);
        } while (s->events.count > 0 && s->events.heap[0].time == s->now);
        wm_fluid_settle(&s->fluid, s->now, &s->events);
        if (s->folding.due)
            wm_folds_turn(s);
    }
}

static void add_enter(struct wm_simulation *s, int rank, int64_t time)
{
    wm_events_add(&s->events, &(struct wm_sim_event){.time = time, .kind = WM_EVENT_ENTER, .at = rank});
}

static struct wm_step_state begin_step(const struct wm_simulation *s, int rank, const struct wm_step *step)
{
    bool message = step->kind == WM_STEP_SEND || step->kind == WM_STEP_RECV;

    return (struct wm_step_state){.waiting = step->dependencies,
                                  .level = message ? (uint8_t)wm_model_level(s->model, rank, step->peer) : 0};
}

/* Who begins with the first goes on at once. */
static void begin_rank(struct wm_simulation *s, int rank, int64_t begin, int64_t back)
{
    const struct wm_plan *plan = s->program->plans[rank];
    int first = (int)s->program->first[rank];
    static const struct wm_queue empty = {-1, -1};

    s->ranks[rank] = (struct wm_rank_state){
        .ready = empty, .come = empty, .held = empty, .item = -1, .sent_to = -1, .goes = back > begin + s->now};
    for (int i = 0; i < plan->step_count; i++)
        *wm_simulation_step(s, first + i) = begin_step(s, rank, &plan->steps[i]);
    if (begin == 0)
        begin_steps(s, rank);
    else
        add_enter(s, rank, s->now + begin);
    if (s->ranks[rank].goes)
        add_enter(s, rank, back);
    if (plan->held_messages > 0 && s->due == NULL)
        s->due = wm_arena_take(&s->arena, sizeof *s->due * s->program->first[s->program->ranks]);
}

static void begin_shared(struct wm_program_shared *shared)
{
    shared->arrived = shared->ahead = 0;
    memset(shared->came, 0, sizeof *shared->came * (size_t)shared->size);
}

static int refuse_wait(const struct wm_simulation *s, struct wm_error *error)
{
    for (int rank = 0; rank < s->program->ranks; rank++)
        for (size_t i = s->program->first[rank]; i < s->program->first[rank + 1]; i++)
            if (wm_simulation_step(s, i)->waiting > 0 || wm_simulation_step(s, i)->posted)
                return wm_error_set(
                    error, -WM_ENEVER,
                    "rank %d waits for ever in step %zu; prove the path by 'waymark check', and report it", rank,
                    i - s->program->first[rank]);
    return 0;
}

int64_t wm_simulation_rank_end(const struct wm_simulation *s, int rank, int64_t begin)
{
    int item = s->ranks[rank].item;

    return item >= 0 ? s->ranks[rank].end + s->skipped : begin + s->model->engine[WM_ENGINE_FLIGHT];
}

static void prepare(struct wm_simulation *s, const struct wm_sim_program *program, const struct wm_model *model)
{
    *s = (struct wm_simulation){.program = program, .model = model, .last = -1, .now = model->engine[WM_ENGINE_FLIGHT]};
    s->end = s->now;
    s->ranks = wm_arena_take(&s->arena, sizeof *s->ranks * (size_t)program->ranks);
    s->touched = wm_arena_take(&s->arena, sizeof *s->touched * (size_t)program->ranks);
    for (int i = 0; i < program->shared_count; i++)
        begin_shared(&program->shared[i]);
    wm_fluid_init(&s->fluid, wm_messages_resources(s));
}

static int run(struct wm_simulation *s, const struct wm_sim_presence *presence, struct wm_error *error)
{
    for (int rank = 0; rank < s->program->ranks; rank++)
        begin_rank(s, rank, presence->begin != NULL ? presence->begin[rank] : 0,
                   presence->back != NULL ? presence->back[rank] : 0);
    wm_folds_begin(s);
    begin_items(s);
    run_events(s);
    s->end += s->skipped;
    return s->folding.fold < s->program->fold_count ? wm_folds_refuse(error) : refuse_wait(s, error);
}

int wm_simulation_run(struct wm_simulation *s, const struct wm_sim_program *program, const struct wm_model *model,
                      uint64_t order, struct wm_error *error)
{
    int rc;

    prepare(s, program, model);
    wm_crowd_begin(s, order);
    rc = run(s, &(struct wm_sim_presence){0}, error);
    wm_crowd_end(s);
    return rc;
}

int wm_simulation_run_from(struct wm_simulation *s, const struct wm_sim_program *program, const struct wm_model *model,
                           const struct wm_sim_presence *presence, struct wm_error *error)
{
    prepare(s, program, model);
    return run(s, presence, error);
}

void wm_simulation_release(struct wm_simulation *s)
{
    wm_events_release(&s->events);
    wm_folds_release(s);
    wm_fluid_release(&s->fluid);
    wm_arena_release(&s->arena);
    free(s->items);
    *s = (struct wm_simulation){0};
}
