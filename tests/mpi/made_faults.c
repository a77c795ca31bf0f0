/* What the map's faults do to a job: made_faults count | lost | stopped. */
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum { CALLS = 100, VALUES = 8, LOOKS = 1000 };

static int rank, ranks;

/* How many of a call's results are not the sum that they should be. */
static int sum_wrongly(int call)
{
    int values[VALUES], sums[VALUES], wrong = 0;

    for (int i = 0; i < VALUES; i++)
        values[i] = rank + call;
    MPI_Allreduce(values, sums, VALUES, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < VALUES; i++)
        wrong += sums[i] != ranks * call + ranks * (ranks - 1) / 2;
    return wrong;
}

static void count(void)
{
    int wrong = 0;

    for (int call = 0; call < CALLS; call++)
        wrong += sum_wrongly(call);
    printf("rank %d: %d of %d wrong\n", rank, wrong, CALLS * VALUES);
}

/* The bcast begins behind the allreduce, and is over: so what the latter sends has been sent, but for what is lost. */
static void look(void)
{
    int value = 1, sum, done = 0;
    MPI_Request request, later;

    MPI_Iallreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Ibcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, &later);
    MPI_Wait(&later, MPI_STATUS_IGNORE);
    for (int i = 0; i < LOOKS && !done; i++) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        sched_yield();
    }
    printf("rank %d: %s\n", rank, done ? "complete" : "lost");
    fflush(stdout);
    PMPI_Barrier(MPI_COMM_WORLD);
    if (!done)
        MPI_Abort(MPI_COMM_WORLD, 3);
}

static int is_stopped(pid_t process)
{
    char path[64], text[512] = "";
    FILE *file;

    snprintf(path, sizeof path, "/proc/%ld/stat", (long)process);
    if ((file = fopen(path, "r")) == NULL)
        return 0;
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return strstr(text, ") T ") != NULL;
}

/* Rank 0 lets rank 1 go on when it has stopped, which it does in its second call. */
static void wait_for_stop(void)
{
    pid_t process = rank == 1 ? getpid() : 0;
    int wrong = sum_wrongly(0);

    PMPI_Allreduce(MPI_IN_PLACE, &process, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0) {
        while (!is_stopped(process))
            sched_yield();
        kill(process, SIGCONT);
    }
    printf("rank %d: %d wrong\n", rank, wrong + sum_wrongly(1));
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc == 2 && strcmp(argv[1], "count") == 0)
        count();
    else if (argc == 2 && strcmp(argv[1], "lost") == 0)
        look();
    else
        wait_for_stop();
    MPI_Finalize();
    return 0;
}
