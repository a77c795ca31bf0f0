/* Siblings in a call: coming, meeting, parting. */
#include "core/subrank/siblings.h"
#include <stdlib.h>
#include "core/call/again.h"
#include "core/data/allocate.h"
#include "core/shared/joint_plan.h"

static const char what[] = "the siblings on a communicator";

/* What a sibling has of an operation. */
struct way {
    const struct wm_last_call *last; /* that can be run jointly, if it still has … */
    uint64_t stamp;                  /* … this; 0: none can */
    struct wm_comm *record;          /* whose last call it is */
    uint64_t looked;                 /* the stamp of the last call for which it has looked for a joint plan */
};

/* Come: it lets others run once. Asleep: it has come, and is woken when the call is over. Sent away: it has to run the
 * call for itself. */
enum state { AWAY, COME, ASLEEP, SENT_AWAY };

struct wm_sibling {
    struct wm_siblings *all;
    struct wm_rank_comm *comm; /* NULL: it has not met here so far, or has gone */
    struct wm_joint_rank *rank;
    enum state state;
    struct way ways[WM_COLLECTIVE_COUNT];
};

struct wm_siblings {
    struct wm_siblings *next; /* of the process's, any communicators' */
    int32_t context;
    int first, count; /* the first one's number in the world; how many there are, in the order of the communicator */
    int users;
    int come;                    /* to the call under way: */
    uint32_t ordinal;            /* its number on the communicator */
    enum wm_operation operation; /* … and operation */
    uint32_t apart;              /* the last call that some rank has begun for itself */
    struct wm_joint_rank *ranks; /* [count] */
    struct wm_joint_plan plans[WM_COLLECTIVE_COUNT];
    struct wm_sibling siblings[]; /* [count] */
};

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
    struct way *way = &s->ways[operation];

    if (s->comm == NULL)
        return false;
    way->record = wm_rank_record_of(s->comm, operation);
    way->last = way->record->last[operation];
    if (way->last == NULL || way->last->path == NULL)
        return false;
    way->looked = way->last->stamp;
    s->rank->plan = wm_again_short(way->record, way->record->last[operation]);
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

/* Nobody gets anything before all have come. */
static bool is_joint(enum wm_operation operation)
{
    return operation == WM_BARRIER || operation == WM_ALLREDUCE;
}

/* The last one to look finds the calls of all others. */
void wm_siblings_look(struct wm_rank_comm *c, const struct wm_last_call *last, enum wm_operation operation)
{
    struct wm_siblings *s;
    bool made;

    if (!is_joint(operation))
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

static void go(struct wm_siblings *s, enum state state)
{
    s->come = 0;
    for (struct wm_sibling *i = s->siblings; i < s->siblings + s->count; i++) {
        if (i->state == ASLEEP)
            wm_rank_wake(i->comm->rank);
        if (i->state != AWAY)
            i->state = state;
    }
}

/* Siblings that have as much to do come one after the other: then it need not sleep. Not inlined: it needs all
 * registers. */
static __attribute__((noinline)) bool wait_for_others(struct wm_sibling *self)
{
    self->state = COME;
    wm_rank_yield(self->comm->rank);
    if (self->state == COME)
        self->state = ASLEEP;
    while (self->state == ASLEEP)
        wm_rank_sleep(self->comm->rank);
    return self->state == AWAY;
}

/* It is under way, or may be the next one. */
static inline bool may_come(const struct wm_siblings *s, uint32_t ordinal, enum wm_operation operation)
{
    return s->come == 0 ? (int32_t)(ordinal - s->apart) > 0 : s->ordinal == ordinal && s->operation == operation;
}

bool wm_siblings_meet(struct wm_rank_plans *p, const struct wm_call *call)
{
    enum wm_operation operation = call->operation;
    struct wm_sibling *self = p->sibling;
    struct wm_siblings *s;
    struct way *way;

    if (self == NULL || (way = &self->ways[operation])->last == NULL || way->stamp != way->last->stamp ||
        !wm_again_is(way->record, way->last, call) || !may_come(self->all, p->begun + 1, operation))
        return false;
    s = self->all;
    s->operation = operation;
    s->ordinal = p->begun + 1;
    self->rank->send = (char *)(uintptr_t)call->send;
    self->rank->receive = call->receive;
    if (++s->come == 1)
        wm_joint_plan_expect(&s->plans[operation]);
    if (s->come == s->count) {
        wm_joint_plan_run(&s->plans[operation]);
        go(s, AWAY);
    } else if (!wait_for_others(self)) {
        self->state = AWAY;
        return false;
    }
    wm_again_use(way->record, way->last);
    way->record->planned_calls[operation]++;
    return true;
}

void wm_siblings_part(struct wm_rank_plans *p, uint32_t ordinal)
{
    struct wm_siblings *s = p->sibling != NULL ? p->sibling->all : NULL;

    if (s == NULL)
        return;
    if ((int32_t)(ordinal - s->apart) > 0)
        s->apart = ordinal;
    if (s->come > 0 && s->ordinal == ordinal)
        go(s, SENT_AWAY);
}
