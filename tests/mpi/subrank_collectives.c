/* Every collective, blocking and not, against what every rank can say beforehand. */
#include "core/data/persistent_library.h"
#include "tests/mpi/subrank.h"

static int value(int from, int to, int i)
{
    return from * 1000 + to * 100 + i % 89;
}

enum { MOST = 3000 };

struct blocks {
    int *out, *in, *counts, *places, *in_counts, *in_places, total, in_total;
};

/* Rank `from` has for `to` so many. */
static int count_for(int from, int to, int most)
{
    return (from * 3 + to * 5) % (most + 1);
}

static struct blocks make_blocks(int rank, int size, int most)
{
    struct blocks b = {.counts = malloc((size_t)size * 4 * sizeof(int))};

    b.places = b.counts + size;
    b.in_counts = b.places + size;
    b.in_places = b.in_counts + size;
    for (int i = 0; i < size; i++) {
        b.counts[i] = count_for(rank, i, most);
        b.in_counts[i] = count_for(i, rank, most);
        b.places[i] = b.total;
        b.in_places[i] = b.in_total;
        b.total += b.counts[i];
        b.in_total += b.in_counts[i];
    }
    b.out = malloc(((size_t)b.total + 1) * sizeof(int));
    b.in = calloc((size_t)b.in_total + 1, sizeof(int));
    for (int to = 0; to < size; to++)
        for (int i = 0; i < b.counts[to]; i++)
            b.out[b.places[to] + i] = value(rank, to, i);
    return b;
}

static void free_blocks(struct blocks *b)
{
    free(b->out);
    free(b->in);
    free(b->counts);
}

static void exchange(int rank, int size, int most)
{
    struct blocks b = make_blocks(rank, size, most);

    OK(MPI_Alltoallv(b.out, b.counts, b.places, MPI_INT, b.in, b.in_counts, b.in_places, MPI_INT, MPI_COMM_WORLD));
    for (int from = 0; from < size; from++)
        for (int i = 0; i < b.in_counts[from]; i++)
            CHECK(b.in[b.in_places[from] + i] == value(from, rank, i));
    free_blocks(&b);
}

/* To a root and from it, in blocks of different sizes. */
static void through_root(int rank, int size, int root, int most)
{
    int *counts = malloc((size_t)size * 2 * sizeof *counts), *places = counts + size, total = 0, mine;
    int *all, *own;

    for (int i = 0; i < size; i++) {
        counts[i] = count_for(i, root, most);
        places[i] = total;
        total += counts[i];
    }
    mine = counts[rank];
    all = calloc((size_t)total + 1, sizeof *all);
    own = malloc(((size_t)mine + 1) * sizeof *own);
    for (int i = 0; i < mine; i++)
        own[i] = value(rank, root, i);
    OK(MPI_Gatherv(own, mine, MPI_INT, all, counts, places, MPI_INT, root, MPI_COMM_WORLD));
    for (int from = 0; rank == root && from < size; from++)
        for (int i = 0; i < counts[from]; i++)
            CHECK(all[places[from] + i] == value(from, root, i));
    memset(own, 0, (size_t)mine * sizeof *own);
    OK(MPI_Scatterv(all, counts, places, MPI_INT, own, mine, MPI_INT, root, MPI_COMM_WORLD));
    for (int i = 0; i < mine; i++)
        CHECK(own[i] == value(rank, root, i));
    memset(all, 0, (size_t)total * sizeof *all);
    OK(MPI_Allgatherv(own, mine, MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD));
    for (int from = 0; from < size; from++)
        for (int i = 0; i < counts[from]; i++)
            CHECK(all[places[from] + i] == value(from, root, i));
    free(all);
    free(own);
    free(counts);
}

static void even(int rank, int size, int root, int count)
{
    int *all = malloc(((size_t)count * (size_t)size + 1) * sizeof *all),
        *own = malloc(((size_t)count + 1) * sizeof *own);
    int *back = malloc(((size_t)count * (size_t)size + 1) * sizeof *back);

    for (int i = 0; i < count; i++)
        own[i] = rank == root ? value(root, 0, i) : 0;
    OK(MPI_Bcast(own, count, MPI_INT, root, MPI_COMM_WORLD));
    for (int i = 0; i < count; i++)
        CHECK(own[i] == value(root, 0, i));
    for (int i = 0; i < count; i++)
        own[i] = value(rank, 1, i);
    OK(MPI_Allgather(own, count, MPI_INT, all, count, MPI_INT, MPI_COMM_WORLD));
    for (int from = 0; from < size; from++)
        for (int i = 0; i < count; i++)
            CHECK(all[from * count + i] == value(from, 1, i));
    memset(all, 0, (size_t)count * (size_t)size * sizeof *all);
    OK(MPI_Gather(own, count, MPI_INT, all, count, MPI_INT, root, MPI_COMM_WORLD));
    OK(MPI_Scatter(all, count, MPI_INT, rank == root ? MPI_IN_PLACE : own, count, MPI_INT, root, MPI_COMM_WORLD));
    for (int i = 0; i < count; i++)
        CHECK(own[i] == value(rank, 1, i));
    for (int to = 0; to < size; to++)
        for (int i = 0; i < count; i++)
            all[to * count + i] = value(rank, to, i);
    OK(MPI_Alltoall(all, count, MPI_INT, back, count, MPI_INT, MPI_COMM_WORLD));
    for (int from = 0; from < size; from++)
        for (int i = 0; i < count; i++)
            CHECK(back[from * count + i] == value(from, rank, i));
    free(all);
    free(own);
    free(back);
}

void subrank_moving(int rank, int size)
{
    for (int most = 0; most <= MOST; most = most == 0 ? 3 : most * 30) {
        exchange(rank, size, most);
        through_root(rank, size, most % size, most);
        even(rank, size, (most + 1) % size, most);
    }
}

/* Matrices of 2 by 2 over the integers modulo 97: their product does not commute. */
static void multiply(void *left, void *both, int *count, MPI_Datatype *type)
{
    const int *a = left;
    int *b = both;

    (void)type;
    for (int i = 0; i < *count; i++, a += 4, b += 4) {
        int made[4] = {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2],
                       a[2] * b[1] + a[3] * b[3]};

        for (int k = 0; k < 4; k++)
            b[k] = made[k] % 97;
    }
}

static void matrix_of(int rank, int matrix[4])
{
    for (int k = 0; k < 4; k++)
        matrix[k] = (rank * 7 + k * k + 2) % 97;
}

static void check_product(int rank, int last, const int product[4])
{
    int expected[4], next[4], one = 1;

    matrix_of(last, expected);
    for (int i = last - 1; i >= 0; i--) {
        matrix_of(i, next);
        multiply(next, expected, &one, NULL);
    }
    CHECK(memcmp(product, expected, sizeof expected) == 0);
}

static void products(int rank, int size)
{
    int own[4], made[4] = {0}, root = size / 2;
    MPI_Datatype matrix;
    MPI_Request later;
    MPI_Op product;

    matrix_of(rank, own);
    OK(MPI_Type_contiguous(4, MPI_INT, &matrix));
    OK(MPI_Type_commit(&matrix));
    OK(MPI_Op_create(multiply, 0, &product));
    OK(MPI_Allreduce(own, made, 1, matrix, product, MPI_COMM_WORLD));
    check_product(rank, size - 1, made);
    OK(MPI_Reduce(own, made, 1, matrix, product, root, MPI_COMM_WORLD));
    if (rank == root)
        check_product(rank, size - 1, made);
    OK(MPI_Scan(own, made, 1, matrix, product, MPI_COMM_WORLD));
    check_product(rank, rank, made);
    OK(MPI_Exscan(own, made, 1, matrix, product, MPI_COMM_WORLD));
    if (rank > 0)
        check_product(rank, rank - 1, made);
    OK(MPI_Iallreduce(own, made, 1, matrix, product, MPI_COMM_WORLD, &later));
    OK(MPI_Op_free(&product)); /* the call goes on with it */
    OK(MPI_Type_free(&matrix));
    OK(MPI_Wait(&later, MPI_STATUS_IGNORE));
    check_product(rank, size - 1, made);
}

static void sums(int rank, int size, int count)
{
    double *own = malloc(((size_t)count * (size_t)size + 1) * sizeof *own);
    double *made = malloc(((size_t)count * (size_t)size + 1) * sizeof *made), all = size * (size - 1) / 2.0;
    int *counts = malloc((size_t)size * sizeof *counts), at = 0, uneven = 0;

    for (int i = 0; i < count * size; i++)
        own[i] = rank + i;
    OK(MPI_Allreduce(own, made, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    for (int i = 0; i < count; i++)
        CHECK(made[i] == all + (double)i * size);
    memcpy(made, own, (size_t)count * sizeof *own);
    OK(MPI_Reduce(rank == 0 ? MPI_IN_PLACE : own, made, count, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD));
    for (int i = 0; rank == 0 && i < count; i++)
        CHECK(made[i] == size - 1 + i);
    OK(MPI_Reduce_scatter_block(own, made, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    for (int i = 0; i < count; i++)
        CHECK(made[i] == all + (double)(rank * count + i) * size);
    for (int i = 0; i < size; i++) {
        counts[i] = i % 2 == 0 ? count : count / 2;
        at += i < rank ? counts[i] : 0;
        uneven += counts[i];
    }
    OK(MPI_Reduce_scatter(own, made, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    for (int i = 0; i < counts[rank]; i++)
        CHECK(made[i] == all + (double)(at + i) * size);
    free(own);
    free(made);
    free(counts);
}

/* Equal calls one after the other, to which some come late; at every tenth, one rank's is another one. */
static void repeats(int rank, int size)
{
    for (int i = 0; i < 400; i++) {
        bool in_place = (i / 10 + rank) % 4 == 0, other = i % 10 == 9 && i / 10 % size == rank;
        long own = (long)rank * i, sum = own;
        int arrived;

        for (int k = 0; k < i * rank % 3; k++)
            OK(MPI_Iprobe(rank, 0, MPI_COMM_WORLD, &arrived, MPI_STATUS_IGNORE));
        OK(MPI_Allreduce(in_place != other ? MPI_IN_PLACE : &own, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
        CHECK(sum == (long)i * size * (size - 1) / 2);
        if (i % 7 == 0)
            OK(MPI_Barrier(MPI_COMM_WORLD));
    }
}

void subrank_combining(int rank, int size)
{
    int least[2] = {rank + 5, rank}, in[2];

    for (int count = 0; count <= MOST; count = count == 0 ? 1 : count * 50)
        sums(rank, size, count);
    products(rank, size);
    repeats(rank, size);
    OK(MPI_Allreduce(least, in, 1, MPI_2INT, MPI_MINLOC, MPI_COMM_WORLD));
    CHECK(in[0] == 5 && in[1] == 0);
}

/* Many under way at once, among messages. */
void subrank_immediate(int rank, int size)
{
    enum { CALLS = 200 };
    int sums_of[CALLS], roots[CALLS], own[CALLS], in = -1, next = (rank + 1) % size, before = (rank + size - 1) % size;
    MPI_Request requests[2 * CALLS + 3];
    MPI_Comm copy;

    OK(MPI_Irecv(&in, 1, MPI_INT, before, 0, MPI_COMM_WORLD, &requests[2 * CALLS]));
    for (int i = 0; i < CALLS; i++) {
        own[i] = rank + i;
        roots[i] = i % size == rank ? i : -1;
        OK(MPI_Iallreduce(&own[i], &sums_of[i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[i]));
        OK(MPI_Ibcast(&roots[i], 1, MPI_INT, i % size, MPI_COMM_WORLD, &requests[CALLS + i]));
    }
    OK(MPI_Ibarrier(MPI_COMM_WORLD, &requests[2 * CALLS + 1]));
    OK(MPI_Isend(&rank, 1, MPI_INT, next, 0, MPI_COMM_WORLD, &requests[2 * CALLS + 2]));
    OK(MPI_Waitall(2 * CALLS + 3, requests, MPI_STATUSES_IGNORE));
    CHECK(in == before);
    for (int i = 0; i < CALLS; i++)
        CHECK(sums_of[i] == size * (size - 1) / 2 + i * size && roots[i] == i);

    OK(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
    OK(MPI_Iallreduce(own, sums_of, 1, MPI_INT, MPI_SUM, copy, requests));
    OK(MPI_Comm_free(&copy));
    OK(MPI_Wait(requests, MPI_STATUS_IGNORE));
    CHECK(sums_of[0] == size * (size - 1) / 2);
}

void subrank_neighbours(int rank, int size)
{
    int rings[1] = {1}, sizes[1] = {size}, out[2], in[2] = {-1, -1}, counts[2] = {1, 1}, places[2] = {0, 1};
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    MPI_Request request;
    MPI_Comm ring;

    OK(MPI_Cart_create(MPI_COMM_WORLD, 1, sizes, rings, 0, &ring));
    OK(MPI_Neighbor_allgather(&rank, 1, MPI_INT, in, 1, MPI_INT, ring));
    CHECK(in[0] == before && in[1] == next);
    out[0] = value(rank, before, 0);
    out[1] = value(rank, next, 1);
    OK(MPI_Ineighbor_alltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, ring, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(in[0] == value(before, rank, 1) && in[1] == value(next, rank, 0));
    OK(MPI_Comm_free(&ring));
}

#if WM_PERSISTENT_LIBRARY
/* Two that are started in different orders by different ranks, among calls of other kinds. */
void subrank_persistent(int rank, int size)
{
    int own, sum, told, all[64], counts[64], places[64], type_freed[2];
    MPI_Request requests[3];
    MPI_Datatype pair;
    MPI_Comm copy;

    for (int i = 0; i < size; i++) {
        counts[i] = 1;
        places[i] = size - 1 - i;
    }
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
    OK(MPI_Type_contiguous(2, MPI_INT, &pair));
    OK(MPI_Type_commit(&pair));
    OK(MPIX_Allreduce_init(&own, &sum, 1, MPI_INT, MPI_SUM, copy, MPI_INFO_NULL, &requests[0]));
    OK(MPIX_Bcast_init(type_freed, 1, pair, size - 1, copy, MPI_INFO_NULL, &requests[1]));
    OK(MPIX_Gatherv_init(&own, 1, MPI_INT, all, counts, places, MPI_INT, 0, copy, MPI_INFO_NULL, &requests[2]));
    OK(MPI_Type_free(&pair));
    memset(counts, -1, sizeof counts);
    for (int turn = 0; turn < 5; turn++) {
        int first = (rank + turn) % 3, flag = 0;

        own = rank * 10 + turn;
        type_freed[0] = type_freed[1] = rank == size - 1 ? turn : -1;
        for (int i = 0; i < 3; i++)
            OK(MPI_Start(&requests[(first + i) % 3]));
        OK(MPI_Allreduce(&rank, &told, 1, MPI_INT, MPI_SUM, copy));
        while (!flag)
            OK(MPI_Testall(3, requests, &flag, MPI_STATUSES_IGNORE));
        CHECK(told == size * (size - 1) / 2 && sum == told * 10 + turn * size);
        CHECK(type_freed[0] == turn && type_freed[1] == turn);
        for (int i = 0; rank == 0 && i < size; i++)
            CHECK(all[size - 1 - i] == i * 10 + turn);
    }
    OK(MPI_Startall(3, requests));
    OK(MPI_Request_free(&requests[0]));
    OK(MPI_Waitall(2, requests + 1, MPI_STATUSES_IGNORE));
    OK(MPI_Request_free(&requests[1]));
    OK(MPI_Comm_free(&copy));
    OK(MPI_Request_free(&requests[2]));
    CHECK(requests[2] == MPI_REQUEST_NULL);
}
#else
void subrank_persistent(int rank, int size)
{
    (void)rank, (void)size;
}
#endif
