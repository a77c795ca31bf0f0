/* Costs of a trace, added up call by call. */
#include "tools/init/costs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/path/grid.h"
#include "tools/analysis/progress.h"

enum { MACHINE_CHARS = sizeof((struct wm_job_costs *)0)->machine };

static void add_call(struct wm_operation_cost *cost, uint64_t bytes)
{
    if (cost->calls == 0 || bytes < cost->bytes_least)
        cost->bytes_least = bytes;
    if (bytes > cost->bytes_most)
        cost->bytes_most = bytes;
    cost->calls++;
}

static void add_service(struct wm_operation_cost *cost, uint64_t bytes, int64_t ns)
{
    int number = bytes == 0 ? 0 : 64 - __builtin_clzll(bytes);
    struct wm_size_service *size = &cost->sizes[number < WM_COST_SIZES ? number : WM_COST_SIZES - 1];

    size->bytes = bytes > size->bytes ? bytes : size->bytes;
    size->ns += ns;
}

static int take_instance(void *context, const struct wm_instance *instance)
{
    struct wm_job_costs *costs = context;
    const struct wm_region *call = NULL;
    int64_t service_ns = 0;
    int ranks = 0;

    for (size_t i = 0; i < instance->region_count; i++) {
        const struct wm_region *region = &instance->regions[i];

        if (!region->outermost || !region->left)
            continue;
        call = region;
        ranks++;
        service_ns += region->leave_ns - region->enter_ns - region->wait_ns;
        costs->operations[region->operation].time_ns += region->leave_ns - region->enter_ns;
        costs->operations[region->operation].late_ns += region->wait_ns;
        costs->time_ns += region->leave_ns - region->enter_ns;
    }
    if (call != NULL)
        add_call(&costs->operations[call->operation], call->bytes);
    if (call != NULL && ranks == costs->ranks)
        add_service(&costs->operations[call->operation], call->bytes, service_ns);
    return 0;
}

/* The place of a name and size; that of the least cost where there is no room. */
static struct wm_conveyor_cost *conveyor_place(struct wm_job_costs *costs, const struct wm_trace_conveyor *definition)
{
    struct wm_conveyor_cost *least = costs->conveyors;

    for (int i = 0; i < costs->conveyor_count; i++) {
        struct wm_conveyor_cost *c = &costs->conveyors[i];

        if (c->item_bytes == definition->item_bytes && strcmp(c->name, definition->name) == 0)
            return c;
        least = c->ns < least->ns ? c : least;
    }
    if (costs->conveyor_count < WM_CONVEYOR_COSTS_MAX)
        least = &costs->conveyors[costs->conveyor_count++];
    *least = (struct wm_conveyor_cost){.item_bytes = definition->item_bytes};
    snprintf(least->name, sizeof least->name, "%s", definition->name);
    return least;
}

static void add_conveyor(struct wm_job_costs *costs, const struct wm_conveyor_totals *conveyor)
{
    const struct wm_trace_conveyor *definition = conveyor->definition;
    struct wm_conveyor_cost *cost;

    if (definition == NULL || definition->elastic || conveyor->ranks != costs->ranks)
        return;
    cost = conveyor_place(costs, definition);
    cost->runs += conveyor->finished;
    cost->pushed += conveyor->pushed * definition->item_bytes;
    cost->ns += conveyor->run_ns;
}

static void add_runs(struct wm_job_costs *costs, const struct wm_conveyor_totals *conveyor)
{
    add_conveyor(costs, conveyor);
    costs->operations[WM_CONVEYOR].calls += conveyor->runs;
    costs->operations[WM_CONVEYOR].time_ns += conveyor->run_ns;
    costs->time_ns += conveyor->run_ns;
}

/* The host of each rank as a number, in the order of first ranks; how many there are, and ranks of each. */
static int count_hosts(const struct wm_trace *trace, struct wm_place *places, int *on)
{
    int hosts = 0;

    for (int r = 0; r < trace->rank_count; r++) {
        int first = 0;

        while (strcmp(trace->ranks[first].host, trace->ranks[r].host) != 0)
            first++;
        places[r].node = first < r ? places[first].node : hosts++;
        on[places[r].node]++;
    }
    return hosts;
}

/* Where no text says how ranks stand, the machine of as many on each host stands for it; where that is too long, one of
 * as many on each as on the first. Returns whether a text does. */
static bool describe_machine(struct wm_place *places, int ranks, const int *on, int hosts, char machine[MACHINE_CHARS])
{
    if (wm_grid_write_machine(places, ranks, machine, MACHINE_CHARS))
        return true;
    for (int h = 0, at = 0; h < hosts; h++)
        for (int i = 0; i < on[h]; i++)
            places[at++].node = h;
    if (!wm_grid_write_machine(places, ranks, machine, MACHINE_CHARS))
        snprintf(machine, MACHINE_CHARS, "node=%d,core=%d", hosts, on[0]);
    return false;
}

static int find_machine(struct wm_job_costs *costs, const struct wm_trace *trace)
{
    struct wm_place *places = calloc((size_t)trace->rank_count, sizeof *places);
    int *on = calloc((size_t)trace->rank_count, sizeof *on), rc = places == NULL || on == NULL ? -WM_ENOMEM : 0;

    if (rc == 0)
        costs->likened =
            !describe_machine(places, trace->rank_count, on, count_hosts(trace, places, on), costs->machine);
    free(places);
    free(on);
    return rc;
}

int wm_job_costs_read(struct wm_job_costs *costs, const char *directory, struct wm_error *error)
{
    const struct wm_observer observer = {.context = costs, .take_instance = take_instance};
    struct wm_analysis *analysis = NULL;
    struct wm_progress progress;
    struct wm_trace *trace;
    int rc = wm_trace_open(&trace, directory, error);

    *costs = (struct wm_job_costs){0};
    if (rc < 0)
        return rc;
    costs->ranks = trace->rank_count;
    wm_progress_begin(&progress, &observer);
    rc = wm_analysis_make(&analysis, trace, &progress.observer);
    wm_progress_end(&progress);
    for (size_t i = 0; rc == 0 && i < analysis->conveyors->count; i++)
        add_runs(costs, &analysis->conveyors->conveyors[i]);
    if (rc == 0)
        rc = find_machine(costs, trace);
    snprintf(costs->map, sizeof costs->map, "%s", trace->map_file != NULL ? trace->map_file : "(none)");
    wm_analysis_free(analysis);
    wm_trace_close(trace);
    return rc < 0 ? wm_error_set(error, rc, "no memory for the trace '%s'", directory) : 0;
}
