/* Sample sort: samples of all ranks say which keys each is to have; how many come from whom, ranks tell each other; and
 * the keys go there. */
#include <mpi.h>
#include <stdlib.h>
#include <waymark/communicate.h>
#include "examples/statements/ways.h"

enum { KEYS = 2000, SAMPLES = 16, LISTS = 4 };

static int lists[LISTS][KEYS]; /* sorted at this rank */
static int *mine;              /* one of them */
static int samples[SAMPLES], *all_samples;
static int *begins, *counts, *places; /* of the keys for each rank; how many come of each; where they go */
static int *sorted;

static int by_value(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;

    return (x > y) - (x < y);
}

static int key(int of_rank, int list, int i)
{
    int x = ways_random((unsigned)list, (unsigned)(of_rank * KEYS + i), 1000);

    return x * x * (1 + of_rank % 3);
}

static int *integers(int count)
{
    return calloc((size_t)count, sizeof(int));
}

static void begin(void)
{
    all_samples = integers(SAMPLES * ranks);
    begins = integers(ranks + 1);
    counts = integers(ranks);
    places = integers(ranks + 1);
    sorted = integers(KEYS * ranks);
    for (int list = 0; list < LISTS; list++) {
        for (int i = 0; i < KEYS; i++)
            lists[list][i] = key(rank, list, i);
        qsort(lists[list], KEYS, sizeof(int), by_value);
    }
}

static void take_samples(int turn)
{
    mine = lists[turn % LISTS];
    for (int i = 0; i < SAMPLES; i++)
        samples[i] = mine[i * (KEYS / SAMPLES)];
}

/* Rank r has the keys from its SAMPLES-th of all samples on. */
static void find_begins(void)
{
    qsort(all_samples, (size_t)(SAMPLES * ranks), sizeof(int), by_value);
    for (int r = 1, k = 0; r < ranks; r++) {
        while (k < KEYS && mine[k] < all_samples[r * SAMPLES])
            k++;
        begins[r] = k;
    }
    begins[ranks] = KEYS;
}

static void find_places(void)
{
    for (int r = 0; r < ranks; r++)
        places[r + 1] = places[r] + counts[r];
}

static void by_mpi(int turn)
{
    take_samples(turn);
    /* communication by MPI */
    MPI_Allgather(samples, SAMPLES, MPI_INT, all_samples, SAMPLES, MPI_INT, MPI_COMM_WORLD);
    /* end */
    find_begins();
    /* communication by MPI */
    int *lengths = integers(ranks);

    for (int r = 0; r < ranks; r++)
        lengths[r] = begins[r + 1] - begins[r];
    MPI_Alltoall(lengths, 1, MPI_INT, counts, 1, MPI_INT, MPI_COMM_WORLD);
    /* end */
    find_places();
    /* communication by MPI */
    MPI_Alltoallv(mine, lengths, begins, MPI_INT, sorted, counts, places, MPI_INT, MPI_COMM_WORLD);
    free(lengths);
    /* end */
}

static void by_statement(int turn)
{
    int s = SAMPLES;

    take_samples(turn);
    /* communication by statement */
    WM_COMMUNICATE(MPI_COMM_WORLD, "all_samples[s * i ... s * (i + 1)]@j <<= samples@i where i, j in world",
                   WM_UNIFORM(WM_SPAN(all_samples, SAMPLES * ranks)), samples, WM_UNIFORM(s));
    /* end */
    find_begins();
    /* communication by statement */
    WM_COMMUNICATE(MPI_COMM_WORLD, "counts[i]@j <<= begins[j + 1] - begins[j]@i where i, j in world",
                   WM_UNIFORM(WM_SPAN(counts, ranks)), WM_SPAN(begins, ranks + 1));
    /* end */
    find_places();
    /* communication by statement */
    WM_COMMUNICATE(MPI_COMM_WORLD,
                   "sorted[places[i] ... places[i + 1]]@j <<= mine[begins[j] ... begins[j + 1]]@i where i, j in world",
                   WM_SPAN(sorted, KEYS * ranks), WM_SPAN(places, ranks + 1), WM_SPAN(mine, KEYS),
                   WM_SPAN(begins, ranks + 1));
    /* end */
}

/* This rank's keys are those that stand behind the earlier ranks' in the sorted list of all. */
static long compare(int list, int *all)
{
    int count = places[ranks], before = 0;
    long wrong = 0;

    for (int i = 0; i < KEYS * ranks; i++)
        all[i] = key(i / KEYS, list, i % KEYS);
    qsort(all, (size_t)(KEYS * ranks), sizeof(int), by_value);
    MPI_Exscan(&count, &before, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    qsort(sorted, (size_t)count, sizeof(int), by_value);
    for (int i = 0; i < count; i++)
        wrong += sorted[i] != all[before + i];
    return wrong + (rank == ranks - 1 && before + count != KEYS * ranks);
}

static long run(ways_communicate *communicate)
{
    int *all = integers(KEYS * ranks);
    long wrong = 0;

    for (int turn = 0; turn < LISTS + 1; turn++) {
        for (int i = 0; i < KEYS * ranks; i++)
            sorted[i] = -1;
        communicate(turn);
        wrong += compare(turn % LISTS, all);
    }
    free(all);
    return wrong;
}

int main(int argc, char **argv)
{
    static const struct ways sample_sort = {"sample_sort", "2000 keys a rank", begin, by_mpi, by_statement, run, 40};

    return ways_main(&sample_sort, argc, argv);
}
