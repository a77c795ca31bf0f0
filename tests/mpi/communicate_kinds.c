/* What calls of statements were. */
#include "tests/mpi/communicate_kinds.h"

#include <stdio.h>

enum { LARGE_BYTES = 2000 };

const struct wm_deal *kinds_deal(MPI_Comm comm, const struct wm_statement_site *site)
{
    const struct wm_talk *t = wm_talk_on(comm);

    for (int slot = 0; slot < WM_DEAL_SLOTS; slot++)
        for (const struct wm_deal *d = t->deals[slot]; d != NULL; d = d->next)
            if (d->site == site)
                return d;
    return NULL;
}

bool kinds_before(struct kinds *k, MPI_Comm comm, const struct wm_statement_site *site,
                  const struct wm_bound bindings[])
{
    static const enum kind kinds[] = {[WM_UNCHANGED] = KIND_KEPT,
                                      [WM_EXTENTS_CHANGED] = KIND_EXTENTS,
                                      [WM_SIZES_CHANGED] = KIND_SIZES,
                                      [WM_CHOICE_CHANGED] = KIND_CHOICE};
    const struct wm_deal *d = kinds_deal(comm, site);
    enum wm_change change;

    if (d == NULL || !d->made) {
        k->of[KIND_FIRST]++;
        return false;
    }
    change = wm_deal_changed(d, bindings, wm_deal_is_touched(d, bindings));
    k->of[kinds[change]]++;
    k->of[KIND_ASKED] += d->form->asks && d->knowledge < WM_KNOWLEDGE_SENDER;
    k->of[KIND_LEARNED] += d->learned && change == WM_UNCHANGED;
    k->of[KIND_FITTED] += d->learned && change == WM_EXTENTS_CHANGED;
    return d->learned;
}

static void count_loads(struct kinds *k, const struct wm_loads *loads, enum kind direct, enum kind staged)
{
    for (int i = 0; i < loads->count; i++) {
        if (i == loads->self)
            continue;
        k->of[loads->loads[i].place != NULL ? direct : staged]++;
        k->of[KIND_LARGE] += loads->loads[i].bytes > LARGE_BYTES;
    }
}

void kinds_after(struct kinds *k, MPI_Comm comm, const struct wm_statement_site *site, bool learned, bool blocking)
{
    static const enum kind kinds[] = {[WM_KNOWLEDGE_GLOBAL] = KIND_GLOBAL,
                                      [WM_KNOWLEDGE_CORRESPONDING] = KIND_CORRESPONDING,
                                      [WM_KNOWLEDGE_SENDER] = KIND_SENDER,
                                      [WM_KNOWLEDGE_RECEIVER] = KIND_RECEIVER};
    const struct wm_deal *d = kinds_deal(comm, site);

    k->of[KIND_BEGUN] += !blocking;
    if (d->learned && !learned) {
        k->of[d->s->hint == WM_KNOWLEDGE_RECEIVER ? KIND_RECEIVER : KIND_SENDER]++;
        return;
    }
    k->of[kinds[d->knowledge]]++;
    if (wm_deal_is_operation(d) && blocking) {
        k->operations[d->collective.operation]++;
        k->of[KIND_TEAM] += d->team != NULL;
        k->of[KIND_OUTSIDE] += d->collective.team && d->team == NULL;
        return;
    }
    k->of[KIND_AS_MESSAGES] += d->collective.operation != WM_OPERATION_COUNT;
    count_loads(k, &d->sends, KIND_SENT, KIND_PACKED);
    count_loads(k, &d->receives, KIND_RECEIVED, KIND_STORED);
}

static const char *const kind_texts[] = {
#define X(name, text) text,
    KINDS(X)
#undef X
};

bool kinds_print(struct kinds *k)
{
    static const enum wm_operation wanted[] = {
        WM_SCAN,      WM_EXSCAN,   WM_BCAST,  WM_SCATTER,   WM_GATHER,
        WM_ALLGATHER, WM_ALLTOALL, WM_REDUCE, WM_ALLREDUCE, WM_REDUCE_SCATTER_BLOCK};
    bool all = true;
    int rank;

    MPI_Allreduce(MPI_IN_PLACE, k, (int)(sizeof *k / sizeof(long)), MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < KIND_COUNT; i++) {
        all &= k->of[i] > 0;
        if (rank == 0)
            printf("%s%s %ld", i > 0 ? ", " : "    ", kind_texts[i], k->of[i]);
    }
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        all &= k->operations[wanted[i]] > 0;
        if (rank == 0)
            printf(", %s %ld", wm_operation_name(wanted[i]), k->operations[wanted[i]]);
    }
    if (rank == 0)
        printf("\n");
    return all;
}
