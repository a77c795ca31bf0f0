/* The communicators on which conveyors are made, and the board on which ranks say that they have left WORKING. */
#include <stdatomic.h>
#include <stdlib.h>
#include "tests/mpi/convey_cases.h"

static struct place places[PLACES];
static MPI_Win window = MPI_WIN_NULL;
static _Atomic uint64_t **board; /* [world_ranks] each rank's slots; NULL: there is none */

static void place_set(struct place *p, const char *name, MPI_Comm comm)
{
    MPI_Group mine, all;
    int *ranks;

    *p = (struct place){.name = name, .comm = comm};
    if (comm == MPI_COMM_NULL)
        return;
    MPI_Comm_rank(comm, &p->rank);
    MPI_Comm_size(comm, &p->ranks);
    p->world = malloc((size_t)p->ranks * sizeof *p->world);
    ranks = malloc((size_t)p->ranks * sizeof *ranks);
    for (int r = 0; r < p->ranks; r++)
        ranks[r] = r;
    MPI_Comm_group(comm, &mine);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_translate_ranks(mine, p->ranks, ranks, all, p->world);
    MPI_Group_free(&mine);
    MPI_Group_free(&all);
    free(ranks);
}

static MPI_Comm split(int colour, int key)
{
    MPI_Comm comm;

    MPI_Comm_split(MPI_COMM_WORLD, colour, key, &comm);
    return comm;
}

static void board_make(void)
{
    MPI_Comm near;
    int near_ranks, unit;
    MPI_Aint bytes;
    void *mine;

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near);
    MPI_Comm_size(near, &near_ranks);
    if (near_ranks == world_ranks) {
        MPI_Win_allocate_shared(BOARD_SLOTS * sizeof **board, 1, MPI_INFO_NULL, near, &mine, &window);
        board = malloc((size_t)world_ranks * sizeof *board);
        for (int r = 0; r < world_ranks; r++)
            MPI_Win_shared_query(window, r, &bytes, &unit, &board[r]);
        for (int s = 0; s < BOARD_SLOTS; s++)
            atomic_store(&board[world_rank][s], 0);
        MPI_Barrier(near);
    }
    MPI_Comm_free(&near);
}

void places_make(void)
{
    place_set(&places[PLACE_WORLD], "world", MPI_COMM_WORLD);
    place_set(&places[PLACE_REVERSED], "reversed", split(0, -world_rank));
    place_set(&places[PLACE_HALVES], "every second rank", split(world_rank % 2, world_rank));
    place_set(&places[PLACE_SELF], "self", MPI_COMM_SELF);
    place_set(&places[PLACE_BUT_LAST], "all but the last",
              split(world_ranks > 1 && world_rank == world_ranks - 1 ? MPI_UNDEFINED : 0, world_rank * 7 % 5));
    board_make();
}

void places_free(void)
{
    if (board != NULL)
        MPI_Win_free(&window);
    free(board);
    for (int p = 0; p < PLACES; p++) {
        free(places[p].world);
        if (places[p].comm != MPI_COMM_NULL && p != PLACE_WORLD && p != PLACE_SELF)
            MPI_Comm_free(&places[p].comm);
    }
}

const struct place *place_of(int which)
{
    return &places[which];
}

void board_leave(int slot, uint64_t run)
{
    if (board != NULL)
        atomic_store(&board[world_rank][slot], run);
}

bool board_all_left(const struct place *place, int slot, uint64_t run)
{
    for (int r = 0; board != NULL && r < place->ranks; r++)
        if (atomic_load(&board[place->world[r]][slot]) < run)
            return false;
    return true;
}
