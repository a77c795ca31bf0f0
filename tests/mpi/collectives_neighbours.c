/* Neighbor collectives on cartesian, graph and distributed-graph communicators, against a serial answer. */
#include <mpi.h>
#include <mpi-ext.h>
#include <stdlib.h>
#include <string.h>
#include "tests/mpi/collectives.h"

enum { EDGES_MAX = 32, RANKS_MAX = 16, UNITS_MAX = 40, GAP = 2 };
enum what { ALLGATHER, ALLGATHERV, ALLTOALL, ALLTOALLV, ALLTOALLW, WHATS };
static const char *const what_names[] = {"allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw"};

/* Everyone's neighbours; -1: none there. */
struct topology {
    const char *name;
    MPI_Comm comm;
    int ranks, dimensions; /* 0: not cartesian */
    int out_count[RANKS_MAX], in_count[RANKS_MAX];
    int out[RANKS_MAX][EDGES_MAX], in[RANKS_MAX][EDGES_MAX];
};

static void make_cartesian(struct topology *t, int dimensions, uint64_t h)
{
    int dims[3] = {0}, periods[3], size;

    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    if (h % 3 == 0 && dimensions > 1)
        dims[0] = 1;
    PMPI_Dims_create(size, dimensions, dims);
    for (int d = 0; d < dimensions; d++)
        periods[d] = (int)(h >> (4 + d)) & 1;
    MPI_Cart_create(world_comm, dimensions, dims, periods, 0, &t->comm);
    t->name = "cart";
    t->dimensions = dimensions;
    for (int r = 0; r < size; r++)
        for (int d = 0; d < dimensions; d++)
            for (int way = 0; way < 2; way++) {
                int at[3], to;

                PMPI_Cart_coords(t->comm, r, 3, at);
                at[d] += way ? 1 : -1;
                if (periods[d])
                    at[d] = (at[d] + dims[d]) % dims[d];
                if (at[d] < 0 || at[d] >= dims[d])
                    to = -1;
                else
                    PMPI_Cart_rank(t->comm, at, &to);
                t->out[r][t->out_count[r]++] = t->in[r][t->in_count[r]++] = to;
            }
}

/* Each two ranks are neighbours, or not, by chance. */
static void make_graph(struct topology *t, uint64_t h)
{
    int index[RANKS_MAX], edges[RANKS_MAX * EDGES_MAX], count = 0, size;

    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    t->name = "graph";
    for (int r = 0; r < size; r++) {
        for (int i = 0; i < size; i++) {
            int other = (r + i) % size, low = other < r ? other : r, high = other < r ? r : other;

            if (hash_mix(h, (uint64_t)(low * 100 + high)) % 2 == 0)
                edges[count++] = t->out[r][t->out_count[r]++] = t->in[r][t->in_count[r]++] = other;
        }
        index[r] = count;
    }
    MPI_Graph_create(world_comm, size, index, edges, 0, &t->comm);
}

/* MPI_UNWEIGHTED is an address at which the compiler sees nothing. */
#pragma GCC diagnostic ignored "-Wstringop-overread"

/* Edges by chance, also to oneself, also more than one between two ranks. */
static void make_distributed_graph(struct topology *t, uint64_t h)
{
    int size, rank;

    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    t->name = "dist_graph";
    for (int e = 0; e < 3 * size; e++) {
        int from = (int)(hash_mix(h, (uint64_t)e) % (uint64_t)size),
            to = (int)(hash_mix(h, (uint64_t)e + 1000) % (uint64_t)size);

        if (t->out_count[from] < EDGES_MAX && t->in_count[to] < EDGES_MAX) {
            t->out[from][t->out_count[from]++] = to;
            t->in[to][t->in_count[to]++] = from;
        }
    }
    MPI_Dist_graph_create_adjacent(world_comm, t->in_count[rank], t->in[rank], MPI_UNWEIGHTED, t->out_count[rank],
                                   t->out[rank], MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &t->comm);
}

/* Which of its destinations rank `from` names by the edge that comes in as number `slot` at `to`. */
static int edge_at_source(const struct topology *t, int to, int slot)
{
    int from = t->in[to][slot], nth = 0;

    if (t->dimensions > 0)
        return slot ^ 1; /* what goes one way comes from the other side */
    for (int i = 0; i < slot; i++)
        nth += t->in[to][i] == from;
    for (int i = 0; i < t->out_count[from]; i++)
        if (t->out[from][i] == to && nth-- == 0)
            return i;
    return -1;
}

static int units(enum what what, uint64_t call, int from, int edge)
{
    if (what == ALLGATHER || what == ALLTOALL)
        return (int)(call % UNITS_MAX);
    return (int)(hash_mix(call, (uint64_t)(from * 100 + (what == ALLGATHERV ? 0 : edge))) % UNITS_MAX);
}

static int value(enum what what, uint64_t call, int from, int edge, int unit)
{
    return (int)hash_mix(call, (uint64_t)((from * 100 + (what <= ALLGATHERV ? 0 : edge)) * 1000 + unit));
}

struct buffers {
    int send[EDGES_MAX * (UNITS_MAX + GAP)], receive[EDGES_MAX * (UNITS_MAX + GAP)],
        answer[EDGES_MAX * (UNITS_MAX + GAP)];
    int out_counts[EDGES_MAX], out_displs[EDGES_MAX], in_counts[EDGES_MAX], in_displs[EDGES_MAX];
    MPI_Aint out_places[EDGES_MAX], in_places[EDGES_MAX];
    MPI_Datatype types[EDGES_MAX];
};

static void fill(const struct topology *t, enum what what, uint64_t call, int rank, struct buffers *b)
{
    bool spread = what == ALLGATHERV || what >= ALLTOALLV;
    int at = 0;

    memset(b, 0x5a, sizeof *b);
    for (int i = 0; i < t->out_count[rank]; i++, at += b->out_counts[i - 1] + (spread ? GAP : 0)) {
        b->out_counts[i] = units(what, call, rank, i);
        b->out_displs[i] = at;
        b->out_places[i] = at * (MPI_Aint)sizeof(int);
        for (int u = 0; u < b->out_counts[i]; u++)
            b->send[(what <= ALLGATHERV ? 0 : at) + u] = value(what, call, rank, i, u);
    }
    at = 0;
    for (int i = 0; i < t->in_count[rank]; i++, at += b->in_counts[i - 1] + (spread ? GAP : 0)) {
        int from = t->in[rank][i], edge = from >= 0 ? edge_at_source(t, rank, i) : 0;

        b->in_counts[i] = units(what, call, from, edge);
        b->in_displs[i] = at;
        b->in_places[i] = at * (MPI_Aint)sizeof(int);
        for (int u = 0; from >= 0 && u < b->in_counts[i]; u++)
            b->answer[at + u] = value(what, call, from, edge, u);
    }
    for (int i = 0; i < EDGES_MAX; i++)
        b->types[i] = MPI_INT;
}

#define CALL(nonblocking, request, Name, iname, ...)                                                                   \
    ((nonblocking) ? MPI_Ineighbor_##iname(__VA_ARGS__, request) : MPI_Neighbor_##iname(__VA_ARGS__))

static int run(const struct topology *t, enum what what, uint64_t call, int rank, struct buffers *b,
               MPI_Request *request)
{
    /* Open MPI 4.1.4's own nonblocking ones mix up the two sides where both are the same rank */
    bool later = (call >> 8 & 1) && (t->dimensions == 0 || all_operations());
    int each = (int)(call % UNITS_MAX), own = units(what, call, rank, 0);

    switch (what) {
    case ALLGATHER:
        return CALL(later, request, Allgather, allgather, b->send, each, MPI_INT, b->receive, each, MPI_INT, t->comm);
    case ALLGATHERV:
        return CALL(later, request, Allgatherv, allgatherv, b->send, own, MPI_INT, b->receive, b->in_counts,
                    b->in_displs, MPI_INT, t->comm);
    case ALLTOALL:
        return CALL(later, request, Alltoall, alltoall, b->send, each, MPI_INT, b->receive, each, MPI_INT, t->comm);
    case ALLTOALLV:
        return CALL(later, request, Alltoallv, alltoallv, b->send, b->out_counts, b->out_displs, MPI_INT, b->receive,
                    b->in_counts, b->in_displs, MPI_INT, t->comm);
    default:
        return CALL(later, request, Alltoallw, alltoallw, b->send, b->out_counts, b->out_places, b->types, b->receive,
                    b->in_counts, b->in_places, b->types, t->comm);
    }
}

static void calls_on(struct topology *t, uint64_t seed)
{
    int rank;

    PMPI_Comm_rank(t->comm, &rank);
    for (int i = 0; i < 4 * WHATS; i++) {
        uint64_t call = hash_mix(seed, (uint64_t)i);
        enum what what = (enum what)(i % WHATS);
        MPI_Request request = MPI_REQUEST_NULL;
        struct buffers b;
        int rc;

        fill(t, what, call, rank, &b);
        rc = run(t, what, call, rank, &b, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        CHECK(rc == MPI_SUCCESS, "neighbor_%s on %s returns %d", what_names[what], t->name, rc);
        for (int e = 0; e < t->in_count[rank]; e++)
            if (t->in[rank][e] < 0) /* nobody writes there, but the library's own may */
                memcpy(&b.answer[b.in_displs[e]], &b.receive[b.in_displs[e]], sizeof(int) * (size_t)b.in_counts[e]);
        CHECK(memcmp(b.receive, b.answer, sizeof b.answer) == 0, "neighbor_%s%s on %s: the receive buffer",
              what_names[what], call >> 8 & 1 ? ", nonblocking," : "", t->name);
    }
}

void part_neighbours(uint64_t seed)
{
    for (int which = 0; which < 6; which++) {
        struct topology *t = calloc(1, sizeof *t);

        PMPI_Comm_size(MPI_COMM_WORLD, &t->ranks);
        if (t->ranks <= RANKS_MAX && which < 4)
            make_cartesian(t, which % 3 + 1, hash_mix(seed, (uint64_t)which));
        else if (t->ranks <= RANKS_MAX && which == 4)
            make_graph(t, hash_mix(seed, 4));
        else if (t->ranks <= RANKS_MAX)
            make_distributed_graph(t, hash_mix(seed, 5));
        if (t->ranks <= RANKS_MAX) {
            t->comm = under_map(t->comm);
            calls_on(t, hash_mix(seed, 10 + (uint64_t)which));
            MPI_Comm_free(&t->comm);
        }
        free(t);
    }
}
