/* Two ranks of a node exchange flags in its memory. */
#include "tools/bench/flags.h"

#include <sched.h>

/* Flags stand in lines of their own that are not fetched together; a rank that has looked so often lets others go. */
enum { APART_BYTES = 256, LOOKS = 4096 };

/* MPI_COMM_NULL at ranks that are not the first or second of their node, or alone there. */
static MPI_Comm pair_of(MPI_Comm comm)
{
    MPI_Comm node, pair;
    int place, ranks;

    PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    PMPI_Comm_rank(node, &place);
    PMPI_Comm_size(node, &ranks);
    PMPI_Comm_split(node, place < 2 && ranks > 1 ? 0 : MPI_UNDEFINED, place, &pair);
    PMPI_Comm_free(&node);
    return pair;
}

void wm_bench_flags_init(struct wm_bench_flags *f, MPI_Comm comm)
{
    MPI_Comm pair = pair_of(comm);
    int rank, unit, mine = pair != MPI_COMM_NULL;
    MPI_Aint bytes;
    char *memory;

    *f = (struct wm_bench_flags){.paired = mine != 0, .window = MPI_WIN_NULL};
    PMPI_Allreduce(&mine, &f->ranks, 1, MPI_INT, MPI_SUM, comm);
    if (!f->paired)
        return;
    PMPI_Comm_rank(pair, &rank);
    PMPI_Win_allocate_shared(rank == 0 ? 2 * APART_BYTES : 0, 1, MPI_INFO_NULL, pair, &memory, &f->window);
    PMPI_Win_shared_query(f->window, 0, &bytes, &unit, &memory);
    f->mine = (_Atomic uint64_t *)(void *)(memory + rank * APART_BYTES);
    f->other = (_Atomic uint64_t *)(void *)(memory + (1 - rank) * APART_BYTES);
    atomic_store(f->mine, 0);
    PMPI_Barrier(pair);
    PMPI_Comm_free(&pair);
}

void wm_bench_flags_release(struct wm_bench_flags *f)
{
    if (f->window != MPI_WIN_NULL)
        PMPI_Win_free(&f->window);
    *f = (struct wm_bench_flags){.window = MPI_WIN_NULL};
}

/* The other one may be an exchange ahead. */
void wm_bench_flags_run(struct wm_bench_flags *f, int count)
{
    for (int i = 0; f->paired && i < count; i++) {
        uint64_t now = ++f->count;
        int looks = 0;

        atomic_store_explicit(f->mine, now, memory_order_release);
        while (atomic_load_explicit(f->other, memory_order_acquire) < now)
            if (++looks >= LOOKS)
                sched_yield();
    }
}
