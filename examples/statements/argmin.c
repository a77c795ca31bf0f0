/* The nearest of the points that all ranks have, and what it is, told to all: a reduction of structs. */
#include <math.h>
#include <mpi.h>
#include <waymark/communicate.h>
#include "examples/statements/ways.h"

enum { POINTS = 500, QUESTIONS = 10 };

struct nearest {
    double distance, x, y;
    int number;
};

static struct nearest mine, best;

static struct nearest measure(int number, int question)
{
    double x = ways_random(1, (unsigned)number, 10000), y = ways_random(2, (unsigned)number, 10000);

    return (struct nearest){hypot(x - 1000 * question, y - 5000), x, y, number};
}

static void nearer(struct nearest *a, const struct nearest *b)
{
    if (b->distance < a->distance || (b->distance == a->distance && b->number < a->number))
        *a = *b;
}

/* communication by MPI */
static MPI_Datatype nearest_type;
static MPI_Op nearest_op;

static void combine(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        nearer((struct nearest *)inout + i, (struct nearest *)in + i);
}

static void commit(void)
{
    MPI_Type_contiguous(sizeof(struct nearest), MPI_BYTE, &nearest_type);
    MPI_Type_commit(&nearest_type);
    MPI_Op_create(combine, 1, &nearest_op);
}
/* end */

static void begin(void)
{
    commit();
}

static void by_mpi(int turn)
{
    (void)turn;
    /* communication by MPI */
    MPI_Allreduce(&mine, &best, 1, nearest_type, nearest_op, MPI_COMM_WORLD);
    /* end */
}

static void by_statement(int turn)
{
    (void)turn;
    /* communication by statement */
    best = mine;
    WM_COMMUNICATE(MPI_COMM_WORLD, "best@j << nearer << mine@i where i, j in world", WM_TYPED(best, MPI_BYTE),
                   WM_TYPED(mine, MPI_BYTE), WM_COMBINE(nearer, best, MPI_BYTE));
    /* end */
}

static long run(ways_communicate *communicate)
{
    long wrong = 0;

    for (int question = 0; question < QUESTIONS; question++) {
        struct nearest right = {.distance = INFINITY};

        mine.distance = INFINITY;
        for (int i = 0; i < POINTS * ranks; i++) {
            struct nearest point = measure(i, question);

            if (point.distance < right.distance)
                right = point;
            if (i / POINTS == rank)
                nearer(&mine, &point);
        }
        communicate(question);
        wrong +=
            best.number != right.number || best.distance != right.distance || best.x != right.x || best.y != right.y;
    }
    return wrong;
}

int main(int argc, char **argv)
{
    static const struct ways argmin = {"argmin", "a struct of 32 bytes", begin, by_mpi, by_statement, run, 200};

    return ways_main(&argmin, argc, argv);
}
