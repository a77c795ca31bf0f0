/* The job's map for the world of subranks, before they run: the library's ranks ask, each for its process. */
#include <stdlib.h>
#include "core/call/ask.h"
#include "core/call/kin.h"
#include "core/call/ways.h"
#include "core/data/allocate.h"
#include "core/process/process.h"
#include "core/subrank/collective.h"

static int *all_ranks(void)
{
    int *ranks = wm_allocate(sizeof *ranks * (size_t)wm_process.world_ranks, "the world");

    for (int i = 0; i < wm_process.world_ranks; i++)
        ranks[i] = i;
    return ranks;
}

/* The world under the map. False, with the error filled, where its grid does not fit. */
static bool open_world(struct wm_comm *c, struct wm_error *error)
{
    const char *name = "MPI_COMM_WORLD";

    *c = (struct wm_comm){.user = MPI_COMM_WORLD,
                          .title = name,
                          .map = &wm_process.map,
                          .rank = wm_process.world_rank,
                          .ranks = wm_process.world_ranks,
                          .world = all_ranks()};
    c->kin = wm_kin_of(c, wm_comm_name_hash(name), error);
    if (c->kin == NULL)
        return false;
    c->nodes = c->kin->ground->nodes;
    c->uniform = c->kin->ground->uniform;
    c->consecutive = c->kin->ground->consecutive;
    return true;
}

static void close_world(struct wm_comm *c)
{
    wm_kin_give(c->kin);
    free(c->world);
}

void wm_rank_map_check(struct wm_message_limits *limits)
{
    struct wm_process *p = &wm_process;
    struct wm_error error = {0};
    struct wm_comm world;
    int rc;

    limits->unexpected_bytes = p->settings.unexpected_bytes;
    if (p->map.planned == 0)
        return;
    rc = open_world(&world, &error) ? wm_ask_check_map(&world, &error) : error.code;
    if (rc == 0 && (p->map.planned & WM_OPERATION_BIT(WM_MESSAGES)) != 0)
        wm_ways_ask(&world, limits);
    close_world(&world);
    if (rc < 0) {
        wm_process_fail(MPI_COMM_WORLD, &error, p->world_rank == 0);
        p->map.planned = 0;
    }
}
