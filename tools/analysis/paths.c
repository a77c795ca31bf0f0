/* Paths: criticality of lines and edges, and the check that a path's parts sum to its length. */
#include "tools/analysis/paths.h"

#include <stdlib.h>
#include "tools/analysis/critical.h"
#include "tools/analysis/nesting.h"

struct passage {
    struct wm_totals *totals;
    const struct wm_instance *instance;
    int64_t end_ns, sum_ns;
    int64_t last_enter_ns; /* of the last to arrive */
    int member;            /* at which the path is, going back */
    bool last_on;
};

/* Of the outermost region of a member that has one. */
static int64_t enter_of(const struct wm_instance *instance, int member)
{
    const struct wm_member_part *part = wm_nesting_part(instance, member);

    return part != NULL ? instance->regions[part->first_region].enter_ns : WM_TIME_UNKNOWN;
}

static void pass_line(struct passage *passage, const struct wm_critical_step *step)
{
    struct wm_line *line =
        wm_line_table_line(&passage->totals->line_table, step->node, passage->instance->regions[0].operation);

    if (line == NULL)
        return;
    line->critical_ns += step->end_ns - step->begin_ns;
    if (line->critical_group != passage->totals->group)
        line->critical++;
    line->critical_group = passage->totals->group;
}

static void pass_edge(struct passage *passage, const struct wm_critical_step *step)
{
    const int32_t *ranks = passage->instance->communicator->ranks;
    struct wm_edge_cost *edge = wm_line_table_edge(&passage->totals->line_table, step->node,
                                                   ranks[step->message->source], ranks[step->message->destination]);

    if (edge == NULL)
        return;
    edge->critical_ns += step->end_ns - step->begin_ns;
    if (edge->critical_group != passage->totals->group)
        edge->critical++;
    edge->critical_group = passage->totals->group;
}

static void pass(void *context, const struct wm_critical_step *step)
{
    struct passage *passage = context;

    if (passage->member < 0)
        passage->end_ns = step->end_ns;
    passage->member = step->message != NULL ? step->message->source : step->member;
    passage->sum_ns += step->end_ns - step->begin_ns;
    passage->last_on |= enter_of(passage->instance, passage->member) == passage->last_enter_ns ||
                        enter_of(passage->instance, step->member) == passage->last_enter_ns;
    if (step->begin_ns < step->end_ns)
        pass_line(passage, step);
    if (step->message != NULL)
        pass_edge(passage, step);
}

void wm_paths_add(struct wm_totals *totals, const struct wm_instance *instance)
{
    struct wm_analysis *analysis = totals->analysis;
    struct passage passage = {.totals = totals, .instance = instance, .last_enter_ns = INT64_MIN, .member = -1};

    for (size_t i = 0; i < instance->region_count; i++)
        if (instance->regions[i].outermost && instance->regions[i].enter_ns > passage.last_enter_ns)
            passage.last_enter_ns = instance->regions[i].enter_ns;
    if (wm_critical_walk(instance, pass, &passage) == 0)
        return;
    analysis->path_count++;
    analysis->path_last_on += passage.last_on;
    analysis->path_ns += passage.sum_ns;
    analysis->path_residual_ns += llabs(passage.end_ns - enter_of(instance, passage.member) - passage.sum_ns);
}
