/* Trials: what belongs to a map, twice. */
#include "core/call/trial.h"

#include <stdlib.h>
#include <string.h>
#include "core/call/cache.h"
#include "core/call/kin.h"
#include "core/data/allocate.h"

static struct wm_kin *kin_under(struct wm_comm *c, struct wm_map_source *map)
{
    struct wm_map_source *holds = c->map;
    struct wm_error error;
    struct wm_kin *kin;

    c->map = map;
    kin = wm_kin_of(c, c->kin->ground->name, &error);
    c->map = holds;
    if (kin == NULL)
        WM_BUG("a grid that served a communicator does so no more");
    return kin;
}

/* No path is known, and no call. */
static void begin_anew(struct wm_comm *c, struct wm_map_source *map, struct wm_kin *kin)
{
    c->map = map;
    c->kin = kin;
    c->serverless = false;
}

/* Its kin are no more this communicator's. */
static void leave(struct wm_comm *c)
{
    wm_cache_clear(c);
    if (c->neighbours != NULL)
        wm_plans_forget(&c->kin->plans, c->neighbours);
    wm_kin_give(c->kin);
}

void wm_comm_change_map(struct wm_comm *c, struct wm_map_source *map)
{
    struct wm_kin *kin = kin_under(c, map);

    leave(c);
    begin_anew(c, map, kin);
}

void wm_trial_turn(struct wm_comm *c)
{
    struct wm_trial *t = c->trial;
    struct wm_ruled holds = {.map = c->map,
                             .kin = c->kin,
                             .serverless = c->serverless,
                             .paths = c->paths,
                             .path_count = c->path_count,
                             .path_room = c->path_room,
                             .unsettled = c->unsettled};

    memcpy(holds.last, c->last, sizeof holds.last);
    c->map = t->other.map;
    c->kin = t->other.kin;
    c->serverless = t->other.serverless;
    c->paths = t->other.paths;
    c->path_count = t->other.path_count;
    c->path_room = t->other.path_room;
    c->unsettled = t->other.unsettled;
    memcpy(c->last, t->other.last, sizeof holds.last);
    t->other = holds;
    t->turned = !t->turned;
}

static bool has_world_rank_0(const struct wm_comm *c)
{
    for (int r = 0; r < c->ranks; r++)
        if (c->world[r] == 0)
            return true;
    return false;
}

void wm_trial_begin(struct wm_comm *c, struct wm_map_source *map, const struct wm_trial_scope *scope)
{
    struct wm_trial *t;

    if (c->ranks == 1 || !has_world_rank_0(c))
        return;
    t = wm_allocate_zeroed(sizeof *t, "a trial");
    t->scope = *scope;
    t->other.map = map;
    t->other.kin = kin_under(c, map);
    c->trial = t;
}

void wm_trial_end(struct wm_comm *c, bool keep)
{
    struct wm_trial *t = c->trial;

    if (t->turned == keep)
        wm_trial_turn(c);
    leave(c);
    wm_trial_turn(c);
    c->trial = NULL;
    for (int i = 0; i < t->kind_count; i++)
        free(t->kinds[i]);
    free(t);
}
