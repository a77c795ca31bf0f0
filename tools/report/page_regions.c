/* Regions of superblocks for the page: read, and coarsened until they fit. */
#include "tools/report/page_regions.h"

#include "tools/analysis/superblocks.h"
#include "tools/report/page_bytes.h"
#include "tools/report/page_timeline.h"

bool wm_page_has_regions(const struct wm_trace *trace)
{
    for (int i = 0; i < trace->rank_count; i++)
        if (trace->ranks[i].superblock_count > 0)
            return true;
    return false;
}

/* Kinds keep their shares of the time when it is coarsened: so places that are drawn alike are of one. */
static int take_interval(void *with, const struct wm_region_interval *interval)
{
    static const enum wm_cost_kind kinds[WM_TRACE_REGION_PLACES] = {
        [WM_TRACE_REGION_RECEIVE] = WM_COST_LATE,     [WM_TRACE_REGION_SEND] = WM_COST_INSIDE,
        [WM_TRACE_REGION_COMPUTE] = WM_COST_TRANSFER, [WM_TRACE_REGION_UNPACK] = WM_COST_TRANSFER,
        [WM_TRACE_REGION_PACK] = WM_COST_WORK,        [WM_TRACE_REGION_WAIT] = WM_COST_OVERHEAD};
    struct wm_page_look look = {kinds[interval->place], (uint16_t)interval->superblock, (uint16_t)interval->place, 0};

    return wm_page_timeline_add(with, interval->rank_index, &look, interval->begin_ns, interval->end_ns);
}

static void print_names(const struct wm_superblock_table *table, FILE *out)
{
    fputs(",\"regions\":{\"superblocks\":[", out);
    for (size_t i = 0; i < table->count; i++) {
        fputs(i > 0 ? "," : "", out);
        wm_page_string_print(out, table->rows[i].name);
    }
    fputs("],", out);
}

static int print(struct wm_trace *trace, const struct wm_superblock_table *table, struct wm_page_timeline *timeline,
                 size_t budget_bytes, FILE *out)
{
    int rc = wm_page_timeline_init(timeline, trace->rank_count, 0);

    for (int i = 0; i < trace->rank_count && rc == 0; i++)
        rc = wm_superblock_intervals(table, trace, i, take_interval, timeline);
    if (rc == 0)
        rc = wm_page_timeline_fit(timeline, budget_bytes * 3 / 4);
    if (rc < 0)
        return rc;
    print_names(table, out);
    rc = wm_page_timeline_print(timeline, out);
    fputs("}", out);
    return rc;
}

int wm_page_regions_print(struct wm_trace *trace, size_t budget_bytes, FILE *out)
{
    struct wm_superblock_table *table;
    struct wm_page_timeline timeline = {0};
    int rc = wm_superblock_table_make(&table, trace);

    if (rc == 0)
        rc = print(trace, table, &timeline, budget_bytes, out);
    wm_page_timeline_release(&timeline);
    wm_superblock_table_free(table);
    return rc;
}
