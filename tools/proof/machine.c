/* All ranks' plans carried out together: rendezvous, and adversarial orders. */
#include "tools/proof/machine.h"

#include <stdarg.h>
#include <stdio.h>
#include "tools/proof/size.h"

/* A random event is one of so many that came first: what is then written lies not too far from what was. */
enum { RANDOM_WINDOW = 1024 };

bool wm_machine_refute(struct wm_machine *m, const char *format, ...)
{
    char text[WM_ERROR_TEXT_CHARS];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    wm_error_set(&m->proof->error, -WM_EPATH, "%s", text);
    m->proof->outcome = WM_REFUTED;
    return false;
}

int wm_machine_rank(const struct wm_machine *m, int at)
{
    return m->symmetry != NULL ? m->symmetry->first + at : at;
}

const struct wm_step *wm_machine_step(const struct wm_machine *m, struct wm_at at)
{
    return &m->plans[at.rank]->steps[at.step];
}

const struct wm_shared *wm_machine_shared(const struct wm_machine *m, struct wm_at at)
{
    const struct wm_step *step = wm_machine_step(m, at);

    return step->kind == WM_STEP_SHARED ? &m->plans[at.rank]->shared[step->message] : NULL;
}

int wm_machine_line(const struct wm_machine *m, struct wm_at at)
{
    int node = wm_machine_step(m, at)->node;

    for (int i = 0; i < m->path->wrapper_count; i++)
        if (m->path->wrappers[i].node == node)
            return m->path->wrappers[i].line;
    return 0;
}

const struct wm_transport *wm_machine_transport(const struct wm_machine *m, struct wm_at at)
{
    static const struct wm_transport usual;
    const struct wm_plan *plan = m->plans[at.rank];

    return plan->transport_count > 0 ? &plan->transports[wm_machine_step(m, at)->transport] : &usual;
}

static size_t number_of(const struct wm_machine *m, struct wm_at at)
{
    return m->first[at.rank] + (size_t)at.step;
}

static void add_event(struct wm_machine *m, int rank, int step)
{
    m->ready.events[m->ready.tail++] = (struct wm_at){rank, step};
}

static uint64_t next_random(struct wm_machine *m)
{
    m->random ^= m->random << 13;
    m->random ^= m->random >> 7;
    m->random ^= m->random << 17;
    return m->random;
}

static struct wm_at take_event(struct wm_machine *m, enum wm_ready_order order)
{
    struct wm_ready *ready = &m->ready;
    size_t pick, choice = ready->tail - ready->head;
    struct wm_at taken;

    if (order == WM_LAST_READY)
        return ready->events[--ready->tail];
    choice = choice < RANDOM_WINDOW ? choice : RANDOM_WINDOW;
    pick = ready->head + (order == WM_RANDOM ? (size_t)(next_random(m) % choice) : 0);
    taken = ready->events[pick];
    ready->events[pick] = ready->events[ready->head++];
    return taken;
}

static void begin_roots(struct wm_machine *m, int rank)
{
    const struct wm_plan *plan = m->plans[rank];

    for (int r = 0; r < plan->root_count; r++)
        if (m->waits[m->first[rank] + (size_t)plan->roots[r]] == 0)
            add_event(m, rank, plan->roots[r]);
}

/* What the window holds back waits for one step more. */
static void begin_instance(struct wm_machine *m, struct wm_shared_instance *instance)
{
    instance->posted = 0;
    for (int i = 0; i < instance->size; i++)
        if (instance->held[i] > 0)
            m->waits[m->first[instance->members[i].rank] + (size_t)instance->held[i]]++;
}

static void begin_run(struct wm_machine *m, uint64_t seed)
{
    size_t steps = m->first[m->ranks], passes = (size_t)m->message_count + (size_t)m->instance_count;

    wm_arena_clear(&m->run_arena);
    m->waits = wm_arena_take(&m->run_arena, sizeof *m->waits * steps);
    m->rounds = wm_arena_take(&m->run_arena, sizeof *m->rounds * steps);
    m->ready = (struct wm_ready){wm_arena_take(&m->run_arena, sizeof *m->ready.events * (steps + passes)), 0, 0};
    m->random = seed * 2 + 1;
    m->data->begin(m);
    for (int i = 0; i < m->message_count; i++)
        m->messages[i].posted = 0;
    for (int rank = 0; rank < m->ranks; rank++)
        for (int s = 0; s < m->plans[rank]->step_count; s++)
            m->waits[m->first[rank] + (size_t)s] = m->plans[rank]->steps[s].dependencies;
    for (int i = 0; i < m->instance_count; i++)
        begin_instance(m, &m->instances[i]);
    for (int rank = 0; rank < m->ranks; rank++)
        begin_roots(m, rank);
}

static void release_step(struct wm_machine *m, struct wm_at at)
{
    if (--m->waits[number_of(m, at)] == 0)
        add_event(m, at.rank, at.step);
}

/* The step is done: whoever waited for it alone is ready. */
static void finish(struct wm_machine *m, struct wm_at at)
{
    const struct wm_step *step = wm_machine_step(m, at);
    int round = m->rounds[number_of(m, at)];

    m->waits[number_of(m, at)] = -1;
    for (int e = 0; e < step->successors; e++) {
        int next = m->plans[at.rank]->successors[step->first_successor + e];
        size_t number = m->first[at.rank] + (size_t)next;

        if (m->rounds[number] < round)
            m->rounds[number] = round;
        release_step(m, (struct wm_at){at.rank, next});
    }
}

/* One end of a message, or one member of a shared step, has come. The event follows when all have. */
static void post(struct wm_machine *m, struct wm_at at)
{
    int index = m->message_of[number_of(m, at)];

    m->data->post(m, at);
    if (wm_machine_step(m, at)->kind == WM_STEP_SHARED) {
        if (++m->instances[index].posted == m->instances[index].size)
            add_event(m, WM_EVENT_SHARED, index);
    } else if (++m->messages[index].posted == 2) {
        add_event(m, WM_EVENT_MESSAGE, index);
    }
}

/* The round of what happens at several steps at once: one more than the latest that any of them waited for. */
static void next_round(struct wm_machine *m, const struct wm_at *steps, int count)
{
    int round = 0;

    for (int i = 0; i < count; i++)
        if (m->rounds[number_of(m, steps[i])] > round)
            round = m->rounds[number_of(m, steps[i])];
    if (++round > m->proof->rounds)
        m->proof->rounds = round;
    for (int i = 0; i < count; i++)
        m->rounds[number_of(m, steps[i])] = round;
}

static bool pass_message(struct wm_machine *m, const struct wm_proof_message *message)
{
    const struct wm_at ends[] = {message->send, message->recv};

    if (!m->data->pass_message(m, message))
        return false;
    next_round(m, ends, 2);
    finish(m, message->send);
    finish(m, message->recv);
    return true;
}

static bool pass_shared(struct wm_machine *m, const struct wm_shared_instance *instance)
{
    if (!m->data->pass_shared(m, instance))
        return false;
    next_round(m, instance->members, instance->size);
    for (int i = 0; i < instance->size; i++) {
        finish(m, instance->members[i]);
        if (instance->held[i] > 0)
            release_step(m, (struct wm_at){instance->members[i].rank, instance->held[i]});
    }
    return true;
}

static bool run_event(struct wm_machine *m, struct wm_at event)
{
    int kind;

    if (event.rank == WM_EVENT_MESSAGE)
        return pass_message(m, &m->messages[event.step]);
    if (event.rank == WM_EVENT_SHARED)
        return pass_shared(m, &m->instances[event.step]);
    kind = wm_machine_step(m, event)->kind;
    if (kind == WM_STEP_SEND || kind == WM_STEP_RECV || kind == WM_STEP_SHARED) {
        post(m, event);
        return true;
    }
    if (!m->data->run_step(m, event))
        return false;
    finish(m, event);
    return true;
}

static struct wm_at find_unfinished(const struct wm_machine *m)
{
    for (int rank = 0; rank < m->ranks; rank++)
        for (int s = 0; s < m->plans[rank]->step_count; s++)
            if (m->waits[m->first[rank] + (size_t)s] >= 0)
                return (struct wm_at){rank, s};
    return (struct wm_at){-1, -1};
}

bool wm_machine_run(struct wm_machine *m, enum wm_ready_order order, uint64_t seed)
{
    struct wm_at left;

    begin_run(m, seed);
    while (m->ready.head < m->ready.tail) {
        wm_arena_clear(&m->event_arena);
        if (!run_event(m, take_event(m, order)) || !wm_size_holds(m))
            return false;
    }
    left = find_unfinished(m);
    return left.rank >= 0 ? wm_machine_refute_deadlock(m, left) : m->data->end(m);
}
