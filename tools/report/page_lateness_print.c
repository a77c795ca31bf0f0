/* Lateness for the page: the tables of each line joined in time order, and printed. */
#include <math.h>
#include <string.h>
#include "tools/report/page_bytes.h"
#include "tools/report/page_lateness.h"
#include "core/vector.h"

/* A line with the tables of all its communicators. */
struct late_map {
    uint16_t node;
    uint8_t operation;
    double sum_ns;
};

/* A column of one of the tables, while they are joined. */
struct source {
    const struct wm_page_late_table *table;
    size_t column;
};

static int compare_maps(const void *a, const void *b)
{
    const struct late_map *x = a, *y = b;

    return (x->sum_ns < y->sum_ns) - (x->sum_ns > y->sum_ns);
}

/* Lines, the one with the most lateness first. Returns how many; *maps is the caller's. Negative: no memory. */
static int64_t list_maps(const struct wm_page_lateness *lateness, struct late_map **maps_out)
{
    struct late_map *maps = calloc(lateness->table_count + 1, sizeof *maps);
    size_t count = 0;

    if (maps == NULL)
        return -WM_ENOMEM;
    for (size_t i = 0; i < lateness->table_count; i++) {
        const struct wm_page_late_table *table = &lateness->tables[i];
        size_t at = 0;

        while (at < count && (maps[at].node != table->node || maps[at].operation != table->operation))
            at++;
        if (at == count)
            maps[count++] = (struct late_map){table->node, table->operation, 0};
        maps[at].sum_ns += table->sum_ns;
    }
    qsort(maps, count, sizeof *maps, compare_maps);
    *maps_out = maps;
    return (int64_t)count;
}

static int compare_sources(const void *a, const void *b)
{
    const struct source *x = a, *y = b;
    int64_t p = x->table->columns[x->column].begin_ns, q = y->table->columns[y->column].begin_ns;

    return (p > q) - (p < q);
}

static bool is_of(const struct late_map *map, const struct wm_page_late_table *table)
{
    return table->node == map->node && table->operation == map->operation;
}

static int64_t list_sources(const struct wm_page_lateness *lateness, const struct late_map *map,
                            struct source **sources_out)
{
    struct source *sources;
    size_t count = 0;

    for (size_t i = 0; i < lateness->table_count; i++)
        count += is_of(map, &lateness->tables[i]) ? lateness->tables[i].column_count : 0;
    sources = calloc(count + 1, sizeof *sources);
    if (sources == NULL)
        return -WM_ENOMEM;
    count = 0;
    for (size_t i = 0; i < lateness->table_count; i++)
        for (size_t k = 0; is_of(map, &lateness->tables[i]) && k < lateness->tables[i].column_count; k++)
            sources[count++] = (struct source){&lateness->tables[i], k};
    qsort(sources, count, sizeof *sources, compare_sources);
    *sources_out = sources;
    return (int64_t)count;
}

/* One line's map while it is printed. */
struct sheet {
    int rows;
    size_t columns;
    struct wm_page_cell *cells; /* row by row */
    float max_ns;
};

static void join_sources(struct sheet *sheet, const struct source *sources, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct wm_page_late_table *table = sources[i].table;
        size_t column = i * sheet->columns / count;

        for (int k = 0; k < table->row_count; k++) {
            const struct wm_page_cell *from = &table->cells[sources[i].column * (size_t)table->row_count + (size_t)k];
            struct wm_page_cell *to = &sheet->cells[(size_t)table->rows[k] * sheet->columns + column];

            to->sum_ns += from->sum_ns;
            to->count += from->count;
            to->max_ns = from->max_ns > to->max_ns ? from->max_ns : to->max_ns;
            sheet->max_ns = to->max_ns > sheet->max_ns ? to->max_ns : sheet->max_ns;
        }
    }
}

static void print_columns(const struct sheet *sheet, const struct source *sources, size_t count, FILE *out)
{
    size_t i = 0;

    fputs("\"columns\":[", out);
    for (size_t column = 0; column < sheet->columns; column++) {
        const struct wm_page_column *first = &sources[i].table->columns[sources[i].column];
        uint32_t key = sources[i].table->communicator;
        uint64_t instances = 0;

        for (; i < count && i * sheet->columns / count == column; i++)
            instances += sources[i].table->columns[sources[i].column].instances;
        fprintf(out, "%s[%lld,%llu,%u,%u]", column ? "," : "", (long long)first->begin_ns,
                (unsigned long long)instances, key, first->sequence);
    }
    fputs("]", out);
}

static int print_values(const struct sheet *sheet, bool max, FILE *out)
{
    size_t count = (size_t)sheet->rows * sheet->columns;
    unsigned char *bytes = malloc(count + 1);
    double scale = sheet->max_ns > 0 ? 254 / log1p((double)sheet->max_ns) : 0;

    if (bytes == NULL)
        return -WM_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        const struct wm_page_cell *cell = &sheet->cells[i];
        double late_ns = cell->count == 0 ? 0 : max ? (double)cell->max_ns : (double)cell->sum_ns / cell->count;

        bytes[i] = cell->count == 0 ? 0 : (unsigned char)(1 + lrint(scale * log1p(late_ns)));
    }
    wm_page_bytes_print(out, bytes, count);
    free(bytes);
    return 0;
}

static int print_map(const struct wm_page_lateness *lateness, const struct late_map *map, size_t columns_max, FILE *out)
{
    struct source *sources = NULL;
    int64_t count = list_sources(lateness, map, &sources);
    struct sheet sheet = {.rows = lateness->rows};
    int rc = -WM_ENOMEM;

    if (count < 0)
        return -WM_ENOMEM;
    sheet.columns = (size_t)count < columns_max ? (size_t)count : columns_max;
    sheet.cells = calloc((size_t)sheet.rows * sheet.columns + 1, sizeof *sheet.cells);
    if (sheet.cells != NULL) {
        join_sources(&sheet, sources, (size_t)count);
        fprintf(out, "{\"node\":%u,\"operation\":\"%s\",\"max_ns\":%.0f,", map->node, wm_operation_name(map->operation),
                (double)sheet.max_ns);
        print_columns(&sheet, sources, (size_t)count, out);
        fputs(",\"mean\":", out);
        rc = print_values(&sheet, false, out);
        fputs(",\"max\":", out);
        rc = rc < 0 ? rc : print_values(&sheet, true, out);
        fputs("}", out);
    }
    free(sheet.cells);
    free(sources);
    return rc;
}

int wm_page_lateness_print(const struct wm_page_lateness *lateness, size_t budget_bytes, FILE *out)
{
    struct late_map *maps = NULL;
    int64_t count = list_maps(lateness, &maps), shown = count < WM_PAGE_MAPS_MAX ? count : WM_PAGE_MAPS_MAX;
    size_t columns_max = WM_PAGE_COLUMNS_MAX, column_bytes;
    int rc = 0;

    if (count < 0)
        return -WM_ENOMEM;
    column_bytes = (size_t)lateness->rows * 8 / 3 + 40; /* two cells a row in base64, and the column's own numbers */
    if (shown > 0 && (size_t)shown * column_bytes * columns_max > budget_bytes)
        columns_max = budget_bytes / ((size_t)shown * column_bytes) + 1;
    fprintf(out, "{\"rows\":%d,\"ranks\":%d,\"omitted\":%lld,\"maps\":[", lateness->rows, lateness->trace->job_ranks,
            (long long)(count - shown));
    for (int64_t i = 0; i < shown && rc >= 0; i++) {
        fputs(i ? ",\n" : "", out);
        rc = print_map(lateness, &maps[i], columns_max, out);
    }
    fputs("]}", out);
    free(maps);
    return rc;
}
