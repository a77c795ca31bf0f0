/* How statements go that come again, for tests/mpi/communicate_plans.sh, which compares it with what
 * `waymark statement` says: communicate_plans stable|free TEXT... prints a line for each TEXT, of all ranks:
 *
 *     posted MESSAGES BYTES IN_PLACE COPIED       messages to other ranks
 *     nbx MESSAGES BYTES
 *     collective NAME ROOT BLOCK_BYTES COPIED     ROOT: "teams", of teams
 *
 * `stable`: the names `k` and `right` are promised to be. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/call/comm.h"
#include "core/process/process.h"
#include "tests/mpi/communicate_kinds.h"

enum { MESSAGES, BYTES, IN_PLACE, COPIED, FIGURES };

enum { NAMES = 8 };

static double x, y, A[16], B[16], C[4][4], D[4][4];
static int k, right;

static void bind(struct wm_bound b[NAMES], unsigned char promises)
{
    const struct wm_bound all[NAMES] = {
        {.name = "x", .number = WM_DOUBLE, .at = &x},
        {.name = "y", .number = WM_DOUBLE, .at = &y},
        {.name = "A", .number = WM_DOUBLE, .at = A, .dimensions = 1, .extents = {16}, .promises = WM_IS_SIZED},
        {.name = "B", .number = WM_DOUBLE, .at = B, .dimensions = 1, .extents = {16}, .promises = WM_IS_SIZED},
        {.name = "C", .number = WM_DOUBLE, .at = C, .dimensions = 2, .extents = {4, 4}, .promises = WM_IS_SIZED},
        {.name = "D", .number = WM_DOUBLE, .at = D, .dimensions = 2, .extents = {4, 4}, .promises = WM_IS_SIZED},
        {.name = "k", .number = WM_INT32, .at = &k, .promises = promises},
        {.name = "right", .number = WM_INT32, .at = &right, .promises = promises},
    };

    memcpy(b, all, sizeof all);
}

static void add_loads(long figures[FIGURES], const struct wm_loads *loads, bool sent)
{
    for (int i = 0; i < loads->count; i++) {
        const struct wm_load *load = &loads->loads[i];
        bool own = i == loads->self;

        figures[MESSAGES] += sent && !own;
        figures[BYTES] += sent && !own ? (long)load->bytes : 0;
        figures[IN_PLACE] += load->place != NULL;
        figures[COPIED] += load->place != NULL ? 0 : (long)load->bytes;
    }
}

static void print_messages(const struct wm_deal *d, int rank)
{
    bool both_know = d->knowledge != WM_KNOWLEDGE_SENDER;
    long figures[FIGURES] = {0}, all[FIGURES];

    add_loads(figures, &d->sends, true);
    if (both_know)
        add_loads(figures, &d->receives, false);
    MPI_Reduce(figures, all, FIGURES, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0 && both_know)
        printf("posted %ld %ld %ld %ld\n", all[MESSAGES], all[BYTES], all[IN_PLACE], all[COPIED]);
    if (rank == 0 && !both_know)
        printf("nbx %ld %ld\n", all[MESSAGES], all[BYTES]);
}

static void print_operation(const struct wm_deal *d, int rank)
{
    long block = (long)(d->collective.block * d->s->reductions[0].element_bytes), copied = 0, all;
    char root[16];

    copied += d->blocks.packs ? block * (long)d->blocks.sends : 0;
    copied += d->blocks.stores ? block * (long)d->blocks.receives : 0;
    MPI_Reduce(&copied, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    snprintf(root, sizeof root, d->collective.team ? "teams" : "%d", d->collective.root);
    if (rank == 0)
        printf("collective %s %s %ld %ld\n", wm_operation_name(d->collective.operation), root, block, all);
}

/* What a team's communicator had goes with it. */
static void check_forgotten(const struct wm_statement_site *site)
{
    wm_deals_forget(site);
    for (const struct wm_comm *c = wm_process.comms; c != NULL; c = c->next)
        if (c->user == MPI_COMM_NULL) {
            printf("a record is left of '%s'\n", site->text);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
}

int main(int argc, char **argv)
{
    struct wm_statement_site *sites = calloc((size_t)argc, sizeof *sites);
    struct wm_bound bindings[NAMES];
    int rank, ranks;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    k = rank;
    right = (rank + 1) % ranks;
    for (int i = 2; i < argc; i++) {
        const struct wm_deal *d;

        sites[i] = (struct wm_statement_site){.text = argv[i], .file = __FILE__, .line = __LINE__};
        for (int call = 0; call < WM_TEAM_CALLS + 1; call++) {
            bind(bindings, strcmp(argv[1], "stable") == 0 ? WM_IS_STABLE : 0);
            wm_communicate(MPI_COMM_WORLD, &sites[i], bindings, NAMES);
        }
        d = kinds_deal(MPI_COMM_WORLD, &sites[i]);
        if (wm_deal_is_operation(d))
            print_operation(d, rank);
        else
            print_messages(d, rank);
        check_forgotten(&sites[i]);
    }
    MPI_Finalize();
    free(sites);
    return 0;
}
