/* Communicators of all origins for the collective tests. */
#include "tests/mpi/collectives.h"

static int rank, ranks;

MPI_Comm world_comm = MPI_COMM_WORLD;
static const char *world_map; /* NULL: the process's own */

static MPI_Comm duplicate_under(MPI_Comm comm, const char *map)
{
    MPI_Info info;
    MPI_Comm made;

    MPI_Info_create(&info);
    MPI_Info_set(info, "waymark_map", map);
    MPI_Comm_dup_with_info(comm, info, &made);
    MPI_Info_free(&info);
    return made;
}

void world_begin(const char *map)
{
    world_map = map;
    world_comm = duplicate_under(MPI_COMM_WORLD, map);
}

void world_end(void)
{
    MPI_Comm_free(&world_comm);
    world_comm = MPI_COMM_WORLD;
    world_map = NULL;
}

MPI_Comm under_map(MPI_Comm comm)
{
    MPI_Comm made;

    if (world_map == NULL || comm == MPI_COMM_NULL)
        return comm;
    made = duplicate_under(comm, world_map);
    if (comm != MPI_COMM_SELF)
        MPI_Comm_free(&comm);
    return made;
}

static MPI_Comm split(int color, int key)
{
    MPI_Comm made;

    MPI_Comm_split(world_comm, color, key, &made);
    return made;
}

static MPI_Comm make_world(void)
{
    return world_comm;
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

    MPI_Comm_dup(world_comm, &made);
    return made;
}

static MPI_Comm make_dup_with_info(void)
{
    MPI_Comm made;

    MPI_Comm_dup_with_info(world_comm, MPI_INFO_NULL, &made);
    return made;
}

static MPI_Comm make_idup(void)
{
    MPI_Comm made;
    MPI_Request request;

    MPI_Comm_idup(world_comm, &made, &request);
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
    MPI_Cart_create(world_comm, 2, dims, (int[]){1, 0}, 1, &made);
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

    MPI_Cart_create(world_comm, 1, dims, (int[]){1}, 0, &made);
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

    MPI_Comm_create(world_comm, group, &made);
    PMPI_Group_free(&group);
    return made;
}

static MPI_Comm make_created_by_group(void)
{
    int left_out = ranks > 2 ? 2 : 0;
    MPI_Group group = backwards(left_out);
    MPI_Comm made = MPI_COMM_NULL;

    if (rank >= left_out)
        MPI_Comm_create_group(world_comm, group, 3, &made);
    PMPI_Group_free(&group);
    return made;
}

static MPI_Comm make_shared(void)
{
    MPI_Comm made;

    MPI_Comm_split_type(world_comm, MPI_COMM_TYPE_SHARED, -rank, MPI_INFO_NULL, &made);
    return made;
}

static MPI_Comm make_ring_graph(void)
{
    MPI_Comm made;
    int before = (rank + ranks - 1) % ranks, after = (rank + 1) % ranks, weight = 1;

    MPI_Dist_graph_create_adjacent(world_comm, 1, &before, &weight, 1, &after, &weight, MPI_INFO_NULL, 1, &made);
    return made;
}

static MPI_Comm make_merged(void)
{
    MPI_Comm half, inter, made;
    int upper = 2 * rank >= ranks;

    if (ranks < 2)
        return make_dup();
    half = make_halves();
    MPI_Intercomm_create(half, 0, world_comm, upper ? 0 : (ranks + 1) / 2, 5, &inter);
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
    bool keeps_map;
} origins[] = {
    {"world", make_world, true},
    {"self", make_self, false},
    {"halves", make_halves, false},
    {"parity", make_parity, false},
    {"reversed", make_reversed, false},
    {"all but one", make_all_but_one, false},
    {"dup", make_dup, true},
    {"dup_with_info", make_dup_with_info, true},
    {"idup", make_idup, true},
    {"idup of halves", make_idup_of_split, false},
    {"cart", make_cart, false},
    {"cart rows", make_cart_rows, false},
    {"cart of all but one", make_small_cart, false},
    {"create", make_created, false},
    {"create_group", make_created_by_group, false},
    {"split_type", make_shared, false},
    {"dist_graph", make_ring_graph, false},
    {"merged", make_merged, false},
    {"dup of dup", make_dup_of_dup, true},
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
    return origins[which].keeps_map ? origins[which].make() : under_map(origins[which].make());
}

void communicator_free(MPI_Comm *comm)
{
    if (*comm != MPI_COMM_NULL && *comm != world_comm && *comm != MPI_COMM_SELF)
        MPI_Comm_free(comm);
}
