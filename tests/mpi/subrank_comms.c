/* Groups, communicators, attributes, error handlers, topologies. */
#include "tests/mpi/subrank.h"

void subrank_groups(int rank, int size)
{
    int odd[64], odds = 0, place, result, from[2] = {0, MPI_PROC_NULL}, to[2], range[1][3] = {{0, size - 1, 2}};
    MPI_Group all, odd_ones, even_ones, both, none;

    OK(MPI_Comm_group(MPI_COMM_WORLD, &all));
    for (int i = 1; i < size && odds < 64; i += 2)
        odd[odds++] = i;
    OK(MPI_Group_incl(all, odds, odd, &odd_ones));
    OK(MPI_Group_range_incl(all, 1, range, &even_ones));
    OK(MPI_Group_rank(odd_ones, &place));
    CHECK(place == (rank % 2 == 1 ? rank / 2 : MPI_UNDEFINED));
    OK(MPI_Group_union(odd_ones, even_ones, &both));
    OK(MPI_Group_compare(both, all, &result));
    CHECK(result == (size == 1 ? MPI_IDENT : MPI_SIMILAR));
    OK(MPI_Group_intersection(odd_ones, even_ones, &none));
    CHECK(none == MPI_GROUP_EMPTY);
    OK(MPI_Group_free(&both));
    OK(MPI_Group_difference(all, odd_ones, &both));
    OK(MPI_Group_compare(both, even_ones, &result));
    CHECK(result == MPI_IDENT);
    OK(MPI_Group_translate_ranks(even_ones, 2, from, all, to));
    CHECK(to[0] == 0 && to[1] == MPI_PROC_NULL);
    OK(MPI_Group_free(&both));
    OK(MPI_Group_excl(all, odds, odd, &both));
    OK(MPI_Group_compare(both, even_ones, &result));
    CHECK(result == MPI_IDENT);
    CHECK(MPI_Group_f2c(MPI_Group_c2f(both)) == both);
    OK(MPI_Group_free(&both));
    OK(MPI_Group_free(&odd_ones));
    OK(MPI_Group_free(&even_ones));
    OK(MPI_Group_free(&all));
    CHECK(all == MPI_GROUP_NULL);
}

/* A message around a communicator arrives there alone. */
static void go_round(int rank, MPI_Comm comm)
{
    int self, size, in = -1;

    OK(MPI_Comm_rank(comm, &self));
    OK(MPI_Comm_size(comm, &size));
    OK(MPI_Sendrecv(&self, 1, MPI_INT, (self + 1) % size, 0, &in, 1, MPI_INT, (self + size - 1) % size, MPI_ANY_TAG,
                    comm, MPI_STATUS_IGNORE));
    CHECK(in == (self + size - 1) % size);
}

/* Of equal messages in two communicators each is received in its own, in whatever order. */
static void keep_apart(int rank, MPI_Comm a, MPI_Comm b)
{
    int self, size, out[2], in[2] = {-1, -1};
    MPI_Request requests[2];

    OK(MPI_Comm_rank(a, &self));
    OK(MPI_Comm_size(a, &size));
    out[0] = self;
    out[1] = self + 1000;
    OK(MPI_Isend(&out[0], 1, MPI_INT, (self + 1) % size, 0, a, &requests[0]));
    OK(MPI_Isend(&out[1], 1, MPI_INT, (self + 1) % size, 0, b, &requests[1]));
    OK(MPI_Recv(&in[1], 1, MPI_INT, (self + size - 1) % size, 0, b, MPI_STATUS_IGNORE));
    OK(MPI_Recv(&in[0], 1, MPI_INT, (self + size - 1) % size, 0, a, MPI_STATUS_IGNORE));
    OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    CHECK(in[0] == (self + size - 1) % size && in[1] == in[0] + 1000);
}

static void check_sum(int rank, MPI_Comm comm, int expected)
{
    int sum = -1;

    OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm));
    CHECK(sum == expected);
}

void subrank_comms(int rank, int size)
{
    int self, part_size, result, sum_of_mine = 0, length;
    MPI_Comm copy, part, part_of_part, first, node;
    MPI_Group group;
    char name[MPI_MAX_OBJECT_NAME];

    OK(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
    OK(MPI_Comm_compare(copy, MPI_COMM_WORLD, &result));
    CHECK(result == MPI_CONGRUENT);
    go_round(rank, copy);
    check_sum(rank, copy, size * (size - 1) / 2);
    OK(MPI_Comm_set_name(copy, "copy"));
    OK(MPI_Comm_get_name(copy, name, &length));
    CHECK(strcmp(name, "copy") == 0 && length == 4);
    OK(MPI_Comm_split(copy, rank % 3, -rank, &part));
    OK(MPI_Comm_rank(part, &self));
    OK(MPI_Comm_size(part, &part_size));
    CHECK(part_size == (size - rank % 3 + 2) / 3 && self == part_size - 1 - rank / 3);
    for (int i = rank % 3; i < size; i += 3)
        sum_of_mine += i;
    check_sum(rank, part, sum_of_mine);
    go_round(rank, part);
    OK(MPI_Comm_split(part, rank % 2 == 0 ? MPI_UNDEFINED : 1, 0, &part_of_part));
    CHECK((part_of_part == MPI_COMM_NULL) == (rank % 2 == 0));
    OK(MPI_Comm_group(MPI_COMM_WORLD, &group));
    OK(MPI_Comm_create(copy, group, &first));
    check_sum(rank, first, size * (size - 1) / 2);
    keep_apart(rank, first, copy);
    keep_apart(rank, copy, MPI_COMM_WORLD);
    OK(MPI_Group_free(&group));
    OK(MPI_Comm_free(&first));
    if (part_of_part != MPI_COMM_NULL) {
        OK(MPI_Comm_group(part_of_part, &group));
        OK(MPI_Comm_create_group(MPI_COMM_WORLD, group, 5, &first));
        OK(MPI_Group_free(&group));
        go_round(rank, first);
        OK(MPI_Barrier(first));
        OK(MPI_Comm_free(&first));
        OK(MPI_Comm_free(&part_of_part));
    }
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
    go_round(rank, node);
    go_round(rank, MPI_COMM_SELF);
    CHECK(MPI_Comm_f2c(MPI_Comm_c2f(node)) == node);
    OK(MPI_Comm_free(&node));
    OK(MPI_Comm_free(&part));
    OK(MPI_Comm_free(&copy));
    CHECK(copy == MPI_COMM_NULL);
}

/* Groups that overlap agree at once: who is in more of them is in one after another. */
static void overlap(int rank, int size)
{
    MPI_Group all, few;
    MPI_Comm made;

    OK(MPI_Comm_group(MPI_COMM_WORLD, &all));
    for (unsigned set = 1; set < 40; set++) {
        int members[64], count = 0;
        unsigned dice = set * 2654435761u;

        for (int i = 0; i < size; i++)
            if ((dice >> (i % 16) & 1) != 0)
                members[count++] = i;
        OK(MPI_Group_incl(all, count, members, &few));
        if ((dice >> (rank % 16) & 1) != 0) {
            OK(MPI_Comm_create_group(MPI_COMM_WORLD, few, 0, &made));
            OK(MPI_Barrier(made));
            OK(MPI_Comm_free(&made));
        }
        OK(MPI_Group_free(&few));
    }
    OK(MPI_Group_free(&all));
}

/* Copies that are made while other communicators are; each is told from all. */
void subrank_later(int rank, int size)
{
    MPI_Comm copies[3], between, row;
    MPI_Request requests[3];
    int sum = -1;

    OK(MPI_Comm_idup(MPI_COMM_WORLD, &copies[0], &requests[0]));
    OK(MPI_Comm_dup(MPI_COMM_SELF, &between));
    OK(MPI_Comm_free(&between));
    OK(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &row));
    OK(MPI_Comm_idup(row, &copies[1], &requests[1]));
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &between));
    OK(MPI_Comm_idup(MPI_COMM_WORLD, &copies[2], &requests[2]));
    OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    OK(MPI_Waitall(3, requests, MPI_STATUSES_IGNORE));
    CHECK(sum == size * (size - 1) / 2);
    overlap(rank, size);
    keep_apart(rank, copies[0], copies[2]);
    keep_apart(rank, between, copies[0]);
    keep_apart(rank, row, copies[1]);
    check_sum(rank, copies[2], sum);
    for (int i = 0; i < 3; i++)
        OK(MPI_Comm_free(&copies[i]));
    OK(MPI_Comm_free(&between));
    OK(MPI_Comm_free(&row));
}

static _Thread_local int copies, deletions; /* of the subranks of a worker, which take turns */

static int copy_more(MPI_Comm comm, int key, void *extra, void *value, void *copied, int *flag)
{
    (void)comm, (void)key, (void)extra;
    *(void **)copied = (char *)value + 1;
    *flag = 1;
    copies++;
    return MPI_SUCCESS;
}

static int count_deletion(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value, (void)extra;
    deletions++;
    return MPI_SUCCESS;
}

void subrank_attributes(int rank, int size)
{
    int key, plain, flag, *bound, deleted;
    char *value;
    MPI_Comm copy, second;

    (void)size;
    OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &flag));
    CHECK(flag && *bound >= 32767);
    OK(MPI_Comm_create_keyval(copy_more, count_deletion, &key, NULL));
    OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &plain, NULL));
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
    OK(MPI_Comm_get_attr(copy, key, &value, &flag));
    CHECK(!flag);
    OK(MPI_Comm_set_attr(copy, key, (void *)4));
    OK(MPI_Comm_set_attr(copy, plain, (void *)8));
    OK(MPI_Comm_dup(copy, &second));
    OK(MPI_Comm_get_attr(second, key, &value, &flag));
    CHECK(flag && value == (char *)5);
    OK(MPI_Comm_get_attr(second, plain, &value, &flag));
    CHECK(!flag);
    deleted = deletions;
    OK(MPI_Comm_set_attr(second, key, (void *)9));
    CHECK(deletions == deleted + 1);
    OK(MPI_Comm_free_keyval(&key));
    CHECK(key == MPI_KEYVAL_INVALID);
    OK(MPI_Comm_free_keyval(&plain));
    deleted = deletions;
    OK(MPI_Barrier(second));
    deleted = deletions;
    OK(MPI_Comm_free(&second));
    CHECK(deletions == deleted + 1);
    OK(MPI_Comm_free(&copy));
}

static _Thread_local int handled;
static MPI_Comm somebodys; /* the last one's to have made it */

static void handle(MPI_Comm *comm, int *error, ...)
{
    handled += *comm != MPI_COMM_NULL && *error == MPI_ERR_RANK;
}

void subrank_handlers(int rank, int size)
{
    MPI_Errhandler handler, old;
    MPI_Comm comm;
    MPI_Request wrong = MPI_REQUEST_NULL;
    int before = handled, in[2] = {1, 2};
    MPI_Status status;

    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Comm_create_errhandler(handle, &handler));
    OK(MPI_Comm_set_errhandler(comm, handler));
    OK(MPI_Errhandler_free(&handler));
    before = handled;
    CHECK(MPI_Send(NULL, 0, MPI_INT, size, 0, comm) == MPI_ERR_RANK);
    CHECK(handled == before + 1);
    OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    CHECK(MPI_Send(NULL, 0, MPI_INT, 0, -5, comm) == MPI_ERR_TAG);
    CHECK(MPI_Send(NULL, -1, MPI_INT, 0, 0, comm) == MPI_ERR_COUNT);
    CHECK(MPI_Bcast(in, 1, MPI_INT, size, comm) == MPI_ERR_ROOT);
    OK(MPI_Isend(in, 2, MPI_INT, rank, 0, comm, &wrong));
    CHECK(MPI_Recv(in, 1, MPI_INT, rank, 0, comm, &status) == MPI_ERR_TRUNCATE);
    OK(MPI_Wait(&wrong, &status));
    OK(MPI_Comm_get_errhandler(comm, &old));
    CHECK(old == MPI_ERRORS_RETURN);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    somebodys = comm;
    OK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK(somebodys == comm || MPI_Barrier(somebodys) == MPI_ERR_COMM);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK(MPI_Comm_size(MPI_COMM_NULL, in) == MPI_ERR_COMM);
    CHECK(MPI_Comm_free_keyval(in) == MPI_ERR_KEYVAL);
    CHECK(MPI_Wait((MPI_Request *)NULL, &status) == MPI_ERR_REQUEST);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
    OK(MPI_Comm_free(&comm));
}

void subrank_cart(int rank, int size)
{
    int sizes[2] = {0, 0}, rings[2] = {1, 0}, place[2], back, up, down, kind, remain[2] = {0, 1}, dimensions, row_size;
    MPI_Comm cart, row;

    OK(MPI_Dims_create(size, 2, sizes));
    OK(MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, rings, 1, &cart));
    OK(MPI_Topo_test(cart, &kind));
    CHECK(kind == MPI_CART);
    OK(MPI_Cart_coords(cart, rank, 2, place));
    CHECK(place[0] == rank / sizes[1] && place[1] == rank % sizes[1]);
    OK(MPI_Cart_rank(cart, place, &back));
    CHECK(back == rank);
    OK(MPI_Cart_shift(cart, 1, 1, &up, &down));
    CHECK(up == (place[1] > 0 ? rank - 1 : MPI_PROC_NULL));
    CHECK(down == (place[1] + 1 < sizes[1] ? rank + 1 : MPI_PROC_NULL));
    OK(MPI_Cart_shift(cart, 0, 1, &up, &down));
    CHECK(down == (rank + sizes[1]) % size && up == (rank + size - sizes[1]) % size);
    OK(MPI_Cart_sub(cart, remain, &row));
    OK(MPI_Cartdim_get(row, &dimensions));
    OK(MPI_Comm_size(row, &row_size));
    CHECK(dimensions == 1 && row_size == sizes[1]);
    go_round(rank, row);
    OK(MPI_Comm_free(&row));
    OK(MPI_Comm_free(&cart));
    sizes[0] = size;
    sizes[1] = 1;
    if (size > 1) {
        sizes[0] = size - 1;
        OK(MPI_Cart_create(MPI_COMM_WORLD, 1, sizes, rings, 0, &cart));
        CHECK((cart == MPI_COMM_NULL) == (rank == size - 1));
        if (cart != MPI_COMM_NULL)
            OK(MPI_Comm_free(&cart));
    }
}

/* MPI_UNWEIGHTED is an address at which the compiler sees nothing. */
#pragma GCC diagnostic ignored "-Wstringop-overread"

/* A ring, as a graph and as distributed ones. */
void subrank_graphs(int rank, int size)
{
    int *index = malloc((size_t)size * sizeof *index), *edges = malloc((size_t)size * sizeof *edges), count, in, out;
    int next = (rank + 1) % size, before = (rank + size - 1) % size, one = 1, weighted, got[2], weights[2],
        weight = rank;
    MPI_Comm graph;

    for (int i = 0; i < size; i++) {
        index[i] = i + 1;
        edges[i] = (i + 1) % size;
    }
    OK(MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &graph));
    OK(MPI_Graph_neighbors_count(graph, rank, &count));
    OK(MPI_Graph_neighbors(graph, rank, 1, got));
    CHECK(count == 1 && got[0] == next);
    OK(MPI_Comm_free(&graph));
    OK(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &one, &next, &weight, MPI_INFO_NULL, 0, &graph));
    OK(MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted));
    CHECK(in == 1 && out == 1 && weighted);
    OK(MPI_Dist_graph_neighbors(graph, 1, got, weights, 1, got + 1, weights + 1));
    CHECK(got[0] == before && got[1] == next && weights[0] == before && weights[1] == rank);
    OK(MPI_Comm_free(&graph));
    OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, MPI_UNWEIGHTED, 1, &next, MPI_UNWEIGHTED,
                                      MPI_INFO_NULL, 0, &graph));
    got[0] = -1;
    OK(MPI_Neighbor_allgather(&rank, 1, MPI_INT, got, 1, MPI_INT, graph));
    CHECK(got[0] == before);
    OK(MPI_Comm_free(&graph));
    free(index);
    free(edges);
}
