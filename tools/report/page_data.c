/* What the page draws: takes pieces and instances as the analysis shows them, and prints the page's blocks. */
#include "tools/report/page_data.h"

#include <stdlib.h>
#include <string.h>
#include "tools/report/page_bytes.h"
#include "tools/report/page_instances.h"
#include "tools/report/page_lateness.h"
#include "tools/report/page_regions.h"
#include "tools/report/page_timeline.h"
#include "core/vector.h"

enum { MARKS_MAX = 2000 };

struct wm_page_data {
    struct wm_trace *trace;
    struct wm_observer observer;
    struct wm_page_timeline timeline;
    struct wm_page_lateness lateness;
    struct wm_page_instances instances;
};

static int take_piece(void *context, const struct wm_instance *instance, const struct wm_region *region,
                      const struct wm_cost_piece *piece)
{
    struct wm_page_data *data = context;
    struct wm_page_look look = {piece->kind, piece->node, region->node, region->operation};

    (void)instance;
    return wm_page_timeline_add(&data->timeline, region->rank_index, &look, piece->begin_ns, piece->end_ns);
}

static int take_instance(void *context, const struct wm_instance *instance)
{
    struct wm_page_data *data = context;
    int rc = wm_page_lateness_add(&data->lateness, instance);

    return rc < 0 ? rc : wm_page_instances_add(&data->instances, instance);
}

struct wm_page_data *wm_page_data_new(struct wm_trace *trace)
{
    struct wm_page_data *data = calloc(1, sizeof *data);

    if (data == NULL)
        return NULL;
    data->trace = trace;
    data->observer = (struct wm_observer){data, take_piece, take_instance};
    wm_page_lateness_init(&data->lateness, trace);
    if (wm_page_timeline_init(&data->timeline, trace->rank_count, 0) < 0) {
        wm_page_data_free(data);
        return NULL;
    }
    return data;
}

const struct wm_observer *wm_page_data_observer(struct wm_page_data *data)
{
    return data == NULL ? NULL : &data->observer;
}

void wm_page_data_free(struct wm_page_data *data)
{
    if (data == NULL)
        return;
    wm_page_timeline_release(&data->timeline);
    wm_page_lateness_release(&data->lateness);
    wm_page_instances_release(&data->instances);
    free(data);
}

/* Names of marks, each once. */
struct mark_names {
    size_t count, capacity;
    const char **names;
};

static int64_t find_name(struct mark_names *names, const struct wm_trace_rank *rank, uint64_t id)
{
    const char *name = NULL;

    for (int i = 0; i < rank->mark_count && name == NULL; i++)
        if (rank->marks[i].id == id)
            name = rank->marks[i].name;
    if (name == NULL)
        name = "?";
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->names[i], name) == 0)
            return (int64_t)i;
    if (wm_vector_reserve(&names->names, &names->capacity, names->count + 1, sizeof *names->names) < 0)
        return -WM_ENOMEM;
    names->names[names->count++] = name;
    return (int64_t)names->count - 1;
}

static int64_t print_rank_marks(struct wm_trace *trace, int lane, struct mark_names *names, uint64_t *printed,
                                FILE *out)
{
    struct wm_trace_rank *rank = &trace->ranks[lane];
    const struct wm_trace_record *record;
    uint64_t share = 1 + MARKS_MAX / (uint64_t)trace->rank_count, mine = 0, total = 0;

    if (rank->mark_count == 0)
        return 0;
    for (uint64_t number = 0; (record = wm_trace_next(rank, &number)) != NULL;) {
        int64_t time_ns, name;

        if (record->kind != WM_TRACE_MARK || (total++, mine >= share))
            continue;
        time_ns = wm_trace_ns(rank, record->time_ticks);
        name = find_name(names, rank, record->argument);
        if (name < 0)
            return name;
        if (!wm_trace_plausible(rank, time_ns))
            continue;
        fprintf(out, "%s[%d,%lld,%lld]", (*printed)++ ? "," : "", lane, (long long)time_ns, (long long)name);
        mine++;
    }
    return (int64_t)total;
}

static int print_marks(struct wm_trace *trace, FILE *out)
{
    struct mark_names names = {0};
    uint64_t printed = 0;
    int64_t total = 0, rc = 0;

    fputs("\"marks\":[", out);
    for (int i = 0; i < trace->rank_count && rc >= 0; i++) {
        rc = print_rank_marks(trace, i, &names, &printed, out);
        total += rc > 0 ? rc : 0;
    }
    fprintf(out, "],\"marks_total\":%lld,\"mark_names\":[", (long long)total);
    for (size_t i = 0; i < names.count; i++) {
        fputs(i ? "," : "", out);
        wm_page_string_print(out, names.names[i]);
    }
    fputs("],", out);
    free(names.names);
    return rc < 0 ? (int)rc : 0;
}

static void print_ranks(const struct wm_trace *trace, FILE *out)
{
    fputs("\"ranks\":[", out);
    for (int i = 0; i < trace->rank_count; i++) {
        const struct wm_trace_rank *rank = &trace->ranks[i];

        fprintf(out, "%s[%d,", i ? "," : "", rank->rank);
        wm_page_string_print(out, rank->host);
        fprintf(out, ",%lld,%lld]", (long long)rank->start_ns, (long long)rank->end_ns);
    }
    fputs("],", out);
}

int wm_page_data_print_timeline(struct wm_page_data *data, size_t budget_bytes, FILE *out)
{
    size_t regions_bytes = wm_page_has_regions(data->trace) ? budget_bytes / 4 : 0;
    int rc = wm_page_timeline_fit(&data->timeline, (budget_bytes - regions_bytes) * 3 / 4);

    if (rc < 0)
        return rc;
    fputs("{", out);
    print_ranks(data->trace, out);
    rc = print_marks(data->trace, out);
    rc = rc < 0 ? rc : wm_page_timeline_print(&data->timeline, out);
    if (regions_bytes > 0)
        rc = rc < 0 ? rc : wm_page_regions_print(data->trace, regions_bytes, out);
    fputs("}", out);
    return rc;
}

int wm_page_data_print_lateness(struct wm_page_data *data, size_t budget_bytes, FILE *out)
{
    return wm_page_lateness_print(&data->lateness, budget_bytes, out);
}

int wm_page_data_print_instances(struct wm_page_data *data, size_t budget_bytes, FILE *out)
{
    return wm_page_instances_print(&data->instances, data->trace, budget_bytes, out);
}
