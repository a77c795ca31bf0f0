/* Superblocks: the records of regions, added up by name. */
#include "tools/analysis/superblocks.h"

#include <stdlib.h>
#include <string.h>
#include "core/error.h"

enum { DEPTH_MAX = 64 };

/* A superblock that has begun and not ended, and where it is. */
struct level {
    size_t row;
    enum wm_trace_region place;
    bool computed; /* the last region but waits was one that computes */
};

/* One rank's, while it is read. */
struct walk {
    struct wm_superblock_table *table;
    struct wm_trace_rank *rank;
    int rank_index;
    int depth; /* of `levels` in use, the deepest ones where there are more */
    struct level levels[DEPTH_MAX];
    int64_t since_ns; /* the place of the top level */
    size_t *rows;     /* by definition of the rank */
    int (*take)(void *with, const struct wm_region_interval *interval);
    void *with;
};

static size_t row_of(struct wm_superblock_table *table, const char *name)
{
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->rows[i].name, name) == 0)
            return i;
    table->rows[table->count] = (struct wm_superblock_row){.name = name};
    return table->count++;
}

static bool computes(enum wm_trace_region place)
{
    return place == WM_TRACE_REGION_COMPUTE || place == WM_TRACE_REGION_UNPACK;
}

/* What the top level was in until now. */
static int end_interval(struct walk *w, int64_t now_ns)
{
    const struct level *top = w->depth > 0 ? &w->levels[w->depth - 1] : NULL;
    struct wm_region_interval interval = {.rank_index = w->rank_index, .begin_ns = w->since_ns, .end_ns = now_ns};

    w->since_ns = now_ns;
    if (top == NULL || top->place == WM_TRACE_REGION_BEGIN || interval.end_ns <= interval.begin_ns)
        return 0;
    interval.superblock = top->row;
    interval.place = top->place;
    return w->take(w->with, &interval);
}

static void push(struct walk *w, size_t row)
{
    if (w->depth == DEPTH_MAX)
        memmove(w->levels, w->levels + 1, (size_t)--w->depth * sizeof *w->levels);
    w->levels[w->depth++] = (struct level){.row = row, .place = WM_TRACE_REGION_BEGIN};
}

/* The level that a region belongs to. Its begin may be lost. */
static struct level *top_of(struct walk *w, size_t row)
{
    if (w->depth == 0 || w->levels[w->depth - 1].row != row) {
        w->depth = 0;
        push(w, row);
    }
    return &w->levels[w->depth - 1];
}

static void note_place(struct walk *w, size_t row, enum wm_trace_region place)
{
    struct level *top = top_of(w, row);

    top->place = place;
    if (place == WM_TRACE_REGION_WAIT)
        return;
    w->table->rows[row].times.pairs += computes(place) && !top->computed;
    top->computed = computes(place);
}

static void note_idle(struct walk *w, size_t row, const struct wm_trace_record *record)
{
    wm_superblock_times_add(&w->table->rows[row].times,
                            &(struct wm_superblock_times){.idle_ns = record->argument,
                                                          .late_ns = record->argument,
                                                          .late_rank = w->rank->rank,
                                                          .late_peer = record->peer,
                                                          .late_tag = (int)record->sequence});
}

/* Times that no rank can have spent are damage. */
static bool is_plausible(const struct walk *w, const struct wm_trace_record *record)
{
    return record->flags < WM_TRACE_REGION_PLACES &&
           record->argument <=
               (uint64_t)(w->rank->end_ns > w->rank->start_ns ? w->rank->end_ns - w->rank->start_ns : 0);
}

static int take_region(struct walk *w, const struct wm_trace_record *record, int64_t now_ns)
{
    int definition = wm_trace_superblock_find(w->rank, record), rc;
    size_t row;

    if (definition < 0 || !is_plausible(w, record)) {
        w->table->unknown++;
        return 0;
    }
    row = w->rows[definition];
    if (record->flags == WM_TRACE_REGION_IDLE) {
        note_idle(w, row, record);
        return 0;
    }
    w->table->rows[row].times.compute_ns += record->argument;
    if ((rc = end_interval(w, now_ns)) != 0)
        return rc;
    if (record->flags == WM_TRACE_REGION_BEGIN)
        push(w, row);
    else if (record->flags != WM_TRACE_REGION_END)
        note_place(w, row, (enum wm_trace_region)record->flags);
    else if (w->depth > 0)
        w->depth--;
    return 0;
}

/* What is not recorded any more ends. */
static int take_level(struct walk *w, const struct wm_trace_record *record, int64_t now_ns)
{
    int rc = record->flags == WM_TRACE_OFF ? end_interval(w, now_ns) : 0;

    if (record->flags == WM_TRACE_OFF)
        w->depth = 0;
    return rc;
}

static int walk_records(struct walk *w)
{
    const struct wm_trace_record *record;
    int rc = 0;

    for (uint64_t number = 0; rc == 0 && (record = wm_trace_next(w->rank, &number)) != NULL;) {
        const struct wm_trace_record copy = *record; /* a live job may overwrite it between a check and its use */
        int64_t now_ns;

        if (copy.kind != WM_TRACE_REGION && copy.kind != WM_TRACE_LEVEL)
            continue;
        now_ns = wm_trace_ns(w->rank, copy.time_ticks);
        if (!wm_trace_plausible(w->rank, now_ns))
            continue;
        rc = copy.kind == WM_TRACE_REGION ? take_region(w, &copy, now_ns) : take_level(w, &copy, now_ns);
    }
    return rc == 0 ? end_interval(w, w->rank->end_ns) : rc;
}

static int walk(struct walk *w)
{
    int count = w->rank->superblock_count, rc;

    if (count == 0)
        return 0;
    if ((w->rows = malloc((size_t)count * sizeof *w->rows)) == NULL)
        return -WM_ENOMEM;
    for (int i = 0; i < count; i++)
        w->rows[i] = row_of(w->table, w->rank->superblocks[i].name);
    rc = walk_records(w);
    free(w->rows);
    return rc;
}

/* What is added up is added up already. */
int wm_superblock_intervals(const struct wm_superblock_table *table, struct wm_trace *trace, int rank_index,
                            int (*take)(void *with, const struct wm_region_interval *interval), void *with)
{
    size_t bytes = table->count * sizeof *table->rows;
    struct wm_superblock_table copy = {.count = table->count, .rows = malloc(bytes + 1)};
    struct walk w = {
        .table = &copy, .rank = &trace->ranks[rank_index], .rank_index = rank_index, .take = take, .with = with};
    int rc = -WM_ENOMEM;

    if (copy.rows != NULL) {
        memcpy(copy.rows, table->rows, bytes);
        rc = walk(&w);
    }
    free(copy.rows);
    return rc;
}

/* ---- the table ---- */

static int add_wait(void *with, const struct wm_region_interval *interval)
{
    struct wm_superblock_table *table = with;

    if (interval->place == WM_TRACE_REGION_WAIT)
        table->rows[interval->superblock].wait_ns += interval->end_ns - interval->begin_ns;
    return 0;
}

static int read_rank(struct wm_superblock_table *table, struct wm_trace *trace, int rank_index)
{
    struct wm_trace_rank *rank = &trace->ranks[rank_index];
    struct walk w = {.table = table, .rank = rank, .rank_index = rank_index, .take = add_wait, .with = table};
    int rc = walk(&w);

    for (int i = 0; i < rank->superblock_count && rc == 0; i++) {
        struct wm_superblock_row *row = &table->rows[row_of(table, rank->superblocks[i].name)];

        row->ranks++;
        row->siblings = rank->siblings > row->siblings ? rank->siblings : row->siblings;
    }
    return rc;
}

static void advise(struct wm_superblock_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        struct wm_superblock_row *row = &table->rows[i];

        if (row->times.pairs == 0)
            continue;
        row->siblings = row->siblings > 0 ? row->siblings : 1;
        row->processes = (row->ranks + row->siblings - 1) / row->siblings;
        row->advice = wm_advice_of_times(&row->times, row->processes, row->siblings);
    }
}

static size_t count_names(const struct wm_trace *trace)
{
    size_t count = 0;

    for (int i = 0; i < trace->rank_count; i++)
        count += (size_t)trace->ranks[i].superblock_count;
    return count;
}

int wm_superblock_table_make(struct wm_superblock_table **superblocks, struct wm_trace *trace)
{
    struct wm_superblock_table *table = *superblocks = calloc(1, sizeof *table);
    int rc = -WM_ENOMEM;

    if (table != NULL && (table->rows = calloc(count_names(trace) + 1, sizeof *table->rows)) != NULL)
        rc = 0;
    for (int i = 0; i < trace->rank_count && rc == 0; i++)
        rc = read_rank(table, trace, i);
    if (rc == 0) {
        advise(table);
    } else {
        wm_superblock_table_free(table);
        *superblocks = NULL;
    }
    return rc;
}

void wm_superblock_table_free(struct wm_superblock_table *superblocks)
{
    if (superblocks != NULL)
        free(superblocks->rows);
    free(superblocks);
}
