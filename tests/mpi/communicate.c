/* Statements at run time: each case against what it has to give, at every rank, by each kind of knowledge. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/mpi/communicate_check.h"
#include "tests/mpi/communicate_names.h"
#include "waymark/communicate.h"

/* The paper's figure 4: every even rank gets a value of all. */
static void all_to_even(MPI_Comm comm)
{
    double *A = calloc((size_t)ranks, sizeof *A), *B = malloc((size_t)ranks * sizeof *B);

    for (int turn = 0; turn < 3; turn++) {
        for (int i = 0; i < ranks; i++)
            B[i] = 100 * rank + i + turn;
        WM_COMMUNICATE(comm, "A[j]@i <<= B[i]@j where i, j in world, i % 2 == 0", WM_SPAN(A, ranks), WM_SPAN(B, ranks));
        for (int j = 0; j < ranks; j++)
            check("all to even", A[j], rank % 2 == 0 ? 100 * j + rank + turn : 0);
    }
    free(A);
    free(B);
}

/* Who sends to whom only the senders know, and it changes from call to call. */
static void sums_by_senders(MPI_Comm comm)
{
    for (int turn = 0; turn < 6; turn++) {
        int to = (rank * 3 + turn) % ranks, sum = 5, should = 5;

        WM_COMMUNICATE(comm, "sum@to << + << me + 1@me", to, sum);
        for (int r = 0; r < ranks; r++)
            should += (r * 3 + turn) % ranks == rank ? r + 1 : 0;
        check("sum by senders", sum, should);
    }
}

/* What senders alone know is learned, where values are promised: until they are touched, or a size changes. */
static void learned(MPI_Comm comm)
{
    int to = 0, n = 0, length = 0;
    double got[40], data[40];

    for (int turn = 0; turn < 12; turn++) {
        int shift = turn / 4 + 1, from = (rank + 3 * ranks - shift) % ranks;

        if (turn % 4 == 0 && turn > 0)
            wm_touch(&to);
        to = (rank + shift) % ranks;
        n = turn % 6 < 3 ? 2 : 5;
        length = turn % 2 == rank % 2 ? 20 : 40;
        for (int i = 0; i < 40; i++) {
            data[i] = 100 * rank + i + turn;
            got[i] = -1;
        }
        WM_COMMUNICATE(comm, "got[3 ... 3 + n]@to <<= data[i ... i + n]@me where i in {7 ... 8}", WM_STABLE(to),
                       WM_UNIFORM(n), WM_SPAN(got, length), WM_SPAN(data, length));
        for (int i = 0; i < 40; i++)
            check("learned", got[i], i >= 3 && i < 3 + n ? 100 * from + i + 4 + turn : -1);
    }
}

/* Receivers alone know whom they ask for what. */
static void asked_for(MPI_Comm comm)
{
    int got[3] = {-1, -1, -1}, table[8], from, k, sum;
    long kept = -1;

    for (int turn = 0; turn < 6; turn++) {
        from = (rank * 3 + turn + 1) % ranks;
        k = (rank + turn) % 4;
        sum = 1;
        for (int i = 0; i < 8; i++)
            table[i] = 1000 * turn + 10 * rank + i;
        WM_COMMUNICATE(comm,
                       "got[0 ... 2]@me <<= table[w ... w + 2]@from, sum@me << + << me + w@from where w = k receiver",
                       got, table, from, k, sum);
        check("asked for", got[0], 1000 * turn + 10 * from + k);
        check("asked for", got[1], 1000 * turn + 10 * from + k + 1);
        check("computed for who asks", sum, 1 + from + k);
        from = turn / 3;
        WM_COMMUNICATE(comm, "kept@i <<= table[i % 8]@(i + from) % ranks where i in world receiver", WM_UNIFORM(from),
                       kept, table);
        check("asked for once", (double)kept, 1000 * turn + 10 * ((rank + from) % ranks) + rank % 8);
    }
}

/* One rank is ahead of the others: statements do not mix. */
static void ahead(MPI_Comm comm)
{
    int last = -1, right = (rank + 1) % ranks;

    for (int turn = 0; turn < 20; turn++) {
        int value = 1000 * turn + rank;

        if (rank == turn % ranks)
            usleep(200);
        WM_COMMUNICATE(comm, "last@right <<= value@me sender", last, right, value);
        check("by senders in turn", last, 1000 * turn + (rank + ranks - 1) % ranks);
        WM_COMMUNICATE(comm, "last@(i + 1) % ranks <<= value@i where i in world", last, value);
        check("by both ends in turn", last, 1000 * turn + (rank + ranks - 1) % ranks);
    }
}

/* All reads come before all writes; pointers may be exchanged between calls. */
static void shift(MPI_Comm comm)
{
    enum { COUNT = 3000 };
    double *u = malloc(COUNT * sizeof *u), *v = malloc(COUNT * sizeof *v), *w;

    for (int i = 0; i < COUNT; i++)
        u[i] = rank + 0.5 * i;
    for (int turn = 0; turn < 4; turn++) {
        WM_COMMUNICATE(comm, "u@(i + 1) % ranks <<= u@i where i in world", WM_SPAN(u, COUNT));
        WM_COMMUNICATE(comm, "v@(i + 1) % ranks <<= u@i where i in world", WM_SPAN(u, COUNT), WM_SPAN(v, COUNT));
        w = u, u = v, v = w;
    }
    for (int i = 0; i < COUNT; i++)
        check("shift", u[i], (rank + 8 * ranks - 8) % ranks + 0.5 * i);
    free(u);
    free(v);
}

/* One array: rows that are sent and rows that are received, which meet or do not. */
static void ghosts(MPI_Comm comm)
{
    enum { ROWS = 6, COLUMNS = 500 };
    double(*u)[COLUMNS] = malloc(ROWS * sizeof *u);
    int below = (rank + 1) % ranks, above = (rank + ranks - 1) % ranks;

    for (int turn = 0; turn < 3; turn++) {
        for (int i = 0; i < ROWS * COLUMNS; i++)
            u[i / COLUMNS][i % COLUMNS] = 10000 * rank + i + turn;
        WM_COMMUNICATE(comm, "u[0]@(i + 1) % ranks <<= u[4]@i, u[5]@i <<= u[1]@(i + 1) % ranks where i in world",
                       WM_GRID(u, ROWS, COLUMNS));
        check("ghost above", u[0][7], 10000 * above + 4 * COLUMNS + 7 + turn);
        check("ghost below", u[5][499], 10000 * below + COLUMNS + 499 + turn);
        check("between them", u[3][3], 10000 * rank + 3 * COLUMNS + 3 + turn);
        WM_COMMUNICATE(comm, "u[2 ... 5]@(i + 1) % ranks <<= u[1 ... 4]@i where i in world", WM_GRID(u, ROWS, COLUMNS));
        check("rows that meet", u[2][9], 10000 * above + COLUMNS + 9 + turn);
        check("rows that meet", u[4][9], 10000 * above + 3 * COLUMNS + 9 + turn);
        WM_COMMUNICATE(comm, "u[0]@(i + 1) % ranks <<= u[2]@i, u[3][0]@i <<= u[0][1] + u[4][1]@i where i in world",
                       WM_GRID(u, ROWS, COLUMNS));
        check("computed of what is stored into", u[3][0],
              10000 * above + 4 * COLUMNS + 1 + turn + 10000 * above + 3 * COLUMNS + 1 + turn);
    }
    free(u);
}

/* Columns to rows, between two dimensions, and numbers that are converted. */
static void transposition(MPI_Comm comm)
{
    float *from = malloc((size_t)(2 * ranks) * sizeof *from);
    double *to = calloc((size_t)(2 * ranks), sizeof *to);

    for (int i = 0; i < 2 * ranks; i++)
        from[i] = (float)(rank * 1000 + i);
    WM_COMMUNICATE(comm, "to[j]@i <<= from[0 ... 2][i]@j where i, j in world", WM_GRID(from, 2, ranks),
                   WM_GRID(to, ranks, 2));
    for (int j = 0; j < ranks; j++)
        for (int k = 0; k < 2; k++)
            check("transposition", to[2 * j + k], j * 1000 + k * ranks + rank);
    free(from);
    free(to);
}

/* What many send to one place is stored in their order. */
static void last_of_all(MPI_Comm comm)
{
    int last = -1, row[3] = {-1, -1, -1};

    for (int turn = 0; turn < 10; turn++) {
        int mine = 100 * turn + rank, two[2] = {mine, mine};

        WM_COMMUNICATE(comm, "last@i <<= mine@j where i, j in world", last, mine);
        check("the last one", last, 100 * turn + ranks - 1);
        WM_COMMUNICATE(comm, "row[j % 2 ... j % 2 + 2]@i <<= two@j where i, j in world", row, two);
        check("the last of those that overlap", row[1], 100 * turn + ranks - 1);
    }
}

/* What it depends on changes at some ranks, or in size alone. */
static void changes(MPI_Comm comm)
{
    double data[10], got[10];
    int n = 10, root = 0;

    for (int turn = 0; turn < 8; turn++) {
        for (int i = 0; i < 10; i++) {
            data[i] = rank * 10 + i + turn;
            got[i] = -1;
        }
        n = turn % 3 + 1;
        root = turn / 2 % ranks;
        WM_COMMUNICATE(comm, "got[0 ... n]@i <<= data[10 - n ... 10]@root where i in world", data, got, n, root);
        for (int i = 0; i < 10; i++)
            check("changes", got[i], i < n ? root * 10 + 10 - n + i + turn : -1);
    }
}

/* Blocks of a collective operation become longer and shorter. */
static void blocks(MPI_Comm comm)
{
    for (int turn = 0; turn < 6; turn++) {
        int data[8], got[8], n = turn % 3 + 2;

        for (int i = 0; i < 8; i++) {
            data[i] = 100 * turn + 10 * rank + i;
            got[i] = -1;
        }
        WM_COMMUNICATE(comm, "got[0 ... n]@i <<= data[0 ... n]@0 where i in world", got, data, WM_UNIFORM(n));
        for (int i = 0; i < 8; i++)
            check("blocks", got[i], i < n ? 100 * turn + i : -1);
    }
}

/* A site's calls are alike, or differ in one thing: what is sent, where it is, how much, what it is stored in. */
static void repeats(MPI_Comm comm)
{
    enum { LENGTH = 6 };
    long data[2][LENGTH], sums[2][LENGTH] = {0}, should[2][LENGTH] = {0};

    for (int turn = 0; turn < 60; turn++) {
        int n = turn / 20 + 2, root = turn / 30 % ranks;
        long *from = data[turn / 5 % 2], *to = sums[turn / 7 % 2], first = -1;

        for (int i = 0; i < LENGTH; i++)
            from[i] = turn + 10 * rank + i;
        WM_COMMUNICATE(comm, "to[0 ... n]@i << + << from[0 ... n]@j where i, j in world", WM_SPAN(to, LENGTH),
                       WM_SPAN(from, LENGTH), WM_UNIFORM(n));
        WM_COMMUNICATE(comm, "first@i <<= from[1]@root where i in world", WM_UNIFORM(root), first,
                       WM_UNIFORM(WM_SPAN(from, LENGTH)));
        check("repeats", (double)first, turn + 10 * root + 1);
        for (int i = 0; i < n; i++)
            should[turn / 7 % 2][i] += (long)ranks * (turn + i) + 5L * ranks * (ranks - 1);
        for (int i = 0; i < LENGTH; i++)
            check("repeats with what is there", (double)to[i], (double)should[turn / 7 % 2][i]);
    }
}

/* Under a map teams make these as operations, when they have come some times: rank 0 and others, all but rank 0, which
 * gets sums of theirs, rows of two. Then others are in the team. */
static void teams(MPI_Comm comm)
{
    double all[3], mine[3], sum = 0, should = 0, first = 0;
    int step = 2, apart = ranks - ranks % 2;

    for (int turn = 0; turn < 40; turn++) {
        step = turn < 25 ? 2 : 1;
        for (int i = 0; i < 3; i++) {
            mine[i] = 100 * turn + 10 * rank + i;
            all[i] = -1;
        }
        WM_COMMUNICATE(comm, "all@i <<= mine@0 where i in world, i % step == 0", all, mine, WM_UNIFORM(step));
        for (int i = 0; i < 3; i++)
            check("a team's broadcast", all[i], rank % step == 0 ? 100 * turn + i : -1);
        WM_COMMUNICATE(comm, "sum@0 << + << mine[1]@i where i in {1 ... ranks}", sum, mine);
        should += rank > 0 ? 0 : (ranks - 1) * (100. * turn + 1 + 5 * ranks);
        check("a sum of the others", sum, should);
        WM_COMMUNICATE(comm, "first@i <<= mine[i % 2]@i / 2 * 2 where i in {0 ... apart}", first, mine,
                       WM_UNIFORM(apart));
        check("of the row's first", first, rank < apart ? 100 * turn + 10 * (rank - rank % 2) + rank % 2 : 0);
    }
}

static void promises(MPI_Comm comm)
{
    int *order = malloc((size_t)ranks * sizeof *order), got = -1, n = ranks;

    /* At turns 3 and 4 something else is touched, else it or a part of it, at turn 6 all. */
    for (int turn = 0; turn < 8; turn++) {
        int seen = turn == 3 || turn == 4 ? 2 : turn;

        for (int i = 0; i < ranks; i++)
            order[i] = (i + turn) % ranks;
        if (turn > 0)
            wm_touch(turn == 3 ? &got : turn == 6 ? NULL : turn == 4 ? &n : &order[turn == 5 ? ranks - 1 : 0]);
        WM_COMMUNICATE(comm, "got@order[i] <<= i@i where i in {0 ... n}", WM_STABLE(WM_SPAN(order, ranks)),
                       WM_UNIFORM(n), got);
        check("promises", got, (rank + 8 * ranks - seen) % ranks);
    }
    free(order);
}

static int owner(int key)
{
    return key % ranks;
}

static void least(void *inout, const void *in)
{
    const double *a = in;
    double *b = inout;

    if (a[0] < b[0])
        memcpy(b, a, 2 * sizeof *a);
}

static double later(double a, double b)
{
    return 2 * a + b;
}

static void operators(MPI_Comm comm)
{
    struct {
        double value, where;
    } best = {1e9, -1}, mine = {fabs(rank - 1.5), rank};
    double chain = 1, should = 1, high = -1;

    WM_COMMUNICATE(comm, "best@0 << least << mine@i where i in world", WM_TYPED(best, MPI_2DOUBLE_PRECISION),
                   WM_TYPED(mine, MPI_2DOUBLE_PRECISION), WM_COMBINE(least, best, MPI_2DOUBLE_PRECISION));
    check("a least struct", best.where, rank > 0 ? -1 : ranks > 1 ? 1 : 0);
    WM_COMMUNICATE(comm, "chain@0 << later << me + 0.0@i where i in world", chain, WM_ORDERED(WM_OPERATOR(later)));
    for (int r = 0; r < ranks; r++)
        should = 2 * should + r;
    check("an ordered operator", chain, rank == 0 ? should : 1);
    WM_COMMUNICATE(comm, "high@i << max << j / 2.0@j where i, j in world", high);
    check("max", high, (ranks - 1) / 2.0);
}

static void push_by_owner(MPI_Comm comm)
{
    int keys[5], got[64] = {0};

    for (int k = 0; k < 5; k++)
        keys[k] = (rank * 7 + k * 3) % 64;
    WM_COMMUNICATE(comm, "got[key]@owner(key) << + << k + 1@me where k in {0 ... 5}, key = keys[k]", keys, got,
                   WM_FUNCTION(owner));
    for (int key = 0; key < 64; key++) {
        int should = 0;

        for (int r = 0; key % ranks == rank && r < ranks; r++)
            for (int k = 0; k < 5; k++)
                should += (r * 7 + k * 3) % 64 == key ? k + 1 : 0;
        check("push by owner", got[key], should);
    }
}

/* Prefix sums by a filter, and two reductions of one text. */
static void prefixes(MPI_Comm comm)
{
    long prefix = 0, total = 0;

    WM_COMMUNICATE(comm, "prefix@i << + << j + 1@j, total@i << + << i * j@j where i, j in world, j <= i", prefix,
                   total);
    check("prefix", (double)prefix, (rank + 1) * (rank + 2) / 2);
    check("total", (double)total, rank * rank * (rank + 1) / 2);
}

/* Several are begun before any is waited for, of all kinds, beside collectives and messages of the program. */
static void begun(MPI_Comm comm)
{
    int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;

    for (int turn = 0; turn < 4; turn++) {
        int last = -1, first = -1, sum = 0, mine = 100 * turn + rank, token = mine, got = -1, sums[2] = {0, 0};
        MPI_Request requests[5];

        WM_ICOMMUNICATE(comm, &requests[0], "last@right <<= mine@me", last, right, mine);
        WM_ICOMMUNICATE(comm, &requests[1], "first@i <<= mine@0 where i in world", first, mine);
        if (rank % 2 == 0)
            MPI_Send(&token, 1, MPI_INT, right, 3, comm);
        MPI_Iallreduce(&mine, &sums[0], 1, MPI_INT, MPI_SUM, comm, &requests[2]);
        WM_ICOMMUNICATE(comm, &requests[3], "sum@i << + << mine@j where i, j in world", sum, mine);
        if (left % 2 == 0)
            MPI_Recv(&got, 1, MPI_INT, left, 3, comm, MPI_STATUS_IGNORE);
        MPI_Allreduce(&mine, &sums[1], 1, MPI_INT, MPI_MAX, comm);
        WM_ICOMMUNICATE(comm, &requests[4], "got@i <<= mine@(i + 1) % ranks where i in world corresponding", got, mine);
        if (turn % 2 == 0)
            WM_COMMUNICATE(comm, "token@i <<= 2 * mine@i where i in world", token, mine);
        MPI_Waitall(5, requests, MPI_STATUSES_IGNORE);
        check("begun, by senders", last, 100 * turn + left);
        check("begun, a broadcast", first, 100 * turn);
        check("begun, an allreduce", sum, sums[0]);
        check("beside a blocking one", sums[1], 100 * turn + ranks - 1);
        check("begun, by both ends", got, 100 * turn + right);
        check("before one that blocks", token, turn % 2 == 0 ? 2 * mine : mine);
    }
}

static void halves(void)
{
    MPI_Comm half;

    for (int turn = 0; turn < 3; turn++) {
        int first = -1, size;

        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
        MPI_Comm_size(half, &size);
        WM_COMMUNICATE(half, "first@i <<= rank@0 where i in world", first, rank);
        check("half", first, rank % 2);
        if (turn < 2)
            MPI_Comm_free(&half);
    }
}

int main(int argc, char **argv)
{
    MPI_Comm twin;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    all_to_even(twin);
    sums_by_senders(MPI_COMM_WORLD);
    learned(twin);
    asked_for(twin);
    ahead(twin);
    shift(MPI_COMM_WORLD);
    ghosts(twin);
    transposition(twin);
    if (getenv("WAYMARK_CHECK") == NULL) /* which refuses that */
        last_of_all(twin);
    changes(twin);
    blocks(twin);
    repeats(twin);
    teams(twin);
    promises(twin);
    operators(twin);
    push_by_owner(MPI_COMM_WORLD);
    prefixes(twin);
    begun(twin);
    begun(MPI_COMM_WORLD);
    halves();
    faults += names_check(twin);
    MPI_Comm_free(&twin);
    MPI_Finalize();
    return faults > 0;
}
