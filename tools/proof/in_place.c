/* In place: a write to the receive buffer waits for all that reads it. */
#include "tools/proof/in_place.h"

#include <stdlib.h>
#include <string.h>

struct waiting {
    struct wm_plan *plan;
    bool *reads, *writes; /* by step: the receive buffer */
    bool *before;         /* by step: the first write waits for it */
    int first, last;      /* write; -1: nothing is written */
};

/* Units of the receive buffer, from the first to behind the last. */
struct place {
    size_t low, high;
};

/* Range number `i` that a step reads, or writes; false: it has fewer. */
typedef bool side(const struct wm_plan *plan, const struct wm_step *step, int i, struct wm_ref *at, size_t *count);

static bool reads_at(const struct wm_plan *plan, const struct wm_step *step, int i, struct wm_ref *at, size_t *count)
{
    struct wm_stride stride = wm_plan_stride(plan, step);

    *at = (struct wm_ref){step->source.buffer, step->source.offset + (size_t)i * stride.distance};
    *count = stride.block;
    return wm_step_reads((enum wm_step_kind)step->kind) && (size_t)i * stride.block < step->count;
}

static bool writes_at(const struct wm_plan *plan, const struct wm_step *step, int i, struct wm_ref *at, size_t *count)
{
    (void)plan;
    *at = step->target;
    *count = step->count;
    return wm_step_writes((enum wm_step_kind)step->kind) && i == 0;
}

/* The next range that a step reads, or writes, from number *i on; false: there is none. */
static bool next_range(const struct wm_plan *plan, const struct wm_step *step, bool writes, int *i, struct wm_ref *at,
                       size_t *count)
{
    const struct wm_shared *s;

    if (step->kind != WM_STEP_SHARED)
        return writes ? writes_at(plan, step, (*i)++, at, count) : reads_at(plan, step, (*i)++, at, count);
    s = &plan->shared[step->message];
    while (*i < s->size)
        if ((writes ? wm_shared_gets : wm_shared_gives)(s, (*i)++, at, count))
            return true;
    return false;
}

/* Of a buffer, in the range or anywhere. */
static bool touches(const struct wm_plan *plan, const struct wm_step *step, bool writes, int buffer, struct place place)
{
    struct wm_ref at;
    size_t count;

    for (int i = 0; next_range(plan, step, writes, &i, &at, &count);)
        if (at.buffer == buffer && at.offset < place.high && place.low < at.offset + count)
            return true;
    return false;
}

/* One must wait for the other on account of another buffer. */
static bool meet_elsewhere(const struct wm_plan *plan, const struct wm_step *a, const struct wm_step *b)
{
    struct wm_ref at;
    size_t count;

    for (int writes = 0; writes < 2; writes++)
        for (int i = 0; next_range(plan, a, writes != 0, &i, &at, &count);) {
            struct place place = {at.offset, at.offset + count};

            if (at.buffer != WM_BUFFER_RECEIVE && (touches(plan, b, true, at.buffer, place) ||
                                                   (writes != 0 && touches(plan, b, false, at.buffer, place))))
                return true;
        }
    return false;
}

/* What a write is to. */
static struct place find_place(const struct wm_plan *plan, const struct wm_step *step)
{
    struct place place = {SIZE_MAX, 0};
    struct wm_ref at;
    size_t count;

    for (int i = 0; next_range(plan, step, true, &i, &at, &count);)
        if (at.buffer == WM_BUFFER_RECEIVE) {
            place.low = at.offset < place.low ? at.offset : place.low;
            place.high = at.offset + count > place.high ? at.offset + count : place.high;
        }
    return place;
}

static void find_before(const struct wm_plan *plan, int writer, bool *before)
{
    memset(before, 0, (size_t)writer);
    for (int s = writer - 1; s >= 0; s--) {
        const int *next = &plan->successors[plan->steps[s].first_successor];

        for (int e = 0; e < plan->steps[s].successors && !before[s]; e++)
            before[s] = next[e] == writer || (next[e] < writer && before[next[e]]);
    }
}

/* Is the writer behind all that touch its place before it? */
static bool waits_for_others(const struct waiting *w, int writer, struct place place, bool *before, int *other)
{
    const struct wm_plan *plan = w->plan;

    find_before(plan, writer, before);
    for (int s = writer - 1; s >= 0; s--) {
        *other = s;
        for (int writes = 0; writes < 2 && !before[s]; writes++)
            if ((writes != 0 ? w->writes : w->reads)[s] &&
                touches(plan, &plan->steps[s], writes != 0, WM_BUFFER_RECEIVE, place))
                return false;
    }
    return true;
}

/* A write behind the one before it, to a place within that one's, waits for all that the one before waits for. */
static bool follows(const struct waiting *w, int before, int writer, struct place place)
{
    const struct wm_step *step = &w->plan->steps[before];
    const int *next = &w->plan->successors[step->first_successor];
    struct place other = find_place(w->plan, step);

    for (int e = 0; e < step->successors; e++)
        if (next[e] == writer)
            return other.low <= place.low && place.high <= other.high;
    return false;
}

static bool all_wait_for_others(const struct waiting *w, struct wm_arena *arena, int *other, int *writer)
{
    bool *before = wm_arena_take(arena, (size_t)w->plan->step_count + 1);
    int last = -1;

    for (*writer = w->first; *writer < w->plan->step_count; ++*writer) {
        struct place place;

        if (!w->writes[*writer])
            continue;
        place = find_place(w->plan, &w->plan->steps[*writer]);
        if ((last < 0 || !follows(w, last, *writer, place)) && !waits_for_others(w, *writer, place, before, other))
            return false;
        last = *writer;
    }
    return true;
}

static void find_accesses(struct waiting *w)
{
    static const struct place anywhere = {0, SIZE_MAX};

    for (int s = 0; s < w->plan->step_count; s++) {
        w->reads[s] = touches(w->plan, &w->plan->steps[s], false, WM_BUFFER_RECEIVE, anywhere);
        w->writes[s] = touches(w->plan, &w->plan->steps[s], true, WM_BUFFER_RECEIVE, anywhere);
        if (w->writes[s] && w->first < 0)
            w->first = s;
        w->last = w->reads[s] ? s : w->last;
    }
}

/* The write that is to wait for the step, too; -1: none. */
static int waiting_for(const struct waiting *w, int s)
{
    int next = s + 1;

    if (w->reads[s] && s < w->first)
        return w->first;
    while (w->writes[s] && next < w->plan->step_count && !w->writes[next])
        next++;
    return w->writes[s] && next < w->plan->step_count ? next : -1;
}

/* Its waits as they are to be: those on account of another buffer stay as they are, but that the first write waits at
 * once for what it waits for through others. Returns how many. */
static int list_waits(const struct waiting *w, int s, int *waits)
{
    const struct wm_step *step = &w->plan->steps[s];
    int added = waiting_for(w, s), count = 0;

    if (added >= 0 && !(added == w->first && w->before[s]) && meet_elsewhere(w->plan, step, &w->plan->steps[added]))
        added = -1;
    for (int e = 0; e < step->successors; e++) {
        int next = w->plan->successors[step->first_successor + e];

        if (next != added && (!w->reads[s] || !w->writes[next] || meet_elsewhere(w->plan, step, &w->plan->steps[next])))
            waits[count++] = next;
    }
    if (added >= 0)
        waits[count++] = added;
    return count;
}

static void put_waits(struct waiting *w)
{
    struct wm_plan *plan = w->plan;
    size_t room = 1;
    int *successors, next = 0, roots = 0;

    for (int s = 0; s < plan->step_count; s++) {
        room += (size_t)plan->steps[s].successors + 1;
        plan->steps[s].dependencies = 0;
    }
    successors = malloc(sizeof *successors * room);
    if (successors == NULL)
        wm_proof_out_of_memory();
    for (int s = 0; s < plan->step_count; s++) {
        int count = list_waits(w, s, &successors[next]);

        plan->steps[s].first_successor = next;
        plan->steps[s].successors = count;
        for (int end = next + count; next < end; next++)
            plan->steps[successors[next]].dependencies++;
    }
    free(plan->successors);
    plan->successors = successors;
    for (int i = 0; i < plan->root_count; i++)
        if (plan->steps[plan->roots[i]].dependencies == 0)
            plan->roots[roots++] = plan->roots[i];
    plan->root_count = roots;
}

bool wm_in_place_wait(struct wm_plan *plan, struct wm_arena *arena, int *other, int *writer)
{
    size_t steps = (size_t)plan->step_count + 1;
    struct waiting w = {plan, wm_arena_take(arena, steps), wm_arena_take(arena, steps), wm_arena_take(arena, steps), -1,
                        -1};

    find_accesses(&w);
    if (w.first < 0 || w.last > w.first)
        return true;
    if (!all_wait_for_others(&w, arena, other, writer))
        return false;
    find_before(plan, w.first, w.before);
    put_waits(&w);
    return true;
}
