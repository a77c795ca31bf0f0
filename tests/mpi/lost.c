/* A rank is killed while the others wait for its message. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include "waymark/message_comm.h"

struct plain_header {
    int tag;
};

static inline struct wm_key plain_key(const struct plain_header *h)
{
    return (struct wm_key){.word = {(unsigned)h->tag}};
}

WM_PROTOCOL(plain, struct plain_header, plain_key, WM_KEY_DECIDES, WM_IN_ORDER, tag);

int main(int argc, char **argv)
{
    struct plain_envelope e = {.message = {.peer = 0}};
    struct wm_endpoints *group;
    struct plain plain;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    group = wm_endpoints_over(MPI_COMM_WORLD, NULL);
    plain_open(&plain, group, rank, "plain");
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        raise(SIGKILL);
    plain_receive(&plain, &e);
    plain_wait(&plain, &e);
    printf("rank %d has received something\n", rank);
    return 0;
}
