/* Whether all subranks of the job wait for ever. */
#include "core/subrank/stuck.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/data/allocate.h"
#include "core/message/far.h"
#include "core/process/process.h"
#include "core/process/uplink.h"
#include "core/subrank/rank.h"
#include "core/subrank/world.h"
#include "tracer/clock.h"

enum { LOOKS_A_GLANCE = 64, FUNCTION_BYTES = 48, TOLD_MAX = 16 };
enum { PATIENCE_NS = 1000000000, BETWEEN_WAVES_NS = 300000000 };

static struct {
    MPI_Comm comm;
    unsigned looks;
    unsigned long calls; /* when it was last looked */
    uint64_t due_ns;     /* of the next wave, if nothing happens until then */
    bool waited;         /* all the time since the last wave */
    int waves, mine, all;
    MPI_Request wave;
} stuck;

void wm_stuck_start(void)
{
    PMPI_Comm_dup(MPI_COMM_WORLD, &stuck.comm);
    stuck.wave = MPI_REQUEST_NULL;
}

static void begin_wave(bool waited)
{
    stuck.waves++;
    stuck.mine = waited;
    PMPI_Iallreduce(&stuck.mine, &stuck.all, 1, MPI_INT, MPI_MIN, stuck.comm, &stuck.wave);
}

void wm_stuck_stop(void)
{
    int waves;

    PMPI_Allreduce(&stuck.waves, &waves, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    PMPI_Wait(&stuck.wave, MPI_STATUS_IGNORE);
    while (stuck.waves < waves) {
        begin_wave(false);
        PMPI_Wait(&stuck.wave, MPI_STATUS_IGNORE);
    }
    PMPI_Comm_free(&stuck.comm);
}

/* ---- the end ---- */

typedef char function_name[FUNCTION_BYTES];

static void tell_function(const function_name *names, int first)
{
    char ranks[256] = "";
    int told = 0;

    for (int number = first; number < wm_world.all->size; number++)
        if (strcmp(names[number], names[first]) == 0 && told++ < TOLD_MAX)
            wm_text_append(ranks, sizeof ranks, "%s%d", told > 1 ? ", " : "", wm_process.places[number].world_rank);
    fprintf(stderr, "waymark:   %s: subrank%s %s%s\n", names[first], told > 1 ? "s" : "", ranks,
            told > TOLD_MAX ? ", …" : "");
}

static bool is_first(const function_name *names, int number)
{
    for (int i = 0; i < number; i++)
        if (strcmp(names[i], names[number]) == 0)
            return false;
    return true;
}

static void tell(const function_name *names)
{
    fputs("waymark: all subranks wait for ever: nothing is under way that could wake them; look which message nobody "
          "sends\n",
          stderr);
    for (int number = 0; number < wm_world.all->size; number++)
        if (names[number][0] != '\0' && is_first(names, number))
            tell_function(names, number);
}

/* All processes are here. */
_Noreturn static void end_job(void)
{
    const struct wm_world *w = &wm_world;
    function_name *mine = wm_allocate_zeroed((size_t)w->each * sizeof *mine, "a sentence");
    function_name *names = wm_allocate_zeroed((size_t)w->all->size * sizeof *names, "a sentence");

    for (int i = 0; i < w->each; i++)
        if (w->ranks[i].state == WM_RANK_INSIDE)
            snprintf(mine[i], sizeof mine[i], "%s", w->ranks[i].function);
    PMPI_Gather(mine, w->each * FUNCTION_BYTES, MPI_CHAR, names, w->each * FUNCTION_BYTES, MPI_CHAR, 0, stuck.comm);
    if (w->process == 0) {
        tell(names);
        wm_world_abort(EXIT_FAILURE);
    }
    PMPI_Barrier(stuck.comm); /* the first process ends them all */
    wm_world_abort(EXIT_FAILURE);
}

/* ---- looking ---- */

/* The wave under way is over, if there is one. */
static bool is_over(void)
{
    int over;

    PMPI_Test(&stuck.wave, &over, MPI_STATUS_IGNORE);
    return over != 0;
}

static void look(void)
{
    uint64_t now = wm_clock_monotonic_ns();

    if (stuck.calls != wm_world.calls) {
        stuck.calls = wm_world.calls;
        stuck.due_ns = now + PATIENCE_NS;
        stuck.waited = false;
    }
    if (now < stuck.due_ns || !is_over())
        return;
    if (stuck.all && stuck.waves > 0)
        end_job();
    begin_wave(stuck.waited);
    stuck.waited = true;
    stuck.due_ns = now + BETWEEN_WAVES_NS;
}

void wm_stuck_look(void)
{
    if (++stuck.looks % LOOKS_A_GLANCE != 0)
        return;
    if (!wm_endpoints_idle(wm_world.endpoints) || !wm_uplinks_idle())
        stuck.calls = 0;
    look();
}
