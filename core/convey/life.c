/* The life of a conveyor: begin, advance, reset, free. */
#include <stdio.h>
#include <stdlib.h>
#include "core/convey/state.h"
#include "core/convey/synchronous.h"
#include "core/convey/trace.h"
#include "core/node/memory.h"
#include "core/process/process.h"

enum { RUNS = 32767 };

void wm_convey_enter(struct wm_conveyor *c, enum convey_state state)
{
    if (c->state == state)
        return;
    c->state = state;
    if (c->trace != NULL)
        wm_convey_trace_state(c);
}

/* All ranks begin with the same size, or none does. */
static int agree_on_size(struct wm_conveyor *c, size_t item_bytes)
{
    bool fits = c->wish.elastic ? item_bytes <= c->wish.item_bound : item_bytes < WM_CONVEY_ITEM_MAX;
    int64_t bytes = fits ? (int64_t)item_bytes : -1, mine[3] = {bytes, -bytes, (int64_t)c->last_load}, most[3];

    if (PMPI_Allreduce(mine, most, 3, MPI_INT64_T, MPI_MAX, c->comm) != MPI_SUCCESS)
        return convey_error_MPI;
    c->stats[0][convey_SYNCS]++;
    c->last_load = (uint64_t)most[2];
    return most[0] == -most[1] && bytes >= 0 ? 0 : convey_error_SIZE;
}

static bool same_design(const struct wm_convey_design *a, const struct wm_convey_design *b)
{
    bool same = a->buffer_bytes == b->buffer_bytes && a->buffers == b->buffers && a->hops == b->hops &&
                a->synchronous == b->synchronous && a->codec == b->codec && a->inside == b->inside &&
                a->between == b->between && a->apart == b->apart && wm_lag_equal(&a->lag, &b->lag);

    for (int i = 0; same && i < a->hops; i++)
        same = a->axes[i] == b->axes[i];
    return same;
}

/* The pipeline for this run: the one that is there, if it is the same, or a new one. Collective. */
static int prepare(struct wm_conveyor *c, size_t item_bytes)
{
    const struct wm_grid *grid = c->run_grid;
    struct wm_convey_design design;
    int rc = wm_convey_design_find(c, item_bytes, &design);

    if (rc < 0)
        return rc;
    if (c->built && item_bytes == c->run_item_bytes && grid == c->run_grid && same_design(&design, &c->design)) {
        c->design = design;
        return 0;
    }
    if (c->built)
        wm_pipeline_free(c);
    c->design = design;
    c->run_item_bytes = item_bytes;
    if (wm_route_new(&c->route, c->run_grid, design.axes, design.hops, c->rank, NULL) < 0)
        return convey_error_ALLOC;
    c->form = wm_convey_form(&design, c->route, c->wish.elastic ? c->wish.item_bound : item_bytes, c->wish.elastic);
    c->form.elastic = c->wish.elastic;
    return wm_pipeline_build(c);
}

static size_t valid_align(size_t item_bytes, size_t align)
{
    bool valid = align > 0 && align <= CONVEY_MAX_ALIGN && (align & (align - 1)) == 0 && item_bytes % align == 0;

    if (valid)
        return align;
    for (align = CONVEY_MAX_ALIGN; item_bytes % align != 0;)
        align /= 2;
    return align;
}

static void open_head(struct wm_conveyor *c, size_t item_bytes)
{
    c->head = (struct conveyor){.reach = c->ways != NULL && !c->wish.elastic ? (uint64_t)c->ranks : 0,
                                .ways = c->ways,
                                .outlets = c->hot,
                                .item_bytes = item_bytes,
                                .stride = c->form.unit_bytes,
                                .tag_bytes = (uint32_t)c->form.tag_bytes,
                                .origins = c->origins};
}

static bool all_rings_shared(const struct wm_conveyor *c)
{
    bool all = true;

    for (int hop = 0; hop < c->hop_count; hop++)
        all = all && c->rings_shared[hop];
    return all;
}

/* This rank is the first of several on its node. */
static bool speaks_for_node(const struct wm_conveyor *c)
{
    const int *node = c->grid.node;
    int others = 0;

    for (int r = 0; r < c->ranks; r++) {
        if (r < c->rank && node[r] == node[c->rank])
            return false;
        others += r > c->rank && node[r] == node[c->rank];
    }
    return others > 0;
}

/* Why ranks of a node that want rings have none, if somebody can change that; NULL otherwise. The lack of any shared
 * memory was told when the job began. */
static const char *lack_of_rings(const struct wm_conveyor *c)
{
    if (c->sync != NULL || c->design.inside == WM_CHOOSE_MPI || c->ranks == c->nodes)
        return NULL;
    if (wm_process.places == NULL)
        return c->rank > 0 ? NULL
                           : "MPI_Init was not Waymark's, so that ranks share no memory and their items go by MPI; "
                             "link -lwaymark before the MPI library, or run the program by waymark run";
    if (wm_memory == NULL || all_rings_shared(c) || !speaks_for_node(c))
        return NULL;
    return "the memory that ranks of a node share is used up, so that items of this conveyor go by MPI; free conveyors "
           "that are not used, or take smaller buffers";
}

/* Once a process, and once a conveyor that asked for it. */
static void alert(struct wm_conveyor *c)
{
    static bool told;
    const char *lack = lack_of_rings(c);
    bool wanted =
        (c->wish.options & convey_opt_ALERT) != 0 ? !c->alerted : !told && (c->wish.options & convey_opt_QUIET) == 0;

    if (lack == NULL || !wanted)
        return;
    c->alerted = told = true;
    fprintf(stderr, "waymark: convey_begin: %s\n", lack);
}

static void start_run(struct wm_conveyor *c, size_t item_bytes, size_t align)
{
    c->run = c->run % RUNS + 1;
    wm_pipeline_rewind(c);
    open_head(c, item_bytes);
    c->align = valid_align(item_bytes, align);
    c->pulled = NULL;
    c->record_units = 0;
    c->monster_pulled = false;
    c->elastic_pushed = c->elastic_pulled = c->relayed = c->refused = 0;
    c->elastic_bytes = 0;
    c->openings = c->takings = c->seen_openings = c->seen_takings = c->seen_written = 0;
    c->idle = 0;
    c->urgent = c->monsters_full = false;
    c->state = convey_WORKING;
    c->stats[0][convey_BEGINS]++;
    c->trace = wm_convey_trace_begin(c);
    alert(c);
}

int convey_begin(convey_t *self, size_t item_bytes, size_t align)
{
    struct wm_conveyor *c = wm_conveyor_of(self);
    int rc = c == NULL ? convey_error_NULL : c->state != convey_DORMANT ? convey_error_STATE : 0;

    if (rc < 0)
        return wm_convey_fail(c, "convey_begin", rc);
    rc = agree_on_size(c, item_bytes);
    if (rc == 0)
        rc = prepare(c, item_bytes);
    if (rc < 0) /* all ranks have it */
        return c->rank == 0 ? wm_convey_fail(c, "convey_begin", rc) : rc;
    start_run(c, item_bytes, align);
    return convey_OK;
}

int convey_reset(convey_t *self)
{
    struct wm_conveyor *c = wm_conveyor_of(self);
    int rc = c == NULL                     ? convey_error_NULL
             : c->state == convey_DORMANT  ? convey_OK
             : c->state != convey_COMPLETE ? convey_error_STATE
                                           : 0;

    if (rc != 0)
        return rc < 0 ? wm_convey_fail(c, "convey_reset", rc) : rc;
    wm_pull_drop(c);
    c->last_load = c->wish.elastic ? c->elastic_bytes : (uint64_t)wm_convey_pushed(c) * c->head.item_bytes;
    wm_convey_trace_end(c);
    wm_convey_end_counts(c);
    c->state = convey_DORMANT;
    c->head = (struct conveyor){0};
    PMPI_Barrier(c->comm); /* nobody begins anew while another still drains */
    if ((c->wish.options & convey_opt_DYNAMIC) != 0 || c->lent)
        wm_pipeline_free(c);
    return convey_OK;
}

int convey_free(convey_t *self)
{
    struct wm_conveyor *c = wm_conveyor_of(self);

    if (c == NULL)
        return convey_OK;
    if (c->state != convey_DORMANT && c->state != convey_COMPLETE)
        return wm_convey_fail(c, "convey_free", convey_error_STATE);
    if (c->state == convey_COMPLETE)
        convey_reset(self);
    if (c->built)
        wm_pipeline_free(c);
    wm_conveyor_release(c);
    return convey_OK;
}
