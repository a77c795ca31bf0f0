/* Lateness for the page: collects by line and communicator, and halves the columns when there are too many. */
#include "tools/report/page_lateness.h"

#include <string.h>
#include "core/vector.h"

void wm_page_lateness_init(struct wm_page_lateness *lateness, const struct wm_trace *trace)
{
    *lateness = (struct wm_page_lateness){
        .trace = trace,
        .rows = trace->job_ranks < WM_PAGE_ROWS_MAX ? trace->job_ranks : WM_PAGE_ROWS_MAX,
        .columns_max = 2 * WM_PAGE_COLUMNS_MAX,
    };
}

static void release_table(struct wm_page_late_table *table)
{
    free(table->rows);
    free(table->row_of_member);
    free(table->columns);
    free(table->cells);
}

void wm_page_lateness_release(struct wm_page_lateness *lateness)
{
    for (size_t i = 0; i < lateness->table_count; i++)
        release_table(&lateness->tables[i]);
    free(lateness->tables);
}

/* Which rows of the page the communicator's members have. */
static int lay_rows(const struct wm_page_lateness *lateness, const struct wm_trace_communicator *communicator,
                    struct wm_page_late_table *table)
{
    int index_of_row[WM_PAGE_ROWS_MAX];

    table->rows = calloc((size_t)lateness->rows + 1, sizeof *table->rows);
    table->row_of_member = calloc((size_t)communicator->size + 1, sizeof *table->row_of_member);
    if (table->rows == NULL || table->row_of_member == NULL)
        return -WM_ENOMEM;
    for (int i = 0; i < lateness->rows; i++)
        index_of_row[i] = -1;
    for (int i = 0; i < communicator->size; i++) {
        int64_t row = (int64_t)communicator->ranks[i] * lateness->rows / lateness->trace->job_ranks;

        table->row_of_member[i] = -1;
        if (row < 0 || row >= lateness->rows)
            continue;
        if (index_of_row[row] < 0) {
            index_of_row[row] = table->row_count;
            table->rows[table->row_count++] = (int)row;
        }
        table->row_of_member[i] = index_of_row[row];
    }
    return 0;
}

static struct wm_page_late_table *find_table(struct wm_page_lateness *lateness, const struct wm_instance *instance,
                                             const struct wm_region *region)
{
    struct wm_page_late_table table = {region->node, region->operation, instance->communicator->key, .step = 1};

    for (size_t i = 0; i < lateness->table_count; i++) { /* mostly the one of last time */
        size_t at = (lateness->last + i) % lateness->table_count;
        const struct wm_page_late_table *other = &lateness->tables[at];

        if (other->node == table.node && other->operation == table.operation &&
            other->communicator == table.communicator)
            return &lateness->tables[lateness->last = at];
    }
    if (wm_vector_reserve(&lateness->tables, &lateness->table_capacity, lateness->table_count + 1,
                          sizeof *lateness->tables) < 0)
        return NULL;
    if (lay_rows(lateness, instance->communicator, &table) < 0) {
        release_table(&table);
        return NULL;
    }
    lateness->last = lateness->table_count++;
    lateness->tables[lateness->last] = table;
    return &lateness->tables[lateness->last];
}

static void add_cells(struct wm_page_cell *to, const struct wm_page_cell *from, int count)
{
    for (int i = 0; i < count; i++) {
        to[i].sum_ns += from[i].sum_ns;
        to[i].count += from[i].count;
        if (to[i].max_ns < from[i].max_ns)
            to[i].max_ns = from[i].max_ns;
    }
}

/* Make one column of each two. */
static void halve(struct wm_page_lateness *lateness, struct wm_page_late_table *table)
{
    size_t rows = (size_t)table->row_count, count = table->column_count;

    for (size_t i = 0; i < count; i += 2) {
        struct wm_page_cell *to = &table->cells[i / 2 * rows];

        memmove(to, &table->cells[i * rows], rows * sizeof *to);
        table->columns[i / 2] = table->columns[i];
        if (i + 1 < count) {
            add_cells(to, &table->cells[(i + 1) * rows], table->row_count);
            table->columns[i / 2].instances += table->columns[i + 1].instances;
        }
    }
    table->step *= 2;
    table->column_count = (count + 1) / 2;
    lateness->cell_count -= (count - table->column_count) * rows;
}

/* Room for another column: of this table, and of all. */
static void make_room(struct wm_page_lateness *lateness, struct wm_page_late_table *table)
{
    while (table->column_count >= lateness->columns_max)
        halve(lateness, table);
    while (lateness->cell_count + (size_t)table->row_count > WM_PAGE_CELLS_MAX && lateness->columns_max > 16) {
        lateness->columns_max /= 2;
        for (size_t i = 0; i < lateness->table_count; i++)
            while (lateness->tables[i].column_count > lateness->columns_max)
                halve(lateness, &lateness->tables[i]);
    }
}

/* The cells of the column in which the instance belongs: the last, or a new one. NULL: out of memory. */
static struct wm_page_cell *find_column(struct wm_page_lateness *lateness, struct wm_page_late_table *table,
                                        const struct wm_page_column *column)
{
    size_t rows = (size_t)table->row_count, needed;

    if (table->column_count == 0 || table->columns[table->column_count - 1].instances >= table->step) {
        make_room(lateness, table);
        needed = (table->column_count + 1) * rows;
        if (wm_vector_reserve(&table->columns, &table->column_capacity, table->column_count + 1,
                              sizeof *table->columns) < 0 ||
            wm_vector_reserve(&table->cells, &table->cell_capacity, needed + 1, sizeof *table->cells) < 0)
            return NULL;
        memset(&table->cells[table->column_count * rows], 0, rows * sizeof *table->cells);
        table->columns[table->column_count++] = *column;
        lateness->cell_count += rows;
    }
    table->columns[table->column_count - 1].instances++;
    return &table->cells[(table->column_count - 1) * rows];
}

int wm_page_lateness_add(struct wm_page_lateness *lateness, const struct wm_instance *instance)
{
    const struct wm_region *first = NULL;
    struct wm_page_late_table *table;
    struct wm_page_cell *cells;
    struct wm_page_column column = {INT64_MAX, instance->sequence, 0};

    for (size_t i = 0; i < instance->region_count; i++) {
        const struct wm_region *region = &instance->regions[i];

        if (!region->outermost)
            continue;
        if (first == NULL)
            first = region;
        if (region->enter_ns < column.begin_ns)
            column.begin_ns = region->enter_ns;
    }
    if (first == NULL)
        return 0;
    table = find_table(lateness, instance, first);
    cells = table == NULL ? NULL : find_column(lateness, table, &column);
    if (cells == NULL)
        return -WM_ENOMEM;
    for (size_t i = 0; i < instance->region_count; i++) {
        const struct wm_region *region = &instance->regions[i];
        float late_ns = (float)(region->enter_ns - column.begin_ns);
        struct wm_page_cell cell = {late_ns, late_ns, 1};
        int row = table->row_of_member[region->member];

        if (!region->outermost || row < 0)
            continue;
        add_cells(&cells[row], &cell, 1);
        table->sum_ns += late_ns;
    }
    return 0;
}
