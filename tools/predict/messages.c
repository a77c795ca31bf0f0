/* Messages under way: eager and by rendezvous, flows and the links that they share. */
#include "tools/predict/simulation.h"

/* A rank's sends that flow at once; those behind wait for the earlier ones. */
enum { FLOWS_MAX = 8 };

/* Resources: each host's way out and in, its memory; the same of the groups of an axis with a cut; each rank's core. */
enum { HOST_OUT, HOST_IN, HOST_MEMORY, HOST_RESOURCES };

static size_t first_cut(const struct wm_simulation *s, int axis)
{
    size_t first = (size_t)s->program->host_count * HOST_RESOURCES;

    for (int i = 0; i < axis; i++)
        if (s->model->cuts[i][WM_CUT_OUT] > 0)
            first += 2 * (size_t)wm_grid_group_count(s->model->grid, i);
    return first;
}

size_t wm_messages_resources(const struct wm_simulation *s)
{
    return first_cut(s, s->model->grid->axis_count) + (size_t)s->program->ranks;
}

static int local(const struct wm_simulation *s, int step)
{
    return step - (int)s->program->first[s->program->steps[step].owner];
}

static void add_event(struct wm_simulation *s, int64_t time, enum wm_event_kind kind, int at)
{
    wm_events_add(&s->events, &(struct wm_sim_event){
                                  .time = time, .order = (uint32_t)local(s, at) + 1, .kind = kind & 15, .at = at});
}

static void pass_cuts(struct wm_simulation *s, int flow, int sender, int receiver)
{
    const struct wm_grid *grid = s->model->grid;

    for (int axis = 0; axis < grid->axis_count; axis++) {
        const int *group = grid->axes[axis].group;
        size_t first = first_cut(s, axis);

        if (s->model->cuts[axis][WM_CUT_OUT] == 0 || group[sender] == group[receiver])
            continue;
        wm_fluid_pass(&s->fluid, flow, (int)first + 2 * group[sender], s->model->cuts[axis][WM_CUT_OUT], s->now);
        wm_fluid_pass(&s->fluid, flow, (int)first + 2 * group[receiver] + 1, s->model->cuts[axis][WM_CUT_IN], s->now);
        return;
    }
}

static int alike(const struct wm_sim_program *p, int rank)
{
    return p->alike != NULL ? p->alike[rank] : 1;
}

static void pass_host(struct wm_simulation *s, int flow, int rank, int resource, int64_t share)
{
    if (share > 0)
        wm_fluid_pass(&s->fluid, flow, s->program->host[rank] * HOST_RESOURCES + resource,
                      share * alike(s->program, rank), s->now);
}

static void pass_core(struct wm_simulation *s, int flow, int rank, int64_t share)
{
    if (share > 0)
        wm_fluid_pass(&s->fluid, flow, (int)first_cut(s, s->model->grid->axis_count) + rank, share, s->now);
}

static bool is_inside(const struct wm_simulation *s, int step)
{
    const struct wm_sim_program *p = s->program;

    return s->model->grid->node[p->steps[step].owner] == s->model->grid->node[p->steps[step].peer];
}

static void pass_links(struct wm_simulation *s, int flow, int step, const int64_t *row)
{
    const struct wm_sim_program *p = s->program;
    int sender = p->steps[step].owner, receiver = p->steps[p->steps[step].partner].owner;

    if (is_inside(s, step)) {
        pass_host(s, flow, sender, HOST_MEMORY, s->model->host[WM_HOST_MEMORY]);
    } else {
        pass_host(s, flow, sender, HOST_OUT, s->model->host[WM_HOST_OUT]);
        pass_host(s, flow, receiver, HOST_IN, s->model->host[WM_HOST_IN]);
        pass_cuts(s, flow, sender, p->steps[step].peer);
    }
    if (!wm_simulation_asks(s, step))
        return;
    pass_core(s, flow, sender, row[WM_MESSAGE_SEND_BYTE]);
    pass_core(s, flow, receiver, row[WM_MESSAGE_RECEIVE_BYTE]);
}

static void depart(struct wm_simulation *s, int step);

/* The last byte has left. */
static void leave(struct wm_simulation *s, int step)
{
    const struct wm_sim_program *p = s->program;
    struct wm_rank_state *r = &s->ranks[p->steps[step].owner];
    const int64_t *row = wm_model_message(wm_simulation_link(s, step), wm_simulation_bytes(s, &p->steps[step]))->values;
    int64_t lands = s->now + row[WM_MESSAGE_LATENCY];

    if (s->due != NULL && s->due[step] > lands)
        lands = s->due[step];
    add_event(s, lands, WM_EVENT_LAND, p->steps[step].partner);
    if (wm_simulation_asks(s, step))
        wm_simulation_come(s, step, WM_ITEM_SENT, wm_simulation_step(s, step)->cause);
    if (row[WM_MESSAGE_CROSS] > 0) {
        r->sent_to = p->steps[step].peer;
        r->sent_lands = lands;
    }
    r->flows--;
    if (r->held.first >= 0)
        depart(s, wm_queue_pop(s, &r->held));
}

static void flow(struct wm_simulation *s, int step)
{
    uint64_t bytes = wm_simulation_bytes(s, &s->program->steps[step]);
    const int64_t *row = wm_model_message(wm_simulation_link(s, step), bytes)->values;
    int number;

    if (bytes == 0) {
        leave(s, step);
        return;
    }
    number = wm_fluid_begin(&s->fluid, step, bytes, row[WM_MESSAGE_BYTE], s->now);
    pass_links(s, number, step, row);
    if (s->fluid.flows[number].passed > 0)
        return;
    wm_fluid_end(&s->fluid, number, s->now, &s->events);
    add_event(s, s->now + wm_model_bytes(row[WM_MESSAGE_BYTE], bytes), WM_EVENT_LEFT, step);
}

/* Behind the rank's message before, by the gap. */
static void depart(struct wm_simulation *s, int step)
{
    struct wm_rank_state *r = &s->ranks[s->program->steps[step].owner];
    int64_t begin = r->next_out > s->now ? r->next_out : s->now;

    r->flows++;
    r->next_out = begin + wm_simulation_link(s, step)->values[WM_LINK_GAP];
    if (begin > s->now)
        add_event(s, begin, WM_EVENT_BEGIN, step);
    else
        flow(s, step);
}

/* A message that `delay` holds is due at a time (core/process/uplink.h). */
static void hold(struct wm_simulation *s, int step)
{
    const struct wm_program_step *message = &s->program->steps[step];
    const struct wm_plan *plan = s->program->plans[message->owner];
    struct wm_rank_state *r = &s->ranks[message->owner];
    int64_t begin = r->uplink > s->now ? r->uplink : s->now;
    uint32_t number = wm_program_planned(s->program, step)->message;

    r->uplink = begin + 1000 * (int64_t)wm_lag_busy_ns(&plan->lag, wm_simulation_bytes(s, message));
    s->due[step] = r->uplink + 1000 * (int64_t)wm_lag_latency_ns(&plan->lag, message->owner, message->peer, number);
}

static void launch(struct wm_simulation *s, int step, int item)
{
    struct wm_rank_state *r = &s->ranks[s->program->steps[step].owner];

    wm_simulation_step(s, step)->cause = item;
    if (r->flows < FLOWS_MAX)
        depart(s, step);
    else
        wm_queue_push(s, &r->held, step);
}

static void send(struct wm_simulation *s, int step, int item)
{
    const struct wm_program_step *message = &s->program->steps[step];
    const struct wm_model_link *link = wm_simulation_link(s, step);

    if (message->held)
        hold(s, step);
    if (wm_simulation_asks(s, step)) {
        wm_simulation_step(s, step)->cause = item;
        add_event(s, s->now + wm_model_message(link, wm_simulation_bytes(s, message))->values[WM_MESSAGE_LATENCY],
                  WM_EVENT_ASK, s->program->steps[step].partner);
        return;
    }
    launch(s, step, item);
    wm_simulation_complete(s, step, item);
}

static void answer(struct wm_simulation *s, int step, int item)
{
    int asker = s->program->steps[step].partner;

    wm_simulation_step(s, asker)->cause = item;
    if (wm_simulation_reads(s, step)) {
        wm_simulation_step(s, step)->landed = true;
        wm_simulation_come(s, asker, WM_ITEM_SENT, item);
        wm_simulation_come(s, step, WM_ITEM_LANDED, item);
        return;
    }
    add_event(s, s->now + wm_simulation_link(s, step)->values[WM_LINK_HANDSHAKE], WM_EVENT_ANSWER, asker);
}

/* A receive is posted, unless its message was there before. */
static void post(struct wm_simulation *s, int step, int item)
{
    struct wm_rank_state *r = &s->ranks[s->program->steps[step].owner];
    struct wm_step_state *state = wm_simulation_step(s, step);

    if (r->taken) {
        wm_simulation_complete(s, step, item);
        return;
    }
    state->posted = true;
    r->posted++;
    if (state->landed)
        wm_simulation_come(s, step, WM_ITEM_LANDED, item);
    else if (state->asked)
        answer(s, step, item);
}

static void receive(struct wm_simulation *s, int step, int item)
{
    wm_simulation_step(s, step)->posted = false;
    s->ranks[s->program->steps[step].owner].posted--;
    wm_simulation_complete(s, step, item);
}

void wm_messages_done(struct wm_simulation *s, int step, enum wm_item_kind kind, int item)
{
    bool sends = s->program->steps[step].kind == WM_STEP_SEND;

    switch (kind) {
    case WM_ITEM_RUN:
        (sends ? send : post)(s, step, item);
        return;
    case WM_ITEM_LANDED:
        receive(s, step, item);
        return;
    case WM_ITEM_ASKED:
        answer(s, step, item);
        return;
    case WM_ITEM_ANSWERED:
        launch(s, step, item);
        return;
    default:
        wm_simulation_complete(s, step, item);
    }
}

/* What a receive waits for has come: a message, or the request for one. */
static void arrive(struct wm_simulation *s, int step, bool *flag, enum wm_item_kind kind)
{
    *flag = true;
    if (wm_simulation_step(s, step)->posted)
        wm_simulation_come(s, step, kind, wm_simulation_step(s, s->program->steps[step].partner)->cause);
}

static void land(struct wm_simulation *s, int step)
{
    const struct wm_program_step *receive = &s->program->steps[step];
    const struct wm_rank_state *r = &s->ranks[receive->owner];
    struct wm_step_state *state = wm_simulation_step(s, step);

    state->crossed = r->sent_to == receive->peer && r->sent_lands >= s->now;
    arrive(s, step, &state->landed, WM_ITEM_LANDED);
}

void wm_messages_event(struct wm_simulation *s, const struct wm_sim_event *event)
{
    int step = event->at;

    switch ((enum wm_event_kind)event->kind) {
    case WM_EVENT_FLOWN:
        if (!wm_fluid_holds(&s->fluid, event))
            return;
        step = s->fluid.flows[event->at].step;
        wm_fluid_end(&s->fluid, event->at, s->now, &s->events);
        leave(s, step);
        return;
    case WM_EVENT_LEFT:
        leave(s, step);
        return;
    case WM_EVENT_BEGIN:
        flow(s, step);
        return;
    case WM_EVENT_LAND:
        land(s, step);
        return;
    case WM_EVENT_ASK:
        arrive(s, step, &wm_simulation_step(s, step)->asked, WM_ITEM_ASKED);
        return;
    default:
        wm_simulation_come(s, step, WM_ITEM_ANSWERED, wm_simulation_step(s, step)->cause);
    }
}
