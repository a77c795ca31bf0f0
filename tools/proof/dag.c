/* One rank's plan alone: its arrays, its bounds, its marks and its races. */
#include "tools/proof/dag.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tools/proof/parts.h"

struct access {
    int step, buffer;
    size_t low, high;
    bool writes, reduces;
};

struct checking {
    struct wm_arena *arena;
    const struct wm_plan *plan;
    const struct wm_dag_rules *rules;
    bool races; /* they are looked for */
    bool exact; /* copies read their blocks, and not all from the first one to the last */
    struct access *accesses;
    int access_count, access_room;
    uint64_t *reach; /* reach[step * words …]: steps that come after it */
    size_t words;
    char *fault;
    size_t fault_bytes;
};

const char *wm_dag_buffer_name(int buffer, char text[WM_DAG_NAME_CHARS])
{
    if (buffer == WM_BUFFER_SEND)
        snprintf(text, WM_DAG_NAME_CHARS, "the send buffer");
    else if (buffer == WM_BUFFER_RECEIVE)
        snprintf(text, WM_DAG_NAME_CHARS, "the receive buffer");
    else
        snprintf(text, WM_DAG_NAME_CHARS, "temporary %d", buffer - WM_BUFFER_TEMPORARY);
    return text;
}

static bool fail(const struct checking *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool fail(const struct checking *c, const char *format, ...)
{
    int used = snprintf(c->fault, c->fault_bytes, "rank %d: ", c->rules->rank);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(c->fault + used, c->fault_bytes - (size_t)used, format, arguments);
    va_end(arguments);
    return false;
}

static const char *step_name(const struct checking *c, int step)
{
    return wm_step_name((enum wm_step_kind)c->plan->steps[step].kind);
}

static int turn_of(const struct wm_step *step)
{
    return step->kind == WM_STEP_SEND ? 0 : step->kind == WM_STEP_RECV ? 1 : 2;
}

static bool is_message(const struct wm_step *step)
{
    return step->kind == WM_STEP_SEND || step->kind == WM_STEP_RECV;
}

/* Steps that wait for nothing are the roots: sends, then receives, then the others, each in order. */
static bool check_roots(const struct checking *c)
{
    const struct wm_plan *plan = c->plan;
    int roots = 0;

    for (int turn = 0; turn < 3; turn++)
        for (int s = 0; s < plan->step_count; s++)
            if (plan->steps[s].dependencies == 0 && turn_of(&plan->steps[s]) == turn &&
                (roots == plan->root_count || plan->roots[roots++] != s))
                return fail(c, "step %d waits for nothing, but is not the next root", s);
    return roots == plan->root_count || fail(c, "%d roots, but only %d wait for nothing", plan->root_count, roots);
}

/* Successors lie within the array, follow one another, lead forward, and add up to the dependencies. */
static bool check_edges(const struct checking *c)
{
    const struct wm_plan *plan = c->plan;
    int *waits = wm_arena_take(c->arena, sizeof *waits * (size_t)plan->step_count), next = 0;

    for (int s = 0; s < plan->step_count; s++) {
        if (plan->steps[s].first_successor != next)
            return fail(c, "successors of step %d begin at %d, not %d", s, plan->steps[s].first_successor, next);
        for (int e = 0; e < plan->steps[s].successors; e++, next++) {
            if (plan->successors[next] <= s || plan->successors[next] >= plan->step_count)
                return fail(c, "step %d has step %d as successor", s, plan->successors[next]);
            waits[plan->successors[next]]++;
        }
    }
    for (int s = 0; s < plan->step_count; s++)
        if (waits[s] != plan->steps[s].dependencies)
            return fail(c, "step %d has %d dependencies, but is the successor of %d", s, plan->steps[s].dependencies,
                        waits[s]);
    return check_roots(c);
}

static bool check_message(const struct checking *c, int s)
{
    const struct wm_step *step = &c->plan->steps[s];

    if (step->peer < 0 || step->peer >= c->rules->ranks || step->peer == c->rules->rank)
        return fail(c, "step %d: %s with rank %d", s, step_name(c, s), step->peer);
    return step->net != WM_NET_SHM || c->rules->nodes[step->peer] == c->rules->nodes[c->rules->rank] ||
           fail(c, "step %d: %s through shared memory with rank %d, which is on another node", s, step_name(c, s),
                step->peer);
}

/* A message of a pair, one way, in the order of steps. */
struct listed {
    int way, peer, step;
};

static int compare_listed(const void *left, const void *right)
{
    const struct listed *a = left, *b = right;

    if (a->way != b->way)
        return a->way - b->way;
    return a->peer != b->peer ? (a->peer > b->peer) - (a->peer < b->peer) : a->step - b->step;
}

static bool check_numbers(const struct checking *c, struct listed *listed, int count)
{
    uint32_t next = 0;

    if (count > 0)
        qsort(listed, (size_t)count, sizeof *listed, compare_listed);
    for (int i = 0; i < count; i++) {
        const struct wm_step *step = &c->plan->steps[listed[i].step];

        if (i > 0 && (listed[i].way != listed[i - 1].way || listed[i].peer != listed[i - 1].peer))
            next = 0;
        if (step->message != next++)
            return fail(c, "step %d: %s with rank %d has the number %u", listed[i].step, step_name(c, listed[i].step),
                        step->peer, (unsigned)step->message);
    }
    return true;
}

/* Messages: to and from other ranks, numbered as listed. */
static bool check_messages(const struct checking *c)
{
    struct listed *listed = wm_arena_take(c->arena, sizeof *listed * ((size_t)c->plan->step_count + 1));
    int messages = 0;

    for (int s = 0; s < c->plan->step_count; s++) {
        const struct wm_step *step = &c->plan->steps[s];

        if (!is_message(step))
            continue;
        if (!check_message(c, s))
            return false;
        listed[messages++] = (struct listed){step->kind == WM_STEP_RECV, step->peer, s};
    }
    return check_numbers(c, listed, messages) &&
           (messages == c->plan->message_steps ||
            fail(c, "%d messages are told, but there are %d", c->plan->message_steps, messages));
}

/* How messages and shared steps go stands in the plan. */
static bool check_transports(const struct checking *c)
{
    int count = c->plan->transport_count > 0 ? c->plan->transport_count : 1;

    for (int s = 0; s < c->plan->step_count; s++)
        if (c->plan->steps[s].transport >= count)
            return fail(c, "step %d (%s) goes by transport %d, but there are %d", s, step_name(c, s),
                        c->plan->steps[s].transport, count);
    return true;
}

/* Members: distinct ranks of one node, this one at its place. */
static bool check_members(const struct checking *c, int s, const struct wm_shared *shared)
{
    const int *members = shared->members, *nodes = c->rules->nodes;
    uint64_t *seen = wm_arena_take(c->arena, sizeof *seen * (((size_t)c->rules->ranks + 63) / 64));

    for (int i = 0; i < shared->size; i++) {
        if (members[i] < 0 || members[i] >= c->rules->ranks || (seen[members[i] / 64] >> (members[i] % 64) & 1))
            return fail(c, "step %d: shared with rank %d, which %s", s, members[i],
                        members[i] < 0 || members[i] >= c->rules->ranks ? "does not exist" : "is listed twice");
        if (nodes[members[i]] != nodes[c->rules->rank])
            return fail(c, "step %d: shared with rank %d, which is on another node", s, members[i]);
        seen[members[i] / 64] |= UINT64_C(1) << (members[i] % 64);
    }
    return true;
}

static bool check_shared(const struct checking *c)
{
    const struct wm_plan *plan = c->plan;

    for (int s = 0; s < plan->step_count; s++) {
        uint32_t index = plan->steps[s].message;
        const struct wm_shared *shared;

        if (plan->steps[s].kind != WM_STEP_SHARED)
            continue;
        if (index >= (uint32_t)plan->shared_count)
            return fail(c, "step %d is shared step %u, but there are %d", s, (unsigned)index, plan->shared_count);
        shared = &plan->shared[index];
        if (shared->kind >= WM_SHARED_KIND_COUNT || shared->root < 0 || shared->root >= shared->size)
            return fail(c, "step %d: shared of kind %d with member %d of %d as root", s, shared->kind, shared->root,
                        shared->size);
        if (shared->self < 0 || shared->self >= shared->size || shared->members[shared->self] != c->rules->rank)
            return fail(c, "step %d: shared by members of whom the rank is not number %d", s, shared->self);
        if (!check_members(c, s, shared))
            return false;
    }
    return true;
}

static bool within(const struct wm_proof_memory *extents, size_t low, size_t high)
{
    int first = 0, last = extents->count;

    while (first < last) {
        int middle = (first + last) / 2;

        if (extents->spans[middle].high <= low)
            first = middle + 1;
        else
            last = middle;
    }
    return first < extents->count && extents->spans[first].low <= low && extents->spans[first].high >= high;
}

static struct access *next_access(struct checking *c)
{
    if (c->access_count == c->access_room) {
        int room = c->access_room > 0 ? 2 * c->access_room : 2 * c->plan->step_count + 1;
        struct access *grown = wm_arena_take(c->arena, sizeof *grown * (size_t)room);

        if (c->access_count > 0)
            memcpy(grown, c->accesses, sizeof *grown * (size_t)c->access_count);
        c->accesses = grown;
        c->access_room = room;
    }
    return &c->accesses[c->access_count++];
}

static bool add_access(struct checking *c, int s, struct wm_ref ref, size_t count, bool writes)
{
    size_t low = ref.offset, high = ref.offset + count;
    int temporary = ref.buffer - WM_BUFFER_TEMPORARY;
    char name[WM_DAG_NAME_CHARS];

    if (ref.buffer < 0 || temporary >= c->plan->temporary_count)
        return fail(c, "step %d: %s names buffer %d, which does not exist", s, step_name(c, s), ref.buffer);
    if (temporary >= 0 && (high < low || high > c->plan->temporary_units[temporary]))
        return fail(c, "step %d: %s of %zu units at %zu leaves %s, which has %zu", s, step_name(c, s), count, low,
                    wm_dag_buffer_name(ref.buffer, name), c->plan->temporary_units[temporary]);
    if (temporary < 0 && (high < low || !within(&c->rules->touched[ref.buffer], low, high)))
        return fail(c, "step %d: %s of %zu units at %zu leaves the blocks of %s", s, step_name(c, s), count, low,
                    wm_dag_buffer_name(ref.buffer, name));
    if (writes && temporary < 0 && (ref.buffer == WM_BUFFER_SEND || !within(&c->rules->written, low, high)))
        return fail(c, "step %d: %s writes to units of %s that are not to be changed", s, step_name(c, s),
                    wm_dag_buffer_name(ref.buffer, name));
    if (writes || (c->races && ref.buffer != WM_BUFFER_SEND)) /* which nobody writes */
        *next_access(c) =
            (struct access){s, ref.buffer, low, high, writes, writes && c->plan->steps[s].kind == WM_STEP_REDUCE};
    return true;
}

/* Of a user's buffer: a range of blocks; else of the temporary. */
static bool lies_within(const struct checking *c, struct wm_ref at, size_t count)
{
    int temporary = at.buffer - WM_BUFFER_TEMPORARY;

    if (at.buffer < 0 || temporary >= c->plan->temporary_count || at.offset + count < at.offset)
        return false;
    return temporary >= 0 ? at.offset + count <= c->plan->temporary_units[temporary]
                          : within(&c->rules->touched[at.buffer], at.offset, at.offset + count);
}

/* What the step reads at its source. */
static bool add_source(struct checking *c, int s)
{
    const struct wm_step *step = &c->plan->steps[s];
    struct wm_stride stride = wm_plan_stride(c->plan, step);
    struct wm_ref at = step->source;

    if (stride.block != step->count && (stride.block == 0 || step->count % stride.block != 0 ||
                                        stride.distance <= stride.block || stride.first >= step->count / stride.block))
        return fail(c, "step %d: %s of %zu units in blocks of %zu, %zu apart, beginning with block %zu", s,
                    step_name(c, s), step->count, stride.block, stride.distance, stride.first);
    if (!c->exact && lies_within(c, at, wm_plan_extent(c->plan, step)))
        return add_access(c, s, at, wm_plan_extent(c->plan, step), false);
    for (size_t done = 0; done < step->count; done += stride.block, at.offset += stride.distance)
        if (!add_access(c, s, at, stride.block, false))
            return false;
    return true;
}

static bool add_shared_accesses(struct checking *c, int s)
{
    const struct wm_shared *shared = &c->plan->shared[c->plan->steps[s].message];

    for (int i = 0; i < shared->size; i++) {
        struct wm_ref at;
        size_t count;

        if ((wm_shared_gives(shared, i, &at, &count) && !add_access(c, s, at, count, false)) ||
            (wm_shared_gets(shared, i, &at, &count) && !add_access(c, s, at, count, true)))
            return false;
    }
    return true;
}

/* What each step reads and writes, within bounds. */
static bool check_accesses(struct checking *c)
{
    for (int s = 0; s < c->plan->step_count; s++) {
        const struct wm_step *step = &c->plan->steps[s];
        bool reads = wm_step_reads((enum wm_step_kind)step->kind),
             writes = wm_step_writes((enum wm_step_kind)step->kind);

        if ((reads || writes) && step->count == 0)
            return fail(c, "step %d: %s of no units", s, step_name(c, s));
        if (reads && !add_source(c, s))
            return false;
        if (writes && !add_access(c, s, step->target, step->count, true))
            return false;
        if (step->kind == WM_STEP_SHARED && !add_shared_accesses(c, s))
            return false;
    }
    return true;
}

static void find_reach(struct checking *c)
{
    const struct wm_plan *plan = c->plan;

    c->words = ((size_t)plan->step_count + 63) / 64;
    c->reach = wm_arena_take(c->arena, sizeof *c->reach * c->words * (size_t)plan->step_count);
    for (int s = plan->step_count - 1; s >= 0; s--) {
        uint64_t *row = &c->reach[(size_t)s * c->words];

        for (int e = 0; e < plan->steps[s].successors; e++) {
            int to = plan->successors[plan->steps[s].first_successor + e];
            const uint64_t *other = &c->reach[(size_t)to * c->words];

            row[to / 64] |= UINT64_C(1) << (to % 64);
            for (size_t w = (size_t)to / 64; w < c->words; w++)
                row[w] |= other[w];
        }
    }
}

static bool comes_before(const struct checking *c, int earlier, int later)
{
    return c->reach[(size_t)earlier * c->words + (size_t)later / 64] >> (later % 64) & 1;
}

static int compare_accesses(const void *left, const void *right)
{
    const struct access *a = left, *b = right;

    if (a->buffer != b->buffer)
        return a->buffer - b->buffer;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    return a->step - b->step;
}

static void sort_accesses(struct checking *c)
{
    if (c->access_count > 0)
        qsort(c->accesses, (size_t)c->access_count, sizeof *c->accesses, compare_accesses);
}

static bool may_meet(const struct checking *c, const struct access *a, const struct access *b)
{
    if ((!a->writes && !b->writes) || (a->reduces && b->reduces && c->rules->reductions_commute))
        return true;
    return comes_before(c, a->step, b->step) || comes_before(c, b->step, a->step);
}

/* Data that is only moved comes to its place once. */
static bool check_once(const struct checking *c)
{
    const struct access *last = NULL;

    for (int i = 0; c->rules->once && i < c->access_count; i++) {
        const struct access *a = &c->accesses[i];

        if (a->buffer != WM_BUFFER_RECEIVE || !a->writes)
            continue;
        if (last != NULL && a->low < last->high)
            return fail(c, "step %d (%s) and step %d (%s) both write unit %zu of the receive buffer", last->step,
                        step_name(c, last->step), a->step, step_name(c, a->step), a->low);
        if (last == NULL || a->high > last->high)
            last = a;
    }
    return true;
}

/* A reduction in shared memory may get where it gives the same units from. */
static bool is_in_place(const struct checking *c, const struct access *a, const struct access *b)
{
    const struct wm_step *step = &c->plan->steps[a->step];
    const struct wm_shared *shared = step->kind == WM_STEP_SHARED ? &c->plan->shared[step->message] : NULL;
    int from;

    if (shared == NULL || a->writes == b->writes || a->low != b->low || a->high != b->high)
        return false;
    return wm_part_giver(shared, 0, &from) < 0 && shared->from[from].buffer == a->buffer &&
           shared->from[from].offset == a->low;
}

static bool fail_within(const struct checking *c, const struct access *a, const struct access *b)
{
    char name[WM_DAG_NAME_CHARS];

    wm_dag_buffer_name(a->buffer, name);
    if (a->writes && b->writes)
        return fail(c, "step %d (%s) writes unit %zu of %s twice", a->step, step_name(c, a->step), b->low, name);
    return fail(c, "step %d (%s) reads unit %zu of %s, which it writes", a->step, step_name(c, a->step), b->low, name);
}

static bool check_races(const struct checking *c)
{
    char name[WM_DAG_NAME_CHARS];

    for (int i = 0; i < c->access_count; i++)
        for (int j = i + 1; j < c->access_count; j++) {
            const struct access *a = &c->accesses[i], *b = &c->accesses[j];

            if (b->buffer != a->buffer || b->low >= a->high)
                break;
            if (a->step == b->step && (a->writes || b->writes) && !is_in_place(c, a, b))
                return fail_within(c, a, b);
            if (a->step != b->step && !may_meet(c, a, b))
                return fail(c, "step %d (%s) and step %d (%s) both touch unit %zu of %s, and nothing orders them",
                            a->step, step_name(c, a->step), b->step, step_name(c, b->step), b->low,
                            wm_dag_buffer_name(a->buffer, name));
        }
    return true;
}

/* A mark pairs with the one of its node, and everything listed between the two lies between them. */
static bool check_marks_of(const struct checking *c, int enter, int leave)
{
    if (c->plan->steps[enter].node != c->plan->steps[leave].node)
        return fail(c, "the enter at step %d and the leave at step %d are of different nodes", enter, leave);
    for (int s = enter + 1; s < leave; s++)
        if (!comes_before(c, enter, s) || !comes_before(c, s, leave))
            return fail(c, "step %d (%s) may run outside the marks %d and %d around it", s, step_name(c, s), enter,
                        leave);
    return comes_before(c, enter, leave) || fail(c, "the leave at step %d may come before its enter", leave);
}

static bool check_marks(const struct checking *c)
{
    int *open = wm_arena_take(c->arena, sizeof *open * (size_t)c->plan->step_count), depth = 0;

    for (int s = 0; s < c->plan->step_count; s++) {
        const struct wm_step *step = &c->plan->steps[s];

        if (step->kind == WM_STEP_LEAVE && depth == 0)
            return fail(c, "step %d leaves what was not entered", s);
        if (step->kind == WM_STEP_LEAVE && !check_marks_of(c, open[--depth], s))
            return false;
        if ((step->kind == WM_STEP_ENTER || step->kind == WM_STEP_LEAVE) && !c->rules->traced)
            return fail(c, "step %d is a mark, but none was wanted", s);
        if (step->traced != (depth > 0))
            return fail(c, "step %d (%s) stands %s marks, but says otherwise", s, step_name(c, s),
                        depth > 0 ? "within" : "outside");
        if (step->kind == WM_STEP_ENTER)
            open[depth++] = s;
    }
    return depth == 0 || fail(c, "step %d enters and never leaves", open[0]);
}

/* By what copies may read at most, which is little to look at; where that may meet what is written, once more. */
static bool find_races(struct checking *c)
{
    if (check_races(c))
        return true;
    c->exact = true;
    c->access_count = 0;
    if (!check_accesses(c))
        return false;
    sort_accesses(c);
    return check_races(c);
}

bool wm_dag_check(struct wm_arena *arena, const struct wm_plan *plan, const struct wm_dag_rules *rules, char *fault,
                  size_t fault_bytes)
{
    struct checking c = {.arena = arena,
                         .plan = plan,
                         .rules = rules,
                         .races = plan->step_count <= rules->race_steps_max,
                         .fault = fault,
                         .fault_bytes = fault_bytes};

    if (!check_edges(&c) || !check_messages(&c) || !check_transports(&c) || !check_shared(&c) || !check_accesses(&c))
        return false;
    sort_accesses(&c);
    if (!check_once(&c))
        return false;
    if (!c.races)
        return true;
    find_reach(&c);
    return check_marks(&c) && find_races(&c);
}
