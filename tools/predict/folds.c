/* Folds: which rounds are alike, and the way back. */
#include "tools/predict/folds.h"

#include <stdlib.h>
#include <string.h>
#include "core/vector.h"
#include "tools/predict/simulation.h"

/* Rounds that a run goes back at least, many of whose divisors a period may be; and those that may be under way, or be
 * waited for: messages of a pair are WM_MESSAGE_TAGS ahead at most. */
enum { WRAP_ROUNDS = 480, SLACK_ROUNDS = 5 * WM_MESSAGE_TAGS, PERIOD_STEPS_MAX = 32 };

static int wrap_rounds(int ranks)
{
    return (WRAP_ROUNDS + ranks - 1) / ranks * ranks;
}

int wm_folds_rounds(int ranks)
{
    return wrap_rounds(ranks) + SLACK_ROUNDS + ranks;
}

/* --- Of a plan --- */

static bool is_far(const struct wm_plan *plan, int step, int later)
{
    for (int i = 0; i < plan->gap_count; i++)
        if (step >= plan->gaps[i].first && step < plan->gaps[i].last)
            return later - step > (plan->gaps[i].last - plan->gaps[i].first) / 2;
    return false;
}

void wm_folds_thin(struct wm_plan *plan)
{
    for (int i = 0; plan->gap_count > 0 && i < plan->step_count; i++) {
        struct wm_step *step = &plan->steps[i];
        int *successors = &plan->successors[step->first_successor], kept = 0;

        for (int j = 0; j < step->successors; j++) {
            struct wm_step *later = &plan->steps[successors[j]];

            if (is_far(plan, i, successors[j]) && later->dependencies > 1)
                later->dependencies--;
            else
                successors[kept++] = successors[j];
        }
        step->successors = kept;
    }
}

/* --- Of a program --- */

/* Is the step `later` what `step` is, one period on? */
static bool is_alike(const struct wm_sim_program *p, int step, int later)
{
    const struct wm_program_step *a = &p->steps[step], *b = &p->steps[later];

    if (a->kind != b->kind || a->kind == WM_STEP_SHARED || a->count != b->count || a->peer != b->peer ||
        a->net != b->net || a->transport != b->transport || a->held || b->held || a->successors != b->successors ||
        (a->partner >= 0 ? b->partner - a->partner != later - step : b->partner >= 0) ||
        wm_program_planned(p, step)->dependencies != wm_program_planned(p, later)->dependencies)
        return false;
    for (int i = 0; i < a->successors; i++)
        if (wm_program_successors(p, b)[i] - wm_program_successors(p, a)[i] != later - step)
            return false;
    return true;
}

/* Are so many steps from `step` on alike by a period? */
static bool are_alike(const struct wm_sim_program *p, int step, int period, int count)
{
    for (int i = 0; i < count; i++)
        if (!is_alike(p, step + i, step + i + period))
            return false;
    return true;
}

/* The least period of a gap's rounds at a rank; 0: there is none. */
static int find_period(const struct wm_sim_program *p, int rank, const struct wm_gap *gap)
{
    int middle = (int)p->first[rank] + gap->first + (gap->last - gap->first) / 2, period = 1;

    while (period <= PERIOD_STEPS_MAX && !are_alike(p, middle, period, 2 * period))
        period++;
    return period <= PERIOD_STEPS_MAX ? period : 0;
}

static int reach_of(const struct wm_sim_program *p, int step)
{
    const struct wm_program_step *s = &p->steps[step];
    int reach = 0;

    for (int i = 0; i < s->successors; i++) {
        int behind = wm_program_successors(p, s)[i] - step;

        reach = behind > reach ? behind : reach;
    }
    return reach;
}

/* From the middle of the rounds on either way. */
static void find_range(const struct wm_sim_program *p, struct wm_program_fold *fold, int rank, const struct wm_gap *gap)
{
    int first = (int)p->first[rank], from = first + gap->first + (gap->last - gap->first) / 2, to = from, reach;

    while (from > first && is_alike(p, from - 1, from - 1 + fold->period))
        from--;
    while (to + fold->period < (int)p->first[rank + 1] && is_alike(p, to, to + fold->period))
        to++;
    fold->from[rank] = from;
    fold->to[rank] = to + fold->period;
    for (int step = from; step < from + fold->period && step < to; step++)
        fold->reach = (reach = reach_of(p, step)) > fold->reach ? reach : fold->reach;
}

static bool find_fold(struct wm_sim_program *p, struct wm_program_fold *fold, int number)
{
    const struct wm_gap *gap = &p->plans[0]->gaps[number];

    *fold = (struct wm_program_fold){.from = wm_arena_take(&p->arena, sizeof *fold->from * (size_t)p->ranks),
                                     .to = wm_arena_take(&p->arena, sizeof *fold->to * (size_t)p->ranks),
                                     .period = find_period(p, 0, gap),
                                     .wrap = wrap_rounds(p->ranks),
                                     .rounds = gap->rounds};
    for (int rank = 0; rank < p->ranks; rank++) {
        const struct wm_plan *plan = p->plans[rank];

        if (plan->gap_count != p->plans[0]->gap_count || plan->gaps[number].rounds != gap->rounds ||
            find_period(p, rank, &plan->gaps[number]) != fold->period)
            return false;
        find_range(p, fold, rank, &plan->gaps[number]);
    }
    return fold->period > 0;
}

int wm_folds_refuse(struct wm_error *error)
{
    return wm_error_set(error, -WM_ENEVER, "rounds that are alike cannot be told from what is between them");
}

int wm_folds_find(struct wm_sim_program *p, struct wm_error *error)
{
    p->fold_count = p->plans[0]->gap_count;
    p->folds = wm_arena_take(&p->arena, sizeof *p->folds * ((size_t)p->fold_count + 1));
    for (int i = 0; i < p->fold_count; i++)
        if (!find_fold(p, &p->folds[i], i))
            return wm_folds_refuse(error);
    return 0;
}

size_t wm_folds_steps(const struct wm_sim_program *p)
{
    size_t steps = 0;

    for (int i = 0; i < p->fold_count; i++)
        steps += (size_t)p->folds[i].rounds * (size_t)p->folds[i].period * (size_t)p->ranks;
    return steps;
}

/* --- Of a run: the way back --- */

static const struct wm_program_fold *current(const struct wm_simulation *s)
{
    return &s->program->folds[s->folding.fold];
}

/* Numbers of steps become less by so many, or are only looked at. */
struct move {
    struct wm_simulation *s;
    int by;
    bool looks, possible;
};

static void move_step(struct move *m, int *step)
{
    const struct wm_program_fold *fold = current(m->s);
    int rank = m->s->program->steps[*step].owner;

    if (*step < fold->from[rank] || *step >= fold->to[rank])
        return;
    m->possible &= *step >= fold->from[rank] + m->by;
    *step -= m->looks ? 0 : m->by;
}

static void move_event(struct move *m, struct wm_sim_event *event)
{
    int step = event->at;

    if (event->kind == WM_EVENT_DONE || event->kind == WM_EVENT_ENTER || event->kind == WM_EVENT_FLOWN)
        return;
    move_step(m, &step);
    event->order -= (uint32_t)(event->at - step);
    event->at = step;
}

static void move_queue(struct move *m, struct wm_queue *queue)
{
    if (queue->first >= 0)
        move_step(m, &queue->last);
    for (int *step = &queue->first, next; *step >= 0; step = &wm_simulation_step(m->s, next)->next) {
        next = *step;
        move_step(m, step);
    }
}

static bool move_references(struct wm_simulation *s, int by, bool looks)
{
    struct move m = {s, by, looks, true};

    for (size_t i = 0; i < s->events.count; i++)
        move_event(&m, &s->events.heap[i]);
    for (size_t i = 0; i < s->fluid.flow_count; i++)
        if (s->fluid.flows[i].passed > 0)
            move_step(&m, &s->fluid.flows[i].step);
    for (int rank = 0; rank < s->program->ranks; rank++) {
        struct wm_rank_state *r = &s->ranks[rank];

        move_queue(&m, &r->ready);
        move_queue(&m, &r->come);
        move_queue(&m, &r->held);
        if (r->busy)
            move_step(&m, &r->step);
    }
    return m.possible;
}

static bool is_begun(const struct wm_step_state *state)
{
    return state->waiting == 0 || state->landed || state->asked;
}

/* Has the rank done with the first steps of the fold, and not come to its last ones? */
static bool is_between(const struct wm_simulation *s, int rank, int by)
{
    const struct wm_program_fold *fold = current(s);
    int last = fold->to[rank] - 1;

    for (int step = fold->from[rank]; step < fold->from[rank] + by; step++)
        if (!wm_simulation_step(s, step)->done)
            return false;
    while (last > fold->from[rank] + by && !is_begun(wm_simulation_step(s, last)))
        last--;
    return last + fold->reach < fold->to[rank] - fold->period;
}

static bool may_go_back(struct wm_simulation *s, int by)
{
    for (int rank = 0; rank < s->program->ranks; rank++)
        if (!is_between(s, rank, by))
            return false;
    return move_references(s, by, true);
}

/* Behind what has begun all rounds stand alike. */
static void go_back(struct wm_simulation *s, int by)
{
    const struct wm_program_fold *fold = current(s);

    move_references(s, by, false);
    for (int rank = 0; rank < s->program->ranks; rank++) {
        for (int step = fold->from[rank] + by; step < fold->to[rank]; step++)
            *wm_simulation_step(s, step - by) = *wm_simulation_step(s, step);
        for (int step = fold->to[rank] - by; step < fold->to[rank]; step++)
            *wm_simulation_step(s, step) = *wm_simulation_step(s, step - fold->period);
    }
}

/* --- As it stands --- */

static void note(struct wm_simulation *s, int64_t value)
{
    struct wm_sim_folding *f = &s->folding;

    if (wm_vector_reserve(&f->state, &f->state_room, f->state_count + 1, sizeof *f->state) < 0)
        wm_proof_out_of_memory();
    f->state[f->state_count++] = value;
}

static void note_queue(struct wm_simulation *s, const struct wm_queue *queue)
{
    for (int step = queue->first; step >= 0; step = wm_simulation_step(s, step)->next) {
        note(s, step);
        note(s, wm_simulation_step(s, step)->kind);
    }
    note(s, -1);
}

static void note_rank(struct wm_simulation *s, int rank)
{
    const struct wm_rank_state *r = &s->ranks[rank];

    note_queue(s, &r->ready);
    note_queue(s, &r->come);
    note_queue(s, &r->held);
    note(s, r->busy ? r->end - s->now : -1);
    note(s, r->busy ? (int64_t)r->step * WM_ITEM_KINDS + r->kind : -1);
    note(s, r->busy && r->taken);
    note(s, r->posted);
    note(s, r->flows);
    note(s, r->next_out > s->now ? r->next_out - s->now : 0);
    note(s, r->sent_lands >= s->now ? r->sent_to : -1);
    note(s, r->sent_lands >= s->now ? r->sent_lands - s->now : 0);
}

static void note_steps(struct wm_simulation *s)
{
    for (size_t i = 0; i < s->program->first[s->program->ranks]; i++) {
        const struct wm_step_state *state = wm_simulation_step(s, (int)i);

        note(s, state->done ? -1
                            : (int64_t)state->waiting << 4 | state->crossed << 3 | state->posted << 2 |
                                  state->landed << 1 | state->asked);
    }
}

static int compare_events(const void *left, const void *right)
{
    const struct wm_sim_event *a = left, *b = right;

    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    return a->kind != b->kind ? (int)a->kind - (int)b->kind : (a->at > b->at) - (a->at < b->at);
}

/* A flow's end is among its resource's notes. In order they are still a heap. */
static void note_events(struct wm_simulation *s)
{
    qsort(s->events.heap, s->events.count, sizeof *s->events.heap, compare_events);
    for (size_t i = 0; i < s->events.count; i++) {
        const struct wm_sim_event *event = &s->events.heap[i];

        if (event->kind == WM_EVENT_FLOWN)
            continue;
        note(s, event->time - s->now);
        note(s, event->kind);
        note(s, event->at);
    }
}

static void note_state(struct wm_simulation *s)
{
    s->folding.state_count = 0;
    for (int rank = 0; rank < s->program->ranks; rank++)
        note_rank(s, rank);
    note_steps(s);
    note_events(s);
    wm_fluid_note(&s->fluid, s->now, &s->folding.state, &s->folding.state_count, &s->folding.state_room);
}

/* --- Of a run --- */

/* The next fold, once the current one has no rounds left. */
static void watch(struct wm_simulation *s)
{
    struct wm_sim_folding *f = &s->folding;
    const struct wm_program_fold *fold = &s->program->folds[f->fold];

    f->watched = -1;
    f->former_count = 0;
    if (f->fold == s->program->fold_count)
        return;
    f->rounds = fold->rounds;
    f->watched = fold->from[0] + (fold->wrap + WM_MESSAGE_TAGS) * fold->period;
}

void wm_folds_begin(struct wm_simulation *s)
{
    watch(s);
}

/* It stands as it did the last time: so it will as often as rounds are left for. */
static void skip(struct wm_simulation *s)
{
    struct wm_sim_folding *f = &s->folding;
    int times = f->rounds / current(s)->wrap;

    f->rounds -= times * current(s)->wrap;
    s->skipped += times * (s->now - f->former_time);
    s->skips[s->skip_count++] =
        (struct wm_sim_skip){(int)f->former_items, (int)(s->item_count - f->former_items), times};
}

static void keep_state(struct wm_simulation *s)
{
    struct wm_sim_folding *f = &s->folding;
    int64_t *former = f->former;
    size_t room = f->former_room;

    f->former = f->state;
    f->former_count = f->state_count;
    f->former_room = f->state_room;
    f->state = former;
    f->state_room = room;
    f->former_time = s->now;
    f->former_items = s->item_count;
}

static void compare_state(struct wm_simulation *s)
{
    struct wm_sim_folding *f = &s->folding;

    note_state(s);
    if (f->rounds >= current(s)->wrap && f->state_count == f->former_count &&
        memcmp(f->state, f->former, sizeof *f->state * f->state_count) == 0)
        skip(s);
    keep_state(s);
}

void wm_folds_turn(struct wm_simulation *s)
{
    struct wm_sim_folding *f = &s->folding;
    int rounds = f->rounds < current(s)->wrap ? f->rounds : current(s)->wrap;

    f->due = false;
    if (!may_go_back(s, rounds * current(s)->period)) {
        f->watched += current(s)->period;
        return;
    }
    go_back(s, rounds * current(s)->period);
    f->rounds -= rounds;
    f->watched = current(s)->from[0] + (current(s)->wrap + WM_MESSAGE_TAGS) * current(s)->period;
    if (f->rounds > 0)
        compare_state(s);
    if (f->rounds > 0)
        return;
    f->fold++;
    watch(s);
}

void wm_folds_release(struct wm_simulation *s)
{
    free(s->folding.state);
    free(s->folding.former);
}
