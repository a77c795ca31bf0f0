/* Siblings in a call: coming, meeting, parting. */
#include "core/subrank/siblings.h"
#include <stdlib.h>
#include "core/data/allocate.h"

static const char what[] = "the siblings on a communicator";

static struct wm_siblings *known;

static bool is_here(int number)
{
    return number / wm_world.each == wm_world.process;
}

/* ---- who they are ---- */

static struct wm_siblings *find(const struct wm_rank_comm *c, int first)
{
    struct wm_siblings *s = known;

    while (s != NULL && (s->context != c->context || s->first != first))
        s = s->next;
    return s;
}

static struct wm_siblings *make(const struct wm_rank_comm *c, int first, int count)
{
    struct wm_siblings *s = wm_allocate_zeroed(sizeof *s + (size_t)count * sizeof s->siblings[0], what);

    s->ranks = wm_allocate_zeroed((size_t)count * sizeof *s->ranks, what);
    s->context = c->context;
    s->first = first;
    s->count = count;
    s->next = known;
    return known = s;
}

/* Groups that have a context in common have no rank in common. */
static void join(struct wm_rank_comm *c)
{
    int count = 0, first = -1, place = 0;
    struct wm_siblings *s;

    for (int i = 0; i < c->size; i++) {
        if (!is_here(c->group->ranks[i]))
            continue;
        first = first < 0 ? c->group->ranks[i] : first;
        place += i < c->self;
        count++;
    }
    if ((s = find(c, first)) == NULL)
        s = make(c, first, count);
    s->users++;
    s->siblings[place] = (struct wm_sibling){.all = s, .comm = c, .rank = &s->ranks[place]};
    s->ranks[place].rank = c->self;
    c->plans->sibling = &s->siblings[place];
}

static void forget(struct wm_siblings *s)
{
    struct wm_siblings **link = &known;

    while (*link != s)
        link = &(*link)->next;
    *link = s->next;
    for (int op = 0; op < WM_COLLECTIVE_COUNT; op++)
        wm_joint_plan_release(&s->plans[op]);
    free(s->ranks);
    free(s);
}

void wm_siblings_leave(struct wm_rank_plans *p)
{
    struct wm_sibling *self = p->sibling;

    if (self == NULL)
        return;
    self->comm = NULL;
    if (--self->all->users == 0)
        forget(self->all);
}

/* ---- plans ---- */

/* Look at its last call; false: it has not met here, or has no such call, or its plan is not short. */
static bool find_short(struct wm_sibling *s, enum wm_operation operation)
{
    struct wm_sibling_way *way = &s->ways[operation];

    if (s->comm == NULL)
        return false;
    way->record = wm_rank_record_of(s->comm, operation);
    way->last = way->record->last[operation];
    if (way->last == NULL || way->last->path == NULL)
        return false;
    way->looked = way->last->stamp;
    s->rank->plan = wm_again_short(way->record, way->last);
    return s->rank->plan != NULL;
}

/* Calls of one allreduce are alike: others' last ones may be of the call before. */
static bool are_alike(const struct wm_last_call *a, const struct wm_last_call *b)
{
    return a->count == b->count && a->unit_bytes == b->unit_bytes && a->kernel == b->kernel;
}

static bool make_plan(struct wm_siblings *s, enum wm_operation operation)
{
    for (int i = 0; i < s->count; i++)
        if (!find_short(&s->siblings[i], operation) ||
            !are_alike(s->siblings[0].ways[operation].last, s->siblings[i].ways[operation].last))
            return false;
    return s->count > 1 && wm_joint_plan_make(&s->plans[operation], s->ranks, s->count);
}

/* The last one to look finds the calls of all others. */
void wm_siblings_look(struct wm_rank_comm *c, const struct wm_last_call *last, enum wm_operation operation)
{
    struct wm_siblings *s;
    bool made;

    if (!wm_siblings_may_meet(operation))
        return;
    if (c->plans->sibling == NULL)
        join(c);
    if (c->plans->sibling->ways[operation].looked == last->stamp)
        return;
    s = c->plans->sibling->all;
    c->plans->sibling->ways[operation].looked = last->stamp;
    wm_joint_plan_release(&s->plans[operation]);
    made = make_plan(s, operation);
    for (int i = 0; i < s->count; i++)
        s->siblings[i].ways[operation].stamp = made ? s->siblings[i].ways[operation].looked : 0;
}

/* ---- coming and going ---- */

static void wake_all(struct wm_siblings *s)
{
    for (struct wm_sibling *i = s->siblings; s->asleep_count > 0; i++)
        if (i->asleep) {
            i->asleep = false;
            s->asleep_count--;
            wm_rank_wake(i->comm->rank);
        }
}

/* The last one has come. Not inlined: those before it save no registers for it. */
static __attribute__((noinline)) int run(struct wm_siblings *s)
{
    wm_joint_plan_run(&s->plans[s->operation]);
    s->come = 0;
    s->met++;
    wake_all(s);
    return MPI_SUCCESS;
}

static void sleep_once(struct wm_sibling *self)
{
    self->all->asleep_count += !self->asleep;
    self->asleep = true;
    wm_rank_sleep(self->comm->rank);
}

static void yield(struct wm_rank *rank)
{
    if (__builtin_expect(rank->superblock == NULL, 1))
        wm_worker_yield(wm_worker);
    else
        wm_rank_yield(rank);
}

/* Run a call that was counted when it came; wm_again_run counts it once more. */
static int run_apart(struct wm_sibling *self, enum wm_operation operation)
{
    const struct wm_sibling_way *way = &self->ways[operation];
    const struct wm_call call = {.operation = operation, .send = self->rank->send, .receive = self->rank->receive};

    way->record->planned_calls[operation]--;
    wm_again_run(way->record, way->last, &call);
    return MPI_SUCCESS;
}

/* While it waits no other call can be joint: when `met` has grown, its own is over. Its callers end in tail calls, so
 * that it returns to the program. */
static WM_COROUTINE_RETURNS_BY_JUMP int wait_for_others(struct wm_sibling *self, enum wm_operation operation)
{
    struct wm_siblings *s = self->all;
    uint32_t met = s->met;

    yield(self->comm->rank);
    if (__builtin_expect(s->met != met, 1))
        return MPI_SUCCESS;
    while (s->met == met && s->come > 0 && s->ordinal == self->comm->plans->begun)
        sleep_once(self);
    return s->met != met ? MPI_SUCCESS : run_apart(self, operation);
}

int wm_sibling_come(struct wm_sibling *self, enum wm_operation operation, const void *send, void *receive)
{
    const struct wm_sibling_way *way = &self->ways[operation];
    struct wm_siblings *s = self->all;

    self->rank->send = (char *)(uintptr_t)send;
    self->rank->receive = receive;
    if (s->come++ == 0) {
        s->ordinal = self->comm->plans->begun + 1;
        s->operation = operation;
        wm_joint_plan_expect(&s->plans[operation]);
    }
    wm_again_use(way->record, way->last);
    way->record->planned_calls[operation]++;
    wm_rank_count_again(self->comm);
    return s->come == s->count ? run(s) : wait_for_others(self, operation);
}

void wm_siblings_part(struct wm_rank_plans *p, uint32_t ordinal)
{
    struct wm_siblings *s = p->sibling != NULL ? p->sibling->all : NULL;

    if (s == NULL)
        return;
    if ((int32_t)(ordinal - s->apart) > 0)
        s->apart = ordinal;
    if (s->come > 0 && s->ordinal == ordinal) {
        s->come = 0;
        wake_all(s);
    }
}
