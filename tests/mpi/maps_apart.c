/* Communicators under maps of their own: the info key "waymark_map" of MPI_Comm_dup_with_info. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 1000 };

static int rank, ranks, faults;

/* Rank 0's info is the one that counts. */
static MPI_Comm dup_under(MPI_Comm parent, const char *map)
{
    MPI_Info info;
    MPI_Comm made;

    MPI_Info_create(&info);
    if (rank == 0 && map != NULL)
        MPI_Info_set(info, "waymark_map", map);
    MPI_Comm_dup_with_info(parent, info, &made);
    MPI_Info_free(&info);
    return made;
}

static void check_sum(MPI_Comm comm, const char *where)
{
    static int in[COUNT], out[COUNT];

    for (int i = 0; i < COUNT; i++)
        in[i] = rank + i;
    MPI_Allreduce(in, out, COUNT, MPI_INT, MPI_SUM, comm);
    for (int i = 0; i < COUNT; i++)
        if (out[i] != ranks * (ranks - 1) / 2 + ranks * i) {
            fprintf(stderr, "rank %d: a wrong sum on %s\n", rank, where);
            faults++;
            return;
        }
}

static void check_bcast(MPI_Comm comm, const char *where)
{
    int value = rank == 1 ? 4711 : 0;

    MPI_Bcast(&value, 1, MPI_INT, 1, comm);
    if (value != 4711) {
        fprintf(stderr, "rank %d: a wrong value on %s\n", rank, where);
        faults++;
    }
}

static void check(MPI_Comm comm, const char *where)
{
    check_sum(comm, where);
    check_bcast(comm, where);
}

/* `first` and `second`: maps. Their communicators' calls alternate, and so do those of duplicates. */
static void two_maps(const char *first, const char *second)
{
    MPI_Comm one = dup_under(MPI_COMM_WORLD, first), two = dup_under(MPI_COMM_WORLD, second), again, later, plain;
    MPI_Request request;

    MPI_Comm_dup(two, &again);
    MPI_Comm_idup(one, &later, &request);
    plain = dup_under(MPI_COMM_WORLD, NULL);
    MPI_Comm_set_name(one, "named late");
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < 3; i++) {
        check(one, "the first map's communicator");
        check(two, "the second map's communicator");
        check(again, "its duplicate");
        check(later, "the first one's MPI_Comm_idup");
        check(plain, "a communicator without a key");
    }
    MPI_Comm_free(&two);
    check(again, "the duplicate that is left");
    MPI_Comm_free(&one);
    MPI_Comm_free(&later);
    MPI_Comm_free(&again);
    MPI_Comm_free(&plain);
    for (int i = 0; i < 20; i++) { /* not a server each */
        one = dup_under(MPI_COMM_WORLD, i % 2 == 0 ? first : second);
        check(one, "one of many");
        MPI_Comm_free(&one);
    }
}

int main(int argc, char **argv)
{
    int all;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc < 2 || ranks < 2) {
        fprintf(stderr, "usage: mpirun -n 2 maps_apart MAP [MAP]\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    two_maps(argv[1], argc > 2 ? argv[2] : argv[1]);
    MPI_Allreduce(&faults, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf(all == 0 ? "all right\n" : "%d faults\n", all);
    MPI_Finalize();
    return all != 0;
}
