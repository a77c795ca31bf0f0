/* What the names of a statement can be bound to in a program: each kind, and statements that are kept. */
#include "tests/mpi/communicate_names.h"

#include <stdio.h>
#include <stdlib.h>
#include "tests/mpi/communicate_check.h"
#include "waymark/communicate.h"

enum { PARTICLES = 5, TURNS = 4 };

struct particle {
    double x;
    float v[3];
    int to;
    char flag;
};

static int right, left;

static void arrays_of_arrays(MPI_Comm comm)
{
    double from[4][3], to[4][3] = {{0}};

    for (int i = 0; i < 12; i++)
        from[i / 3][i % 3] = 100 * rank + i;
    WM_COMMUNICATE(comm,
                   "to[1 ... 3][2]@(i + 1) % ranks <<= from[3][1 ... 3]@i, to[0]@i <<= from[1]@i where i in world",
                   from, to);
    for (int i = 0; i < 12; i++)
        check("array of arrays", to[i / 3][i % 3],
              i < 3              ? from[1][i]
              : i == 5 || i == 8 ? 100 * left + 10 + (i == 8)
                                 : 0);
}

/* Its length is known to no compiler, and each rank has its own. */
static void arrays_of_any_length(MPI_Comm comm)
{
    for (int turn = 0; turn < TURNS; turn++) {
        int n = 3 + (rank == turn % ranks), sum = 0;
        int mine[n];

        for (int i = 0; i < n; i++)
            mine[i] = rank + i;
        WM_COMMUNICATE(comm, "sum@i << + << mine[j]@i where i in world, j in {0 ... n}", sum, mine, n);
        check("array of any length", sum, n * rank + n * (n - 1) / 2);
        WM_COMMUNICATE(comm, "mine@i <<= mine@i where i in world", mine);
        check("array to itself", mine[n - 1], rank + n - 1);
    }
}

static void fill(struct particle of[PARTICLES], int turn)
{
    for (int i = 0; i < PARTICLES; i++)
        of[i] = (struct particle){.x = 100 * rank + i + turn,
                                  .v = {(float)rank, (float)i, 7},
                                  .to = (rank + i + (turn > 1 && rank == 0 && i == 3)) % ranks,
                                  .flag = 'f'};
}

static int count_to_me(int turn)
{
    int count = 0;

    for (int r = 0; r < ranks; r++)
        for (int i = 0; i < PARTICLES; i++)
            count += (r + i + (turn > 1 && r == 0 && i == 3)) % ranks == rank;
    return count;
}

/* Members alone travel, and who sends what to whom may depend on them. */
static void members(MPI_Comm comm)
{
    struct particle of[PARTICLES], *list = of;

    for (int turn = 0; turn < TURNS; turn++) {
        float all[PARTICLES * 3] = {0};
        double first = -1;
        int count = 0;

        fill(of, turn);
        WM_COMMUNICATE(comm, "x[1 ... 4]@right <<= x[2 ... 5]@me", WM_MEMBER(list, PARTICLES, x), right);
        WM_COMMUNICATE(comm, "v[i][1 ... 3]@me <<= v[i + 1][0 ... 2]@me where i in {0 ... 2}",
                       WM_MEMBER(of, PARTICLES, v));
        check("a member that stays", of[0].x, 100 * rank + turn);
        for (int i = 1; i < 4; i++)
            check("a member", of[i].x, 100 * left + i + 1 + turn);
        check("the last member", of[4].x, 100 * rank + 4 + turn);
        check("an array in a struct", of[1].v[0] + 10 * of[1].v[1] + 100 * of[1].v[2], rank + 10 * rank + 100 * 2);
        check("beside it", of[2].v[2] + of[2].flag, 7 + 'f');
        WM_COMMUNICATE(comm, "all@i <<= v@i where i in world", all, WM_MEMBER(of, PARTICLES, v));
        check("from strides", all[3 * PARTICLES - 2], PARTICLES - 1);
        WM_COMMUNICATE(comm, "count@d << + << 1@me where d in to", count, WM_MEMBER(list, PARTICLES, to));
        check("ranks in a member", count, count_to_me(turn));
        count = 0;
        WM_COMMUNICATE(comm, "count@to[i] << + << 1@me where i in {0 ... 5} sender", count,
                       WM_STABLE(WM_NAMED(to, WM_MEMBER(list, PARTICLES, to))));
        wm_touch(&list->to);
        check("stable ranks in a member", count, count_to_me(turn));
        WM_COMMUNICATE(comm, "first@i <<= to[4]@0 where i in world", first, WM_UNIFORM(WM_MEMBER(list, PARTICLES, to)));
        check("a member converted", first, 4 % ranks);
    }
}

struct grid {
    int n;
    double *u;
};

static void names_given(MPI_Comm comm)
{
    double u[6];
    struct grid grid = {6, u}, *g = &grid;

    for (int i = 0; i < 6; i++)
        u[i] = rank + 0.5 * i;
    WM_COMMUNICATE(comm, "u[0 ... n / 2]@right <<= u[n / 2 ... n]@me", WM_NAMED(u, WM_SPAN(g->u, g->n)),
                   WM_UNIFORM(WM_NAMED(n, g->n)), right);
    for (int i = 0; i < 3; i++)
        check("a name given", u[i], left + 1.5 + 0.5 * i);
}

static void values(MPI_Comm comm)
{
    int got = -1, k = -1, second = -1;
    double half = 0;
    MPI_Request requests[2];

    for (int turn = 0; turn < TURNS; turn++) {
        WM_COMMUNICATE(comm, "got@to <<= k@me, half@me <<= h@me", got, half, WM_VALUE(to, (rank + 1) % ranks),
                       WM_VALUE(k, 10 * rank + turn), WM_VALUE(h, rank / 2.0));
        check("a value", got, 10 * left + turn);
        check("a value of real numbers", half, rank / 2.0);
        /* The values of the second do not stand in the place of the first's. */
        WM_ICOMMUNICATE(comm, &requests[0], "k@to <<= 2 * n@me", k, WM_VALUE(to, left), WM_VALUE(n, rank + turn));
        WM_ICOMMUNICATE(comm, &requests[1], "second@to <<= n@me", second, WM_VALUE(to, right),
                        WM_VALUE(n, 1000 + rank + turn));
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        check("a value kept", k, 2 * (right + turn));
        check("another value kept", second, 1000 + left + turn);
        WM_COMMUNICATE(comm, "k@i <<= last@n where i in world", k, WM_VALUE(last, (char)(rank + 1)),
                       WM_UNIFORM(WM_VALUE(n, turn % ranks)));
        check("a uniform value", k, turn % ranks + 1);
    }
}

/* Statements that are kept read what is bound anew; several of one text differ. */
static void scopes(MPI_Comm comm)
{
    double a[3], b[3], c[5];
    int n = 2, first = -1, second = -1;
    struct wm_scope *shift = WM_SCOPE("b[0 ... n]@right <<= a[0 ... n]@me", a, WM_SPAN(b, 3), n, right);
    struct wm_scope *all = WM_SCOPE("got@i <<= root@r where i in world", WM_NAMED(got, first), WM_VALUE(r, ranks - 1),
                                    WM_NAMED(root, rank));
    struct wm_scope *one =
        WM_SCOPE("got@i <<= root@r where i in world", WM_NAMED(got, second), WM_VALUE(r, 0), WM_NAMED(root, rank));

    for (int turn = 0; turn < 2 * TURNS; turn++) {
        MPI_Request requests[4];
        struct wm_bound longer = WM_NAMED(b, WM_SPAN(c, 5));

        n = turn % 3 + 1;
        if (turn == TURNS)
            wm_scope_bind(shift, &longer);
        for (int i = 0; i < 3; i++) {
            a[i] = 10 * turn + rank + 0.1 * i;
            b[i] = c[i] = -1;
        }
        first = second = -1;
        if (turn % 2 == 0) {
            wm_scope_communicate(shift, comm);
            wm_scope_communicate(all, comm);
            wm_scope_communicate(one, comm);
        } else {
            wm_scope_icommunicate(shift, comm, &requests[0]);
            wm_scope_icommunicate(all, comm, &requests[1]);
            wm_scope_icommunicate(one, comm, &requests[2]);
            wm_scope_icommunicate(all, comm, &requests[3]);
            MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        }
        for (int i = 0; i < 3; i++) {
            check("a statement kept", turn < TURNS ? b[i] : c[i], i < n ? 10 * turn + left + 0.1 * i : -1);
            check("what it was bound to", turn < TURNS ? c[i] : b[i], -1);
        }
        check("a value of it", first, ranks - 1);
        check("another of the same text", second, 0);
    }
    wm_scope_free(shift);
    wm_scope_free(all);
    wm_scope_free(one);
}

int names_check(MPI_Comm comm)
{
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    right = (rank + 1) % ranks;
    left = (rank + ranks - 1) % ranks;
    arrays_of_arrays(comm);
    arrays_of_any_length(comm);
    members(comm);
    names_given(comm);
    values(comm);
    scopes(comm);
    return faults;
}
