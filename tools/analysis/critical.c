/* The critical path: walks back from the latest exit, over the receives that were waited for, to an arrival. */
#include "tools/analysis/critical.h"

#include <stdlib.h>
#include "core/search.h"
#include "tools/analysis/nesting.h"

struct walk {
    const struct wm_instance *instance;
    void (*take)(void *context, const struct wm_critical_step *step);
    void *context;
    size_t steps;
};

static int64_t side_end(const struct wm_instance *instance, const struct wm_trace_side *side)
{
    const struct wm_trace_message *message = &instance->messages[side->message];
    int64_t end_ns = side->receive ? message->receive_done_ns : message->send_done_ns;

    return end_ns == WM_TIME_UNKNOWN ? INT64_MAX : end_ns;
}

static int64_t side_begin(const struct wm_instance *instance, const struct wm_trace_side *side)
{
    const struct wm_trace_message *message = &instance->messages[side->message];

    return side->receive ? message->receive_post_ns : message->send_post_ns;
}

static int compare_sides(const void *a, const void *b, void *instance)
{
    int64_t x = side_end(instance, a), y = side_end(instance, b);

    return (x > y) - (x < y);
}

static int compare_works(const void *a, const void *b)
{
    const struct wm_attributed_work *x = a, *y = b;

    return (x->end_ns > y->end_ns) - (x->end_ns < y->end_ns);
}

void wm_critical_sort(struct wm_instance *instance)
{
    for (size_t i = 0; i < instance->part_count; i++) {
        const struct wm_member_part *part = &instance->parts[i];

        if (part->side_count > 1)
            qsort_r(instance->sides + part->first_side, part->side_count, sizeof *instance->sides, compare_sides,
                    instance);
        if (part->work_count > 1)
            qsort(instance->works + part->first_work, part->work_count, sizeof *instance->works, compare_works);
    }
}

/* How many of the part's sides end by `time_ns`. */
static size_t sides_until(const struct wm_instance *instance, const struct wm_member_part *part, int64_t time_ns)
{
    const struct wm_trace_side *sides = &instance->sides[part->first_side];

    return WM_COUNT_WHILE(i, part->side_count, side_end(instance, &sides[i]) <= time_ns);
}

/* How many of its works end before `time_ns`, and the one during it. */
static size_t works_until(const struct wm_instance *instance, const struct wm_member_part *part, int64_t time_ns)
{
    size_t before = WM_COUNT_WHILE(i, part->work_count, instance->works[part->first_work + i].end_ns < time_ns);

    return before < part->work_count ? before + 1 : before;
}

static void show(struct walk *walk, const struct wm_member_part *part, uint16_t node, int64_t begin_ns, int64_t end_ns,
                 const struct wm_trace_message *message)
{
    struct wm_critical_step step = {part->member, node, begin_ns, end_ns, message};

    walk->take(walk->context, &step);
    walk->steps++;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* A rank's local time on its way back, from end_ns on. */
struct local {
    const struct wm_instance *instance;
    const struct wm_member_part *part;
    size_t works_left, sides_left; /* those that begin before end_ns */
    int64_t end_ns;
};

static void skip_done(struct local *local)
{
    const struct wm_attributed_work *works = local->instance->works + local->part->first_work;
    const struct wm_trace_side *sides = local->instance->sides + local->part->first_side;

    while (local->works_left > 0 && works[local->works_left - 1].begin_ns >= local->end_ns)
        local->works_left--;
    while (local->sides_left > 0 && side_begin(local->instance, &sides[local->sides_left - 1]) >= local->end_ns)
        local->sides_left--;
}

/* Time without work: of the edge that is open, else of the innermost region. */
static uint16_t edge_or_region(const struct local *local, int64_t *since_ns)
{
    const struct wm_instance *instance = local->instance;
    const struct wm_trace_side *side =
        local->sides_left > 0 ? &instance->sides[local->part->first_side + local->sides_left - 1] : NULL;
    int64_t ended_ns = INT64_MIN;
    uint16_t node;

    if (side != NULL && side_end(instance, side) >= local->end_ns) {
        const struct wm_trace_message *message = &instance->messages[side->message];

        *since_ns = side_begin(instance, side);
        return side->receive ? message->receive_node : message->send_node;
    }
    if (side != NULL)
        ended_ns = side_end(instance, side);
    node = wm_nesting_innermost(instance, local->part, local->end_ns, since_ns)->node;
    *since_ns = most(*since_ns, ended_ns);
    return node;
}

/* Who has the time just before end_ns, and since when. */
static uint16_t local_node(const struct local *local, int64_t *since_ns)
{
    const struct wm_attributed_work *work =
        local->works_left > 0 ? &local->instance->works[local->part->first_work + local->works_left - 1] : NULL;
    int64_t worked_ns = INT64_MIN;
    uint16_t node;

    if (work != NULL && work->end_ns >= local->end_ns) {
        *since_ns = work->begin_ns;
        return work->node;
    }
    if (work != NULL)
        worked_ns = work->end_ns;
    node = edge_or_region(local, since_ns);
    *since_ns = most(*since_ns, worked_ns);
    return node;
}

/* Local time: works, then edges (of those open the one that ends last), then regions. */
static void show_local(struct walk *walk, const struct wm_member_part *part, int64_t begin_ns, int64_t end_ns)
{
    struct local local = {walk->instance, part, works_until(walk->instance, part, end_ns),
                          sides_until(walk->instance, part, end_ns), end_ns};

    while (local.end_ns > begin_ns) {
        int64_t since_ns;
        uint16_t node;

        skip_done(&local);
        node = local_node(&local, &since_ns);
        since_ns = most(since_ns, begin_ns);
        show(walk, part, node, since_ns, local.end_ns, NULL);
        local.end_ns = since_ns;
    }
}

static const struct wm_region *outermost(const struct wm_instance *instance, const struct wm_member_part *part)
{
    return &instance->regions[part->first_region];
}

/* The latest receive that ended by `end_ns`, after its rank came, and was waited for. On the way back down the sides of
 * a rank none is looked at twice, since its sender is left before it ended. */
static const struct wm_trace_message *leading(const struct walk *walk, const struct wm_member_part *part,
                                              int64_t end_ns, const struct wm_member_part **sender)
{
    const struct wm_instance *instance = walk->instance;
    int64_t enter_ns = outermost(instance, part)->enter_ns;

    for (size_t left = sides_until(instance, part, end_ns); left > 0; left--) {
        const struct wm_trace_side *side = &instance->sides[part->first_side + left - 1];
        const struct wm_trace_message *message = &instance->messages[side->message];

        if (side_end(instance, side) < enter_ns)
            return NULL;
        if (!side->receive || message->send_post_ns == WM_TIME_UNKNOWN ||
            message->send_post_ns <= message->receive_post_ns || message->send_post_ns >= message->receive_done_ns)
            continue;
        *sender = wm_nesting_part(instance, message->source);
        if (*sender != NULL && outermost(instance, *sender)->enter_ns <= message->send_post_ns)
            return message;
    }
    return NULL;
}

static const struct wm_member_part *last_to_leave(const struct wm_instance *instance)
{
    const struct wm_member_part *last = NULL;

    for (size_t i = 0; i < instance->part_count; i++) {
        const struct wm_member_part *part = &instance->parts[i];

        if (part->region_count > 0 && outermost(instance, part)->left &&
            (last == NULL || outermost(instance, part)->leave_ns > outermost(instance, last)->leave_ns))
            last = part;
    }
    return last;
}

/* Without messages: from `end_ns` back to the arrival that this rank waited for, or to its own. */
static void finish(struct walk *walk, const struct wm_member_part *part, int64_t end_ns)
{
    const struct wm_region *region = outermost(walk->instance, part);
    const struct wm_member_part *late = NULL;
    int64_t begin_ns = region->enter_ns;

    if (part->side_count == 0 && region->wait_ns > 0 && region->late_member >= 0)
        late = wm_nesting_part(walk->instance, region->late_member);
    if (late != NULL && outermost(walk->instance, late)->enter_ns <= end_ns)
        begin_ns = outermost(walk->instance, late)->enter_ns;
    else
        late = NULL;
    show_local(walk, part, begin_ns, end_ns);
    if (late != NULL)
        show(walk, late, outermost(walk->instance, late)->node, begin_ns, begin_ns, NULL);
    else if (walk->steps == 0)
        show(walk, part, region->node, begin_ns, begin_ns, NULL);
}

size_t wm_critical_walk(const struct wm_instance *instance,
                        void (*take)(void *context, const struct wm_critical_step *step), void *context)
{
    struct walk walk = {instance, take, context, 0};
    const struct wm_member_part *part = last_to_leave(instance), *sender = NULL;
    const struct wm_trace_message *message;
    int64_t end_ns;

    if (part == NULL)
        return 0;
    for (end_ns = outermost(instance, part)->leave_ns; (message = leading(&walk, part, end_ns, &sender)) != NULL;) {
        show_local(&walk, part, message->receive_done_ns, end_ns);
        show(&walk, part, message->receive_node, message->send_post_ns, message->receive_done_ns, message);
        part = sender;
        end_ns = message->send_post_ns;
    }
    finish(&walk, part, end_ns);
    return walk.steps;
}
