/* The design of a conveyor's next run: the map's word, or what the constructor was told. */
#include <stdio.h>
#include <stdlib.h>
#include "core/call/kin.h"
#include "core/call/wait.h"
#include "core/convey/codec.h"
#include "core/convey/state.h"
#include "core/path/path.h"
#include "core/process/process.h"

enum { LEAST_BUFFER_BYTES = 256 };

/* Groups of ranks near each other are the caller's, or nodes. */
static bool is_one_group(const struct wm_conveyor *c)
{
    return c->wish.n_local > 0 ? c->wish.n_local == 1 || (int)c->wish.n_local == c->ranks : c->nodes == 1;
}

static struct wm_convey_memory memory_of(const struct wm_conveyor *c, const struct wm_convey_design *d,
                                         size_t item_bytes, const int *node)
{
    struct wm_convey_memory memory = {0};
    struct wm_convey_form form;
    struct wm_route *route;

    if (wm_route_new(&route, c->run_grid, d->axes, d->hops, c->rank, NULL) == 0) {
        form = wm_convey_form(d, route, item_bytes, c->wish.elastic);
        memory = wm_convey_memory(d, &form, route, node);
    }
    wm_route_free(route);
    return memory;
}

/* As much as the user would give. The most of all ranks decides, so that all choose alike. */
static void keep_within(const struct wm_conveyor *c, struct wm_convey_design *d, size_t item_bytes)
{
    while (c->wish.max_bytes < SIZE_MAX) {
        uint64_t mine = memory_of(c, d, item_bytes, c->run_grid->node).total, most;

        PMPI_Allreduce(&mine, &most, 1, MPI_UINT64_T, MPI_MAX, c->comm);
        if (most <= c->wish.max_bytes || (d->buffers == 1 && d->buffer_bytes <= LEAST_BUFFER_BYTES))
            return;
        if (d->buffers > 1)
            d->buffers /= 2;
        else
            d->buffer_bytes /= 2;
    }
}

/* Ranks that share memory with this one are on node 0. */
static void find_sharers(const struct wm_conveyor *c, int *node)
{
    for (int r = 0; r < c->ranks; r++)
        node[r] = c->node->local[r] >= 0 ? 0 : r + 1;
}

/* Any item that fits into a buffer will find room in it. */
static bool reserve(struct wm_conveyor *c)
{
    int *node = malloc(sizeof *node * (size_t)c->ranks);
    bool reserved = node != NULL;

    if (reserved) {
        find_sharers(c, node);
        reserved = wm_convey_store_reserve(&c->store, memory_of(c, &c->wish.design, 1, node).parcels);
    }
    free(node);
    return reserved;
}

int wm_convey_design_choose(struct wm_conveyor *c)
{
    int reserved;

    c->run_grid = &c->grid;
    if (c->wish.design.hops == 0)
        wm_convey_design_suit(&c->wish.design, &c->grid, is_one_group(c));
    keep_within(c, &c->wish.design, 1);
    if (c->wish.alloc.grab == NULL || (c->wish.options & convey_opt_DYNAMIC) != 0)
        return 0;
    reserved = reserve(c);
    PMPI_Allreduce(MPI_IN_PLACE, &reserved, 1, MPI_INT, MPI_LAND, c->comm);
    return reserved ? 0 : convey_error_ALLOC;
}

static struct wm_facts facts_of(const struct wm_conveyor *c, size_t item_bytes)
{
    struct wm_facts facts = {.operation = WM_CONVEYOR, .root = -1, .commutative = true};

    wm_comm_facts(c->record, &facts);
    facts.bytes = c->wish.elastic ? c->wish.item_bound : item_bytes;
    facts.load = c->last_load;
    if (c->wish.name[0] != '\0')
        snprintf(facts.communicator, sizeof facts.communicator, "%s", c->wish.name);
    return facts;
}

/* The path for items of this size: the one that is kept, if it holds for them, or the answer of the map. */
static const struct wm_path *ask(struct wm_conveyor *c, size_t item_bytes)
{
    struct wm_facts facts = facts_of(c, item_bytes);

    if (c->path != NULL && wm_path_serves(c->path, &facts))
        return c->path;
    wm_path_free(c->path);
    wm_comm_lock(c->record);
    c->path = wm_requests_ask(c->record, &facts);
    wm_comm_unlock(c->record);
    return c->path;
}

static bool lacks_codec(const struct wm_convey_design *design, const struct wm_path *path, struct wm_error *error)
{
    const char *lacking = wm_codec_lacking(design->codec);

    if (lacking == NULL)
        return false;
    wm_error_set(error, -WM_EMAP, "%s", lacking);
    wm_error_place(error, NULL, path->rule_line, 0);
    return true;
}

int wm_convey_design_find(struct wm_conveyor *c, size_t item_bytes, struct wm_convey_design *design)
{
    const struct wm_path *path = c->record != NULL ? ask(c, item_bytes) : NULL;
    struct wm_error error = {0};

    *design = c->wish.design;
    if (path != NULL && !path->native && !path->failed &&
        (wm_convey_design_amend(design, path, &error) < 0 || lacks_codec(design, path, &error))) {
        wm_map_source_quote(c->record->map, &error);
        wm_process_fail(c->comm, &error, c->rank == 0);
        return convey_error_MAP;
    }
    if (c->record != NULL)
        wm_convey_design_hold(design, &c->record->kin->ground->grid);
    c->run_grid = design->route != NULL ? &c->record->kin->ground->grid : &c->grid;
    keep_within(c, design, item_bytes);
    if ((c->wish.options & convey_opt_PROGRESS) != 0)
        design->steady = true;
    if ((c->wish.options & convey_opt_COMPRESS) != 0 && design->codec == WM_CODEC_NONE && !design->synchronous)
        design->codec = WM_CODEC_SQUEEZE;
    if (c->codec_set)
        design->codec = c->codec != NULL ? WM_CODEC_USER : WM_CODEC_NONE;
    return 0;
}
