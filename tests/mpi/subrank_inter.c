/* Intercommunicators: made, asked, messages, every collective, against what every rank can say beforehand. */
#include "tests/mpi/subrank.h"

enum { COUNT = 5, MATRIX = 4, FORMS = 2 };

/* Two groups of a world: ranks that 3 divides, and the others. */
struct sides {
    MPI_Comm own, inter;
    int side, self, size, remote;
};

static struct sides make_sides(int rank)
{
    struct sides s = {.side = rank % 3 != 0};

    OK(MPI_Comm_split(MPI_COMM_WORLD, s.side, -rank, &s.own));
    OK(MPI_Comm_rank(s.own, &s.self));
    OK(MPI_Comm_size(s.own, &s.size));
    OK(MPI_Intercomm_create(s.own, s.size - 1, MPI_COMM_WORLD, s.side == 0 ? 1 : 0, 17, &s.inter));
    OK(MPI_Comm_remote_size(s.inter, &s.remote));
    return s;
}

static void free_sides(int rank, struct sides *s)
{
    OK(MPI_Comm_free(&s->inter));
    OK(MPI_Comm_free(&s->own));
}

static int value(int side, int from, int to, int i)
{
    return side * 100000 + from * 1000 + to * 10 + i;
}

/* So many of a rank for another: other blocks both ways. */
static int count_for(int side, int from, int to)
{
    return (side + from * 2 + to) % COUNT;
}

/* ---- collectives ---- */

/* A call, blocking or not, with what follows it. */
static void finish(int rank, int error, MPI_Request *request)
{
    CHECK(error == MPI_SUCCESS);
    OK(MPI_Wait(request, MPI_STATUS_IGNORE));
}

#define CALL(form, blocking, nonblocking, ...)                                                                         \
    do {                                                                                                               \
        MPI_Request request = MPI_REQUEST_NULL;                                                                        \
        int error = (form) == 0 ? blocking(__VA_ARGS__) : nonblocking(__VA_ARGS__, &request);                          \
        finish(rank, error, &request);                                                                                 \
    } while (0)

/* The root as one of a side says it, where rank `root` of side `from` is it. */
static int root_for(const struct sides *s, int from, int root)
{
    if (s->side != from)
        return root;
    return s->self == root ? MPI_ROOT : MPI_PROC_NULL;
}

static void check_blocks(int rank, const struct sides *s, const int *in, int count)
{
    for (int from = 0; from < s->remote; from++)
        for (int i = 0; i < count; i++)
            CHECK(in[from * count + i] == value(!s->side, from, s->self, i));
}

static void rooted(int rank, const struct sides *s, int form, int from, int root_rank)
{
    int root = root_for(s, from, root_rank), out[64 * COUNT], in[64 * COUNT], some[COUNT];
    bool gives = s->side != from;

    for (int i = 0; i < COUNT; i++)
        some[i] = root == MPI_ROOT ? value(from, root_rank, 0, i) : -1;
    CALL(form, MPI_Bcast, MPI_Ibcast, some, COUNT, MPI_INT, root, s->inter);
    for (int i = 0; i < COUNT && gives; i++)
        CHECK(some[i] == value(from, root_rank, 0, i));

    for (int i = 0; i < COUNT; i++)
        some[i] = value(s->side, s->self, root_rank, i);
    CALL(form, MPI_Gather, MPI_Igather, some, COUNT, MPI_INT, in, COUNT, MPI_INT, root, s->inter);
    if (root == MPI_ROOT)
        check_blocks(rank, s, in, COUNT);

    for (int to = 0; to < s->remote; to++)
        for (int i = 0; i < COUNT; i++)
            out[to * COUNT + i] = value(s->side, s->self, to, i);
    CALL(form, MPI_Scatter, MPI_Iscatter, out, COUNT, MPI_INT, some, COUNT, MPI_INT, root, s->inter);
    for (int i = 0; i < COUNT && gives; i++)
        CHECK(some[i] == value(from, root_rank, s->self, i));

    for (int i = 0; i < COUNT; i++)
        out[i] = s->self + i;
    CALL(form, MPI_Reduce, MPI_Ireduce, out, in, COUNT, MPI_INT, MPI_SUM, root, s->inter);
    for (int i = 0; i < COUNT && root == MPI_ROOT; i++)
        CHECK(in[i] == s->remote * (s->remote - 1) / 2 + i * s->remote);
}

/* Gatherv and scatterv, with gaps. */
static void uneven(int rank, const struct sides *s, int form, int from, int root_rank)
{
    int root = root_for(s, from, root_rank), counts[64], places[64], all[64 * (COUNT + 1)], some[COUNT];
    int mine = count_for(s->side, s->self, root_rank);

    for (int i = 0; i < s->remote; i++) {
        counts[i] = count_for(!s->side, i, s->self);
        places[i] = i * (COUNT + 1);
    }
    memset(all, -1, sizeof all);
    for (int i = 0; i < COUNT; i++)
        some[i] = value(s->side, s->self, root_rank, i);
    CALL(form, MPI_Gatherv, MPI_Igatherv, some, mine, MPI_INT, all, counts, places, MPI_INT, root, s->inter);
    for (int peer = 0; peer < s->remote && root == MPI_ROOT; peer++)
        for (int i = 0; i <= COUNT; i++)
            CHECK(all[places[peer] + i] == (i < counts[peer] ? value(!s->side, peer, s->self, i) : -1));
    memset(some, -1, sizeof some);
    CALL(form, MPI_Scatterv, MPI_Iscatterv, all, counts, places, MPI_INT, some, mine, MPI_INT, root, s->inter);
    for (int i = 0; i < COUNT && s->side != from; i++)
        CHECK(some[i] == (i < mine ? value(s->side, s->self, root_rank, i) : -1));
}

static void for_all(int rank, const struct sides *s, int form)
{
    int out[64 * COUNT], in[64 * COUNT], counts[64], places[64], in_counts[64], in_places[64];
    MPI_Datatype types[64];

    for (int i = 0; i < COUNT; i++)
        out[i] = value(s->side, s->self, 0, i);
    CALL(form, MPI_Allgather, MPI_Iallgather, out, COUNT, MPI_INT, in, COUNT, MPI_INT, s->inter);
    for (int i = 0; i < COUNT * s->remote; i++)
        CHECK(in[i] == value(!s->side, i / COUNT, 0, i % COUNT));

    for (int peer = 0; peer < s->remote; peer++) {
        in_counts[peer] = count_for(!s->side, peer, 0);
        in_places[peer] = (s->remote - 1 - peer) * COUNT;
    }
    CALL(form, MPI_Allgatherv, MPI_Iallgatherv, out, count_for(s->side, s->self, 0), MPI_INT, in, in_counts, in_places,
         MPI_INT, s->inter);
    for (int peer = 0; peer < s->remote; peer++)
        for (int i = 0; i < in_counts[peer]; i++)
            CHECK(in[in_places[peer] + i] == value(!s->side, peer, 0, i));

    for (int to = 0; to < s->remote; to++)
        for (int i = 0; i < COUNT; i++)
            out[to * COUNT + i] = value(s->side, s->self, to, i);
    CALL(form, MPI_Alltoall, MPI_Ialltoall, out, COUNT, MPI_INT, in, COUNT, MPI_INT, s->inter);
    check_blocks(rank, s, in, COUNT);

    for (int peer = 0; peer < s->remote; peer++) {
        counts[peer] = count_for(s->side, s->self, peer);
        in_counts[peer] = count_for(!s->side, peer, s->self);
        places[peer] = in_places[peer] = peer * COUNT;
        types[peer] = MPI_INT;
    }
    CALL(form, MPI_Alltoallv, MPI_Ialltoallv, out, counts, places, MPI_INT, in, in_counts, in_places, MPI_INT,
         s->inter);
    for (int peer = 0; peer < s->remote; peer++)
        in_places[peer] = places[peer] *= (int)sizeof(int);
    memset(in, -1, sizeof in);
    CALL(form, MPI_Alltoallw, MPI_Ialltoallw, out, counts, places, types, in, in_counts, in_places, types, s->inter);
    for (int peer = 0; peer < s->remote; peer++)
        for (int i = 0; i < COUNT; i++)
            CHECK(in[peer * COUNT + i] == (i < in_counts[peer] ? value(!s->side, peer, s->self, i) : -1));
}

/* As many elements for each of the remote ranks as there are own ones, so that both sides bring as many. */
static void combined(int rank, const struct sides *s, int form)
{
    int out[64 * 64], in[64 * 64], counts[64], all = s->size * s->remote, first = 0,
                                               sum = s->remote * (s->remote - 1) / 2;

    for (int i = 0; i < all; i++)
        out[i] = s->self + i;
    CALL(form, MPI_Allreduce, MPI_Iallreduce, out, in, COUNT < all ? COUNT : all, MPI_INT, MPI_SUM, s->inter);
    for (int i = 0; i < COUNT && i < all; i++)
        CHECK(in[i] == sum + i * s->remote);
    CALL(form, MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, out, in, s->remote, MPI_INT, MPI_SUM, s->inter);
    for (int i = 0; i < s->remote; i++)
        CHECK(in[i] == sum + (s->self * s->remote + i) * s->remote);
    for (int i = 0; i < s->size; i++) {
        counts[i] = i == 0 ? s->remote * s->size - (s->size - 1) : 1;
        first += i < s->self ? counts[i] : 0;
    }
    CALL(form, MPI_Reduce_scatter, MPI_Ireduce_scatter, out, in, counts, MPI_INT, MPI_SUM, s->inter);
    for (int i = 0; i < counts[s->self]; i++)
        CHECK(in[i] == sum + (first + i) * s->remote);
}

/* Concatenation of digits does not commute. */
static void append(void *left, void *both, int *count, MPI_Datatype *type)
{
    const long *a = left;
    long *b = both;

    (void)type;
    for (int i = 0; i < *count; i++) {
        long shift = 10;

        while (shift <= b[i])
            shift *= 10;
        b[i] += a[i] * shift;
    }
}

static void ordered(int rank, const struct sides *s, int form)
{
    long own = s->self % 9 + 1, made = 0, expected = 0;
    MPI_Op op;

    OK(MPI_Op_create(append, 0, &op));
    CALL(form, MPI_Allreduce, MPI_Iallreduce, &own, &made, 1, MPI_LONG, op, s->inter);
    OK(MPI_Op_free(&op));
    for (int i = 0; i < s->remote; i++)
        expected = expected * 10 + i % 9 + 1;
    CHECK(made == expected);
}

static void wait_for_all(int rank, const struct sides *s, int form)
{
    MPI_Request request = MPI_REQUEST_NULL;

    finish(rank, form == 0 ? MPI_Barrier(s->inter) : MPI_Ibarrier(s->inter, &request), &request);
}

/* Many at once, a copy made among them, and freed while one on it is under way. */
static void many(int rank, const struct sides *s)
{
    enum { CALLS = 20 };
    int in[CALLS], out[CALLS], told[CALLS], sum = -1;
    MPI_Request requests[2 * CALLS + 1];
    MPI_Comm copy;

    for (int i = 0; i < CALLS; i++) {
        out[i] = s->self + i;
        told[i] = root_for(s, i % 2, 0) == MPI_ROOT ? i : -1;
        OK(MPI_Iallreduce(&out[i], &in[i], 1, MPI_INT, MPI_SUM, s->inter, &requests[i]));
        OK(MPI_Ibcast(&told[i], 1, MPI_INT, root_for(s, i % 2, 0), s->inter, &requests[CALLS + i]));
        if (i == CALLS / 2)
            OK(MPI_Comm_dup(s->inter, &copy));
    }
    OK(MPI_Iallreduce(out, &sum, 1, MPI_INT, MPI_SUM, copy, &requests[2 * CALLS]));
    OK(MPI_Comm_free(&copy));
    OK(MPI_Waitall(2 * CALLS + 1, requests, MPI_STATUSES_IGNORE));
    CHECK(sum == s->remote * (s->remote - 1) / 2);
    for (int i = 0; i < CALLS; i++) {
        CHECK(in[i] == sum + i * s->remote);
        CHECK(told[i] == (s->side != i % 2 || s->self == 0 ? i : -1));
    }
}

void subrank_crossing(int rank, int size)
{
    struct sides s;

    if (size < 2)
        return;
    s = make_sides(rank);
    for (int form = 0; form < FORMS; form++) {
        wait_for_all(rank, &s, form);
        rooted(rank, &s, form, 0, 0);
        rooted(rank, &s, form, 1, (s.side == 1 ? s.size : s.remote) - 1);
        uneven(rank, &s, form, 1, 0);
        for_all(rank, &s, form);
        combined(rank, &s, form);
        ordered(rank, &s, form);
    }
    many(rank, &s);
    free_sides(rank, &s);
}

/* ---- communicators ---- */

/* Each sends to one of the other side, who knows its number there. */
static void pass(int rank, MPI_Comm inter)
{
    int self, size, remote, out, in = -1;
    MPI_Request request;
    MPI_Status status;

    OK(MPI_Comm_rank(inter, &self));
    OK(MPI_Comm_size(inter, &size));
    OK(MPI_Comm_remote_size(inter, &remote));
    out = self;
    OK(MPI_Isend(&out, 1, MPI_INT, self % remote, 3, inter, &request));
    for (int from = self; from < remote; from += size) {
        OK(MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 3, inter, &status));
        CHECK(in % size == self && status.MPI_SOURCE == in);
    }
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

/* In the merged one the low side's ranks come first. */
static void merge(int rank, const struct sides *s, int low)
{
    int self, all_size, sum;
    MPI_Comm all;

    OK(MPI_Intercomm_merge(s->inter, s->side != low, &all));
    OK(MPI_Comm_rank(all, &self));
    OK(MPI_Comm_size(all, &all_size));
    CHECK(all_size == s->size + s->remote && self == s->self + (s->side == low ? 0 : s->remote));
    OK(MPI_Allreduce(&self, &sum, 1, MPI_INT, MPI_SUM, all));
    CHECK(sum == all_size * (all_size - 1) / 2);
    OK(MPI_Comm_free(&all));
    OK(MPI_Intercomm_merge(s->inter, 0, &all));
    OK(MPI_Barrier(all));
    OK(MPI_Comm_free(&all));
}

/* The even ones of each side, and the odd ones, where both sides have some. */
static void split(int rank, const struct sides *s)
{
    MPI_Comm part;
    int size = -1, color = s->self % 2;

    OK(MPI_Comm_split(s->inter, color, -s->self, &part));
    CHECK((part == MPI_COMM_NULL) == (color == 1 && (s->remote < 2 || s->size < 2)));
    if (part != MPI_COMM_NULL) {
        OK(MPI_Comm_remote_size(part, &size));
        CHECK(size == (s->remote + 1 - color) / 2);
        pass(rank, part);
        OK(MPI_Barrier(part));
        OK(MPI_Comm_free(&part));
    }
    OK(MPI_Comm_split(s->inter, s->self == 0 ? MPI_UNDEFINED : 0, 0, &part));
    if (part != MPI_COMM_NULL)
        OK(MPI_Comm_free(&part));
}

static void create(int rank, const struct sides *s)
{
    int first = 0, result, remote;
    MPI_Group own, one;
    MPI_Comm part;

    OK(MPI_Comm_group(s->inter, &own));
    OK(MPI_Group_incl(own, 1, &first, &one));
    OK(MPI_Comm_create(s->inter, one, &part));
    CHECK((part == MPI_COMM_NULL) == (s->self > 0));
    if (part != MPI_COMM_NULL) {
        OK(MPI_Comm_remote_size(part, &remote));
        CHECK(remote == 1);
        OK(MPI_Comm_compare(part, s->inter, &result));
        CHECK(result == (s->size == 1 && s->remote == 1 ? MPI_CONGRUENT : MPI_UNEQUAL));
        pass(rank, part);
        OK(MPI_Comm_free(&part));
    }
    OK(MPI_Group_free(&one));
    OK(MPI_Group_free(&own));
}

static void refuse(int rank, const struct sides *s)
{
    int flag, one = 1;
    MPI_Comm made;

    OK(MPI_Comm_set_errhandler(s->inter, MPI_ERRORS_RETURN));
    CHECK(MPI_Scan(&one, &flag, 1, MPI_INT, MPI_SUM, s->inter) == MPI_ERR_COMM);
    CHECK(MPI_Bcast(&one, 1, MPI_INT, s->remote, s->inter) == MPI_ERR_ROOT);
    CHECK(MPI_Send(&one, 1, MPI_INT, s->remote, 0, s->inter) == MPI_ERR_RANK);
    CHECK(MPI_Cart_create(s->inter, 1, &one, &one, 0, &made) == MPI_ERR_COMM);
    OK(MPI_Comm_set_errhandler(s->own, MPI_ERRORS_RETURN));
    CHECK(MPI_Intercomm_create(s->own, s->size, MPI_COMM_WORLD, 0, 0, &made) == MPI_ERR_RANK);
    CHECK(MPI_Intercomm_merge(s->own, 0, &made) == MPI_ERR_COMM);
    OK(MPI_Comm_test_inter(s->own, &flag));
    CHECK(!flag);
    OK(MPI_Comm_test_inter(s->inter, &flag));
    CHECK(flag);
}

void subrank_inter(int rank, int size)
{
    struct sides s;
    MPI_Comm copy;
    MPI_Group remote;
    MPI_Request request;
    int result, remote_size;

    if (size < 2)
        return;
    s = make_sides(rank);
    CHECK(s.remote == (s.side == 0 ? size - (size + 2) / 3 : (size + 2) / 3));
    OK(MPI_Comm_remote_group(s.inter, &remote));
    OK(MPI_Group_size(remote, &remote_size));
    CHECK(remote_size == s.remote);
    OK(MPI_Group_free(&remote));
    OK(MPI_Comm_idup(s.inter, &copy, &request));
    pass(rank, s.inter);
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Comm_compare(copy, s.inter, &result));
    CHECK(result == MPI_CONGRUENT);
    OK(MPI_Comm_compare(copy, s.own, &result));
    CHECK(result == MPI_UNEQUAL);
    pass(rank, copy);
    for_all(rank, &s, 0);
    merge(rank, &s, 0);
    merge(rank, &s, 1);
    split(rank, &s);
    create(rank, &s);
    refuse(rank, &s);
    OK(MPI_Comm_free(&copy));
    free_sides(rank, &s);
}
