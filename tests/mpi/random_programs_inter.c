/* Random programs between two sides of a communicator. */
#include <stdlib.h>
#include "tests/mpi/random_programs.h"

enum { CALLS_MAX = 4 };

/* Who calls: its side, its rank there, and the ranks of both sides. */
static struct caller {
    MPI_Comm inter;
    int side, self, sizes[2];
} me;

struct call {
    int kind, count, from, root, got_count;
    int64_t *mine, *got;
    MPI_Request request;
};

/* A root of one side, as each rank has to give it. */
static void draw_root(struct call *k)
{
    int rank;

    k->from = below(2);
    rank = below(me.sizes[k->from]);
    k->root = me.side != k->from ? rank : me.self == rank ? MPI_ROOT : MPI_PROC_NULL;
}

static void draw(struct call *k)
{
    int most;

    k->kind = below(9);
    k->count = below(100);
    k->request = MPI_REQUEST_NULL;
    draw_root(k);
    most = k->count * me.sizes[0] * me.sizes[1];
    k->mine = numbers(most);
    k->got = numbers(most);
    for (int i = 0; i < most && (k->kind > 0 || k->root == MPI_ROOT); i++)
        k->mine[i] = number_of(me.side * 100 + me.self, i);
}

static int run_rooted(struct call *k, int immediate)
{
    const MPI_Datatype t = MPI_INT64_T;
    int n = k->count, is_root = k->root == MPI_ROOT, remote = me.sizes[!me.side];

    if (k->kind == 0 || k->kind == 2)
        k->got_count = me.side != k->from ? n : 0;
    else
        k->got_count = is_root ? n * (k->kind == 1 ? remote : 1) : 0;
    if (immediate)
        return k->kind == 0   ? MPI_Ibcast(is_root ? k->mine : k->got, n, t, k->root, me.inter, &k->request)
               : k->kind == 1 ? MPI_Igather(k->mine, n, t, k->got, n, t, k->root, me.inter, &k->request)
               : k->kind == 2 ? MPI_Iscatter(k->mine, n, t, k->got, n, t, k->root, me.inter, &k->request)
                              : MPI_Ireduce(k->mine, k->got, n, t, MPI_SUM, k->root, me.inter, &k->request);
    return k->kind == 0   ? MPI_Bcast(is_root ? k->mine : k->got, n, t, k->root, me.inter)
           : k->kind == 1 ? MPI_Gather(k->mine, n, t, k->got, n, t, k->root, me.inter)
           : k->kind == 2 ? MPI_Scatter(k->mine, n, t, k->got, n, t, k->root, me.inter)
                          : MPI_Reduce(k->mine, k->got, n, t, MPI_SUM, k->root, me.inter);
}

static int run_for_all(struct call *k, int immediate)
{
    const MPI_Datatype t = MPI_INT64_T;
    int n = k->count, remote = me.sizes[!me.side];

    k->got_count = k->kind == 6 ? n : k->kind == 8 ? 0 : n * remote;
    if (immediate)
        return k->kind == 4   ? MPI_Iallgather(k->mine, n, t, k->got, n, t, me.inter, &k->request)
               : k->kind == 5 ? MPI_Ialltoall(k->mine, n, t, k->got, n, t, me.inter, &k->request)
               : k->kind == 6 ? MPI_Iallreduce(k->mine, k->got, n, t, MPI_BXOR, me.inter, &k->request)
               : k->kind == 7
                   ? MPI_Ireduce_scatter_block(k->mine, k->got, n * remote, t, MPI_MAX, me.inter, &k->request)
                   : MPI_Ibarrier(me.inter, &k->request);
    return k->kind == 4   ? MPI_Allgather(k->mine, n, t, k->got, n, t, me.inter)
           : k->kind == 5 ? MPI_Alltoall(k->mine, n, t, k->got, n, t, me.inter)
           : k->kind == 6 ? MPI_Allreduce(k->mine, k->got, n, t, MPI_BXOR, me.inter)
           : k->kind == 7 ? MPI_Reduce_scatter_block(k->mine, k->got, n * remote, t, MPI_MAX, me.inter)
                          : MPI_Barrier(me.inter);
}

/* Each sends to one of the other side. */
static void pass(void)
{
    int shift = below(8), own = me.sizes[me.side], remote = me.sizes[!me.side], got;
    MPI_Request request;
    MPI_Status status;

    OK(MPI_Isend(&me.self, 1, MPI_INT, (me.self + shift) % remote, shift, me.inter, &request));
    for (int from = 0; from < remote; from++) {
        if ((from + shift) % own != me.self)
            continue;
        OK(MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, shift, me.inter, &status));
        check(got == status.MPI_SOURCE, "a message between sides");
        note((uint64_t)got * 8 + (uint64_t)me.self);
    }
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static void merge(void)
{
    int low = below(2), place;
    MPI_Comm both;

    OK(MPI_Intercomm_merge(me.inter, me.side != low, &both));
    OK(MPI_Comm_rank(both, &place));
    check(place == me.self + (me.side == low ? 0 : me.sizes[!me.side]), "a place among both sides");
    OK(MPI_Barrier(both));
    OK(MPI_Comm_free(&both));
}

static void call(void)
{
    struct call calls[CALLS_MAX];
    int count = 1 + below(CALLS_MAX), immediate = below(2), passes = below(2);

    for (int i = 0; i < count; i++) {
        draw(&calls[i]);
        OK(calls[i].kind < 4 ? run_rooted(&calls[i], immediate) : run_for_all(&calls[i], immediate));
    }
    if (passes)
        pass();
    for (int i = 0; i < count; i++) {
        OK(MPI_Wait(&calls[i].request, MPI_STATUS_IGNORE));
        note_numbers(calls[i].got, calls[i].got_count);
        free(calls[i].mine);
        free(calls[i].got);
    }
}

void cross(MPI_Comm comm, int rank, int size)
{
    int cut = 1 + below(size - 1), merges = below(3) == 0, copies = below(3) == 0;
    MPI_Comm own, copy;

    me = (struct caller){.side = rank >= cut, .sizes = {cut, size - cut}};
    OK(MPI_Comm_split(comm, me.side, rank, &own));
    OK(MPI_Comm_rank(own, &me.self));
    OK(MPI_Intercomm_create(own, 0, comm, me.side == 0 ? cut : 0, 5, &me.inter));
    call();
    if (merges)
        merge();
    if (copies) {
        OK(MPI_Comm_dup(me.inter, &copy));
        OK(MPI_Comm_free(&me.inter));
        me.inter = copy;
        call();
    }
    OK(MPI_Comm_free(&me.inter));
    OK(MPI_Comm_free(&own));
}
