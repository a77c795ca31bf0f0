/* Two MPI_COMM_WORLDs: worlds HOW [WORD ...]. Parents start as many children as they are themselves, with the words in
 * front of the program's name, and both use what joins them: the intercommunicator of MPI_Comm_spawn, or, where HOW is
 * `accept`, that of MPI_Comm_accept and MPI_Comm_connect; the communicator that comes of its merging, and what comes of
 * that. Run by tests/mpi/worlds.sh. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 16 };

static int world_rank, world_ranks;
static bool is_parent;

static void check(bool right, const char *where, const char *what)
{
    if (right)
        return;
    printf("%s %d: %s on %s is wrong\n", is_parent ? "parent" : "child", world_rank, what, where);
    fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 3);
}

static void use_collectives(MPI_Comm comm, const char *name)
{
    int rank, ranks, one = 1, sum = 0, value;
    MPI_Request request;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    value = rank == ranks - 1 ? 4711 : -1;
    MPI_Barrier(comm);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    check(sum == ranks, name, "allreduce");
    MPI_Bcast(&value, 1, MPI_INT, ranks - 1, comm);
    check(value == 4711, name, "bcast");
    sum = 0;
    MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check(sum == ranks, name, "iallreduce");
}

/* What is received with wildcards is what the neighbour sent, and nothing of the runtime's. */
static void use_wildcards(MPI_Comm comm)
{
    int rank, ranks, got = -1;
    MPI_Request request;
    MPI_Status status;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    MPI_Isend(&rank, 1, MPI_INT, (rank + 1) % ranks, 7, comm, &request);
    MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check(status.MPI_TAG == 7 && got == (rank + ranks - 1) % ranks, "the merged communicator", "a wildcard receive");
}

static void use_intercommunicator(MPI_Comm inter, const char *name)
{
    int remote, one = 1, sum = 0, value = is_parent ? 4711 : -1;
    int root = !is_parent ? 0 : world_rank == 0 ? MPI_ROOT : MPI_PROC_NULL;

    MPI_Comm_remote_size(inter, &remote);
    MPI_Barrier(inter);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, inter);
    check(sum == remote, name, "allreduce");
    MPI_Bcast(&value, 1, MPI_INT, root, inter);
    check(value == 4711, name, "bcast");
}

/* Each maker of communicators, on one that has ranks of both worlds. */
static void use_descendants(MPI_Comm merged)
{
    int rank, ranks, periodic = 1, values[2];
    MPI_Comm comm;
    MPI_Request request;
    MPI_Info info;

    MPI_Comm_rank(merged, &rank);
    MPI_Comm_size(merged, &ranks);
    MPI_Comm_dup(merged, &comm);
    use_collectives(comm, "a duplicate");
    MPI_Comm_free(&comm);
    MPI_Info_create(&info);
    MPI_Info_set(info, "waymark_map", "ring");
    MPI_Comm_dup_with_info(merged, info, &comm);
    use_collectives(comm, "a duplicate with a map");
    MPI_Comm_free(&comm);
    MPI_Info_free(&info);
    MPI_Comm_idup(merged, &comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    use_collectives(comm, "a duplicate that was not waited for");
    MPI_Comm_free(&comm);
    MPI_Comm_split(merged, is_parent, 0, &comm);
    use_collectives(comm, "the part of one world");
    MPI_Comm_free(&comm);
    MPI_Comm_split(merged, rank % 2, 0, &comm);
    use_collectives(comm, "a part of both worlds");
    MPI_Comm_free(&comm);
    MPI_Cart_create(merged, 1, &ranks, &periodic, 0, &comm);
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, values, 1, MPI_INT, comm);
    check(values[0] == (rank + ranks - 1) % ranks && values[1] == (rank + 1) % ranks, "a ring", "neighbor_allgather");
    MPI_Comm_free(&comm);
}

/* The communicator and what it becomes; it is gone in the end. */
static void use(MPI_Comm inter, const char *name)
{
    MPI_Comm merged, twin;

    use_intercommunicator(inter, name);
    MPI_Comm_dup(inter, &twin);
    use_intercommunicator(twin, "its duplicate");
    MPI_Intercomm_merge(twin, !is_parent, &merged);
    MPI_Comm_free(&twin);
    use_wildcards(merged);
    use_collectives(merged, "the merged communicator");
    use_descendants(merged);
    MPI_Comm_free(&merged);
    MPI_Comm_disconnect(&inter);
}

static MPI_Comm meet(MPI_Comm inter)
{
    char port[MPI_MAX_PORT_NAME] = "";
    int root = !is_parent ? 0 : world_rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
    MPI_Comm met;

    if (is_parent && world_rank == 0)
        MPI_Open_port(MPI_INFO_NULL, port);
    MPI_Bcast(port, sizeof port, MPI_CHAR, root, inter);
    if (is_parent)
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &met);
    else
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &met);
    if (is_parent && world_rank == 0)
        MPI_Close_port(port);
    return met;
}

/* The children are told HOW as their only argument. */
static MPI_Comm spawn(int argc, char **argv)
{
    char *words[WORDS_MAX + 3];
    int count = 0;
    MPI_Comm inter;

    for (int i = 2; i < argc && count < WORDS_MAX; i++)
        words[count++] = argv[i];
    words[count++] = argv[0];
    words[count++] = argv[1];
    words[count] = NULL;
    MPI_Comm_spawn(words[0], words + 1, world_ranks, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE);
    return inter;
}

int main(int argc, char **argv)
{
    MPI_Comm inter;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_ranks);
    MPI_Comm_get_parent(&inter);
    is_parent = inter == MPI_COMM_NULL;
    use_collectives(MPI_COMM_WORLD, "MPI_COMM_WORLD");
    if (is_parent)
        inter = spawn(argc, argv);
    if (strcmp(argv[1], "accept") == 0)
        use(meet(inter), "the intercommunicator of accept and connect");
    use(inter, "the intercommunicator of spawn");
    use_collectives(MPI_COMM_WORLD, "MPI_COMM_WORLD in the end");
    MPI_Finalize();
    if (world_rank == 0)
        printf("%s: results right\n", is_parent ? "parents" : "children");
    return 0;
}
