/* Statements: their records, added up by line of the program. */
#include "tools/analysis/statements.h"

#include <stdlib.h>
#include <string.h>
#include "core/error.h"
#include "waymark/operation.h"

/* What a definition of the rank that is read adds to. */
struct part {
    size_t row;
    bool made, leaves; /* a making is over, and its leave is still to come */
    uint16_t node;
    uint32_t sequence;
};

static bool alike(const struct wm_trace_statement *a, const struct wm_trace_statement *b)
{
    return a->line == b->line && strcmp(a->file, b->file) == 0 && strcmp(a->text, b->text) == 0 &&
           strcmp(a->carried, b->carried) == 0;
}

static size_t row_of(struct wm_statement_table *table, const struct wm_trace_statement *definition)
{
    for (size_t i = 0; i < table->count; i++)
        if (alike(table->rows[i].definition, definition))
            return i;
    table->rows[table->count] = (struct wm_statement_row){.definition = definition};
    return table->count++;
}

static struct part *part_of(struct part *parts, const struct wm_trace_rank *rank, const struct wm_trace_record *record)
{
    const struct wm_trace_statement *definition = wm_trace_statement_find(rank, record->peer);

    return definition != NULL ? &parts[definition - rank->statements] : NULL;
}

static void take_end(struct wm_statement_row *row, struct part *part, const struct wm_trace_rank *rank,
                     const struct wm_trace_record *record)
{
    int64_t time_ns = wm_trace_duration_ns(rank, record->argument);

    if (row->node == 0)
        row->node = record->node;
    row->calls++;
    row->time_ns += time_ns;
    if (time_ns >= row->max_ns) {
        row->max_ns = time_ns;
        row->max_rank = rank->rank;
    }
    part->made = part->leaves = true;
    part->node = record->node;
    part->sequence = record->sequence;
}

/* The leave of the outermost wrapper, whose enter has the time from the call on. */
static void take_leave(struct wm_statement_row *row, struct part *part, const struct wm_trace_record *record)
{
    if (!part->leaves || part->node != record->node || part->sequence != record->sequence)
        return;
    row->bytes += record->argument;
    part->leaves = false;
}

static void take(struct wm_statement_table *table, struct part *parts, const struct wm_trace_rank *rank,
                 const struct wm_trace_record *record)
{
    bool ends = record->kind == WM_TRACE_STATEMENT;
    struct part *part;

    if (!ends && (record->kind != WM_TRACE_LEAVE || record->flags != WM_STATEMENT))
        return;
    part = part_of(parts, rank, record);
    if (part == NULL)
        table->unknown += ends;
    else if (ends)
        take_end(&table->rows[part->row], part, rank, record);
    else
        take_leave(&table->rows[part->row], part, record);
}

/* Several definitions of the rank may be of one row. */
static void count_rank(struct wm_statement_table *table, const struct part *parts, int count)
{
    for (int i = 0; i < count; i++) {
        bool counted = !parts[i].made;

        for (int k = 0; k < i && !counted; k++)
            counted = parts[k].made && parts[k].row == parts[i].row;
        table->rows[parts[i].row].ranks += !counted;
    }
}

static int read_rank(struct wm_statement_table *table, const struct wm_trace_rank *rank)
{
    struct part *parts = calloc((size_t)rank->statement_count + 1, sizeof *parts);
    const struct wm_trace_record *record;

    if (parts == NULL)
        return -WM_ENOMEM;
    for (int i = 0; i < rank->statement_count; i++)
        parts[i].row = row_of(table, &rank->statements[i]);
    for (uint64_t number = 0; (record = wm_trace_next(rank, &number)) != NULL;) {
        const struct wm_trace_record copy = *record; /* a live job may overwrite it between a check and its use */

        take(table, parts, rank, &copy);
    }
    count_rank(table, parts, rank->statement_count);
    free(parts);
    return 0;
}

static int compare_rows(const void *a, const void *b)
{
    const struct wm_statement_row *x = a, *y = b;

    return (x->time_ns < y->time_ns) - (x->time_ns > y->time_ns);
}

/* Those that nobody made are left out. */
static void sort(struct wm_statement_table *table)
{
    size_t made = 0;

    for (size_t i = 0; i < table->count; i++)
        if (table->rows[i].calls > 0)
            table->rows[made++] = table->rows[i];
    table->count = made;
    qsort(table->rows, made, sizeof *table->rows, compare_rows);
}

int wm_statement_table_make(struct wm_statement_table **statements, struct wm_trace *trace)
{
    struct wm_statement_table *table = *statements = calloc(1, sizeof *table);
    size_t count = 0;
    int rc = -WM_ENOMEM;

    for (int i = 0; i < trace->rank_count; i++)
        count += (size_t)trace->ranks[i].statement_count;
    if (table != NULL && (table->rows = calloc(count + 1, sizeof *table->rows)) != NULL)
        rc = 0;
    for (int i = 0; i < trace->rank_count && rc == 0; i++)
        rc = read_rank(table, &trace->ranks[i]);
    if (rc == 0) {
        sort(table);
    } else {
        wm_statement_table_free(table);
        *statements = NULL;
    }
    return rc;
}

void wm_statement_table_free(struct wm_statement_table *statements)
{
    if (statements != NULL)
        free(statements->rows);
    free(statements);
}
