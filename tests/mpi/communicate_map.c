/* Statements under a map: carried out as its rules say, and right whatever they say. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/mpi/communicate_check.h"
#include "waymark/communicate.h"

enum { TURNS = 5, ITEMS = 300 };

/* A broadcast. */
static void cast(int turn)
{
    long word = rank == 0 ? 100 + turn : 0;

    WM_COMMUNICATE(MPI_COMM_WORLD, "cast: word@i <<= word@0 where i in world", word);
    check("cast", word, 100 + turn);
}

/* Both ends know. */
static void ring(int turn)
{
    long mine = 1000 * rank + turn, left = -1;

    WM_COMMUNICATE(MPI_COMM_WORLD, "ring: left@(i + 1) % ranks <<= mine@i where i in world", left, mine);
    check("ring", left, 1000 * ((rank + ranks - 1) % ranks) + turn);
}

/* Senders alone know: many items. */
static void push(int turn)
{
    long sums[2] = {0}, should[2] = {0};
    int key[ITEMS], n = ITEMS;

    for (int i = 0; i < n; i++)
        key[i] = (rank * 7 + i * i + turn) % (2 * ranks);
    WM_COMMUNICATE(MPI_COMM_WORLD, "push: sums[k / ranks]@k % ranks << + << i + me@me where i in {0 ... n}, k = key[i]",
                   sums, key, n);
    for (int r = 0; r < ranks; r++)
        for (int i = 0; i < n; i++) {
            int to = (r * 7 + i * i + turn) % (2 * ranks);

            should[to / ranks] += to % ranks == rank ? i + r : 0;
        }
    check("push", sums[0], should[0]);
    check("push", sums[1], should[1]);
}

/* Receivers alone know. */
static void pull(int turn)
{
    int from = (rank * 3 + turn) % ranks;
    long mine = 10 * rank + turn, got = -1;

    WM_COMMUNICATE(MPI_COMM_WORLD, "pull: got@me <<= mine@from receiver", got, mine, from);
    check("pull", got, 10 * from + turn);
}

/* Two at once. */
static void both(int turn)
{
    long a = rank + turn, b = 2 * rank + turn, left = -1, right = -1;
    MPI_Request requests[2];

    WM_ICOMMUNICATE(MPI_COMM_WORLD, &requests[0], "later: left@(i + 1) % ranks <<= a@i where i in world", left, a);
    WM_ICOMMUNICATE(MPI_COMM_WORLD, &requests[1], "ring: right@i <<= b@(i + 1) % ranks where i in world", right, b);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    check("left", left, (rank + ranks - 1) % ranks + turn);
    check("right", right, 2 * ((rank + 1) % ranks) + turn);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int turn = 0; turn < TURNS; turn++) {
        cast(turn);
        ring(turn);
        push(turn);
        pull(turn);
        both(turn);
    }
    MPI_Finalize();
    return faults > 0;
}
