/* Push by owner: a graph's edges come in batches, and each adds its weight to its head, which some rank owns. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <waymark/communicate.h>
#include "examples/statements/ways.h"

enum { VERTICES = 200, BATCH = 1000, BATCHES = 6 }; /* a rank */

struct edge {
    int head, weight;
};

static struct edge edges[BATCHES][BATCH];
static int heads[BATCHES][BATCH], weights[BATCHES][BATCH]; /* the same */
static int sums[VERTICES];

static struct edge edge(int of_rank, int i)
{
    unsigned index = (unsigned)(of_rank * BATCHES * BATCH + i);

    return (struct edge){ways_random(1, index, VERTICES * ranks), ways_random(2, index, 100)};
}

static int owner(int vertex)
{
    return vertex % ranks;
}

static void begin(void)
{
    for (int i = 0; i < BATCHES * BATCH; i++) {
        struct edge e = edges[i / BATCH][i % BATCH] = edge(rank, i);

        heads[i / BATCH][i % BATCH] = e.head;
        weights[i / BATCH][i % BATCH] = e.weight;
    }
}

/* communication by MPI */
static struct {
    int *counts, *begins, *arriving, *places;
    struct edge pushed[BATCH], *arrived;
    int room;
} m;

static void find_begins(const int counts[], int begins[])
{
    begins[0] = 0;
    for (int r = 0; r < ranks; r++)
        begins[r + 1] = begins[r] + counts[r];
}

/* The edges of each owner together. */
static void sort_by_owner(const struct edge batch[])
{
    memset(m.counts, 0, sizeof(int) * (size_t)ranks);
    for (int k = 0; k < BATCH; k++)
        m.counts[owner(batch[k].head)]++;
    find_begins(m.counts, m.begins);
    for (int k = 0; k < BATCH; k++)
        m.pushed[m.begins[owner(batch[k].head)]++] = batch[k];
    find_begins(m.counts, m.begins);
}
/* end */

static void by_mpi(int turn)
{
    /* communication by MPI */
    if (m.counts == NULL) {
        m.counts = malloc(sizeof(int) * (size_t)(4 * ranks + 4));
        m.begins = m.counts + ranks + 1;
        m.arriving = m.begins + ranks + 1;
        m.places = m.arriving + ranks + 1;
    }
    sort_by_owner(edges[turn % BATCHES]);
    MPI_Alltoall(m.counts, 1, MPI_INT, m.arriving, 1, MPI_INT, MPI_COMM_WORLD);
    find_begins(m.arriving, m.places);
    if (m.places[ranks] > m.room) {
        m.room = 2 * m.places[ranks];
        m.arrived = realloc(m.arrived, sizeof *m.arrived * (size_t)m.room);
    }
    MPI_Alltoallv(m.pushed, m.counts, m.begins, MPI_2INT, m.arrived, m.arriving, m.places, MPI_2INT, MPI_COMM_WORLD);
    for (int k = 0; k < m.places[ranks]; k++)
        sums[m.arrived[k].head / ranks] += m.arrived[k].weight;
    /* end */
}

static void by_statement(int turn)
{
    const int *head = heads[turn % BATCHES], *weight = weights[turn % BATCHES];
    int batch = BATCH;

    /* communication by statement */
    WM_COMMUNICATE(MPI_COMM_WORLD,
                   "sums[v / ranks]@owner(v) << + << weight[k]@me where k in {0 ... batch}, v = head[k] sender", sums,
                   WM_SPAN(head, BATCH), WM_SPAN(weight, BATCH), batch, WM_FUNCTION(owner));
    /* end */
}

static long run(ways_communicate *communicate)
{
    int *all = calloc((size_t)(VERTICES * ranks), sizeof *all);
    long wrong = 0;

    memset(sums, 0, sizeof sums);
    for (int turn = 0; turn < BATCHES; turn++)
        communicate(turn);
    for (int i = 0; i < ranks * BATCHES * BATCH; i++) {
        struct edge e = edge(i / (BATCHES * BATCH), i % (BATCHES * BATCH));

        all[e.head] += e.weight;
    }
    for (int i = 0; i < VERTICES; i++)
        wrong += sums[i] != all[i * ranks + rank];
    free(all);
    return wrong;
}

int main(int argc, char **argv)
{
    static const struct ways push = {"push", "1000 edges a rank", begin, by_mpi, by_statement, run, 20};

    return ways_main(&push, argc, argv);
}
