/* Flights of conveyors: runs of items whose destinations are drawn, by the loop that profiles are measured by. */
#include "tools/tune/carry.h"

#include <stdio.h>
#include "tools/gauge/carry.h"
#include "waymark/convey_comm.h"

static convey_t **conveyor_of(struct wm_tune_session *s, int who)
{
    return &s->conveyors[who - WM_TUNE_MAP];
}

/* By the name of its candidate; a map that is checked sees it as those of the published constructors. */
static convey_t *make(const struct wm_tune_session *s, int who)
{
    char name[32];

    if (who == WM_TUNE_MAP)
        return wm_convey_new(s->map, "MPI_COMM_WORLD");
    snprintf(name, sizeof name, "tune-%d", who);
    return wm_convey_new(who == WM_TUNE_NATIVE ? s->fence.comm : s->paths[who], name);
}

/* The middle one of so many runs, less what the loop takes; negative: it cannot begin. */
static double runs_ns(struct wm_tune_session *s, const struct wm_tune_flight *f, int runs)
{
    const struct wm_gauge_conveyor loaded = {.item_bytes = f->bytes, .items = f->items};
    struct wm_gauge_carried carried;

    if (!wm_gauge_carry(*conveyor_of(s, f->who), s->own, &loaded, runs, (uint64_t)s->batches, &carried))
        return -1;
    return carried.run + (f->manner == WM_TUNE_TRAIN ? carried.begin : 0);
}

static double find_runs(struct wm_tune_session *s, const struct wm_tune_flight *f)
{
    int runs = 1;
    double ns;

    while ((ns = runs_ns(s, f, runs)) >= 0 && runs < WM_GAUGE_RUNS_MAX && ns * runs < s->fence.batch_ns)
        runs *= 2;
    return ns < 0 ? -1 : runs;
}

double wm_tune_carry(struct wm_tune_session *s, const struct wm_tune_flight *f)
{
    convey_t **conveyor = conveyor_of(s, f->who);

    if (*conveyor == NULL && (*conveyor = make(s, f->who)) == NULL)
        return -1;
    return f->calls == 0 ? find_runs(s, f) : runs_ns(s, f, f->calls);
}

void wm_tune_conveyors_free(struct wm_tune_session *s, int first, int last)
{
    for (int who = first; who <= last; who++) {
        convey_t **conveyor = conveyor_of(s, who);

        if (*conveyor != NULL)
            convey_free(*conveyor);
        *conveyor = NULL;
    }
}
