/* Statements that are wrong at run time: communicate_wrong NAME ends with a sentence, at any rank, and never hangs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "waymark/communicate.h"

static int rank, ranks, x = 1, to, n;
static int data[4], small[2], zero;

/* Until the job has said so, as the file has it. */
static void wait_for(const char *file, const char *sentence)
{
    char text[10000];

    for (int said = 0; !said; usleep(1000)) {
        FILE *f = fopen(file, "r");

        if (f == NULL)
            exit(1);
        text[fread(text, 1, sizeof text - 1, f)] = '\0';
        said = strstr(text, sentence) != NULL;
        fclose(f);
    }
}

/* Rank 1 comes to a statement when others have said that they wait for it. */
static void come_late(const char *file)
{
    WM_COMMUNICATE(MPI_COMM_WORLD, "x@0 <<= 2@1", x);
    for (int turn = 0; turn < 2; turn++) {
        if (rank == 1)
            wait_for(file, turn == 0 ? "has waited for other ranks for" : "rank 0 has waited for rank 1 for");
        WM_COMMUNICATE(MPI_COMM_WORLD, "late: x@0 <<= 1@1", x);
    }
}

static void run(const char *name)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    int *pointer = data;

    if (strcmp(name, "text") == 0)
        WM_COMMUNICATE(comm, "x@i <<= y@0 where i in world", x);
    else if (strcmp(name, "pointer") == 0)
        WM_COMMUNICATE(comm, "pointer@i <<= x@0 where i in world", pointer, x);
    else if (strcmp(name, "hint") == 0)
        WM_COMMUNICATE(comm, "x@to <<= me@me corresponding", x, to);
    else if (strcmp(name, "global") == 0)
        WM_COMMUNICATE(comm, "x@0 <<= k@1 where k = me, k < 2 global", x);
    else if (strcmp(name, "global-values") == 0)
        WM_COMMUNICATE(comm, "x@0 <<= 1@1 where n < 5 global", x, n);
    else if (strcmp(name, "receiver") == 0)
        WM_COMMUNICATE(comm, "x@i + 1 <<= x@i where i in world", x);
    else if (strcmp(name, "index") == 0)
        WM_COMMUNICATE(comm, "data[n]@0 <<= x@1", data, x, n);
    else if (strcmp(name, "index-of-sender") == 0)
        WM_COMMUNICATE(comm, "x@0 <<= data[n]@1", data, x, n);
    else if (strcmp(name, "size") == 0)
        WM_COMMUNICATE(comm, "small[0 ... n]@0 <<= data[0 ... n]@1", data, small, n);
    else if (strcmp(name, "later-size") == 0)
        for (int turn = 0; turn < 2; turn++) {
            n = turn == 0 ? 1 : 1 + rank;
            WM_COMMUNICATE(comm, "small[0 ... n]@0 <<= data[0 ... n]@1", data, small, n);
        }
    else if (strcmp(name, "stable-size") == 0)
        for (int turn = 0; turn < 2; turn++)
            WM_COMMUNICATE(comm, "x@d <<= 1@me where d in data", x,
                           WM_STABLE(WM_SPAN(data, 1 + (turn > 0 && rank == 1))));
    else if (strcmp(name, "size-by-sender") == 0)
        WM_COMMUNICATE(comm, "small[0 ... n]@0 <<= data[0 ... n]@1 sender", data, small, n);
    else if (strcmp(name, "twice") == 0)
        WM_COMMUNICATE(comm, "data[i / 2]@0 <<= x@i where i in world", data, x);
    else if (strcmp(name, "twice-by-sender") == 0)
        WM_COMMUNICATE(comm, "data[k ... k + 2]@0 <<= small@i where i in world, k = i % 2 sender", data, small);
    else if (strcmp(name, "zero") == 0)
        WM_COMMUNICATE(comm, "x@0 <<= 6 / zero@1", x, zero);
    else if (strcmp(name, "other") == 0 && rank == 0)
        WM_COMMUNICATE(comm, "x@i <<= 1@i + 1 where i in world sender", x);
    else if (strcmp(name, "other") == 0)
        WM_COMMUNICATE(comm, "x@i - 1 <<= 2@i where i in world, i > 0 sender", x);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    to = (rank + 1) % ranks;
    n = rank == 1 ? 2 : 1;
    if (strcmp(argv[1], "late") == 0)
        come_late(argv[2]);
    else if (argc > 2)
        n = atoi(argv[2]) + rank;
    run(argv[1]);
    MPI_Finalize();
    return 0;
}
