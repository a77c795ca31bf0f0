/* Calls in flight at the end of a crashed job: ranks inside, ranks that never came, messages awaited. */
#include "tools/analysis/stuck.h"

#include <stdlib.h>
#include <string.h>
#include "tools/analysis/mismatch.h"

/* A rank that filled its quota stopped recording, not running: its open calls say nothing. */
static bool stopped(const struct wm_trace_rank *rank)
{
    return !rank->closed && !(rank->full_mode && rank->lost > 0);
}

static bool is_stuck(const struct wm_instance *instance, const struct wm_history *history,
                     const struct wm_region *region)
{
    const struct wm_rank_history *rank = &history->ranks[region->rank_index];

    return region->outermost && !region->left && stopped(&instance->trace->ranks[region->rank_index]) &&
           rank->off_since_ns == WM_TIME_UNKNOWN &&
           (rank->on_since_ns == WM_TIME_UNKNOWN || rank->on_since_ns <= region->enter_ns);
}

/* Was recording off when this rank may have come? It was not when it has recorded an earlier call on the communicator
 * since it was switched on. */
static bool may_have_come_unseen(const struct wm_instance *instance, const struct wm_history *history, int rank_index)
{
    const struct wm_rank_history *rank = &history->ranks[rank_index];

    if (rank->off_since_ns != WM_TIME_UNKNOWN)
        return true;
    if (rank->on_since_ns == WM_TIME_UNKNOWN)
        return false;
    for (size_t i = history->group_count; i > 0; i--) {
        const struct wm_note_group *group = &history->groups[i - 1];
        const struct wm_history_note *note;

        if (group->communicator != instance->communicator->key)
            break;
        note = wm_history_find(history, group, rank_index);
        if (note != NULL)
            return note->enter_ns < rank->on_since_ns;
    }
    return true;
}

static void add_pending(struct wm_stuck *stuck, const struct wm_instance *instance, const struct wm_trace_side *side)
{
    const struct wm_trace_message *message = &instance->messages[side->message];
    int64_t done_ns = side->receive ? message->receive_done_ns : message->send_done_ns;

    if (done_ns != WM_TIME_UNKNOWN)
        return;
    if (stuck->pending_count < WM_PENDING_MAX)
        stuck->pending[stuck->pending_count] = (struct wm_pending){
            .source = instance->communicator->ranks[message->source],
            .destination = instance->communicator->ranks[message->destination],
            .bytes = message->bytes,
            .since_ns = side->receive ? message->receive_post_ns : message->send_post_ns,
            .receive = side->receive,
            .node = side->receive ? message->receive_node : message->send_node,
        };
    stuck->pending_count++;
}

/* The call that a part is about, or NULL. */
static const struct wm_region *call_of(const struct wm_instance *instance, const struct wm_member_part *part)
{
    return part->region_count > 0 ? &instance->regions[part->first_region] : NULL;
}

/* It has come to this call, or to a later one, and waits for a path. */
static bool asks(const struct wm_rank_history *rank, const struct wm_instance *instance)
{
    return rank->asks && rank->asks_communicator == instance->communicator->key &&
           rank->asks_sequence >= instance->sequence;
}

/* Members that made another call in its place, or whose trace is there but has no record of this instance (a trace that
 * lost its newest records cannot tell). */
static void add_absent(struct wm_stuck *stuck, const struct wm_instance *instance, const struct wm_history *history,
                       const struct wm_region *call)
{
    const struct wm_trace *trace = instance->trace;
    size_t part = 0;

    for (int i = 0; i < trace->rank_count; i++) {
        const struct wm_trace_rank *rank = &trace->ranks[i];

        while (part < instance->part_count && instance->parts[part].rank_index < i)
            part++;
        if (part < instance->part_count && instance->parts[part].rank_index == i) {
            const struct wm_region *other = call_of(instance, &instance->parts[part]);

            if (other != NULL && !wm_mismatch_none(call, other))
                stuck->absent[stuck->absent_count++] = rank->rank;
            continue;
        }
        if (instance->member_of_world[rank->rank] >= 0 && !(rank->full_mode && rank->lost > 0) &&
            !asks(&history->ranks[i], instance) && !may_have_come_unseen(instance, history, i))
            stuck->absent[stuck->absent_count++] = rank->rank;
    }
}

static int add_members(struct wm_stuck *stuck, const struct wm_instance *instance, const struct wm_history *history,
                       const struct wm_region *call)
{
    stuck->inside = calloc(instance->region_count, sizeof *stuck->inside);
    stuck->absent = calloc((size_t)instance->trace->rank_count, sizeof *stuck->absent);
    if (stuck->inside == NULL || stuck->absent == NULL)
        return -WM_ENOMEM;
    for (size_t i = 0; i < instance->region_count; i++)
        if (is_stuck(instance, history, &instance->regions[i]) && wm_mismatch_none(call, &instance->regions[i]))
            stuck->inside[stuck->inside_count++] = instance->trace->ranks[instance->regions[i].rank_index].rank;
    add_absent(stuck, instance, history, call);
    for (size_t i = 0; i < instance->side_count; i++)
        add_pending(stuck, instance, &instance->sides[i]);
    return 0;
}

/* The earliest region of those that are stuck in calls that are not noted since `noted`, or NULL. */
static const struct wm_region *find_stuck(const struct wm_analysis *analysis, int noted,
                                          const struct wm_instance *instance, const struct wm_history *history)
{
    const struct wm_region *first = NULL;

    for (size_t i = 0; i < instance->region_count; i++) {
        const struct wm_region *region = &instance->regions[i];
        bool new = is_stuck(instance, history, region) && (first == NULL || region->enter_ns < first->enter_ns);

        for (int k = noted; new &&k < analysis->stuck_count; k++)
            new = analysis->stuck[k].operation != region->operation || analysis->stuck[k].root != region->root;
        if (new)
            first = region;
    }
    return first;
}

int wm_stuck_note(struct wm_analysis *analysis, const struct wm_instance *instance, const struct wm_history *history)
{
    const struct wm_region *call;
    int noted = analysis->stuck_count, rc = 0;

    while (rc == 0 && (call = find_stuck(analysis, noted, instance, history)) != NULL) {
        struct wm_stuck *stuck = &analysis->stuck[analysis->stuck_count];

        if (analysis->stuck_count == WM_STUCK_MAX) {
            analysis->stuck_more++;
            return 0;
        }
        analysis->stuck_count++;
        *stuck = (struct wm_stuck){
            .communicator = instance->communicator->key,
            .sequence = instance->sequence,
            .node = call->node,
            .operation = call->operation,
            .root = call->root,
            .bytes = call->bytes,
            .since_ns = call->enter_ns,
        };
        rc = add_members(stuck, instance, history, call);
    }
    return rc;
}

static const struct wm_trace_record *last_record(const struct wm_trace_rank *rank)
{
    for (uint64_t number = rank->first + rank->count; number > rank->first; number--) {
        const struct wm_trace_record *record = wm_trace_record_get(rank, number - 1);

        if (record != NULL && (record->kind <= WM_TRACE_COPY || record->kind == WM_TRACE_SHARED))
            return record;
    }
    return NULL;
}

static bool is_inside(const struct wm_analysis *analysis, int rank)
{
    for (int i = 0; i < analysis->stuck_count; i++)
        for (int k = 0; k < analysis->stuck[i].inside_count; k++)
            if (analysis->stuck[i].inside[k] == rank)
                return true;
    return false;
}

int wm_stuck_list_deaths(struct wm_analysis *analysis, const struct wm_trace *trace, const struct wm_history *history)
{
    analysis->deaths = calloc((size_t)trace->rank_count, sizeof *analysis->deaths);
    if (analysis->deaths == NULL)
        return -WM_ENOMEM;
    for (int i = 0; i < trace->rank_count; i++) {
        const struct wm_trace_rank *rank = &trace->ranks[i];

        if (!rank->closed)
            analysis->deaths[analysis->death_count++] = (struct wm_death){
                .rank = rank,
                .inside = is_inside(analysis, rank->rank),
                .asks = history->ranks[i].asks,
                .last_ns = rank->end_ns,
                .last = last_record(rank),
            };
    }
    return 0;
}
