/* Delays: profiles of what ranks did since they were last synchronised, and what in them was too long. */
#include "tools/analysis/delays.h"

#include <stdlib.h>
#include <string.h>
#include "core/hash.h"
#include "core/vector.h"

/* Of spans of messages so many count as one. */
enum { REACH = 64, MESSAGES = 16, CAUSES = WM_LINE_TABLE_LINES + 1, COMPUTING = WM_LINE_TABLE_LINES };

/* Time by cause: the number of a line, or COMPUTING. Only the causes listed are not zero. */
struct profile {
    int64_t time_ns[CAUSES];
    uint16_t causes[CAUSES];
    size_t count;
    bool listed[CAUSES];
};

/* The time that is looked at: since `from_ns`, when the first of the late rank and who waited for it left `group`, if
 * there is one: who leaves late was too long in that call. */
struct since {
    uint32_t group;
    int64_t from_ns;
};

struct search {
    struct wm_analysis *analysis;
    const struct wm_history *history;
    const struct wm_line_table *line_table;
    size_t capacity;
    uint32_t *slots; /* hash table of delays: index + 1 */
    size_t slot_count;
    uint64_t group_number; /* from 1 */
    struct since since;    /* of what `all` holds for the group at hand */
    bool all_known;
    size_t all_ranks; /* in `all` */
    struct profile all, one;
    int64_t *cost_ns; /* by number in the group: what was waited for it */
    uint32_t *waiter; /* one of those who waited */
    size_t cost_capacity, waiter_capacity;
};

static void clear(struct profile *profile)
{
    for (size_t i = 0; i < profile->count; i++) {
        profile->time_ns[profile->causes[i]] = 0;
        profile->listed[profile->causes[i]] = false;
    }
    profile->count = 0;
}

static void add_time(struct profile *profile, uint16_t cause, int64_t time_ns)
{
    if (!profile->listed[cause])
        profile->causes[profile->count++] = cause;
    profile->listed[cause] = true;
    profile->time_ns[cause] += time_ns;
}

/* What a rank did between two times. */
static void add_profile(struct profile *profile, const struct wm_rank_history *rank, int64_t from_ns, int64_t to_ns)
{
    int64_t computing_ns = to_ns - from_ns;

    if (computing_ns <= 0)
        return;
    for (size_t i = wm_history_spans_before(rank, to_ns); i > 0 && rank->spans[i - 1].end_ns > from_ns; i--) {
        const struct wm_history_span *span = &rank->spans[i - 1];
        int64_t begin_ns = span->begin_ns > from_ns ? span->begin_ns : from_ns;
        int64_t end_ns = span->end_ns < to_ns ? span->end_ns : to_ns;

        if (span->group != WM_NOBODY)
            add_time(profile, span->line, end_ns - begin_ns);
        computing_ns -= end_ns - begin_ns;
    }
    add_time(profile, COMPUTING, computing_ns);
}

/* From when on this note's rank is looked at; WM_TIME_UNKNOWN where it was not in the call that synchronised. */
static int64_t from_of(const struct search *search, const struct since *since, const struct wm_history_note *note)
{
    const struct wm_history *history = search->history;
    int64_t begin_ns = history->ranks[note->rank_index].begin_ns;

    if (since->group != WM_NOBODY && wm_history_find(history, &history->groups[since->group], note->rank_index) == NULL)
        return WM_TIME_UNKNOWN;
    return since->from_ns > begin_ns ? since->from_ns : begin_ns;
}

static bool synchronises(const struct wm_history *history, const struct wm_note_group *group,
                         const struct wm_history_note *p, const struct wm_history_note *q)
{
    const struct wm_history_note *then_p = wm_history_find(history, group, p->rank_index);
    const struct wm_history_note *then_q = wm_history_find(history, group, q->rank_index);
    const struct wm_history_note *notes = history->notes + group->first;

    if (then_p == NULL || then_q == NULL || then_p->leave_ns == WM_TIME_UNKNOWN ||
        then_q->leave_ns == WM_TIME_UNKNOWN || then_p->leave_ns > p->enter_ns || then_q->leave_ns > q->enter_ns)
        return false;
    return group->all || then_p->late == (uint32_t)(then_q - notes) || then_q->late == (uint32_t)(then_p - notes);
}

/* When the first of the two left the call. */
static int64_t first_leave_ns(const struct wm_history *history, const struct wm_note_group *group,
                              const struct wm_history_note *p, const struct wm_history_note *q)
{
    int64_t p_ns = wm_history_find(history, group, p->rank_index)->leave_ns;
    int64_t q_ns = wm_history_find(history, group, q->rank_index)->leave_ns;

    return p_ns < q_ns ? p_ns : q_ns;
}

/* The latest call that synchronised p with q before they came here. */
static struct since find_since(const struct wm_history *history, const struct wm_history_note *p,
                               const struct wm_history_note *q)
{
    const struct wm_rank_history *rank = &history->ranks[p->rank_index];
    size_t span = wm_history_spans_before(rank, p->enter_ns);
    struct since since = {WM_NOBODY, INT64_MIN};

    for (int reach = 0; reach < REACH && span > 0;) {
        uint32_t group = rank->spans[--span].group;

        reach += group != WM_NOBODY || span % MESSAGES == 0;
        if (group != WM_NOBODY && synchronises(history, &history->groups[group], p, q))
            return (struct since){group, first_leave_ns(history, &history->groups[group], p, q)};
        since.from_ns = rank->spans[span].begin_ns;
    }
    if (span == 0)
        since.from_ns = INT64_MIN;
    return since;
}

/* What all ranks of the group did since then; kept for the next late rank of the same group. */
static void profile_all(struct search *search, const struct wm_note_group *group, struct since since)
{
    const struct wm_history *history = search->history;

    if (search->all_known && search->since.group == since.group && search->since.from_ns == since.from_ns)
        return;
    clear(&search->all);
    search->all_ranks = 0;
    for (size_t i = group->first; i < group->first + group->count; i++) {
        const struct wm_history_note *note = &history->notes[i];
        int64_t from_ns = from_of(search, &since, note);

        if (from_ns == WM_TIME_UNKNOWN)
            continue;
        add_profile(&search->all, &history->ranks[note->rank_index], from_ns, note->enter_ns);
        search->all_ranks++;
    }
    search->all_known = true;
    search->since = since;
}

static uint64_t hash_of(int rank, const struct wm_line *line, uint16_t cause)
{
    uint64_t key = (uint64_t)(uint32_t)rank << 32 | (uint32_t)line->node << 8 | line->operation;

    return wm_hash_add(wm_hash_add(WM_HASH_BEGIN, key), cause);
}

static const struct wm_line *line_at(const struct search *search, uint16_t number)
{
    return &search->line_table->lines[number];
}

static bool is_delay(const struct search *search, const struct wm_delay *delay, int rank, const struct wm_line *line,
                     uint16_t cause)
{
    if (delay->rank != rank || delay->node != line->node || delay->operation != line->operation ||
        delay->computing != (cause == COMPUTING))
        return false;
    return cause == COMPUTING || (delay->cause_node == line_at(search, cause)->node &&
                                  delay->cause_operation == line_at(search, cause)->operation);
}

static void place(struct search *search, uint64_t hash, size_t index)
{
    size_t at = hash & (search->slot_count - 1);

    while (search->slots[at] != 0)
        at = (at + 1) & (search->slot_count - 1);
    search->slots[at] = (uint32_t)index + 1;
}

static uint16_t number_of(const struct search *search, uint16_t node, uint8_t operation)
{
    for (size_t i = 0; i < search->line_table->line_count; i++)
        if (search->line_table->lines[i].node == node && search->line_table->lines[i].operation == operation)
            return (uint16_t)i;
    return COMPUTING;
}

static int grow_slots(struct search *search)
{
    size_t count = search->slot_count ? 2 * search->slot_count : 256;
    uint32_t *slots = calloc(count, sizeof *slots);

    if (slots == NULL)
        return -WM_ENOMEM;
    free(search->slots);
    search->slots = slots;
    search->slot_count = count;
    for (size_t i = 0; i < search->analysis->delay_count; i++) {
        const struct wm_delay *delay = &search->analysis->delays[i];
        struct wm_line line = {.node = delay->node, .operation = delay->operation};
        uint16_t cause = delay->computing ? COMPUTING : number_of(search, delay->cause_node, delay->cause_operation);

        place(search, hash_of(delay->rank, &line, cause), i);
    }
    return 0;
}

/* The totals of this delay; NULL: out of memory. */
static struct wm_delay *delay_of(struct search *search, int rank, const struct wm_line *line, uint16_t cause)
{
    struct wm_analysis *analysis = search->analysis;
    uint64_t hash = hash_of(rank, line, cause);

    if (2 * analysis->delay_count >= search->slot_count && grow_slots(search) < 0)
        return NULL;
    for (size_t at = hash & (search->slot_count - 1); search->slots[at] != 0; at = (at + 1) & (search->slot_count - 1))
        if (is_delay(search, &analysis->delays[search->slots[at] - 1], rank, line, cause))
            return &analysis->delays[search->slots[at] - 1];
    if (wm_vector_reserve(&analysis->delays, &search->capacity, analysis->delay_count + 1, sizeof *analysis->delays) <
        0)
        return NULL;
    analysis->delays[analysis->delay_count] = (struct wm_delay){
        .rank = rank, .node = line->node, .operation = line->operation, .computing = cause == COMPUTING};
    if (cause != COMPUTING) {
        analysis->delays[analysis->delay_count].cause_node = line_at(search, cause)->node;
        analysis->delays[analysis->delay_count].cause_operation = line_at(search, cause)->operation;
    }
    place(search, hash, analysis->delay_count);
    return &analysis->delays[analysis->delay_count++];
}

static int attribute(struct search *search, int rank, const struct wm_line *line, uint16_t cause, int64_t cost_ns,
                     int64_t excess_ns)
{
    struct wm_delay *delay = delay_of(search, rank, line, cause);

    if (delay == NULL)
        return -WM_ENOMEM;
    delay->cost_ns += cost_ns;
    delay->excess_ns += excess_ns;
    delay->instances += delay->last_group != search->group_number;
    delay->last_group = search->group_number;
    return 0;
}

/* By how much the late rank's time with this cause is longer than the mean of the others'. */
static int64_t excess_of(const struct search *search, uint16_t cause)
{
    int64_t mine_ns = search->one.time_ns[cause];
    int64_t others_ns = (search->all.time_ns[cause] - mine_ns) / (int64_t)(search->all_ranks - 1);

    return mine_ns > others_ns ? mine_ns - others_ns : 0;
}

/* Share out what was waited for one rank. Each cause takes its part of what is left, and the last one all of it. */
static int share_out(struct search *search, const struct wm_note_group *group, const struct wm_history_note *late,
                     int64_t cost_ns)
{
    const struct wm_line *line = line_at(search, group->line);
    int rank = search->history->trace->ranks[late->rank_index].rank;
    int64_t left_ns = 0;

    for (size_t i = 0; search->all_ranks > 1 && i < search->one.count; i++)
        left_ns += excess_of(search, search->one.causes[i]);
    if (left_ns == 0)
        return attribute(search, rank, line, COMPUTING, cost_ns, 0);
    for (size_t i = 0; i < search->one.count; i++) {
        int64_t excess_ns = excess_of(search, search->one.causes[i]), part_ns;

        if (excess_ns == 0)
            continue;
        part_ns = (int64_t)((double)cost_ns * ((double)excess_ns / (double)left_ns));
        if (attribute(search, rank, line, search->one.causes[i], part_ns, excess_ns) < 0)
            return -WM_ENOMEM;
        cost_ns -= part_ns;
        left_ns -= excess_ns;
    }
    return 0;
}

/* One late rank of a group: number `q` in it. */
static int take_late(struct search *search, const struct wm_note_group *group, uint32_t q)
{
    const struct wm_history *history = search->history;
    const struct wm_history_note *late = &history->notes[group->first + q];
    struct since since = find_since(history, &history->notes[group->first + search->waiter[q]], late);
    int64_t from_ns = from_of(search, &since, late);

    profile_all(search, group, since);
    clear(&search->one);
    if (from_ns != WM_TIME_UNKNOWN)
        add_profile(&search->one, &history->ranks[late->rank_index], from_ns, late->enter_ns);
    return share_out(search, group, late, search->cost_ns[q]);
}

static int take_group(struct search *search, const struct wm_note_group *group)
{
    const struct wm_history_note *notes = search->history->notes + group->first;
    bool any = false;
    int rc = 0;

    for (size_t i = 0; i < group->count && !any; i++)
        any = notes[i].wait_ns > 0 && notes[i].late != WM_NOBODY;
    if (!any)
        return 0;
    if (wm_vector_reserve(&search->cost_ns, &search->cost_capacity, group->count, sizeof *search->cost_ns) < 0 ||
        wm_vector_reserve(&search->waiter, &search->waiter_capacity, group->count, sizeof *search->waiter) < 0)
        return -WM_ENOMEM;
    memset(search->cost_ns, 0, group->count * sizeof *search->cost_ns);
    for (size_t i = 0; i < group->count; i++) {
        uint32_t late = notes[i].late;

        if (notes[i].wait_ns <= 0 || late == WM_NOBODY)
            continue;
        if (search->cost_ns[late] == 0)
            search->waiter[late] = (uint32_t)i;
        search->cost_ns[late] += notes[i].wait_ns;
    }
    search->all_known = false;
    for (uint32_t q = 0; q < group->count && rc >= 0; q++)
        if (search->cost_ns[q] > 0)
            rc = take_late(search, group, q);
    return rc;
}

static int compare_delays(const void *a, const void *b)
{
    const struct wm_delay *x = a, *y = b;

    if (x->cost_ns != y->cost_ns)
        return x->cost_ns < y->cost_ns ? 1 : -1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

int wm_delays_find(struct wm_analysis *analysis, const struct wm_history *history,
                   const struct wm_line_table *line_table)
{
    struct search *search = calloc(1, sizeof *search);
    int rc = 0;

    if (search == NULL)
        return -WM_ENOMEM;
    search->analysis = analysis;
    search->history = history;
    search->line_table = line_table;
    for (size_t i = 0; i < history->group_count && rc >= 0; i++) {
        search->group_number = i + 1;
        rc = take_group(search, &history->groups[i]);
    }
    if (analysis->delay_count > 1)
        qsort(analysis->delays, analysis->delay_count, sizeof *analysis->delays, compare_delays);
    free(search->slots);
    free(search->cost_ns);
    free(search->waiter);
    free(search);
    return rc;
}
