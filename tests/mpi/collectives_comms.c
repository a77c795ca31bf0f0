/* Communicators of all origins for the collective tests. */
#include "tests/mpi/collectives.h"

static int rank, ranks;

static MPI_Comm split(int color, int key)
{
    MPI_Comm made;

    MPI_Comm_split(MPI_COMM_WORLD, color, key, &made);
    return made;
}

static MPI_Comm make_world(void)
{
    return MPI_COMM_WORLD;
}

static MPI_Comm make_self(void)
{
    return MPI_COMM_SELF;
}

static MPI_Comm make_halves(void)
{
    return split(2 * rank >= ranks, rank);
}

static MPI_Comm make_parity(void)
{
    return split(rank % 2, rank);
}

static MPI_Comm make_reversed(void)
{
    return split(0, -rank);
}

static MPI_Comm make_all_but_one(void)
{
    return split(rank == ranks / 2 && ranks > 1 ? MPI_UNDEFINED : 0, (rank + 2) % ranks);
}

static MPI_Comm make_dup(void)
{
    MPI_Comm made;

    MPI_Comm_dup(MPI_COMM_WORLD, &made);
    return made;
}

static MPI_Comm make_dup_with_info(void)
{
    MPI_Comm made;

    MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &made);
    return made;
}

static MPI_Comm make_idup(void)
{
    MPI_Comm made;
    MPI_Request request;

    MPI_Comm_idup(MPI_COMM_WORLD, &made, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return made;
}

static MPI_Comm make_idup_of_split(void)
{
    MPI_Comm half = make_halves(), made;
    MPI_Request request;

    MPI_Comm_idup(half, &made, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&half);
    return made;
}

static MPI_Comm make_cart(void)
{
    int dims[2] = {0, 0};
    MPI_Comm made;

    MPI_Dims_create(ranks, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, (int[]){1, 0}, 1, &made);
    return made;
}

static MPI_Comm make_cart_rows(void)
{
    MPI_Comm grid = make_cart(), made;

    MPI_Cart_sub(grid, (int[]){0, 1}, &made);
    MPI_Comm_free(&grid);
    return made;
}

static MPI_Comm make_small_cart(void)
{
    int dims[1] = {ranks > 1 ? ranks - 1 : 1};
    MPI_Comm made;

    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, (int[]){1}, 0, &made);
    return made;
}

/* The ranks from the last to the first, but for the first `left_out`. */
static MPI_Group backwards(int left_out)
{
    MPI_Group all, made;
    int range[1][3] = {{ranks - 1, left_out, -1}};

    PMPI_Comm_group(MPI_COMM_WORLD, &all);
    PMPI_Group_range_incl(all, 1, range, &made);
    PMPI_Group_free(&all);
    return made;
}

static MPI_Comm make_created(void)
{
    MPI_Group group = backwards(ranks > 2 ? 1 : 0);
    MPI_Comm made;

    MPI_Comm_create(MPI_COMM_WORLD, group, &made);
    PMPI_Group_free(&group);
    return made;
}

static MPI_Comm make_created_by_group(void)
{
    int left_out = ranks > 2 ? 2 : 0;
    MPI_Group group = backwards(left_out);
    MPI_Comm made = MPI_COMM_NULL;

    if (rank >= left_out)
        MPI_Comm_create_group(MPI_COMM_WORLD, group, 3, &made);
    PMPI_Group_free(&group);
    return made;
}

static MPI_Comm make_shared(void)
{
    MPI_Comm made;

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, -rank, MPI_INFO_NULL, &made);
    return made;
}

static MPI_Comm make_ring_graph(void)
{
    MPI_Comm made;
    int before = (rank + ranks - 1) % ranks, after = (rank + 1) % ranks, weight = 1;

    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, &weight, 1, &after, &weight, MPI_INFO_NULL, 1, &made);
    return made;
}

static MPI_Comm make_merged(void)
{
    MPI_Comm half, inter, made;
    int upper = 2 * rank >= ranks;

    if (ranks < 2)
        return make_dup();
    half = make_halves();
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, upper ? 0 : (ranks + 1) / 2, 5, &inter);
    MPI_Intercomm_merge(inter, !upper, &made);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
    return made;
}

static MPI_Comm make_dup_of_dup(void)
{
    MPI_Comm first = make_dup(), second;

    MPI_Comm_dup(first, &second);
    MPI_Comm_free(&first);
    return second;
}

static const struct origin {
    const char *name;
    MPI_Comm (*make)(void);
} origins[] = {
    {"world", make_world},
    {"self", make_self},
    {"halves", make_halves},
    {"parity", make_parity},
    {"reversed", make_reversed},
    {"all but one", make_all_but_one},
    {"dup", make_dup},
    {"dup_with_info", make_dup_with_info},
    {"idup", make_idup},
    {"idup of halves", make_idup_of_split},
    {"cart", make_cart},
    {"cart rows", make_cart_rows},
    {"cart of all but one", make_small_cart},
    {"create", make_created},
    {"create_group", make_created_by_group},
    {"split_type", make_shared},
    {"dist_graph", make_ring_graph},
    {"merged", make_merged},
    {"dup of dup", make_dup_of_dup},
};

int communicator_count(void)
{
    return (int)(sizeof origins / sizeof origins[0]);
}

MPI_Comm communicator_make(int which, const char **name)
{
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    *name = origins[which].name;
    return origins[which].make();
}

void communicator_free(MPI_Comm *comm)
{
    if (*comm != MPI_COMM_NULL && *comm != MPI_COMM_WORLD && *comm != MPI_COMM_SELF)
        MPI_Comm_free(comm);
}
