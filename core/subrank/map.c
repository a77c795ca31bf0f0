/* The job's map for the world of subranks, before they run: the library's ranks ask, each for its process. */
#include "core/call/ask.h"
#include "core/call/kin.h"
#include "core/call/ways.h"
#include "core/data/allocate.h"
#include "core/p2p/header.h"
#include "core/process/process.h"
#include "core/subrank/collective.h"

/* The world under the map. False, with the error filled, where its grid does not fit. */
static bool open_world(struct wm_comm *c, struct wm_error *error)
{
    const char *name = "MPI_COMM_WORLD";
    struct wm_process *p = &wm_process;
    const struct wm_ground_key key = {&p->map, wm_comm_name_hash(name), p->world_ranks, wm_world.all->ranks, NULL};
    struct wm_ground *ground = wm_ground_of(&key, error);

    if (ground == NULL)
        return false;
    *c = (struct wm_comm){.user = MPI_COMM_WORLD,
                          .title = name,
                          .map = &p->map,
                          .rank = p->world_rank,
                          .ranks = p->world_ranks,
                          .nodes = ground->nodes,
                          .clusters = ground->clusters,
                          .uniform = ground->uniform,
                          .consecutive = ground->consecutive,
                          .kin = wm_allocate_zeroed(sizeof *c->kin, "the world")};
    wm_kin_init(c->kin, ground, c->rank);
    return true;
}

/* The user's messages alone: collectives are held by their own paths. */
static bool is_users(const void *header)
{
    return ((const struct wm_p2p_header *)header)->context % WM_RANK_CONTEXTS == 0;
}

void wm_rank_map_check(struct wm_message_limits *limits)
{
    struct wm_process *p = &wm_process;
    struct wm_error error = {0};
    struct wm_comm world = {0};
    int rc;

    limits->holds = is_users;
    limits->unexpected_bytes = p->settings.unexpected_bytes;
    if (p->map.planned == 0)
        return;
    rc = open_world(&world, &error) ? wm_ask_check_map(&world, &error) : error.code;
    if (rc == 0 && (p->map.planned & WM_OPERATION_BIT(WM_MESSAGES)) != 0)
        wm_ways_ask(&world, limits);
    wm_kin_give(world.kin);
    if (rc < 0) {
        wm_process_fail(MPI_COMM_WORLD, &error, p->world_rank == 0);
        p->map.planned = 0;
    }
}
