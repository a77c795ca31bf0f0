/* What superblocks have hidden, said at the end of a job that asks for it: each process sums up its subranks', the
 * first one sums up all. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/data/allocate.h"
#include "core/process/process.h"
#include "core/subrank/superblock.h"

enum { NAME_CHARS = 64 };

static const char what[] = "the times of superblocks";

/* Of superblocks of one name, by several ranks. */
struct sum {
    char name[NAME_CHARS];
    struct wm_superblock_times times;
};

struct sums {
    struct sum *all;
    int count;
};

static struct sum *sum_of(struct sums *sums, const char *name)
{
    for (int i = 0; i < sums->count; i++)
        if (strncmp(sums->all[i].name, name, NAME_CHARS - 1) == 0)
            return &sums->all[i];
    sums->all = realloc(sums->all, (size_t)(sums->count + 1) * sizeof *sums->all);
    if (sums->all == NULL)
        wm_out_of_memory(what);
    sums->all[sums->count] = (struct sum){0};
    snprintf(sums->all[sums->count].name, NAME_CHARS, "%s", name);
    return &sums->all[sums->count++];
}

static void add_rank(struct sums *sums, const struct wm_rank *rank)
{
    for (const struct wm_superblock_record *r = rank->records; r != NULL; r = r->next)
        wm_superblock_times_add(&sum_of(sums, r->name)->times, &r->times);
}

/* Those of the other processes come to the first. Collective. */
static void gather(struct sums *sums)
{
    int bytes = sums->count * (int)sizeof *sums->all;

    if (wm_world.process > 0) {
        PMPI_Send(sums->all, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        return;
    }
    for (int p = 1; p < wm_world.processes; p++) {
        MPI_Status status;
        struct sum *theirs;

        PMPI_Probe(p, 0, MPI_COMM_WORLD, &status);
        PMPI_Get_count(&status, MPI_BYTE, &bytes);
        theirs = wm_allocate((size_t)bytes + 1, what);
        PMPI_Recv(theirs, bytes, MPI_BYTE, p, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < bytes / (int)sizeof *theirs; i++)
            wm_superblock_times_add(&sum_of(sums, theirs[i].name)->times, &theirs[i].times);
        free(theirs);
    }
}

static void print(const struct sum *s)
{
    struct wm_advice advice;
    char why[200];

    if (s->times.pairs == 0)
        return;
    advice = wm_advice_of_times(&s->times, wm_world.processes, wm_world.each);
    wm_advice_say(&advice, &s->times, why, sizeof why);
    fprintf(stderr, "waymark: superblock '%s': a process computes %.1f us and is idle for %.1f us an iteration: %s\n",
            s->name, advice.compute_ns * 1e-3, advice.idle_ns * 1e-3, why);
}

void wm_superblocks_report(void)
{
    struct sums sums = {0};

    if (wm_process.settings.verbose == 0)
        return;
    for (int i = 0; i < wm_world.each; i++)
        add_rank(&sums, &wm_world.ranks[i]);
    gather(&sums);
    for (int i = 0; wm_world.process == 0 && i < sums.count; i++)
        print(&sums.all[i]);
    free(sums.all);
}
