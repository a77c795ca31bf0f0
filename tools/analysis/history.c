/* The history: notes of regions by instance, and the ranks' timelines. */
#include "tools/analysis/history.h"

#include <stdlib.h>
#include "core/search.h"
#include "tools/analysis/nesting.h"
#include "core/vector.h"

static int64_t time_of(struct wm_trace_rank *rank, const struct wm_trace_record *record)
{
    int64_t time_ns = wm_trace_ns(rank, record->time_ticks);

    return time_ns < rank->start_ns ? rank->start_ns : time_ns > rank->end_ns ? rank->end_ns : time_ns;
}

/* What is on record of a rank: all of it, or in a ring since the oldest record, or up to the quota. */
static void bound(struct wm_rank_history *history, struct wm_trace_rank *rank)
{
    const struct wm_trace_record *record = NULL;
    uint64_t number = 0, last = rank->first + rank->count;

    *history = (struct wm_rank_history){
        .begin_ns = rank->start_ns,
        .message_end_ns = rank->start_ns,
        .end_ns = rank->end_ns,
        .off_since_ns = WM_TIME_UNKNOWN,
        .on_since_ns = WM_TIME_UNKNOWN,
    };
    if (rank->lost == 0)
        return;
    if (!rank->full_mode && (record = wm_trace_next(rank, &number)) != NULL)
        history->begin_ns = time_of(rank, record);
    while (rank->full_mode && record == NULL && last > rank->first)
        record = wm_trace_record_get(rank, --last);
    if (rank->full_mode && record != NULL)
        history->end_ns = time_of(rank, record);
}

int wm_history_init(struct wm_history *history, struct wm_trace *trace)
{
    *history = (struct wm_history){.trace = trace};
    history->ranks = calloc((size_t)trace->rank_count, sizeof *history->ranks);
    if (history->ranks == NULL)
        return -WM_ENOMEM;
    for (int i = 0; i < trace->rank_count; i++)
        bound(&history->ranks[i], &trace->ranks[i]);
    return 0;
}

void wm_history_release(struct wm_history *history)
{
    for (int i = 0; history->ranks != NULL && i < history->trace->rank_count; i++)
        free(history->ranks[i].spans);
    free(history->ranks);
    free(history->notes);
    free(history->groups);
}

static int put_span(struct wm_rank_history *rank, int64_t begin_ns, int64_t end_ns, uint32_t group, uint16_t line)
{
    if (end_ns <= begin_ns)
        return 0;
    if (wm_vector_reserve(&rank->spans, &rank->capacity, rank->count + 1, sizeof *rank->spans) < 0)
        return -WM_ENOMEM;
    rank->spans[rank->count++] = (struct wm_history_span){begin_ns, end_ns, group, line};
    return 0;
}

/* Recording is on again, or the trace ends. */
static void end_silence(struct wm_history *history, struct wm_rank_history *rank, int64_t end_ns)
{
    if (put_span(rank, rank->off_since_ns, end_ns, WM_NOBODY, WM_NO_LINE) < 0)
        history->out_of_memory = true;
    if (end_ns > rank->off_since_ns)
        rank->off_ns += end_ns - rank->off_since_ns;
}

void wm_history_switch(struct wm_history *history, int rank_index, const struct wm_trace_record *record)
{
    struct wm_rank_history *rank = &history->ranks[rank_index];
    int64_t time_ns = time_of(&history->trace->ranks[rank_index], record);

    if (record->flags == WM_TRACE_OFF && rank->off_since_ns == WM_TIME_UNKNOWN)
        rank->off_since_ns = time_ns;
    if (record->flags == WM_TRACE_OFF || rank->off_since_ns == WM_TIME_UNKNOWN)
        return;
    end_silence(history, rank, time_ns);
    rank->off_since_ns = WM_TIME_UNKNOWN;
    rank->on_since_ns = time_ns;
}

/* Several that end at once have one span. */
void wm_history_message(struct wm_history *history, int rank_index, const struct wm_trace_record *record)
{
    struct wm_trace_rank *of = &history->trace->ranks[rank_index];
    struct wm_rank_history *rank = &history->ranks[rank_index];
    int64_t end_ns = time_of(of, record);
    int64_t begin_ns = end_ns - wm_trace_duration_ns(of, record->argument & ((UINT64_C(1) << 40) - 1));

    if (begin_ns < rank->message_end_ns)
        begin_ns = rank->message_end_ns;
    if (put_span(rank, begin_ns, end_ns, WM_NOBODY, WM_MESSAGE_LINE) < 0)
        history->out_of_memory = true;
    rank->message_end_ns = end_ns;
}

void wm_history_ask(struct wm_history *history, int rank_index, const struct wm_trace_record *record)
{
    struct wm_rank_history *rank = &history->ranks[rank_index];

    rank->asks = record->argument != 0 && record->sequence > 0;
    rank->asks_communicator = wm_trace_communicator_key(&history->trace->ranks[rank_index], record->communicator);
    rank->asks_sequence = record->sequence - 1;
}

const struct wm_history_note *wm_history_find(const struct wm_history *history, const struct wm_note_group *group,
                                              int rank_index)
{
    const struct wm_history_note *notes = history->notes + group->first;
    size_t at = WM_COUNT_WHILE(i, group->count, notes[i].rank_index < rank_index);

    return at < group->count && notes[at].rank_index == rank_index ? &notes[at] : NULL;
}

static int add_span(struct wm_history *history, const struct wm_instance *instance, const struct wm_region *region,
                    uint16_t line)
{
    struct wm_rank_history *rank = &history->ranks[region->rank_index];
    const struct wm_member_part *part = wm_nesting_part(instance, region->member);
    int64_t begin_ns = region->enter_ns, end_ns = region->leave_ns, late_ns = region->wait_ns;

    if (part != NULL && part->flight_end_ns != WM_TIME_UNKNOWN) {
        end_ns = part->flight_end_ns;
        if (end_ns - part->flight_wait_ns > begin_ns)
            begin_ns = end_ns - part->flight_wait_ns;
        late_ns = part->flight_wait_ns < late_ns ? part->flight_wait_ns : late_ns;
    }
    rank->late_ns += late_ns;
    return put_span(rank, begin_ns, end_ns, (uint32_t)history->group_count, line);
}

static int compare_notes(const void *a, const void *b)
{
    const struct wm_history_note *x = a, *y = b;

    return (x->rank_index > y->rank_index) - (x->rank_index < y->rank_index);
}

/* From the late rank's index to its number in the group. */
static void resolve_late(const struct wm_history *history, const struct wm_note_group *group)
{
    struct wm_history_note *notes = history->notes + group->first;

    for (size_t i = 0; i < group->count; i++) {
        const struct wm_history_note *late =
            notes[i].late == WM_NOBODY ? NULL : wm_history_find(history, group, (int)notes[i].late);

        notes[i].late = late == NULL ? WM_NOBODY : (uint32_t)(late - notes);
    }
}

static void add_note(struct wm_history *history, const struct wm_instance *instance, const struct wm_region *region)
{
    const struct wm_member_part *late =
        region->wait_ns > 0 && region->late_member >= 0 ? wm_nesting_part(instance, region->late_member) : NULL;

    history->notes[history->note_count++] = (struct wm_history_note){
        .enter_ns = region->enter_ns,
        .leave_ns = region->left ? region->leave_ns : WM_TIME_UNKNOWN,
        .wait_ns = region->wait_ns,
        .late = late != NULL ? (uint32_t)late->rank_index : WM_NOBODY,
        .rank_index = region->rank_index,
    };
}

int wm_history_add(struct wm_history *history, const struct wm_instance *instance, struct wm_region *const *regions,
                   size_t count, uint16_t line, bool all)
{
    struct wm_note_group group = {
        (uint32_t)history->note_count, (uint32_t)count, instance->communicator->key, line, regions[0]->outermost, all};
    bool sorted = true;

    if (wm_vector_reserve(&history->notes, &history->note_capacity, history->note_count + count,
                          sizeof *history->notes) < 0 ||
        wm_vector_reserve(&history->groups, &history->group_capacity, history->group_count + 1,
                          sizeof *history->groups) < 0)
        return -WM_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        sorted = sorted && (i == 0 || regions[i - 1]->rank_index < regions[i]->rank_index);
        add_note(history, instance, regions[i]);
        if (regions[i]->outermost && regions[i]->left && add_span(history, instance, regions[i], line) < 0)
            return -WM_ENOMEM;
    }
    if (!sorted)
        qsort(history->notes + group.first, count, sizeof *history->notes, compare_notes);
    resolve_late(history, &group);
    history->groups[history->group_count++] = group;
    return 0;
}

static int compare_spans(const void *a, const void *b)
{
    const struct wm_history_span *x = a, *y = b;

    return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

/* In the order of time, and what an earlier span covers left out. */
static void lay(struct wm_rank_history *rank)
{
    size_t count = 0;
    bool sorted = true;

    for (size_t i = 1; i < rank->count; i++)
        sorted = sorted && rank->spans[i - 1].begin_ns <= rank->spans[i].begin_ns;
    if (!sorted)
        qsort(rank->spans, rank->count, sizeof *rank->spans, compare_spans);
    for (size_t i = 0; i < rank->count; i++) {
        struct wm_history_span span = rank->spans[i];

        if (count > 0 && rank->spans[count - 1].end_ns > span.begin_ns)
            span.begin_ns = rank->spans[count - 1].end_ns;
        if (span.begin_ns < span.end_ns)
            rank->spans[count++] = span;
    }
    rank->count = count;
}

int wm_history_finish(struct wm_history *history)
{
    for (int i = 0; i < history->trace->rank_count; i++) {
        struct wm_rank_history *rank = &history->ranks[i];

        if (rank->off_since_ns != WM_TIME_UNKNOWN)
            end_silence(history, rank, rank->end_ns);
        lay(rank);
    }
    return history->out_of_memory ? -WM_ENOMEM : 0;
}

size_t wm_history_spans_before(const struct wm_rank_history *rank, int64_t time_ns)
{
    return WM_COUNT_WHILE(i, rank->count, rank->spans[i].begin_ns < time_ns);
}
