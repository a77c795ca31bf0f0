/* What superblocks have hidden, said at the end of a job that asks for it: each process sums up its subranks', the
 * first one sums up all. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/data/allocate.h"
#include "core/process/process.h"
#include "core/subrank/advice.h"
#include "core/subrank/superblock.h"

enum { NAME_CHARS = 64 };

static const char what[] = "the times of superblocks";

/* Of superblocks of one name, by several ranks. */
struct sum {
    char name[NAME_CHARS];
    uint64_t pairs, compute_ns, idle_ns, late_ns;
    int late_rank, late_peer, late_tag;
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

static void add(struct sums *sums, const struct sum *more)
{
    struct sum *s = sum_of(sums, more->name);

    s->pairs += more->pairs;
    s->compute_ns += more->compute_ns;
    s->idle_ns += more->idle_ns;
    if (more->late_ns <= s->late_ns)
        return;
    s->late_ns = more->late_ns;
    s->late_rank = more->late_rank;
    s->late_peer = more->late_peer;
    s->late_tag = more->late_tag;
}

static void add_rank(struct sums *sums, const struct wm_rank *rank)
{
    for (const struct wm_superblock_record *r = rank->records; r != NULL; r = r->next) {
        struct sum own = {.pairs = r->pairs,
                          .compute_ns = r->compute_ns,
                          .idle_ns = r->idle_ns,
                          .late_ns = r->late.idle_ns,
                          .late_rank = wm_rank_of_world(rank),
                          .late_peer = r->late.peer,
                          .late_tag = r->late.tag};

        snprintf(own.name, sizeof own.name, "%s", r->name);
        add(sums, &own);
    }
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
            add(sums, &theirs[i]);
        free(theirs);
    }
}

static void print_reason(const struct sum *s, const struct wm_advice *advice)
{
    switch (advice->reason) {
    case WM_ADVICE_HIDDEN:
        fprintf(stderr, " all messages are hidden; fewer subranks may do\n");
        return;
    case WM_ADVICE_LATE:
        if (s->late_peer < 0)
            fprintf(stderr, " most of that is one collective, for which rank %d waited; look who came late to it\n",
                    s->late_rank);
        else
            fprintf(stderr,
                    " most of that is one message, of rank %d from rank %d with tag %d; look why it came late\n",
                    s->late_rank, s->late_peer, s->late_tag);
        return;
    case WM_ADVICE_SHORT:
        fprintf(stderr, " there is too little to compute to hide %.1f us of messages; try --subranks %d\n",
                advice->latency_ns * 1e-3, advice->subranks);
        return;
    case WM_ADVICE_TOO_FEW:
        fprintf(stderr, " nothing else was ready while messages took %.1f us; try --subranks %d\n",
                advice->latency_ns * 1e-3, advice->subranks);
        return;
    }
}

/* Of each process, for a pair of receiving and computing of all its subranks. */
static void print(const struct sum *s)
{
    double pairs = (double)s->pairs / wm_world.each;
    struct wm_advice advice;

    if (s->pairs == 0)
        return;
    advice = wm_advice_of((double)s->compute_ns / pairs, (double)s->idle_ns / pairs,
                          (double)s->late_ns * wm_world.processes / pairs, wm_world.each);
    fprintf(stderr,
            "waymark: superblock '%s': a process computes %.1f us and is idle for %.1f us an iteration:", s->name,
            (double)s->compute_ns / pairs * 1e-3, (double)s->idle_ns / pairs * 1e-3);
    print_reason(s, &advice);
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
